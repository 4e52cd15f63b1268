"""Meanings of options and terms in Japanese, by their English text in the tables of ``docs/rules``.

The pages of presets and the glossary show these to who reads Japanese. A test holds that every meaning has
one, so that a table that changes is translated again.
"""

from __future__ import annotations

OPTIONS = {
    "places at the table; opposite ones are partners. The other number is another preset": (
        "卓の席数。向かい合う席が組になる。ほかの席数は別のプリセット"
    ),
    "stones of each pair before the first deal (D3)": "最初の局の前に各組が持つ石（D3）",
    "the game ends after this many deals at the latest (D17)": "ゲームは遅くともこの局数で終わる（D17）",
    "table by which the winners are paid (D13)": "勝った組への支払いの表（D13）",
    "losers short of stones go negative and the winners get all; else they pay what they have (D16)": (
        "石の足りない負け組はマイナスになり、勝った組は全額を受け取る。そうでなければ持っているだけ払う（D16）"
    ),
    "how the opening lead is settled (D8)": "最初のリードの決め方（D8）",
    "the trump suit of every deal, without a trump phase; none: it may change (D7)": (
        "切り札を決める段階のない、全局共通の切り札。noneなら変わりうる（D7）"
    ),
    "who deals and rests next (D1): the losers; or the pair that rested does so again, so that 3&6 rest for "
    "ever": ("次に配って休む組（D1）：負けた組。または休んだ組がまた休み、3&6がずっと休む"),
    "who may change trumps from deal 2 (D2): the pair that neither deals nor leads, or the losers. In deal 1 "
    "always the resting dealers": (
        "2局目から切り札を変えられる組（D2）：配りもリードもしない組、または負けた組。1局目は常に休む配り番"
    ),
    "Rensho may be played although its holder could follow suit (D10)": (
        "台札と同じスートを持っていても、れんしょを出してよい（D10）"
    ),
    "the deal stops with the trick that takes the sixteenth picture; the result is the same (D18)": (
        "16枚目の絵柄が取られたトリックで局を終える。結果は変わらない（D18）"
    ),
    "which way deal and play go round ([D19](etori.md#decisions))": (
        "配る向きと打つ向き（[D19](etori.md#decisions)）"
    ),
    "an option of [simplified Etori](etori.md#options); here aces count as dealt": (
        "[簡易絵取り](etori.md#options)のオプション。ここではAは配られたとおりに数える"
    ),
    "an option of simplified Etori; here both members of a pair deal": (
        "簡易絵取りのオプション。ここでは組の二人とも配る"
    ),
    "an option of Meiji Etori": "明治絵取りのオプション",
    "an option of Meiji Etori; here the length of a game is `hand_cap`": (
        "明治絵取りのオプション。ここではゲームの長さは`hand_cap`"
    ),
    "chips of each team before the first deal (D3); Meiji Etori counts points from 0": (
        "最初の局の前に各組が持つチップ（D3）。明治絵取りは0から点を数える"
    ),
    "losers short of chips go negative and the winners get all; else they pay what they have (D16)": (
        "チップの足りない負け組はマイナスになり、勝った組は全額を受け取る。そうでなければ持っているだけ払う（D16）"
    ),
    "the trump suit of every deal (D7)": "全局共通の切り札（D7）",
    "Rensho (speculation) may be played although its holder could follow suit (D10)": (
        "台札と同じスートを持っていても、れんしょ（スペキュレーション）を出してよい（D10）"
    ),
    "which way deal and play go round (D19)": "配る向きと打つ向き（D19）",
    "which aces count for payment (D14)": "支払いに数えるA（D14）",
    "who deals next (D20): the losers' seats in turn, or the seat on the left": (
        "次の親（D20）：負けた組の席が順に、または左隣の席"
    ),
    "how trumps come about (D21)": "切り札の決まり方（D21）",
    "points of a deal (D21)": "一局の点数（D21）",
    "deals of a game (D21)": "一ゲームの局数（D21）",
    "an option of [Kakeya of six](kakeya.md#options)": "[六人の掛合](kakeya.md#options)のオプション",
    "an option of Kakeya of six": "六人の掛合のオプション",
    "players (D22)": "人数（D22）",
    "stones of each seat before the first deal (D52)": "最初の局の前に各席が持つ石（D52）",
    "deals of a game (D52)": "一ゲームの局数（D52）",
    "stones may go below 0; or the game ends with the deal that leaves a seat with none or fewer (D52)": (
        "石は0より減ってよい。または、ある席の石が0以下になった局でゲームが終わる（D52）"
    ),
    "each seat may swap its unseen hand for the dealer's": "各席は見る前の手札を親の手札と取り替えてよい",
    "a winner may hand the next deal to the right (D25)": "勝った人は次の親を右隣に譲ってよい（D25）",
    "who deals first in a game (D24): a random seat, or the one that draws the highest card": (
        "ゲームの最初の親（D24）：無作為の席、またはいちばん大きい札を引いた席"
    ),
    "what the court cards count (D23): jack 10 and queen 11, or queen 10 and jack 11; names of cards stay": (
        "絵札の値（D23）：Jが10でQが11、またはQが10でJが11。札の呼び名は変わらない"
    ),
    "a wild card played alone stands for a value its player names; or lets anything follow (D30)": (
        "一枚だけ出した鬼札は、出した人が言う値になる。または次に何を出してもよくなる（D30）"
    ),
    "wild cards may stand for another value in sansoku pairs (D34)": (
        "三足のペアでは、鬼札をほかの値の代わりにしてよい（D34）"
    ),
    "passing a turn without playing costs a stone to the pot (D40)": (
        "出さずにパスすると、場に石を一つ払う（D40）"
    ),
    "a return turn must turn up a box card before anything is played (D42)": (
        "番が戻った人は、出す前に箱の札を一枚めくらなければならない（D42）"
    ),
    "seats that dropped pay for a guri too (D50)": "降りた席もグリの分を払う（D50）",
    "a return turn with an empty box: its player must play and may play anything; or the deal is dead "
    "(D47)": ("箱が空で番が戻ったとき：その人は何でもよいから出さなければならない。または局は流れる（D47）"),
}

