"""The job that checks an upload and computes its preview, where that would take too long for a page."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from evaluation import jobs
from evaluation.models import Job, Upload
from evaluation.tasks.forms.upload import make_form
from evaluation.tasks.services.upload_previews import store_preview
from evaluation.tasks.services.uploads import check_upload, load_check


@jobs.handler("check")
def run_check(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    upload = Upload.objects.filter(pk=job.arguments["upload"]).select_related("owner").first()
    if upload is None:  # discarded meanwhile
        return {}
    progress.update(0, 1, gettext_noop("Checking every line."))
    outcome = load_check(upload) or check_upload(upload)
    form = make_form(upload, outcome)
    if outcome.is_good and form.is_valid():
        message = gettext_noop("Aligning the first sentences.")
        store_preview(
            upload, outcome, form.settings(), lambda done, total: progress.update(done, total, message)
        )
    progress.update(1, 1)
    return {"items": outcome.items, "problems": len(outcome.problems)}
