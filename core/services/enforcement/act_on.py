"""Records one act of an officer on a named account: what every verb of enforcement has in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.db.recorded import Recorded
from core.db.remember import Answer, Request, remember
from core.db.unit_of_work import UnitOfWork, in_transaction
from core.domain.errors import Fault, Refused
from core.domain.events import Event
from core.filing.records import PeriodAccount
from core.services.accounts.act import Act
from core.services.accounts.look import look
from core.services.accounts.named import Named, accounts_named
from core.services.accounts.record import record_looked, require_key
from core.services.accounts.refused import law_faults, refused_as
from core.tenants.directory import Tenant

# Makes the event for an account and adds what is wrong to the faults; None where that leaves nothing to look at.
Make = Callable[[UnitOfWork, PeriodAccount, list[Fault]], Event | None]
NAMES: Mapping[str, str] = {"recorded": "account", "type": "account"}


def act_on(
    engine: Engine,
    tenant: Tenant,
    request: Request,
    named: Named,
    make: Make,
    recorded: Recorded,
    *,
    faults: Sequence[Fault] = (),
    names: Mapping[str, str] = NAMES,
    reach: frozenset[UUID] | None = None,
) -> Answer:
    """Record the event that `make` gives for the account, unless it or the law finds fault. The same request acts once.

    `faults` are what was found wrong before; all that is wrong is told in one pass, the law's fields under `names`.
    The answer has the act's account, place, tax, period and seq, and for each account balance and credit.
    """
    require_key(request)

    def act(uow: UnitOfWork) -> Answer:
        wrong = list(faults)
        taxes = open_municipality(tenant.plugin).taxes
        (account,) = accounts_named(uow, taxes, [("", named)], recorded.on, reach, wrong)
        if account is None:
            raise Refused(wrong)
        looked = look(uow, [account.id])
        event = make(uow, account, wrong)
        acts = [Act(account.id, event)] if event is not None else []
        if wrong:
            looked.require_tenant_open(recorded.on)
            raise Refused([*wrong, *law_faults(looked, acts, recorded.on, [""], names)])
        with refused_as([""], names):
            recording = record_looked(uow, looked, acts, recorded)
        told = {"account": str(account.id), "seq": recording.events[0].seq, "place": str(account.place_id)}
        told |= {"tax": account.tax, "period": account.period.key}
        return {"act": told, "accounts": recording.answer["accounts"]}

    return in_transaction(engine, tenant.id, lambda uow: remember(uow, request, lambda: act(uow)))
