"""What can be wrong with a document, and the verdict that follows: the closed list of codes, as one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Severity(Enum):
    """How bad a diagnostic is: ``error`` lost something or may have, ``warning`` put something right or dropped it."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Outcome(Enum):
    """How the reading of one document ended."""

    OK = "ok"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    NOT_A_SITEMAP = "not-a-sitemap"
    ABSENT = "absent"
    BLOCKED = "blocked"
    FAILED = "failed"
    NOT_MODIFIED = "not-modified"
    REFUSED = "refused"


class Code(Enum):
    """Every kind of diagnostic; the value is a stable kebab-case name, explained in ``docs/diagnostics.md``."""

    CONTENT_MISMATCH = "content-mismatch"
    COMPRESSION_ERROR = "compression-error"
    TRUNCATED = "truncated"
    ENCODING_NOT_UTF8 = "encoding-not-utf8"
    ENCODING_ERROR = "encoding-error"
    EMPTY = "empty"
    NOT_A_SITEMAP = "not-a-sitemap"
    LEADING_CONTENT = "leading-content"
    TRAILING_CONTENT = "trailing-content"
    DOCTYPE = "doctype"
    DTD_FORBIDDEN = "dtd-forbidden"
    PROTOCOL_LIMIT = "protocol-limit"
    XML_MALFORMED = "xml-malformed"
    XML_REPAIRED = "xml-repaired"
    NAMESPACE = "namespace"
    NONSTANDARD_MARKUP = "nonstandard-markup"
    ENTRY_SALVAGED = "entry-salvaged"
    ENTRY_LOST = "entry-lost"
    MISSING_LOC = "missing-loc"
    DUPLICATE_LOC = "duplicate-loc"
    LASTMOD_INVALID = "lastmod-invalid"
    LASTMOD_NONSTANDARD = "lastmod-nonstandard"
    VALUE_INVALID = "value-invalid"
    URL_RELATIVE = "url-relative"
    URL_REPAIRED = "url-repaired"
    DOUBLE_ESCAPED = "double-escaped"
    URL_INVALID = "url-invalid"
    URL_SCHEME = "url-scheme"
    URL_TOO_LONG = "url-too-long"
    LINE_IGNORED = "line-ignored"
    DUPLICATE = "duplicate"
    CROSS_HOST = "cross-host"
    ABSENT = "absent"
    BLOCKED = "blocked"
    HTTP_STATUS = "http-status"
    TIMEOUT = "timeout"
    NETWORK = "network"
    REDIRECT_LIMIT = "redirect-limit"
    LIMIT_SIZE = "limit-size"
    LIMIT_TOKEN = "limit-token"
    LIMIT_DEPTH = "limit-depth"
    LIMIT_ENTRIES = "limit-entries"
    LIMIT_SITEMAPS = "limit-sitemaps"
    LIMIT_EXTENSION = "limit-extension"
    POLICY_ADDRESS = "policy-address"
    POLICY_SCOPE = "policy-scope"
    POLICY_FILTER = "policy-filter"
    POLICY_SINCE = "policy-since"

    @property
    def severity(self) -> Severity:
        """The severity of every diagnostic with this code."""
        return RULES[self].severity


class Rule(NamedTuple):
    """What a code does to the document it is reported for."""

    severity: Severity = Severity.INFO
    incomplete: bool = False
    """The document, and with it the report, is not complete."""
    outcome: Outcome | None = None
    """The outcome it leads to, unless an earlier diagnostic decided."""
    once: bool = False
    """Kept once per document however often it occurs; all are counted."""


_I, _W, _E = Severity.INFO, Severity.WARNING, Severity.ERROR

