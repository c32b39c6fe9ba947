"""How rules are stated without a word that says so: what is ruled, and what is done with it. Data.

`Branch names are written in small letters` names what a project has many of, and what is done with
it as a rule; a word of now (`the build is running again`) makes it news.
"""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Habits:
    """Phrases for what is ruled, for what is done as a rule, and for what happens now."""

    topics: str
    habits: str
    nows: str


HABITS = {
    "de": Habits(
        "branchnamen | namen | tests | migrationen | releases | deployments | commits | "
        "logs | datumsangaben | daten | zeiten | zeitstempel | kundendaten | secrets | "
        "zugangsdaten | schluessel | endpunkte | jeder endpunkt | jede funktion | "
        "jede migration | jeder pr | pull requests | merges | dateien | spalten | tabellen | "
        "variablen | konfiguration* | fehlermeldungen | alle * | jede* | saemtliche | "
        "backups | preise | betraege | ids | preise | betraege | der * | die * | das *",
        "laufen | laeuft | beginnen mit | beginnt mit | enden auf | bleiben | bleibt | "
        "werden | wird | stehen in | liegen in | liegt in | gehen ueber | gehen durch | "
        "kommen in | kommt in | heissen | schreiben wir | gehoeren in | gehoert in | "
        "haben ein* | hat ein* | folgen | sind in | braucht ein* | brauchen ein* | "
        "speichern wir | * wir in | * wir als | bekommt | bekommen | wird ~ ge* | "
        "werden ~ ge*",
        "jetzt | gerade | momentan | wieder | gestern | heute | eben | schon | noch nicht | "
        "bereits | inzwischen | endlich | sind durch | ist durch | danke | haengen | "
        "ordner",
    ),
    "es": Habits(
        "los nombres | nombres de | los tests | las pruebas | las migraciones | "
        "los despliegues | los commits | los logs | las fechas | los datos | los secretos | "
        "las claves | cada * | todo * | toda * | todos los * | todas las * | los endpoints | "
        "las ramas | los archivos | los ficheros | las columnas | las tablas | "
        "las variables | los precios | los mensajes | los * | las * | un pr | el *",
        "van en | va en | van con | se hacen | se hace | se escriben | se escribe | "
        "se guardan | se guarda | se ejecutan | se ejecuta | lleva | llevan | corren en | "
        "corre en | viven en | vive en | pasan por | pasa por | empiezan por | "
        "empiezan con | terminan en | quedan en | se quedan en | tienen que | tiene un* | "
        "se almacenan | se nombran | son en | se *an | se *en | se *a en | se *e en | "
        "se quedan en",
        "ahora | ya | hoy | ayer | otra vez | de nuevo | todavia | aun | por fin | "
        "acaba* de | se quedan colgad* | carpeta | pasaron",
    ),
    "fr": Habits(
        "les noms | noms de branche | les tests | les migrations | les deploiements | "
        "les commits | les logs | les dates | les donnees | les secrets | les cles | "
        "chaque * | tout * | toute * | tous les * | toutes les * | les endpoints | "
        "les branches | les fichiers | les colonnes | les tables | les variables | "
        "les prix | les messages | les * | le * | la *",
        "s'ecrivent | s'ecrit | sont stocke* | est stocke* | sont ecrit* | se font | "
        "se fait | passent par | passe par | passent toujours | tournent dans | "
        "tourne dans | vivent dans | vont dans | va dans | commencent par | commence par | "
        "finissent par | restent | reste a | sont en | portent | porte un* | a son | "
        "ont leur | sont conserve* | sont nomme* | est re* | sont *es | sont *s | est *ee | "
        "se *ent",
        "maintenant | en cours | aujourd'hui | hier | deja | encore | a nouveau | enfin | "
        "viennent de | sont passe* | est passe* | sont tombe* | dossier | est en cours | "
        "est casse* | est arrive*",
    ),
    "pt": Habits(
        "os nomes | nomes de | nomes das | os testes | as migracoes | os deploys | "
        "os commits | os logs | as datas | os dados | os segredos | as chaves | cada * | "
        "todo * | toda * | todos os * | todas as * | os endpoints | as branches | "
        "os arquivos | os ficheiros | as colunas | as tabelas | as variaveis | os precos | "
        "os * | as *",
        "ficam em | fica em | sao gravad* | sao guardad* | sao salv* | sao escrit* | "
        "sao armazenad* | passa por | passam por | rodam em | roda em | correm em | vao em | "
        "vai em | comecam com | comeca com | terminam em | se escrevem | sao feit* | "
        "tem um* | levam | leva um* | vivem em | sao *ad* | sao *id* | e revisad* | se *am | "
        "se *em",
        "agora | ja | hoje | ontem | de novo | ainda | finalmente | acabou de | passaram | "
        "pasta | foram",
    ),
    "ru": Habits(
        "имена | названия | тесты | миграции | релизы | деплои | коммиты | логи | даты | "
        "данные | секреты | ключи | каждый * | каждая * | каждое * | все * | всё * | ветки | "
        "файлы | колонки | таблицы | переменные | цены | сообщения | эндпоинты | суммы | "
        "цены | эндпоинты | пулл-реквест* | pr",
        "пишутся | пишется | пишем | хранятся | хранится | храним | выходят | начинаются с | "
        "начинается с | заканчиваются | проходят через | проходит через | запускаются в | "
        "запускается в | лежат в | лежит в | живут в | остаются в | остаётся в | имеет | "
        "имеют | называются | именуются | идут через | *ятся | *ются | *ится | *ется | "
        "*ем в | *им в | покрыт* | проверяет*",
        "сейчас | уже | сегодня | вчера | опять | снова | ещё | наконец | только что | "
        "прошли | прошёл | упали | папке | лежат в папке",
    ),
    "zh": Habits(
        "分支名 | 分支 | 提交 | 日志 | 日期 | 时间 | 数据 | 密钥 | 接口 | 每个 | 每次 | "
        "所有 | 全部 | 测试 | 迁移 | 发布 | 部署 | 文件 | 变量 | 字段 | 表名 | 金额 | 配置 | "
        "金额 | 价格 | 时区",
        "用小写 | 用大写 | 用 ~ 存 | 存成 | 存在 | 存为 | 都存 | 都有 | 都要 | 都用 | 都放 | "
        "放在 | 写成 | 用英文 | 走 ~ 流程 | 跑在 | 在 ~ 里跑 | 以 ~ 开头 | 开头 | 结尾 | "
        "命名 | 留在 | 存储 | 为单位 | 必有 | 由 ~ 审",
        "现在 | 已经 | 刚 | 今天 | 昨天 | 又 | 还没 | 正在 | 了。 | 了 | 通过了 | 跑完",
    ),
    "ja": Habits(
        "ブランチ名 | ブランチ | コミット | ログ | 日付 | 日時 | 時刻 | データ | 秘密情報 | "
        "キー | すべて | 全て | 全部 | 各 | テスト | マイグレーション | リリース | "
        "デプロイ | ファイル | 変数 | 列名 | 金額 | 設定 | 金額 | 価格",
        "書きます | 書く | 保存します | 保存する | 統一します | 統一する | 実行します | "
        "実行する | 置きます | 置く | 始めます | 始まります | 使います | で管理します | "
        "で管理する | を通します | に置いています | 保存します | を使う | *で保存",
        "今 | 現在 | もう | さっき | 今日 | 昨日 | また | まだ | 中です | ています | "
        "通りました | ました",
    ),
    "ko": Habits(
        "브랜치 이름 | 브랜치 | 커밋 | 로그 | 날짜 | 시간 | 데이터 | 비밀 | 키 | 모든 | "
        "전부 | 각 | 테스트 | 마이그레이션 | 릴리스 | 배포 | 파일 | 변수 | 컬럼 | 금액 | "
        "설정 | 금액 | 가격",
        "씁니다 | 쓴다 | 써요 | 저장합니다 | 저장한다 | 저장해요 | 실행합니다 | 실행한다 | "
        "둡니다 | 둔다 | 시작합니다 | 시작한다 | 통일합니다 | 통일한다 | 거칩니다 | 거친다 | "
        "관리합니다 | 관리한다 | 단위로",
        "지금 | 이미 | 방금 | 오늘 | 어제 | 다시 | 아직 | 고 있 | 했어요 | 했습니다 | 됐어요",
    ),
    "ar": Habits(
        "أسماء | الفروع | الاختبارات | السجلات | التواريخ | البيانات | المفاتيح | كل | "
        "جميع | الملفات | المتغيرات | الجداول | الأسعار | الإصدارات | المبالغ | الأسعار | "
        "كل طلب",
        "تكتب | يكتب | تخزن | يخزن | تحفظ | يحفظ | تبدأ | يبدأ | تنتهي | تمر عبر | يمر عبر | "
        "تبقى | يبقى | تعمل داخل | تسمى | لها | له | يراجع* | تراجع*",
        "الآن | حاليا | اليوم | أمس | مجددا | بعد | للتو | نجحت | فشلت | انتهت",
    ),
    "it": Habits(
        "i nomi | nomi dei | i test | le migrazioni | i rilasci | i deploy | i commit | "
        "i log | le date | i dati | i segreti | le chiavi | ogni * | tutte le * | "
        "tutti i * | gli endpoint | i branch | i file | le colonne | le tabelle | "
        "le variabili | i prezzi | gli * | le * | i * | il *",
        "si scrivono | si scrive | si fanno | si fa | sono salvat* | sono scritt* | "
        "sono memorizzat* | vanno in | va in | vanno nel* | passano per | passano da | "
        "passa da | girano in | gira in | iniziano con | inizia con | finiscono con | "
        "restano | resta in | hanno un* | ha un* | ha il suo | vivono in | stanno in | "
        "viene * | vengono * | sono *at* | sono *it* | sono espress* | sono scritt* | "
        "si *ano | si *ono",
        "adesso | ora | gia | oggi | ieri | di nuovo | ancora | finalmente | appena | "
        "sono passat* | sono andat* | sono fallit* | sono finit* | cartella | "
        "sono arrivat*",
    ),
    "nl": Habits(
        "branchnamen | namen | tests | migraties | releases | deployments | commits | logs | "
        "datums | klantgegevens | gegevens | sleutels | elke * | ieder* | alle * | "
        "endpoints | branches | bestanden | kolommen | tabellen | variabelen | prijzen | "
        "bedragen | bedragen | prijzen | de *",
        "beginnen met | begint met | eindigen op | worden | wordt | draaien in | draait in | "
        "blijven | blijft | staan in | staat in | gaan via | gaat via | krijgt een | "
        "krijgen een | heeft een | hebben een | schrijven we | horen in | hoort in | "
        "slaan we op | slaan we ~ op | wordt ~ bekeken | worden ~ ge* | wordt ~ ge* | "
        "wordt ~ be*",
        "nu | weer | vandaag | gisteren | al | nog | net | eindelijk | inmiddels | "
        "zijn geslaagd | is geslaagd | map",
    ),
    "pl": Habits(
        "nazwy | testy | migracje | wydania | wdrozenia | commity | logi | daty | dane | "
        "sekrety | klucze | kazdy * | kazda * | kazde * | wszystkie * | wszystko | galezie | "
        "pliki | kolumny | tabele | zmienne | ceny | kwoty | endpointy | kwoty | ceny",
        "piszemy | pisze sie | sa przechowywane | sa zapisywane | sa trzymane | zapisujemy | "
        "przechowujemy | zaczynaja sie od | zaczyna sie od | koncza sie | przechodza przez | "
        "przechodzi przez | dzialaja w | uruchamiamy w | zostaja w | leza w | maja | "
        "ma swoj* | nazywamy | ida przez | *amy | *emy | *imy | *ymy | sa *ne w | "
        "sa *ne jako | jest *ny przez",
        "teraz | wlasnie | juz | dzisiaj | dzis | wczoraj | znowu | jeszcze | wreszcie | "
        "przeszly | przeszedl | padly | katalogu",
    ),
    "tr": Habits(
        "dal adları | adları | testler | taşımalar | sürümler | dağıtımlar | commitler | "
        "loglar | günlükler | tarihler | veriler | anahtarlar | her * | tüm * | bütün * | "
        "dosyalar | sütunlar | tablolar | değişkenler | fiyatlar | tutarlar | fiyatlar | "
        "*lar | *ler",
        "yazılır | saklanır | tutulur | kaydedilir | çalışır | çalıştırılır | başlar | "
        "biter | kalır | geçer | yapılır | bulunur | adlandırılır | kullanır | *ilir | "
        "*ılır | *ulur | *ülür | *anır | *enir | *inir | *ınır | *unur | *ünür",
        "şu anda | şu an | şimdi | bugün | dün | yine | henüz | artık | az önce | geçti | "
        "bitti | klasör*",
    ),
    "vi": Habits(
        "tên nhánh | nhánh | mọi * | tất cả * | mỗi * | các * | nhật ký | log | ngày giờ | "
        "dữ liệu | khóa | test | bản phát hành | tệp | biến | cột | bảng | giá | mỗi pr | "
        "số tiền",
        "viết bằng | viết thường | được lưu | đều được | lưu theo | lưu bằng | lưu ở | "
        "chạy trong | bắt đầu bằng | kết thúc bằng | đi qua | nằm ở | nằm trong | đặt theo | "
        "đều có | đều phải | cần | phải | được ~ duyệt",
        "đang | vừa | hôm nay | hôm qua | lại | đã | vẫn chưa | bây giờ | đã qua | qua rồi | xong",
    ),
    "hi": Habits(
        "नाम | टेस्ट | माइग्रेशन | रिलीज़ | कमिट | लॉग | तारीखें | तारीख | डेटा | कुंजी | "
        "हर | सभी | सारे | सारी | फ़ाइलें | फाइलें | कॉलम | टेबल | कीमतें | राशि | हर pr",
        "लिखे जाते हैं | लिखी जाती हैं | लिखा जाता है | सहेजी जाती हैं | सहेजे जाते हैं | "
        "सहेजा जाता है | रखे जाते हैं | रखा जाता है | रखी जाती हैं | चलते हैं | "
        "चलाए जाते हैं | शुरू होते हैं | शुरू होता है | में रहता है | में रहते हैं | "
        "से गुजरते हैं | से गुज़रते हैं | *ते हैं | *ती हैं | *ता है | जाते हैं | जाती हैं",
        "अभी | आज | कल | फिर से | अब | पहले ही | रहा है | रहे हैं | रही है | हो गए | हो गया | पास हो",
    ),
}
