"""A list of ratings."""

from __future__ import annotations

import pytest

from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out


def a_rated_list() -> RatingList:
    """A list with four rated versions, and two who are not comparable yet."""
    play_out(begun(4, boards_per_round=6))
    play_out(begun(2, boards_per_round=2))
    ratings_make()
    return RatingList.objects.get()


rows_of_the_list = made_once(a_rated_list, serials=1000)


@pytest.fixture
def rated(rows_of_the_list: RatingList, db: None) -> RatingList:
    """The same for all tests here."""
    return given(rows_of_the_list)
