"""The shop that comes with the source, on this machine: what the examples for HTTP clients and spiders crawl."""

from __future__ import annotations

import gzip
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = re.compile(rb"https?://shop\.example(?::443)?", re.I)
SHOP = Path(__file__).parent.parent / "testdata" / "sites" / "shop.example"


class Handler(BaseHTTPRequestHandler):
    """Files of the shop, in which its host is ours; a page for any other path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        file = SHOP / self.path.lstrip("/")
        is_document = file.suffix in (".xml", ".gz", ".txt", ".rss")
        body = file.read_bytes() if file.is_file() else b"" if is_document else b"<title>A page</title>"
        packed = body.startswith(b"\x1f\x8b")
        plain = gzip.decompress(body) if packed else body
        plain = HOST.sub(b"http://127.0.0.1:%d" % self.server.server_address[1], plain)
        body = gzip.compress(plain) if packed else plain
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


@contextmanager
def shop() -> Iterator[str]:
    """Serves while the block runs; gives scheme, host and port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
