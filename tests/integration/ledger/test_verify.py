"""Verifying: whatever a superuser does to the books behind their back is found and named."""

from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import event

from core.db.recorded import Recorded
from core.db.unit_of_work import in_transaction, reading, writing
from core.ledger import findings as findings_module
from core.ledger.close import close_through
from core.ledger.digest import ENTRY_COLUMNS, TRANSFER_COLUMNS, entry_digest, link, prepare
from core.ledger.findings import Wrong
from core.ledger.heads import HeadsFile
from core.ledger.seal import SealingBlocked, seal
from core.ledger.verify import verify
from tests.support.numbered_entries import lend, open_books, post_numbered
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database

ENTRY_2 = "(SELECT id FROM fisc.entries WHERE key = 'entry-2')"


@pytest.fixture
def sealed(books):
    """Six entries in three sealings, the last of them a loan between the funds."""
    books.post(1, 2)
    books.seal()
    books.post(3, 4, 5)
    books.seal()
    in_transaction(books.engine, books.tenant, lend)
    books.seal()
    assert not books.verify().broken
    return books


def test_clean_books_are_told_from_books_not_sealed_yet(sealed):
    sealed.post(6, 7)
    found = sealed.verify()
    assert (found.sealed, found.unrecorded, found.findings) == (6, 0, ())
    assert (found.tail.count, found.tail.late, found.tail.first) == (2, 0, ("entry-6", "entry-7"))


# A forged value for each column that a seal covers, in the type of the column.
FORGED = {
    "seq": "seq + 1000",
    "key": "key || 'x'",
    "kind": "'waiver'",
    "effective_on": "'infinity'",
    "booked_on": "booked_on - 1",
    "recorded_on": "'-infinity'",
    "recorded_at": "'infinity'",
    "period_account_id": "gen_random_uuid()",
    "event_seqs": "'{1}'",
    "narrative": "narrative || ' '",
    "lines": "3",
    "line": "line + 10",
    "fund": "'100'",
    "debit": "'56700-a'",
    "credit": "'30000'",
    "cents": "cents + 1",
    "debit_is_due": "NOT debit_is_due",
    "credit_is_due": "NOT credit_is_due",
    "twin": "99",
    "charge_kind": "'fee'",
    "clause_id": "'T-9'",
    "section": "section || '(b)'",
    "rule_version": "'2'",
    "value_ids": "'{v-1,v-2}'",
    "computation": "computation || '!'",
}
LOOSENED = """
    ALTER TABLE fisc.transfers DROP CONSTRAINT IF EXISTS ck_transfers_due_has_its_twin,
        DROP CONSTRAINT IF EXISTS ck_transfers_one_side_due, DROP CONSTRAINT IF EXISTS ck_transfers_line_within_entry
"""


@pytest.mark.parametrize("column", [name for name in ENTRY_COLUMNS if name not in ("tenant_id", "id")])
def test_a_changed_entry_is_found_whatever_was_changed(sealed, attack, column):
    attack(f"UPDATE fisc.entries SET {column} = {FORGED[column]} WHERE key = 'entry-2'")
    name = "entry-2x" if column == "key" else "entry-2"
    assert (Wrong.CHANGED, name) in sealed.wrong()


@pytest.mark.parametrize("column", [name for name in TRANSFER_COLUMNS if name not in ("tenant_id", "entry_id")])
def test_a_changed_transfer_is_found_whatever_was_changed(sealed, attack, column):
    attack(LOOSENED)
    attack(f"UPDATE fisc.transfers SET {column} = {FORGED[column]} WHERE entry_id = {ENTRY_2} AND line = 1")
    assert (Wrong.CHANGED, "entry-2") in sealed.wrong()


def test_sealing_is_blocked_where_a_sealed_entry_looks_like_a_new_one(sealed, attack):
    attack("UPDATE fisc.entries SET seq = seq + 1000 WHERE key = 'entry-2'")
    with pytest.raises(SealingBlocked, match="verify"):
        sealed.seal()
    assert sealed.wrong() == {(Wrong.CHANGED, "entry-2")}


