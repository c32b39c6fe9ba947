"""The plainest shapes in which a change is said in other languages, as templates. Data.

`{old}` and `{new}` are some words of one clause, `~` a few words between. The first template that
fits is the reading; what takes something back, or goes back to what held, names neither.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later
from memctl.text.change_patterns import ChangeSort

_CLAUSE = r"[^\s.,;:!?()。，；：！？、؛،]"
_SPACED = rf"{_CLAUSE}+(?:[.:]\w+)*(?: {_CLAUSE}+(?:[.:]\w+)*){{0,4}}?"
_SPACED_END = (
    r"(?=\s*(?:$|[.,;:!?()؛،])| (?:und|weil|für|ab|im|in|bei|mehr|y"
    r"|en|porque|para|pero|et|parce|pour"
    r"|mais|e|em|um|mas|aber|и|потому|для|в|но|لأن|في)\b)"
)
_UNSPACED = r"[^\s.,;:!?()。，；：！？、]{1,24}?"
_UNSPACED_END = (
    r"(?=\s*(?:$|[.,;:!?()。，；：！？、]|了|吧|来|に|で|へ|を|します|する|ください|로|으로"
    r"|를|을|는|은|합니다|해|하자))"
)

# By language: the templates of a change, of what is taken back, and of what goes back to before.
TEMPLATES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "de": (
        (
            r"(?:wechsel\w*|steig\w*|zieh\w*|stell\w*|migrier\w*|geh\w*|verschieb\w*"
            r"|verleg\w*)(?: \S+){0,3}? von {old} (?:auf|zu|zum|nach) {new}",
            r"(?:ersetz\w*|tausch\w*) {old} (?:durch|gegen) {new}",
            r"{old} (?:wird|werden|ist|sind) durch {new} (?:ersetzt|abgelöst)",
            r"(?:nicht|kein\w*)(?: mehr)? {old}(?: mehr)?,? sondern {new}",
            r"kein\w* {old} mehr, {new}",
            r"(?:an)?statt {old} (?:nehmen|nutzen|verwenden|machen) wir {new}",
            r"{new} (?:an)?statt {old}",
            r"{new},? (?:und )?nicht mehr {old}",
            r"{old} (?:ist|sind) (?:raus|tot|vom tisch|geschichte|veraltet|zu \w+),? (?:wir "
            r")?(?:nehmen|nutzen|verwenden) (?:wir )?{new}",
        ),
        (
            r"vergiss (?:das|es)",
            r"streich das",
            r"(?:das )?nehm(?:e)? ich zurück",
            r"(?:ach )?doch nicht",
        ),
        (
            r"(?:bleiben wir|wir bleiben|bleib) (?:beim alten|bei dem,? was wir hatten)",
            r"lass (?:es|alles) (?:so,? )?wie es war",
            r"zurück zum alten",
        ),
    ),
    "es": (
        (
            r"(?:cambi\w*|pas\w*|migr\w*|mov\w*|mud\w*)(?: \S+){0,3}? de {old} a {new}",
            r"(?:reemplaz\w*|sustitu\w*|cambi\w*) {old} por {new}",
            r"no {old},? sino {new}",
            r"ya no (?:usamos )?{old},? (?:ahora|sino)(?: usamos)? {new}",
            r"{new} en (?:lugar|vez) de {old}",
        ),
        (r"olv[ií]da(?:lo|te)?(?: de)?(?: eso)?", r"descarta eso", r"retiro lo dicho"),
        (
            r"d[eé]j(?:alo|émoslo|a todo) como estaba",
            r"(?:volvamos|volvemos) a lo (?:de antes|que ten[ií]amos)",
        ),
    ),
    "fr": (
        (
            r"(?:pass\w*|chang\w*|migr\w*|bascul\w*)(?: \S+){0,3}? de {old} (?:à|vers) {new}",
            r"(?:remplac\w*|remplaç\w*) {old} par {new}",
            r"(?:non )?pas {old},? mais {new}",
            r"plus de {old}, {new}",
            r"{new} (?:au lieu|à la place) (?:de |d')(?:la |le |l')?{old}",
        ),
        (r"oublie (?:ça|cela)", r"laisse tomber", r"annule (?:ça|cela)"),
        (
            r"(?:laisse|laissons) comme (?:avant|c'était)",
            r"(?:restons|on reste) (?:avec|sur) ce qu'on avait",
        ),
    ),
    "pt": (
        (
            r"(?:mud\w*|troc\w*|migr\w*|pass\w*)(?: \S+){0,3}? de {old} para {new}",
            r"(?:substitu\w*|troc\w*) {old} por {new}",
            r"não {old},? (?:mas|e sim) {new}",
            r"{new} em (?:vez|lugar) de {old}",
        ),
        (r"esque(?:ce|ça) isso", r"deixa pra lá", r"retiro o que disse"),
        (r"deix[ae] como estava", r"(?:voltamos|vamos voltar) ao que tínhamos"),
    ),
    "ru": (
        (
            r"(?:переход\w*|переш\w*|перейд\w*|переезж\w*|мен\w*|перенос\w*|перенес\w*)(?: "
            r"\S+){0,3}? с[о]? {old} на {new}",
            r"(?:замен\w*|меня\w*) {old} на {new}",
            r"не {old}, а {new}",
            r"вместо {old} (?:используем|берём|берем|будет|теперь) {new}",
            r"{new} вместо {old}",
        ),
        (r"забудь(?: это| об этом)?", r"отмени это", r"беру слова назад"),
        (r"(?:остав\w*|пусть будет) как было", r"верн[её]мся к тому, что было"),
    ),
    "zh": (
        (
            r"从{old}(?:改|换|切换|迁移|转|改用|换成)(?:到|成|为|用)?{new}",
            r"把{old}(?:换|改|替换)(?:成|为){new}",
            r"用{new}(?:代替|替代|取代|替换){old}",
            r"不(?:再)?用{old}了?[，,] ?(?:改|换)?用{new}",
            r"不是{old}[，,] ?(?:而)?是{new}",
        ),
        (r"算了", r"当我没说", r"刚才(?:说的)?(?:不算|作废)"),
        (r"(?:还是)?(?:用|保持)原来的", r"保持原样"),
    ),
    "ja": (
        (
            r"{old}から{new}に(?:変更|切り替|移行|変え|乗り換)",
            r"{old}をやめて、?{new}(?:に|を)",
            r"{old}の代わりに、?{new}",
            r"{old}(?:ではなく|じゃなくて|でなく)て?、?{new}",
        ),
        (r"(?:今|さっき)のは?(?:なし|忘れて|取り消)", r"やっぱり(?:なし|やめ)"),
        (r"元のまま", r"元に戻"),
    ),
    "ko": (
        (
            r"{old}에서 {new}(?:으)?로 (?:바꾸|바꿔|변경|전환|옮기|이전)",
            r"{old} 대신(?:에)? {new}",
            r"{old} 말고 {new}",
            r"{old}(?:이|가) 아니라 {new}",
        ),
        (r"(?:방금|그거|아까).{0,8}(?:취소|잊어)", r"없던 (?:걸|일)로"),
        (r"원래대로", r"그대로 두"),
    ),
    "ar": (
        (
            r"(?:ننتقل|انتقلنا|نغير|غيرنا|نحول|سننتقل)(?: \S+){0,3}? من {old} إلى {new}",
            r"(?:نستبدل|استبدلنا|استبدل) {old} (?:ب|بـ ?){new}",
            r"ليس {old}،? بل {new}",
            r"{new} بدلا?ً? (?:من|عن) {old}",
        ),
        (r"انس (?:ذلك|هذا)", r"ألغ (?:ذلك|هذا)"),
        (r"نبقى على ما كان", r"اتركه كما كان"),
    ),
}
# Scripts that put no blanks between words.
_WITHOUT_BLANKS = ("zh", "ja", "ko")
# What only these languages' changes hold: most texts are passed over by one search.
MAY_CHANGE = compile_later(
    r"\b(?:von|durch|sondern|statt|anstatt|mehr|vergiss|streich|beim alten|zurück|doch nicht"
    r"|wie es war"
    r"|por|sino|en lugar|en vez|de|olv[ií]da\w*|descarta|como estaba|par|mais|au lieu|à la place"
    r"|oublie"
    r"|laisse|annule|em vez|em lugar|esque\w+|deix[ae]|вместо|на|а|забудь|отмени|как было)\b"
    r"|[从把代替取换改算原]|から|代わり|なく|やめ|元|에서|대신|말고|아니라|취소|원래|من|بدل|بل|انس|ألغ|نبقى",
    re.IGNORECASE,
)


# Longer sentences say something of their own: characters, in scripts without blanks and others.
_LONGEST_DENSE = 14
_LONGEST = 48
# By what script a language is known, the narrower first.
_SCRIPTS = (
    ("ja", compile_later(r"[\u3041-\u30ff]")),
    ("ko", compile_later(r"[\uac00-\ud7a3]")),
    ("zh", compile_later(r"[\u3400-\u9fff]")),
    ("ru", compile_later(r"[\u0400-\u04ff]")),
    ("ar", compile_later(r"[\u0621-\u064a]")),
)
_LATIN = ("de", "es", "fr", "pt")


def list_languages(text: str) -> tuple[str, ...]:
    """The languages that a text can be in: the one of its script, or those in Latin letters."""
    if text.isascii():
        return _LATIN
    found = next((code for code, script in _SCRIPTS if script.search(text)), "")
    return (found,) if found else _LATIN


def find_longest_return(text: str) -> int:
    """The most characters of a sentence that does nothing but take something back."""
    return _LONGEST_DENSE if list_languages(text)[0] in _WITHOUT_BLANKS else _LONGEST


@lru_cache(maxsize=16)
def compile_templates(code: str) -> tuple[tuple[ChangeSort, re.Pattern[str]], ...]:
    """The patterns of one language with what they say: changes, takes_back, returns."""
    spaced = code not in _WITHOUT_BLANKS
    piece, end = (_SPACED, _SPACED_END) if spaced else (_UNSPACED, _UNSPACED_END)

    def translate(template: str) -> str:
        last = "new" if template.rfind("{new}") > template.rfind("{old}") else "old"
        source = template
        for name in ("old", "new"):
            at_end = template.endswith("{" + name + "}") and name == last
            source = source.replace(
                "{" + name + "}", f"(?P<{name}>{piece})" + (end if at_end else "")
            )
        return (r"(?<!\w)" if spaced else "") + source

    changes, takes_back, returns = TEMPLATES[code]
    sorts: tuple[tuple[ChangeSort, tuple[str, ...]], ...] = (
        ("changes", changes),
        ("returns", returns),
        ("takes_back", takes_back),
    )
    return tuple(
        (sort, re.compile(translate(template), re.IGNORECASE))
        for sort, listed in sorts
        for template in listed
    )
