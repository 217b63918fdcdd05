"""What a room tax period owes, written a second time from the readings alone, in the slowest and plainest way.

It shares nothing with `core` or the plugins, so that a mistake would have to be made twice to go unseen. Every day
from the close of the period on is looked at in turn, every charge is worked out from scratch whenever somebody asks,
and interest is summed day by day or month by month. Money is in whole cents. Numbers such as (20) name the reading.
"""

from datetime import date, timedelta
from fractions import Fraction

ONE_DAY = timedelta(days=1)

# (19): penalties and fees in this order, then interest, then tax.
FEES = ("late_filing_fee", "returned_payment_fee", "nonpayment_forfeiture")
PENALTIES = ("estimate_penalty", "negligence_penalty", "fraud_penalty")
ORDER = (*FEES, *PENALTIES, "interest", "tax")

# (1), (7), (8), (9), (11) and the three texts. A late filing fee that is None is set by resolution.
LAW = {
    "bayfield": {"rate": Fraction(65, 1000), "interest": Fraction(10, 100), "months": False, "late_fee": None},
    "montello": {"rate": Fraction(45, 1000), "interest": Fraction(12, 100), "months": True, "late_fee": 2500},
    "fox_cities_village": {"rate": Fraction(3, 100), "interest": Fraction(7, 100), "months": True, "late_fee": None},
}


class Refused(Exception):
    """An act that the law refuses."""


class Missing(Exception):
    """An amount that the law needs and no resolution sets."""


def assess(case):
    """The answer to a worked case: the six output fields, or the error."""
    try:
        account = open_account(case)
        while account["today"] <= account["as_of"]:
            live_through(account)
            account["today"] += ONE_DAY
        return answer(account)
    except Refused:
        return {"error": "Refused"}
    except Missing as missing:
        return {"error": "ResolutionMissing", "resolution": str(missing)}


def open_account(case):
    """The empty account, and the events that a statement as of that day knows, in the order of recording (20)."""
    as_of = date.fromisoformat(case["as_of"])
    events = [read_event(event) for event in case["events"]]
    events = [event for event in events if event["recorded"] <= as_of]
    due = due_date(case["municipality"], case["period"])
    account = {
        "place": case["municipality"],
        "law": LAW[case["municipality"]],
        "due": due,
        "effective": roll(due),
        "as_of": as_of,
        "resolutions": {name: cents(amount) for name, amount in case.get("resolutions", {}).items()},
        "previous": None if case.get("previous_year_tax") is None else cents(case["previous_year_tax"]),
        "today": min([event["recorded"] for event in events] + [due, as_of]),
        "coming": events,
        "known": [],
        "entries": [],
    }
    refuse_what_the_law_refuses(account, events)
    # (22): a payment that came back is void; the account is folded as if it had never been recorded.
    void = voided(events)
    account["coming"] = [event for number, event in enumerate(events) if number not in void]
    # (20): of what is recorded on one day, everything else comes before payments. The sort keeps the rest in order.
    account["coming"].sort(key=lambda event: (event["recorded"], event["type"] == "payment"))
    return account


def read_event(event):
    """An event with its days as dates and its amounts in cents; recorded on its own day unless it says otherwise."""
    read = dict(event)
    days = [name for name in ("on", "recorded", "until", "payment_on") if name in read]
    read.update({name: date.fromisoformat(read[name]) for name in days})
    read.update({name: cents(read[name]) for name in ("amount", "gross_receipts") if name in read})
    read["deductions"] = sum(cents(amount) for amount in read.get("deductions", {}).values())
    read.setdefault("recorded", read["on"])
    return read


def voided(events):
    """The numbers of the payments that came back (22); one that nobody can find is refused."""
    void = set()
    for number, event in enumerate(events):
        if event["type"] != "payment_returned":
            continue
        for earlier, payment in enumerate(events[:number]):
            same = payment["type"] == "payment" and payment["on"] == event["payment_on"]
            if same and payment["amount"] == event["amount"] and earlier not in void:
                void.add(earlier)
                break
        else:
            raise Refused
    return void


