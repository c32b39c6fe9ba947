"""A question finds its record in its own language: inflected, shorter, with particles, in two
characters, in whatever width and spelling.

All languages live in one store, so that each is noise to the others. The sets are invented. What is
asked is never what is stored.
"""

# ruff: noqa: E501 - tables of sentences, one a line
from __future__ import annotations

from collections.abc import Iterator

import pytest
from invented import House
from ways import WAYS, embed_all

# language -> (record, the questions that it answers)
SETS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "Chinese": (
        ("部署前必须先运行全部集成测试", ("集成测试", "部署之前要做什么？")),
        ("数据库每天凌晨三点自动备份到对象存储", ("备份", "数据库什么时候备份？")),
        ("Redis缓存的过期时间设为十分钟", ("Redis缓存", "缓存多久过期？")),
        ("k8s集群升级前要通知运维组的小林", ("集群怎么升级", "升级k8s要告诉谁？")),
        ("登录接口每分钟最多允许二十次请求", ("登录限流", "登录接口的请求限制是多少")),
        ("订单金额一律用整数分保存，不用浮点数", ("金额", "订单的金额该用浮点数吗？")),
        ("前端图标由设计师统一维护，不要手动修改", ("我可以修改图标吗", "图标由谁维护")),
        ("日志保留九十天后归档到冷存储", ("日志", "日志会保留多久？")),
        ("支付回调必须校验签名，否则直接拒绝", ("支付", "回调的签名要不要校验")),
        ("我们选择消息队列是因为高峰期流量太大", ("为什么选消息队列？", "高峰")),
        ("提交代码前请先格式化，行宽一百二十", ("代码行宽", "提交前需要格式化吗")),
        ("测试环境的密钥放在保险柜服务里", ("密钥", "测试环境密钥在哪里？")),
    ),
    "Japanese": (
        ("本番へのデプロイは水曜日の午前中に限る", ("デプロイ", "本番はいつデプロイできますか？")),
        ("データベースのバックアップは毎晩二時に取得する", ("バックアップ", "データベースのバックアップの時間を教えて")),
        ("APIキーは環境変数に保存し、コードに書かない", ("APIキー", "ＡＰＩキーはどこに保存する？")),
        ("画面の文言は必ず翻訳ファイルで管理する", ("文言", "画面の文言を直したい")),
        ("決済の再試行は三回まで、間隔は五秒", ("決済", "再試行は何回までですか")),
        ("ユーザー検索には全文索引を使うことに決めた", ("検索", "ﾕｰｻﾞｰ検索の仕組みは？")),
        ("障害が起きたら田中さんに電話する", ("障害", "障害が起きたときは誰に連絡しますか")),
        ("単体テストは外部の通信を使わない", ("単体テスト", "テストで通信してもいい？")),
        ("在庫の数は倉庫システムが正しい", ("在庫", "在庫数はどちらを信じる？")),
        ("請求書の端数は切り捨てる", ("端数", "請求書の端数の扱い")),
        ("古いブラウザの対応は昨年で終わった", ("ブラウザ", "古いブラウザに対応していますか")),
        ("画像は登録時に縮小して保存する", ("画像を縮小", "画像の保存方法")),
    ),
    "Korean": (
        ("배포는 화요일 오전에만 진행합니다", ("배포", "배포를 언제 하나요?")),
        ("데이터베이스를 매일 새벽 세 시에 백업합니다", ("백업", "데이터베이스의 백업은 언제?")),
        ("결제 오류는 민지 씨에게 먼저 알립니다", ("결제", "결제에서 오류가 나면 누구에게 알려야 하나")),
        ("로그는 구십 일 동안 보관합니다", ("로그", "로그를 얼마나 보관하나요?")),
        ("비밀번호는 절대 로그에 남기지 않습니다", ("비밀번호", "비밀번호가 남아 있나요")),
        ("화면 색상은 디자인 토큰으로만 지정합니다", ("색상", "화면의 색상을 바꾸고 싶다")),
        ("테스트 서버 주소는 사내 위키에 있습니다", ("테스트 서버", "서버의 주소는 어디에 있나요?")),
        ("주문 금액은 정수로 저장합니다", ("금액", "주문의 금액을 어떻게 저장하나요")),
        ("캐시 만료 시간은 십 분입니다", ("캐시", "캐시가 만료되는 시간")),
        ("이미지 압축은 업로드할 때 처리합니다", ("이미지", "이미지를 압축하는 곳")),
        ("외부 API 호출은 세 번까지 재시도합니다", ("재시도", "API를 몇 번 호출하나요")),
        ("번역 파일은 매주 금요일에 갱신합니다", ("번역", "번역은 무슨 요일에 갱신하나요?")),
    ),
    "German": (
        ("Die Datenbanksicherung läuft jede Nacht um drei Uhr", ("Datenbank", "Wie oft wird die Datenbank gesichert?", "Sicherungen")),
        ("Die Auslieferung geschieht nur dienstags und nie vor Feiertagen", ("ausliefern", "Wann dürfen wir ausliefern?")),
        ("Rechnungsbeträge werden kaufmännisch auf ganze Cent gerundet", ("Rechnungen runden", "Wie werden die Beträge gerundet?")),
        ("Der Zwischenspeicher verfällt nach zehn Minuten", ("Zwischenspeicher leeren", "wann verfallen Einträge im Speicher?")),
        ("Die Anmeldung ist auf zwanzig Versuche je Minute begrenzt",
         ("Versuche pro Minute", "Wie viele Anmeldungen sind erlaubt?")),
        ("Für Übersetzungen ist Frau Özdemir zuständig", ("Wer macht die Übersetzung?", "Wen frage ich: Oezdemir?")),
        ("Große Dateien gehören in den Objektspeicher, nicht ins Repository",
         ("grosse Datei", "Wohin mit einer großen Datei?")),
        ("Fehlermeldungen richten sich an den Nutzer und nennen die Abhilfe",
         ("Fehlermeldung schreiben", "Was soll in einer Meldung stehen?")),
        ("Prüfungen laufen ohne Netz und in beliebiger Reihenfolge", ("Prüfung ohne Netz", "In welcher Reihenfolge wird geprüft?")),
        ("Das Farbschema stammt aus dem Handbuch der Gestalter", ("Farbschema ändern", "Woher kommen unsere Farben?")),
        ("Wir haben uns für Warteschlangen entschieden, weil Spitzenlasten auftreten", ("Warteschlange", "Warum eine Warteschlange?")),
        ("Alte Protokolle werden nach neunzig Tagen gelöscht", ("Protokoll löschen", "Wie lange bleiben die Protokolle?")),
    ),
    "Spanish": (
        ("Las copias de seguridad se ejecutan cada noche a las tres", ("copia de seguridad", "¿Cuándo se ejecuta la copia?")),
        ("El despliegue se hace solo los martes por la mañana", ("despliegues", "¿Qué día podemos hacer despliegues?")),
        ("Los importes de las facturas se redondean al céntimo", ("redondear facturas", "¿Cómo se redondea el importe?")),
        ("La caché caduca a los diez minutos", ("cache", "¿Cuándo caducan los datos en la caché?")),
        ("Las traducciones las revisa Begoña antes de publicarlas", ("traducción", "¿Quién revisa una traducción?", "begona")),
        ("Nunca guardamos contraseñas en los registros", ("contraseña", "¿Se puede guardar una contraseña en el registro?")),
        ("Los archivos grandes van al almacén de objetos", ("archivo grande", "¿Dónde pongo un archivo muy grande?")),
        ("Elegimos colas de mensajes porque el tráfico tiene picos", ("cola de mensajes", "¿Por qué elegir una cola?")),
        ("Las pruebas no deben usar la red", ("prueba sin red", "¿La prueba puede usar redes?")),
        ("Los colores vienen del manual de diseño", ("color", "¿De dónde viene cada color?")),
        ("El inicio de sesión admite veinte intentos por minuto", ("intento de sesión", "¿Cuántos intentos admite la sesión?")),
        ("Los pedidos antiguos se archivan al cabo de un año", ("archivar pedidos", "¿Qué pasa con un pedido antiguo?")),
    ),
    "Thai": (
        ("สำรองฐานข้อมูลทุกคืนเวลาตีสาม", ("ฐานข้อมูล", "สำรองข้อมูลเมื่อไหร่")),
        ("ห้ามปล่อยเวอร์ชันใหม่ในวันศุกร์", ("เวอร์ชันใหม่", "ปล่อยวันศุกร์ได้ไหม")),
        ("รหัสผ่านต้องไม่ถูกบันทึกลงในล็อก", ("รหัสผ่าน", "บันทึกรหัสผ่านได้หรือไม่")),
        ("ยอดเงินในใบแจ้งหนี้ปัดเศษลงเสมอ", ("ใบแจ้งหนี้", "ปัดเศษยังไง")),
        ("แคชหมดอายุภายในสิบนาที", ("แคช", "แคชจะหมดอายุเมื่อไร")),
        ("รูปภาพจะถูกย่อขนาดก่อนจัดเก็บ", ("รูปภาพ", "ย่อขนาดรูปที่ไหน")),
        ("คำแปลทั้งหมดดูแลโดยคุณสมหญิง", ("คำแปล", "ใครดูแลคำแปล")),
        ("การทดสอบต้องไม่ใช้เครือข่าย", ("เครือข่าย", "ทดสอบโดยใช้เครือข่ายได้ไหม")),
        ("คำสั่งซื้อเก่าจะย้ายไปคลังหลังหนึ่งปี", ("คำสั่งซื้อ", "คำสั่งซื้อเก่าย้ายไปที่ไหน")),
        ("เซิร์ฟเวอร์ทดสอบอยู่ที่สำนักงานเชียงใหม่", ("เซิร์ฟเวอร์", "เซิร์ฟเวอร์ทดสอบอยู่ไหน")),
        ("สีของหน้าจอมาจากคู่มือออกแบบ", ("สีหน้าจอ", "คู่มือออกแบบ")),
        ("ถ้าระบบชำระเงินล่มให้โทรหาคุณวิชัย", ("ชำระเงิน", "ระบบล่มต้องโทรหาใคร")),
    ),
    "Khmer": (
        ("មូលដ្ឋានទិន្នន័យត្រូវបម្រុងទុករៀងរាល់យប់", ("ទិន្នន័យ", "បម្រុងទុក")),
        ("កុំដាក់ពាក្យសម្ងាត់ក្នុងកំណត់ហេតុ", ("ពាក្យសម្ងាត់",)),
        ("រូបភាពត្រូវបង្រួមមុនពេលរក្សាទុក", ("រូបភាព",)),
    ),
    "Lao": (
        ("ຖານຂໍ້ມູນຖືກສຳຮອງທຸກຄືນ", ("ຖານຂໍ້ມູນ", "ສຳຮອງ")),
        ("ຫ້າມບັນທຶກລະຫັດຜ່ານ", ("ລະຫັດຜ່ານ",)),
        ("ຮູບພາບຖືກຫຍໍ້ກ່ອນເກັບ", ("ຮູບພາບ",)),
    ),
    "Burmese": (
        ("ဒေတာဘေ့စ်ကို ညတိုင်း အရန်သိမ်းသည်", ("ဒေတာဘေ့စ်", "အရန်သိမ်း")),
        ("စကားဝှက်ကို မှတ်တမ်းတွင် မထားရ", ("စကားဝှက်",)),
        ("ပုံများကို သိမ်းမီ ချုံ့ရမည်", ("ပုံများ",)),
    ),
    "Russian": (
        ("Сервер перезапускается каждую ночь в три часа", ("перезапуск сервера", "Когда перезапускают серверы?")),
        ("Пароли никогда не пишем в журналы", ("пароль в журнале", "Можно ли писать пароль в журнал?")),
        ("Счёт округляется до копейки", ("счета", "Как округлять счет?")),
        ("Отчёты собирает Алёна по пятницам", ("отчет", "Кто собирает отчеты?")),
    ),
    "Arabic": (
        ("الخادم يعاد تشغيله كل ليلة", ("خادم", "متى يعاد تشغيل الخادم؟")),
        ("كلمات المرور لا تكتب في السجلات", ("المرور", "كلمات مرور في السجلات")),
        ("أحمد مسؤول عن الترجمة", ("ترجمة", "احمد")),
    ),
    "Hindi": (
        ("सर्वर हर रात पुनः चालू होता है", ("सर्वर", "सर्वर कब चालू होता है?")),
        ("पासवर्ड कभी लॉग में न लिखें", ("पासवर्ड लिखना", "क्या पासवर्ड लॉग में लिख सकते हैं")),
        ("किताबें पुराने गोदाम में रखी हैं", ("किताब", "पुरानी किताबों का गोदाम")),
    ),
    "Hebrew": (
        ("השרת מופעל מחדש בכל לילה", ("השרת", "לילה")),
        ("סיסמאות לעולם לא נשמרות ביומן", ("סיסמאות", "ביומן")),
    ),
    "Greek": (
        ("Ο διακομιστής επανεκκινεί κάθε νύχτα", ("διακομιστης", "νύχτα")),
        ("Οι κωδικοί δεν γράφονται στο ημερολόγιο", ("ΚΩΔΙΚΟΊ", "ημερολογιο")),
    ),
}  # fmt: skip
UNRELATED = {
    "Chinese": ("明天会下雨吗？", "给我讲个笑话", "推荐一本好看的小说", "蒙古的首都是哪里？", "继续", "帮我写一首关于秋天的诗"),
    "Japanese": ("明日の天気を教えてください", "面白い冗談を言って", "モンゴルの首都はどこですか", "続けて",
                 "夕食のおすすめは何ですか", "俳句を書いてください"),
    "Korean": ("내일 비가 오나요?", "농담 하나 해줘", "몽골의 수도는 어디입니까", "계속해",
               "저녁 메뉴를 추천해줘", "가을에 대한 시를 써줘"),
    "German": ("Regnet es morgen in Lissabon?", "Erzähl mir einen Witz", "Wie heißt die Hauptstadt der Mongolei?", "mach weiter",
               "Schreib mir bitte ein Gedicht über den Herbst", "Welches Buch soll ich lesen?"),
    "Spanish": ("¿Va a llover en Lisboa?", "Cuéntame un chiste", "¿Cuál es la capital de Mongolia?", "sigue",
                "Escribe un poema sobre el otoño", "¿Qué libro me recomiendas?"),
    "Thai": ("พรุ่งนี้ฝนจะตกไหม", "เล่าเรื่องตลกให้ฟังหน่อย", "เมืองหลวงของมองโกเลียคืออะไร", "แต่งกลอนเรื่องฤดูใบไม้ร่วง"),
    "Russian": ("Завтра будет дождь?", "Расскажи анекдот", "Какая столица у Монголии?", "продолжай"),
    "Arabic": ("هل ستمطر غدا؟", "احك لي نكتة", "ما هي عاصمة منغوليا؟"),
    "Hindi": ("क्या कल बारिश होगी?", "एक चुटकुला सुनाओ", "मंगोलिया की राजधानी क्या है?"),
}  # fmt: skip
ASKED = [
    (language, record, question)
    for language, pairs in SETS.items()
    for record, questions in pairs
    for question in questions
]


