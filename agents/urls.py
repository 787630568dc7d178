from django.urls import include, path

from agents.views import chat, consents, conversations, inbox, news, standing, workflows
from agents.views.memories import carrying as memories_carried
from agents.views.memories import listing as memories
from agents.views.memories import one as memory
from agents.views.skills import page as skills
from agents.views.skills import reminding, switching

_chat = (
    [
        path("", chat.home, name="home"),
        path("chat/", conversations.index, name="list"),
        path("chat/send/", chat.send, name="send"),
        path("chat/news/", news.news, name="news"),
        path("chat/consents/", consents.index, name="consents"),
        path("chat/consents/<uuid:consent_id>/revoke/", consents.revoke, name="consent-revoke"),
        path("chat/workflows/<uuid:session_id>/write/", workflows.write, name="workflow-write"),
        path("chat/workflows/<uuid:session_id>/pause/", workflows.pause, name="workflow-pause"),
        path("chat/workflows/<uuid:session_id>/resume/", workflows.resume, name="workflow-resume"),
        path("chat/workflows/<uuid:session_id>/cancel/", workflows.cancel, name="workflow-cancel"),
        path("chat/<uuid:conversation_id>/", chat.conversation, name="conversation"),
        path("chat/<uuid:conversation_id>/thread/", chat.thread, name="thread"),
        path("chat/<uuid:conversation_id>/rename/", conversations.rename, name="rename"),
        path("chat/<uuid:conversation_id>/delete/", conversations.delete, name="delete"),
    ],
    "chat",
)
_actions = (
    [
        path("", inbox.inbox, name="inbox"),
        path("standing/", standing.standing, name="standing"),
        path("standing/<uuid:approval_id>/revoke/", standing.revoke, name="revoke"),
        path("<uuid:draft_id>/confirm/", inbox.confirm, name="confirm"),
        path("<uuid:draft_id>/dismiss/", inbox.dismiss, name="dismiss"),
        path("<uuid:draft_id>/respond/", inbox.respond, name="respond"),
        path("<uuid:draft_id>/resolve/", inbox.resolve, name="resolve"),
    ],
    "actions",
)
_skills = (
    [
        path("", skills.page, name="page"),
        path("switch/", switching.switch, name="switch"),
        path("permit/", switching.permit, name="permit"),
        path("jobs/", reminding.jobs, name="jobs"),
        path("remind/", reminding.remind, name="remind"),
        path("jobs/<uuid:skill_job_id>/cancel/", reminding.cancel, name="cancel"),
        path("jobs/<uuid:skill_job_id>/end/", reminding.end, name="end"),
    ],
    "skills",
)
_memories = (
    [
        path("", memories.index, name="list"),
        path("export/", memories_carried.export, name="export"),
        path("import/", memories_carried.import_, name="import"),
        path("<uuid:memory_id>/", memory.detail, name="detail"),
        path("<uuid:memory_id>/edit/", memory.edit, name="edit"),
        path("<uuid:memory_id>/archive/", memory.archive, name="archive"),
        path("<uuid:memory_id>/restore/", memory.restore, name="restore"),
        path("<uuid:memory_id>/keep-private/", memory.keep_private, name="keep-private"),
        path("<uuid:memory_id>/forget/", memory.forget, name="forget"),
    ],
    "memories",
)

urlpatterns = [
    path("actions/", include(_actions)),
    path("memories/", include(_memories)),
    path("skills/", include(_skills)),
    path("", include(_chat)),
]