def refuse_what_the_law_refuses(account, events):
    """Judge each act by what was recorded before it."""
    before = dict(account, known=[])
    for event in events:
        if is_refused(before, event):
            raise Refused
        before["known"] = [*before["known"], event]


def is_refused(account, event):
    match event["type"]:
        case "return_filed":  # deductions above receipts (5)
            return event["deductions"] > event["gross_receipts"]
        case "extension":  # at most one month after the nominal filing date, the same day of the next month (4)
            return event["until"] > same_day_next_month(account["due"])
        case "estimate":  # until the day after the filing date as extended, and after a return (12)
            return event["on"] <= filing_limit(account) or bool(known(account, "return_filed"))
        case "waiver":  # a fee, a penalty or interest can be waived (18, 22); the tax cannot
            return event["kind"] == "tax"
        case "finding" if event["finding"] == "fraud" and not known(account, "return_filed"):
            # Montello's text reaches only a return that was filed; elsewhere one must be due and not filed (15).
            return account["place"] == "montello" or event["on"] <= filing_limit(account)
    return False


def live_through(account):
    """One day: a credit left standing meets what arises today, then what is recorded today happens (20, 21)."""
    settle(account)
    while account["coming"] and account["coming"][0]["recorded"] == account["today"]:
        event = account["coming"].pop(0)
        if event["type"] == "payment":
            pay(account, event)
        account["known"].append(event)
        settle(account)


def pay(account, payment):
    """To what was owed on the payment's own day as known now; the rest is held as tax, or is a credit (20, 21)."""
    owed = charges(account, payment["on"], needed=True)
    left = payment["amount"]
    for kind in ORDER[:-1]:
        part = min(left, max(0, owed[kind] - applied(account, kind)))
        enter(account, payment["on"], kind, part)
        left -= part
    enter(account, payment["on"], "tax", left)


def settle(account):
    """Take what is applied beyond what is owed, and apply it today to what else is owed (21)."""
    nothing_new = not account["known"] or account["known"][-1]["recorded"] < account["today"]
    if nothing_new and excess(account, "tax", tax(account)) == 0:
        return  # time alone makes charges grow, so that only a tax credit could be applied on such a day
    now = charges(account, account["today"], needed=False)
    freed = {kind: excess(account, kind, now[kind]) for kind in ORDER}
    if sum(freed.values()) == 0:
        return
    now = charges(account, account["today"], needed=True)
    left = sum(freed.values())
    moves = {kind: -amount for kind, amount in freed.items()}
    for kind in ORDER[:-1]:
        part = min(left, max(0, now[kind] - applied(account, kind)))
        moves[kind] += part
        left -= part
    moves["tax"] += left
    for kind, amount in moves.items():
        enter(account, account["today"], kind, amount)


def excess(account, kind, owed):
    """What is applied beyond what is owed; money held before a first return or estimate is no credit (21)."""
    if kind == "tax" and basis(account) == "none":
        return 0
    return max(0, applied(account, kind) - owed)


def enter(account, day, kind, amount):
    if amount != 0:
        account["entries"].append((day, kind, amount))


def applied(account, kind):
    return sum(amount for _, of_kind, amount in account["entries"] if of_kind == kind)


def tax_applied_by(account, day):
    """What stood applied to tax at the end of a day (10)."""
    return sum(amount for on, kind, amount in account["entries"] if kind == "tax" and on <= day)


def charges(account, day, needed):
    """Every kind, less what was waived of it and not below zero (22). `needed`: an amount that is unset is missed."""
    owed = {
        "tax": tax(account),
        "interest": interest(account, day),
        "late_filing_fee": late_filing_fee(account, day, needed),
        "returned_payment_fee": returned_payment_fee(account, day, needed),
        "nonpayment_forfeiture": forfeiture(account, day),
        "estimate_penalty": estimate_penalty(account, day),
        "negligence_penalty": negligence_penalty(account, day),
        "fraud_penalty": fraud_penalty(account, day),
    }
    for waiver in known(account, "waiver"):
        owed[waiver["kind"]] = owed[waiver["kind"]] - waiver["amount"]
    return {kind: max(0, amount) for kind, amount in owed.items()}


