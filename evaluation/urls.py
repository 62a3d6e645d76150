from __future__ import annotations

from django.urls import path

from evaluation.views import annotate, home, jobs, monitor

urlpatterns = [
    path("", home.home, name="home"),
    path("tasks/<slug:slug>/work", annotate.work, name="work"),
    path("tasks/<slug:slug>/finished", home.finished, name="finished"),
    path("tasks/<slug:slug>/", monitor.task, name="task"),
    path("a/<str:token>/", annotate.annotate, name="annotate"),
    path("a/<str:token>/answer", annotate.answer, name="answer"),
    path("a/<str:token>/skip", annotate.skip, name="skip"),
    path("a/<str:token>/report", annotate.report_alignment, name="report-alignment"),
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/<uuid:pk>/", jobs.job, name="job"),
    path("jobs/<uuid:pk>/cancel", jobs.cancel, name="cancel-job"),
]
