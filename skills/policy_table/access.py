"""Who may look at whose table. One's own leaves no trace; at another person's one is seen."""

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotPermitted
from skills.grants import check_agent
from skills.policy_table.question import PolicyQuestion
from skills.policy_table.table import PolicyTable

SEE_OTHERS = "skills.view_permissiongrant"  # what the table tells is what that person granted


def look_at(actor: Actor, question: PolicyQuestion) -> PolicyTable:
    """Nothing runs. Raises `NotPermitted`, and `AgentNotYours` for an agent that the person may
    not use.
    """
    is_own = question.person.pk == actor.user.pk
    if not is_own and not (actor.user.is_staff and actor.user.has_perm(SEE_OTHERS)):
        raise NotPermitted
    check_agent(question.person, question.agent_id)
    table = PolicyTable(question, told_of="" if is_own else question.person.get_username())
    if not is_own:
        _record(actor, question)
    return table


def _record(actor: Actor, question: PolicyQuestion) -> None:
    audit.record(
        "policy.previewed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("user", question.person.pk),
        scope="agent",
        metadata={"agent": str(question.agent_id), "unattended": question.unattended},
    )
