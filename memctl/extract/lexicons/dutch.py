"""Dutch cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

DUTCH = Lexicon(
    code="nl",
    words="""het een van niet voor zijn wordt worden wij ik op uit naar bij ons onze jouw elke
    ieder alleen nog ook moet moeten mijn nooit altijd graag omdat zonder geen hebben heeft
    mogen zou zullen mij jij je maar deze dit hier vanaf nu liever onder tussen tot schrijf
    gebruik gebruiken waarom welke waar wanneer blijft blijven alle alles werd dat bewaren
    draait draaien zetten maken doen gaat gaan eerst daarna zodat""",
    lasting="vanaf nu | voortaan | vanaf vandaag | vanaf morgen | in het vervolg | "
    "in de toekomst | "
    "van nu af aan | de volgende keer | voor het vervolg",
    always="altijd | steeds | telkens | elke keer | standaard | in principe | doorgaans | "
    "in het algemeen | overal | zonder uitzondering | consequent",
    likes="ik geef de voorkeur aan | liever | ik heb liever | ik wil liever | ik hou van | "
    "ik houd van | ik hou niet van | ik haat | ik heb een hekel aan | ik wil geen | "
    "ik wil altijd | ik wil dat je altijd | ik hoef geen | je hoeft ~ niet | stoort me | "
    "ik vind ~ fijner | ik vind ~ prettiger | ik vind ~ beter | mijn voorkeur",
    decides="we hebben besloten | hebben we besloten | we hebben gekozen | we kiezen voor | "
    "gekozen voor | afgesproken | we hebben afgesproken | besloten | het besluit | "
    "de beslissing | we blijven bij | we houden het bij | we stappen over | "
    "we zijn overgestapt | we gaan over op | we gaan voor | we migreren | we stoppen met | "
    "we vervangen | we gaan ~ gebruiken | we gebruiken niet langer",
    uses="we gebruiken | gebruiken we | wij gebruiken | we bewaren | we slaan ~ op | "
    "we schrijven | "
    "we werken met | we draaien | we hosten | we zetten | we nemen | nemen we | draait op | "
    "draaien op | draait in | draaien in | we houden",
    forbids="nooit | nimmer | in geen geval | onder geen beding | absoluut niet | verboten | "
    "verboden | niet toegestaan | mag niet | mogen niet | mag ~ niet | mogen ~ niet | mag geen | "
    "mogen geen | mag ~ nooit | mag alleen | mogen alleen | geen ~ zonder | niets ~ zonder | "
    "niet zonder | alleen via | alleen met | alleen na | blijf af van | geen enkele",
    duties="moet | moeten | verplicht | is vereist | vereist | noodzakelijk | hoort te | "
    "horen te | "
    "dient te | dienen te | minstens | minimaal | hooguit | maximaal | de regel is | "
    "goedkeuring nodig",
    remembers="onthoud dat | onthoud | vergeet niet | denk eraan | let op | ter info | "
    "hou in gedachten | houd in gedachten | knoop in je oren",
    orders="schrijf | antwoord | gebruik | maak | vraag | hou | houd | laat | geef | toon | leg | "
    "voer ~ uit | draai | formatteer | commit | push | vermijd | zet | noem | zeg | test",
    manner="antwoord* | uitleg* | commentaar | commentaren | commit-berichten | commitberichten | "
    "commit-messages | commits | in het nederlands | in het engels | emoji* | opsomming* | "
    "samenvatting* | kort | bondig | vraag me | vraag eerst",
    everywhere="in alle ~ projecten | in elk project | in ieder project | in al mijn | "
    "voor alle ~ projecten | in alle ~ repo's | in elke repo",
    reasons="omdat | want | aangezien | zodat | anders | vanwege | wegens | daar | immers",
    over="in plaats van | en niet | niet meer | niet langer | boven",
    fleeting="deze keer | dit keer | voorlopig | voor nu | even | op dit moment | momenteel | "
    "alleen vandaag | voor vandaag | tijdelijk | in deze commit | in deze pr | in deze branch | "
    "in dit bestand | alleen hier | om te testen | nu op",
    tasks="kijk | bekijk | fix | repareer | herstel | voeg ~ toe | verwijder | implementeer | "
    "bouw | "
    "maak een | controleer | kun je | kan je | zou je | hernoem | start | zoek | vind | "
    "analyseer | werk ~ bij | je moet | we moeten nog | ik moet | ga verder",
    questions="waarom | welke | wie | waar | wanneer | hoeveel | wat is | hoe kan | moet ik | "
    "moeten we | zullen we | is er | zijn er",
    hedges="misschien | eventueel | wellicht | zouden we kunnen | ik denk dat | volgens mij | "
    "geen idee",
    troubles="fout | fouten | mislukt | mislukken | faalt | falen | kapot | werkt niet | "
    "werken niet | loopt vast | crasht | hangt | traag | gelukt | werkte",
    shared="is in we me of so on at was commit commits test tests branch file code fix run",
)
