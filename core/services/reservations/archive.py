"""Looks through an XLSX archive before a workbook is made of it: no bomb, no macros, no password, no entities.

What a workbook takes in memory depends on its XML elements more than on its bytes, so both are capped. The check
reads each part as a stream and keeps nothing of it.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, BinaryIO
from xml.parsers import expat

from core.services.reservations.refusal import refused

LARGEST_DIRECTORY_BYTES = 256 * 1024
LARGEST_CONTENT_BYTES = 96 * 1024 * 1024
LARGEST_SHARED_TEXT_BYTES = 12 * 1024 * 1024
LARGEST_OTHER_PART_BYTES = 2 * 1024 * 1024
# A sheet is read row by row, so what counts there is one row; other parts are held whole.
MOST_ELEMENTS_IN_ROW = 10_000
MOST_SHARED_TEXT_ELEMENTS = 400_000
MOST_OTHER_ELEMENTS = 20_000

_END = b"PK\x05\x06"
_END_BYTES = 22
_LONGEST_COMMENT = 65_535
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES = 20
_IN_ZIP64 = (0xFFFF, 0xFFFFFFFF)
_CHUNK_BYTES = 64 * 1024


def check_archive(path: Path, file: BinaryIO) -> None:
    """Raises Refused for an archive that is no plain workbook of the size of an export."""
    if _directory_bytes(path, file) > LARGEST_DIRECTORY_BYTES:
        raise refused(path, "has more parts than any workbook needs")
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            _check_directory(path, parts)
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")):
                    with archive.open(part) as content:
                        _Watch(path, part.filename).through(content)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, expat.ExpatError) as error:
        raise refused(path, f"is a damaged workbook ({error}): save the export anew") from None
    file.seek(0)


def _directory_bytes(path: Path, file: BinaryIO) -> int:
    """The size of the archive's directory, from the record at the file's end: a long one is a bomb by itself."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_BYTES - _LONGEST_COMMENT - _ZIP64_LOCATOR_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise refused(path, "is a damaged workbook (its directory is missing): save the export anew")
    entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
    before = tail[max(0, at - _ZIP64_LOCATOR_BYTES) : at]
    if entries in _IN_ZIP64 or directory_bytes in _IN_ZIP64 or before.startswith(_ZIP64_LOCATOR):
        raise refused(path, "is an archive of a kind (ZIP64) that no workbook of this size needs")
    return int(directory_bytes)


def _check_directory(path: Path, parts: list[zipfile.ZipInfo]) -> None:
    names = [part.filename for part in parts]
    if len(set(names)) != len(names):
        raise refused(path, "is a damaged workbook (two parts of one name): save the export anew")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise refused(path, "holds macros: save it as .xlsx, which has none")
    if any(part.flag_bits & 1 for part in parts):
        raise refused(path, "is protected with a password: save it without one")
    # The declared size binds: the archive's reader stops there, whatever the data would expand to.
    if sum(part.file_size for part in parts) > LARGEST_CONTENT_BYTES:
        cap = LARGEST_CONTENT_BYTES // 2**20
        raise refused(path, f"expands to more than {cap} MB, and no more is read: export a shorter time")
    for part in parts:
        cap = LARGEST_SHARED_TEXT_BYTES if _is_shared_text(part.filename) else LARGEST_OTHER_PART_BYTES
        if part.file_size > cap and not _is_sheet(part.filename):
            raise refused(path, f"its part {part.filename!r} is larger than an export needs: {_PLAIN}")


_PLAIN = "save the reservations alone in a new workbook"


def _is_sheet(name: str) -> bool:
    return "worksheets/" in name.lower() and name.lower().endswith(".xml")


def _is_shared_text(name: str) -> bool:
    return name.lower().endswith("sharedstrings.xml")


class _Watch:
    """Follows one XML part and stops at a document type (where entities are declared) or at too many elements."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._elements = 0
        self._is_sheet = _is_sheet(name)
        self._most = MOST_SHARED_TEXT_ELEMENTS if _is_shared_text(name) else MOST_OTHER_ELEMENTS
        if self._is_sheet:
            self._most = MOST_ELEMENTS_IN_ROW

    def through(self, content: IO[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._element
        while chunk := content.read(_CHUNK_BYTES):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)

    def _doctype(self, *_: object) -> None:
        raise refused(self._path, f"its part {self._name!r} declares a document type, as no workbook does")

    def _element(self, name: str, _: object) -> None:
        self._elements += 1
        if self._is_sheet and name.endswith("row"):
            self._elements = 0
        if self._elements > self._most:
            raise refused(self._path, f"its part {self._name!r} holds more than an export needs: {_PLAIN}")