def test_an_entry_under_another_id_is_found(sealed, attack):
    attack("UPDATE fisc.transfers SET entry_id = '00000000-0000-7000-8000-000000000001' WHERE entry_id = " + ENTRY_2)
    attack("UPDATE fisc.entries SET id = '00000000-0000-7000-8000-000000000001' WHERE key = 'entry-2'")
    assert {(wrong, name[-8:]) for wrong, name in sealed.wrong()} == {(Wrong.MISSING, "(seal 2)")}
    assert sealed.verify().tail.first == ("entry-2",)


def test_only_the_changed_entry_is_named(sealed, attack):
    attack(f"UPDATE fisc.transfers SET cents = cents + 1 WHERE entry_id = {ENTRY_2}")
    assert sealed.wrong() == {(Wrong.CHANGED, "entry-2")}


def test_a_removed_transfer_is_found(sealed, attack):
    attack(f"DELETE FROM fisc.transfers WHERE entry_id = {ENTRY_2} AND line = 2")
    assert sealed.wrong() == {(Wrong.CHANGED, "entry-2"), (Wrong.LINES, "entry-2")}


def test_an_added_transfer_is_found(sealed, attack):
    attack(LOOSENED)
    attack(f"""
        INSERT INTO fisc.transfers SELECT (jsonb_populate_record(t, '{{"line": 3}}')).* FROM fisc.transfers t
        WHERE entry_id = {ENTRY_2} AND line = 2
    """)
    assert sealed.wrong() == {(Wrong.CHANGED, "entry-2"), (Wrong.LINES, "entry-2")}


def test_a_removed_entry_is_found_and_its_transfers_are_orphans(sealed, attack):
    attack("DELETE FROM fisc.entries WHERE key = 'entry-3'")
    kinds = {wrong for wrong, _ in sealed.wrong()}
    assert kinds == {Wrong.MISSING, Wrong.ORPHAN}
    attack("DELETE FROM fisc.transfers t WHERE NOT EXISTS (SELECT FROM fisc.entries e WHERE e.id = t.entry_id)")
    found = sealed.verify().findings
    assert [finding.wrong for finding in found] == [Wrong.MISSING]
    assert "(seal 3)" in found[0].name


def test_an_entry_removed_with_its_seal_is_found(sealed, attack):
    attack(f"DELETE FROM fisc.transfers WHERE entry_id = {ENTRY_2}")
    attack(f"DELETE FROM fisc.seals WHERE entry_id = {ENTRY_2}")
    attack("DELETE FROM fisc.entries WHERE key = 'entry-2'")
    assert (Wrong.SEAL_MISSING, "seal 3") in sealed.wrong()


COPIED = """
    INSERT INTO fisc.entries SELECT (jsonb_populate_record(e, jsonb_build_object('id', %s::text, 'key', 'slipped in',
        'seq', {seq}, 'recorded_at', {recorded_at}))).* FROM fisc.entries e WHERE key = 'entry-1'
"""
LINES_COPIED = """
    INSERT INTO fisc.transfers SELECT (jsonb_populate_record(t, jsonb_build_object('entry_id', %s::text))).*
    FROM fisc.transfers t JOIN fisc.entries e ON e.id = t.entry_id WHERE e.key = 'entry-1'
"""


@pytest.mark.parametrize("is_sealed", [False, True])
def test_an_entry_inserted_with_an_old_date_is_found(sealed, attack, is_sealed):
    forged = "00000000-0000-7000-8000-000000000001"
    attack(COPIED.format(seq=0, recorded_at="now() - interval '2 days'"), forged)
    attack(LINES_COPIED, forged)
    found = sealed.verify()
    assert (found.tail.count, found.tail.late) == (1, 1)
    if is_sealed:
        sealed.seal()
    assert sealed.wrong() == {(Wrong.BACKDATED, "slipped in")}


def test_an_entry_with_fewer_lines_than_it_says_is_found_before_it_is_sealed(sealed, attack):
    attack(COPIED.format(seq=10_000, recorded_at="now()"), "00000000-0000-7000-8000-000000000001")
    assert sealed.wrong() == {(Wrong.LINES, "slipped in")}


