"""The exceptions: one root, and what each carries for its handler.

Bad input is a Diagnostic, not an exception. Any other exception out of the public API than these, and ValueError
or TypeError for a wrong call, is a bug in sitemapreader: please report it.

SitemapError
 +-- FetchError         nothing could be read
 +-- DiagnosticError    strict reading met an error
 +-- StateError         what is remembered between readings cannot be had
"""

from __future__ import annotations

from .diagnostics import Code, Diagnostic, Outcome, Severity

STATUSES = {
    **dict.fromkeys((404, 410), Outcome.ABSENT),
    **dict.fromkeys((401, 403, 429, 451), Outcome.BLOCKED),
}
"""What a status that brings no document amounts to; any other is FAILED, a 304 that nobody asked for too."""
CODES = {Outcome.ABSENT: Code.ABSENT, Outcome.BLOCKED: Code.BLOCKED, Outcome.REFUSED: Code.POLICY_ADDRESS}


class SitemapError(Exception):
    """Root of all exceptions of this library."""


class FetchError(SitemapError):
    """A document could not be fetched; out of `read`, no document at all could be.

    Made by a fetcher for `Walk.fail`, an HTTP status says enough: without an outcome it is ABSENT for 404 and 410,
    BLOCKED for 401, 403, 429 and 451, and FAILED for any other or none. Raises TypeError for an outcome that is none.
    """

    def __init__(
        self,
        url: str,
        outcome: Outcome | None = None,
        status: int | None = None,
        *,
        reason: str = "",
        retry_after: float | None = None,
        code: Code | None = None,
    ) -> None:
        outcome = STATUSES.get(status or 0, Outcome.FAILED) if outcome is None else outcome
        if not isinstance(outcome, Outcome):
            raise TypeError(f"outcome must be an Outcome, not {outcome!r}; a status is given by its name")
        super().__init__(url, outcome, status)
        self.url = url
        self.outcome = outcome
        self.status = status
        """HTTP status, None where there was no response."""
        self.reason = reason
        """Why, in printable ASCII."""
        self.retry_after = retry_after
        """Seconds the server asked to wait, None where it did not."""
        self.code = code or CODES.get(outcome, Code.HTTP_STATUS if status else Code.NETWORK)
        """The diagnostic it amounts to; where none is given, outcome and status tell."""

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status else ""
        return f"{self.outcome.value}{status}: {self.url}" + (f": {self.reason}" if self.reason else "")

    def __reduce__(self) -> tuple[object, ...]:
        named = {"reason": self.reason, "retry_after": self.retry_after, "code": self.code}
        return type(self), (self.url, self.outcome, self.status), named


class DiagnosticError(SitemapError):
    """`strict=True` and the document has an error."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


class StateError(SitemapError):
    """A state cannot be opened, read or written, or does not know what is asked for."""


def raise_errors(diagnostic: Diagnostic) -> None:
    """The handler of strict reading: raises DiagnosticError for a diagnostic that is an error."""
    if diagnostic.severity is Severity.ERROR:
        raise DiagnosticError(diagnostic)
