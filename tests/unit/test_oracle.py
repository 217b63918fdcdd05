"""The worked cases and random ones, against the oracle and against the promises that hold for any case."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.fuzz import disagreement, product_answer
from tests.support.oracle import assess
from tests.support.random_cases import cases, random_case, smallest

WORKED = sorted((Path(__file__).parents[1] / "data" / "cases").glob("*.json"))


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.stem)
def test_worked_case(path):
    case = json.loads(path.read_text(encoding="utf-8"))
    expected = case.pop("expected")
    assert assess(case) == expected
    assert product_answer(case) == expected
    assert disagreement(case) is None


def test_there_are_worked_cases():
    assert len(WORKED) == 93


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_cases(seed):
    source = random.Random(seed)
    for _ in range(400):
        case = random_case(source)
        if disagreement(case) is not None:
            found = smallest(case, lambda one: disagreement(one) is not None)
            pytest.fail(f"{json.dumps(found)}\n{disagreement(found)}")


@settings(max_examples=100, deadline=None)
@given(cases())
def test_cases_that_hypothesis_chooses(case):
    assert disagreement(case) is None
