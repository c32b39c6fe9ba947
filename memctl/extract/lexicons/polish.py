"""Polish cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

POLISH = Lexicon(
    code="pl",
    words="""nie jest sie na ze dla przez przed przy nad bez oraz albo lub czy jak co kto
    gdzie kiedy dlaczego ten ta te tego tej tych nasz nasza nasze naszym moj moje mnie
    nam nas jego zawsze nigdy tylko teraz juz jeszcze bardzo prosze pisz uzywaj uzywamy
    trzymamy bo poniewaz zamiast od po wszystkie wszystkich kazdy kazda kazdej mamy masz
    mozna trzeba musi musza powinien powinna powinny zeby aby wole za tez wiec""",
    lasting="od teraz | od tej pory | odtad | od dzisiaj | od dzis | od jutra | na przyszlosc | "
    "w przyszlosci | nastepnym razem | od tego momentu",
    always="zawsze | za kazdym razem | domyslnie | z zasady | co do zasady | z reguly | wszedzie | "
    "bez wyjatku | konsekwentnie | stale",
    likes="wole | wolalbym | wolalabym | preferuje | lubie | nie lubie | nie cierpie | "
    "nie znosze | "
    "nienawidze | podoba mi sie | nie podoba mi sie | chce, zebys zawsze | chce zebys zawsze | "
    "nie chce | nie potrzebuje | wystarczy mi | denerwuje mnie | denerwuja mnie | wygodniej mi",
    decides="zdecydowalismy | zdecydowano | postanowilismy | postanowiono | ustalilismy | "
    "ustalono | wybralismy | wybieramy | stanelo na | zostajemy przy | przechodzimy na | "
    "przeszlismy na | migrujemy | rezygnujemy z | zrezygnowalismy z | zastepujemy | "
    "zastapilismy | decyzja | bedziemy uzywac | bierzemy | stawiamy na | uzgodnilismy | "
    "juz nie uzywamy",
    uses="uzywamy | korzystamy z | trzymamy | przechowujemy | zapisujemy | piszemy | stosujemy | "
    "pracujemy na | wdrazamy | hostujemy | dziala na | dzialaja na | dziala w | dzialaja w | "
    "chodzi na",
    forbids="nigdy | przenigdy | w zadnym wypadku | pod zadnym pozorem | absolutnie nie | "
    "nie wolno | "
    "zabronione | zabroniony | zakazane | zakaz | niedozwolone | nie mozna | nie moze | "
    "nie moga | nie publikuj | nie wydawaj | nie wypuszczaj | nie ruszaj | nie dotykaj | "
    "nie uzywaj | nie zmieniaj | nie usuwaj | nie commituj | nie pushuj | nie wrzucaj | "
    "nie rob | zadnych ~ bez | zaden ~ bez | nic ~ bez | bez ~ nie | tylko przez | tylko po | "
    "tylko z",
    duties="musi | musza | trzeba | nalezy | obowiazkowo | obowiazkow* | wymagane | wymagana | "
    "wymagany | wymaga | wymagaja | konieczne | konieczn* | powinien | powinna | powinno | "
    "powinny | co najmniej | najwyzej | maksymalnie | minimum | zasada jest",
    remembers="pamietaj, ze | pamietaj ze | pamietaj | zapamietaj | nie zapomnij | nie zapominaj | "
    "miej na uwadze | zanotuj | zapisz sobie",
    orders="pisz | odpowiadaj | odpowiedz | uzywaj | uzyj | stosuj | pytaj | zapytaj | wyjasniaj | "
    "pokazuj | uruchamiaj | trzymaj | zostawiaj | dawaj | unikaj | formatuj | rob | nazywaj | mow",
    manner="odpowiada* | odpowiedz* | wyjasni* | komentarz* | commit* | opis* commitow | "
    "po polsku | "
    "po angielsku | w jezyku | emoji | wypunktowa* | podsumowani* | krotko | zwiezle | "
    "pytaj mnie | zapytaj mnie",
    everywhere="we wszystkich ~ projektach | w kazdym projekcie | we wszystkich ~ repozytoriach | "
    "w kazdym repo | dla wszystkich ~ projektow",
    reasons="bo | poniewaz | gdyz | dlatego ze | dlatego, ze | skoro | zeby | aby | inaczej | "
    "w przeciwnym razie | z powodu | przez to",
    over="zamiast | a nie | niz | juz nie | w miejsce",
    fleeting="tym razem | na razie | narazie | poki co | chwilowo | na ten moment | w tej chwili | "
    "tylko dzisiaj | tylko dzis | na dzis | tymczasowo | w tym commicie | w tym pr | "
    "na tej galezi | w tym pliku | tylko tutaj | na probe | teraz jestesmy",
    tasks="popraw | napraw | dodaj | sprawdz | zobacz | spojrz | zaimplementuj | utworz | stworz | "
    "usun | zmien | zaktualizuj | mozesz | moglbys | znajdz | przeanalizuj | musisz | musze | "
    "kontynuuj | zrob",
    questions="dlaczego | czemu | ktory | ktora | ktore | kto | gdzie | kiedy | ile | czy | "
    "jak sie | co to",
    hedges="moze | byc moze | chyba | moglibysmy | mysle, ze | mysle ze | nie wiem czy",
    troubles="blad | bledy | nie dziala | nie dzialaja | wywala | zepsute | zepsuty | zawiesza | "
    "pada | padaja | nie kompiluje | wolno | zadzialalo",
    shared="to do i on my we no a commit commits test tests branch file code fix run",
)
