"""The encodings of game records: what bytes mean which text.

A record says its encoding in `CA[...]`, or not, or wrongly. Bytes are turned into UTF-8 before anything
looks for brackets, because in Shift-JIS and GBK the second byte of a character may be `]` or a backslash.
"""

from __future__ import annotations

import codecs
import re

# Names that CA and the wild use, to Python's codec; where one encoding extends another, the larger.
_CODECS = {
    "utf8": "utf-8",
    "ascii": "utf-8",
    "usascii": "utf-8",
    "gb2312": "gb18030",
    "gb18030": "gb18030",
    "gbk": "gb18030",
    "gb": "gb18030",
    "cp936": "gb18030",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
    "shiftjis": "cp932",
    "sjis": "cp932",
    "xsjis": "cp932",
    "mskanji": "cp932",
    "windows31j": "cp932",
    "cp932": "cp932",
    "ms932": "cp932",
    "eucjp": "euc_jp",
    "euckr": "cp949",
    "ksc5601": "cp949",
    "ksc56011987": "cp949",
    "uhc": "cp949",
    "cp949": "cp949",
    "windows949": "cp949",
    "iso88591": "latin-1",
    "latin1": "latin-1",
    "windows1252": "cp1252",
    "cp1252": "cp1252",
    "iso885915": "iso8859-15",
    "koi8r": "koi8-r",
    "windows1251": "cp1251",
    "cp1251": "cp1251",
    "tis620": "tis-620",
}

# What is tried on bytes that are not UTF-8 and say nothing of themselves, in order of preference.
_GUESSES = ("gb18030", "cp932", "cp949", "big5hkscs", "euc_jp")

# Characters that records are full of: numbers and units, family names, given names, Go words, common
# words. They tell apart encodings in which the same bytes make characters that are all possible.
_COMMON = {
    "zh": (
        "的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她"
        "里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老"
        "从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机"
        "给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产"
        "入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提"
        "感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛"
        "林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权"
        "往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式"
        "李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据"
        "导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴切古柯洁芮乃伟聂卫昊孔杰陈耀烨唐"
        "韦星檀啸朴廷桓杨鼎范钰辜梓豪丁浩毅谢尔胡俞斌刘曹宇罗洗河邵炜磊邱峻彭尧睿羊段级黑胜盘负贴局围棋赛"
        "杯超输终冠弈野狐腾讯"
    ),
    "ja": (
        "日本人年大十二月一中学生出時行事国会社者分上下前後間方子女手長同自内場見立目入言話来今何私思知気"
        "心的性力合作対用定理意所面文物第三四五六七八九零高新田山川木村井藤小野原島石松林森橋谷崎沢伊佐加"
        "吉清水池金岡和竹梅芝趙治勲張栩結城聡依基王誠坂信武宮正樹羽直尾紳路河道悟裕太虎丸遼関航郎許家元余"
        "麒敦志達哉段級黒白勝半押局碁名棋聖因坊天座戦決"
    ),
    "ko": (
        "이가다에는을를의고지하한기도로서자사은어나대인아리시스정부수전오라해제그보일원성조장국구주우마있"
        "것들으여니러년게상동공모무소경면계용과선영신진교위방실비관연미유회임생학물업식산단발재행현안명민"
        "분권당반세천최초내강김박윤황송류홍문양손배백허남심노곽차엄채돌승훈환철희준석호창형욱범목태규치변"
        "급흑집불패바둑"
    ),
}
_COMMON_SETS = {language: frozenset(letters) for language, letters in _COMMON.items()}
_LANGUAGE = {"gb18030": "zh", "big5hkscs": "zh", "cp932": "ja", "euc_jp": "ja", "cp949": "ko"}

_CA = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.:\- ]{1,40}?)\s*\]")


def codec_of(name: str) -> str | None:
    """Python's codec for an encoding as records name it; None if it is not one we know.

    >>> codec_of("Shift_JIS"), codec_of("GB2312"), codec_of("rot13")
    ('cp932', 'gb18030', None)
    """
    return _CODECS.get(re.sub(r"[^a-z0-9]", "", name.lower()))


