"""The introduction of the API's documentation, in markdown, its chapters in order, and the names of
enums that stand in several of its schemas.
"""

DESCRIPTION = """\
Agents that act, and the proof of what they were allowed to do and did.

## Signing in

Send `Authorization: Bearer <token>`. Make your own at [your profile](/accounts/profile/); an
operator makes them in the admin, or with

    manage.py api_token USER --name "my program" --days 90 --scopes agent,documents:read

It is shown once. Pages of this site may use their session instead, with the CSRF token: signed in,
you can try out everything below (as yourself, for real).

## Scopes

A token does only what its scopes name; each operation below says which one it needs. Without it
the answer is 403 `scope_missing`. A new token has all but `actions:confirm`: a program that talks
to an agent does not approve what the agent wants to do.

## Errors

Whatever went wrong, the body looks like this:

    {"type": "validation_error",
     "errors": [{"code": "required", "detail": "This field is required.", "attr": "text"}]}

`type` is `validation_error`, `client_error` or `server_error`. `code` is stable: each operation
names its own, and [this page](/api/error-codes/) all of them. `detail` is for people, `attr` names
the field or is null. A conflict about an action draft also holds `draft`, as it is now. 401: not
signed in. 403: not allowed. 404: it does not exist, or it is not yours.

A body is taken at its word: a field that is not known, and a number where text belongs, are
refused.

## Limits

So many requests a minute for each token, and for each person over all of them, as this
installation has set it. Beyond: 429 `throttled`, with the seconds to wait in `Retry-After`.

## Lists

`{"count", "next", "previous", "results"}`, with `page`, `page_size` (20; more than 100 is 100) and
`ordering` (a field; with `-` before it, descending). A page beyond the last is 404. A
parameter that a list does not have is 400 `unknown_parameter`, which names it and those there are.

## Sending again

With an `Idempotency-Key` a POST that creates or executes has its effect once: for 24 hours the same
key and body returns the first answer; another body is 422 `idempotency_key_reused`. Confirming a
draft takes its key in the body.

## Streams

`POST /api/agent/messages/` with `Accept: text/event-stream` answers with events as they happen:
`run.started`, `step.started`, `step.restarted` (drop the text of that step), `tool.started`,
`tool.finished`, `text.delta`, `action.required` (one for each card), `run.paused` and
`run.finished` (the whole response), `error`.

    id: 4
    event: text.delta
    data: {"step": 1, "text": "12.5% of 80 "}

A run that waits for a person ends its stream with `run.paused`, whose response says for what.
When the last of its cards is decided it goes on: attach to its events again, with the id of the
last event that you have seen. Only `run.finished` is the end.

Who loses the connection goes on at `/api/agent/runs/{run_id}/events/` with `Last-Event-ID`; the run
goes on meanwhile.
"""

TAGS = [
    {"name": "agents", "description": "Whom you can talk to."},
    {"name": "messages", "description": "Talking to an agent."},
    {"name": "runs", "description": "What comes of a message: steps, events, the response."},
    {"name": "actions", "description": "What an agent wants to do and waits for you to decide."},
    {"name": "consents", "description": "What your conversations may let out, and to whom."},
    {"name": "standing-approvals", "description": "What you need not be asked again."},
    {
        "name": "memories",
        "description": "What agents may recall of you: found, changed, forgotten.",
    },
    {"name": "conversations", "description": "What was said."},
    {"name": "projects", "description": "Where you are a member."},
    {"name": "documents", "description": "Your documents, as agents see them too."},
    {"name": "knowledge", "description": "Files that agents answer from, and who reads them."},
    {
        "name": "skills",
        "description": "What agents can do for you: permitted, switched on, used, ordered.",
    },
    {"name": "jobs", "description": "Work in the background: once, at a time, or again and again."},
    {"name": "tools", "description": "For operators: what agents may be given, and every call."},
]

ENUM_NAMES = {
    "CallStatusEnum": "tools.enums.CallStatus",
    "ConsentKindEnum": "tools.enums.ConsentKind",
    "CreateByEnum": "jobs.enums.CreateBy",
    "DecisionOutcomeEnum": "tools.enums.DecisionOutcome",
    "DocumentTypeEnum": "documents.enums.DocumentType",
    "DraftStateEnum": "tools.enums.DraftState",
    "ErrorTypeEnum": "config.base.rest.serializers.ERROR_TYPES",
    "EvaluationStateEnum": "skills.enums.EvaluationState",
    "GrantScopeEnum": "skills.enums.GrantScope",
    "JobStatusEnum": "jobs.enums.JobStatus",
    "MemoryLayerEnum": "agents.models.MemoryLayer",
    "MemoryStatusEnum": "agents.models.MemoryStatus",
    "MissedPolicyEnum": "jobs.enums.MissedPolicy",
    "ReadFailureEnum": "documents.enums.ReadFailure",
    "ResourceStateEnum": "documents.enums.ResourceState",
    "ResponseStatusEnum": "agents.models.ResponseStatus",
    "RunStatusEnum": "agents.models.RunStatus",
    "SessionStateEnum": "skills.enums.SessionState",
    "ShareKindEnum": "documents.enums.ShareKind",
    "SkillKindEnum": "skills.enums.SkillKind",
    "SkillScopeEnum": "skills.enums.SkillScope",
    "SpaceRoleEnum": "documents.enums.SpaceRole",
    "VisibilityEnum": "agents.models.Visibility",
}