TERMS = {
    'trumps (Kakeya). In Komatsu cards "kiri" is the 12, which is unrelated': (
        "切り札（掛合）。小松札の「きり」は12のことで、関係がない"
    ),
    "the card that beats everything: `AC` if spades are trumps, else `AS`": (
        "すべてに勝つ札。切り札がスペードなら`AC`、ほかは`AS`"
    ),
    "the 16 picture cards A K Q J": "16枚の絵柄A K Q J",
    "the pair that deals": "配る組",
    "the card dealt last, and the pile that holds it": "最後に配られた札と、それのある山",
    "in Kakkuri the dealer and the others; in Kakeya town oya is the player who leads": (
        "カックリでは配る人とほかの人。掛合町ではリードする人を親という"
    ),
    '"I lead", "you lead" (lead talk of the circle Nakayoshi Mura)': (
        "「自分がリードする」「そちらがリードする」（なかよし村でのリードの言葉）"
    ),
    "Meiji name of `AS` as the card that beats trumps": "明治期、切り札に勝つ札としての`AS`の名",
    'the stock of Kakkuri ("box")': "カックリの山札",
    "to swap one's unseen hand for the dealer's": "見る前の手札を親の手札と取り替えること",
    "to play cards, to pass on, to drop out": "札を出すこと、番を送ること、降りること",
    "instant win with `AS AD AH`": "`AS AD AH`がそろったときの即上がり",
    "going out with the whole hand in one turn": "一度の番で手札を全部出して上がること",
    "a hand of three pairs, declared and played as pairs": "ペアが三組の手札。宣言して、ペアごとに出す",
    "wild card (`AC`, `2D` in Kakkuri)": "何の代わりにもなる札（カックリの`AC`と`2D`）",
    "the pattern of the cards of Kakkuri ([in standard cards](#card-notation))": (
        "カックリの札の図柄（[トランプでは](#card-notation)）"
    ),
    "the suits of Komatsu cards: clubs, swords, coins, cups": "小松札のスート：棍棒、剣、金貨、杯",
    '"reading": games in which cards are laid in ascending order; Kakkuri is the last one played': (
        "札を小さい順に出していく遊び。今も遊ばれている最後の一つがカックリ"
    ),
    "lottery sticks that fix seats and pairs": "席と組を決めるくじ",
    "cutting, by the left neighbour (Kakkuri)": "左隣の人が札を切ること（カックリ）",
}


def in_language(text: str, words: dict[str, str], language: str) -> str:
    """The text of a table in this language, or as it is if there is no other.

    >>> in_language("the pair that deals", TERMS, "ja"), in_language("the pair that deals", TERMS, "en")
    ('配る組', 'the pair that deals')
    """
    return words.get(text, text) if language == "ja" else text
