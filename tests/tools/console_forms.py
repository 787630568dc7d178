"""A form of the console as a browser without scripts sees it: what it holds, and what it sends."""

from html.parser import HTMLParser
from typing import Any

from django.test import Client


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.buttons: set[tuple[str, str]] = set()
        self._area: str | None = None
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {key: value or "" for key, value in attrs}
        self.ids.add(has.get("id", ""))
        name = has.get("name", "")
        if tag == "textarea":
            self._area, self._text = name, ""
        elif tag == "select":
            self._select, self._options = name, []
        elif tag == "option":
            self._options.append((has.get("value", ""), "selected" in has))
        elif tag == "button":
            self.buttons.add((name, has.get("value", "")))
        elif tag == "input" and name:
            self._input(name, has)

    def _input(self, name: str, has: dict[str, str]) -> None:
        kind = has.get("type", "text")
        if kind in ("checkbox", "radio") and "checked" not in has:
            return
        if kind not in ("submit", "button"):
            self.pairs.append((name, has.get("value", "on" if kind == "checkbox" else "")))

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area is not None:
            text = self._text.removeprefix("\n").replace("\r\n", "\n")
            self.pairs.append((self._area, text.replace("\n", "\r\n")))
            self._area = None
        elif tag == "select" and self._select is not None:
            chosen = [value for value, selected in self._options if selected]
            first = [value for value, _selected in self._options[:1]]
            self.pairs += [(self._select, value) for value in chosen or first]
            self._select = None


class ConsolePage:
    """`page.fill(…)`, then `page.press(name, value)`: the page that comes back."""

    def __init__(self, client: Client, address: str, response: Any = None) -> None:
        self.client = client
        self.address = address
        self.response = client.get(address) if response is None else response
        self._form = _Form()
        if self.response.status_code == 200:
            self._form.feed(self.response.content.decode())

    @property
    def text(self) -> str:
        text: str = self.response.content.decode()
        return text

    def __getitem__(self, name: str) -> str:
        return self.all(name)[0]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self._form.pairs if key == name]

    def has(self, name: str) -> bool:
        return bool(self.all(name))

    def has_id(self, name: str) -> bool:
        return name in self._form.ids

    def offers(self, name: str, value: str) -> bool:
        return (name, value) in self._form.buttons

    def fill(self, **values: str | None) -> "ConsolePage":
        """`config__sort__0__column="a"`; None unticks a box."""
        for key, value in values.items():
            name = key.replace("__", ".")
            self.set(name, value)
        return self

    def set(self, name: str, value: str | None) -> "ConsolePage":
        pairs = [(key, old) for key, old in self._form.pairs if key != name]
        self._form.pairs = pairs if value is None else [*pairs, (name, value)]
        return self

    def press(self, name: str, value: str = "1") -> "ConsolePage":
        if name not in ("_save", "run"):
            assert self.offers(name, value), (name, value, sorted(self._form.buttons))
        sent: dict[str, list[str]] = {}
        for key, one in [*self._form.pairs, (name, value)]:
            sent.setdefault(key, []).append(one)
        return ConsolePage(self.client, self.address, self.client.post(self.address, sent))

    @property
    def errors(self) -> dict[str, str]:
        context = self.response.context
        form = context["adminform"].form if "adminform" in context else context["form"]
        return {name: " ".join(found) for name, found in form.errors.items()}
