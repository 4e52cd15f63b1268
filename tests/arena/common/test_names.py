"""Which names are accepted, which are the same, and which rows a name finds."""

from __future__ import annotations

import datetime

import pytest

from arena.accounts.models import User
from arena.accounts.services import token_create, user_create
from arena.common.errors import Conflict, Invalid
from arena.common.names import name_checked, name_folded, row_named
from arena.common.unicode_like import _like
from arena.competition.series.services import series_create, series_update
from arena.competition.services import tournament_create, tournament_update
from arena.roster.models import Bot
from arena.roster.services import bot_create, bot_update
from tests import factories
from tests.factories import a_bot, aya, ben, odo
from tests.refusals import refusal

MOST = 60

ACCEPTED = [
    "kita",
    "caf\xe9 2",
    "\u6625\u306e\u5927\u4f1a\u3000\u6771\u4eac",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
    "\u0915\u094d\u200d\u0937",  # Devanagari, a joiner after a virama
    "\u0915\u094d\u200c\u0937",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # family
    "\U0001f9d1\U0001f3fd\u200d\U0001f680",  # astronaut with a skin tone
    "\U0001f3f3\ufe0f\u200d\U0001f308",  # rainbow flag
    "\u2764\ufe0f bot",
    "1\ufe0f\u20e3",
    "\U0001f1ef\U0001f1f5",
    "\u0600\u0661",  # a visible format character
    "\u05d0\u05d1 (1)",
]


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_name_of_any_script_is_accepted_as_it_is(name: str) -> None:
    assert name_checked("name", name, MOST) == name


def test_a_name_is_stored_in_nfc_without_outer_spaces() -> None:
    assert name_checked("name", " cafe\u0301\u3000", MOST) == "caf\xe9"
    assert name_checked("name", "e\u0301" * MOST, MOST) == "\xe9" * MOST, "its length counts in NFC"


@pytest.mark.parametrize(
    ("name", "character", "position"),
    [
        ("\u3164", "U+3164", 1),  # HANGUL FILLER
        ("a\u115f", "U+115F", 2),
        ("\u2800", "U+2800", 1),  # BRAILLE PATTERN BLANK
        ("ki\u200bta", "U+200B", 3),
        ("ki\xadta", "U+00AD", 3),
        ("\u202eatik", "U+202E", 1),
        ("\u2066kita", "U+2066", 1),
        ("ki\x00ta", "U+0000", 3),
        ("ki\nta", "U+000A", 3),
        ("a\u2028b", "U+2028", 2),
        ("a\ue000", "U+E000", 2),
        ("a\ufffe", "U+FFFE", 2),
        ("a\ufff9b", "U+FFF9", 2),
        ("a\ufffc", "U+FFFC", 2),
        ("ki\u200dta", "U+200D", 3),  # between letters that do not join
        ("ki\u200cta", "U+200C", 3),
        ("\u200dkita", "U+200D", 1),
        ("\u0645\u200c", "U+200C", 2),  # nothing follows
        ("\U0001f468\u200da", "U+200D", 2),
        ("\U0001f468\u200d\u200d\U0001f469", "U+200D", 2),
        ("a\ufe0f", "U+FE0F", 2),
        ("\ufe0f", "U+FE0F", 1),
        ("\U0001f3f4\U000e0067", "U+E0067", 2),
        ("a\U000e0100", "U+E0100", 2),
    ],
)
def test_an_invisible_character_is_refused_by_its_place(name: str, character: str, position: int) -> None:
    refused = refusal(Invalid, name_checked, "title", name, MOST)
    extra = refused.extra
    assert (refused.code, extra["field"], extra["character"], extra["position"]) == (
        "invalid",
        "title",
        character,
        position,
    )


@pytest.mark.parametrize("name", ["", " ", "\u3000", "\u0301", "\xa0", "x" * (MOST + 1)])
def test_a_name_has_a_visible_character_and_a_length(name: str) -> None:
    assert refusal(Invalid, name_checked, "name", name, MOST).extra["field"] == "name"


def test_an_optional_name_may_be_empty_not_invisible() -> None:
    assert name_checked("name", "  ", MOST, may_be_empty=True) == ""
    refusal(Invalid, name_checked, "name", "\u2800", MOST, may_be_empty=True)


@pytest.mark.parametrize(
    "same",
    [
        ("caf\xe9", "cafe\u0301", "CAF\xc9", "\uff23\uff21\uff26\xc9"),
        ("stra\xdfe", "STRASSE"),
        ("ki ta", "ki\u3000ta", "KI  TA"),
        ("\u30ab\u30c3\u30af\u30ea", "\uff76\uff6f\uff78\uff98"),
        ("\u2764\ufe0f", "\u2764"),
    ],
)
def test_names_that_differ_in_case_width_and_form_have_one_key(same: tuple[str, ...]) -> None:
    assert len({name_folded(name) for name in same}) == 1


