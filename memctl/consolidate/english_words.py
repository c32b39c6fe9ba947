"""General English as comparison needs it. Data only.

Irregular forms, words that say the same, broader words, contraries. The lists are common knowledge,
kept by hand and small on purpose: a word net would be far more exact about words that no memory
holds, and weigh ten megabytes. A word missing here loses a merge; a wrong one merges two facts, so
words that are alike only sometimes stay out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def _split_lines(text: str) -> Iterator[list[str]]:
    return (words for part in text.split("/") if (words := part.split()))


def _map_to_first(text: str) -> dict[str, str]:
    """Each word of a group to the first one."""
    return {word: first for first, *rest in _split_lines(text) for word in rest}


def _map_broader(text: str) -> dict[str, frozenset[str]]:
    """Each word before a `>` to the words after it, in all groups that name it."""
    found: dict[str, set[str]] = {}
    for kinds, _, above in (part.partition(">") for part in text.split("/")):
        for word in kinds.split():
            found.setdefault(word, set()).update(above.split())
    return {word: frozenset(above) for word, above in found.items()}


def read_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of words written as `left/right`."""
    return tuple((left, right) for left, _, right in (pair.partition("/") for pair in text.split()))


# Base form, then the forms that no rule leads to.
IRREGULAR: Mapping[str, str] = _map_to_first(
    """eat ate eaten / drink drank drunk / ride rode ridden / drive drove driven / write wrote
    written / rewrite rewrote rewritten / take took taken / give gave given / hold held / run ran /
    sing sang sung / swim swam swum / stand stood / sit sat / speak spoke spoken / say said / tell
    told / fall fell fallen / fly flew flown / grow grew grown / know knew known / throw threw
    thrown / draw drew drawn / wear wore worn / break broke broken / choose chose chosen / freeze
    froze frozen / keep kept / lose lost / make made / meet met / pay paid / send sent / sell sold /
    buy bought / bring brought / catch caught / teach taught / think thought / build built / spend
    spent / go went gone / begin began begun / win won / lead led / feed fed / hide hid hidden / dig
    dug / hang hung / find found / get got gotten / see seen / shake shook shaken / steal stole
    stolen / strike struck / leap leapt / lie lying / lay laid / hear heard / feel felt / mean meant
    / rise rose risen / sleep slept / sweep swept / shoot shot / fight fought / seek sought / become
    became / forget forgot forgotten / show shown / bite bit bitten / blow blew blown / ring rang
    rung / sink sank sunk / wake woke woken / man men / woman women / child children / mouse mice /
    foot feet / tooth teeth / knife knives / life lives / shelf shelves / wolf wolves / half halves
    / thief thieves / person people persons / index indices / criterion criteria / analysis analyses
    / vertex vertices"""
)

# Words that say the same in nearly every statement that both can stand in.
ALIKE: Mapping[str, str] = _map_to_first(
    """woman lady / man guy gentleman / person someone somebody / child kid / baby infant / cut
    slice chop / large big huge enormous / small little tiny / fast quick rapid quickly rapidly /
    talk speak / throw hurl toss / put place / jump leap / hit strike / outside outdoors outdoor /
    inside indoors indoor / road street / car automobile / bicycle bike / motorcycle motorbike /
    picture photo photograph / television tv / phone telephone / elderly elder / shout yell scream /
    watch observe / close shut / start begin commence launch / end finish conclude / sea ocean /
    stone rock / wood woods wooded / buy purchase / near beside nearby / sofa couch / garbage trash
    rubbish / film movie / answer reply respond / ask request / lawyer attorney / doctor physician /
    company firm corporation / help assist / error fault / bug defect / fix repair / show display /
    choose select pick / get obtain receive / keep store retain save / write implement / fetch
    retrieve / check verify / build compile / change alter modify / employee worker / allow permit /
    forbid prohibit disallow ban / maximum max / minimum min / timestamp time / standup stand-up /
    favorite favourite / wrong incorrect / fall decline drop decrease / rise increase gain / say
    state announce declare / injure hurt wound / police cop / jail prison / pc computer / need
    require / straight directly direct / approximately roughly / often frequently / several multiple
    / entire whole / hard difficult / simple easy / team squad / stage onstage / gear equipment /
    hike trek"""
)

# Words, then what they are a kind of: who denies the broader denies the narrower too.
BROADER: Mapping[str, frozenset[str]] = _map_broader(
    """man woman child boy girl baby player doctor worker soldier singer dancer surfer rider racer
    biker climber goalkeeper > person / boy girl baby > child / father brother > man / mother sister
    > woman / goalkeeper > player / dog cat horse monkey bird fish snake > animal / puppy > dog /
    kitten > cat / guitar piano flute violin drum trumpet > instrument / pizza bread meat fruit
    vegetable pasta cake apple banana lemon > food / apple banana lemon orange > fruit / tomato
    potato carrot onion pepper > vegetable / doll ball > toy / car truck bus bicycle motorcycle >
    vehicle / motorcycle > bicycle / axe knife saw hammer > tool / sprint jog > run / stare glance
    observe watch check > look / grill fry boil bake > cook / whisper > talk / strum > play / devour
    gnaw > eat / pistol rifle > gun / rose tulip > flower / oak pine > tree"""
)

# Opposites that cannot both be said of one doing or state. What only tells two things apart (left
# and right, first and second, a young man and an old one) is not among them.
CONTRARIES: tuple[tuple[str, str], ...] = read_pairs(
    """outside/inside grant/deny grant/refuse accept/refuse accept/reject approve/reject hit/miss
    crowded/empty crowded/deserted full/empty reveal/conceal reveal/hide show/hide conceal/show
    love/hate like/hate like/dislike enjoy/hate awake/asleep alive/dead alone/together wet/dry
    loud/quiet loudly/quietly silent/loud sunny/rainy happy/sad happily/sadly slowly/fast open/close
    open/closed lock/unlock raise/lower win/lose arrive/depart remember/forget increase/decrease
    rise/fall enable/disable succeed/fail pass/fail lift/drop fill/empty sit/stand sit/run stand/run
    stand/walk lie/run sleep/run sleep/play sleep/eat mandatory/optional required/optional
    valid/invalid safe/unsafe synchronous/asynchronous sync/async mutable/immutable
    possible/impossible legal/illegal visible/invisible hidden/visible online/offline busy/idle
    strict/lenient always/never single/double ascending/descending uppercase/lowercase
    encrypted/unencrypted plaintext/encrypted short/long brief/long terse/verbose manual/automatic
    manually/automatically dark/light clean/dirty cheap/expensive easy/hard correct/wrong true/false
    enabled/disabled allowed/forbidden allow/forbid"""
)
# The same for a verb and its particle, written as one word.
PHRASAL_CONTRARIES: tuple[tuple[str, str], ...] = read_pairs(
    """put-on/take-off turn-on/turn-off switch-on/switch-off get-on/get-off go-up/go-down
    climb-up/climb-down walk-up/walk-down go-in/go-out pick-up/put-down"""
)

# Words in -ly that are no manner: left out, they change what is said.
NO_MANNER = frozenset(
    """daily weekly monthly yearly hourly nightly quarterly early only family reply apply assembly
    friendly likely unlikely supply italy mostly partly nearly hardly rarely barely fully partially
    wholly entirely exclusively locally remotely globally publicly privately manually automatically
    internally externally directly temporarily permanently initially finally formerly recently
    currently optionally conditionally separately individually jointly synchronously asynchronously
    readonly read-only""".split()
)
