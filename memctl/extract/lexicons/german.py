"""German cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

GERMAN = Lexicon(
    code="de",
    words="""der das den dem des und ist nicht ein eine einen einer fuer mit wie wird werden wir
    ich auf aus zu zur zum im bei vom uns unser unsere jede jeder jedes jeden nur noch auch
    kann muss mein meine nie niemals immer bitte weil ohne statt kein keine keinen sind haben
    hat darf duerfen soll sollen sollte mir mich dich dir du wenn dann aber oder diese dieser
    dieses hier ab jetzt kuenftig lieber ueber unter nach vor von mal lass schreib nimm nutze
    warum welche welcher wieso schau bleiben bleibt nehmen setzen alle alles wurde""",
    lasting="ab jetzt | ab sofort | von nun an | ab heute | kuenftig | zukuenftig | in zukunft | "
    "ab morgen | von jetzt an | fortan | weiterhin | beim naechsten mal",
    always="immer | stets | grundsaetzlich | jedes mal | jedesmal | generell | standardmaessig | "
    "in der regel | prinzipiell | ueberall | durchgehend | ausnahmslos",
    likes="nervig | zeig nur | zeig mir nur | ich will nur | du brauchst ~ nicht | kein grund | "
    "ich bevorzuge | bevorzuge ich | ich mag | mag ich | ich hasse | mir ~ lieber | "
    "ich ~ lieber | mir gefaellt | gefaellt mir | mir gefallen | ich haette gern* ~ immer | "
    "ich moechte ~ immer | ich will ~ immer | ich will kein* | ich moechte kein* | "
    "ich brauche kein* | stoert mich | nervt mich | nerven mich | mir ist wichtig | "
    "ist mir wichtig | ich finde ~ besser | ich ziehe ~ vor",
    decides="wird ~ neu geschrieben | wird kuenftig | faellt weg | wird ersetzt | "
    "wir haben ~ ersetzt | wir ziehen ~ um | steigen wir ~ um | wir haben (uns) ~ entschieden | "
    "wir haben beschlossen | entschieden haben wir | wir haben uns ~ geeinigt | "
    "haben uns ~ entschieden | haben entschieden | haben beschlossen | entscheidung ist | "
    "die entscheidung | beschlossen | entschieden | geeinigt | wir bleiben bei | "
    "es bleibt bei | bleiben wir bei | wir setzen auf | setzen wir ~ auf | wir steigen ~ um | "
    "wir wechseln ~ zu | wir wechseln ~ auf | wir sind ~ umgestiegen | wir stellen ~ um | "
    "wir gehen mit | wir migrieren | wir verzichten auf | umgestiegen auf | die wahl fiel auf | "
    "festgelegt auf",
    uses="wir nehmen | nehmen wir | wir nutzen | wir verwenden | wir benutzen | wir speichern | "
    "wir machen | wir bauen | wir hosten | wir legen | nutzen wir | verwenden wir | "
    "speichern wir | laeuft ~ ueber | laeuft ~ auf | laufen ~ ueber | laufen ~ auf | "
    "wir schreiben | wir halten | kommt ~ zum einsatz | wir fahren",
    forbids="ohne ~ geht * nichts | geht nichts ~ live | ohne ~ kein* | ohne ~ wird nicht* | "
    "nichts ~ ohne | nie | niemals | nie wieder | auf keinen fall | keinesfalls | keineswegs | "
    "unter keinen umstaenden | darf ~ nicht* | darf ~ kein* | darf ~ nie* | duerfen ~ nicht* | "
    "duerfen ~ kein* | duerfen ~ nie* | darf nur | duerfen nur | verboten | nicht erlaubt | "
    "nicht zulaessig | untersagt | tabu | bitte nicht | bitte kein* | kein* ~ ohne | "
    "nicht ohne | nur mit | nur nach | finger weg | es gibt kein* | kein* ~ direkt* | "
    "kein* ~ in | kein* ~ am | kein* ~ vor | kein* ~ nach | kein* ~ im",
    duties="freigabe ~ noetig | braucht ~ freigabe | braucht immer | regel ist | muss | "
    "muessen | zwingend | pflicht | verpflichtend | vorgeschrieben | unbedingt | erforderlich | "
    "notwendig | soll ~ bleiben | sollen ~ bleiben | hat ~ zu | haben ~ zu bleiben | "
    "mindestens | hoechstens | maximal",
    remembers="merk dir | merke dir | denk daran | denk dran | vergiss nicht | nicht vergessen | "
    "behalte im kopf | zur info | zur erinnerung | beachte",
    orders="schreib* | antworte | nutze | nutz | verwende | benutze | benutz | nimm | mach | "
    "mache | frag | frage | halte | halt | lass | gib | zeig | zeige | fuehr* ~ aus | "
    "lauf* ~ lassen | erklaer* | formatier* | committe | pushe | merge | fass | stell | "
    "pruefe | teste | leg* | setz* | benenn* | achte | sag | verzichte | vermeide",
    manner="antwort* | erklaer* | kommentar* | commit-nachricht* | commit-message* | "
    "commitnachricht* | commit nachricht* | auf deutsch | auf englisch | auf franzoesisch | "
    "emoji* | aufzaehlung* | stichpunkt* | zusammenfassung* | fasse dich | kurz und knapp | "
    "hoeflich* | duz* | siez* | frag* mich | rueckfrage* | fragst | nachfrag*",
    everywhere="in allen ~ projekten | in jedem ~ projekt | in allen ~ repos | in all meinen | "
    "projektuebergreifend | fuer alle ~ projekte | egal in welchem projekt | in jedem repo",
    reasons="weil | denn | da | damit | sonst | andernfalls | wegen | aufgrund | um zu | "
    "weshalb | aus ~ gruenden",
    over="statt | anstatt | anstelle von | anstelle | und nicht | nicht mehr | als mit",
    fleeting="diesmal | dieses mal | erst mal | erstmal | vorerst | fuer den moment | "
    "im moment | momentan | gerade | ausnahmsweise | nur heute | fuer heute | heute nur | "
    "nur kurz | kurz mal | voruebergehend | provisorisch | zum testen | in diesem commit | "
    "in diesem pr | in diesem branch | in dieser datei | fuer diesen commit | "
    "fuer diese aufgabe | nur hier | bis morgen | vorlaeufig | nur dieses | jetzt auf",
    tasks="schau | guck | sieh | fix* | reparier* | behebe | fueg* ~ hinzu | fueg* ~ ein | "
    "ergaenz* | loesch* | entfern* | implementier* | bau* | erstell* | pruef* | kannst du | "
    "koenntest du | kannst mal | benenne | starte | lauf | mach weiter | such* | finde | "
    "analysier* | aktualisier* | du musst | wir muessen noch | ich muss",
    questions="warum | wieso | weshalb | welche* | wer | wo | wann | wie viel* | was ist | "
    "wie kann | soll ich | sollen wir | muessen wir | muss ich | gibt es",
    hedges="vielleicht | eventuell | womoeglich | koennte man | waere es | ich glaube | "
    "vermutlich | keine ahnung",
    troubles="fehler | faellt um | schlaegt fehl | schlaegt ~ fehl | fehlgeschlagen | kaputt | "
    "geht nicht | funktioniert nicht | klappt nicht | stuerzt ~ ab | abgestuerzt | haengt | "
    "rot | bricht ab | langsam | gelaufen | geklappt | funktioniert",
)
