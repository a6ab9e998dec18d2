"""Sites from files: what a server would answer if it served a mirror kept in a folder. No network.

The document at ``https://HOST/PATH`` is the file ``ROOT/HOST/PATH``:

- A path that ends with ``/`` is the ``index.html`` in it. Escapes of the path are undone.
- A query belongs to the name as it is written, slashes as ``%2F``: ``list.xml?page=2``, the way wget saves it.
- The folder of a port other than the scheme's own is ``HOST:PORT``. The scheme itself makes no difference.
- ``PATH.headers``, if it is there, holds ``Name: value`` lines that add to or replace the headers. Its first line may
  be a status such as ``HTTP 301`` or ``HTTP/1.1 404 Not Found``, as ``curl --dump-header`` writes it; then the file
  itself may be missing.

Everything else is 404, also what lies outside of the host's folder by ``..`` or by a symbolic link.
"""

from __future__ import annotations

import mimetypes
import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from . import urls

INDEX = "index.html"
SIDECAR = ".headers"

_STATUS = re.compile(r"HTTP(?:/[0-9.]+)?[ \t]+([2-5][0-9]{2})\b.*")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")
# The module's own table is the system's, which differs from machine to machine.
_TYPES = mimetypes.MimeTypes()


class Answer(NamedTuple):
    """A response; a body that is a path is still to be read."""

    status: int
    headers: dict[str, str]
    """By name in lower case; values may be Latin-1."""
    body: bytes | Path


def respond(root: Path, url: str) -> Answer:
    """What the mirror in `root` answers to a request for `url`; never raises for a URL, however odd."""
    path = _file(root, url)
    sidecar = path and path.with_name(path.name + SIDECAR)
    has_body, has_sidecar = _is_readable(path), _is_readable(sidecar)
    if path is None or sidecar is None or not (has_body or has_sidecar):
        return _missing()
    status, headers = _sidecar(sidecar) if has_sidecar else (None, {})
    if not has_body:
        return Answer(status, headers, b"") if status else _missing()
    return Answer(status or 200, {"content-type": _content_type(path.name), **headers}, path)


def _missing() -> Answer:
    return Answer(404, {"content-type": "text/plain"}, b"")


def _is_readable(path: Path | None) -> bool:
    # Path.is_file raises for names that are too long.
    return path is not None and os.path.isfile(path)


def _file(root: Path, url: str) -> Path | None:
    """Where the document would lie; None if that is no place in the host's folder."""
    found = urls.resolve(url, "").url
    if found is None:
        return None
    parts = urls.split(found)
    *folders, name = unquote(parts.path, errors="surrogateescape").split("/")[1:]
    name = name or INDEX
    if name.endswith(SIDECAR) or ".." in (*folders, name):
        return None
    if parts.query:
        name = f"{name}?{parts.query.replace('/', '%2F')}"
    home = root / (parts.host if parts.port is None else f"{parts.host}:{parts.port}")
    return _inside(home, home.joinpath(*(folder for folder in folders if folder), name), root)


def _inside(home: Path, path: Path, root: Path) -> Path | None:
    """`path` if it is within `home` and `home` within `root`, links followed."""
    try:
        real_home = home.resolve()
        inside = path.resolve().is_relative_to(real_home) and real_home.is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name too long, a NUL
        return None
    return path if inside else None


def _sidecar(path: Path) -> tuple[int | None, dict[str, str]]:
    """Status and headers; a line that is neither is skipped."""
    lines = [line.strip(" \t\r") for line in path.read_bytes().decode("latin-1").split("\n")]
    status = _STATUS.fullmatch(lines[0])
    fields = map(_FIELD.fullmatch, lines)
    return status and int(status[1]), {field[1].lower(): field[2] for field in fields if field}


def _content_type(name: str) -> str:
    """By the suffix. A compressed file is what it is, and not its content in a Content-Encoding."""
    kind, encoding = _TYPES.guess_type(name.partition("?")[0])
    if encoding:
        return "application/gzip" if encoding == "gzip" else "application/octet-stream"
    return kind or "application/octet-stream"
