"""Italian cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

ITALIAN = Lexicon(
    code="it",
    words="""il lo gli della delle dei degli del nel nella nelle alla alle agli dal dalla sul sulla
    sui uno una un che non di con da sono sempre anche quando perche questo questa questi
    queste quello quella piu invece senza ogni tutti tutte usiamo usare scrivi adesso dopo fino
    dobbiamo deve devono puo possono abbiamo mio mia miei nostro nostra nostri prossima volta
    niente nessuno nessuna preferisco vanno viene vengono essere prima di poi si
    bisogna qui gia ancora""",
    lasting="d'ora in poi | da ora in poi | da adesso in poi | da oggi in poi | da oggi | "
    "da domani | in futuro | d'ora in avanti | da ora in avanti | la prossima volta | "
    "a partire da oggi | a partire da ora",
    always="sempre | ogni volta | di default | di norma | di regola | in generale | "
    "per impostazione predefinita | sistematicamente | senza eccezioni | ovunque | dappertutto",
    likes="preferisco | io preferisco | preferirei | mi piace* | mi piacciono | non mi piace* | "
    "odio | detesto | non sopporto | mi da fastidio | mi danno fastidio | voglio che ~ sempre | "
    "non voglio | mi basta* | non ho bisogno di | non mi serve* | mi trovo meglio | "
    "per me e meglio",
    decides="abbiamo deciso | si e deciso | e deciso | e stato deciso | abbiamo scelto | "
    "scegliamo | abbiamo optato | optiamo per | ci siamo accordati | abbiamo concordato | "
    "siamo d'accordo | restiamo su | rimaniamo su | restiamo con | passiamo a | "
    "siamo passati a | migriamo | useremo | utilizzeremo | andiamo con | abbandoniamo | "
    "abbiamo abbandonato | non usiamo piu | sostituiamo | abbiamo sostituito | "
    "la decisione | la scelta e | alla fine ~ usiamo",
    uses="usiamo | utilizziamo | adottiamo | salviamo | memorizziamo | conserviamo | scriviamo | "
    "lavoriamo con | si usa | si usano | gira su | girano su | gira in | girano in | teniamo | "
    "distribuiamo",
    forbids="mai | giammai | in nessun caso | per nessun motivo | assolutamente no | vietato | "
    "e vietato | non e permesso | non e consentito | non si puo | non si deve | non si devono | "
    "non dobbiamo | non deve | non devono | non puo | non possono | non toccare | "
    "non pubblicare | non rilasciare | non usare | non modificare | non cancellare | "
    "non committare | non mettere | non fare | niente ~ senza | nessun* ~ senza | "
    "solo tramite | solo con | solo dopo | solo previa | guai a",
    duties="deve | devono | bisogna | occorre | e obbligatori* | obbligatori* | e necessario | "
    "va fatt* | vanno fatt* | la regola e | richiede | richiedono | "
    "serve l'approvazione | almeno | al massimo | e richiest*",
    remembers="ricorda che | ricordati che | ricorda | ricordati | tieni presente | "
    "tieni a mente | non dimenticare | prendi nota | annota",
    orders="scrivi | rispondi | rispondimi | usa | utilizza | chiedi | chiedimi | spiega | "
    "spiegami | mostra | mostrami | esegui | lancia | mantieni | tieni | dammi | evita | "
    "formatta | avvisami | metti | lascia | fai",
    manner="rispond* | rispost* | spiega* | comment* | messaggi* di commit | "
    "messaggi* dei commit | "
    "i commit | in italiano | in inglese | emoji | elenc* | riassunt* | breve | brevi | conciso | "
    "dammi del tu | chiedimi | chiedi conferma",
    everywhere="in tutti ~ progetti | in ogni progetto | in tutti ~ repository | in tutti ~ repo | "
    "per tutti ~ progetti | in qualsiasi progetto",
    reasons="perche | poiche | dato che | visto che | siccome | in quanto | cosi | altrimenti | "
    "senno | a causa di | per via di | affinche",
    over="invece di | al posto di | anziche | piuttosto che | e non | non piu",
    fleeting="questa volta | stavolta | per ora | per adesso | per il momento | al momento | "
    "solo oggi | per oggi | temporaneamente | provvisori* | in questo commit | in questa pr | "
    "in questo branch | in questo file | solo qui | adesso siamo | nel frattempo | per prova",
    tasks="correggi | sistema | aggiungi | guarda | controlla | implementa | crea un* | elimina | "
    "cancella | rinomina | aggiorna | puoi | potresti | cerca | trova | analizza | "
    "dai un'occhiata | "
    "devi | devo | continua | vai avanti",
    questions="perche | quale | quali | chi | dove | quando | quanto | quanti | come si | "
    "dobbiamo | devo | puoi | cos'e | che cosa",
    hedges="forse | magari | potremmo | credo che | non so se | penso che",
    troubles="fallisce | falliscono | fallito | errore | errori | non funziona | non funzionano | "
    "rotto | si blocca | va in crash | non compila | lento | ha funzionato | funzionava",
    shared="i in no me a commit commits test tests branch file code fix run",
)
