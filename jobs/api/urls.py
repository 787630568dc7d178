from django.urls import path

from jobs.api import jobs, kinds, series

urlpatterns = [
    path("", jobs.JobsView.as_view()),
    path("kinds/", kinds.KindsView.as_view()),
    path("kinds/<str:kind>/pause/", kinds.PauseKindView.as_view()),
    path("kinds/<str:kind>/resume/", kinds.ResumeKindView.as_view()),
    path("series/", series.SeriesListView.as_view()),
    path("series/<uuid:series_id>/", series.SeriesView.as_view()),
    path("series/<uuid:series_id>/pause/", series.PauseSeriesView.as_view()),
    path("series/<uuid:series_id>/resume/", series.ResumeSeriesView.as_view()),
    path("series/<uuid:series_id>/end/", series.EndSeriesView.as_view()),
    path("<uuid:job_id>/", jobs.JobView.as_view()),
    path("<uuid:job_id>/attempts/", jobs.AttemptsView.as_view()),
    path("<uuid:job_id>/cancel/", jobs.CancelJobView.as_view()),
    path("<uuid:job_id>/retry/", jobs.RetryJobView.as_view()),
    path("<uuid:job_id>/run-now/", jobs.RunJobNowView.as_view()),
]
