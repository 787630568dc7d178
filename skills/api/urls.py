from django.urls import path

from skills.api import (
    background_jobs,
    bindings,
    catalogue,
    evaluations,
    permissions,
    policy,
    runs,
    sessions,
)

urlpatterns = [
    path("", catalogue.CatalogueView.as_view()),
    path("permissions/", permissions.PermissionsView.as_view()),
    path("bindings/", bindings.BindingsView.as_view()),
    path("runs/", runs.RunsView.as_view()),
    path("sessions/", sessions.SessionsView.as_view()),
    path("sessions/<uuid:session_id>/", sessions.SessionView.as_view()),
    path("sessions/<uuid:session_id>/pause/", sessions.PauseSessionView.as_view()),
    path("sessions/<uuid:session_id>/resume/", sessions.ResumeSessionView.as_view()),
    path("sessions/<uuid:session_id>/cancel/", sessions.CancelSessionView.as_view()),
    path("policy/", policy.PolicyView.as_view()),
    path("evaluations/", evaluations.EvaluationsView.as_view()),
    path("background-jobs/", background_jobs.BackgroundJobsView.as_view()),
    path("background-jobs/<uuid:skill_job_id>/", background_jobs.BackgroundJobView.as_view()),
    path(
        "background-jobs/<uuid:skill_job_id>/cancel/",
        background_jobs.CancelBackgroundJobView.as_view(),
    ),
]
