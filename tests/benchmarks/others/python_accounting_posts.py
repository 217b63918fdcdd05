"""Posts entries with python-accounting, as its documentation shows. Its first argument is a libpq URL."""

import sys
from datetime import datetime
from decimal import Decimal

from python_accounting.config import config
from turns import serve


def main(url: str) -> None:
    config.configure_database(url.replace("postgresql:", "postgresql+psycopg2:", 1))
    from python_accounting.database.engine import engine
    from python_accounting.database.session import get_session
    from python_accounting.models import Account, Base, Currency, Entity, LineItem
    from python_accounting.transactions import JournalEntry

    Base.metadata.create_all(engine)
    with get_session(engine) as session:

        def added(one):
            session.add(one)
            session.commit()
            return one

        town = added(Entity(name="Town")).id
        dollars = added(Currency(name="US Dollars", code="USD", entity_id=town)).id

        def account(name: str, kind: object) -> int:
            return added(Account(name=name, account_type=kind, currency_id=dollars, entity_id=town)).id

        cash = account("Cash", Account.AccountType.BANK)
        receivable = [account(f"Receivable {number}", Account.AccountType.RECEIVABLE) for number in range(3)]

        def post(number: int) -> None:
            now = datetime.now()  # noqa: DTZ005 (it takes them so)
            entry = JournalEntry(
                narration=f"Payment {number}", transaction_date=now, account_id=cash, credited=False, entity_id=town
            )
            session.add(entry)
            session.flush()
            for one in receivable:
                line = LineItem(
                    narration="5.5% of $12,345.67", account_id=one, amount=Decimal("679.01"), entity_id=town
                )
                session.add(line)
                session.flush()
                entry.line_items.add(line)
            session.add(entry)
            entry.post(session)
            session.commit()
            assert entry.is_posted

        post(0)
        serve(post)


if __name__ == "__main__":
    main(sys.argv[1])
