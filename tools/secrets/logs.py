"""The last line of defence: log lines, tracebacks included, without the values known here."""

import logging

from tools.secrets.known import hide_text


class HidingFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return hide_text(super().format(record))
