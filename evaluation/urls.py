from __future__ import annotations

from django.urls import include, path

from evaluation.annotate.views import assess, pairs, places, practice
from evaluation.people import views
from evaluation.reports import plan
from evaluation.tasks.views import alignments, campaigns, comparisons, members, overview, upload

urlpatterns = [
    # The most frequent requests come first: patterns are tried one after another.
    path("a/<str:token>/", alignments.redirect_old_token(pairs.annotate), name="annotate"),
    path("a/<str:token>/answer", alignments.redirect_old_token(pairs.answer), name="answer"),
    path("a/<str:token>/unsure", alignments.redirect_old_token(pairs.mark_unsure), name="mark-unsure"),
    path("a/<str:token>/time", alignments.redirect_old_token(pairs.add_time), name="add-time"),
    path("a/<str:token>/skip", alignments.redirect_old_token(pairs.skip), name="skip"),
    path(
        "a/<str:token>/report", alignments.redirect_old_token(pairs.report_alignment), name="report-alignment"
    ),
    path("assess/<str:token>/", assess.assess, name="assess"),
    path("assess/<str:token>/answer", assess.answer, name="assess_answer"),
    path("", overview.home, name="home"),
    path("tasks/<slug:slug>/work", pairs.work, name="work"),
    path("tasks/<slug:slug>/review", overview.review, name="review"),
    path("tasks/<slug:slug>/finished", overview.finished, name="finished"),
    path("tasks/<slug:slug>/", overview.monitor, name="task"),
    path("tasks/<slug:slug>/practice/<number:number>", practice.question, name="practice"),
    path("tasks/<slug:slug>/practice", practice.settings, name="practice-settings"),
    path(
        "tasks/<slug:slug>/practice/questions/<number:pk>/remove",
        practice.remove,
        name="remove-practice-question",
    ),
    path("p/<str:token>/", places.annotate_places, name="places"),
    path("p/<str:token>/rank", places.rank_place, name="rank-place"),
    path("plan", plan.page, name="plan"),
    path("plan/plots/power.svg", plan.plot, name="plan-plot"),
    path("upload/", upload.new_upload, name="new-upload"),
    path("upload/<uuid:pk>/", upload.upload_detail, name="upload"),
    path("upload/<uuid:pk>/problems.csv", upload.problem_file, name="upload-problems"),
    path("upload/<uuid:pk>/try/<number:number>", upload.try_out, name="upload-try"),
    path("samples/<path:name>", upload.sample_file, name="sample"),
    path("schema/task.json", upload.task_schema, name="task-schema"),
    path("me/", views.my_data, name="my-data"),
    path("me/data.json", views.download_my_data, name="my-data-download"),
    path("me/tokens", views.token_list, name="api-tokens"),
    path("me/tokens/<number:pk>/revoke", views.revoke_token, name="revoke-token"),
    path("me/delete", views.delete_account, name="delete-account"),
    path("tasks/<slug:slug>/history", overview.history, name="task-history"),
    path("tasks/<slug:slug>/members", members.member_list, name="members"),
    path("tasks/<slug:slug>/members/add", members.add_members, name="add-members"),
    path("tasks/<slug:slug>/members/<number:pk>", members.change_member, name="change-member"),
    path("tasks/<slug:slug>/invite", members.invite, name="invite"),
    path(
        "tasks/<slug:slug>/invitations/<number:pk>/revoke",
        members.revoke_invitation,
        name="revoke-invitation",
    ),
    path("tasks/<slug:slug>/state", members.change_state, name="task-state"),
    path("tasks/<slug:slug>/delete", members.delete_task, name="delete-task"),
    path("tasks/<slug:slug>/completion", members.set_completion, name="completion"),
    path("tasks/<slug:slug>/questions", alignments.questions, name="questions"),
    path("tasks/<slug:slug>/compare", comparisons.compare, name="compare-systems"),
    path("tasks/<slug:slug>/collect", comparisons.collect, name="collect-assessments"),
    path("tasks/<slug:slug>/alignments/", alignments.queue, name="alignments"),
    path("tasks/<slug:slug>/alignments/<number:pk>/", alignments.editor, name="alignment"),
    path(
        "tasks/<slug:slug>/alignments/<number:pk>/preview", alignments.live_preview, name="alignment-preview"
    ),
    path("tasks/<slug:slug>/alignments/<number:pk>/apply", alignments.apply_report, name="apply-report"),
    path(
        "tasks/<slug:slug>/alignments/pairs/<number:pair>/dismiss", alignments.dismiss, name="dismiss-report"
    ),
    path("campaigns/<slug:slug>/", campaigns.detail, name="campaign"),
    path("campaigns/<slug:slug>/work", campaigns.work, name="campaign-work"),
    path("campaigns/<slug:slug>/finished", campaigns.finished, name="campaign-finished"),
    path("campaigns/<slug:slug>/settings", campaigns.change_settings, name="campaign-settings"),
    path("campaigns/<slug:slug>/copy", campaigns.copy, name="copy-campaign"),
    path("campaigns/<slug:slug>/members", campaigns.member_list, name="campaign-members"),
    path("campaigns/<slug:slug>/members/add", campaigns.add_members, name="campaign-add-members"),
    path("campaigns/<slug:slug>/members/people", campaigns.add_people, name="campaign-add-people"),
    path("campaigns/<slug:slug>/members/cards", campaigns.renew_cards, name="campaign-cards"),
    path("campaigns/<slug:slug>/members/<number:pk>", campaigns.change_member, name="campaign-change-member"),
    path("campaigns/<slug:slug>/invite", campaigns.invite, name="campaign-invite"),
    path(
        "campaigns/<slug:slug>/invitations/<number:pk>/revoke",
        campaigns.revoke_invitation,
        name="campaign-revoke-invitation",
    ),
    path("campaigns/<slug:slug>/crowd", campaigns.crowd_settings, name="campaign-crowd"),
    path("campaigns/<slug:slug>/pay-sheet.csv", campaigns.pay_sheet, name="pay-sheet"),
    path("j/<str:token>", members.join_task, name="join"),
    path("r/<str:token>", members.use_return_link, name="come-back"),
    path("", include("evaluation.reports.urls")),
    path("jobs/", overview.job_list, name="jobs"),
    path("jobs/<uuid:pk>/", overview.job_detail, name="job"),
    path("jobs/<uuid:pk>/cancel", overview.cancel_job, name="cancel-job"),
]
