"""Named places where a test may kill this very process, to prove that nothing is lost.

`GATEHOUSE_FAULTS="step.replied,call.executed"` kills at each of them once: the marker file in
`GATEHOUSE_FAULTS_DIR` says which have fired, so that the process started next goes on. Without
both variables (always, outside tests) a fault point is one dictionary look-up.
"""

import os
import signal
from pathlib import Path


def fault_point(name: str) -> None:
    armed = os.environ.get("GATEHOUSE_FAULTS")
    directory = os.environ.get("GATEHOUSE_FAULTS_DIR")
    if not armed or not directory or name not in armed.split(","):
        return
    try:
        (Path(directory) / name).touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
