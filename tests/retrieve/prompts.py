"""Invented memories of one operator in four projects, prompts that each call for one of them, and
prompts that call for none.

`DEV` may be tuned on. `HELD` may not: it is asked only to see whether what was tuned on the other
half holds. Both halves live in one store, so that each is noise to the other. A prompt's grade says
how far it is from its memory: `words` shares the telling words, `forms` has them only inflected, in
part or among much else, `sense` means the same in other words, which only vectors can see.
"""

# ruff: noqa: E501 - one memory and its prompts a line
from __future__ import annotations

from dataclasses import dataclass, field

WORDS, FORMS, SENSE = "words", "forms", "sense"


@dataclass(frozen=True, slots=True)
class Told:
    """One memory and the prompts that call for it, each with its grade."""

    project: str
    kind: str
    text: str
    prompts: tuple[tuple[str, str], ...]
    why: str | None = None
    type: str = field(default="project")


@dataclass(frozen=True, slots=True)
class Half:
    """What is remembered, what is asked about it, and what is asked about nothing in it."""

    memories: tuple[Told, ...]
    unrelated: tuple[str, ...]

    def related(self, *grades: str) -> list[tuple[Told, str]]:
        """Each prompt of these grades (all, when none is named) with the memory that it calls
        for.
        """
        return [
            (told, text)
            for told in self.memories
            for grade, text in told.prompts
            if not grades or grade in grades
        ]


PROFILE = (
    "Answer in German when I write German; code comments stay English.",
    "I review every pull request myself before it is merged.",
    "I prefer tabs over spaces in Makefiles only; four spaces elsewhere.",
    "Never push to the main branch without asking me.",
)
ALWAYS = "Be brief: no more than five sentences unless I ask for more."

