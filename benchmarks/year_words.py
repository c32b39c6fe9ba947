"""How people word it: two families of skeletons that share none, `A` for work on the rules and `B`
held out.

`{n}` is a noun phrase, `{r}` what the thing is for, `{v}` the value, `{o}` the value it takes the
place of. `first` states, `again` states once more, the others change: `explicit` names the old
value or says that it changed, `correct` answers an agent that said the old one, `implicit` says
now, `casual` mentions it in passing, `terse` hardly says anything.
"""

from __future__ import annotations

from collections.abc import Mapping

Skeletons = Mapping[str, tuple[str, ...]]

# For every shape: what can be said of any value.
_ANY_A: Skeletons = {
    "first": ("the {n} is {v}", "our {n} is {v}", "note that the {n} is {v}", "for {r} it's {v}"),
    "explicit": (
        "the {n} changed from {o} to {v}",
        "the {n} is {v} now, not {o} any more",
        "from now on the {n} is {v} instead of {o}",
        "the {n} is no longer {o} but {v}",
        "we changed the {n} to {v}",
        "we moved the {n} from {o} to {v}",
    ),
    "correct": (
        "no, the {n} is {v}, not {o}",
        "that's wrong, the {n} is {v} now",
        "actually the {n} isn't {o} any more, it's {v}",
        "you got the {n} wrong: it is {v}",
    ),
    "implicit": (
        "the {n} is {v} now",
        "our {n} is now {v}",
        "as of today the {n} is {v}",
        "it's {v} for {r} these days",
    ),
    "casual": (
        "since the {n} is {v} now, some of the docs are off",
        "I told the others yesterday that the {n} becomes {v}",
        "by the way, we ended up with {v} as the {n}",
    ),
    "terse": ("{n}: {v}", "{v} now, not {o}", "btw {n} {v}"),
    "again": (
        "remember that the {n} is {v}",
        "as I said, the {n} is {v}",
        "the {n} here is {v}",
        "{v} is our {n}",
        "keep in mind, {v} for {r}",
        "don't forget the {n} is {v}",
    ),
}
_ANY_B: Skeletons = {
    "first": (
        "we have {v} as {n}",
        "you should know that {v} is the {n}",
        "in this repo the {n} is {v}",
        "when it comes to {r}, it is {v}",
    ),
    "explicit": (
        "forget {o}, the {n} is {v} from here on",
        "the {n} used to be {o} and is {v} today",
        "we replaced {o} by {v} as {n}",
        "please stop assuming {o}: the {n} has become {v}",
        "the {n} went from {o} to {v} this week",
        "{v} has taken the place of {o} as {n}",
    ),
    "correct": (
        "nope, {o} was the old {n}, today it's {v}",
        "you're out of date: the {n} is {v}",
        "not {o}. The {n} is {v}",
        "that was true last month, but the {n} is {v} now",
    ),
    "implicit": (
        "currently the {n} is {v}",
        "{v} is the {n} nowadays",
        "the {n} has been {v} since Monday",
        "{v} is what we have as {n} now",
    ),
    "casual": (
        "I spent the morning on making {v} the {n}, so expect small breakage",
        "everybody is happy that the {n} is finally {v}",
        "while you're at it, the readme should say {v} for the {n}",
    ),
    "terse": ("{n} = {v}", "{v}! ({o} is history)", "{n} is {v}, fyi"),
    "again": (
        "just so we're clear, the {n} is {v}",
        "once more: {v} is the {n}",
        "you know the {n}, it's {v}",
        "like before, {v} as {n}",
        "we still have {v} as the {n}",
        "the {n} continues to be {v}",
    ),
}

