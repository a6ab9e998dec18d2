"""The middleware that lets requests out as there is room: where it stands. What it does is in the crawls."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("scrapy")

from scrapy.settings import Settings

from sitemapreader.scrapy import SitemapSpider, Window
from sitemapreader.scrapy.window import NEAREST


@pytest.mark.parametrize("placed", [None, 5, "sitemapreader.scrapy.Window"])
def test_the_window_is_added_once_and_where_the_project_has_placed_it(placed: Any) -> None:
    settings = Settings({"SPIDER_MIDDLEWARES": {Window if placed == 5 else placed: 5} if placed else {}})
    SitemapSpider.update_settings(settings)
    found = settings.getdict("SPIDER_MIDDLEWARES")
    assert list(found.values()) == [5 if placed else NEAREST]
