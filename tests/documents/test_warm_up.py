"""The first page with code does not wait for what highlights it."""

import gc
from collections.abc import Iterator

import pytest

from documents.rendering import highlight, render
from documents.rendering.warm_up import WarmUpHost


@pytest.fixture(autouse=True)
def as_at_the_start() -> Iterator[None]:
    highlight.load_lexer.cache_clear()
    yield
    gc.unfreeze()


def test_a_started_process_has_the_common_languages_at_hand() -> None:
    host = WarmUpHost()
    host.start()
    host._thread.join(60)
    loaded = highlight.load_lexer.cache_info().misses
    assert 'class="highlight"' in render("```python\nwarm = up()\n```").html
    assert highlight.load_lexer.cache_info().misses == loaded
    assert gc.get_freeze_count() > 0
    host.stop()


def test_one_that_is_stopped_loads_no_more() -> None:
    host = WarmUpHost()
    host._stopping.set()
    host.start()
    host.stop()
    assert highlight.load_lexer.cache_info().misses == 0