_A: Mapping[str, Skeletons] = {
    "tool": {
        "first": (
            "we use {v} for {r}",
            "for {r} please use {v}",
            "{r} here goes through {v}",
            "we're using {v} for {r}",
        ),
        "explicit": (
            "we switched from {o} to {v} for {r}",
            "use {v} instead of {o} for {r}",
            "we no longer use {o} for {r}, it's {v} now",
            "we moved {r} from {o} over to {v}",
            "from now on use {v} for {r}, not {o}",
            "{o} is out, {v} replaces it for {r}",
            "we've migrated {r} to {v}, please don't use {o} any more",
        ),
        "correct": (
            "no, we don't use {o} any more, it's {v} for {r}",
            "that's wrong, {r} is on {v} now",
            "wrong, we dropped {o}: {r} runs on {v}",
        ),
        "implicit": (
            "we're on {v} for {r} now",
            "{r} is on {v} these days",
            "we now use {v} for {r}",
        ),
        "casual": (
            "I set up {v} for {r} last week, stick to that",
            "note that {v} took over {r} on Monday",
        ),
        "terse": ("{v} for {r} now", "btw {v} for {r}"),
        "again": (
            "remember, we use {v} for {r}",
            "please keep using {v} for {r}",
            "{r} is handled by {v} here",
            "as always, {v} for {r}",
        ),
    },
    "version": {
        "first": ("we target {v}", "we're on {v}", "production runs on {v}"),
        "explicit": (
            "we upgraded from {o} to {v}",
            "we moved from {o} to {v}",
            "we don't support {o} any more, it's {v} from now on",
        ),
        "correct": (
            "no, we're not on {o} any more, we run {v}",
            "wrong version, we upgraded to {v}",
        ),
        "implicit": ("we run on {v} now", "everything is on {v} now"),
        "casual": ("now that we're on {v} you can use the new features",),
        "terse": ("{v} now",),
        "again": ("remember we run {v}", "we target {v} as the {n}"),
    },
    "command": {
        "first": ("run the tests with {v}", "use {v} to run the tests"),
        "explicit": (
            "run the tests with {v} instead of {o}",
            "we replaced {o} with {v}, use that for {r}",
        ),
        "correct": ("no, don't run {o}, the tests run with {v} now",),
        "implicit": ("the tests run with {v} now",),
        "casual": ("I wired the tests up to {v}, so use that",),
        "terse": ("{v} for the tests",),
        "again": ("always run {v} before you say you're done", "tests are run with {v}, as usual"),
    },
    "person": {
        "first": ("{v} owns {r}", "{v} is in charge of {r}"),
        "explicit": ("{v} took over {r} from {o}", "{o} no longer does {r}, {v} does"),
        "correct": ("no, not {o}, {v} is in charge of {r} now",),
        "implicit": ("{v} is in charge of {r} now",),
        "casual": ("talk to {v} about {r}, they took it over",),
        "terse": ("{r}: ask {v}",),
        "again": ("remember {v} is in charge of {r}", "ask {v} if it touches {r}"),
    },
    "date": {
        "first": ("we planned the {n} for {v}",),
        "explicit": ("the {n} was moved from {o} to {v}", "we pushed the {n} to {v}"),
        "correct": ("no, the {n} moved, it's {v} now",),
        "implicit": ("the {n} is now {v}",),
        "casual": ("we have time until {v} for {r}",),
        "terse": ("{n} moved to {v}",),
        "again": ("keep in mind the {n} is {v}",),
    },
    "policy": {
        "first": ("we only do {v}", "we use {v} for {r}"),
        "explicit": (
            "we stopped doing {o}, only {v} from now on",
            "use {v} instead of {o} for {r}",
        ),
        "correct": ("no {o} any more, we do {v} now",),
        "implicit": ("we do {v} now",),
        "casual": ("the team agreed on {v} in the retro",),
        "terse": ("{v} please, no {o}",),
        "again": ("always {v} for {r}", "remember, {v} only"),
    },
}
_B: Mapping[str, Skeletons] = {
    "tool": {
        "first": (
            "{v} does {r}",
            "we rely on {v} for {r}",
            "{r} happens with {v}",
            "our team picked {v} for {r}",
        ),
        "explicit": (
            "we said goodbye to {o}; {v} does {r}",
            "we traded {o} for {v} when it comes to {r}",
            "stop using {o} for {r}, take {v}",
            "{v} has replaced {o} for {r}",
            "please go with {v} and not with {o} for {r}",
            "we retired {o} last sprint, {r} is {v} territory now",
            "drop {o} in favour of {v} for {r}",
        ),
        "correct": (
            "you keep reaching for {o}, but {r} is done with {v}",
            "hm, {o} is gone; {v} does {r}",
            "not {o}, we use {v} for {r}",
        ),
        "implicit": (
            "nowadays {v} does {r}",
            "{r} happens with {v} now",
            "at this point {v} is what does {r}",
        ),
        "casual": (
            "I finished the move to {v} for {r} last night",
            "tell me if {v} misbehaves, it is doing {r} since Friday",
        ),
        "terse": ("{r} -> {v}", "{v} does {r} fyi"),
        "again": (
            "like I mentioned, {v} does {r}",
            "we stay with {v} for {r}",
            "{v} is still what we rely on for {r}",
            "{r}? {v}, same as ever",
        ),
    },
    "version": {
        "first": (
            "all of it has to work on {v}",
            "we standardised on {v}",
            "{v} is what we deploy",
        ),
        "explicit": (
            "we bumped {o} to {v}",
            "{o} is end of life for us, {v} is the target",
            "we've left {o} behind and live on {v}",
        ),
        "correct": (
            "you're assuming {o}, we have been on {v} for a while",
            "not {o}, that got bumped to {v}",
        ),
        "implicit": ("we've been running {v} since the last deploy", "{v} is what we deploy now"),
        "casual": ("after the bump to {v} two flaky things went away",),
        "terse": ("bumped to {v}",),
        "again": ("still {v}, as before", "it all has to run on {v}, like I said"),
    },
    "command": {
        "first": ("{v} runs the suite", "to check your work call {v}"),
        "explicit": (
            "call {v} where you used to call {o}",
            "{o} is deprecated, {v} runs the suite",
        ),
        "correct": ("{o} doesn't work here any longer, call {v}",),
        "implicit": ("nowadays {v} runs the suite",),
        "casual": ("I hid the flags in {v}, just call that",),
        "terse": ("suite -> {v}",),
        "again": ("call {v} whenever you change code", "like before, {v} runs the suite"),
    },
    "person": {
        "first": ("{v} looks after {r}", "{r} is in {v}'s hands"),
        "explicit": ("{o} handed {r} to {v}", "{v} replaced {o} on {r}"),
        "correct": ("{o} left that team, {v} looks after {r}",),
        "implicit": ("these days {v} looks after {r}",),
        "casual": ("{v} inherited {r}, poor soul",),
        "terse": ("{r} -> {v}",),
        "again": ("{v} is still the one for {r}", "anything about {r} goes past {v}"),
    },
    "date": {
        "first": ("{r} is scheduled for {v}",),
        "explicit": ("{o} didn't work out, {r} is {v}", "{r} slipped from {o} to {v}"),
        "correct": ("that date is stale, {r} is {v}",),
        "implicit": ("{r} is {v} as things stand",),
        "casual": ("marketing printed {v} on the posters for {r}, so that's it",),
        "terse": ("{r} {v}!",),
        "again": ("{r} stays on {v}",),
    },
    "policy": {
        "first": ("{v} is how we do it", "the team does {v}"),
        "explicit": (
            "{o} are forbidden since the retro, it's {v}",
            "we gave up {o} in favour of {v}",
        ),
        "correct": ("{o}? That was last quarter, we do {v}",),
        "implicit": ("these days it's {v}",),
        "casual": ("I turned off everything but {v} in the settings",),
        "terse": ("only {v}",),
        "again": ("{v}, as we do it here", "like always {v}"),
    },
}

