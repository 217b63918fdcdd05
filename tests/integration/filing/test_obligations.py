"""Which returns are owed as of a day, and which are late (READINGS 1, 2, 4)."""

from __future__ import annotations

from datetime import date
from uuid import uuid4

import pytest
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.remember import Request
from core.domain.events import Extension
from core.services.filing.obligations import ReturnOwed, obligations
from core.services.filing.submit import ReturnForm, Signature, submit
from tests.support.places import a_fact, a_filer, a_place, first_filer, first_place
from tests.support.towns import NEVER, Town, open_town

pytestmark = pytest.mark.database


@pytest.fixture
def montello(app: Engine, host: Engine) -> Town:
    """Open since January 1, 2025."""
    return open_town(app, host, "mon", "montello")


def file(town: Town, place: object, period: str, on: date, **options: object) -> None:
    form = ReturnForm(place, period, {"rooms": 1})
    request = Request.of("owner", f"{place}{period}{on}", b"")
    signature = Signature("The owner", "owner")
    recorded = Recorded("owner", on)
    submit(town.engine, town.tenant, request, [form], signature, channel="api", recorded=recorded, **options)


def owed(town: Town, as_of: date, **options: object) -> dict[str, ReturnOwed]:
    return {one.period.key: one for one in obligations(town.engine, town.tenant, as_of, **options)}


def test_a_return_is_owed_from_the_day_after_its_period(montello: Town) -> None:
    filer = a_filer(montello)
    place = a_place(montello, filer, opened_on=date(2025, 2, 10))
    assert owed(montello, date(2025, 3, 31), filer=filer) == {}
    (one,) = owed(montello, date(2025, 4, 1), filer=filer).values()
    assert (one.period.key, one.place_id, one.place_name, one.account_id) == ("2025-Q1", place.id, "Harbor Inn", None)
    assert (one.due_on, one.met_by, one.file_by) == (date(2025, 4, 30),) * 3
    assert (one.filed_on, one.is_late) == (None, False)


def test_it_is_late_after_the_day_it_is_met_by(montello: Town) -> None:
    # Q2 2026: due July 31; Q3 2026: due October 31, a Saturday, so met by November 2
    assert not owed(montello, date(2026, 11, 2))["2026-Q3"].is_late
    assert owed(montello, date(2026, 11, 3))["2026-Q3"].is_late


def test_one_filed_in_time_is_not_late_and_one_filed_late_stays_so(montello: Town) -> None:
    place = first_place(montello)
    file(montello, place, "2025-Q1", date(2025, 4, 30))
    file(montello, place, "2025-Q2", date(2025, 8, 1))
    found = owed(montello, date(2025, 9, 1))
    assert [(one.filed_on, one.is_late) for one in found.values()] == [
        (date(2025, 4, 30), False),
        (date(2025, 8, 1), True),
    ]
    # an amended one later does not make it late
    file(montello, place, "2025-Q1", date(2025, 9, 2))
    assert not owed(montello, date(2025, 9, 3))["2025-Q1"].is_late
    assert list(owed(montello, date(2025, 10, 1), open_only=True)) == ["2025-Q3"]


def test_an_extension_moves_the_day_as_known_by_then(montello: Town) -> None:
    until = date(2025, 5, 30)
    montello.act(date(2025, 4, 25), ("2025-Q1", Extension(0, date(2025, 4, 25), NEVER, until)))
    assert owed(montello, date(2025, 5, 20))["2025-Q1"].file_by == until
    assert not owed(montello, date(2025, 5, 30))["2025-Q1"].is_late
    assert owed(montello, date(2025, 6, 1))["2025-Q1"].is_late
    assert owed(montello, date(2025, 4, 24))["2025-Q1"].file_by == date(2025, 4, 30)


def test_the_annual_return_is_owed_after_the_filers_year(montello: Town) -> None:
    # 90 days after December 31, 2025: March 31, 2026
    assert "2025-annual" not in owed(montello, date(2025, 12, 31))
    annual = owed(montello, date(2026, 1, 1))["2025-annual"]
    assert (annual.due_on, annual.is_late) == (date(2026, 3, 31), False)
    assert owed(montello, date(2026, 4, 1))["2025-annual"].is_late


def test_a_fiscal_year_that_began_before_the_opening_is_owed_elsewhere(montello: Town) -> None:
    file(montello, first_place(montello), "2025-Q1", date(2025, 4, 15), year_end_month=6)
    # the year to June 2025 began in July 2024; the first that is owed here is the year to June 2026
    found = owed(montello, date(2027, 1, 1))
    assert [key for key in found if key.endswith("annual")] == ["2026-annual"]
    assert found["2026-annual"].period.first_day == date(2025, 7, 1)


def test_what_ended_before_the_municipality_opened_here_is_not_owed_here(montello: Town) -> None:
    filer = a_filer(montello)
    place = a_place(montello, filer, opened_on=date(2019, 5, 1))
    assert list(owed(montello, date(2025, 4, 1), filer=filer)) == ["2025-Q1"]
    # but it can be filed here, and is listed then
    file(montello, place.id, "2024-Q4", date(2025, 1, 20))
    assert list(owed(montello, date(2025, 4, 1), filer=filer)) == ["2024-Q4", "2025-Q1"]


def test_a_closed_season_is_not_owed_and_a_year_without_an_open_day_neither(montello: Town) -> None:
    filer = a_filer(montello)
    place = a_place(montello, filer)
    a_fact(montello, place.id, "seasonal_closure", date(2025, 7, 1), date(2025, 9, 30))
    a_fact(montello, place.id, "closing", date(2025, 12, 31))
    keys = list(owed(montello, date(2027, 1, 2), filer=filer))
    assert keys == ["2025-Q1", "2025-Q2", "2025-Q4", "2025-annual"]


def test_each_sees_what_is_in_reach(montello: Town) -> None:
    own, other = first_filer(montello), a_filer(montello)
    a_place(montello, other)
    day = date(2025, 4, 1)
    assert len(obligations(montello.engine, montello.tenant, day)) == 2
    for reach, filer, seen in (
        ({own}, None, {own}),
        ({own}, other, set()),
        ({own, other}, None, {own, other}),
        ({uuid4()}, None, set()),
    ):
        found = obligations(montello.engine, montello.tenant, day, filer=filer, reach=frozenset(reach))
        assert {one.filer_id for one in found} == seen


def test_before_the_opening_nothing_is_owed(montello: Town) -> None:
    assert owed(montello, date(2024, 12, 31)) == {}
