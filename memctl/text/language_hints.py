"""What hints that a text is not in English, cheap enough to be asked of every prompt. Data."""

from __future__ import annotations

# The commonest words of the other languages that are no words of English: one of them is reason
# enough to look which language it is.
FOREIGN_WORDS = frozenset(
    """das der den dem des und ist nicht ein eine einen fur mit wie wird werden wir ich auf aus zu
    zur zum im um welche wen wer warum wann woher wo bei vom uns unser unsere jede jeder jeden nur
    noch auch kann muss mein meine el la los las que en es un una unos unas por para como del se
    esta cuando donde le les du et une dans pour est sur qui ne pas nous vous je os um uma com nao
    onde il di che per gli della sono come het een van dat niet voor hoe""".split()
)
# Endings by which a German word is known even where it stands alone.
GERMAN_ENDINGS = ("ung", "ungen", "heit", "keit", "heiten", "keiten", "ern", "eln", "hten", "ieren")