def test_the_key_of_a_long_name_fits_its_column() -> None:
    assert len(name_folded("\ufdfa" * MOST)) <= 255


@pytest.mark.django_db
class TestNamesOfThings:
    def test_two_bots_of_one_owner_do_not_differ_in_form_or_case_alone(self) -> None:
        bot = a_bot(aya(), "Caf\xe9")
        for name in ("Cafe\u0301", "CAF\xc9", "\uff43af\xe9"):
            assert refusal(Conflict, bot_create, aya(), name=name, game="kakeya").code == "name_taken"
        a_bot(ben(), "caf\xe9")
        bot_update(bot, aya(), name="CAF\xc9")
        assert (bot.name, Bot.objects.get(pk=bot.pk).name_key) == ("CAF\xc9", "caf\xe9")

    def test_a_bot_renamed_leaves_its_name_to_another_one(self) -> None:
        bot = a_bot(aya(), "kita")
        bot_update(bot, aya(), name="minami")
        a_bot(aya(), "KITA")
        refusal(Conflict, bot_update, bot, aya(), name="kita")

    def test_rows_made_together_have_keys(self) -> None:
        owner = a_bot(aya()).owner
        Bot.objects.bulk_create([Bot(owner=owner, name="\xc9t\xe9", game="kakeya")])
        assert Bot.objects.get(name="\xc9t\xe9").name_key == "\xe9t\xe9"

    @pytest.mark.parametrize("name", ["\u3164", "\u2800", "a\u202eb"])
    def test_no_thing_has_a_name_nobody_sees(self, name: str) -> None:
        template = {"preset": factories.PRESET}
        series = series_create(
            odo(),
            name="cup",
            template=template,
            frequency="daily",
            start_time=datetime.time(20),
            open_hours=1,
        )
        tournament = tournament_create(odo(), name="event", preset=factories.PRESET)
        for make in (
            lambda: bot_create(aya(), name=name, game="kakeya"),
            lambda: bot_update(a_bot(aya()), aya(), name=name),
            lambda: token_create(aya(), name=name, scopes=["read"], actor=aya()),
            lambda: tournament_create(odo(), name=name, preset=factories.PRESET),
            lambda: tournament_update(tournament, odo(), name=name),
            lambda: series_update(series, odo(), name=name),
        ):
            assert refusal(Invalid, make).extra["field"] == "name"

    def test_an_event_with_an_older_name_can_still_be_changed(self) -> None:
        tournament = tournament_create(odo(), name="event", preset=factories.PRESET)
        type(tournament).objects.filter(pk=tournament.pk).update(name="a\u2800b")
        tournament_update(tournament, odo(), description="more")
        tournament.refresh_from_db()
        assert (tournament.name, tournament.description) == ("a\u2800b", "more")


@pytest.mark.django_db
class TestRows:
    def test_exact_comes_before_another_case_and_two_of_another_case_are_none(self) -> None:
        user_create("Kita")
        assert row_named(User.objects.all(), "username", "kITA") == User.objects.get(username="Kita")
        User.objects.create(username="KITA")
        assert row_named(User.objects.all(), "username", "KITA") == User.objects.get(username="KITA")
        assert row_named(User.objects.all(), "username", "kita") is None
        assert row_named(User.objects.all(), "username", "ki\0ta") is None

    def test_letters_of_any_script_are_found_in_any_case(self) -> None:
        bot = a_bot(aya(), "Le Caf\xe9 100%")
        for part in ("CAF\xc9", "caf\xe9", "le caf\xe9 100%", "\xe9 1", "\xc9"):
            assert list(Bot.objects.filter(name__icontains=part)) == [bot], part
        for part in ("CAFE", "caf_", "100%%", "%caf"):
            assert not Bot.objects.filter(name__icontains=part).exists(), part
        assert Bot.objects.filter(name__iexact="LE CAF\xc9 100%").exists()
        assert Bot.objects.filter(name__istartswith="LE CAF\xc9").exists()


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a%", "ABC", True),
        ("a_c", "a\nc", True),
        (r"a\%", "ab", False),
        (r"a\%", "A%", True),
        (r"a\_c", "abc", False),
        ("", "", True),
        ("[a]", "a", False),
    ],
)
def test_like_reads_its_pattern_as_sql_does(pattern: str, text: str, found: bool) -> None:
    assert _like(pattern, text, "\\") is found
    assert _like(None, text) is None
