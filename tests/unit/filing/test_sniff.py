"""What bytes are, by how they begin."""

import pytest

from core.filing.sniff import UNKNOWN, sniffed_type


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"PK\x03\x04....", "application/zip"),
        (b"date,room\n2026-05-01,12\n", "text/plain"),
        ("Zimmer für zwei".encode(), "text/plain"),
        (b"\xef\xbb\xbf <!DOCTYPE html><p>", "text/html"),
        (b"<?xml version='1.0'?><svg/>", "application/xml"),
        (b"<svg onload=alert(1)>", "application/xml"),
        (b"<script>alert(1)</script>", "text/html"),
        (b"#!/bin/sh\n", "text/x-script"),
        (b"MZ\x90", "application/x-msdownload"),
        (b"\x00\x01\x02\xff", UNKNOWN),
        (b"text with a \x00 in it", UNKNOWN),
    ],
)
def test_the_first_bytes_decide(content, media_type):
    assert sniffed_type(content) == media_type
