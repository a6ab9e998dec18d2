"""Sphinx: Markdown pages, the reference from the docstrings, and tables from the parser and the rules."""

import argparse
from collections.abc import Iterator
from importlib.metadata import version as installed

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sitemapreader import cli
from sitemapreader.audit import RULES

project = "sitemapreader"
author = "sitemapreader contributors"
copyright = "sitemapreader contributors"
version = release = installed("sitemapreader")

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
nb_execution_mode = "off"  # a test runs the notebooks; they are kept with what they give
myst_heading_anchors = 3
smartquotes = False  # two hyphens are an option
suppress_warnings = ["ref.python"]  # records have fields named as types are

# Docstrings have no roles: `name` is code.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"

html_theme = "furo"
html_title = f"sitemapreader {version}"


# ------------------------------------------------------------------------------------------------- generated tables
def cli_reference() -> Iterator[str]:
    """Every verb with its options, as the parser knows them."""
    (verbs,) = (action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name, parser in verbs.choices.items():
        yield from ("## " + name, "", cli.VERBS[name].help, "")
        for group in parser._action_groups:
            rows = [_option(action) for action in group._group_actions if action.help != argparse.SUPPRESS]
            if rows:
                yield from ("| | |", "|---|---|", *rows, "")


def _option(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 or not action.metavar else f" {action.metavar}"
    if action.choices:
        value = f" {{{','.join(map(str, action.choices))}}}"
    names = ", ".join(f"{name}{value}" for name in action.option_strings) or str(action.metavar)
    text = (action.help or "").replace("|", "\\|")
    return f"| `{names}` | {text} |"


def check_rules() -> Iterator[str]:
    """The rules of `check`, with the page each comes from."""
    yield from ("| rule | grade | asks | source |", "|---|---|---|---|")
    for name, rule in RULES.items():
        yield f"| `{name}` | {rule.grade.value} | {rule.asks} | [{rule.source.split('/')[2]}]({rule.source}) |"


def directive(lines: object) -> type[SphinxDirective]:
    """A directive that stands for generated Markdown."""

    class Generated(SphinxDirective):
        def run(self) -> list[nodes.Node]:
            return self.parse_text_to_nodes("\n".join(lines()), allow_section_headings=True)  # type: ignore[operator]

    return Generated


def setup(app: Sphinx) -> None:
    """Sphinx calls it."""
    app.add_directive("cli-reference", directive(cli_reference))
    app.add_directive("check-rules", directive(check_rules))
