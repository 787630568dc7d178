"""Writes docs/error-codes.md from the code: `python -m scripts.error_codes`."""

import ast
import importlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "error-codes.md"
APPS = ("agents", "config", "documents", "jobs", "skills", "tools")

NOT_SERVED = {"testing", "testing.py", "demo.py", "management", "migrations"}

# Those of Django REST framework: status, code, when.
FRAMEWORK = (
    ("400", "parse_error", "The body is not JSON, or nested too deeply."),
    ("401", "authentication_failed", "The token is not valid, or no longer."),
    ("404", "not_found", "There is no such endpoint or page."),
    ("405", "method_not_allowed", "Not with this method; `Allow` names those that are."),
    ("406", "not_acceptable", "No such content type is given here."),
    ("415", "unsupported_media_type", "The body is not JSON."),
    ("400", "required", "The field is missing."),
    ("400", "null", "The field may not be null."),
    ("400", "blank", "The field may not be empty."),
    ("400", "invalid", "Not a value of this field."),
    ("400", "invalid_choice", "None of the values of this field, which `detail` names."),
    ("400", "max_length", "Longer than it may be."),
    ("400", "min_value", "Smaller than it may be."),
    ("400", "max_value", "Larger than it may be."),
    ("400", "not_a_list", "A list is wanted."),
    ("400", "not_a_dict", "An object is wanted."),
    ("400", "null_characters_not_allowed", "A text holds NUL."),
    ("400", "surrogate_characters_not_allowed", "A text holds half a character."),
)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|\{\w+\}")
# What is told without being raised: where, and which argument is the code; the words follow it.
TOLD = {
    "CallError": ("tool", 0),
    "fail": ("run", 1),
    "OperationUnusable": ("operation", 0),
    "Reason": ("gate", 2),
    "Verdict": ("gate", 1),
}
# The same in the methods by which gates say it.
TOLD_BY_GATES = {"_deny": ("gate", 0), "_say": ("gate", 1)}
# What words of their own nobody says where the code stands.
WHY = {
    "consent_given": "The person has allowed it in this conversation.",
    "quota_exceeded": "A limit of calls is used up; `reason_code` says which.",
    "standing_approval_void": "A standing approval was given under other conditions.",
    "within_quota": "The limits of calls leave room for it.",
}
GATES = ("tools/gates/", "tools/reach.py", "agents/gates.py")
OPERATION = """\
`problem.code` of one that can't be imported; what is wrong with a secret or an address has the code
that it has for a tool.
"""
INTRODUCTION = """\
# Error codes

Made by `python -m scripts.error_codes`; a test looks whether a code is missing. Codes are stable:
clients may decide by them. How an error looks is in the introduction of `/api/docs/`.
"""


@dataclass(frozen=True, slots=True, order=True)
class Code:
    status: str
    code: str
    when: str


def render() -> str:
    django.setup()
    codes = list(raised())
    http = [code for code in codes if code.status.isdigit() and code.status < "500"]
    http += [Code(*row) for row in FRAMEWORK]
    return "\n".join(
        [
            INTRODUCTION,
            "## Of a request\n",
            *table("status", http),
            "\n## Of a tool\n",
            "`error.code` in the answer of `execute`, in the log and in what a model is told.\n",
            *table("", [*(code for code in codes if code.status == "tool"), *of_waiting()]),
            "\n## Of a decision\n",
            "`reason_code` of a gate, in `decision` and in what a model is told of a refusal.\n",
            *table("", [code for code in codes if code.status == "gate"]),
            "\n## Of a draft\n",
            "`reason` of an action draft that was dismissed.\n",
            *table("", of_dismissed()),
            "\n## Of an operation of an OpenAPI document\n",
            OPERATION,
            *table("", [code for code in codes if code.status == "operation"]),
            "\n## Of a run\n",
            "`error.code` in the response of a run that failed.\n",
            *table("", [code for code in codes if code.status == "run"]),
            "\n## Of a job\n",
            "`error_code` of a job or attempt that failed; 409 where a job may not even be made.\n",
            *table("", [code for code in codes if code.status == "job"]),
            "\n`error_code` of a job that was cancelled because of its series:\n",
            *table("", of_cancelled()),
            "",
        ]
    )


def of_cancelled() -> Iterator[Code]:
    from jobs.enums import CancelReason

    return (Code("job", reason.value, str(reason.label)) for reason in CancelReason)


def of_waiting() -> Iterator[Code]:
    """A call that waits has no error yet; its answer says for what."""
    from tools.enums import OPEN_STATUSES, CallStatus

    waiting = (CallStatus(status) for status in OPEN_STATUSES)
    return (
        Code("tool", one.value, _sentence(one.label)) for one in waiting if "needs" in one.value
    )


def of_dismissed() -> Iterator[Code]:
    from tools.enums import DismissReason

    return (Code("draft", reason.value, _sentence(reason.label)) for reason in DismissReason)


def _sentence(label: object) -> str:
    return f"{str(label).capitalize()}."


def table(first: str, codes: Iterable[Code]) -> Iterator[str]:
    """One line for a code; what it may mean besides stands beside it."""
    heads = [first, "code", "when"] if first else ["code", "when"]
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    merged: dict[tuple[str, str], list[str]] = {}
    for code in sorted(codes):
        merged.setdefault((code.status, code.code), []).append(code.when)
    for (status, name), whens in merged.items():
        cells = [status] if first else []
        text = " ".join(dict.fromkeys(filter(None, whens))).replace("|", "\\|")
        text = PLACEHOLDER.sub("…", text)
        yield f"| {' | '.join([*cells, f'`{name}`', text])} |"


