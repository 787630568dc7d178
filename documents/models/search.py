"""The index: what can be found, by words and by meaning. It holds no text, only digests of words.

docs/adr/0017-retrieval.md says why.
"""

import secrets

from django.db import models
from django.utils.translation import gettext_lazy as _

SALT_BYTES = 16
KIND_LENGTH = 20
MODEL_LENGTH = 100


def make_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)


class SearchScope(models.Model):
    """What is searched as one: things of one kind of one holder. Its words mean nothing outside."""

    kind = models.CharField(_("kind"), max_length=KIND_LENGTH)
    holder_id = models.UUIDField(_("holder"))  # a user, a project or a space: plain, they differ
    salt = models.BinaryField(default=make_salt, max_length=SALT_BYTES, editable=False)
    # Of the vector written last, under the row's lock: a process reads only what is new.
    vectors_revision = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        verbose_name = _("search scope")
        verbose_name_plural = _("search scopes")
        constraints = [
            models.UniqueConstraint(fields=["holder_id", "kind"], name="one_scope_per_holder")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.holder_id}"


class SearchEntry(models.Model):
    """One part of one item: a memory has one, a document or a file many."""

    id = models.BigAutoField(primary_key=True)  # the row id of SQLite's word index
    scope = models.ForeignKey(
        SearchScope,
        on_delete=models.DB_CASCADE,
        related_name="entries",
        db_index=False,
        verbose_name=_("scope"),
    )
    item_id = models.UUIDField(_("item"))
    part = models.PositiveIntegerField(_("part"), default=0)
    words = models.TextField(_("words"))  # digests, in the order of the text
    length = models.PositiveIntegerField(_("length"))  # in words
    subject = models.TextField(_("subject"), blank=True)  # digests
    # Session and position in one: what was said right before and after has this less and plus one.
    place = models.BigIntegerField(_("place"), null=True, blank=True)
    importance = models.FloatField(_("importance"), default=0.0)
    happened_at = models.DateTimeField(_("when"))
    start = models.PositiveIntegerField(_("start"), default=0)
    end = models.PositiveIntegerField(_("end"), default=0)

    class Meta:
        verbose_name = _("search entry")
        verbose_name_plural = _("search entries")
        constraints = [
            models.UniqueConstraint(fields=["item_id", "scope", "part"], name="one_entry_per_part")
        ]
        indexes = [
            models.Index(fields=["scope", "length"], name="search_entry_lengths"),
            models.Index(
                fields=["scope", "place"],
                condition=models.Q(place__isnull=False),
                name="search_entry_neighbours",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} · {self.part}"


class SearchVector(models.Model):
    """What an entry means to one model; another model's question can't be compared with it."""

    entry = models.OneToOneField(
        SearchEntry,
        primary_key=True,
        on_delete=models.DB_CASCADE,
        related_name="vector",
        verbose_name=_("entry"),
    )
    scope = models.ForeignKey(
        SearchScope,
        on_delete=models.DB_CASCADE,
        related_name="vectors",
        db_index=False,
        verbose_name=_("scope"),
    )
    model = models.CharField(_("model"), max_length=MODEL_LENGTH)
    revision = models.PositiveBigIntegerField(_("revision"))
    vector = models.BinaryField(_("vector"), editable=False)  # float16, of length 1

    class Meta:
        verbose_name = _("search vector")
        verbose_name_plural = _("search vectors")
        indexes = [models.Index(fields=["scope", "model", "revision"], name="search_vector_newest")]

    def __str__(self) -> str:
        return str(self.pk)
