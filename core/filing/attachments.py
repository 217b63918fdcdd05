"""Papers: kept with hash, size and both types, and given back as they came."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from sqlalchemy import Row, bindparam, select

from core.db.base import of_tenant
from core.db.recorded import Recorded
from core.db.unit_of_work import UnitOfWork
from core.db.uuid7 import uuid7
from core.domain.errors import Fault, Refused
from core.filing.records import AttachmentUnknown, Paper
from core.filing.returns import return_as_filed
from core.filing.sniff import sniffed_type
from core.filing.tables import attachments

LARGEST_BYTES = 20 * 1024 * 1024
LONGEST_NAME = 200

_WITHOUT_CONTENT = [column for column in attachments.c if column.name != "content"]
_OF_FILER = (
    select(*_WITHOUT_CONTENT)
    .where(of_tenant(attachments), attachments.c.filer_id == bindparam("filer"))
    .order_by(attachments.c.id)
)
_OF_RETURN = (
    select(*_WITHOUT_CONTENT)
    .where(of_tenant(attachments), attachments.c.return_id == bindparam("filed"))
    .order_by(attachments.c.id)
)
_BY_ID = select(attachments).where(of_tenant(attachments), attachments.c.id == bindparam("id"))


def attach(
    uow: UnitOfWork,
    filer: UUID,
    name: str,
    declared_type: str,
    content: bytes,
    recorded: Recorded,
    *,
    filed: UUID | None = None,
) -> Paper:
    """Keep a paper of a filer, with a return where it came with one. Raises Refused with every fault, ReturnUnknown.

    The name is a label, never a path; the declared type is what the sender said and decides nothing.
    """
    faults = _faults(name, content)
    if filed is not None and return_as_filed(uow, filed).account.filer_id != filer:
        faults.append(Fault("filed", "that return is another filer's: name one of this filer's returns"))
    if faults:
        raise Refused(faults)
    digest = hashlib.sha256(content).hexdigest()
    paper = Paper(uuid7(), filer, filed, name, declared_type, sniffed_type(content), len(content), digest, recorded)
    columns = {key: value for key, value in paper._asdict().items() if key != "recorded"}
    uow.insert(attachments, {**columns, "content": content, **recorded.columns()})
    return paper


def papers_of(uow: UnitOfWork, filer: UUID) -> tuple[Paper, ...]:
    """A filer's papers without their bytes, the oldest first."""
    return tuple(_paper(row) for row in uow.rows(_OF_FILER, filer=filer))


def papers_with(uow: UnitOfWork, filed: UUID) -> tuple[Paper, ...]:
    """The papers that came with a return, without their bytes."""
    return tuple(_paper(row) for row in uow.rows(_OF_RETURN, filed=filed))


def read_paper(uow: UnitOfWork, paper: UUID) -> tuple[Paper, bytes]:
    """A paper and its bytes, as they came. Raises AttachmentUnknown."""
    row = uow.row(_BY_ID, id=paper)
    if row is None:
        raise AttachmentUnknown("no paper here has this id")
    return _paper(row), row.content


def _faults(name: str, content: bytes) -> list[Fault]:
    faults: list[Fault] = []
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or {"/", "\\"} & set(name):
        message = f"a file's name has 1 to {LONGEST_NAME} printable letters and no slash: rename it"
        faults.append(Fault("name", message))
    if not content:
        faults.append(Fault("content", "the file is empty: send one that holds something"))
    elif len(content) > LARGEST_BYTES:
        message = f"the file has {len(content):,} bytes, more than the {LARGEST_BYTES:,} that are kept: make it smaller"
        faults.append(Fault("content", message))
    return faults


def _paper(row: Row[Any]) -> Paper:
    return Paper(
        row.id,
        row.filer_id,
        row.return_id,
        row.name,
        row.declared_type,
        row.sniffed_type,
        row.size_bytes,
        row.sha256,
        Recorded(row.recorded_by, row.recorded_on),
    )
