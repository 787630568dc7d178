"""What the model is told where a skill has no result. It must not invent one."""

WAITING = (
    "What the person asks for waits for their confirmation, on a card that they see. Nothing was "
    "done and nothing was read yet: say so, and do not guess at the outcome."
)
DENIED = (
    "What the person asks for was not permitted, so nothing was read and nothing was done. Tell "
    "them so, in their language, with the reason and the page it names. Do not make up an answer "
    "in its place. The reason: "
)
FAILED = (
    "What the person asks for could not be looked up: nothing was found and nothing was recalled. "
    "Tell them plainly that it did not work this time. Never invent a result."
)
