"""Resolutions and readings: never edited, superseded from a day, and known as they were known on each day."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from sqlalchemy import text

from core.contract.loading import open_municipality
from core.contract.settings import ReadingChoice, Resolution
from core.db.recorded import Recorded
from core.db.unit_of_work import in_transaction, reading
from core.domain.errors import Refused, ResolutionMissing
from core.tenants.directory import TenantKeyTaken, TenantUnknown, add_tenant, all_tenants, close_tenant, find_tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import (
    SettingAlreadyWithdrawn,
    SettingUnknown,
    record_reading,
    record_resolution,
    withdraw_setting,
)
from core.tenants.settings import as_text, from_text, in_force, settings_known
from core.tenants.switch_module import modules_switched, switch_module
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database

LAW = open_municipality("bayfield").law
FEE = next(key for key, slot in sorted(LAW.resolution_slots.items()) if slot.unit == "cents")
CHOICE = next(key for key, slot in sorted(LAW.reading_slots.items()) if isinstance(slot.default, bool))
# No municipality leaves a share to a resolution today; one may.
SHARE = "a_share"
SLOTS = {**LAW.resolution_slots, SHARE: replace(LAW.resolution_slots[FEE], key=SHARE, unit="rate")}
LAW_WITH_SHARE = replace(LAW, resolution_slots=SLOTS)
JANUARY, MARCH, JUNE = date(2026, 1, 1), date(2026, 3, 1), date(2026, 6, 1)


@pytest.fixture
def tenant(host):
    return new_tenant(host, "alpha")


def treasurer(on: date) -> Recorded:
    return Recorded("treasurer", on)


def record(app, tenant, cents: int, since: date, on: date):
    resolution = Resolution(FEE, cents, since, f"R-{cents}")
    return in_transaction(app, tenant.id, lambda uow: record_resolution(uow, LAW, resolution, treasurer(on)))


def fee(app, tenant, on: date, known_on: date | None = None) -> int:
    with reading(app, tenant.id) as uow:
        return open_tenant(uow, tenant.key, known_on).law.resolution(FEE, on).number


class TestTheLawOfADayAsKnownOnADay:
    def test_an_amount_that_nobody_set_is_missing_and_not_zero(self, app, tenant):
        with pytest.raises(ResolutionMissing):
            fee(app, tenant, JUNE)

    def test_a_later_one_supersedes_from_its_day(self, app, tenant):
        record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
        record(app, tenant, 4_000, since=JUNE, on=MARCH)
        assert [fee(app, tenant, day) for day in (JANUARY, MARCH, JUNE)] == [3_000, 3_000, 4_000]

    def test_what_was_recorded_later_was_not_known_before(self, app, tenant):
        record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
        record(app, tenant, 4_000, since=JANUARY, on=JUNE)
        assert fee(app, tenant, MARCH, known_on=MARCH) == 3_000
        assert fee(app, tenant, MARCH, known_on=JUNE) == 4_000

    def test_of_one_day_the_one_recorded_last_holds(self, app, tenant):
        for cents in (3_000, 5_000, 4_000):
            record(app, tenant, cents, since=JANUARY, on=JANUARY)
        assert fee(app, tenant, JUNE) == 4_000

    def test_one_withdrawn_no_longer_counts_but_did(self, app, tenant):
        record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
        wrong = record(app, tenant, 9_000, since=JANUARY, on=MARCH)
        in_transaction(
            app, tenant.id, lambda uow: withdraw_setting(uow, wrong, treasurer(JUNE), reason="a typing error")
        )
        assert fee(app, tenant, JUNE) == 3_000
        assert fee(app, tenant, JUNE, known_on=MARCH) == 9_000

    def test_the_setting_in_force_is_named_for_a_replay(self, app, tenant):
        first = record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
        second = record(app, tenant, 4_000, since=JUNE, on=MARCH)
        with reading(app, tenant.id) as uow:
            known = settings_known(uow)
        assert in_force(known, FEE, MARCH).id == first
        assert in_force(known, FEE, JUNE).id == second
        assert in_force(known, FEE, date(2025, 12, 31)) is None

    def test_a_reading_holds_from_its_day_in_place_of_the_default(self, app, tenant):
        default = LAW.reading_slots[CHOICE].default
        choice = ReadingChoice(CHOICE, not default, JUNE, "counsel's letter")
        in_transaction(app, tenant.id, lambda uow: record_reading(uow, LAW, choice, treasurer(MARCH)))
        with reading(app, tenant.id) as uow:
            law = open_tenant(uow, tenant.key).law
        assert [law.reading(CHOICE, day).value for day in (MARCH, JUNE)] == [default, not default]

    def test_settings_come_back_as_they_went_in(self, app, tenant):
        share = Resolution(SHARE, Decimal("0.725"), JANUARY, "R-7")
        choice = ReadingChoice(CHOICE, True, JANUARY, "counsel's letter")

        def both(uow):
            record_resolution(uow, LAW_WITH_SHARE, share, treasurer(JANUARY), reason="agreement of 2026")
            record_reading(uow, LAW, choice, treasurer(MARCH))

        in_transaction(app, tenant.id, both)
        with reading(app, tenant.id) as uow:
            one, other = settings_known(uow)
        assert (one.resolution(), one.reason, one.recorded) == (share, "agreement of 2026", treasurer(JANUARY))
        assert (other.reading(), other.recorded) == (choice, treasurer(MARCH))

    def test_one_tenants_settings_are_not_anothers(self, app, host, tenant):
        record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
        with pytest.raises(ResolutionMissing):
            fee(app, new_tenant(host, "beta"), JUNE)


class TestRefusals:
    def test_an_unknown_key(self, app, tenant):
        unknown = Resolution("no_such_fee", 100, JANUARY, "R-1")
        with pytest.raises(Refused, match="no_such_fee"):
            in_transaction(app, tenant.id, lambda uow: record_resolution(uow, LAW, unknown, treasurer(JANUARY)))

    @pytest.mark.parametrize(
        ("key", "value", "number", "field"),
        [
            (FEE, -1, "R-1", "value"),
            (FEE, Decimal("0.5"), "R-1", "value"),
            (FEE, 100, " ", "number"),
            (SHARE, Decimal("1.01"), "R-1", "value"),
            (SHARE, 1, "R-1", "value"),
        ],
    )
    def test_a_resolution_that_cannot_be(self, app, tenant, key, value, number, field):
        resolution = Resolution(key, value, JANUARY, number)
        with pytest.raises(Refused) as refused:
            in_transaction(
                app, tenant.id, lambda uow: record_resolution(uow, LAW_WITH_SHARE, resolution, treasurer(JANUARY))
            )
        assert [fault.field for fault in refused.value.faults] == [field]

    def test_a_reading_without_reason(self, app, tenant):
        choice = ReadingChoice(CHOICE, True, JANUARY, " ")
        with pytest.raises(Refused, match="say why"):
            in_transaction(app, tenant.id, lambda uow: record_reading(uow, LAW, choice, treasurer(JANUARY)))

    def test_a_second_withdrawal(self, app, tenant):
        wrong = record(app, tenant, 9_000, since=JANUARY, on=JANUARY)

        def withdraw(uow):
            return withdraw_setting(uow, wrong, treasurer(MARCH), reason="a typing error")

        row = in_transaction(app, tenant.id, withdraw)
        with pytest.raises(SettingAlreadyWithdrawn):
            in_transaction(app, tenant.id, withdraw)
        with pytest.raises(SettingUnknown):
            in_transaction(app, tenant.id, lambda uow: withdraw_setting(uow, row, treasurer(MARCH), reason="undo"))

    def test_another_tenants_setting_is_unknown(self, app, host, tenant):
        theirs = record(app, tenant, 9_000, since=JANUARY, on=JANUARY)
        beta = new_tenant(host, "beta")
        with pytest.raises(SettingUnknown):
            in_transaction(app, beta.id, lambda uow: withdraw_setting(uow, theirs, treasurer(MARCH), reason="x"))


@pytest.mark.parametrize("value", [0, 2_500, Decimal("0.30"), Decimal("1E-7"), True, False, "whole months", ""])
def test_a_value_keeps_its_type_and_its_digits_through_the_database(value):
    back = from_text(*as_text(value))
    assert back == value
    assert type(back) is type(value)
    assert not isinstance(value, Decimal) or format(back, "f") == format(value, "f")


class TestTheDirectory:
    def test_a_tenant_is_found_by_its_key(self, app, tenant):
        with app.connect() as connection:
            assert find_tenant(connection, "alpha") == tenant

    def test_an_unknown_key_is_refused(self, app):
        with app.connect() as connection, pytest.raises(TenantUnknown):
            find_tenant(connection, "nowhere")

    def test_every_fault_of_a_new_one_is_named(self, host):
        bad = {"key": "No Key", "plugin": "atlantis", "name": " ", "time_zone": "Mars/Olympus"}
        with host.begin() as connection, pytest.raises(Refused) as refused:
            add_tenant(connection, **bad, added_by="host")
        assert {fault.field for fault in refused.value.faults} == set(bad)

    def test_a_key_is_given_once(self, host, tenant):
        with pytest.raises(TenantKeyTaken):
            new_tenant(host, "alpha", "montello")

    def test_two_may_share_a_plugin(self, app, host, tenant):
        new_tenant(host, "beta", tenant.plugin)
        with app.connect() as connection:
            assert [one.key for one in all_tenants(connection)] == ["alpha", "beta"]

    def test_a_closed_one_stays_in_the_directory(self, app, host, tenant):
        with host.begin() as connection:
            close_tenant(connection, "alpha", JUNE)
        with app.connect() as connection:
            assert find_tenant(connection, "alpha").closed_on == JUNE

    def test_a_key_opens_only_the_tenant_of_the_transaction(self, app, host, tenant):
        new_tenant(host, "beta")
        with pytest.raises(TenantUnknown), reading(app, tenant.id) as uow:
            open_tenant(uow, "beta")

    def test_the_newest_switch_holds(self, app, host, tenant):
        def switch(uow):
            for on in (True, False, True):
                switch_module(uow, "purchasing", on=on, reason="trial", recorded_by="treasurer")
            switch_module(uow, "premier", on=False, reason="not here", recorded_by="treasurer")

        in_transaction(app, tenant.id, switch)
        with reading(app, tenant.id) as uow:
            assert modules_switched(uow) == {"purchasing": True, "premier": False}


@pytest.mark.parametrize("table", ["settings", "switches"])
def test_a_setting_is_never_edited(app, tenant, table):
    record(app, tenant, 3_000, since=JANUARY, on=JANUARY)
    for statement in (f"UPDATE fisc.{table} SET reason = 'x'", f"DELETE FROM fisc.{table}"):
        with pytest.raises(Exception, match="permission denied"):
            in_transaction(app, tenant.id, lambda uow, statement=statement: uow.connection.execute(text(statement)))