def decode(data: bytes) -> str:
    """The text of a record: by its byte order mark, its CA, as UTF-8 if it is that, else by likelihood.

    Never fails: bytes that mean nothing become U+FFFD, and what fits no other encoding is Latin-1.
    """
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    if data.isascii():
        return data.decode("ascii")
    named = _CA.search(data, 0, 100_000)
    codec = codec_of(named[1].decode("ascii")) if named else None
    utf8 = _try(data, "utf-8")
    # Many a file was made UTF-8 and kept its CA. Characters of three bytes do not come about by chance.
    if utf8 is not None and (codec in (None, "utf-8") or any(c >= "\u0800" for c in utf8)):
        return utf8
    if codec is not None and (text := _try(data, codec)) is not None:
        return text
    if utf8 is not None:
        return utf8
    if codec == "utf-8":
        return data.decode("utf-8", "replace")
    guess = _guess(data)
    if guess is not None:
        return data.decode(guess)
    return data.decode(codec or _western(data), "replace")


def _try(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def to_utf8(data: bytes) -> bytes:
    """The same record in UTF-8, without byte order mark; untouched if it is UTF-8 already."""
    if data.isascii():
        return data
    return decode(data).encode("utf-8", "replace")


def _guess(data: bytes) -> str | None:
    """The East Asian encoding in which the bytes make the likeliest text; None if none is likely."""
    if _looks_western(data):
        return None
    best, best_score = None, 0.5
    for codec in _GUESSES:
        text = _try(data, codec)
        if text is not None and (score := _likelihood(text, codec)) > best_score:
            best, best_score = codec, score
    return best


def _looks_western(data: bytes) -> bool:
    """Most bytes beyond ASCII are letters of Latin-1 that stand alone, as in "Jörg"."""
    high = len(_HIGH.findall(data))
    alone = len(_ALONE.findall(data))
    return 2 * alone > high and not _CONTROLS.search(data)


_HIGH = re.compile(rb"[\x80-\xff]")
_ALONE = re.compile(rb"(?<![\x80-\xff])[\xc0-\xff](?![\x80-\xff])")
_CONTROLS = re.compile(rb"[\x80-\x9f]")


def _likelihood(text: str, codec: str) -> float:
    """How much the characters beyond ASCII look like a text in that encoding, from 0 to 2 a character."""
    language = _LANGUAGE[codec]
    common = _COMMON_SETS[language]
    foreign = [c for c in text[:200_000] if c > "\x7f"]
    total = 0.0
    for c in foreign:
        if c in common:
            total += 2
        elif "\u3000" <= c <= "\u30ff" or "\uff00" <= c <= "\uff60":
            total += 1.5 if language == "ja" and c >= "\u3040" else 0.7  # kana; CJK and full-width marks
        elif "\uac00" <= c <= "\ud7a3":
            total += 0.9 if language == "ko" and _level(c, "euc_kr") else 0.0
        elif "\u4e00" <= c <= "\u9fff":
            total += _hanzi(c, codec)
    return total / len(foreign) if foreign else 0.0


def _hanzi(c: str, codec: str) -> float:
    """A Chinese character that is not among the most common: the first level of its standard, or not."""
    standard, second_level = {
        "gb18030": ("gb2312", 0xD8),
        "big5hkscs": ("big5", 0xC9),
        "cp932": ("euc_jp", 0xD0),
        "euc_jp": ("euc_jp", 0xD0),
        "cp949": ("euc_kr", 0),
    }[codec]
    level = _level(c, standard)
    if level is None:
        return 0.0
    return 1.0 if level < second_level else 0.4 if second_level else 0.2


def _level(c: str, codec: str) -> int | None:
    """The lead byte of a character of two bytes in that encoding; None if it is not in it."""
    try:
        encoded = c.encode(codec)
    except UnicodeEncodeError:
        return None
    return encoded[0] if len(encoded) == 2 else None


def _western(data: bytes) -> str:
    """Latin-1, or Windows' extension of it if bytes are used that Latin-1 leaves to control characters."""
    return "cp1252" if _CONTROLS.search(data) and _try(data, "cp1252") is not None else "latin-1"