def test_seals_in_another_order_are_found(sealed, attack):
    attack("UPDATE fisc.seals SET position = 100 WHERE position = 3")
    attack("UPDATE fisc.seals SET position = 3 WHERE position = 4")
    attack("UPDATE fisc.seals SET position = 4 WHERE position = 100")
    assert {(Wrong.SEAL_CHANGED, "seal 3"), (Wrong.SEAL_CHANGED, "seal 4")} <= sealed.wrong()


@pytest.mark.parametrize(
    ("column", "forged"),
    [
        ("digest", "sha256('x')"),
        ("head", "sha256('x')"),
        ("sealed_at", "sealed_at - interval '1 microsecond'"),
        ("seq", "seq + 1000"),
        ("entry_id", "gen_random_uuid()"),
    ],
)
def test_a_changed_seal_is_found_whatever_was_changed(sealed, attack, column, forged):
    attack(f"UPDATE fisc.seals SET {column} = {forged} WHERE position = 2")
    assert (Wrong.SEAL_CHANGED, "seal 2") in sealed.wrong()


def test_a_chain_cut_with_its_entries_is_found_by_the_file(sealed, attack):
    attack("DELETE FROM fisc.transfers t USING fisc.seals s WHERE s.entry_id = t.entry_id AND s.position > 4")
    attack("DELETE FROM fisc.entries e USING fisc.seals s WHERE s.entry_id = e.id AND s.position > 4")
    attack("DELETE FROM fisc.seals WHERE position > 4")
    # The database agrees with itself.
    with reading(sealed.engine, sealed.tenant) as uow:
        assert not verify(uow, None).broken
    assert sealed.wrong() == {(Wrong.CHAIN_CUT, "seal 6")}
    # Sealing more does not hide it.
    sealed.post(10, 11, 12)
    sealed.seal()
    assert (Wrong.OTHER_CHAIN, "seal 5") in sealed.wrong() or (Wrong.OTHER_CHAIN, "seal 6") in sealed.wrong()


def test_books_emptied_to_nothing_are_found_by_the_file(sealed, attack):
    for table in ("transfers", "seals", "entries"):
        attack(f"DELETE FROM fisc.{table}")
    assert sealed.wrong() == {(Wrong.CHAIN_CUT, "seal 6")}


def test_a_chain_forged_anew_is_found_by_the_file(sealed, attack, tmp_path: Path):
    attack(f"UPDATE fisc.transfers SET cents = cents + 1 WHERE entry_id = {ENTRY_2}")
    attack("DELETE FROM fisc.seals")
    forged = sealed.seal(HeadsFile(tmp_path / "elsewhere"))
    assert forged.count == 6
    assert {(Wrong.OTHER_CHAIN, "seal 2"), (Wrong.OTHER_CHAIN, "seal 6")} <= sealed.wrong()


def test_an_unequal_pair_between_funds_is_found(books, attack):
    in_transaction(books.engine, books.tenant, lend)
    assert not books.verify().broken
    attack("UPDATE fisc.transfers SET cents = cents + 1 WHERE credit_is_due")
    assert books.wrong() == {(Wrong.UNPAIRED, "loan")}


@pytest.mark.parametrize("side", ["debit", "credit"])
def test_a_pair_without_its_other_leg_is_found(books, attack, side):
    in_transaction(books.engine, books.tenant, lend)
    attack(f"DELETE FROM fisc.transfers WHERE {side}_is_due")
    assert (Wrong.UNPAIRED, "loan") in books.wrong()


def test_a_leg_that_hides_behind_its_flags_is_found(books, attack):
    in_transaction(books.engine, books.tenant, lend)
    attack("UPDATE fisc.transfers SET twin = NULL, credit_is_due = false WHERE credit_is_due")
    assert (Wrong.UNPAIRED, "loan") in books.wrong()


