"""What the first reader would wait for otherwise, done beside the start of a web process."""

import gc
import threading

from documents.rendering.highlight import load_lexer

# Most of the code that is written here; another language's lexer is loaded when it first comes.
_COMMON = ("python", "bash", "json", "yaml", "javascript", "typescript", "html", "css", "sql")
_STOP_SECONDS = 2.0


class WarmUpHost:
    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(_STOP_SECONDS)

    def _warm_up(self) -> None:
        for language in _COMMON:
            if self._stopping.is_set():
                return
            load_lexer(language)
        # The modules stay for good. Looking through them stopped every thread for some 90 ms
        # whenever a long page's thousands of tokens brought a full collection about.
        gc.collect()
        gc.freeze()
