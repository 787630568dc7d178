"""The templates as files: they compile, keep to the strict policy, and name only what exists."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import get_template

TEMPLATES = Path(settings.BASE_DIR) / "templates"
STATIC = Path(settings.BASE_DIR) / "static" / "gatehouse"
NAMES = sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))
ICONS = set(re.findall(r'<symbol id="([\w-]+)"', (STATIC / "icons.svg").read_text()))

INLINE = re.compile(
    r"<style|\sstyle=|\son[a-z]+\s*=|\shx-on|javascript:|<script(?![^>]*\ssrc=)|hx-vals=.js:",
    re.IGNORECASE,
)


def source(name: str) -> str:
    return (TEMPLATES / name).read_text()


@pytest.mark.parametrize("name", NAMES)
def test_it_compiles(name: str) -> None:
    get_template(name)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_nothing_that_the_policy_would_block(name: str) -> None:
    assert not INLINE.search(source(name))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("admin/")])
def test_it_names_only_icons_that_are_drawn(name: str) -> None:
    used = re.findall(r'_icon\.html" with name="([\w-]+)"', source(name))
    used += re.findall(r'\sicon="([\w-]+)"', source(name))
    assert set(used) <= ICONS


@pytest.mark.parametrize("name", NAMES)
def test_it_names_only_static_files_that_exist(name: str) -> None:
    for path in re.findall(r"{% static '([^']+)' %}", source(name)):
        assert finders.find(path), path


def test_the_scripts_name_only_icons_that_are_drawn() -> None:
    used: set[str] = set()
    for script in ("theme.js", "live-run.js"):
        text = (STATIC / "js" / script).read_text()
        used |= set(re.findall(r'\["([\w-]+)", "\w+"\]', text))
        for table in re.findall(r"ICONS = {(.*?)}", text):
            used |= set(re.findall(r'"([\w-]+)"', table))
    assert used
    assert used <= ICONS


def test_the_stylesheet_imports_every_part() -> None:
    imported = re.findall(r'@import url\("(.*?)"\)', (STATIC / "gatehouse.css").read_text())
    assert sorted(imported) == sorted(f"css/{path.name}" for path in (STATIC / "css").iterdir())


@pytest.mark.parametrize("name", ["403.html", "403_csrf.html", "404.html", "410.html", "500.html"])
def test_an_error_page_needs_no_context_and_says_where_to_go(name: str) -> None:
    assert 'href="/"' in get_template(name).render()


@pytest.mark.parametrize("name", ["labels.js", "working.js", "parts.js"])
def test_the_consoles_scripts_share_no_names(name: str) -> None:
    """Classic ones: what two of them declare outside a function is the same thing."""
    text = (STATIC / "admin" / name).read_text()
    code = re.sub(r"^/\*.*?\*/\s*", "", text, flags=re.DOTALL)
    assert code.startswith("(() => {\n")
    assert code.endswith("\n})();\n")
    assert not re.search(r"^(?!\(\(\) => \{$|\}\)\(\);$)\S", code, re.MULTILINE)


def test_they_are_all_that_the_console_loads() -> None:
    loaded = {Path(script(None)).name.split(".")[0] for script in settings.UNFOLD["SCRIPTS"]}
    assert loaded == {"labels", "working", "parts"}
