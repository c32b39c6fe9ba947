"""Spanish cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

SPANISH = Lexicon(
    code="es",
    words="""el los las del una unos unas por como cual donde cuando esta este estos estas estan
    hay sus al pero muy tambien puede pueden puedo debe deben fue eso esto ese cada porque
    hacer hace tiene tenemos tengo hemos ha nunca siempre ahora prefiero usamos vamos nos y en
    lugar con sin que para jamas hasta desde hoy escribe usa mejor ya mis te lo un la de no se
    me mi es son le todas todos todo nada ningun ninguna sobre entre si publiques guardamos
    adelante""",
    lasting="a partir de ahora | de ahora en adelante | desde ahora | en adelante | "
    "en el futuro | de hoy en adelante | a partir de hoy | a partir de manana | "
    "la proxima vez | de aqui en adelante",
    always="siempre | cada vez | por defecto | por norma | como norma | en general | "
    "por regla general | sistematicamente | en todo momento | sin excepcion",
    likes="no hace falta que | no me hace falta | me sobra* | solo quiero | prefiero | "
    "yo prefiero | preferiria | me gusta* | no me gusta* | me gustaria que ~ siempre | odio | "
    "detesto | no soporto | me molesta* | quiero que siempre | no quiero | me va mejor | "
    "me encanta* | me resulta mas | no necesito",
    decides="se acabo | dejamos | corre ahora en | ya no usamos | al final ~ sera | "
    "reemplazamos | sustituimos | hemos decidido | decidimos | se decidio | esta decidido | "
    "hemos optado | optamos por | acordamos | hemos acordado | quedamos en | hemos elegido | "
    "elegimos | nos quedamos con | seguimos con | nos pasamos a | pasamos a | migramos | "
    "vamos a usar | vamos a utilizar | vamos con | tiramos por | tiramos de | vamos a migrar | "
    "apostamos por | descartamos | la decision | cambiamos a | cambiamos de | dejamos de usar | "
    "nos decantamos | iremos con",
    uses="usamos | utilizamos | guardamos | usaremos | utilizaremos | empleamos | almacenamos | "
    "trabajamos con | desplegamos | se usa | se guarda | se guardan | corre en | corremos | "
    "escribimos",
    forbids="nunca | jamas | bajo ningun concepto | en ningun caso | de ninguna manera | "
    "no se puede* | no se debe* | prohibido | esta prohibid* | no esta permitid* | no podemos | "
    "no debe* | no hay que | no puede* | nada de | queda prohibid* | no toques | no toquen | "
    "no hagas | no subas | no publiques | no borres | no modifiques | no uses | "
    "ni se te ocurra | no lances | solo se puede* | no despliegues | no metas",
    duties="visto bueno | necesita la aprobacion | necesita aprobacion | necesita el ok | "
    "la regla es | cualquier cambio | debe | deben | tiene que | tienen que | hay que | "
    "es obligatorio | obligatoriamente | es imprescindible | es necesario | es requisito | "
    "se requiere | como minimo | como maximo | asegurate de | es un requisito | ha de | "
    "han de | obligatori*",
    remembers="recuerda que | recuerda | ten en cuenta | no olvides | no te olvides | "
    "acuerdate | que conste | apunta que",
    orders="escribe | responde | respondeme | contesta | contestame | usa | utiliza | haz | "
    "pregunta | preguntame | explica | explicame | muestra | muestrame | ejecuta | corre | "
    "pon | manten | deja | dame | revisa | evita | formatea | avisa | avisame | pideme | crea | "
    "no me",
    manner="respond* | respuesta* | contest* | explic* | comentario* | mensaje* de commit | "
    "mensaje* de los commit* | los commits | en espanol | en ingles | en castellano | emoji* | "
    "listas | resumen* | parrafo* | ve al grano | tutea* | breve* | preguntame | "
    "pideme permiso | vineta*",
    everywhere="en todos ~ proyectos | en cada proyecto | en todos ~ repos | "
    "en todos ~ repositorios | en cualquier proyecto | para todos ~ proyectos",
    reasons="porque | ya que | puesto que | dado que | para que | debido a | pues | asi | "
    "si no | de lo contrario | por culpa de | por temas de | a causa de | como",
    over="en lugar de | en vez de | y no | frente a | antes que | a diferencia de | ya no",
    fleeting="esta vez | por ahora | de momento | por el momento | por esta vez | solo hoy | "
    "temporalmente | provisional* | en este commit | en este pr | en esta rama | "
    "en este archivo | en este fichero | solo por hoy | ahora mismo | mientras tanto | "
    "para probar | por hoy | ahora estamos | solo aqui | para este | para esta tarea",
    tasks="arregla | corrige | anade | agrega | mira | revisa | implementa | crea un* | borra | "
    "elimina | renombra | actualiza | puedes | podrias | busca | encuentra | analiza | "
    "comprueba | sube | echa un vistazo | ejecuta los | tienes que | tengo que | investiga | "
    "continua | sigue",
    questions="por que | cual* | quien | donde | cuando | cuanto* | como se | que version | "
    "hay que | debemos | deberiamos | puedes",
    hedges="quizas | quiza | tal vez | a lo mejor | podriamos | creo que | no se si | igual",
    troubles="falla | fallan | fallo | error | errores | no funciona | no funcionan | roto | "
    "se cuelga | se cae | no va | no compila | lento | ha funcionado | funciono | paso en | "
    "sigue igual",
)
