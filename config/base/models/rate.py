"""How much of a rate limit is used up, for all processes together."""

from django.db import models


class RateCount(models.Model):
    """One row for whoever is counted; a new window begins where the old count stood."""

    key = models.CharField(max_length=150, primary_key=True)
    window_ends = models.BigIntegerField(db_index=True)  # seconds since 1970
    taken = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.key
