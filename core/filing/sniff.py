"""What bytes are, by how they begin. Nothing is opened, unpacked or executed."""

from __future__ import annotations

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"PK\x03\x04", "application/zip"),  # XLSX and DOCX too; which one, only unpacking would tell
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),  # the old Office formats
    (b"MZ", "application/x-msdownload"),
    (b"\x7fELF", "application/x-executable"),
    (b"#!", "text/x-script"),
)
_MARKUP = (b"<!doctype html", b"<html", b"<script", b"<svg", b"<?xml")
UNKNOWN = "application/octet-stream"


def sniffed_type(content: bytes) -> str:
    """The media type that the first bytes speak for: a known signature, markup, plain text, else UNKNOWN."""
    for signature, media_type in _SIGNATURES:
        if content.startswith(signature):
            return media_type
    if content[8:12] == b"WEBP" and content.startswith(b"RIFF"):
        return "image/webp"
    beginning = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if beginning.startswith(_MARKUP):
        return "text/html" if b"html" in beginning or b"<script" in beginning else "application/xml"
    return "text/plain" if _is_text(content) else UNKNOWN


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(ord(letter) < 32 and letter not in "\t\r\n\f" for letter in text)
