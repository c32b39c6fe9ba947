"""Cues of languages other than English, one module of data a language."""

from __future__ import annotations

from memctl.extract.lexicons.arabic import ARABIC
from memctl.extract.lexicons.base import Lexicon as Lexicon
from memctl.extract.lexicons.chinese import CHINESE
from memctl.extract.lexicons.dutch import DUTCH
from memctl.extract.lexicons.french import FRENCH
from memctl.extract.lexicons.german import GERMAN
from memctl.extract.lexicons.hindi import HINDI
from memctl.extract.lexicons.italian import ITALIAN
from memctl.extract.lexicons.japanese import JAPANESE
from memctl.extract.lexicons.korean import KOREAN
from memctl.extract.lexicons.polish import POLISH
from memctl.extract.lexicons.portuguese import PORTUGUESE
from memctl.extract.lexicons.russian import RUSSIAN
from memctl.extract.lexicons.spanish import SPANISH
from memctl.extract.lexicons.turkish import TURKISH
from memctl.extract.lexicons.vietnamese import VIETNAMESE

LEXICONS = {
    one.code: one
    for one in (
        *(GERMAN, SPANISH, FRENCH, PORTUGUESE),
        *(RUSSIAN, CHINESE, JAPANESE, KOREAN, ARABIC),
        *(ITALIAN, DUTCH, POLISH, TURKISH, VIETNAMESE, HINDI),
    )
}
