"""A drop-in for Scrapy's SitemapSpider, and the same for spiders of another class. Needs the extra ``scrapy``.

Scrapy fetches, schedules, throttles and retries; what is done here is to turn a response into requests.
"""

from .document import Entries, SitemapEntry
from .requests import iter_requests
from .spider import SitemapSpider
from .window import Window

__all__ = ["Entries", "SitemapEntry", "SitemapSpider", "Window", "iter_requests"]
