"""Filing records on a live database: read back as recorded, kept as recorded, refused by name."""

import threading
from datetime import date
from uuid import uuid4

import pytest
from sqlalchemy import event as sqlalchemy_event

from core.db.roles import Role
from core.db.unit_of_work import in_transaction, reading, writing
from core.domain.errors import Refused
from core.domain.events import (
    Estimate,
    Extension,
    Finding,
    Notice,
    Payment,
    PaymentReturned,
    Refunded,
    ReturnFiled,
    Voided,
    Waiver,
)
from core.domain.receipts import Receipts
from core.filing.accounts import accounts_of, find_accounts, lock_accounts, lock_period, open_accounts
from core.filing.attachments import LARGEST_BYTES, attach, papers_of, papers_with, read_paper
from core.filing.event_codec import KINDS
from core.filing.events import EventOutOfOrder, PaymentAlreadyVoid, events_of, facts, next_seq, record_events
from core.filing.find_filers import filer_versions, filers_named, find_filer
from core.filing.owed_periods import owed_periods
from core.filing.places import add_place_tax, change_place, find_place, places_of, register_place
from core.filing.record_place_fact import place_facts_known, record_place_fact, withdraw_place_fact
from core.filing.records import (
    AccountUnknown,
    ChangedMeanwhile,
    FilerDetails,
    FilerUnknown,
    PlaceDetails,
    PlaceUnknown,
    ReturnUnknown,
    Submission,
)
from core.filing.register_filer import change_filer, register_filer
from core.filing.returns import record_return, return_as_filed, returns_of
from tests.support.tenants import CLERK, EVERY_THREE_MONTHS, fill, new_tenant, opened_engine

pytestmark = pytest.mark.database

PART = Receipts(date(2026, 1, 1), date(2026, 3, 31), (("rooms", 1), ("sites", 2)), (("exempt", 3),), "state", False)
DAY, NEXT = date(2026, 5, 1), date(2026, 5, 2)


@pytest.fixture
def tenant(host) -> int:
    return new_tenant(host, "alpha").id


@pytest.fixture
def made(app, tenant):
    return in_transaction(app, tenant, fill)


@pytest.fixture
def do(app, tenant):
    """Runs a piece of work in a transaction of the tenant, and commits."""
    return lambda work: in_transaction(app, tenant, work)


def on_account(uow, account, *events):
    lock_accounts(uow, [account])
    return record_events(uow, [(account, event) for event in events], "clerk")


