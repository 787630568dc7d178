from django.urls import path

from agents.api import (
    agent_tools,
    approvals,
    consents,
    conversations,
    drafts,
    memories,
    turns,
)

urlpatterns = [
    path("agents/", conversations.AgentsView.as_view()),
    path("agents/<uuid:agent_id>/tools/", agent_tools.AgentToolsView.as_view()),
    path("agent/messages/", turns.MessagesView.as_view()),
    path("agent/conversations/", conversations.ConversationsView.as_view()),
    path("agent/conversations/<uuid:conversation_id>/", conversations.ConversationView.as_view()),
    path(
        "agent/conversations/<uuid:conversation_id>/messages/",
        conversations.ConversationMessagesView.as_view(),
    ),
    path("agent/projects/", conversations.ProjectsView.as_view()),
    path("agent/runs/", turns.RunsView.as_view()),
    path("agent/runs/<uuid:run_id>/", turns.RunView.as_view()),
    path("agent/runs/<uuid:run_id>/events/", turns.RunEventsView.as_view()),
    path("agent/runs/<uuid:run_id>/cancel/", turns.RunCancelView.as_view()),
    path("agent/consents/", consents.ConsentsView.as_view()),
    path("agent/consents/<uuid:consent_id>/", consents.ConsentView.as_view()),
    path("agent/memories/", memories.MemoriesView.as_view()),
    path("agent/memories/export/", memories.ExportMemoriesView.as_view()),
    path("agent/memories/import/", memories.ImportMemoriesView.as_view()),
    path("agent/memories/<uuid:memory_id>/", memories.MemoryView.as_view()),
    path("agent/memories/<uuid:memory_id>/archive/", memories.ArchiveMemoryView.as_view()),
    path("agent/memories/<uuid:memory_id>/restore/", memories.RestoreMemoryView.as_view()),
    path("agent/actions/", drafts.ActionsView.as_view()),
    path("agent/actions/<uuid:draft_id>/", drafts.ActionView.as_view()),
    path("agent/actions/<uuid:draft_id>/confirm/", drafts.ConfirmView.as_view()),
    path("agent/actions/<uuid:draft_id>/dismiss/", drafts.DismissView.as_view()),
    path("agent/actions/<uuid:draft_id>/respond/", drafts.RespondView.as_view()),
    path("agent/actions/<uuid:draft_id>/resolve/", drafts.ResolveView.as_view()),
    path("agent/standing-approvals/", approvals.StandingApprovalsView.as_view()),
    path("agent/standing-approvals/<uuid:approval_id>/", approvals.StandingApprovalView.as_view()),
]
