"""What holds for the tree as a whole: whose code runs, what may lean on what, what no file says."""

import re
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
IMPORT_RULES = PYPROJECT["tool"]["importlinter"]


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [file for file in files if file.is_file()]


def text_of(file: Path) -> str:
    try:
        return file.read_text()
    except UnicodeDecodeError:
        return ""  # a picture, a compiled translation


def pins_in(file: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / file).read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", settings.GATEHOUSE_APPS)
def test_each_app_comes_from_this_tree(name: str) -> None:
    assert Path(import_module(name).__file__ or "").is_relative_to(ROOT)


@pytest.mark.parametrize("name", settings.GATEHOUSE_APPS)
def test_the_import_rules_cover_each_app(name: str) -> None:
    assert name.partition(".")[0] in IMPORT_RULES["root_packages"]


def test_the_settings_list_the_apps_from_the_highest_to_the_lowest() -> None:
    layers = [layer.strip("()") for layer in IMPORT_RULES["contracts"][0]["layers"]]
    assert [layer for layer in layers if layer in settings.GATEHOUSE_APPS] == (
        settings.GATEHOUSE_APPS
    )


def relations_to_higher_apps() -> list[str]:
    rank = {name: number for number, name in enumerate(settings.GATEHOUSE_APPS)}

    def is_upward(field: Any) -> bool:
        if not field.is_relation or field.auto_created or field.related_model is None:
            return False
        target = field.related_model._meta.app_config.name
        return rank.get(target, len(rank)) < rank[field.model._meta.app_config.name]

    models = [model for model in apps.get_models() if model._meta.app_config.name in rank]
    return [
        str(field) for model in models for field in model._meta.get_fields() if is_upward(field)
    ]


def test_no_model_points_to_a_higher_app() -> None:
    assert relations_to_higher_apps() == []


@pytest.mark.both
@pytest.mark.django_db
def test_the_migrations_are_complete() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


# Written so that this file does not match itself.
INDEX = re.compile(r"(py[p]i|python[h]osted|npm[j]s)\.(org|com)|deb\.debi[a]n\.org|/simp[l]e/")
MACHINE = re.compile(r"(?<![\w.$}])/(ho[m]e/\w|Use[r]s/\w|roo[t]/)")


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number}"
        for file in tracked_files()
        for number, line in enumerate(text_of(file).splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_package_index() -> None:
    assert lines_matching(INDEX) == []


def test_no_file_holds_a_path_of_one_machine() -> None:
    assert lines_matching(MACHINE) == []
    assert lines_matching(re.compile(re.escape(f"{ROOT}/"))) == []


def test_developers_have_the_versions_that_users_have() -> None:
    assert pins_in("requirements.txt").items() <= pins_in("requirements-dev.txt").items()


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_each_requirement_is_pinned_with_hashes(file: str) -> None:
    # A requirement goes over several lines: NAME==VERSION and its hashes.
    lines = (ROOT / file).read_text().replace("\\\n", " ").splitlines()
    requirements = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert [line for line in requirements if "==" not in line or "--hash=sha256:" not in line] == []