def known(account, kind):
    return [event for event in account["known"] if event["type"] == kind]


def last_basis(account, by=date.max):
    """The last return filed by a day, or else the last estimate: a return supersedes it (12)."""
    for kind in ("return_filed", "estimate"):
        filed = [event for event in known(account, kind) if event["on"] <= by]
        if filed:
            return filed[-1]
    return None


def basis(account):
    return {None: "none", "return_filed": "return", "estimate": "estimate"}[(last_basis(account) or {}).get("type")]


def tax_shown(account, event):
    """Taxable receipts times the rate, half a cent up (5, 7)."""
    return 0 if event is None else half_up((event["gross_receipts"] - event["deductions"]) * account["law"]["rate"])


def tax(account):
    return tax_shown(account, last_basis(account))


def filing_date(account):
    """The nominal filing date, or the latest extension's day (4)."""
    return max([account["due"]] + [event["until"] for event in known(account, "extension")])


def filing_limit(account):
    """The day by which a return is on time: a date that is no business day is met on the next (2, 4)."""
    return roll(filing_date(account))


def unfiled(account, limit, day):
    """Whether a day lies after the limit, and no return was filed by the limit."""
    return day > limit and not any(event["on"] <= limit for event in known(account, "return_filed"))


def late_filing_fee(account, day, needed):
    """None is filed by the effective due date, or the rolled extended date (11)."""
    if not unfiled(account, filing_limit(account), day):
        return 0
    return account["law"]["late_fee"] or resolved(account, "late_filing_fee", needed)


def returned_payment_fee(account, day, needed):
    """On the day a payment came back; Bayfield's needs a resolution, elsewhere only where one sets it (22)."""
    times = len([event for event in known(account, "payment_returned") if event["on"] <= day])
    needed = needed and times > 0 and account["place"] == "bayfield"
    return times * resolved(account, "returned_payment_fee", needed)


def resolved(account, name, needed):
    if needed and name not in account["resolutions"]:
        raise Missing(name)
    return account["resolutions"].get(name, 0)


def estimate_penalty(account, day):
    """10% of the estimate's tax, until a return supersedes it (12)."""
    stands = basis(account) == "estimate" and last_basis(account)["on"] <= day
    return half_up(tax(account) * Fraction(10, 100)) if stands else 0


def found(account, finding, day):
    return any(event["finding"] == finding and event["on"] <= day for event in known(account, "finding"))


def fraud_penalty(account, day):
    """50% of the tax as now known, on a finding of intent (15)."""
    return half_up(tax(account) * Fraction(50, 100)) if found(account, "fraud", day) else 0


def negligence_penalty(account, day):
    """25% of the tax as now known (13, 14). The 50% replaces it, whatever day its finding counts for (15, 20)."""
    ground = {"bayfield": notice_unheeded, "fox_cities_village": negligent, "montello": lambda *_: False}
    if found(account, "fraud", date.max) or not ground[account["place"]](account, day):
        return 0
    return half_up(tax(account) * Fraction(25, 100))


def notice_unheeded(account, day):
    """No return by the 10th day after the first notice, rolled, never before the filing date as extended (13)."""
    first = [roll(notice["on"] + 10 * ONE_DAY) for notice in known(account, "notice")[:1]]
    return bool(first) and unfiled(account, max(*first, filing_limit(account)), day)


def negligent(account, day):
    """A finding of negligence, where there is no return, a late one, or an incorrect one (14)."""
    late = unfiled(account, filing_limit(account), day)
    shown = {tax_shown(account, event) for event in known(account, "return_filed") if event["on"] <= day}
    return found(account, "negligence", day) and (late or len(shown) > 1)


