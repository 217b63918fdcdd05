"""Sealing: every committed entry gets one seal, late ones too, and the head ends up outside."""

from pathlib import Path

import pytest
from sqlalchemy import event, text

from core.db.unit_of_work import in_transaction, writing
from core.ledger import stream as stream_module
from core.ledger.digest import ENTRY_COLUMNS, TRANSFER_COLUMNS, entry_digest
from core.ledger.heads import Head, HeadsFile
from core.ledger.seal import seal
from core.ledger.tables import entries, transfers
from tests.support.numbered_entries import open_books, post_numbered
from tests.support.tenants import new_tenant

pytestmark = pytest.mark.database


def test_each_committed_entry_gets_one_seal(books):
    books.post(1, 2, 3)
    first = books.seal()
    assert (first.count, first.position) == (3, 3)
    again = books.seal()
    assert (again.count, again.position, again.head) == (0, 3, first.head)
    books.post(4)
    assert books.seal().position == 4
    found = books.verify()
    assert (found.sealed, found.tail.count, found.findings) == (4, 0, ())


def test_nothing_posted_has_nothing_to_seal(books):
    assert books.seal().position == 0
    assert not books.heads.path.exists()
    assert not books.verify().broken


def test_an_entry_that_commits_late_is_sealed_later(books):
    with writing(books.engine, books.tenant) as slow:
        post_numbered(slow, 1)
        books.post(2)
        assert books.seal().count == 1
        slow.commit()
    late = books.verify()
    assert (late.tail.count, late.tail.late, late.tail.first) == (1, 1, ("entry-1",))
    assert not late.broken
    assert books.seal().count == 1
    assert books.verify().findings == ()


@pytest.mark.parametrize("batch", [1, 2, 3, 4])
def test_batches_make_the_same_chain(books, batch, monkeypatch):
    monkeypatch.setattr(stream_module, "PART", batch)
    books.post(1, 2, 3)
    assert books.seal().count == 3
    assert not books.verify().broken


def test_the_statements_of_a_sealing_do_not_grow_with_its_entries(books):
    seen = []
    event.listen(books.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
    counts = []
    for numbers in (range(1, 3), range(3, 200)):
        books.post(*numbers)
        seen.clear()
        books.seal()
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_two_sealings_at_once_take_turns(books):
    with writing(books.engine, books.tenant) as holder:
        holder.driver.execute("SELECT pg_advisory_xact_lock(5467004, %s)", (books.tenant,))
        with writing(books.engine, books.tenant) as second:
            second.driver.execute("SET LOCAL lock_timeout = '50ms'")
            with pytest.raises(Exception, match="lock timeout"):
                seal(second, books.heads)


def test_each_tenant_has_a_chain_of_its_own(app, host, books):
    other = new_tenant(host, "beta").id
    in_transaction(app, other, open_books)
    in_transaction(app, other, lambda uow: post_numbered(uow, 1))
    books.post(1)
    here = books.seal()
    with writing(app, other) as uow:
        there = seal(uow, books.heads)
    assert here.position == there.position == 1
    assert here.head != there.head
    assert [head.tenant for head in books.heads.of_tenant(other)] == [other]
    assert not books.verify().broken


def test_a_crash_before_the_head_is_told_is_mended_by_the_next_sealing(books):
    books.post(1, 2)
    with writing(books.engine, books.tenant) as uow:
        seal(uow, None)
    assert (books.verify().unrecorded, books.verify().broken) == (2, False)
    assert books.seal().count == 0
    assert books.verify().unrecorded == 0
    assert [head.position for head in books.heads.of_tenant(books.tenant)] == [2]


def test_a_head_that_cannot_be_written_loses_no_seal(books, tmp_path):
    books.post(1)
    with pytest.raises(OSError, match="nowhere"):
        books.seal(HeadsFile(tmp_path / "nowhere" / "heads"))
    assert books.verify().sealed == 1


def test_the_seal_survives_a_migration_that_adds_columns(books, attack):
    books.post(1, 2)
    books.seal()
    attack("ALTER TABLE fisc.entries ADD COLUMN approved_by text NOT NULL DEFAULT 'nobody'")
    attack("ALTER TABLE fisc.transfers ADD COLUMN project text")
    books.post(3)
    assert not books.verify().broken
    books.seal()
    assert not books.verify().broken


def test_a_nullable_column_can_join_the_digest(monkeypatch):
    header = [f"{number}" for number in range(len(ENTRY_COLUMNS))]
    line = [f"{number}" for number in range(len(TRANSFER_COLUMNS))]
    before = entry_digest(header, [line])
    monkeypatch.setattr("core.ledger.digest.ENTRY_COLUMNS", ("approved_by", *ENTRY_COLUMNS))
    assert entry_digest([None, *header], [line]) == before
    assert entry_digest(["somebody", *header], [line]) != before


def test_every_column_is_sealed():
    assert set(ENTRY_COLUMNS) == set(entries.c.keys())
    assert set(TRANSFER_COLUMNS) == set(transfers.c.keys())


def test_the_seal_does_not_depend_on_the_session(books):
    books.post(1)
    with writing(books.engine, books.tenant) as uow:
        uow.execute(text("SET LOCAL timezone = 'Asia/Kathmandu'"))
        uow.execute(text("SET LOCAL datestyle = 'German, DMY'"))
        seal(uow, books.heads)
    assert not books.verify().broken


def test_a_seal_is_not_changed_by_the_application(books):
    books.post(1)
    books.seal()
    with writing(books.engine, books.tenant) as uow, pytest.raises(Exception, match="permission denied"):
        uow.execute(text("DELETE FROM fisc.seals WHERE tenant_id = :tenant"))


class TestHeadsFile:
    """The file outside."""

    def test_a_head_comes_back(self, tmp_path: Path):
        heads = HeadsFile(tmp_path / "heads")
        assert heads.of_tenant(1) == []
        given = [Head("2026-07-01", 1, 5, "a" * 64), Head("2026-07-02", 1, 9, "b" * 64)]
        for head in given:
            heads.append(head)
        heads.append(Head("2026-07-02", 2, 9, "c" * 64))
        assert heads.of_tenant(1) == given
        assert heads.path.stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("cut", [1, 2, 30, 64, 70])
    def test_a_line_that_a_crash_cut_short_harms_no_other(self, tmp_path: Path, cut: int):
        heads = HeadsFile(tmp_path / "heads")
        first, second, third = (Head("2026-07-01", 1, position, "a" * 64) for position in (1, 2, 3))
        heads.append(first)
        heads.append(second)
        heads.path.write_bytes(heads.path.read_bytes()[:-cut])
        heads.append(third)
        # Without its last newline alone the line is whole.
        assert heads.of_tenant(1) == ([first, second, third] if cut == 1 else [first, third])
