"""The rooms and floors of docs/architecture.md: imports go downwards, and nothing grows too big to read."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import sitemapreader

PACKAGE = Path(sitemapreader.__file__).parent
FILES = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {module: ast.parse(path.read_bytes()) for module, path in FILES.items()}
FLOORS = (
    {"display", "model", "records", "limits", "errors", "diagnostics"},
    {"addresses", "body", "values", "hosts", "markup", "urls", "payload", "charset", "policy", "report"},
    {"extensions", "normalize"},
    {"readers"},
    {"parser", "sitemap"},
    {"discovery", "reception", "walk"},
    {"client", "connections", "exchange", "fetch", "frame", "job", "ledger", "mirror", "output", "reading", "state"},
    {"audit", "crew", "dask", "harvest", "many", "seen", "tally"},
    {"__init__", "__main__", "arguments", "cli", "progress", "scrapy", "session", "terminal", "verbs"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
HEAVY = {
    "sqlite3",
    "httpx",
    "feedparser",
    "chardet",
    "rich",
    "pandas",
    "pyarrow",
    "scrapy",
    "dask",
    "distributed",
}


def imports(node: ast.AST, module: str) -> Iterator[str]:
    """What is imported anywhere below `node`, in full; what only a type checker sees is no import."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = ["sitemapreader", *module.split(".")][: -node.level] if node.level else []
        source = ".".join([*above, *filter(None, [node.module])])
        yield from (f"{source}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child, module)


def own(module: str) -> set[str]:
    """The modules of this package that `module` imports; a package is its ``__init__``."""
    found = set()
    for name in imports(TREES[module], module):
        package, _, inner = name.partition(".")
        if package == "sitemapreader":
            above = inner.rpartition(".")[0]
            spellings = (inner, f"{inner}.__init__", above, f"{above}.__init__".lstrip("."))
            found.add(next(spelling for spelling in spellings if spelling in FILES))
    return found - {module}


def test_every_room_has_a_floor() -> None:
    assert {module.partition(".")[0] for module in FILES} <= set(FLOOR)


@pytest.mark.parametrize("module", FILES)
def test_imports_go_downwards_or_stay_on_the_floor(module: str) -> None:
    floor = FLOOR[module.partition(".")[0]]
    assert [name for name in own(module) if FLOOR[name.partition(".")[0]] > floor] == []


def test_imports_go_in_no_circle() -> None:
    assert list(TopologicalSorter({module: own(module) for module in FILES}).static_order())


def test_each_third_party_package_is_imported_in_one_module_or_in_the_room_with_its_name() -> None:
    importers = defaultdict(set)
    for module, tree in TREES.items():
        for name in imports(tree, module):
            room, package = module.partition(".")[0], name.partition(".")[0]
            importers[package].add(room if room == package else module)
    foreign = {name: importers[name] for name in importers if name not in {*sys.stdlib_module_names, "sitemapreader"}}
    assert {"defusedxml", "feedparser", "httpx", "chardet"} <= set(foreign)
    assert {name: modules for name, modules in foreign.items() if len(modules) > 1} == {}


RARE = {"sitemapreader.records", "sitemapreader.readers.mend", "html", "ipaddress", "stringprep", "asyncio", "socket"}
PLAIN = (
    b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/</loc></url></urlset>"
)


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        ("import sitemapreader", HEAVY | RARE),
        (f"import sitemapreader; assert list(sitemapreader.parse({PLAIN!r}, 'https://example.com/'))", HEAVY | RARE),
        ("from sitemapreader import aread, read, Walk, Policy", HEAVY),
    ],
)
def test_import_loads_nothing_that_is_not_needed(code: str, unneeded: set[str]) -> None:
    code += "; import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert unneeded & set(loaded.split()) == set()


@pytest.mark.parametrize("module", FILES)
def test_files_and_functions_stay_small(module: str) -> None:
    functions = (node for node in ast.walk(TREES[module]) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    lengths = [(node.name, (node.end_lineno or 0) - node.lineno + 1) for node in functions]
    assert [(name, length) for name, length in lengths if length > 50] == []
    assert len(FILES[module].read_text("utf-8").splitlines()) <= 350
