"""Stored errors speak the language of whoever reads them, not of the worker."""

from collections.abc import Iterator

import pytest
from django.utils import translation

from config.base.errors import GatehouseError, default_message_of
from jobs import reasons
from jobs.enums import CancelReason
from jobs.errors import HandlerTimedOut, OwnerInactive, PermanentFailure, WorkerLost
from jobs.reasons import explain

LOST = WorkerLost.default_message


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    reasons._sentences.cache_clear()
    yield
    reasons._sentences.cache_clear()


def test_what_a_worker_wrote_in_chinese_is_read_in_english() -> None:
    with translation.override("zh-hans"):
        stored = WorkerLost().message
    assert stored != "The worker died, or the job took longer than it may."
    with translation.override("en"):
        assert explain("worker_lost", stored) == str(LOST)
    with translation.override("zh-hans"):
        assert explain("worker_lost", str(stored)) == stored


def test_and_the_other_way_round() -> None:
    with translation.override("en"):
        stored = WorkerLost().message
    with translation.override("zh-hans"):
        assert explain("worker_lost", stored) == str(LOST) != stored


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("handler_failed", "ConnectionError"),
        ("skill_disabled", "The skill is off."),
        ("no_code_of_ours", ""),
        ("", ""),
    ],
)
def test_what_a_handler_said_in_words_of_its_own_stays(code: str, text: str) -> None:
    assert explain(code, text) == text


def test_a_job_that_its_series_cancelled_says_why() -> None:
    for reason in CancelReason:
        assert explain(reason.value, "") == str(reason.label)


def test_each_reason_has_a_sentence_of_its_own() -> None:
    errors: list[type[GatehouseError]] = [WorkerLost, HandlerTimedOut, OwnerInactive]
    errors += PermanentFailure.__subclasses__()
    said = {str(default_message_of(error)) for error in errors}
    assert len(said) == len(set(errors))
    assert "" not in said
