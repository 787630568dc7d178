"""The gates that every call passes: settings.TOOL_GATES names them, all run, the worst wins.

A gate is a small class with one method. One that can't decide, refuses: so does one that raises.
"""

from tools.gates.approval import ApprovalGate
from tools.gates.enabled import EnabledGate
from tools.gates.judging import answered, ask_gates, judge, judge_many, keep_consent
from tools.gates.prepared import Gate, KeepsConsent, LooksAhead, PreparedCall
from tools.gates.quota import QuotaGate
from tools.gates.taint import TaintGate
from tools.gates.unattended import UnattendedGate

__all__ = [
    "ApprovalGate",
    "EnabledGate",
    "Gate",
    "KeepsConsent",
    "LooksAhead",
    "PreparedCall",
    "QuotaGate",
    "TaintGate",
    "UnattendedGate",
    "answered",
    "ask_gates",
    "judge",
    "judge_many",
    "keep_consent",
]
