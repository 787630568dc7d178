"""What a bounded computation can say instead of an answer. Known on both sides; no Django."""


class Refused(Exception):
    """The computation ends without a value: `code` is stable, `detail` is data for the message."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


LIMIT = "limit"  # of time, memory or size
