"""Permissions, each named once, and what a role may do. What stands nowhere here is not allowed."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Permission(NamedTuple):
    """Something that a route does: "resource:action", and in a few words what it is."""

    name: str
    meaning: str


class Scope(StrEnum):
    """Of which records: all of the municipality, or those of the filers that the login acts for."""

    ALL = "all"
    OWN = "own"


PUBLIC = Permission("public", "anybody, without signing in")
SIGNED_IN = Permission("signed-in", "whoever is signed in, about themselves")

HOST_ADMINISTER = Permission("host:administer", "municipalities and staff logins on this instance")
FILER_READ = Permission("filer:read", "filers and their places of business")
FILER_WRITE = Permission("filer:write", "enter and change filers and places")
LOGIN_WRITE = Permission("login:write", "give a filer a login")
ACCOUNT_READ = Permission("account:read", "period accounts: what is owed, paid and filed, and why")
RETURN_FILE = Permission("return:file", "file returns")
RETURN_PAPER = Permission("return:paper", "enter returns that came on paper, with their postmark")
RETURN_READ = Permission("return:read", "returns as they were filed")
PAYMENT_PREVIEW = Permission("payment:preview", "see what a payment would go to")
PAYMENT_RECORD = Permission("payment:record", "record payments")
PAYMENT_CORRECT = Permission("payment:correct", "returned payments, entries in error, payments moved")
SHEET_IMPORT = Permission("sheet:import", "import a sheet of returns, payments and other acts")
NOTICE_RECORD = Permission("notice:record", "notices and extensions")
FINDING_RECORD = Permission("finding:record", "estimates, findings, waivers and refunds")
SETTING_READ = Permission("setting:read", "resolutions, readings and agreements")
SETTING_RECORD = Permission("setting:record", "record resolutions, readings and agreements; open the municipality")
SHARING_READ = Permission("sharing:read", "distributions and remittance advices, which are pooled")
SHARING_POST = Permission("sharing:post", "post distributions and remittances")
WAITING_READ = Permission("waiting:read", "what waits, what is overdue, who is in credit")
WAITING_POST = Permission("waiting:post", "post what waited")
BALANCE_READ = Permission("balance:read", "the trial balance")
JOURNAL_READ = Permission("journal:read", "the journal, entry by entry")

_EVERYTHING = (
    FILER_READ,
    FILER_WRITE,
    LOGIN_WRITE,
    ACCOUNT_READ,
    RETURN_FILE,
    RETURN_PAPER,
    RETURN_READ,
    PAYMENT_PREVIEW,
    PAYMENT_RECORD,
    PAYMENT_CORRECT,
    SHEET_IMPORT,
    NOTICE_RECORD,
    FINDING_RECORD,
    SETTING_READ,
    SETTING_RECORD,
    SHARING_READ,
    SHARING_POST,
    WAITING_READ,
    WAITING_POST,
    BALANCE_READ,
    JOURNAL_READ,
)
_COUNTER = (
    FILER_READ,
    FILER_WRITE,
    ACCOUNT_READ,
    RETURN_FILE,
    RETURN_PAPER,
    RETURN_READ,
    PAYMENT_PREVIEW,
    PAYMENT_RECORD,
    PAYMENT_CORRECT,
    NOTICE_RECORD,
    SETTING_READ,
    WAITING_READ,
)
_LOOKING = (
    FILER_READ,
    ACCOUNT_READ,
    RETURN_READ,
    SETTING_READ,
    SHARING_READ,
    WAITING_READ,
    BALANCE_READ,
    JOURNAL_READ,
)
_POOLED = (SETTING_READ, SHARING_READ, BALANCE_READ)
_OWN = (FILER_READ, ACCOUNT_READ, RETURN_FILE, RETURN_READ, PAYMENT_PREVIEW, WAITING_READ)

ROLES: dict[str, dict[Permission, Scope]] = {
    "host": {HOST_ADMINISTER: Scope.ALL},
    "treasurer": dict.fromkeys(_EVERYTHING, Scope.ALL),
    "clerk": dict.fromkeys(_COUNTER, Scope.ALL),
    "auditor": dict.fromkeys(_LOOKING, Scope.ALL),
    "council": dict.fromkeys(_POOLED, Scope.ALL),
    "filer": dict.fromkeys(_OWN, Scope.OWN),
}
