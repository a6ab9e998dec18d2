"""Real crawls in a process of their own: ``python tests/crawls/run.py``, jobs as JSON on stdin, results on stdout.

The reactor of Twisted starts once in a process; several crawls in it run side by side. A job says which spider of
`spiders` on which base, with which attributes and settings. A result has what was scheduled, in order, what the
spider yielded, the stats, and what was logged.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.http.request import NO_CALLBACK
from scrapy.spiders import SitemapSpider as Theirs

sys.path.insert(0, str(Path(__file__).parent))
import spiders

from sitemapreader.scrapy import SitemapSpider as Ours


class Patient(HTTP11DownloadHandler):
    """Waits for its connections to close: if that takes over a second, Scrapy's may write an error of Twisted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._disconnect_timeout = 100


SETTINGS = {
    "DOWNLOAD_HANDLERS": {"http": Patient},
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}


class Lines(logging.Handler):
    """Keeps what is logged for one spider."""

    def __init__(self, result: dict[str, Any], spider: str) -> None:
        super().__init__(logging.INFO)
        self.result, self.spider = result, spider

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(getattr(record, "spider", None), "job", "") == self.spider:
            text = record.getMessage() + (f" {record.exc_info[1]!r}" if record.exc_info else "")
            self.result["log"].append([record.levelname, text])


def watch(crawler: Crawler, result: dict[str, Any]) -> None:
    """Collect what a crawl does."""

    def scheduled(request: Request) -> None:
        callback = getattr(request.callback, "__name__", None)
        result["scheduled"].append([request.url, callback, {k: v for k, v in request.meta.items() if k != "depth"}])
        result["most_waiting"] = max(result["most_waiting"], len(result["scheduled"]) - result["left"])

    def left(request: Request) -> None:
        # What a pipeline fetches was never in the scheduler.
        result["left"] += request.callback is not NO_CALLBACK

    def closed(reason: str) -> None:
        result["reason"] = reason

    def scraped(item: Any) -> None:
        result["items"].append(item)

    result["keep"] = {
        signals.request_scheduled: scheduled,
        signals.request_reached_downloader: left,
        signals.item_scraped: scraped,
        signals.spider_closed: closed,
    }
    for signal, handler in result["keep"].items():
        crawler.signals.connect(handler, signal=signal)


def main() -> None:
    jobs = json.load(sys.stdin)
    process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
    logging.getLogger().setLevel(logging.INFO)
    results: list[dict[str, Any]] = []
    crawlers = []
    for number, job in enumerate(jobs):
        made = getattr(spiders, job["spider"])(Ours if job["base"] == "ours" else Theirs)
        attributes = {"name": f"job{number}", "job": str(number), "custom_settings": {**SETTINGS, **job["settings"]}}
        spider = type(made.__name__, (made,), attributes | job["attributes"])
        result: dict[str, Any] = {"scheduled": [], "items": [], "log": [], "left": 0, "most_waiting": 0}
        crawler = process.create_crawler(spider)
        watch(crawler, result)
        logging.getLogger().addHandler(Lines(result, str(number)))
        results.append(result)
        crawlers.append(crawler)
        process.crawl(crawler)
    process.start()
    for result, crawler in zip(results, crawlers, strict=True):
        del result["keep"]
        result["stats"] = crawler.stats.get_stats()
    json.dump(results, sys.stdout, default=str)


if __name__ == "__main__":
    warnings.simplefilter("error")
    # The disk queues of Scrapy 2.13 leave files to the garbage collector.
    warnings.filterwarnings("ignore", "unclosed file", ResourceWarning)
    main()
