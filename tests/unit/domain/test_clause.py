"""Words that are rendered when somebody reads them."""

from datetime import date
from decimal import Decimal

from core.domain.clause import Words, implements
from core.domain.errors import Fault, Refused, shown


def test_figures_are_written_as_people_write_them():
    words = Words("{0:money} x {1:percent} from {2:day} for {3} days", (123456, Decimal("0.065"), date(2026, 5, 1), 46))
    assert str(words) == "$1,234.56 x 6.5% from May 1, 2026 for 46 days"


def test_a_figure_may_stand_twice_and_braces_in_a_figure_stay():
    assert str(Words("{0} and {0}", ("{1:money}",))) == "{1:money} and {1:money}"


def test_nothing_is_rendered_before_it_is_read():
    class Loud:
        def __str__(self):
            raise AssertionError("rendered")

    Words("{0}", (Loud(),))


def test_a_rule_carries_its_clauses():
    @implements("A-1", "A-2")
    def rule():
        """One clause, one function."""

    assert rule.__clauses__ == ("A-1", "A-2")


def test_a_refusal_lists_every_fault():
    faults = [Fault("a", "first"), Fault("b", "second")]
    refused = Refused(faults)
    assert refused.faults == tuple(faults)
    assert str(refused) == "a: first; b: second"


def test_a_shown_value_fits_on_a_line_and_prints():
    nested = []
    for _ in range(5_000):
        nested = [nested]
    for value in ("x" * 10_000, "\ud800\n\x1b[31m", nested, {"a": nested}, 10**3_000):
        assert len(shown(value)) <= 200
        assert shown(value).isprintable()
    assert (shown(None), shown(True), shown(False), shown("é")) == ("null", "true", "false", "'é'")
