"""A municipality opens once, when its council has set what the law leaves to it and requires."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Engine, text

from core.contract.settings import Resolution
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork, in_transaction, reading
from core.domain.errors import Refused
from core.ledger.read import trial_balance
from core.services.accounts.errors import TenantClosed
from core.services.tenants.add import add_municipality
from core.services.tenants.open import TenantNotReady, open_municipality_tenant, open_since
from core.tenants.directory import Tenant, close_tenant, find_tenant
from core.tenants.open_tenant import open_tenant
from core.tenants.record_setting import record_resolution

pytestmark = pytest.mark.database
JANUARY, MARCH = date(2026, 1, 1), date(2026, 3, 2)
TREASURER = Recorded("treasurer", JANUARY)


@pytest.fixture
def bayfield(app: Engine, host: Engine) -> Tenant:
    return add_municipality(app, host, "bay", "bayfield", "", "America/Chicago", "host")


def resolve(app: Engine, tenant: Tenant, key: str, since: date = JANUARY) -> None:
    def record(uow: UnitOfWork) -> None:
        record_resolution(uow, open_tenant(uow, tenant.key).law, Resolution(key, 2_500, since, "R-1"), TREASURER)

    in_transaction(app, tenant.id, record)


def test_it_opens_only_when_every_required_resolution_is_recorded(app: Engine, bayfield: Tenant) -> None:
    with pytest.raises(TenantNotReady) as refused:
        open_municipality_tenant(app, bayfield, JANUARY, TREASURER)
    assert [fault.field for fault in refused.value.faults] == [
        "resolutions.late_filing_fee",
        "resolutions.returned_payment_fee",
    ]
    message = refused.value.faults[0].message
    assert "The late filing fee is set by resolution of the Common Council (§ 54-19(C)(8)(b))" in message
    assert open_since(app, bayfield) is None
    resolve(app, bayfield, "late_filing_fee")
    with pytest.raises(TenantNotReady) as refused:
        open_municipality_tenant(app, bayfield, JANUARY, TREASURER)
    assert [fault.field for fault in refused.value.faults] == ["resolutions.returned_payment_fee"]
    resolve(app, bayfield, "returned_payment_fee")
    assert open_municipality_tenant(app, bayfield, JANUARY, TREASURER) == JANUARY
    assert open_since(app, bayfield) == JANUARY


def test_a_resolution_that_begins_later_does_not_open_it_earlier(app: Engine, bayfield: Tenant) -> None:
    for key in ("late_filing_fee", "returned_payment_fee"):
        resolve(app, bayfield, key, since=MARCH)
    with pytest.raises(TenantNotReady):
        open_municipality_tenant(app, bayfield, JANUARY, TREASURER)
    assert open_municipality_tenant(app, bayfield, MARCH, TREASURER) == MARCH


def test_it_opens_once(app: Engine, host: Engine) -> None:
    # Montello's law leaves nothing to its council that has to be set first
    montello = add_municipality(app, host, "mon", "montello", "", "America/Chicago", "host")
    assert open_municipality_tenant(app, montello, JANUARY, TREASURER) == JANUARY
    assert open_municipality_tenant(app, montello, JANUARY, Recorded("clerk", MARCH)) == JANUARY
    with pytest.raises(Refused, match="open here since 2026-01-01"):
        open_municipality_tenant(app, montello, MARCH, TREASURER)
    with reading(app, montello.id) as uow:
        rows = uow.connection.execute(text("SELECT recorded_by, opened_on FROM fisc.openings")).all()
        assert [tuple(row) for row in rows] == [("treasurer", JANUARY)]
        assert trial_balance(uow)  # the chart is there


def test_a_closed_municipality_does_not_open_again(app: Engine, host: Engine) -> None:
    add_municipality(app, host, "mon", "montello", "", "America/Chicago", "host")
    with host.begin() as connection:
        close_tenant(connection, "mon", JANUARY)
        closed = find_tenant(connection, "mon")
    with pytest.raises(TenantClosed):
        open_municipality_tenant(app, closed, MARCH, TREASURER)
