"""The database: where it is, who may enter it, and the server that comes with Fisc."""
