"""Sphinx: Markdown pages, and the reference from the docstrings."""

from importlib.metadata import version as installed

project = "sitemapreader"
author = "sitemapreader contributors"
copyright = "sitemapreader contributors"
version = release = installed("sitemapreader")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["ref.python"]  # records have fields named as types are

# Docstrings have no roles: `name` is code.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"

html_theme = "furo"
html_title = f"sitemapreader {version}"
