"""Writes the empty sheet of a municipality, with a row for each return that is owed and not filed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from sqlalchemy import Engine

from core.contract.loading import open_municipality
from core.domain.errors import Fault, Refused
from core.services.filing.obligations import obligations
from core.services.imports.template import ending_of, endings, template
from core.tenants.directory import Tenant


def write_template(engine: Engine, tenant: Tenant, path: Path, today: date) -> None:
    """Write the sheet as .csv or .xlsx. Raises Refused for another kind of file, and where one is there already."""
    faults = []
    if ending_of(path) not in endings():
        faults.append(Fault("--template", f"{path.name} is of no kind that is written: use .csv or .xlsx"))
    if path.exists():
        faults.append(Fault("--template", f"{path.name} is there already: name another file"))
    if faults:
        raise Refused(faults)
    taxes = open_municipality(tenant.plugin).taxes
    several = len(taxes) > 1
    rows = [
        (str(one.place_number), one.tax if several else "", one.period.key)
        for one in obligations(engine, tenant, today, open_only=True)
        if not one.period.is_annual
    ]
    path.write_bytes(template(ending_of(path), tuple(taxes.values()), rows))