@pytest.fixture(scope="module", params=WAYS)
def furnished(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """One project with the records of all languages, found by words or by words and sense."""
    house = House(tmp_path_factory.mktemp("languages"))
    for pairs in SETS.values():
        for record, _ in pairs:
            house.add(record)
    if request.param == "hybrid":
        embed_all(house)
    yield house
    house.db.close()


@pytest.mark.parametrize(
    ("language", "record", "question"),
    ASKED,
    ids=[f"{language}-{question}" for language, _, question in ASKED],
)
def test_a_question_finds_its_record_among_the_first_three(
    furnished: House, language: str, record: str, question: str
) -> None:
    assert record in furnished.found(question)[:3], language


def test_unrelated_prompts_get_nothing_in_any_language(furnished: House) -> None:
    """One may fall for a chance likeness of two pairs of letters."""
    answered = [
        prompt
        for prompts in UNRELATED.values()
        for prompt in prompts
        if furnished.context(task=prompt, prompt_only=True).text
    ]
    assert len(answered) <= 1, answered


@pytest.mark.parametrize("language", ["Chinese", "Japanese", "Korean", "German", "Spanish", "Thai"])
def test_each_great_language_has_a_dozen_records_and_questions(language: str) -> None:
    pairs = SETS[language]
    assert len(pairs) >= 12 and all(
        question != record for record, questions in pairs for question in questions
    )