_MILL = (
    Told("mill", "command", "Tests run with `pytest -q -x --numprocesses=2`; the grinder suite needs the GRIND_DB "
        "variable.",
         ((WORDS, "run the tests of the grinder suite"), (WORDS, "how do I run pytest in this repo?"))),
    Told("mill", "fact", "The staging server is reached over ssh through the bastion host at jump.mill.example.",
         ((WORDS, "log into the staging server and look at the disk"), (WORDS, "which bastion do I use for ssh?"))),
    Told("mill", "decision", "We chose PostgreSQL over MongoDB for orders because we need transactions across tables.",
         ((WORDS, "should we move the orders to MongoDB?"), (WORDS, "why did we pick PostgreSQL for orders")), type="decision"),
    Told("mill", "convention", "Releases are tagged with calendar versions such as 2026.3.1 and signed with the "
        "release key.",
         ((FORMS, "tag a new release"), (FORMS, "what version scheme do our releases use?"))),
    Told("mill", "fact", "The flour importer drops rows with a negative weight; that is intended and must stay.",
         ((WORDS, "the flour importer loses some rows, please fix that"), (FORMS, "negative weight in imported rows"))),
    Told("mill", "constraint", "Deployments go out through the Helm chart in deploy/mill; never kubectl apply by hand.",
         ((FORMS, "deploy the current build with kubectl"), (WORDS, "where is the Helm chart?"))),
    Told("mill", "fact", "The session cookie is named mill_sid and lives twelve hours.",
         ((WORDS, "users are logged out too early, check the session cookie"), (WORDS, "how long does the session cookie live?"))),
    Told("mill", "constraint", "Invoices are rounded per line, half to even, as the auditor demanded.",
         ((FORMS, "the invoice totals are off by one cent, check the rounding"), (FORMS, "rounding rules for invoices"))),
    Told("mill", "fact", "The nightly backup writes to the bucket mill-backups in Frankfurt and is kept for "
        "ninety days.",
         ((FORMS, "restore last night's backup"), (WORDS, "in which bucket are the backups?"))),
    Told("mill", "fact", "Feature flags are read from flags.toml at start; there is no runtime toggle.",
         ((FORMS, "add a feature flag for the new checkout"), (WORDS, "can we toggle flags at runtime?"))),
    Told("mill", "fix", "The CI pipeline caches wheels under the key of uv.lock; a stale cache shows as a "
        "missing typing_extensions.",
         ((WORDS, "CI fails with missing typing_extensions"), (WORDS, "the pipeline cache seems stale"))),
    Told("mill", "fact", "Customer names are normalised to NFC before they are compared.",
         ((FORMS, "two customers with the same name are not matched, umlauts again"),
          (FORMS, "normalise customer names before comparing"))),
    Told("mill", "fact", "The websocket gateway closes idle connections after 55 seconds, because the proxy cuts "
        "at 60.",
         ((WORDS, "the websocket disconnects about every minute"), (WORDS, "idle timeout of the gateway"))),
    Told("mill", "command", "Translations live in locale/*.po and are compiled by `make locale`.",
         ((WORDS, "update the German translations"), (WORDS, "how are the po files compiled?"))),
    Told("mill", "fact", "The thumbnails are rendered by the imgproxy container, not by the web application.",
         ((WORDS, "thumbnails look blurry since Monday"), (FORMS, "which container renders thumbnails?"))),
    Told("mill", "constraint", "Migrations must be reversible and run in under ten seconds on the orders table.",
         ((FORMS, "write a migration that adds a column to orders"), (FORMS, "rules for database migrations"))),
)  # fmt: skip
_PANTRY = (
    Told("pantry", "command", "Start the dev stack with `make up`; the seed recipes come from `manage.py load_recipes "
        "--sample`.",
         ((WORDS, "load the sample recipes into my local stack"), (SENSE, "how do I get everything running on my laptop?"))),
    Told("pantry", "decision", "Shopping lists sync through CRDTs (Yjs) rather than last-write-wins.",
         ((WORDS, "why are we using Yjs for the shopping lists?"), (FORMS, "add syncing to the shopping list screen"),
          (SENSE, "two people edit the same groceries offline, how do we reconcile that?")),
         why="Two people in one shop kept overwriting each other's ticks.", type="decision"),
    Told("pantry", "constraint", "Allergen data must never be guessed: a missing allergen field is shown as unknown, not "
        "as safe.",
         ((WORDS, "what do I show when the allergen field is missing?"), (FORMS, "fill in allergens for recipes that have none"))),
    Told("pantry", "fix", "Safari shows a blank page when the service worker caches the login redirect; exclude "
        "/auth from the worker.",
         ((WORDS, "blank page in Safari after login"), (FORMS, "the service workers cache too much, look at that"))),
    Told("pantry", "convention", "React components are function components with named exports; no default exports.",
         ((WORDS, "create a React component for the meal planner"), (FORMS, "should I export the component as default?"))),
    Told("pantry", "fact", "Nutrition values come from the CoFID tables, imported each January by Priyanka.",
         ((WORDS, "where do the nutrition values come from?"), (SENSE, "who updates the calorie data?"))),
    Told("pantry", "workflow", "Copy changes go to Lokalise first; strings edited in the repo are overwritten at the "
        "next pull.",
         ((WORDS, "edit the strings on the onboarding page"), (SENSE, "my wording fix vanished again after a day"))),
    Told("pantry", "correction", "Quantities are stored in grams and millilitres; cups exist only in the display layer.",
         ((FORMS, "store the quantity of flour in cups"), (SENSE, "which units does the database use for ingredients?"))),
    Told("pantry", "fact", "Push notifications are sent by the herald service through OneSignal, at most two a day.",
         ((WORDS, "send a push notification when milk runs out"), (SENSE, "users complain that we bother their phones too often"))),
    Told("pantry", "todo", "Replace moment.js by Temporal once the polyfill is under 20 kB.",
         ((WORDS, "can we drop moment.js?"), (FORMS, "what is the status of the Temporal polyfills"))),
    Told("pantry", "fact", "The barcode scanner uses zxing-wasm; it fails on iOS below 16.4 because of missing "
        "SIMD.",
         ((WORDS, "the barcode scanner does not work on an old iPhone"), (FORMS, "upgrade zxing to the newest release"))),
    Told("pantry", "preference", "In this project I want Playwright for end-to-end tests, not Cypress.",
         ((WORDS, "write an end-to-end test for sign-up"), (SENSE, "which browser automation framework should I pick here?"))),
)  # fmt: skip
_ORRERY = (
    Told("orrery", "command", "Flash the mount controller with `probe-rs run --chip STM32H743` over the blue debug "
        "cable.",
         ((WORDS, "flash the new build onto the controller"),
          (WORDS, "what colour is the debug cable?"), (FORMS, "which chip name does probe-rs need for flashing?"),
          (SENSE, "put the firmware on the board"))),
    Told("orrery", "decision", "Pointing maths uses quaternions, not Euler angles.",
         ((WORDS, "would Euler angles make the pointing code simpler?"),
          (WORDS, "why did we drop Euler angles?"), (FORMS, "refactor the quaternion helper"),
          (SENSE, "how do we represent rotations?")),
         why="Near the zenith the angles lock up and the axis runs away.", type="decision"),
    Told("orrery", "constraint", "No heap allocation inside the motor interrupt; it has to return within 40 microseconds.",
         ((WORDS, "can I push into a Vec inside the motor interrupt?"),
          (FORMS, "are 60 microseconds in an interrupt too long?"), (FORMS, "add logging to the motor interrupts"),
          (SENSE, "is it ok to call Box::new in the ISR?"))),
    Told("orrery", "fix", "Garbled serial output came from a 25 MHz crystal configured as 8 MHz in clocks.rs.",
         ((WORDS, "serial output is garbled again"),
          (WORDS, "which crystal is on the board?"), (FORMS, "look whether the crystals are configured right"),
          (SENSE, "the uart prints nonsense characters"))),
    Told("orrery", "fact", "The encoder on the declination axis counts backwards, so its sign is flipped in "
        "axis.rs.",
         ((WORDS, "the declination axis moves the wrong way"), (FORMS, "why does axis.rs flip signs?"))),
    Told("orrery", "fact", "Star positions come from the Tycho-2 catalogue, packed by tools/pack_stars.py into "
        "stars.bin.",
         ((WORDS, "rebuild stars.bin"),
          (WORDS, "is there something newer than the Tycho-2 catalogue"), (FORMS, "how was the star catalogue packed?"))),
    Told("orrery", "convention", "Angles are radians everywhere inside; degrees appear only at the command line.",
         ((WORDS, "does this function take degrees or radians?"), (FORMS, "add a parameter for the slew angle"))),
    Told("orrery", "workflow", "Hardware-in-the-loop tests run on the rig in Tomasz's garage; book it in the shared "
        "calendar.",
         ((WORDS, "run the hardware-in-the-loop tests tonight"),
          (WORDS, "book the rig for Thursday"), (SENSE, "how can I try this on a real device?"))),
    Told("orrery", "correction", "The guide camera is a ZWO ASI120, not the ASI178 that the old wiki names.",
         ((WORDS, "which guide camera do we have?"), (FORMS, "set the gain of the ASI120"))),
    Told("orrery", "todo", "Measure the backlash of the worm gear again after the winter.",
         ((WORDS, "what about the backlash of the worm gear?"), (FORMS, "compensate for gear backlash in the tracking loop"))),
    Told("orrery", "pointer", "The schematics are in the KiCad project under hw/rev-c; rev-b is obsolete.",
         ((WORDS, "open the KiCad project"), (SENSE, "where do I find the circuit diagrams?"))),
    Told("orrery", "constraint", "The parking position must stay below 15 degrees altitude, or the dome shutter hits the "
        "tube.",
         ((WORDS, "change the parking position"),
          (FORMS, "how low must the telescope be parked?"), (FORMS, "let the telescope park itself straight up"),
          (SENSE, "can the roof close while the scope points up?"))),
)  # fmt: skip
_FERRY = (
    Told("ferry", "command", "Replay a day of sailings with `go run ./cmd/replay -day 2026-02-14 -topic sailings`.",
         ((WORDS, "replay yesterday's sailings"), (FORMS, "I need to replay the topic for one day"))),
    Told("ferry", "decision", "Timetables are stored as GTFS in object storage; we gave up on our own schema.",
         ((WORDS, "where are the timetables stored?"),
          (WORDS, "can we have our own schema for timetables?"), (FORMS, "design a schema for the timetable")),
         why="Every port already publishes GTFS and our converter never matched theirs.", type="decision"),
    Told("ferry", "constraint", "Passenger names must not leave the EU region; the analytics topic carries only hashed "
        "ids.",
         ((WORDS, "add the passenger name to the analytics topic"), (FORMS, "may we hash passengers' names?"),
          (SENSE, "can I log who is on board to our American warehouse?"))),
    Told("ferry", "fix", "Consumer lag after a rebalance was cured by cooperative-sticky assignment in "
        "kafka.yaml.",
         ((WORDS, "the consumer lag grows after every rebalance"), (FORMS, "rebalancing makes our consumers lag"))),
    Told("ferry", "fact", "The harbour of Ystad reports times in local time without an offset; we add "
        "Europe/Stockholm on ingest.",
         ((WORDS, "times from Ystad are off by an hour"),
          (WORDS, "does Ystad send a UTC offset"), (SENSE, "arrivals in one Swedish port look wrong in summer"))),
    Told("ferry", "convention", "Errors are wrapped with %w and logged once, at the edge; never log and return.",
         ((WORDS, "should I log the error here and return it?"), (FORMS, "wrap the errors in the parser"))),
    Told("ferry", "workflow", "Hotfixes branch from the live tag, get two approvals and ship before 15:00 on weekdays.",
         ((WORDS, "I need to ship a hotfix"),
          (FORMS, "how many approvals does a hotfix need?"), (SENSE, "production is broken on Friday evening, can I release a patch?"))),
    Told("ferry", "fact", "The price engine is owned by team Lighthouse; ask Ingrid before changing its protobufs.",
         ((WORDS, "change the protobuf of the price engine"),
          (WORDS, "who is in team Lighthouse?"), (FORMS, "who owns the engine that computes prices?"),
          (SENSE, "add a discount field to the fare message"))),
    Told("ferry", "fact", "Delay predictions come from a LightGBM model retrained every Sunday at 03:00.",
         ((WORDS, "when is the delay model retrained?"), (FORMS, "the predicted delays are bad since the weekend"),
          (SENSE, "how do we estimate how late a ship will be?"))),
    Told("ferry", "preference", "Dashboards for this team are built in Grafana with the teal palette; no pie charts.",
         ((WORDS, "build a dashboard for bookings"),
          (FORMS, "is a pie chart ok here"), (SENSE, "visualise cancellations for the team"))),
    Told("ferry", "fix", "error E1407 from the berth API means that the certificate expired; renew it with "
        "`certs renew berth`.",
         ((WORDS, "we get E1407 from the berth API"),
          (WORDS, "the certificate of the berth API expired, what now?"), (FORMS, "renew the berth certificates"),
          (SENSE, "TLS handshake with the quay service fails"))),
    Told("ferry", "idea", "Show a calm-sea forecast beside each departure so that seasick travellers can choose.",
         ((WORDS, "put the sea forecast next to departures"), (SENSE, "what could we do for people who get sick on waves?"))),
)  # fmt: skip

