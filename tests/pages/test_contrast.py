"""The colours hold WCAG 2.2 AA in both themes: 4.5:1 for text, 3:1 for what is not text."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TOKENS = Path(settings.BASE_DIR) / "static" / "gatehouse" / "css" / "tokens.css"
PAIRS: dict[str, str] = dict(
    re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", TOKENS.read_text())
)
THEMES = ("light", "dark")

TEXT = [
    ("text", "bg surface sunken hover info-soft warn-soft danger-soft ok-soft"),
    ("muted", "bg surface sunken hover danger-soft"),
    ("accent", "bg surface sunken hover accent-soft"),
    ("on-accent", "accent-fill accent-fill-hover"),
    ("on-danger", "danger-fill"),
    ("ok", "ok-soft surface bg"),
    ("warn", "warn-soft surface"),
    ("danger", "danger-soft surface bg"),
    ("info", "info-soft"),
]
NOT_TEXT = [
    ("line-control", "bg surface sunken"),
    ("focus", "bg surface sunken hover"),
    ("accent-fill", "bg surface sunken"),
]


def colour(token: str, theme: str) -> str:
    return PAIRS[token].split(", ")[THEMES.index(theme)]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("front", "grounds"), TEXT)
def test_text_can_be_read(theme: str, front: str, grounds: str) -> None:
    for ground in grounds.split():
        assert contrast(colour(front, theme), colour(ground, theme)) >= 4.5, ground


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("front", "grounds"), NOT_TEXT)
def test_controls_and_focus_can_be_seen(theme: str, front: str, grounds: str) -> None:
    for ground in grounds.split():
        assert contrast(colour(front, theme), colour(ground, theme)) >= 3, ground
