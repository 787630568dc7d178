"""From a match to its meaning. The groups: kind, title, text, url, query, topic, phrase, …

Shared by both languages. A build that answers () says: this is not what the words mean.
"""

import re
from collections.abc import Callable

from agents.model_clients.rules.arithmetic import find_expression
from agents.model_clients.rules.grammar import Groups, Meaning
from agents.model_clients.rules.intents import (
    ANY,
    DOCUMENT,
    MEMORY,
    AddToDate,
    AskKnowledge,
    Calculate,
    Change,
    Convert,
    Create,
    DateOf,
    DaysBetween,
    Delete,
    Explain,
    Fetch,
    IsoWeek,
    ListDocuments,
    Named,
    Now,
    Read,
    Recall,
    Rename,
    Save,
    Say,
    Search,
    SendFile,
    Weekday,
)
from agents.model_clients.rules.naming import clean_title, memory_title, named
from agents.model_clients.rules.phrases import (
    date_phrase,
    is_time,
    padded_date,
    unit_name,
)
from agents.model_clients.rules.text import clean_url, first_upper, is_quoted, unquoted
from agents.model_clients.rules.zones import find_zone

_MEMORY_WORDS = ("memor", "记忆", "备忘")
_LOOSE_WORDS = ("note", "file", "page", "笔记", "文件", "东西", "内容")
_KIND_WORD = re.compile(r"document|doc|file|memory|note|文档|文件", re.IGNORECASE)
_IT = re.compile(r"(?:it|this|that|them)\b.*|它.*|这个|这些", re.IGNORECASE)
_POINTERS = {"it", "this", "that", "them", "它", "这个"}
_NO_STATEMENT = re.compile(
    r"(?:it|this|that|what|when|who|where|how|why|which|me|called|named|titled)\b.*|.|"
    r"(?:它|什么|谁|哪).*|.*(?:什么|吗|谁|哪里)[?？]?",
    re.IGNORECASE | re.DOTALL,
)


def group(match: Groups, name: str) -> str:
    """The group's text, or "" when the pattern has no such group or it did not take part."""
    return match.get(name, "").strip()


def sought_kind(match: Groups) -> str:
    """Which type to look among; "notes" and "files" may be either."""
    word = group(match, "kind").lower()
    if any(part in word for part in _MEMORY_WORDS):
        return MEMORY
    return ANY if not word or any(part in word for part in _LOOSE_WORDS) else DOCUMENT


def new_kind(match: Groups) -> str:
    return MEMORY if sought_kind(match) == MEMORY else DOCUMENT


def sought(match: Groups) -> Named:
    title = group(match, "title")
    if _KIND_WORD.fullmatch(title) and not _KIND_WORD.fullmatch(group(match, "kind") or title):
        # "the Notes document": the first word was taken for the kind
        return Named(ANY, clean_title(match["kind"]))
    return named(sought_kind(match), title)


def say(key: str) -> Callable[[Groups], Meaning]:
    return lambda _match: (Say(key),)


def which_to_delete(match: Groups) -> Meaning:
    """ "delete the notes" names none; "delete Notes" does."""
    if match["kind"][:1].isupper() and not group(match, "article"):
        return (Delete(Named(ANY, match["kind"])),)
    return (Say("which", "delete"),)


def fetch(match: Groups) -> Meaning:
    url = clean_url(match["url"])
    if "://" not in url:
        local = url.startswith("localhost") or url[:1].isdigit()
        url = f"{'http' if local else 'https'}://{url}"
    return (Fetch(url),)


def fetch_and_save(match: Groups) -> Meaning:
    return (*fetch(match), *save(match))


def fetch_and_explain(match: Groups) -> Meaning:
    return (*fetch(match), Explain())


def explain(_match: Groups) -> Meaning:
    return (Explain(),)


def save(match: Groups) -> Meaning:
    return (Save(new_kind(match), clean_title(group(match, "title"))),)


def create(match: Groups) -> Meaning:
    text, title = unquoted(match["text"]), clean_title(match["title"])
    return (Create(new_kind(match), title, text),) if text and title else ()


def create_free(match: Groups) -> Meaning:
    """For text to the end of the message; a quotation with something after it is not that."""
    return () if _goes_on(match["text"]) else create(match)


def create_without_content(match: Groups) -> Meaning:
    return (Say("no_content", clean_title(group(match, "title"))),)


def remember(match: Groups) -> Meaning:
    text = unquoted(match["text"])
    if not text or _NO_STATEMENT.fullmatch(text):
        return ()
    return (Create(MEMORY, memory_title(text), first_upper(text), once=True),)


def recall(match: Groups) -> Meaning:
    topic = clean_title(group(match, "topic"))
    topic = re.sub(
        r"^(?:my|our|the|a|an|about)\s+|^(?:我的|我)|的$", "", topic, flags=re.IGNORECASE
    )
    return (Recall("" if topic.casefold() in {"me", "us", "我", "everything"} else topic),)