_UNRELATED_DEV = (
    "write a haiku about autumn", "what is the capital of Mongolia?", "explain how a transformer network attends to tokens",
    "convert 72 degrees fahrenheit to celsius", "sort this list of integers in Haskell", "draw an ASCII cat",
    "what does the borrow checker complain about here?", "summarise the plot of Moby Dick", "make me a regex for phone digits",
    "center a div vertically with flexbox", "implement quicksort in Rust", "which planets have rings?",
    "refactor this bash loop into xargs", "how does TCP congestion control work?", "write a limerick about compilers",
    "generate a random password of 20 characters", "what is a monad?", "solve x^2 - 5x + 6 = 0", "rename the variable foo to bar",
    "is Python faster than Lua?", "plot a sine wave in matplotlib", "give me a riddle for children", "translate 'good evening' into Welsh",
    "explain Dijkstra's algorithm", "play tic-tac-toe with me", "how tall is Mount Kenya?", "count the vowels in this sentence",
    "create a Dockerfile for a Go hello world", "what's the difference between a mutex and a semaphore?", "write a poem for my sister",
    "why is the sky blue?", "fix the indentation of this snippet", "how do I exit vim?", "show me the Fibonacci sequence",
    "what are the SOLID principles?", "parse an RSS feed in Perl", "compare Svelte and Solid", "write a bubble shader in GLSL",
    "what is the airspeed of a swallow?", "continue", "yes, go ahead", "thanks, that looks good", "please make the button bigger",
    "open the readme", "what did you just change?", "undo that", "add a comment above this function", "looks wrong, try another way",
    "how many bytes are in a mebibyte?", "simulate Conway's game of life",
)  # fmt: skip
_UNRELATED_HELD = (
    "will it rain in Lisbon tomorrow?", "tell me a joke about penguins", "fix the failing test", "write a commit message",
    "who painted the Night Watch?", "why won't this compile", "ok do it", "what does this stack trace mean?", "make it faster",
    "how do I reverse a linked list", "give me three names for a guinea pig", "what's the boiling point of ethanol",
    "rewrite this paragraph in a friendlier tone", "explain closures in JavaScript", "how many moons does Jupiter have?",
    "please clean up this file a bit", "split this into smaller functions", "add type hints", "I'm getting a null pointer exception",
    "what is the plural of octopus", "suggest a birthday present for my dad", "how do I undo the last git commit?",
    "what's the time complexity of merge sort", "explain this regex to me: ^(\\w+)\\s*=", "no, the other one", "stop", "why?",
    "let's start over", "who invented the zipper?", "translate this into Portuguese: where is the station?",
    "write a bash one-liner to find large files", "how do I vertically align text in CSS", "what is the GDP of Peru?",
    "compose a lullaby", "recommend a novel by a Nigerian author", "is a tomato a fruit?", "how does photosynthesis work",
    "write unit tests for this class", "what's new in Python 3.13?", "difference between let and const", "help",
    "show me the diff", "run it again", "push the button on the third slide", "explain the CAP theorem",
    "which chess opening suits a beginner?",
    "what should I cook with lentils and spinach?", "how long do hamsters live", "convert this JSON to CSV", "rename this class",
    "what happens when I type a URL into the browser?", "teach me the basics of knitting", "who won the 1998 World Cup?",
    "add a docstring", "that didn't work", "what does SIGSEGV mean",
)  # fmt: skip

DEV = Half((*_MILL, *_PANTRY), _UNRELATED_DEV)
HELD = Half((*_ORRERY, *_FERRY), _UNRELATED_HELD)
