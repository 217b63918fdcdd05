"""Roles: what stands in no role is not allowed, and each sees no more than it is for."""

from __future__ import annotations

from uuid import UUID

import pytest

from core.auth import permissions
from core.auth.actor import Actor, Forbidden
from core.auth.permissions import ROLES, Permission, Scope

NAMED = {value for value in vars(permissions).values() if isinstance(value, Permission)}
ASKED = NAMED - {permissions.PUBLIC, permissions.SIGNED_IN}
WRITING = {
    one for one in ASKED if one.name.split(":")[1] in ("write", "record", "file", "paper", "correct", "import", "post")
}
MINE = frozenset({UUID(int=1)})


def actor(*roles: str, filers: frozenset[UUID] = frozenset()) -> Actor:
    return Actor(UUID(int=9), "a@b.example", "A", frozenset(roles), filers)


def test_each_permission_has_a_name_of_its_own_and_says_what_it_is() -> None:
    assert len({one.name for one in NAMED}) == len(NAMED)
    assert all(one.meaning for one in NAMED)
    assert all(one.name.count(":") == 1 for one in ASKED)


def test_every_permission_is_in_some_role_and_no_role_has_another() -> None:
    assert {one for role in ROLES.values() for one in role} == ASKED


@pytest.mark.parametrize("permission", sorted(ASKED))
def test_without_a_role_nothing_is_allowed(permission: Permission) -> None:
    with pytest.raises(Forbidden, match=permission.name):
        actor().reach(permission)


def test_the_host_reaches_no_record_of_a_municipality() -> None:
    assert set(ROLES["host"]) == {permissions.HOST_ADMINISTER}


def test_no_role_of_a_municipality_administers_the_instance() -> None:
    assert [role for role, allowed in ROLES.items() if permissions.HOST_ADMINISTER in allowed] == ["host"]


def test_auditor_and_council_write_nothing() -> None:
    assert not WRITING & (ROLES["auditor"].keys() | ROLES["council"].keys())


def test_the_council_sees_no_filer_no_return_and_no_account() -> None:
    pooled = {permissions.SETTING_READ, permissions.SHARING_READ, permissions.BALANCE_READ}
    assert ROLES["council"].keys() == pooled


def test_a_clerk_finds_waives_refunds_shares_out_and_sets_nothing() -> None:
    for permission in (
        permissions.FINDING_RECORD,
        permissions.SETTING_RECORD,
        permissions.SHARING_POST,
        permissions.LOGIN_WRITE,
        permissions.SHEET_IMPORT,
    ):
        with pytest.raises(Forbidden):
            actor("clerk").reach(permission)


def test_a_treasurer_may_what_anybody_may_in_the_municipality() -> None:
    everything = {one for role, allowed in ROLES.items() if role != "host" for one in allowed}
    assert ROLES["treasurer"].keys() == everything


def test_a_filer_reaches_its_own_and_staff_reach_all() -> None:
    assert set(ROLES["filer"].values()) == {Scope.OWN}
    assert actor("filer", filers=MINE).reach(permissions.ACCOUNT_READ) == MINE
    assert actor("treasurer").reach(permissions.ACCOUNT_READ) is None
    # A filer who is clerk too reaches all where the clerk does.
    assert actor("filer", "clerk", filers=MINE).reach(permissions.ACCOUNT_READ) is None
    assert actor("filer", "council", filers=MINE).reach(permissions.ACCOUNT_READ) == MINE


def test_a_filer_without_a_filer_reaches_none() -> None:
    assert actor("filer").reach(permissions.ACCOUNT_READ) == frozenset()


def test_a_filer_records_no_payment_no_act_and_no_setting() -> None:
    assert WRITING & ROLES["filer"].keys() == {permissions.RETURN_FILE}
