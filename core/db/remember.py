"""The same request twice is answered once: key, hash of the body and answer are kept with what the request did."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from core.db.base import of_tenant
from core.db.tables import requests
from core.db.unit_of_work import UnitOfWork
from core.domain.errors import FiscError

Answer = dict[str, Any]


class RequestKeyReused(FiscError):
    """This key came before with another body."""


class RequestUnanswered(FiscError):
    """This key is claimed and has no answer, which only a request inside itself can see."""


class Request(NamedTuple):
    """A request that makes something: who sends it, the key that the sender chose, and the hash of its body."""

    login: str
    key: str
    body_hash: str

    @classmethod
    def of(cls, login: str, key: str, body: bytes) -> Request:
        """A request with this body, byte by byte."""
        return cls(login, key, hashlib.sha256(body).hexdigest())


_THIS = (of_tenant(requests), requests.c.login == bindparam("login_"), requests.c.key == bindparam("key_"))
_CLAIM = (
    insert(requests)
    .values(
        tenant_id=bindparam("tenant"),
        login=bindparam("login_"),
        key=bindparam("key_"),
        body_hash=bindparam("body_hash_"),
    )
    .on_conflict_do_nothing(index_elements=[requests.c.tenant_id, requests.c.login, requests.c.key])
    .returning(requests.c.key)
)
_ANSWER = requests.update().where(*_THIS).values(answer=bindparam("answer_"))
_KNOWN = select(requests.c.body_hash, requests.c.answer).where(*_THIS)


def remember(uow: UnitOfWork, request: Request, work: Callable[[], Answer]) -> Answer:
    """Do `work` unless this request was answered before; give its answer, or the one given then.

    Call it first in the transaction, before any account is locked: the claim waits for whoever is at work on the
    same key, and only then is anything read. When `work` refuses, the transaction rolls back with the claim in it,
    so a mended form can be sent again. The answer is JSON: texts, whole numbers, flags, lists and objects.
    Raises RequestKeyReused where the key came with another body.
    """
    names = {"login_": request.login, "key_": request.key}
    if uow.execute(_CLAIM, {**names, "body_hash_": request.body_hash}).one_or_none() is None:
        return _given_before(uow, request)
    answer = work()
    text = json.dumps(answer)
    uow.execute(_ANSWER, {**names, "answer_": answer})
    # As it will be read back, so that the first answer and every later one are alike to the letter.
    plain: Answer = json.loads(text)
    return plain


def _given_before(uow: UnitOfWork, request: Request) -> Answer:
    known = uow.execute(_KNOWN, {"login_": request.login, "key_": request.key}).one()
    if known.body_hash != request.body_hash:
        raise RequestKeyReused(
            f"the key {request.key!r} was used for another request: send this one with a key of its own"
        )
    if known.answer is None:
        raise RequestUnanswered(f"the request {request.key!r} is at work in this very transaction")
    answer: Answer = known.answer
    return answer
