"""What is wrong with a site's sitemaps by the protocol and by the pages of Google: for those who publish them."""

from .audit import Audit, Finding, Place
from .rules import RULES, Grade, Rule

__all__ = ["RULES", "Audit", "Finding", "Grade", "Place", "Rule"]
