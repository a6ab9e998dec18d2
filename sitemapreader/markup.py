"""What patterns for markup that is read without a parser are made of; for bytes that were decoded as Latin-1."""

from __future__ import annotations

from . import urls

SPACE = r"[ \t\r\n]*+"
URL = urls.CLEAN.pattern.replace("&(?!amp;)", "&amp;(?!amp;)")
"""A URL that `urls.resolve` leaves as it is, as it is written."""
SECTION = r"<!\[CDATA\[(?:[^\]\x00-\x08\x0b\x0c\x0e-\x1f]++|\](?!\]>))*+\]\]>"
TEXT = rf"(?:[^<&\]\x00-\x08\x0b\x0c\x0e-\x1f]++|\](?!\]>)|&(?:amp|lt|gt|quot|apos);|{SECTION})*+"
"""What expat takes for text."""
