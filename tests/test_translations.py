"""Whoever chose Chinese reads Chinese: the catalogue is whole, fits its messages, and is compiled.

Needs no gettext program: the .po is read here, the .mo with Python's own `gettext`.
"""

import ast
import gettext
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override
from django.utils.translation.template import templatize

from config.base.models import User
from tests.agents.cards import parked_delete

ROOT: Path = settings.BASE_DIR
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
OURS = ("agents", "config", "documents", "jobs", "skills", "tools")
CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURAL_CALLS = {"ngettext", "ngettext_lazy"}
CALL_IN_TEMPLATE = re.compile(r"""(?:gettext|_)\(u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
PLACEHOLDER = re.compile(r"%\(\w+\)[#0\- +]*[.\d]*\w|\{\w*(?:![rsa])?\}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:!?]|[\u4e00-\u9fff]\.(?!\w)|[,;:!?][\u4e00-\u9fff]")
UNSPACED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")


# --- A .po file, read ---


@dataclass
class Entry:
    fields: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        return self.fields["msgid"]

    @property
    def texts(self) -> list[str]:
        return [text for name, text in self.fields.items() if name.startswith("msgstr")]


def read_po(text: str) -> list[Entry]:
    """Entries in their order, the header first."""
    return [read_entry(block) for block in text.split("\n\n") if "msgid" in block]


def read_entry(block: str) -> Entry:
    entry, name = Entry(), ""
    for line in block.splitlines():
        if line.startswith("#,"):
            entry.flags.update(flag.strip() for flag in line[2:].split(","))
        elif line and not line.startswith("#"):
            keyword, quote, rest = line.partition('"')
            name = keyword.strip() or name
            entry.fields[name] = entry.fields.get(name, "") + ast.literal_eval(quote + rest)
    return entry


@cache
def entries() -> dict[str, Entry]:
    header, *rest = read_po(CATALOGUE.read_text(encoding="utf-8"))
    assert header.id == ""
    return {entry.id: entry for entry in rest}


def offenders(wrong: Callable[[Entry], bool]) -> list[str]:
    return [entry.id for entry in entries().values() if wrong(entry)]


# --- The catalogue itself ---


def test_every_message_is_translated() -> None:
    assert offenders(lambda entry: not entry.texts or not all(entry.texts)) == []


def test_no_translation_is_a_guess() -> None:
    assert offenders(lambda entry: "fuzzy" in entry.flags) == []


def test_every_translation_has_the_placeholders_of_its_message() -> None:
    def differs(entry: Entry) -> bool:
        asked = sorted(set(PLACEHOLDER.findall(entry.id)))
        return any(sorted(set(PLACEHOLDER.findall(text))) != asked for text in entry.texts)

    assert offenders(differs) == []


def test_percent_signs_are_doubled_where_the_message_doubles_them() -> None:
    def differs(entry: Entry) -> bool:
        return any(text.count("%%") != entry.id.count("%%") for text in entry.texts)

    assert offenders(differs) == []


def test_messages_with_a_plural_have_their_one_chinese_form() -> None:
    plurals = [entry for entry in entries().values() if "msgid_plural" in entry.fields]
    assert plurals
    assert all("msgstr[0]" in entry.fields and len(entry.texts) == 1 for entry in plurals)


def test_every_translation_ends_as_its_message_does() -> None:
    """A sentence stays a sentence, a question a question, a label a label."""
    ends = {".": "。", "?": "？", "…": "…"}

    def differs(entry: Entry) -> bool:
        wanted = ends.get(entry.id.replace("...", "…")[-1])
        return any(text[-1] != wanted if wanted else text[-1] in "。？" for text in entry.texts)

    assert offenders(differs) == []


@pytest.mark.parametrize("unlike", [HALF_WIDTH, UNSPACED])
def test_chinese_is_set_as_chinese_is(unlike: re.Pattern[str]) -> None:
    """Full-width punctuation, and a space between Chinese and Latin words or numbers."""

    def bare(text: str) -> str:
        return PLACEHOLDER.sub("", text).replace("%%", "%")

    assert offenders(lambda e: any(unlike.search(bare(text)) for text in e.texts)) == []


def test_the_compiled_catalogue_is_in_step() -> None:
    """`make messages` compiles it."""
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for entry in entries().values():
        plural = entry.fields.get("msgid_plural")
        said = compiled.ngettext(entry.id, plural, 2) if plural else compiled.gettext(entry.id)
        assert said == entry.texts[0], entry.id
    compiled_ids: dict[Any, str] = vars(compiled)["_catalog"]
    left = {key[0] if isinstance(key, tuple) else key for key in compiled_ids} - {""}
    assert left == set(entries())


# --- What the sources say ---


def messages_of_python(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        wanted = 1 if name in CALLS else 2 if name in PLURAL_CALLS else 0
        for argument in node.args[:wanted][:1]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def messages_of_template(source: str) -> list[str]:
    """Django turns a template into calls of gettext for xgettext; here they are read from there."""
    return [ast.literal_eval(literal) for literal in CALL_IN_TEMPLATE.findall(templatize(source))]


def python_sources() -> list[Path]:
    found = (path for folder in OURS for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "migrations" not in path.parts)


def template_sources() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


def missing(messages: Iterable[str]) -> list[str]:
    return [each for each in messages if each not in entries()]


@pytest.mark.parametrize("path", python_sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_message_of_the_code_is_in_the_catalogue(path: Path) -> None:
    assert missing(messages_of_python(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", template_sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_message_of_the_templates_is_in_the_catalogue(path: Path) -> None:
    assert missing(messages_of_template(path.read_text(encoding="utf-8"))) == []


def test_the_scan_finds_what_is_marked() -> None:
    code = "a = _('One'); b = ngettext('%(n)d day', '%(n)d days', n); c = gettext_lazy('T' 'wo')"
    assert sorted(messages_of_python(code)) == ["%(n)d day", "One", "Two"]
    template = (
        """{% load i18n %}{% translate "One" as one %}{{ x|default:_("Two") }}"""
        "{% blocktranslate %}Three {{ n }}{% endblocktranslate %}"
        "{% include 'x.html' with label=_('Four') %}"
    )
    assert sorted(messages_of_template(template)) == ["Four", "One", "Three %(n)s", "Two"]


# --- What people see ---


@pytest.fixture
def chinese(alice: User) -> Client:
    alice.language = "zh-hans"
    alice.save(update_fields=["language"])
    client = Client()
    client.force_login(alice)
    return client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", ["要做什么？", "退出登录", "跳到正文"]),
        ("/documents/", ["还没有文档", "写文档", "搜索标题和正文"]),
        ("/documents/new/", ["新建文档", "用逗号分隔。"]),
        ("/documents/trash/", ["回收站是空的"]),
        ("/actions/", ["没有等你处理的动作", "待处理"]),
        ("/nowhere/", ["页面不存在", "回到首页"]),
    ],
)
def test_a_person_with_chinese_gets_the_page_in_chinese(
    chinese: Client, path: str, words: list[str]
) -> None:
    html = chinese.get(path, headers={"Accept-Language": "en"}).content.decode()
    assert '<html lang="zh-hans"' in html
    assert [word for word in words if word not in html] == []


@pytest.mark.django_db
def test_a_card_is_in_chinese(chinese: Client, alice: User) -> None:
    with override("zh-hans"):
        parked_delete(alice)
    html = chinese.get("/actions/").content.decode()
    for words in (
        "删除文档“Notes”",
        "可以撤销",
        "确认",
        "取消",
        "改为回复",
        "这个动作始终需要人工审批。",
    ):
        assert words in html


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("languages", "heading"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "登录"),
        ("zh-hans", "登录"),
        ("en-GB,en", "Sign in"),
        ("fr", "Sign in"),
    ],
)
def test_sign_in_speaks_the_browsers_language(client: Client, languages: str, heading: str) -> None:
    html = client.get("/accounts/login/", headers={"Accept-Language": languages}).content.decode()
    assert re.search(rf"<h1[^>]*>\s*{heading}\s*</h1>", html)


@pytest.mark.django_db
def test_the_console_is_in_chinese(operator: User) -> None:
    operator.language = "zh-hans"
    operator.save(update_fields=["language"])
    client = Client()
    client.force_login(operator)
    html = client.get("/admin/").content.decode()
    for words in ("管理控制台", "工具", "动作草稿", "审计"):
        assert words in html