RULES: dict[Code, Rule] = {
    Code.CONTENT_MISMATCH: Rule(_I),
    Code.COMPRESSION_ERROR: Rule(_E, True, Outcome.FAILED),
    Code.TRUNCATED: Rule(_E, True, Outcome.TRUNCATED),
    Code.ENCODING_NOT_UTF8: Rule(_I),
    Code.ENCODING_ERROR: Rule(_W),
    Code.EMPTY: Rule(_W, True, Outcome.EMPTY),
    Code.NOT_A_SITEMAP: Rule(_E, True, Outcome.NOT_A_SITEMAP),
    Code.LEADING_CONTENT: Rule(_W, once=True),
    Code.TRAILING_CONTENT: Rule(_W, once=True),
    Code.DOCTYPE: Rule(_I),
    Code.DTD_FORBIDDEN: Rule(_E, True, Outcome.REFUSED),
    Code.PROTOCOL_LIMIT: Rule(_I, once=True),
    Code.XML_MALFORMED: Rule(_W),
    Code.XML_REPAIRED: Rule(_W),
    Code.NAMESPACE: Rule(_I, once=True),
    Code.NONSTANDARD_MARKUP: Rule(_I, once=True),
    Code.ENTRY_SALVAGED: Rule(_W),
    Code.ENTRY_LOST: Rule(_E, True),
    Code.MISSING_LOC: Rule(_W, once=True),
    Code.DUPLICATE_LOC: Rule(_W),
    Code.LASTMOD_INVALID: Rule(_W),
    Code.LASTMOD_NONSTANDARD: Rule(_I, once=True),
    Code.VALUE_INVALID: Rule(_W),
    Code.URL_RELATIVE: Rule(_W),
    Code.URL_REPAIRED: Rule(_W),
    Code.DOUBLE_ESCAPED: Rule(_W),
    Code.URL_INVALID: Rule(_W),
    Code.URL_SCHEME: Rule(_W),
    Code.URL_TOO_LONG: Rule(_W),
    Code.LINE_IGNORED: Rule(_I, once=True),
    Code.DUPLICATE: Rule(_I),
    Code.CROSS_HOST: Rule(_I),
    Code.ABSENT: Rule(_I, True, Outcome.ABSENT),
    Code.BLOCKED: Rule(_E, True, Outcome.BLOCKED),
    Code.HTTP_STATUS: Rule(_E, True, Outcome.FAILED),
    Code.TIMEOUT: Rule(_E, True, Outcome.FAILED),
    Code.NETWORK: Rule(_E, True, Outcome.FAILED),
    Code.REDIRECT_LIMIT: Rule(_E, True, Outcome.FAILED),
    Code.LIMIT_SIZE: Rule(_E, True, Outcome.TRUNCATED),
    Code.LIMIT_TOKEN: Rule(_E, True, Outcome.TRUNCATED),
    Code.LIMIT_DEPTH: Rule(_E, True, Outcome.TRUNCATED),
    Code.LIMIT_ENTRIES: Rule(_W, True, Outcome.TRUNCATED),
    Code.LIMIT_SITEMAPS: Rule(_W, True),
    Code.LIMIT_EXTENSION: Rule(_W),
    Code.POLICY_ADDRESS: Rule(_E, True, Outcome.REFUSED),
    Code.POLICY_SCOPE: Rule(_I),
    Code.POLICY_FILTER: Rule(_I),
    Code.POLICY_SINCE: Rule(_I),
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that was found, put right, dropped or refused."""

    code: Code
    url: str
    """URL of the document it was found in."""
    detail: str = ""
    """What exactly, in printable ASCII, at most 200 characters."""
    where: str = ""
    """``item 17`` or ``line 4``; empty where the whole document is meant."""

    @property
    def severity(self) -> Severity:
        """``INFO``, ``WARNING`` or ``ERROR``, fixed by the code."""
        return RULES[self.code].severity

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.severity.value}: {self.code.value}: {self.detail or 'no detail'}{place} in {printable(self.url)}"

    def to_dict(self) -> dict[str, str]:
        """The fields as plain strings, with the severity."""
        return {
            "code": self.code.value,
            "severity": self.severity.value,
            "url": self.url,
            "detail": self.detail,
            "where": self.where,
        }


def printable(text: str, limit: int = 200) -> str:
    """`text` as printable ASCII of at most `limit` characters: no escape sequence reaches a terminal or a log."""
    text = text[: limit + 1]
    if not (text.isascii() and text.isprintable()):
        text = "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= limit else text[: limit - 3] + "..."


Reporter = Callable[..., None]
"""How a reader says what it found: ``report(code, detail="", where="")``."""


class Diagnostics:
    """Collects the diagnostics of one document: keeps the first, counts all, and knows what they amount to."""

    def __init__(
        self,
        url: str,
        *,
        keep: int = 100,
        handler: Callable[[Diagnostic], object] | None = None,
    ) -> None:
        self.url = url
        self.kept: list[Diagnostic] = []
        self.counts: Counter[Code] = Counter()
        self.outcome: Outcome | None = None
        self.incomplete = False
        self._keep = keep
        self._handler = handler

    def __call__(self, code: Code, detail: str = "", where: str = "") -> None:
        """Report `code`; raises what the handler raises."""
        rule = RULES[code]
        self.counts[code] += 1
        self.incomplete |= rule.incomplete
        if self.outcome is None:
            self.outcome = rule.outcome
        if rule.once and self.counts[code] > 1:
            return
        worth_keeping = len(self.kept) < self._keep
        if not (worth_keeping or self._handler):
            return
        diagnostic = Diagnostic(code, self.url, printable(detail), where)
        if worth_keeping:
            self.kept.append(diagnostic)
        if self._handler:
            self._handler(diagnostic)
