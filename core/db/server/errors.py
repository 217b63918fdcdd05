"""What can go wrong with the server, one class a fact. Each message says what to do next."""


class DatabaseServerError(Exception):
    """Any failure to have a usable PostgreSQL server."""


class BinariesNotFound(DatabaseServerError):
    """There is no PostgreSQL program to run."""


class ServerTooOld(DatabaseServerError):
    """The server lacks security fixes that tenant separation rests on, or features that Fisc uses."""


class ServerDidNotStart(DatabaseServerError):
    """The server could not be initialised, or ended or hung before it took connections."""


class ServerCannotRunAsRoot(DatabaseServerError):
    """PostgreSQL refuses to run as root, and no other user could be found to run it as."""


class DataFolderInUse(DatabaseServerError):
    """Another server, which can't be joined, works on the data folder."""


class DataFolderOfAnotherVersion(DatabaseServerError):
    """The data folder was made by another major version than the programs that were found."""


class PasswordsMissing(DatabaseServerError):
    """The data folder is there, the file with its passwords is not."""


class SocketFolderUnsafe(DatabaseServerError):
    """The folder for sockets is not a folder that only we can enter."""


class DatabaseUnreachable(DatabaseServerError):
    """The address names a server or database that does not answer, or does not let us in."""


class AddressMissing(DatabaseServerError):
    """No address is configured for the role that was asked for."""


class RolesNotReady(DatabaseServerError):
    """A database role is missing, or may more or less than Fisc relies on."""


def by_name(name: str, message: str) -> DatabaseServerError:
    """The error of that name, as it arrived from the supervisor, which is another process."""
    known = {kind.__name__: kind for kind in DatabaseServerError.__subclasses__()}
    return known.get(name, DatabaseServerError)(message)