# The ways of a change, with how often each is taken.
CHANGES: Mapping[str, int] = {
    "explicit": 46,
    "correct": 16,
    "implicit": 18,
    "casual": 10,
    "terse": 10,
}
# A liking that changes is told with one of these before it.
TURNS: Mapping[str, tuple[str, ...]] = {
    "A": (
        "from now on {x}",
        "I changed my mind: {x}",
        "new rule, {x}",
        "{x} from now on, not as before",
    ),
    "B": (
        "going forward {x}",
        "I've come round, {x}",
        "different from before: {x}",
        "starting today {x}",
    ),
}


def skeletons(family: str, shape: str, form: str) -> tuple[str, ...]:
    """The wordings of a form for a shape: those of the shape itself come twice as often as those
    for any value.
    """
    own, common = (_A, _ANY_A) if family == "A" else (_B, _ANY_B)
    special = own.get(shape, {}).get(form, ())
    return (*special, *special, *common[form])


TASKS: Mapping[str, tuple[str, ...]] = {
    "A": (
        "Can you add a retry to the uploader?",
        "Fix the flaky login test.",
        "Please rename the Account class to Customer.",
        "Look at why the nightly job is slow.",
        "Add a button that exports the table as CSV.",
        "Refactor the parser into two modules.",
        "Why does the build fail on my machine?",
        "Write a migration that adds an index to orders.",
        "Clean up the dead code in utils.",
        "Add logging to the webhook handler.",
    ),
    "B": (
        "Make the search results paginate.",
        "The signup mail is sent twice, have a look.",
        "Split the settings page into tabs.",
        "I need an endpoint that lists invoices.",
        "Something leaks memory in the worker, find it.",
        "Speed up the dashboard query.",
        "Replace the spinner with a skeleton.",
        "Validate the phone number on the form.",
        "Document the import script.",
        "Let the admin undo a deletion.",
    ),
}
CHATTER: Mapping[str, tuple[str, ...]] = {
    "A": (
        "Thanks, that looks good.",
        "Hm, let me think about it.",
        "Good morning!",
        "ok go on",
        "Run it again please.",
        "Show me the diff.",
        "Commit this and push.",
        "I'm off for lunch, continue.",
        "Nice work.",
        "What does this function do?",
        "Undo the last change.",
    ),
    "B": (
        "Great, carry on.",
        "hold on a second",
        "Hi there",
        "yes",
        "Try that once more.",
        "Let me see what you changed.",
        "Put it in a commit.",
        "back in an hour",
        "Sweet, that did it.",
        "Explain this line to me.",
        "Take that edit back.",
    ),
}
HYPOTHETICAL: Mapping[str, tuple[str, ...]] = {
    "A": (
        "What if we moved to {v} for {r} one day?",
        "Are we still on {o}?",
        "Would {v} be better for {r}?",
        "I wonder whether {v} would work as the {n}.",
        "Maybe we should look at {v} at some point.",
        "Suppose the {n} were {v}, what would break?",
    ),
    "B": (
        "How hard would it be to have {v} as {n}?",
        "Is {o} still the {n}?",
        "Somebody suggested {v} for {r}, what do you think?",
        "Imagine {v} as {n}: would the build still pass?",
        "Could {v} do {r}, in theory?",
        "Just thinking aloud, {v} might suit {r}.",
    ),
}
ONE_OFF: Mapping[str, tuple[str, ...]] = {
    "A": (
        "Just for this run, set the {n} to {v}.",
        "Try it with {v} once so that we can compare.",
        "For this experiment use {v} for {r}.",
        "Pretend the {n} is {v} in this test.",
    ),
    "B": (
        "Only in this branch, let the {n} be {v} for a moment.",
        "Give {v} a spin, I'll throw it away later.",
        "Temporarily put {v} in as {n} while we debug.",
        "In the mock the {n} can be {v}.",
    ),
}
# What a document says that the operator pastes: of somebody else's project.
PASTED: Mapping[str, tuple[str, ...]] = {
    "A": (
        "Here is the README of the library we evaluate:\n\n```\n# fastlane-kit\nThe {n} is {v}. "
        "Use {v} for {r}.\n```\nIs it worth a look?",
        "From their docs:\n> The {n} must be {v}.\n> Always use {v} for {r}.\nDoes that apply "
        "to us?",
    ),
    "B": (
        "A colleague at another company sent me their notes:\n\n```\n{n} = {v}\nwe rely on {v} "
        "for {r}\n```\nJust for inspiration.",
        "Quoting the vendor:\n> Our {n} is {v}.\n> {v} does {r}.\nWhat do you make of it?",
    ),
}
CLAIMS: Mapping[str, tuple[str, ...]] = {
    "A": (
        "The {n} is {v}.",
        "This project uses {v} for {r}.",
        "I can see that the {n} is set to {v}.",
        "Note that the {n} is {v}, so I'll use that.",
        "Key finding: the {n} is {v}.",
    ),
    "B": (
        "According to the configuration, {v} is the {n}.",
        "As far as I can tell {v} does {r} in this repository.",
        "Important: the {n} appears to be {v}.",
        "The code base relies on {v} for {r}.",
        "I'll go with {v} as {n}.",
    ),
}
JUNK: Mapping[str, tuple[str, ...]] = {
    "A": (
        "Always make sure the code is clean and well tested.",
        "Remember to handle edge cases properly.",
        "The tests pass and the build is green.",
        "Important: the user wants high quality code.",
        "Key finding: the function `run` calls `main`.",
        "The project is a software project with source files.",
        "Note that I have updated the file successfully.",
        "We should always follow best practices.",
    ),
    "B": (
        "Good code needs good names.",
        "The user prefers working software.",
        "Everything compiles without warnings.",
        "Keep in mind that errors should be handled.",
        "The repository contains a `src` folder with the sources.",
        "It is crucial to keep the code maintainable.",
        "All changes were applied as requested.",
        "The module exports several functions.",
    ),
}
TOOL_OUTPUT: Mapping[str, tuple[str, ...]] = {
    "A": (
        "# config.old\n{n}: {v}\nname: demo\n",
        "INFO {r}: {v}\nINFO done in 3.1s\n",
        "README.md:12: The {n} is {v}.\n",
    ),
    "B": (
        'settings.bak\n  "{n}": "{v}"\n',
        "docs/old.md:3: we rely on {v} for {r}\n",
        "WARN using {v} as {n}\nOK\n",
    ),
}
SUMMARIES: Mapping[str, str] = {
    "A": "Done. Here is a summary of what I know about this project:\n\n{lines}",
    "B": "All finished. For the record, the key facts:\n\n{lines}",
}
