from pathlib import Path
from typing import Any

import pytest

from config.base.models import User
from documents.models import KnowledgeSpace
from tests.documents.knowledge.factories import make_space


@pytest.fixture(autouse=True)
def knowledge_dir(settings: Any, tmp_path: Path) -> Path:
    """A store of its own for each test."""
    settings.KNOWLEDGE_DIR = tmp_path / "knowledge"
    folder: Path = settings.KNOWLEDGE_DIR
    return folder


@pytest.fixture
def space(alice: User) -> KnowledgeSpace:
    """Alice's own: she manages it, nobody else is in it."""
    return make_space(alice)
