"""Refusals, each named after the fact in the domain. They carry what to do next and never a stack trace to a user."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: object) -> str:
    """A value as a message shows it: in quotes if it is a text, on one line, printable, cut where it is long."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _SHORT.repr(value)


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing wrong with what was given: the field, and a message that names the value and what to do."""

    field: str
    message: str


class FiscError(Exception):
    """The root of every refusal that Fisc makes on purpose."""


class Refused(FiscError):
    """What was given, or what it asks for, is refused. Every fault that could be found is listed, not the first one."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__("; ".join(f"{fault.field}: {fault.message}" for fault in self.faults))


class ResolutionMissing(FiscError):
    """The law leaves an amount to a council or board, and no resolution in force on the day sets it."""

    def __init__(self, resolution: str, message: str) -> None:
        self.resolution = resolution
        super().__init__(message)


class LawFileInvalid(FiscError):
    """A law file is not as it must be. Loading stops; the message says which file and which entry."""


class ValueNotInForce(FiscError):
    """A value of the law is asked for on a day on which it gives none. Never read as zero."""


class ValueNotYetInForce(ValueNotInForce):
    """The day lies before the first day on which the value is in force."""


class ValueEnded(ValueNotInForce):
    """The day lies after the last day on which the value was in force."""


class ValueUnknown(ValueNotInForce):
    """The source does not say what the value is."""


class ValueNotEnacted(ValueNotInForce):
    """The value is proposed and not enacted."""


class ContractBroken(FiscError):
    """A municipality's plugin does not answer a hook as the contract says. The message names plugin and hook."""
