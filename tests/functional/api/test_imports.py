"""A sheet of returns and payments, sent to the API."""

from __future__ import annotations

import io

import pytest
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from tests.support.towns import Town, open_town
from tests.support.web import Client, Web

pytestmark = pytest.mark.database

# 10,000.00 x 6.5% = 650.00 for the first period, paid by two equal checks.
SHEET = """place,period,on,rooms,name,capacity,paid_on,paid,method,reference
Lake House,2026-Q1,2026-04-29,10000.00,J. Doe,owner,2026-04-29,325.00,check,101
Lake House,2026-Q1,,,,,2026-04-29,325.00,check,102
"""


@pytest.fixture
def bay(app: Engine, host: Engine) -> Town:
    return open_town(app, host, "bay", "bayfield")


@pytest.fixture
def web(app: Engine, host: Engine) -> Web:
    return Web(app, host)


def sent(client: Client, sheet: str | bytes, name: str = "year.csv", query: str = "") -> TestResponse:
    content = sheet.encode() if isinstance(sheet, str) else sheet
    return client.send(client.client.post, f"/imports{query}", data={"file": (io.BytesIO(content), name)})


def test_a_sheet_is_recorded_and_the_same_sheet_again_changes_nothing(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    first = sent(treasurer, SHEET)
    assert (first.status_code, first.json["recorded"], first.json["already"]) == (200, 2, 0)
    again = sent(treasurer, SHEET, "the same.csv")
    assert (again.json["recorded"], again.json["already"], again.json["number"]) == (0, 2, None)


def test_every_fault_of_a_sheet_is_told_with_line_and_column_and_nothing_is_recorded(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    faulty = SHEET.replace("10000.00", "1e4").replace("325.00,check,102", "325.00,barter,102")
    refused = sent(treasurer, faulty)
    assert refused.status_code == 422
    assert [fault["field"] for fault in refused.json["errors"]] == ["line 2, rooms", "line 3, method"]
    assert sent(treasurer, SHEET).json["already"] == 0


def test_a_dry_run_tells_what_would_be_recorded_and_records_nothing(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    assert sent(treasurer, SHEET, query="?dry_run=true").json["recorded"] == 2
    assert sent(treasurer, SHEET).json["already"] == 0


def test_the_sound_rows_alone_are_recorded_when_that_is_asked_for(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    faulty = SHEET.replace("325.00,check,102", "325.00,barter,102")
    told = sent(treasurer, faulty, query="?partial=true").json
    assert (told["recorded"], [fault["line"] for fault in told["faults"]]) == (1, [3])


@pytest.mark.parametrize(("sheet", "name"), [(b"", "a.csv"), (b"PK\x03\x04no", "a.xlsx"), (b"\xff\xfe\x00", "")])
def test_what_is_no_sheet_is_refused(web: Web, bay: Town, sheet: bytes, name: str) -> None:
    assert sent(web.staff("treasurer", bay.tenant), sheet, name).status_code == 422


def test_a_request_without_a_sheet_is_refused(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    assert treasurer.post("/imports").json["errors"][0]["field"] == "file"
    assert treasurer.post("/imports?partial=maybe").status_code == 422


def test_a_sheet_may_be_larger_than_other_bodies(web: Web, bay: Town) -> None:
    blank = "\n" * (2 * 1024 * 1024)
    assert sent(web.staff("treasurer", bay.tenant), SHEET + blank).json["recorded"] == 2


def test_a_sheet_larger_than_the_limit_is_not_read(web: Web, bay: Town) -> None:
    treasurer = web.staff("treasurer", bay.tenant)
    assert sent(treasurer, b"a" * (22 * 1024 * 1024)).status_code == 413


def test_only_the_treasurer_imports(web: Web, bay: Town) -> None:
    for role in ("clerk", "auditor", "council"):
        assert sent(web.staff(role, bay.tenant), SHEET).status_code == 403
