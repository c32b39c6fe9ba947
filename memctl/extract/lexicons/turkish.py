"""Turkish cues. Data."""

from __future__ import annotations

from memctl.extract.lexicons.base import Lexicon

TURKISH = Lexicon(
    code="tr",
    words="""ve bir bu icin ile degil cok daha kadar sonra veya ya da ki mi mu ne
    nasil neden niye hangi kim nerede zaman hicbir asla sadece yalnizca simdi artik lutfen
    yaz kullan kullaniyoruz tutuyoruz cuenkue yerine olarak olmadan olsun olmali gerek gerekiyor
    bizim benim bize biz yok uezerinde icinde altinda tuem buetuen kullaniriz
    etme yapma gerekir uezere dosya yeterli""",
    lasting="bundan sonra | bundan boyle | bundan böyle | şu andan itibaren | bugünden itibaren | "
    "yarından itibaren | artık hep | gelecekte | bir dahaki sefere | ileride",
    always="her zaman | daima | hep | her seferinde | varsayılan olarak | genel olarak | "
    "kural olarak | "
    "her yerde | istisnasız | sürekli",
    likes="tercih ederim | tercih ediyorum | tercihim | seviyorum | severim | sevmiyorum | "
    "sevmem | "
    "nefret ediyorum | nefret ederim | hoşuma gid* | hoşuma git* | istemiyorum | "
    "ihtiyacım yok | benim için daha | rahatsız ediyor | bana yeter | daha çok hoşuma",
    decides="karar verdik | karar verildi | kararımız | karar aldık | kararlaştırdık | seçtik | "
    "seçiyoruz | anlaştık | karar kıldık | geçiyoruz | geçtik | taşınıyoruz | taşıyoruz | "
    "vazgeçtik | bırakıyoruz | bıraktık | değiştirdik | kullanacağız | kullanmaya karar | "
    "ile devam ediyoruz | artık kullanmıyoruz",
    uses="kullanıyoruz | kullanırız | tutuyoruz | tutarız | saklıyoruz | saklarız | yazıyoruz | "
    "yazarız | çalıştırıyoruz | dağıtıyoruz | üzerinde çalışıyor | üzerinde çalışır | "
    "içinde çalışır | içinde çalışıyor | kullanılıyor | kullanılır | barındırıyoruz",
    forbids="asla | hiçbir zaman | hiçbir şekilde | hiçbir koşulda | kesinlikle ~ ma | "
    "kesinlikle ~ me | kesinlikle * | sakın | yasak | yasaktır | izin yok | izin verilmez | "
    "olmadan ~ yapma* | olmadan ~ yapılma* | olmadan ~ etme* | olmadan ~ çıkma* | "
    "olmadan ~ yayınlama* | olmadan ~ olmaz | olmadan ~ edilmez | olmadan ~ edilemez | "
    "olmadan ~ yayınlanamaz | dokunma | silme | değiştirme | yapılamaz | yapılmaz | edilemez | "
    "yayınlama | kullanılmaz | kullanılamaz | yazılmaz | sadece ~ sonra",
    duties="zorunda | zorundayız | zorunlu | zorunludur | gerekli | gereklidir | gerekir | "
    "gerekiyor | şart | şarttır | mecburi | mutlaka | olmalı | olmalıdır | yapılmalı | "
    "edilmeli | yazılmalı | kalmalı | gerekli* | en az | en fazla | onay gerek*",
    remembers="unutma | aklında tut | aklında olsun | hatırla | not et | not al | bil ki | "
    "haberin olsun",
    orders="yaz | yazın | yanıtla | cevap ver | cevapla | kullan | kullanın | sor | açıkla | "
    "göster | "
    "çalıştır | tut | bırak | ver | biçimlendir | kaçın | adlandır | haber ver | yap",
    manner="yanıt* | cevap* | açıklama* | yorum* | commit mesaj* | commit* | türkçe | ingilizce | "
    "emoji* | madde* | özet* | kısa | bana sor | sormadan | önce sor",
    everywhere="tüm projeler* | bütün projeler* | her projede | tüm repolar* | tüm depolar* | "
    "bütün repolar*",
    reasons="çünkü | zira | aksi halde | aksi takdirde | yoksa | ki | bu yüzden",
    reasons_before="olduğu için | yettiği için | için | yüzünden | nedeniyle | sebebiyle | "
    "diye | dolayı",
    over="",
    over_before="yerine | değil",
    fleeting="bu sefer | bu kez | bu seferlik | şimdilik | şu an için | şu anda | şu an | "
    "sadece bugün | bugünlük | geçici* | bu committe | bu commit'te | bu pr'da | bu branchte | "
    "bu dosyada | sadece burada | deneme için",
    tasks="düzelt | ekle | bak | kontrol et | incele | oluştur | sil | kaldır | yeniden adlandır | "
    "güncelle | yapabilir misin | edebilir misin | bul | ara | analiz et | lazım | devam et | "
    "uygula",
    questions="neden | niye | niçin | hangi | kim | nerede | ne zaman | kaç | nasıl | nedir",
    hedges="belki | galiba | sanırım | bence | olabilir | bilmiyorum",
    troubles="hata | hatası | hatalar | çalışmıyor | bozuk | bozuldu | çöküyor | takılıyor | "
    "patlıyor | derlenmiyor | yavaş | çalıştı",
    shared="on at commit commits test tests branch file code fix run",
)