def raised() -> Iterator[Code]:
    """Every code of a class, and every one given where an error is raised."""
    for path in sorted(path for app in APPS for path in (ROOT / app).rglob("*.py")):
        if NOT_SERVED & set(path.relative_to(ROOT).parts):
            continue
        tree = ast.parse(path.read_text())
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        is_gate = str(path.relative_to(ROOT)).startswith(GATES)
        for node in ast.walk(tree):
            if is_gate:
                yield from _of_gate(node, tree)
            if isinstance(node, ast.ClassDef):
                yield from _of_class(module, node)
            elif isinstance(node, ast.Call):
                yield from _of_call(module, node, tree)
                yield from _of_outcome(node, tree)


def _of_class(module: str, node: ast.ClassDef) -> Iterator[Code]:
    names = {
        target.id
        for part in node.body
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    if names & {"code", "default_code"}:
        error = getattr(importlib.import_module(module), node.name, None)
        yield from _of_error(error, "")


def _of_call(module: str, node: ast.Call, tree: ast.Module) -> Iterator[Code]:
    """`Error("…", code="…")` and `ErrorDetail("…", "…")`."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    given = [word.value for word in node.keywords if word.arg == "code"]
    if name == "ErrorDetail" and len(node.args) > 1:
        given = [node.args[1]]
    messages = [_value_of(message, tree) for message in node.args[:1]]
    for value in given:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield from _given(module, name, value.value, _text(messages))


def _of_outcome(node: ast.Call, tree: ast.Module) -> Iterator[Code]:
    """`CallError("code", "…")` and `finish.fail(fence, "code", "…")`: told, never raised."""
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    yield from _told_at(node.args, TOLD.get(name), tree)


def _of_gate(node: ast.AST, tree: ast.Module) -> Iterator[Code]:
    """`self._deny("code", …)`, `yield "code", …`, `denied_code="code"`, `reason_code="code"`."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", "")
        yield from _told_at(node.args, TOLD_BY_GATES.get(name), tree)
        for word in node.keywords:
            place = {"denied_code": "tool", "reason_code": "gate"}.get(word.arg or "")
            if place and isinstance(word.value, ast.Constant):
                yield Code(place, str(word.value.value), WHY.get(str(word.value.value), ""))
    elif isinstance(node, ast.Yield | ast.Return) and isinstance(node.value, ast.Tuple):
        yield from _told_at(node.value.elts, ("gate", 0), tree)


def _told_at(
    given: list[ast.expr], where: tuple[str, int] | None, tree: ast.Module
) -> Iterator[Code]:
    if where is None or len(given) < where[1] + 2:
        return
    place, at = where
    code, message = given[at : at + 2]
    if isinstance(code, ast.Constant) and isinstance(code.value, str):
        yield Code(place, code.value, _text([_value_of(message, tree)]) or WHY.get(code.value, ""))


def _value_of(node: ast.expr, tree: ast.Module) -> ast.expr:
    """For `message` and `message % facts`: what it was given last before it is used here."""
    used = node.left if isinstance(node, ast.BinOp) else node
    if not isinstance(used, ast.Name):
        return node
    before = [
        part
        for part in ast.walk(tree)
        if isinstance(part, ast.Assign)
        and part.lineno < node.lineno
        and used.id in {getattr(target, "id", "") for target in part.targets}
    ]
    return max(before, key=lambda part: part.lineno).value if before else node


def _given(module: str, name: str, code: str, text: str) -> Iterator[Code]:
    from config.base.errors import GatehouseError

    error = getattr(importlib.import_module(module), name, None)
    if name == "ErrorDetail" or (name == "ValidationError" and module.endswith("serializers")):
        yield Code("400", code, text)
    elif isinstance(error, type) and issubclass(error, GatehouseError):
        yield Code(_place(error), code, text or _message(error))


def _of_error(error: object, text: str) -> Iterator[Code]:
    from rest_framework.exceptions import APIException

    from config.base.errors import GatehouseError

    if isinstance(error, type) and issubclass(error, GatehouseError):
        yield Code(_place(error), error.code, text or _message(error))
    elif isinstance(error, type) and issubclass(error, APIException):
        yield Code(str(error.status_code), error.default_code, str(error.default_detail))


def _place(error: type) -> str:
    """Where clients meet it: the HTTP status, or inside an answer that is 200."""
    from agents.model_clients.errors import ModelError
    from agents.runs.budgets import BudgetExceeded
    from config.base.outbound.errors import OutboundError
    from jobs.errors import HandlerFailed, KindGone, PermanentFailure, WorkerLost
    from tools.errors import ToolFailure

    if issubclass(error, ModelError | BudgetExceeded):
        return "run"
    if issubclass(error, ToolFailure | OutboundError):
        return "tool"
    if issubclass(error, PermanentFailure | WorkerLost | HandlerFailed | KindGone):
        return "job"
    return str(error.http_status)  # type: ignore[attr-defined]  # a GatehouseError


def _message(error: type) -> str:
    from config.base.errors import default_message_of

    return str(default_message_of(error)).partition("\n")[0]


def _text(arguments: list[ast.expr]) -> str:
    """The literal in `_("…")`; "" where the text is made elsewhere."""
    calls = (part for node in arguments for part in ast.walk(node) if isinstance(part, ast.Call))
    for call in calls:
        literal = call.args[0] if getattr(call.func, "id", "") == "_" and call.args else None
        if isinstance(literal, ast.Constant):
            return str(literal.value)
    return ""


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    PAGE.write_text(render())
