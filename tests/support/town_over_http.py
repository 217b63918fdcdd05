"""A municipality as its treasurer and one of its filers know it: over HTTP, in the real application, day by day.

Only the host's own login is given from the command line's service, as on any instance; the daily run and its seal are
no request of anybody and are called as cron calls them. Amounts are texts in dollars throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from werkzeug.test import TestResponse

from core.services.accounts.replay import replay_books
from core.services.books.check import heads_file, verify_books
from core.services.daily.run import Failed, run_daily
from core.services.tenants.add import municipalities
from tests.support.web import PASSWORD, Client, Web

ROOM_TAX = "room_tax"
SIGNED = {"name": "A. Owner", "capacity": "owner"}
Account = tuple[str, str]  # a place and a period
StoryTown = Callable[[str, str], "TownOverHttp"]


class TownOverHttp:
    """One municipality. Every verb sends a request, insists on its status, and answers what a story compares."""

    def __init__(self, app: Engine, host: Engine, folder: Path, plugin: str, name: str) -> None:
        self.key = plugin.replace("_", "-")
        self._web = Web(app, host)
        self._heads = heads_file(folder)
        self._today = date(2025, 12, 1)
        self._places: dict[str, str] = {}
        self._filers: dict[str, str] = {}
        self._filer_email = ""
        self._clients: dict[str, Client] = {}
        self._begin(plugin, name)

    def _begin(self, plugin: str, name: str) -> None:
        self.day(self._today.isoformat())
        administrator = self._web.staff("host", None)
        entered = {"key": self.key, "plugin": plugin, "name": name}
        sent(administrator.post("/api/v1/host/municipalities", entered), 201)
        login = {
            "email": self._treasurer_email,
            "name": "Treasurer",
            "password": PASSWORD,
            "role": "treasurer",
            "municipality": self.key,
        }
        sent(administrator.post("/api/v1/host/logins", login), 201)

    @property
    def _treasurer_email(self) -> str:
        return f"treasurer@{self.key}.example.org"

    def day(self, text: str) -> None:
        """It is this day now; whoever was signed in signs in again."""
        self._today = date.fromisoformat(text)
        self._web.clock.on(self._today.year, self._today.month, self._today.day)
        self._clients.clear()

    def daily(self) -> None:
        """The daily run, for every day since the last one."""
        engine = self._web.engines.app
        done = list(run_daily(engine, municipalities(engine, self.key), lambda _: self._today, self._heads))
        assert not [outcome for _, outcome in done if isinstance(outcome, Failed)]

    # Beginning.

    def resolve(self, name: str, value: str, number: str, *, since: str) -> None:
        """What the council or board set."""
        self._post(
            "settings/resolutions", {"resolutions": [{"name": name, "value": value, "since": since, "number": number}]}
        )

    def open(self, expect: int = 201) -> Any:
        """The municipality opens today."""
        return self._post("opening", {"on": self._today.isoformat()}, expect)

    def register(self, filer: str, *places: str, opened_on: str) -> None:
        """A filer and its places of business."""
        self._filers[filer] = self._post("filers", {"name": filer})["id"]
        for place in places:
            body = {"filer": self._filers[filer], "name": place, "opened_on": opened_on, "taxes": [ROOM_TAX]}
            self._places[place] = self._post("places", body)["id"]

    def give_login(self, filer: str, email: str) -> None:
        """The filer's own login."""
        login = {"email": email, "name": "The operator", "password": PASSWORD, "filer": self._filers[filer]}
        self._post("logins", login)
        self._filer_email = email

    # Returns and acts.

    def file(self, *returns: dict[str, str], by: str = "treasurer") -> dict[str, str]:
        """Returns in one submission, on paper or by the filer itself; what is owed then by place."""
        body = {
            "returns": [self._return(one) for one in returns],
            "signature": SIGNED,
            "channel": "paper" if by == "treasurer" else "api",
        }
        made = self._post("returns", body, by=by)
        place_of = {one["account"]: one["place"] for one in made["returns"]}
        names = {identity: name for name, identity in self._places.items()}
        return {
            names[place_of[one["account"]]]: one["balance"] for one in made["accounts"] if one["account"] in place_of
        }

    def estimate(self, place: str, period: str, gross: str) -> Any:
        """The treasurer's estimate."""
        return self._act("estimates", place, period, gross={"rooms": gross})

    def extend(self, place: str, period: str, *, until: str) -> Any:
        """An extension."""
        return self._act("extensions", place, period, until=until)

    def notify(self, place: str, period: str) -> Any:
        """A notice mailed today."""
        return self._act("notices", place, period, mailed_on=self._today.isoformat())

    def find(self, place: str, period: str, finding: str, reasons: str, expect: int = 201) -> Any:
        """A finding by the treasurer."""
        return self._act(
            "findings", place, period, finding=finding, officer="Treasurer", reasons=reasons, expect=expect
        )

    def waive(self, place: str, period: str, kind: str, amount: str, reason: str) -> Any:
        """A waiver."""
        return self._act("waivers", place, period, kind=kind, amount=amount, reason=reason)

    # Money.

    def pay(self, place: str, period: str, amount: str, *, method: str, reference: str = "") -> dict[str, Any]:
        """A payment recorded by the treasurer: its id, what it was applied to by kind, balance and credit."""
        body = self._payment(place, period, amount, method, reference)
        return paid(self._post("payments", body))

    def preview(self, place: str, period: str, amount: str) -> dict[str, Any]:
        """The same before it is made."""
        return paid(self._post("payments/preview", self._payment(place, period, amount, "check", ""), 200))

    def came_back(self, payment: dict[str, Any], reason: str) -> Any:
        """The payment came back today."""
        body = {"came_back_on": self._today.isoformat(), "reason": reason}
        return self._post(f"payments/{payment['id']}/return", body)["accounts"][0]

    def void(self, payment: dict[str, Any], reason: str) -> Any:
        """The payment was entered in error."""
        return self._post(f"payments/{payment['id']}/void", {"reason": reason})["accounts"][0]

    def move(self, payment: dict[str, Any], place: str, period: str, reason: str) -> dict[str, str]:
        """The payment moved to another account; the balances of both by period."""
        body = {"to": self._account(place, period), "reason": reason}
        made = self._post(f"payments/{payment['id']}/move", body)
        period_of = {payment["account"]: payment["period"], made["payment"]["account"]: made["payment"]["period"]}
        return {period_of[one["account"]]: one["balance"] for one in made["accounts"]}

    def refund(self, place: str, period: str) -> dict[str, Any]:
        """The whole credit paid back."""
        made = self._post("refunds", self._account(place, period))
        return made["refund"] | {"balance": made["accounts"][0]["balance"]}

    # Sharing out.

    def agree(self, number: str, payee: str, share: str, first_day: str, last_day: str) -> None:
        """An agreement."""
        terms = {"payee": payee, "share": share.removesuffix("%"), "first_day": first_day, "last_day": last_day}
        self._post("agreements", {"number": number, **terms})

    def preview_share(self) -> dict[tuple[str, str, str], str]:
        """What would be shared out, by period, payee, and "held" where it is."""
        return shares(self._post("distributions/preview", {"tax": ROOM_TAX}, 200))

    def share(self) -> dict[tuple[str, str, str], str]:
        """What was collected is shared out."""
        number = self._post("distributions", {"tax": ROOM_TAX})["number"]
        return shares(self._get(f"distributions/{number}"))

    def advice(self, payee: str) -> str:
        """What the last remittance says is to be paid to a payee. Its lines and what stood before come to it."""
        last = [one for one in self._get("remittances?limit=200")["items"] if one["payee"] == payee][-1]
        told = self._get(f"remittances/{last['number']}")
        lines = sum(cents(line["now"]) for line in told["shares"])
        assert lines == cents(told["share"])
        assert cents(told["payable"]) == max(0, lines + cents(told["brought_forward"]))
        payable: str = told["payable"]
        return payable

    def remit(self, payee: str, *, method: str, reference: str) -> str:
        """The last remittance to a payee is paid today."""
        last = [one for one in self._get("remittances?limit=200")["items"] if one["payee"] == payee][-1]
        body = {"paid_on": self._today.isoformat(), "method": method, "reference": reference}
        amount: str = self._post(f"remittances/{last['number']}/payment", body)["paid"]
        return amount

    # Looking.

    def charges(self, place: str, period: str) -> dict[str, str]:
        """What is charged on an account as of today, by kind."""
        (listed,) = self._get(f"accounts?place={self._places[place]}&period={period}")["items"]
        owed: dict[str, int] = {}
        for line in self._get(f"accounts/{listed['id']}/statement")["lines"]:
            owed[line["kind"]] = owed.get(line["kind"], 0) + cents(line["amount"])
        return {kind: dollars(amount) for kind, amount in owed.items()}

    def credits(self, by: str = "treasurer") -> dict[Account, str]:
        """Who is in credit today, as one side sees it."""
        return {(one["place_name"], one["period"]): one["credit"] for one in self._get("credits", by)["items"]}

    def overdue(self) -> dict[Account, str]:
        """What is overdue today."""
        return {(one["place_name"], one["period"]): one["balance"] for one in self._get("overdue")["items"]}

    def trial_balance(self, fund: str) -> dict[str, str]:
        """The accounts of a fund on which something stands, debits less credits."""
        found = self._get("ledger/trial-balance")["items"]
        balances = {one["number"]: one["balance"] for one in found if one["fund"] == fund}
        assert sum(map(cents, balances.values())) == 0
        return {number: balance for number, balance in balances.items() if cents(balance)}

    def require_sound_books(self) -> None:
        """Nothing waits, every assessment replays to the same bytes, every entry is sealed and proved."""
        assert self._get("waiting")["items"] == []
        engine = self._web.engines.app
        (tenant,) = municipalities(engine, self.key)
        replayed = replay_books(engine, tenant)
        assert replayed.count > 0
        assert replayed.differences == ()
        ((_, verified),) = verify_books(engine, [tenant], self._heads)
        assert verified.findings == ()
        assert verified.sealed > 0
        assert self._get("ledger/seals")["not_sealed"] == 0

    # Underneath.

    def _return(self, one: dict[str, str]) -> dict[str, Any]:
        given = dict(one)
        place, period, gross = given.pop("place"), given.pop("period"), given.pop("gross")
        return {
            "place": self._places[place],
            "period": period,
            "gross": {"rooms": gross},
            "deductions": given,
        }

    def _payment(self, place: str, period: str, amount: str, method: str, reference: str) -> dict[str, Any]:
        given = {**self._account(place, period), "amount": amount, "method": method, "reference": reference}
        return {"payments": [given]}

    def _account(self, place: str, period: str) -> dict[str, str]:
        return {"place": self._places[place], "period": period}

    def _act(self, what: str, place: str, period: str, *, expect: int = 201, **body: Any) -> Any:
        made = self._post(what, {**self._account(place, period), **body}, expect)
        return made["accounts"][0] if expect == 201 else made

    def _client(self, by: str) -> Client:
        if by not in self._clients:
            email = self._treasurer_email if by == "treasurer" else self._filer_email
            self._clients[by] = self._web.signed_in(email)
        return self._clients[by]

    def _post(self, path: str, body: Any, expect: int = 201, by: str = "treasurer") -> Any:
        return sent(self._client(by).post(f"/api/v1/municipalities/{self.key}/{path}", body), expect)

    def _get(self, path: str, by: str = "treasurer") -> Any:
        return sent(self._client(by).get(f"/api/v1/municipalities/{self.key}/{path}"), 200)


def sent(answer: TestResponse, expect: int) -> Any:
    """The body of an answer with this status."""
    assert answer.status_code == expect, answer.json
    return answer.json


def paid(answer: Any) -> dict[str, Any]:
    """One payment of an answer, what it was applied to by kind, and its account."""
    (payment,), (account,) = answer["payments"], answer["accounts"]
    applied = {one["kind"]: one["amount"] for one in payment["applied"]}
    return {**payment, "applied": applied, "balance": account["balance"], "credit": account["credit"]}


def shares(answer: Any) -> dict[tuple[str, str, str], str]:
    """What a distribution adds, by period, payee, and "held" where it is."""
    return {(one["period"], one["payee"], "held" if one["held"] else ""): one["now"] for one in answer["shares"]}


def cents(text: str) -> int:
    """A text in dollars as cents."""
    return int(text.replace(".", ""))


def dollars(amount: int) -> str:
    """Cents as a text in dollars."""
    return f"{'-' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d}"
