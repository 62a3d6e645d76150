from __future__ import annotations

from django.urls import include, path

from evaluation.views import alignments, annotate, history, home, jobs, members, monitor, mydata, upload

urlpatterns = [
    path("", home.home, name="home"),
    path("tasks/<slug:slug>/work", annotate.work, name="work"),
    path("tasks/<slug:slug>/finished", home.finished, name="finished"),
    path("tasks/<slug:slug>/", monitor.task, name="task"),
    path("a/<str:token>/", alignments.follow(annotate.annotate), name="annotate"),
    path("a/<str:token>/answer", alignments.follow(annotate.answer), name="answer"),
    path("a/<str:token>/skip", alignments.follow(annotate.skip), name="skip"),
    path("a/<str:token>/report", alignments.follow(annotate.report_alignment), name="report-alignment"),
    path("p/<str:token>/", places.judge, name="places"),
    path("p/<str:token>/rank", places.rank, name="rank-place"),
    path("upload/", upload.new_upload, name="new-upload"),
    path("upload/<uuid:pk>/", upload.upload, name="upload"),
    path("samples/<path:name>", upload.sample, name="sample"),
    path("schema/task.json", upload.schema, name="task-schema"),
    path("me/", mydata.page, name="my-data"),
    path("me/data.json", mydata.download, name="my-data-download"),
    path("me/delete", mydata.leave, name="delete-account"),
    path("tasks/<slug:slug>/history", history.page, name="task-history"),
    path("tasks/<slug:slug>/members", members.members, name="members"),
    path("tasks/<slug:slug>/members/add", members.add, name="add-members"),
    path("tasks/<slug:slug>/members/<int:pk>", members.change, name="change-member"),
    path("tasks/<slug:slug>/invite", members.invite, name="invite"),
    path("tasks/<slug:slug>/invitations/<int:pk>/revoke", members.revoke, name="revoke-invitation"),
    path("tasks/<slug:slug>/state", members.state, name="task-state"),
    path("tasks/<slug:slug>/alignments/", alignments.queue, name="alignments"),
    path("tasks/<slug:slug>/alignments/<int:pk>/", alignments.editor, name="alignment"),
    path("tasks/<slug:slug>/alignments/<int:pk>/preview", alignments.live_preview, name="alignment-preview"),
    path("tasks/<slug:slug>/alignments/pairs/<int:pair>/dismiss", alignments.dismiss, name="dismiss-report"),
    path("j/<str:token>", members.join, name="join"),
    path("", include("evaluation.urls_reports")),
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/<uuid:pk>/", jobs.job, name="job"),
    path("jobs/<uuid:pk>/cancel", jobs.cancel, name="cancel-job"),
]
