"""Histories as text: joining is injective and splitting undoes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from powercert.accounting.errors import InputError
from powercert.certify.history import join_history, split_history, view_text

# Made of the characters that escaping is about, surrogates included, and of any others.
VIEWS = st.text(
    st.one_of(st.sampled_from("|\\enrtu{}\n\r\t \x00\x85\u2028\ud800a"), st.characters())
)
HISTORIES = st.lists(VIEWS, max_size=5).map(tuple)


@given(HISTORIES)
def test_split_undoes_join(history: tuple[str, ...]) -> None:
    assert split_history(join_history(history)) == history


@given(HISTORIES, HISTORIES)
def test_join_is_injective(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    assert (join_history(first) == join_history(second)) == (first == second)


@given(HISTORIES)
def test_a_joined_history_is_one_printable_line(history: tuple[str, ...]) -> None:
    text = join_history(history)
    assert text.isprintable()
    assert text.encode().decode() == text


@given(HISTORIES)
def test_views_are_joined_by_bars(history: tuple[str, ...]) -> None:
    assert join_history(history) == "|".join(map(view_text, history))


@given(st.text(st.sampled_from("|\\enu{}0aZ")))
def test_any_text_is_split_or_refused(text: str) -> None:
    try:
        views = split_history(text)
    except InputError:
        return
    assert split_history(join_history(views)) == views


@pytest.mark.parametrize("text", ["a||b", "|", "a|", "\\", "a\\", "\\q", "\\u{110000}", "\\u{}"])
def test_what_join_never_writes_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        split_history(text)


def test_values_that_are_not_text_stand_as_their_text() -> None:
    assert join_history([1, (2, "x"), None]) == "1|(2, 'x')|None"
