"""What stands beside the slots of the simulated year and never changes: a second fact about the
very subject of a slot, and a fact of the same theme with a value of the same kind.

They tempt whoever takes likeness for sameness: "The dev server port is forwarded to the office" is
no other answer to the question which port it is. Some speak of now, as changes do.
"""

from __future__ import annotations

from benchmarks.year_facts import Fixed

# Of one subject: the slot's own noun, another question.
SAME_SUBJECT = (
    Fixed(
        "packages beside",
        ("The package manager runs behind the office proxy now.",),
        ("Our dependency tool talks to the internal mirror now.",),
        ("What does the package manager run behind?",),
        ("What does the dependency tool talk to?",),
    ),
    Fixed(
        "port beside",
        ("The dev server port is forwarded to the meeting room screen.",),
        ("The local server port is open to the test tablets now.",),
        ("Where is the dev server port forwarded to?",),
        ("Who can reach the local server port?",),
    ),
    Fixed(
        "database beside",
        ("The production database is vacuumed every Sunday night.",),
        ("The primary datastore is encrypted at rest now.",),
        ("When is the production database vacuumed?",),
        ("Is the primary datastore encrypted?",),
    ),
    Fixed(
        "tests beside",
        ("The tests run in random order now.",),
        ("The suite is split over four workers.",),
        ("In which order do the tests run?",),
        ("Over how many workers is the suite split?",),
    ),
    Fixed(
        "deadline beside",
        ("The beta deadline was promised to the board.",),
        ("The public launch is announced on the radio.",),
        ("To whom was the beta deadline promised?",),
        ("Where is the public launch announced?",),
    ),
    Fixed(
        "owner beside",
        ("The billing module is covered by an external audit.",),
        ("Invoicing is closed on public holidays now.",),
        ("Who audits the billing module?",),
        ("When is invoicing closed?",),
    ),
    Fixed(
        "staging beside",
        ("Staging is wiped every night.",),
        ("Pre-production is behind the VPN now.",),
        ("When is staging wiped?",),
        ("What is pre-production behind?",),
    ),
    Fixed(
        "timeout beside",
        ("The request timeout is logged with the trace id.",),
        ("The upstream call limit is shown on the status page now.",),
        ("What is logged when a request times out?",),
        ("Where is the upstream call limit shown?",),
    ),
    Fixed(
        "linter beside",
        ("The linter also checks the scripts folder now.",),
        ("The static checker leaves the vendored code out.",),
        ("Which folders does the linter check?",),
        ("What does the static checker leave out?",),
    ),
    Fixed(
        "ci beside",
        ("CI runs on every push to a branch.",),
        ("Our build pipelines post to the team channel now.",),
        ("When does CI run?",),
        ("Where do build pipelines post?",),
    ),
    Fixed(
        "queue beside",
        ("The job queue is drained before a deploy.",),
        ("Async tasks are retried three times now.",),
        ("When is the job queue drained?",),
        ("How often are async tasks retried?",),
    ),
    Fixed(
        "upload beside",
        ("Uploads are scanned for viruses now.",),
        ("Attachments are stored encrypted.",),
        ("What are uploads scanned for?",),
        ("How are attachments stored?",),
    ),
    Fixed(
        "reviewer beside",
        ("Database migrations are rehearsed on a copy of production.",),
        ("Schema changes are announced a day ahead now.",),
        ("Where are migrations rehearsed?",),
        ("When are schema changes announced?",),
    ),
    Fixed(
        "branch beside",
        ("The default branch is protected now.",),
        ("The integration branch is built every hour.",),
        ("Is the default branch protected?",),
        ("How often is the integration branch built?",),
    ),
)
# Of one theme: a value of the same kind, another thing.
SAME_THEME = (
    Fixed(
        "debugger port",
        ("The debugger port is 9229.", "For the debugger it's 9229."),
        ("We have 9229 as port for the debugger.",),
        ("On which port does the debugger listen?",),
        ("Which port has the debugger?",),
    ),
    Fixed(
        "analytics database",
        ("The analytics database is ClickHouse 24.",),
        ("ClickHouse 24 is what reporting runs on now.",),
        ("Which database does analytics use?",),
        ("What does reporting run on?",),
    ),
    Fixed(
        "end-to-end tests",
        ("Run the end-to-end tests with npx playwright test.",),
        ("npx playwright test checks the whole site.",),
        ("How do I run the end-to-end tests?",),
        ("Which command checks the whole site?",),
    ),
    Fixed(
        "invoice deadline",
        ("The deadline for expense claims is the 5th.",),
        ("Expense claims are due on the 5th.",),
        ("What is the deadline for expense claims?",),
        ("When are expense claims due?",),
    ),
    Fixed(
        "owner of search",
        ("Ngozi owns the search module.",),
        ("Ngozi looks after the search code.",),
        ("Who owns the search module?",),
        ("Who looks after search?",),
    ),
    Fixed(
        "demo url",
        ("The demo URL is https://demo.acme.example.",),
        ("You'll find the demo at https://demo.acme.example now.",),
        ("What is the demo URL?",),
        ("Where is the demo?",),
    ),
    Fixed(
        "lock timeout",
        ("The lock timeout is 2 seconds now.",),
        ("A row lock is waited for 2 seconds.",),
        ("What is the lock timeout?",),
        ("How long is a row lock waited for?",),
    ),
    Fixed(
        "mutation score",
        ("The mutation score must be 60%.",),
        ("We demand a mutation score of 60%.",),
        ("Which mutation score is required?",),
        ("What mutation score do we demand?",),
    ),
    Fixed(
        "formatter",
        ("We use dprint for formatting.",),
        ("Formatting happens with dprint now.",),
        ("What do we format the code with?",),
        ("What does the formatting?",),
    ),
    Fixed(
        "error tracker",
        ("The error tracker is GlitchTip.",),
        ("GlitchTip collects our crashes now.",),
        ("Which error tracker do we use?",),
        ("What collects crashes?",),
    ),
    Fixed(
        "cache",
        ("The page cache is Varnish.",),
        ("Varnish does the page caching.",),
        ("What is the page cache?",),
        ("What does the page caching?",),
    ),
    Fixed(
        "avatar limit",
        ("The avatar limit is 2 MB now.",),
        ("A profile picture may have 2 MB.",),
        ("What is the avatar limit?",),
        ("How large may a profile picture be?",),
    ),
    Fixed(
        "retention of backups",
        ("Backups are kept for 35 days.",),
        ("We keep backups for 35 days now.",),
        ("How long are backups kept?",),
        ("What is the lifetime of a backup?",),
    ),
    Fixed(
        "reviewer of copy",
        ("Sanne reviews texts that customers read.",),
        ("Texts for customers go past Sanne.",),
        ("Who reviews texts for customers?",),
        ("Past whom do texts for customers go?",),
    ),
)
