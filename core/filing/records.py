"""The records of filing as plain values."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from core.db.recorded import Recorded
from core.domain.calendar import Period
from core.domain.errors import FiscError
from core.domain.events import Event


class FilerUnknown(FiscError):
    """No filer of this municipality has this id."""


class PlaceUnknown(FiscError):
    """No place of business in this municipality has this id."""


class AccountUnknown(FiscError):
    """No period account of this municipality has this id."""


class ReturnUnknown(FiscError):
    """No return of this municipality has this id."""


class AttachmentUnknown(FiscError):
    """No paper of this municipality has this id."""


class ChangedMeanwhile(FiscError):
    """Somebody else changed the record after it was read."""


class FilerDetails(NamedTuple):
    """What a filer may change. `year_end_month` is the month its year ends in, None until elected."""

    name: str
    address: str = ""
    email: str = ""
    phone: str = ""
    year_end_month: int | None = None


class Filer(NamedTuple):
    """Who files: its id, its number in this municipality, and which version of its details this is."""

    id: UUID
    number: int
    version: int
    details: FilerDetails


class PlaceDetails(NamedTuple):
    """What may change about a place. `furnished_by` is the kind of person that furnishes it, as the law sorts them."""

    name: str
    address: str = ""
    furnished_by: str = "commercial"
    private_benefit: bool = True


class Place(NamedTuple):
    """A place of business. It belongs to one filer; another owner's is another place."""

    id: UUID
    filer_id: UUID
    number: int
    version: int
    details: PlaceDetails


class PeriodAccount(NamedTuple):
    """One filer, place, tax and period."""

    id: UUID
    filer_id: UUID
    place_id: UUID
    tax: str
    period: Period


class RecordedEvent(NamedTuple):
    """An event of an account with its id outward and who recorded it."""

    id: UUID
    account_id: UUID
    event: Event
    recorded_by: str


class Submission(NamedTuple):
    """How a return came in: the form as it was filled in, by which way, and the release of the plugin that read it.

    `form` is JSON and is kept letter for letter. `received_on` is the day it arrived; the event counts for the
    postmark.
    """

    form: dict[str, Any]
    channel: str
    received_on: date
    plugin: str
    plugin_version: str


class FiledReturn(NamedTuple):
    """A return as it was filed. `receipts` stand in the event."""

    id: UUID
    number: int
    account: PeriodAccount
    event: Event
    submission: Submission
    recorded: Recorded


class Paper(NamedTuple):
    """An attachment without its bytes. `sniffed_type` is what the bytes are, `declared_type` what the sender said."""

    id: UUID
    filer_id: UUID
    return_id: UUID | None
    name: str
    declared_type: str
    sniffed_type: str
    size_bytes: int
    sha256: str
    recorded: Recorded
