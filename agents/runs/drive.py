"""Driving a run: model, tools, model, … until it answers, waits for a person, or fails.

Everything that happened is in the rows, so any process can go on where another stopped: a stored
reply is not asked for again, a stored result is not computed again, and an effect is in the
ledger under a key made of run, step and index.
"""

import logging
from collections.abc import Callable

from django.db.models import Exists, OuterRef
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelError
from agents.model_clients.protocol import ModelClient
from agents.model_clients.resolve import client_for
from agents.models import Agent, Conversation, Run, RunSkill, RunStep
from agents.runs import finish
from agents.runs.budgets import BudgetExceeded, hold_budget, near_budgets
from agents.runs.context import context_tokens, fit
from agents.runs.fence import RunFence
from agents.runs.model_step import ask, open_step
from agents.runs.prompt import build_request, history
from agents.runs.skill_step import use_skill
from agents.runs.tool_step import ToolStep, provenance_of
from agents.runs.workflow_step import say, use_workflow
from agents.tool_sets import list_agent_tools, tools_of
from config.base.errors import LeaseLost
from config.base.faults import fault_point
from skills.models import WorkflowSession

log = logging.getLogger(__name__)

_IN_WORKFLOW = Exists(
    WorkflowSession.objects.open().filter(conversation_id=OuterRef("conversation_id"))
)


def drive(fence: RunFence, *, should_stop: Callable[[], bool] = lambda: False) -> None:
    """Carry a claimed run as far as it goes. Never raises: a run that can't go on says why.

    `should_stop` is asked between steps; when it says so the run is given back to whoever comes.
    """
    try:
        rows = Run.objects.select_related("owner__budget", "agent", "conversation")
        run = rows.annotate(in_workflow=_IN_WORKFLOW).get(pk=fence.run_id)
        with translation.override(run.owner.language):
            _Driver(fence, run, should_stop, in_workflow=vars(run)["in_workflow"]).go()
    except (LeaseLost, Run.DoesNotExist):
        log.info("run %s was taken over or stopped", fence.run_id)
    except Exception:
        log.exception("run %s broke", fence.run_id)
        _fail_broken(fence)


def _fail_broken(fence: RunFence) -> None:
    message = _("Something went wrong on our side. The operators can see it in the log.")
    try:
        finish.fail(fence, "bug", message, unavailable=False)
    except Exception:  # its lease runs out, and another process tries
        log.exception("run %s could not be failed", fence.run_id)


class _Driver:
    def __init__(
        self, fence: RunFence, run: Run, should_stop: Callable[[], bool], *, in_workflow: bool
    ) -> None:
        self.fence, self.run, self.should_stop = fence, run, should_stop
        self.in_workflow = in_workflow
        self.steps: list[RunStep] = []
        self.said = history(run)
        # Who is the first to claim it need not look for what another has left.
        left = RunStep.objects.filter(run=run) if fence.revision > 1 else ()
        self.begun = {step.n: step for step in left}
        self.skill: RunSkill | None = None

    def go(self) -> None:
        run = self.run
        if run.agent is None or run.conversation is None or not run.agent.is_open_to(run.owner):
            finish.fail(
                self.fence,
                "agent_gone",
                _("The agent or the conversation is gone, or not open to you any more."),
                unavailable=False,
            )
            return
        fault_point("run.claimed")
        has_begun = bool(self.begun)
        said = use_workflow(
            self.fence, run, self.said, has_begun=has_begun, is_open=self.in_workflow
        )
        if said is not None:
            say(self.fence, run, said)
            return
        try:
            self.skill = use_skill(
                self.fence, run, run.conversation, self.said, has_begun=has_begun
            )
            self._loop(run.agent, run.conversation, client_for(run.agent))
        except ModelError as error:
            finish.fail(self.fence, error.code, error.message, unavailable=error.unavailable)
        except BudgetExceeded as error:
            finish.fail(self.fence, error.code, error.message, unavailable=True)

    def _loop(self, agent: Agent, conversation: Conversation, client: ModelClient) -> None:
        n = 0
        while True:
            n += 1
            if self.should_stop():
                self.fence.let_go()
                return
            last = n > agent.max_steps
            step = open_step(self.fence, self.run, conversation, n, self.begun.get(n))
            if not step.replied:
                self._ask(agent, client, step, last=last)
            self.steps.append(step)
            if not step.tool_calls or last:
                self._answer(step, limited=last)
                return
            if not self._run_tools(agent):
                self._pause()
                return

    def _ask(self, agent: Agent, client: ModelClient, step: RunStep, *, last: bool) -> None:
        tools = list_agent_tools(agent) if self.run.enable_tools else []
        request = build_request(
            self.run, agent, self.said, self.steps, tools, skill=self.skill, last=last
        )
        fitted = fit(request, tokens=context_tokens(agent))
        hold = hold_budget(self.run, self.steps, client, fitted.request, now=timezone.now())
        ask(self.fence, client, fitted, step, hold=hold)

    def _run_tools(self, agent: Agent) -> bool:
        given = tools_of(agent) if self.run.enable_tools else []
        step = ToolStep(
            self.fence,
            self.run,
            self.said,
            self.steps,
            skill=self.skill,
            tools={tool.slug: tool for tool, _adds in given},
            tool_set={tool.slug: adds for tool, adds in given},
        )
        return step.run_all()

    def _answer(self, step: RunStep, *, limited: bool) -> None:
        warnings = [*self.skill.warnings] if self.skill else []
        warnings += [warning for one in self.steps for warning in one.warnings]
        if limited:
            warnings.append(_("The limit of tool calls was reached."))
        text = step.text.strip() or _("(The model gave no answer.)")
        if not step.text.strip():
            warnings.append(_("The model gave no answer."))
        warnings += near_budgets(self.run, self.steps, now=timezone.now())
        fault_point("run.answering")
        provenance = provenance_of(self.said, self.steps, self.skill)
        finish.complete(
            self.fence, text, provenance=provenance, warnings=list(dict.fromkeys(warnings))
        )

    def _pause(self) -> None:
        finish.pause(self.fence)
        fault_point("run.paused")
