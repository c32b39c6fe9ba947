"""Words of other languages than English that say nothing by themselves. Data, loaded on demand."""

from __future__ import annotations

# Of each language first what no other has, then what is also a word of another language or of code.
STOP_WORDS: dict[str, tuple[str, str]] = {
    "de": (
        """der das und ist nicht ein eine einen einem einer eines fur mit auf wie wird
        werden wir ich du sie ihr den dem zu zum zur vom im aus bei beim nach oder aber
        wenn dass weil sind haben habe kann konnen muss mussen soll sollen wo warum
        welche welcher welches welchen welchem dieser diese dieses diesem diesen noch nur
        auch schon bitte mach mache mir mich uns unser unsere unseren unserem mein meine
        meinen dein alle sich doch wieder gibt geht ob wer wem wurde wurden sein seine
        kein keine keinen warst hast habt wann uber unter durch gegen ohne damit dann
        denn sehr mehr ja nein jetzt immer hier dort um jede jeder jedes jeden nie vor
        wen woher wohin heute gestern morgen""",
        "die war man hat in an am so was es von des als bis um da also will",
    ),
    "es": (
        """el los las del que en una unos unas por para como cual donde cuando esta este estos estas
        estan ser hay su sus al nos pero muy ya tambien puede pueden puedo debe deben debo fue eso
        esto ese esa cada quien cuanto cuantos porque hacer hace tiene tenemos tengo hemos ha han
        soy eres somos era desde hasta entre sobre""",
        "de y la un es con sin son se lo le mi tu mas no o a e si",
    ),
    "fr": (
        """le les des du et une dans pour avec sur que qui nous vous je il elle ce cette ces aux ou
        comment quel quelle quels quelles sont etre leur notre votre mon mes ton nos vos pourquoi
        quand fait faut peut doit chez cela ete etait mais donc sans""",
        "la l d un est ne pas de plus par au en a on y se son si tout",
    ),
    "pt": (
        """os uma uns umas dos das nas pelo pela com que nao sao esta ser como onde
        quando qual seu sua seus suas mais tambem ele ela isso este esse porque fazer tem
        temos foi""",
        "o a as um do da de em no na nos por para e se mas eu",
    ),
    "it": (
        """il gli della dei delle degli nella nel alla agli che sono come dove quando
        quale quali piu anche questo questa perche dal dalla sul sulla si""",
        "lo la le un una uno di da del in con su per non e a i o ma ci al",
    ),
    "nl": (
        """het een van dat niet zijn voor aan maar hoe waar wordt worden ook naar bij uit
        moet deze dit welke waarom wij jullie onze hebben heeft kunnen""",
        "de en is die in op te met er om wat kan we je ik of als",
    ),
    "ru": (
        """и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее
        мне было вот от меня еще нет о из ему теперь когда даже ну ли если уже или ни быть был него
        до вас нибудь опять вам ведь там потом себя ничего ей может они тут где есть надо ней для мы
        тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того
        потому этого какой какая какие совсем ним здесь этом один почти мой тем чтобы нее сейчас
        были куда зачем всех можно при об другой хоть после над больше тот через эти нас про них
        какая много разве эту моя впрочем свою этой перед пожалуйста почему как это эта""",
        "",
    ),
    "ar": (
        """في من على الى إلى عن مع هذا هذه ذلك التي الذي ما ماذا كيف متى اين هل كان هو هي
        نحن انا لا او ثم قد كل بعد قبل يجب لم لن ان""",
        "",
    ),
    "hi": (
        """है हैं का की के को में से पर और या यह वह क्या कैसे कहाँ कब क्यों हो था थी थे होता होती होते
        किया करें करना कर रहा रही रहे हम मैं आप ने भी तो ही जो कि नहीं एक इस उस लिए कौन किस""",
        "",
    ),
}
# Languages in scripts of their own, whose stop words need no language to be known.
UNAMBIGUOUS = frozenset(("ru", "ar", "hi"))
# Bigrams that only hold a sentence together, and characters that do so in whatever bigram they
# stand.
STOP_CHARACTERS = frozenset("的了吗呢吧么们这那哪谁怎什我你他她它把被请也很還嗎個麼這們請")
STOP_BIGRAMS = frozenset(
    """帮忙 一个 为何 因为 所以 如果 但是 以及 或者 没有 不是 就是 还是 已经 之后 之前
    時候 时候 应当 為何 應該 です ます した して する され れる れて から まで ので には
    では とは など この その あの どの どう です すか くだ ださ さい どこ いつ なに なん
    ある いる あり まし ませ せん って った ない にし うや やっ には こと とき もの ため
    よう うに うな いて いま ょう でき きる たい って てい たら なら れば ばい いで でし
    んで です うか かな んな こう そう うす すれ しょ てく よい いい りま きま 教え えて
    下さ 何を 何が 何で どれ れを すべ べき きで""".split()
)
THAI_QUESTION_WORDS = (
    """อะไร อย่างไร ยังไง เมื่อไร เมื่อไหร่ ที่ไหน หรือไม่ ทำไม ไหม ครับ ค่ะ คะ ช่วย หน่อย"""
).split()
THAI_FRAME_WORDS = (
    """ของ ที่ และ ใน ให้ ได้ ไม่ คือ จะ เป็น กับ จาก ต้อง เรื่อง การ ความ โดย แล้ว ถ้า หรือ"""
).split()
HAN_QUESTION_WORDS = (
    """如何 为什么 怎么样 怎么 怎样 什么 哪里 哪个 多少 可以 需要 应该 我们 帮我 请问
    一下 是否 有没有 為什麼 怎麼 什麼 哪裡 哪個 應該 我們 幫我 請問"""
).split()
JAPANESE_PARTICLES = frozenset("をはがのにでともへやかね")
KOREAN_PARTICLES = (
    """입니까 입니다 합니까 합니다 됩니까 됩니다 하나요 되나요 인가요 있나요 에서는 에서
    으로 까지 부터 에게 하고 하는 하기 해야 해줘 은 는 이 가 을 를 에 의 로 와 과 도 만"""
).split()
KOREAN_STOP_WORDS = frozenset(
    """어떻게 무엇 무엇을 뭐 왜 언제 어디 어디에 어디서 어느 있나요 하나요 되나요 해줘
    알려줘 주세요 해주세요 하나 합니까 그 이 저 수 것 할 하는 있는 있습니까 우리 우리의
    왜요 좀""".split()
)
