"""Signing in, and who somebody is."""

from __future__ import annotations

from marshmallow import fields, validate

from core.schemas.fields import Strict, words


class SignIn(Strict):
    """E-mail and password."""

    email = words(most=254, required=True)
    password = words(most=256, required=True)


class TokenGiven(Strict):
    """A bearer token, told once."""

    token = fields.String(required=True)
    expires_at = fields.AwareDateTime("iso", required=True)


class MembershipShown(Strict):
    """What a login is in a municipality."""

    municipality = fields.String(required=True, allow_none=True)
    name = fields.String(required=True, allow_none=True)
    role = fields.String(required=True)
    filer = fields.UUID(required=True, allow_none=True)


class Me(Strict):
    """The login that is signed in."""

    id = fields.UUID(required=True)
    email = fields.String(required=True)
    name = fields.String(required=True)
    memberships = fields.List(fields.Nested(MembershipShown), required=True)


class StaffLogin(Strict):
    """A login for somebody who works for a municipality, or for the host."""

    email = words(most=254, required=True)
    name = words(required=True)
    password = words(most=256, required=True)
    role = fields.String(required=True, validate=validate.OneOf(["host", "treasurer", "clerk", "auditor", "council"]))
    municipality = words(most=63, load_default=None)


class FilerLogin(Strict):
    """A login that acts for a filer."""

    email = words(most=254, required=True)
    name = words(required=True)
    password = words(most=256, required=True)
    filer = fields.UUID(required=True)


class LoginShown(Strict):
    """A login as the host sees it: a filer's is an id."""

    id = fields.UUID(required=True)
    email = fields.String(required=True, allow_none=True)
    name = fields.String(required=True, allow_none=True)
    disabled = fields.Boolean(required=True)
    memberships = fields.List(fields.Nested(MembershipShown), required=True)


class Logins(Strict):
    """All logins."""

    logins = fields.List(fields.Nested(LoginShown), required=True)


class NewMunicipality(Strict):
    """A municipality to be entered in the directory."""

    key = words(most=63, required=True)
    plugin = words(most=63, required=True)
    name = words(load_default="", least=0)
    time_zone = words(most=63, load_default="America/Chicago")


class MunicipalityShown(Strict):
    """A municipality of this instance."""

    key = fields.String(required=True)
    name = fields.String(required=True)
    plugin = fields.String(required=True)
    time_zone = fields.String(required=True)
    closed_on = fields.Date(required=True, allow_none=True)


class Municipalities(Strict):
    """The municipalities of this instance."""

    municipalities = fields.List(fields.Nested(MunicipalityShown), required=True)


class PluginShown(Strict):
    """An ordinance that is installed here; `fault` says why one does not open."""

    key = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    version = fields.String(required=True, allow_none=True)
    fault = fields.String(required=True, allow_none=True)


class Plugins(Strict):
    """The ordinances that are installed here."""

    plugins = fields.List(fields.Nested(PluginShown), required=True)


class Done(Strict):
    """That it is done."""

    done = fields.Boolean(required=True)
