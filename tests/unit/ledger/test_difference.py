"""Desired-state posting: the difference brings what is posted to what is owed, once and in whole cents."""

from hypothesis import given
from hypothesis import strategies as st

from core.ledger.difference import Move, after, difference

KEYS = st.text("abc|", min_size=1, max_size=3)
CENTS = st.integers(-(2**63), 2**63)
STATES = st.dictionaries(KEYS, CENTS, max_size=6)


def nonzero(state: dict[str, int]) -> dict[str, int]:
    return {key: cents for key, cents in state.items() if cents}


@given(STATES, STATES)
def test_after_the_moves_what_is_posted_is_what_is_owed(posted, owed):
    assert nonzero(after(posted, difference(posted, owed))) == nonzero(owed)


@given(STATES, STATES)
def test_posting_the_same_state_again_moves_nothing(posted, owed):
    assert difference(after(posted, difference(posted, owed)), owed) == ()


@given(STATES)
def test_what_agrees_moves_nothing(state):
    assert difference(state, dict(reversed(state.items()))) == ()


@given(STATES, STATES)
def test_every_move_is_positive_and_of_a_key_that_changes(posted, owed):
    for move in difference(posted, owed):
        assert move.cents > 0
        assert move.up == (owed.get(move.key, 0) > posted.get(move.key, 0))


@given(STATES, STATES)
def test_no_key_moves_twice_and_the_keys_are_in_order(posted, owed):
    keys = [move.key for move in difference(posted, owed)]
    assert keys == sorted(set(keys))


@given(STATES, STATES)
def test_the_way_back_is_the_same_moves_the_other_way(posted, owed):
    back = tuple(move._replace(up=not move.up) for move in difference(posted, owed))
    assert difference(owed, posted) == back


@given(STATES, STATES, STATES)
def test_two_steps_arrive_where_one_does(posted, between, owed):
    stepped = after(after(posted, difference(posted, between)), difference(between, owed))
    assert nonzero(stepped) == nonzero(after(posted, difference(posted, owed)))


@given(STATES, STATES)
def test_neither_state_is_changed(posted, owed):
    before = dict(posted), dict(owed)
    after(posted, difference(posted, owed))
    assert (posted, owed) == before


@given(st.lists(st.dictionaries(KEYS, st.integers(0, 10**9), max_size=4), max_size=8))
def test_after_many_acts_the_moves_sum_to_the_last_state(states):
    posted: dict[str, int] = {}
    total: dict[str, int] = {}
    for owed in states:
        moves = difference(posted, owed)
        for move in moves:
            total[move.key] = total.get(move.key, 0) + (move.cents if move.up else -move.cents)
        posted = after(posted, moves)
    assert nonzero(total) == nonzero(states[-1] if states else {})


def test_a_key_that_is_owed_no_longer_is_taken_back():
    assert difference({"fee": 2_500, "tax": 100}, {"tax": 150}) == (Move("fee", 2_500, False), Move("tax", 50, True))
