"""The same request twice: one answer. Another body: refused. A refusal leaves nothing behind."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.db.next_number import next_number
from core.db.remember import Request, RequestKeyReused, RequestUnanswered, remember
from core.db.roles import Role
from core.db.unit_of_work import in_transaction, writing
from core.domain.errors import Fault, Refused
from tests.support.tenants import new_tenant, opened_engine

pytestmark = pytest.mark.database

POST = Request.of("login-1", "key-1", b'{"amount": "1.00"}')


@pytest.fixture
def tenant(host) -> int:
    return new_tenant(host, "alpha").id


def numbered(uow, request=POST):
    """A request that makes something which can be counted."""
    return remember(uow, request, lambda: {"receipt": next_number(uow, "receipts"), "b": 1, "a": [True, None, "é"]})


def test_the_second_time_gets_the_first_answer(app, tenant):
    first = in_transaction(app, tenant, numbered)
    assert in_transaction(app, tenant, numbered) == first == {"receipt": 1, "b": 1, "a": [True, None, "é"]}


def test_the_answer_keeps_its_order_and_so_its_bytes(app, tenant):
    first = in_transaction(app, tenant, numbered)
    assert list(in_transaction(app, tenant, numbered)) == list(first) == ["receipt", "b", "a"]


def test_another_body_under_the_key_is_refused(app, tenant):
    in_transaction(app, tenant, numbered)
    other = POST._replace(body_hash=Request.of("", "", b"other").body_hash)
    with pytest.raises(RequestKeyReused, match="a key of its own"):
        in_transaction(app, tenant, lambda uow: numbered(uow, other))


def test_another_login_may_use_the_same_key(app, tenant):
    in_transaction(app, tenant, numbered)
    other = POST._replace(login="login-2")
    assert in_transaction(app, tenant, lambda uow: numbered(uow, other))["receipt"] == 2


def test_another_tenant_may_use_the_same_key(app, host, tenant):
    in_transaction(app, tenant, numbered)
    assert in_transaction(app, new_tenant(host, "beta").id, numbered)["receipt"] == 1


def test_a_refused_request_can_be_mended_and_sent_again(app, tenant):
    def refuse():
        raise Refused([Fault("amount", "too much")])

    with pytest.raises(Refused):
        in_transaction(app, tenant, lambda uow: remember(uow, POST, refuse))
    mended = POST._replace(body_hash=Request.of("", "", b"mended").body_hash)
    assert in_transaction(app, tenant, lambda uow: numbered(uow, mended))["receipt"] == 1


def test_a_claim_without_commit_leaves_nothing(app, tenant):
    with writing(app, tenant) as uow:
        numbered(uow)
    assert in_transaction(app, tenant, numbered)["receipt"] == 1


def test_sixteen_at_once_make_one_thing_and_get_one_answer(database, tenant):
    with opened_engine(database, Role.APP, pool_size=16) as engine, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: in_transaction(engine, tenant, numbered), range(16)))
        assert answers == [answers[0]] * 16
        assert in_transaction(engine, tenant, lambda uow: next_number(uow, "receipts")) == 2


def test_of_sixteen_refusals_at_once_none_blocks_the_mended_one(database, tenant):
    def refuse():
        raise Refused([Fault("amount", "too much")])

    def send(_):
        with pytest.raises(Refused):
            in_transaction(engine, tenant, lambda uow: remember(uow, POST, refuse))

    with opened_engine(database, Role.APP, pool_size=16) as engine, ThreadPoolExecutor(16) as pool:
        list(pool.map(send, range(16)))
        assert in_transaction(engine, tenant, numbered)["receipt"] == 1


def test_an_answer_once_given_cannot_be_changed_by_the_application(app, tenant):
    in_transaction(app, tenant, numbered)
    with writing(app, tenant) as uow:
        changed = uow.connection.execute(text("UPDATE fisc.requests SET answer = '{}'"))
        assert changed.rowcount == 0
        uow.commit()
    assert in_transaction(app, tenant, numbered)["receipt"] == 1


@pytest.mark.parametrize("statement", ["DELETE FROM fisc.requests", "UPDATE fisc.requests SET body_hash = ''"])
def test_a_request_cannot_be_taken_back_by_the_application(app, tenant, statement):
    in_transaction(app, tenant, numbered)
    with writing(app, tenant) as uow, pytest.raises(DBAPIError, match="permission denied"):
        uow.connection.execute(text(statement))


def test_a_request_within_itself_is_refused(app, tenant):
    with pytest.raises(RequestUnanswered):
        in_transaction(app, tenant, lambda uow: remember(uow, POST, lambda: numbered(uow)))


def test_an_answer_that_is_no_json_is_an_error_the_first_time_already(app, tenant):
    with pytest.raises(TypeError):
        in_transaction(app, tenant, lambda uow: remember(uow, POST, lambda: {"at": object()}))