def forget(match: Groups) -> Meaning:
    text = clean_title(match["text"])
    return (Delete(Named(MEMORY, memory_title(text))),) if text else ()


def ask_knowledge(match: Groups) -> Meaning:
    query = clean_title(match["query"])
    if not query or query.casefold() in _POINTERS:
        return ()
    return (AskKnowledge(query, clean_title(group(match, "file"))),)


def send_file(match: Groups) -> Meaning:
    """A page's address is no file of the knowledge."""
    words = clean_title(match["words"])
    return () if not words or "://" in words or _IT.fullmatch(words) else (SendFile(words),)


def send_earlier_file(_match: Groups) -> Meaning:
    return (SendFile(earlier=True),)


def list_documents(match: Groups) -> Meaning:
    return (ListDocuments(sought_kind(match), int(group(match, "page") or 1)),)


def list_everything(_match: Groups) -> Meaning:
    return (ListDocuments(),)


def search(match: Groups) -> Meaning:
    query = clean_title(match["query"])
    return (Search(sought_kind(match), query),) if query else ()


def read(match: Groups) -> Meaning:
    if _IT.fullmatch(group(match, "title")):
        return ()
    return (Read(sought(match)),)


def read_and_explain(match: Groups) -> Meaning:
    return (*read(match), Explain())


def delete(match: Groups) -> Meaning:
    if _IT.fullmatch(group(match, "title")):
        return (Say("which", "delete"),)
    return (Delete(sought(match)),)


def append(match: Groups) -> Meaning:
    return (Change(sought(match), unquoted(match["text"])),)


def append_free(match: Groups) -> Meaning:
    return () if _goes_on(match["text"]) else append(match)


def replace(match: Groups) -> Meaning:
    return (Change(sought(match), unquoted(match["text"]), append=False),)


def replace_free(match: Groups) -> Meaning:
    text = match["text"]
    return () if _goes_on(text) or _IT.fullmatch(text.strip()) else replace(match)


def change_it(*, append: bool) -> Callable[[Groups], Meaning]:
    return lambda match: (Change(sought(match), append=append),)


def rename(match: Groups) -> Meaning:
    return (Rename(sought(match), clean_title(match["new"])),)


def _goes_on(text: str) -> bool:
    """A quotation followed by more: "…" and then list my documents."""
    text = text.strip()
    return text[:1] in "\"“「『'" and not is_quoted(text)


def calculate(match: Groups) -> Meaning:
    shown = match["sum"].strip().rstrip("=？?。 ")
    expression = find_expression(shown)
    return (Calculate(expression, shown),) if expression else ()


def time_now(match: Groups) -> Meaning:
    return (Now(clean_title(group(match, "place"))),)


def date_now(match: Groups) -> Meaning:
    place = clean_title(group(match, "place"))
    if date_phrase(f"in {place}"):
        return ()  # "in three weeks" is no place
    return (Now(place, wants="date"),)


def time_now_if_place(match: Groups) -> Meaning:
    return time_now(match) if find_zone(group(match, "place")) else ()


def date_now_if_place(match: Groups) -> Meaning:
    return date_now(match) if find_zone(group(match, "place")) else ()


def weekday(match: Groups) -> Meaning:
    return (Weekday(padded_date(match["date"])),)


def date_of(match: Groups) -> Meaning:
    phrase = date_phrase(match["phrase"])
    if not phrase:
        return ()
    return (Now(wants="date"),) if phrase in {"today", "今天", "今日"} else (DateOf(phrase),)


def days_between(match: Groups) -> Meaning:
    return _days(match["first"], match["last"])


def days_until(match: Groups) -> Meaning:
    return _days("today", match["last"])


def days_since(match: Groups) -> Meaning:
    return _days(match["first"], "today")


def _days(first: str, last: str) -> Meaning:
    return (DaysBetween(padded_date(clean_title(first)), padded_date(clean_title(last))),)


def iso_week(match: Groups) -> Meaning:
    date = group(match, "date")
    return (IsoWeek(padded_date(date) if date else ""),)


def add_to_date(match: Groups) -> Meaning:
    sign = -1 if group(match, "way").lower() in {"before", "minus", "前", "之前", "以前"} else 1
    unit = unit_name(match["unit"])
    return (AddToDate(padded_date(match["date"]), sign * int(match["amount"]), unit),)


def convert(match: Groups) -> Meaning:
    when = clean_title(match["when"])
    if not is_time(when):
        return ()
    return (Convert(when, clean_title(group(match, "from")), clean_title(match["to"])),)


def convert_if_places(match: Groups) -> Meaning:
    """Where the words around the time could mean anything: only between known places."""
    places = (group(match, "from"), group(match, "to"))
    return convert(match) if all(find_zone(place) for place in places) else ()
