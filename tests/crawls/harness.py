"""Runs crawls against a loopback server, in a process of their own, and hands back what they did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from faults.server import Page, Server

RUN = Path(__file__).parent / "run.py"


def filled(value: Any, server: Server) -> Any:
    """`value` with the server's hosts in its texts."""
    if isinstance(value, str):
        first, second = server.url(""), server.url("", other=True)
        return value.replace("{0}", first).replace("{1}", second).replace("{host}", first.removeprefix("http://"))
    if isinstance(value, dict):
        return {key: filled(each, server) for key, each in value.items()}
    return [filled(each, server) for each in value] if isinstance(value, (list, tuple)) else value


def serve(pages: dict[str, str | Page], server: Server) -> None:
    """Let a server have these pages, where a text is a body."""
    for path, page in pages.items():
        server.pages[path] = filled(page, server).encode() if isinstance(page, str) else page


def crawl(*jobs: dict[str, Any], timeout: float = 300) -> list[dict[str, Any]]:
    """The results of jobs as `run` takes them; fails if anything was written to stderr, such as a warning."""
    command = [sys.executable, str(RUN)]
    run = subprocess.run(
        command, input=json.dumps(jobs), capture_output=True, encoding="utf-8", timeout=timeout, check=False
    )
    assert run.returncode == 0 and not run.stderr, run.stderr[-5000:]
    results: list[dict[str, Any]] = json.loads(run.stdout)
    return results


def job(spider: str, base: str = "ours", *, settings: Any = (), **attributes: Any) -> dict[str, Any]:
    """One job."""
    return {"base": base, "spider": spider, "settings": dict(settings), "attributes": attributes}
