"""The people that tests are about, always the same ones, and what they may use."""

from typing import Any

import pytest

from config.base.models import Project, Role, User
from tests.factories import MembershipFactory, ProjectFactory, UserFactory


@pytest.fixture
def project(db: None) -> Project:
    return ProjectFactory.create(slug="demo", name="Demo")


@pytest.fixture
def operator(db: None) -> User:
    """Staff: configures the product and sees what happened."""
    return UserFactory.create(username="operator", is_staff=True, is_superuser=True)


@pytest.fixture
def alice(project: Project) -> User:
    """An employee: most tests are about what is hers."""
    return MembershipFactory.create(user__username="alice", project=project).user


@pytest.fixture
def bob(project: Project) -> User:
    """Her colleague in the same project."""
    return MembershipFactory.create(user__username="bob", project=project).user


@pytest.fixture
def sam(project: Project) -> User:
    return MembershipFactory.create(
        user__username="sam", project=project, role=Role.SUPERVISOR
    ).user


@pytest.fixture
def cara(project: Project) -> User:
    return MembershipFactory.create(
        user__username="cara", project=project, role=Role.CANDIDATE
    ).user


@pytest.fixture
def stranger(db: None) -> User:
    """Can sign in, belongs to nothing: must get nothing."""
    return UserFactory.create(username="stranger")


@pytest.fixture
def limit(settings: Any) -> Any:
    """`limit(calls_per_day=2)`: everybody's budgets, for one test."""

    def set_limits(**limits: Any) -> None:
        settings.BUDGETS = {**settings.BUDGETS, **limits}

    return set_limits
