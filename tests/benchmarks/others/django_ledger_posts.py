"""Posts entries with django-ledger, by the methods that its documentation shows. Its first argument is a libpq URL."""

import sys
from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import parse_qs, unquote, urlsplit

import django
from django.conf import settings
from turns import serve


def database(url: str) -> dict:
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": parts.username,
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options["host"][0],
        "PORT": options["port"][0],
        "CONN_MAX_AGE": None,
    }


def set_up(url: str) -> None:
    settings.configure(
        SECRET_KEY="benchmark",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django_ledger"],
        DATABASES={"default": database(url)},
    )
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def main(url: str) -> None:
    set_up(url)
    from django.contrib.auth import get_user_model
    from django_ledger.io import roles
    from django_ledger.models import EntityModel

    clerk = get_user_model().objects.create_user("clerk")
    town = EntityModel.create_entity(name="Town", use_accrual_method=True, admin=clerk, fy_start_month=1)
    town.create_chart_of_accounts(assign_as_default=True, commit=True)

    def account(code: str, role: str):
        return town.create_account(code=code, role=role, name=f"Account {code}", balance_type="debit", active=True)

    cash = account("1010", roles.ASSET_CA_CASH)
    receivable = [account(f"11{number}0", roles.ASSET_CA_RECEIVABLES) for number in range(3)]
    books = town.create_ledger(name="Books", posted=True)
    day = datetime(2026, 4, 30, tzinfo=UTC)

    def line(to: object, kind: str, amount: str) -> dict:
        return {"account": to, "amount": Decimal(amount), "tx_type": kind, "description": "5.5% of $12,345.67"}

    def post(number: int) -> None:
        lines = [line(cash, "debit", "2037.03"), *(line(one, "credit", "679.01") for one in receivable)]
        entry, _ = books.commit_txs(je_timestamp=day, je_txs=lines, je_posted=True, je_desc=f"Payment {number}")
        assert entry.posted

    post(0)
    serve(post)


if __name__ == "__main__":
    main(sys.argv[1])
