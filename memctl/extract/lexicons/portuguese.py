"""Portuguese cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

PORTUGUESE = Lexicon(
    code="pt",
    words="""os uma uns umas dos das nas pelo pela com nao sao ser onde quando qual seu sua seus
    suas mais tambem ele ela isso este esse porque fazer tem temos foi nunca sempre jamais
    gente agora vamos usamos prefiro em ao aos na no do da um o e voce eu meu minha meus minhas
    pra pro ja so sem ate por para tudo nada nenhum nenhuma cada toda todo todas todos usa
    escreva apenas pode podem deve devem pois lance publique gosto dessa desse num numa mas que
    de se as""",
    lasting="a partir de agora | de agora em diante | daqui em diante | daqui para frente | "
    "daqui pra frente | doravante | no futuro | a partir de hoje | a partir de amanha | "
    "da proxima vez",
    always="sempre | toda vez | todas as vezes | por padrao | por regra | em geral | "
    "via de regra | de modo geral | sem excecao | sistematicamente",
    likes="nao precisa me | so quero | eu quero so | dispenso | prefiro | eu prefiro | "
    "gosto de | gosto quando | nao gosto | gosto mais | eu gosto | odeio | detesto | "
    "nao suporto | quero que voce sempre | nao quero | me incomoda* | acho melhor | prefiria | "
    "eu quero sempre | nao preciso de",
    decides="largamos | abandonamos o | no fim vai ser | substituimos | nao usamos mais | "
    "decidimos | foi decidido | esta decidido | resolvemos | optamos por | optamos | "
    "escolhemos | combinamos | ficou decidido | ficou combinado | ficamos com | "
    "vamos ficar com | vamos usar | vamos de | vai de | a gente decidiu | a gente vai usar | "
    "a gente escolheu | vamos com | vamos migrar | migramos | trocamos | passamos a usar | "
    "mudamos para | a decisao | abandonamos | deixamos de usar | continuamos com | "
    "seguimos com | fechamos em | fechamos com",
    uses="usamos | utilizamos | guardamos | a gente usa | a gente guarda | armazenamos | "
    "vamos guardar | usaremos | rodamos | roda em | roda no | trabalhamos com | e usado | "
    "gravamos | salvamos | publicamos",
    forbids="ficam so | fica so | so no | so na | so depois de | so com | nada ~ sem | "
    "nada vai | nunca | jamais | em hipotese alguma | de jeito nenhum | em nenhum caso | "
    "e proibido | proibid* | nao pode* | nao podemos | nao se pode | nao deve* | "
    "nao e permitid* | nao permitid* | nada de | nao mexa | nao mexe* | nao toque* | "
    "nao faca* | nao suba | nao publique* | nao apague* | nao use* | nao altere* | so pode* | "
    "nao coloque | nao lance* | nenhum* ~ sem",
    duties="precisa de aprovacao | precisa da aprovacao | a regra e | aval | deve | devem | "
    "tem que | tem de | tem q | precisa ser | precisam ser | precisa ter | precisam | "
    "e obrigatori* | obrigatori* | e necessari* | e preciso | exige* | requisito | no maximo | "
    "no minimo | garanta que | tera que | terao que | certifique-se",
    remembers="lembre-se | lembra que | lembre que | nao esqueca | nao se esqueca | "
    "nao esquece | tenha em mente | leve em conta | anota ai | guarde que",
    orders="escreva | escreve | responda | responde | use | usa | faca | faz | pergunte | "
    "pergunta | me pergunte | explique | explica | mostre | mostra | rode | roda | execute | "
    "mantenha | deixe | deixa | me da | evite | evita | avise | me avise | coloque | coloca | "
    "crie | comece",
    manner="respon* | resposta* | expli* | comentario* | mensagem de commit | "
    "mensagens de commit | mensagens dos commits | os commits | em portugues | em ingles | "
    "emoji* | resumo* | topicos | direto ao ponto | curt* | me pergunt* | listas",
    everywhere="em todos ~ projetos | em cada projeto | em todos ~ repositorios | "
    "em qualquer projeto | para todos ~ projetos | em todos ~ repos",
    reasons="porque | pois | ja que | uma vez que | visto que | por causa d* | devido a | "
    "para que | para evitar | senao | caso contrario | dado que | por conta d* | como",
    over="em vez de | ao inves de | no lugar de | em lugar de | e nao | nao mais",
    fleeting="desta vez | dessa vez | por enquanto | por ora | no momento | so hoje | "
    "temporariamente | provisori* | neste commit | nesse commit | neste pr | nesta branch | "
    "neste arquivo | nesse arquivo | agora mesmo | so por hoje | por hoje | para testar | "
    "pra testar | agora estamos | so aqui | nessa tarefa | nesta tarefa | hoje so",
    tasks="arrume | arruma | corrija | corrige | adicione | adiciona | olhe | olha | veja | ve | "
    "verifique | implemente | implementa | crie um* | apague | remova | remove | renomeie | "
    "atualize | voce pode | pode fazer | procure | encontre | analise | da uma olhada | "
    "voce tem que | eu tenho que | investigue | continue | tenta | preciso que",
    questions="por que | qual* | quem | onde | quando | quanto* | sera que | devemos | "
    "deveriamos | voce pode | como faz",
    hedges="talvez | acho que | poderiamos | pode ser que | quem sabe | nao sei se | quica",
    troubles="falha | falham | falhou | erro | erros | nao funciona | nao funcionou | quebrado | "
    "quebrou | trava | travou | caiu | lento | nao compila | passou | funcionou | deu ruim",
)
