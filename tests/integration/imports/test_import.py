"""A treasurer's sheet: every fault in one pass, all or nothing, each row once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from openpyxl import load_workbook
from sqlalchemy import Engine

from core.db.recorded import Recorded
from core.db.unit_of_work import reading
from core.domain.errors import Refused
from core.domain.events import Event, Finding, PaymentReturned
from core.filing.events import events_of, facts
from core.ledger.read import trial_balance
from core.services.accounts.replay import replay_books
from core.services.imports.import_returns import Imported, import_returns
from core.services.imports.sheet import MOST_BYTES
from core.services.imports.write_template import write_template
from tests.support.towns import Town, open_town

pytestmark = pytest.mark.database
ON = Recorded("treasurer", date(2026, 9, 1))
HEAD = "act,place,period,on,rooms,long_stay,name,capacity,paid_on,paid,method,reference,kind,amount,until,reason\n"
GOOD = ",Lake House,2026-Q1,2026-04-20,10000.00,500.00,Office,owner,2026-04-20,617.50,check,101,,,,\n"


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


def take(town: Town, text: str, name: str = "sheet.csv", recorded: Recorded = ON, **options: bool) -> Imported:
    return import_returns(town.engine, town.tenant, name, text.encode(), recorded, **options)


def events(town: Town, period: str) -> tuple[Event, ...]:
    account = town.accounts[period].id
    with reading(town.engine, town.tenant.id) as uow:
        return facts(events_of(uow, [account])[account])


def told(imported: Imported) -> set[tuple[int, str]]:
    return {(fault.line, fault.column) for fault in imported.faults}


def test_a_row_files_a_return_and_records_its_payment(bay: Town) -> None:
    imported = take(bay, HEAD + GOOD)
    assert (imported.rows, imported.recorded, imported.already, imported.faults) == (1, 1, 0, ())
    assert [type(event).__name__ for event in events(bay, "2026-Q1")] == ["ReturnFiled", "Payment"]
    # ($10,000.00 - $500.00) x 6.5% = $617.50, all of it paid.
    with reading(bay.engine, bay.tenant.id) as uow:
        moved = {one.title: one.cents for one in trial_balance(uow) if one.cents}
    assert moved == {"Cash": 61_750, "Room tax (public accommodation taxes)": -61_750}


def test_the_same_file_twice_changes_nothing(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    again = take(bay, HEAD + GOOD, recorded=Recorded("treasurer", date(2026, 9, 2)))
    assert (again.recorded, again.already, again.number) == (0, 1, None)
    assert len(events(bay, "2026-Q1")) == 2


def test_a_row_is_the_same_in_another_file_with_other_columns(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    other = "reference,method,paid,paid_on,capacity,name,long_stay,rooms,on,period,place\n"
    other += '101,check,"$617.50",4/20/2026,owner,Office,500,"10,000.00",04/20/2026,2026-Q1,Lake House\n'
    assert take(bay, other, "other.csv").already == 1


def test_two_equal_checks_with_different_references_are_two(bay: Town) -> None:
    pay = ",1,2026-Q1,,,,,,2026-04-20,100.00,check,{},,,,\n"
    assert take(bay, HEAD + pay.format(101) + pay.format(102)).recorded == 2
    assert len(events(bay, "2026-Q1")) == 2


def test_two_rows_that_say_the_same_are_refused_with_both_lines(bay: Town) -> None:
    imported = take(bay, HEAD + GOOD + GOOD)
    assert told(imported) == {(3, "reference")}
    assert "line 2" in imported.faults[0].message
    assert events(bay, "2026-Q1") == ()


def test_every_fault_of_every_row_is_told_in_one_pass_and_nothing_is_recorded(bay: Town) -> None:
    rows = [
        GOOD,
        ",Nowhere,2026-Q2,2026-07-20,100.00,,Office,owner,,,,,,,,\n",
        ",Lake House,2026-Q9,not a day,-5,,,owner,,,,,,,,\n",
        ",Lake House,2026-Q2,2026-07-20,100.00,200.00,Office,owner,,,,,,,,\n",  # more deducted than received
        "waiver,Lake House,2026-Q2,2026-07-20,,,,,,,,,tax,5.00,,pity\n",
        "extension,Lake House,2026-Q2,2026-07-20,,,,,,,,,,,2027-07-01,\n",
        "nonsense,Lake House,2026-Q2,2026-07-20,,,,,,,,,,,,\n",
        ",Lake House,2026-Q2,2026-07-20,,,,,2026-07-20,5.00,bitcoin,1,,,,\n",
        ",Lake House,2026-Q2,,,,,,,,,,,,,\n",
    ]
    imported = take(bay, HEAD + "".join(rows))
    assert told(imported) >= {
        (3, "place"),
        (4, "on"),
        (4, "rooms"),
        (5, ""),
        (6, "kind"),
        (7, "until"),
        (8, "act"),
        (9, "method"),
        (10, "act"),
    }
    assert 2 not in {line for line, _ in told(imported)}
    assert events(bay, "2026-Q1") == ()


def test_partial_records_the_sound_rows_and_tells_of_the_others(bay: Town) -> None:
    imported = take(bay, HEAD + GOOD + ",Nowhere,2026-Q2,,100.00,,Office,owner,,,,,,,,\n", partial=True)
    assert (imported.recorded, told(imported)) == (1, {(3, "place")})
    assert len(events(bay, "2026-Q1")) == 2


def test_a_row_that_rests_on_a_faulty_one_is_faulty_too(bay: Town) -> None:
    rows = ",Lake House,2026-Q1,,,,,,2026-04-20,0.00,check,7,,,,\n"
    rows += "returned_payment,Lake House,2026-Q1,2026-04-25,,,,,,,,7,,,,NSF\n"
    imported = take(bay, HEAD + rows, partial=True)
    assert {line for line, _ in told(imported)} == {2, 3}


def test_a_returned_check_names_its_payment_by_reference(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    back = "returned_payment,Lake House,2026-Q1,2026-05-04,,,,,,,,101,,,,NSF\n"
    assert take(bay, HEAD + back).recorded == 1
    returned = events(bay, "2026-Q1")[-1]
    assert isinstance(returned, PaymentReturned)
    assert returned.reason == "NSF"


def test_a_check_does_not_come_back_before_it_was_paid(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    back = "returned_payment,Lake House,2026-Q1,2026-04-19,,,,,,,,101,,,,NSF\n"
    assert told(take(bay, HEAD + back)) == {(2, "on")}
    assert len(events(bay, "2026-Q1")) == 2


def test_a_finding_has_its_officer_and_reasons(bay: Town) -> None:
    found = "act,place,period,on,kind,officer,reason\nfinding,Lake House,2026-Q1,2026-06-01,fraud,Treasurer,no books\n"
    assert take(bay, found).recorded == 1
    (event,) = events(bay, "2026-Q1")
    assert isinstance(event, Finding)
    assert (event.on, event.finding, event.officer, event.reasons) == (
        date(2026, 6, 1),
        "fraud",
        "Treasurer",
        "no books",
    )


def test_of_a_finding_everything_that_is_missing_or_wrong_is_told(bay: Town) -> None:
    rows = "act,place,period,kind,officer,reason\nfinding,Lake House,2026-Q1,,,\nfinding,1,2026-Q1,sloth,Treasurer,x\n"
    assert told(take(bay, rows)) == {(2, "kind"), (2, "officer"), (2, "reason"), (3, "kind")}
    assert events(bay, "2026-Q1") == ()


def test_a_later_return_amends(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    assert take(bay, HEAD + GOOD.replace("10000.00", "9000.00").replace("101", "102")).recorded == 1
    assert [type(event).__name__ for event in events(bay, "2026-Q1")].count("ReturnFiled") == 2


def test_a_dry_run_says_the_same_and_records_nothing(bay: Town) -> None:
    assert take(bay, HEAD + GOOD, dry_run=True).recorded == 1
    assert events(bay, "2026-Q1") == ()


def test_an_unknown_column_is_refused_with_the_one_that_is_meant(bay: Town) -> None:
    with pytest.raises(Refused, match="do you mean 'period'"):
        take(bay, "place,periodd\nLake House,2026-Q1\n")


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"PK\x03\x04 not a workbook", b"a" * (MOST_BYTES + 1)])
def test_a_file_that_is_no_sheet_is_refused(bay: Town, content: bytes) -> None:
    with pytest.raises(Refused):
        import_returns(bay.engine, bay.tenant, "sheet.csv", content, ON)


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_the_template_comes_back_as_a_sheet(bay: Town, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"template{ending}"
    write_template(bay.engine, bay.tenant, path, date(2026, 9, 1))
    imported = import_returns(bay.engine, bay.tenant, path.name, path.read_bytes(), ON)
    # A row for each period from 2025 on that has ended by September 2026; each says nothing yet.
    assert imported.rows == 6
    assert {fault.column for fault in imported.faults} == {"act"}


def test_a_filled_in_workbook_is_imported(bay: Town, tmp_path: Path) -> None:
    path = tmp_path / "template.xlsx"
    write_template(bay.engine, bay.tenant, path, date(2026, 9, 1))
    book = load_workbook(path)
    sheet = book.worksheets[0]
    columns = {cell.value: cell.column for cell in sheet[1]}
    sheet.delete_rows(3, 10)
    filled = {"on": date(2025, 4, 20), "rooms": 1234.56, "name": "=1+1", "capacity": "owner"}
    for name, value in filled.items():
        sheet.cell(2, columns[name], value)
    sheet.cell(2, columns["name"]).data_type = "s"
    book.save(path)
    assert import_returns(bay.engine, bay.tenant, path.name, path.read_bytes(), ON).recorded == 1
    assert replay_books(bay.engine, bay.tenant).differences == ()


def test_a_row_is_the_same_by_the_places_number_and_with_its_act_written(bay: Town) -> None:
    take(bay, HEAD + GOOD)
    again = take(bay, HEAD + "return" + GOOD.replace("Lake House", "1"))
    assert (again.recorded, again.already) == (0, 1)


def test_a_payment_without_a_day_is_of_the_rows_day(bay: Town) -> None:
    take(bay, HEAD + GOOD.replace("owner,2026-04-20,", "owner,,"))
    assert [event.on for event in events(bay, "2026-Q1")] == [date(2026, 4, 20)] * 2


def test_a_payments_day_without_its_amount_is_a_fault(bay: Town) -> None:
    imported = take(bay, HEAD + GOOD.replace("617.50", ""))
    assert told(imported) == {(2, "paid")}


def test_a_row_with_an_unreadable_cell_is_told_of_everything_else_too(bay: Town) -> None:
    imported = take(bay, HEAD + ",Nowhere,2026-Q9,not a day,100.00,,,owner,,,,,,,,\n")
    assert told(imported) == {(2, "place"), (2, "period"), (2, "on"), (2, "name")}


def test_a_return_that_would_amend_a_faulty_one_is_not_recorded_as_the_first(bay: Town) -> None:
    faulty = GOOD.replace("2026-04-20,10000.00", "not a day,10000.00")
    imported = take(bay, HEAD + faulty + GOOD.replace("10000.00", "9000.00"), partial=True)
    assert told(imported) == {(2, "on"), (3, "")}
    assert events(bay, "2026-Q1") == ()


def test_a_faulty_row_leaves_nothing_behind(bay: Town) -> None:
    """Not even the choice of a filing year, which a filer's first return makes."""

    def elected() -> int:
        with reading(bay.engine, bay.tenant.id) as uow:
            row = uow.driver.execute("SELECT count(*) FROM fisc.filers WHERE year_end_month IS NOT NULL").fetchone()
        assert row is not None
        return int(row[0])

    before = elected()
    imported = take(bay, HEAD + GOOD.replace(",500.00,", ",50000.00,"), partial=True)
    assert (imported.recorded, told(imported)) == (0, {(2, "")})
    assert elected() == before
