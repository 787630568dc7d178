"""SQLite's word index, which Django knows nothing of, after what Django does to its table."""

from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection

from documents.models import SearchEntry, SearchScope
from documents.search.index import drop_item, put_entries
from documents.search.stores import ensure_index, is_sound
from documents.search.testing import Shelf
from documents.signals import keep_index
from tests.documents.search.making import KIND, assert_in_step, found, make_item

pytestmark = pytest.mark.django_db(transaction=True)


def remake() -> None:
    """As a migration that changes a column does."""
    with connection.schema_editor() as editor:
        editor._remake_table(SearchEntry)  # type: ignore[attr-defined]  # SQLite's alone


def test_a_table_that_was_made_anew_is_searched_as_before(shelf: Shelf, holder: UUID) -> None:
    """And what was done to it before the triggers came back is known."""
    kept, gone, late = (make_item(holder, f"a {word}") for word in ("kite", "whale", "bear"))
    shelf.put(kept, gone)
    remake()
    assert not is_sound()
    drop_item(KIND, gone.id)
    put_entries(late)
    keep_index(apps.get_app_config("documents"), DEFAULT_DB_ALIAS)
    assert_in_step()
    assert found(holder, "kite") == [kept.id]
    assert found(holder, "bear") == [late.id]
    drop_item(KIND, late.id)
    assert_in_step()


def test_migrate_puts_it_right(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "a kite"))
    remake()
    call_command("migrate", verbosity=0)
    assert_in_step()


def test_what_is_there_is_left_as_it_is(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "a kite"))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA schema_version")
        before = cursor.fetchone()
    ensure_index()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA schema_version")
        assert cursor.fetchone() == before


def test_what_goes_with_its_scope_goes_from_the_word_index(shelf: Shelf, holder: UUID) -> None:
    """The database deletes it, not Django; its triggers see that too."""
    item = make_item(holder, "a kite", "a whale")
    shelf.put(item)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM documents_searchwords_idx")
        assert cursor.fetchone() != (0,)
    SearchScope.objects.all().delete()
    assert is_sound()
    assert SearchEntry.objects.count() == 0