def forfeiture(account, day):
    """Montello: a quarter of last year's tax, at most $1,000, when the tax is not paid within 30 days (16)."""
    limit = roll(filing_date(account) + 30 * ONE_DAY)
    if account["place"] != "montello" or account["previous"] is None or day <= limit:
        return 0
    paid = sum(payment["amount"] for payment in known(account, "payment") if payment["on"] <= limit)
    shown = last_basis(account, by=limit) or last_basis(account)
    if paid >= tax_shown(account, shown):
        return 0
    return min(half_up(account["previous"] * Fraction(25, 100)), 100000)


def interest(account, day):
    """Simple interest from the nominal due date on what was not paid by the effective one (2, 8, 9, 10)."""
    if day <= account["effective"]:
        return 0
    borne, shown = 0, tax(account)
    one = account["due"] + ONE_DAY
    while one <= day:
        # A twelfth for each month that starts after the due month, or one 365th for each day after the due day.
        if not account["law"]["months"] or one.day == 1:
            borne += max(0, shown - tax_applied_by(account, max(one - ONE_DAY, account["effective"])))
        one += ONE_DAY
    return half_up(borne * account["law"]["interest"] / (12 if account["law"]["months"] else 365))


def answer(account):
    """The six output fields; what is zero is left out, but for the tax charged."""
    owed = charges(account, account["as_of"], needed=True)
    paid = {kind: applied(account, kind) for kind in ORDER}
    return {
        "basis": basis(account),
        "due_date": account["due"].isoformat(),
        "effective_due_date": account["effective"].isoformat(),
        "charges": {kind: dollars(owed[kind]) for kind in ORDER if owed[kind] or kind == "tax"},
        "applied": {kind: dollars(paid[kind]) for kind in ORDER if paid[kind]},
        "balance": dollars(sum(owed.values()) - sum(paid.values())),
    }


def cents(text):
    return int(Fraction(text) * 100)


def dollars(amount):
    return f"{'-' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def half_up(amount):
    """Half a cent up (7); nothing here is ever below zero."""
    return int(Fraction(amount) + Fraction(1, 2))


def due_date(municipality, period):
    """Bayfield: 30 days after the quarter. Montello and Fox: the last day of the month after it (1)."""
    year, quarter = int(period[:4]), int(period[-1])
    close = first_of_next_month(date(year, 3 * quarter, 1)) - ONE_DAY
    last_of_month_after = first_of_next_month(close + ONE_DAY) - ONE_DAY
    return close + 30 * ONE_DAY if municipality == "bayfield" else last_of_month_after


def first_of_next_month(day):
    return (day.replace(day=28) + 4 * ONE_DAY).replace(day=1)


def same_day_next_month(day):
    last = first_of_next_month(first_of_next_month(day)) - ONE_DAY
    return last.replace(day=min(day.day, last.day))


def roll(day):
    """The same day, or the next business day (2, 3)."""
    while not is_business_day(day):
        day += ONE_DAY
    return day


def is_business_day(day):
    """Neither a Saturday, a Sunday nor a legal holiday; a holiday on a Sunday moves to Monday (2)."""
    fixed = ((1, 1), (6, 19), (7, 4), (11, 11), (12, 25))
    moved = day.weekday() == 0 and ((day - ONE_DAY).month, (day - ONE_DAY).day) in fixed
    return day.weekday() < 5 and not moved and (day.month, day.day) not in fixed and not is_floating_holiday(day)


def is_floating_holiday(day):
    """The holidays that are a certain weekday of their month, and the two elections of even years (2)."""
    which = (day.day - 1) // 7 + 1
    if day.weekday() == 0:
        last_of_may = day.month == 5 and (day + 7 * ONE_DAY).month == 6
        return last_of_may or (day.month, which) in ((1, 3), (2, 3), (9, 1), (10, 2))
    if day.weekday() == 1 and day.year % 2 == 0:
        # The partisan primary; the general election, which is the day after the first Monday.
        return (day.month, which) == (8, 2) or (day.month == 11 and 2 <= day.day <= 8)
    return (day.month, day.weekday(), which) == (11, 3, 4)
