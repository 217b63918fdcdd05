"""The same request twice is answered once: key, hash of the body and answer are kept with what the request did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from core.db.unit_of_work import UnitOfWork
from core.domain.errors import FiscError

Answer = dict[str, Any]


class RequestKeyReused(FiscError):
    """This key came before with another body."""


class RequestUnanswered(FiscError):
    """This key is claimed and has no answer, which only a request inside itself can see."""


class Request(NamedTuple):
    """A request that makes something: who sends it, the key that the sender chose, and the hash of its body.

    `permission` is what allowed it; it is kept with the answer.
    """

    login: str
    key: str
    body_hash: str
    permission: str = ""

    @classmethod
    def of(cls, login: str, key: str, body: bytes, permission: str = "") -> Request:
        """A request with this body, byte by byte."""
        return cls(login, key, hashlib.sha256(body).hexdigest(), permission)


# Through the driver: these two are on the path of every act.
_CLAIM = """
    INSERT INTO fisc.requests (tenant_id, login, key, body_hash, permission) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (tenant_id, login, key) DO NOTHING RETURNING true
"""
_ANSWER = "UPDATE fisc.requests SET answer = %s WHERE tenant_id = %s AND login = %s AND key = %s"
_KNOWN = "SELECT body_hash, answer FROM fisc.requests WHERE tenant_id = %s AND login = %s AND key = %s"


def remember(uow: UnitOfWork, request: Request, work: Callable[[], Answer]) -> Answer:
    """Do `work` unless this request was answered before; give its answer, or the one given then.

    Call it first in the transaction, before any account is locked: the claim waits for whoever is at work on the
    same key, and only then is anything read. When `work` refuses, the transaction rolls back with the claim in it,
    so a mended form can be sent again. The answer is JSON: texts, whole numbers, flags, lists and objects.
    Raises RequestKeyReused where the key came with another body.
    """
    claim = (uow.tenant, request.login, request.key, request.body_hash, request.permission)
    if uow.driver.execute(_CLAIM, claim).fetchone() is None:
        return _given_before(uow, request)
    answer = work()
    text = json.dumps(answer)
    uow.driver.execute(_ANSWER, (text, uow.tenant, request.login, request.key))
    # As it will be read back, so that the first answer and every later one are alike to the letter.
    plain: Answer = json.loads(text)
    return plain


def _given_before(uow: UnitOfWork, request: Request) -> Answer:
    known = uow.driver.execute(_KNOWN, (uow.tenant, request.login, request.key)).fetchone()
    assert known is not None
    body_hash, answer = known
    if body_hash != request.body_hash:
        raise RequestKeyReused(
            f"the key {request.key!r} was used for another request: send this one with a key of its own"
        )
    if answer is None:
        raise RequestUnanswered(f"the request {request.key!r} is at work in this very transaction")
    given: Answer = answer
    return given
