"""Questions about being late that every ordinance asks in the same way; each ordinance says what follows from them."""

from __future__ import annotations

from datetime import date, timedelta

from core.domain.account import Account
from core.domain.calendar import ONE_DAY
from core.domain.events import Estimate, Extension, Finding


def late_since(account: Account, on: date) -> date | None:
    """The first day on which the return was late, when none counts for the filing date or earlier; else None."""
    due = account.filing_date
    if on <= due or account.first_return_by(due) is not None:
        return None
    return due + ONE_DAY


def last_of_days(account: Account, from_day: date, days: int) -> date:
    """The last of `days` days after `from_day`: the first day excluded, the last included and rolled (READINGS 3)."""
    return account.deadlines.rolled(from_day + timedelta(days=days))


def estimate_objection(account: Account, estimate: Estimate) -> tuple[str, str] | None:
    """Why an estimate cannot be made now, as (field, message): a return is filed, or none is late yet (READINGS 12)."""
    if account.returns:
        filed = account.returns[0].on
        return ("type", f"a return was filed on {filed}, so no estimate is made: amend the return or audit it")
    if estimate.on <= account.filing_date:
        return (
            "on",
            f"{estimate.on} is too early for an estimate: the return may be filed until {account.filing_date}",
        )
    return None


def extension_objection(account: Account, extension: Extension) -> tuple[str, str] | None:
    """Why an extension extends nothing, as (field, message). Too long a one core refuses for every municipality."""
    if extension.until <= account.deadlines.nominal:
        return (
            "until",
            f"{extension.until} extends nothing: name a day after the due date {account.deadlines.nominal}",
        )
    return None


def finding_before_anything_is_due(account: Account, finding: Finding) -> tuple[str, str] | None:
    """Why intent cannot be found yet, as (field, message): nothing is filed and nothing is due (READINGS 15)."""
    if account.returns or finding.on > account.filing_date:
        return None
    return (
        "finding",
        f"nothing is filed and nothing is due before {account.filing_date}: record the finding when one of them is",
    )


def days_of_violation(account: Account, on: date) -> int:
    """Days, or parts of one, on which a return was missing as of `on`: from the day after the filing date."""
    since = late_since(account, on)
    if since is None:
        return 0
    ended = account.returns[0].on if account.returns else on
    return (min(ended, on) - since).days + 1