def test_money_on_an_account_that_is_not_in_the_chart_is_found(sealed, attack):
    attack("DELETE FROM fisc.ledger_accounts WHERE number = '41210'")
    assert sealed.wrong() == {(Wrong.UNKNOWN_ACCOUNT, "210/41210")}


@pytest.mark.parametrize(
    "forgery",
    [
        "UPDATE fisc.snapshots SET debit_cents = debit_cents + 1 WHERE account = '11100'",
        "UPDATE fisc.closings SET digest = sha256('x')",
        "DELETE FROM fisc.snapshots WHERE account = '11100'",
    ],
)
def test_a_closed_period_that_its_entries_do_not_give_is_found(sealed, attack, forgery):
    through = date(2026, 1, 31)
    recorded = Recorded("clerk", date(2026, 2, 1))
    in_transaction(sealed.engine, sealed.tenant, lambda uow: close_through(uow, through, "month end", recorded))
    assert not sealed.verify().broken
    attack(forgery)
    assert {wrong for wrong, _ in sealed.wrong()} == {Wrong.SNAPSHOT}


def test_sums_past_all_bounds_are_a_finding_and_no_error(sealed, attack):
    through = date(2026, 1, 31)
    recorded = Recorded("clerk", date(2026, 2, 1))
    in_transaction(sealed.engine, sealed.tenant, lambda uow: close_through(uow, through, "month end", recorded))
    attack("UPDATE fisc.transfers SET cents = 9223372036854775807")
    assert {Wrong.CHANGED, Wrong.SNAPSHOT} <= {wrong for wrong, _ in sealed.wrong()}


def test_another_tenants_forgery_is_not_this_ones(sealed, attack, app, host):
    other = new_tenant(host, "beta").id
    in_transaction(app, other, open_books)
    in_transaction(app, other, lambda uow: post_numbered(uow, 1))
    with writing(app, other) as uow:
        seal(uow, sealed.heads)
    attack("UPDATE fisc.transfers SET cents = 1 WHERE tenant_id = %s", other)
    assert not sealed.verify().broken
    with reading(app, other) as uow:
        assert verify(uow, sealed.heads).broken


def test_many_findings_are_counted_and_not_all_kept(sealed, attack, monkeypatch):
    monkeypatch.setattr(findings_module, "SHOWN", 2)
    attack("UPDATE fisc.transfers SET cents = cents + 1")
    found = sealed.verify()
    assert (len(found.findings), found.further) == (2, 4)


def test_the_number_of_statements_does_not_grow(sealed):
    seen: list[str] = []
    event.listen(sealed.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
    sealed.verify()
    few = len(seen)
    sealed.post(*range(10, 100))
    sealed.seal()
    seen.clear()
    sealed.verify()
    assert len(seen) == few


def test_the_text_that_is_sealed_is_the_same_on_every_postgresql(books):
    with writing(books.engine, books.tenant) as uow:
        uow.driver.execute("SET LOCAL datestyle = 'German'; SET LOCAL timezone = 'Asia/Kathmandu'")
        prepare(uow)
        row = uow.driver.execute(
            "SELECT '0044-03-15 BC'::date::text, '{a,\"b c\",\"\"}'::text[]::text,"
            " '2026-07-01 00:00:00.5+05'::timestamptz::text, true::text, 'infinity'::date::text"
        ).fetchone()
    assert row == ("0044-03-15 BC", '{a,"b c",""}', "2026-06-30 19:00:00.5+00", "true", "infinity")


def test_the_digest_of_a_known_entry_never_changes():
    header = list(ENTRY_COLUMNS)
    lines = [[f"{name}-{line}" for name in TRANSFER_COLUMNS] for line in (1, 2)]
    assert entry_digest(header, lines).hex() == "ec2883261fcdab063a0bbefbaae86681ed64eb2479573eeecac93bed47883918"
    assert (
        link(bytes(32), 7, 1, "id", "5", "2026-07-01 00:00:00+00", bytes(32)).hex()
        == "9b7140a636ea2ad4f13ad8ebd9cd7fa049a7d02ebd8813318c389f208e2f1acf"
    )