class TestEvents:
    EVERY_KIND = (
        ReturnFiled(1, DAY, NEXT, (PART, PART._replace(furnished_by="commercial"))),
        Estimate(2, DAY, NEXT, (PART,)),
        Payment(3, DAY, NEXT, 100),
        Payment(4, DAY, NEXT, 200),
        PaymentReturned(5, NEXT, NEXT, 3, DAY, 100),
        Voided(6, NEXT, NEXT, 4),
        Waiver(7, DAY, NEXT, "late_fee", 50, "hardship"),
        Extension(8, DAY, NEXT, date(2026, 5, 30)),
        Notice(9, DAY, NEXT),
        Finding(10, DAY, NEXT, "negligence", "the Treasurer", "three years in a row"),
        Refunded(11, NEXT, NEXT, 50, 3, "MON-18", "Room tax, Forfeiture and interest", "1 whole month"),
    )

    def test_every_kind_of_the_domain_has_a_row(self):
        assert {type(event) for event in self.EVERY_KIND} == set(KINDS.values())

    def test_each_comes_back_as_it_was_recorded(self, do, made):
        account = made.accounts[1].id
        do(lambda uow: on_account(uow, account, *self.EVERY_KIND))
        assert do(lambda uow: facts(events_of(uow, [account])[account])) == self.EVERY_KIND

    def test_only_what_was_recorded_by_a_day_is_known_on_it(self, do, made):
        account = made.accounts[1].id
        do(lambda uow: on_account(uow, account, Payment(1, DAY, DAY, 100), Payment(2, DAY, NEXT, 200)))
        assert [e.event.seq for e in do(lambda uow: events_of(uow, [account], DAY))[account]] == [1]
        assert [e.event.seq for e in do(lambda uow: events_of(uow, [account], NEXT))[account]] == [1, 2]

    def test_many_accounts_take_one_statement(self, app, tenant, made):
        statements = []
        sqlalchemy_event.listen(app, "before_cursor_execute", lambda *a: statements.append(a[2]))
        with reading(app, tenant) as uow:
            found = events_of(uow, [account.id for account in made.accounts])
        assert len(statements) == 1
        assert [len(found[account.id]) for account in made.accounts] == [2, 0]

    def test_a_seq_is_taken_once(self, do, made):
        account = made.accounts[0].id
        with pytest.raises(EventOutOfOrder, match="lock the account"):
            do(lambda uow: on_account(uow, account, Payment(2, DAY, DAY, 1)))

    def test_a_payment_comes_back_once(self, do, made):
        account = made.accounts[0].id
        do(lambda uow: on_account(uow, account, PaymentReturned(3, CLERK.on, CLERK.on, 2, CLERK.on, 9_600)))
        with pytest.raises(PaymentAlreadyVoid):
            do(lambda uow: on_account(uow, account, Voided(4, CLERK.on, CLERK.on, 2)))

    def test_an_unknown_account_is_refused(self, do, made):
        with pytest.raises(AccountUnknown):
            do(lambda uow: record_events(uow, [(uuid4(), Payment(1, DAY, DAY, 1))], "clerk"))

    def test_the_next_seq_follows_the_last(self, do, made):
        account = made.accounts[0].id
        assert do(lambda uow: next_seq(facts(events_of(uow, [account])[account]))) == 3
        assert next_seq(()) == 1

    def test_two_payments_at_once_both_stand(self, database, tenant, made):
        """Whoever comes second waits at the lock, and then reads what the first recorded."""
        account, ready = made.accounts[1].id, threading.Barrier(8, timeout=10)

        def pay(uow):
            lock_accounts(uow, [account])
            known = facts(events_of(uow, [account])[account])
            record_events(uow, [(account, Payment(next_seq(known), DAY, DAY, 100))], "clerk")

        with opened_engine(database, Role.APP, pool_size=8) as engine:

            def together():
                ready.wait()
                in_transaction(engine, tenant, pay, tries=1)

            threads = [threading.Thread(target=together) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            with reading(engine, tenant) as uow:
                assert [one.seq for one in facts(events_of(uow, [account])[account])] == list(range(1, 9))


class TestReturns:
    def test_a_return_is_seen_as_it_was_filed_after_everything_changed(self, do, made):
        before = do(lambda uow: return_as_filed(uow, made.filed))

        def change(uow):
            change_filer(uow, made.filer, 1, FilerDetails("Quite Another Name"), CLERK)
            change_place(uow, made.place, 1, PlaceDetails("Elsewhere", furnished_by="state"), CLERK)
            amended = ReturnFiled(3, CLERK.on, CLERK.on, (PART,))
            account = lock_accounts(uow, [made.accounts[0].id])[made.accounts[0].id]
            form = Submission({"rooms": "0.01"}, "paper", CLERK.on, "bayfield", "2")
            return record_return(uow, account, amended, form, "clerk")

        amended = do(change)
        assert do(lambda uow: return_as_filed(uow, made.filed)) == before
        assert do(lambda uow: returns_of(uow, made.accounts[0].id)) == (before, amended)
        assert amended.number == before.number + 1

    def test_the_form_keeps_its_letters_and_their_order(self, do, made):
        form = do(lambda uow: return_as_filed(uow, made.filed)).submission.form
        assert list(form.items()) == [("rooms", "1234.56"), ("exempt", "34.56")]

    def test_an_unknown_return_is_refused(self, do, made):
        with pytest.raises(ReturnUnknown):
            do(lambda uow: return_as_filed(uow, uuid4()))


class TestAccounts:
    def test_each_is_opened_once(self, do, made):
        def again(uow):
            owed = owed_periods(uow, {"room_tax": EVERY_THREE_MONTHS}, date(2026, 6, 30))
            return open_accounts(uow, reversed(owed))

        assert do(again) == tuple(reversed(made.accounts))
        assert do(lambda uow: accounts_of(uow, made.filer)) == made.accounts

    def test_locks_are_taken_in_the_order_of_ids_whatever_was_asked(self, do, made):
        ids = [account.id for account in made.accounts]
        assert list(do(lambda uow: lock_accounts(uow, reversed(ids)))) == sorted(ids)

    def test_a_locked_account_keeps_others_from_locking_it(self, app, tenant, made):
        ids = [made.accounts[0].id]
        with writing(app, tenant) as first, writing(app, tenant) as second:
            lock_accounts(first, ids)
            second.driver.execute("SET LOCAL lock_timeout = '50ms'")
            with pytest.raises(Exception, match="lock timeout"):
                lock_accounts(second, ids)

    def test_a_locked_account_can_still_be_read_and_referred_to(self, app, tenant, made):
        account = made.accounts[0].id
        with writing(app, tenant) as first, writing(app, tenant) as second:
            lock_accounts(first, [account])
            second.driver.execute("SET LOCAL lock_timeout = '50ms'")
            assert find_accounts(second, [account])
            record_events(second, [(account, Payment(99, DAY, DAY, 1))], "clerk")

    def test_a_period_is_locked_for_one_distribution_at_a_time(self, app, tenant, made):
        with writing(app, tenant) as first, writing(app, tenant) as second:
            assert list(lock_period(first, "room_tax", "2026-Q1")) == [made.accounts[0].id]
            second.driver.execute("SET LOCAL lock_timeout = '50ms'")
            assert lock_period(second, "room_tax", "2026-Q2")
            with pytest.raises(Exception, match="lock timeout"):
                lock_period(second, "room_tax", "2026-Q1")

    def test_an_unknown_one_is_refused_with_its_id(self, do, made):
        unknown = uuid4()
        with pytest.raises(AccountUnknown, match=str(unknown)):
            do(lambda uow: lock_accounts(uow, [made.accounts[0].id, unknown]))


class TestFilersAndPlaces:
    def test_names_are_found_whatever_the_case_and_accents(self, do, made):
        for name in ("Café  Lévy", "CAFE Luna", "Bay Inn"):
            do(lambda uow, name=name: register_filer(uow, FilerDetails(name), CLERK))
        found = do(lambda uow: filers_named(uow, "café l"))
        assert [filer.details.name for filer in found] == ["Café  Lévy", "CAFE Luna"]

    def test_the_search_uses_its_index_under_row_security(self, app, tenant, made):
        with reading(app, tenant) as uow:
            uow.driver.execute("SET LOCAL enable_seqscan = off")
            plan = uow.driver.execute(
                f"EXPLAIN SELECT * FROM fisc.filers WHERE tenant_id = {tenant} AND search_name >= 'a'"
                " AND search_name < 'b'"
            ).fetchall()
        condition = next(line for (line,) in plan if "Index Cond" in line)
        assert "search_name" in condition

    def test_each_version_of_a_filer_is_kept(self, do, made):
        do(lambda uow: change_filer(uow, made.filer, 1, FilerDetails("New", year_end_month=6), CLERK))
        assert do(lambda uow: find_filer(uow, made.filer)).details == FilerDetails("New", year_end_month=6)
        versions = do(lambda uow: filer_versions(uow, made.filer))
        assert [(number, details.name) for number, details, _ in versions] == [(1, "Lake House"), (2, "New")]

    def test_of_two_changes_at_once_the_second_is_refused(self, do, made):
        do(lambda uow: change_filer(uow, made.filer, 1, FilerDetails("New"), CLERK))
        with pytest.raises(ChangedMeanwhile):
            do(lambda uow: change_filer(uow, made.filer, 1, FilerDetails("Newer"), CLERK))
        do(lambda uow: change_place(uow, made.place, 1, PlaceDetails("New"), CLERK))
        with pytest.raises(ChangedMeanwhile):
            do(lambda uow: change_place(uow, made.place, 1, PlaceDetails("Newer"), CLERK))

    def test_the_unknown_are_refused(self, do, made):
        with pytest.raises(FilerUnknown):
            do(lambda uow: change_filer(uow, uuid4(), 1, FilerDetails("x"), CLERK))
        with pytest.raises(PlaceUnknown):
            do(lambda uow: find_place(uow, uuid4()))
        with pytest.raises(PlaceUnknown):
            do(lambda uow: record_place_fact(uow, uuid4(), "closing", DAY, None, CLERK))

    @pytest.mark.parametrize("details", [FilerDetails(" "), FilerDetails("x", year_end_month=13)])
    def test_details_that_cannot_be_are_refused(self, do, details):
        with pytest.raises(Refused):
            do(lambda uow: register_filer(uow, details, CLERK))

    def test_closing_seasons_and_withdrawals_decide_what_is_owed(self, do, made):
        def owed():
            through = date(2027, 12, 31)
            listed = do(lambda uow: owed_periods(uow, {"room_tax": EVERY_THREE_MONTHS}, through, filer=made.filer))
            return [one.period.key for one in listed]

        place = made.place
        do(lambda uow: record_place_fact(uow, place, "seasonal_closure", date(2026, 3, 15), date(2026, 6, 30), CLERK))
        do(lambda uow: record_place_fact(uow, place, "closing", date(2026, 10, 1), None, CLERK))
        assert owed() == ["2026-Q1", "2026-Q3", "2026-Q4"]
        closing = do(lambda uow: place_facts_known(uow, place))[-1]
        do(lambda uow: withdraw_place_fact(uow, place, closing.seq, CLERK, reason="it was sold, not closed"))
        assert len(owed()) == 7

    def test_a_tax_enacted_later_is_owed_from_then(self, do, made):
        do(lambda uow: add_place_tax(uow, made.place, "vehicle_fee", date(2026, 5, 1), CLERK))
        listed = do(lambda uow: owed_periods(uow, {"vehicle_fee": EVERY_THREE_MONTHS}, date(2026, 9, 30)))
        assert [one.period.key for one in listed] == ["2026-Q2", "2026-Q3"]

    def test_a_filers_places_are_listed_by_number(self, do, made):
        second = do(
            lambda uow: register_place(uow, made.filer, PlaceDetails("Annex"), DAY, ["room_tax", "room_tax"], CLERK)
        )
        assert [one.id for one in do(lambda uow: places_of(uow, made.filer))] == [made.place, second.id]


class TestPapers:
    def test_bytes_come_back_as_they_came(self, do, made):
        paper, content = do(lambda uow: read_paper(uow, made.paper))
        assert content == b"%PDF-1.7 rooms"
        assert (paper.size_bytes, paper.sniffed_type) == (14, "application/pdf")
        assert do(lambda uow: papers_with(uow, made.filed)) == (paper,)
        assert do(lambda uow: papers_of(uow, made.filer)) == (paper,)

    def test_what_it_is_called_does_not_decide_what_it_is(self, do, made):
        paper = do(lambda uow: attach(uow, made.filer, "photo.jpg", "image/jpeg", b"MZ\x90\x00", CLERK))
        assert (paper.declared_type, paper.sniffed_type) == ("image/jpeg", "application/x-msdownload")

    @pytest.mark.parametrize(
        ("name", "content"),
        [("", b"x"), ("../x", b"x"), ("a\\b", b"x"), ("a\x00b", b"x"), ("x" * 201, b"x"), ("x", b"")],
    )
    def test_names_that_escape_and_empty_files_are_refused(self, do, made, name, content):
        with pytest.raises(Refused):
            do(lambda uow: attach(uow, made.filer, name, "text/plain", content, CLERK))

    def test_the_largest_is_kept_and_a_byte_more_is_refused(self, do, made):
        do(lambda uow: attach(uow, made.filer, "x", "text/plain", bytes(LARGEST_BYTES), CLERK))
        with pytest.raises(Refused, match="make it smaller"):
            do(lambda uow: attach(uow, made.filer, "x", "text/plain", bytes(LARGEST_BYTES + 1), CLERK))

    @pytest.mark.parametrize("lie", ["sha256 = repeat('0', 64)", "size_bytes = 3"])
    def test_the_database_itself_checks_hash_and_size(self, database, tenant, made, lie):
        """Even to the owner with the second lock off."""
        with database.connect(Role.OWNER) as owner:
            owner.execute(f"SET LOCAL fisc.tenant = '{tenant}'")
            owner.execute("ALTER TABLE fisc.attachments DISABLE TRIGGER refuse_change")
            with pytest.raises(Exception, match="violates check constraint"):
                owner.execute(f"UPDATE fisc.attachments SET {lie}")
            owner.rollback()
