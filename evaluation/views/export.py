"""Downloads: pseudonymous unless an administrator asks for names; each is recorded in the audit trail."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from evaluation.agreement.rendering import as_latex
from evaluation.exporters import FORMATS
from evaluation.models import User
from evaluation.reports import agreement, results
from evaluation.reports.bundles import write_bundle
from evaluation.reports.export import asked_pairs, voices
from evaluation.reports.scope import Scope
from evaluation.services.oversight import record_export
from evaluation.views.annotate import signed_in
from evaluation.views.reporting import attachment, scope_of


@login_required
@require_GET
def download(request: HttpRequest, kind: str, slug: str, form: str) -> HttpResponseBase:
    user, scope = signed_in(request), scope_of(request, kind, slug)
    return send(user, scope, form, identify=request.GET.get("identify") == "yes")


def send(user: User, scope: Scope, form: str, *, identify: bool) -> HttpResponseBase:
    """The answer to a request for an export, by page or by API."""
    if form not in {*FORMATS, "latex", "bundle"}:
        raise Http404(f"no format {form}")
    if identify and not (user.is_superuser and form in FORMATS):
        return JsonResponse({"detail": "Names are for administrators, in the plain formats."}, status=403)
    record_export(user, target=f"{scope.kind} {scope.slug}", form=form, identified=identify)
    if form == "bundle":
        return _bundle(scope)
    if form == "latex":
        tables = {**agreement.tables(scope), **results.tables(scope)}
        text = "\n".join(as_latex(table) for table in tables.values())
        return attachment(f"{scope.slug}-tables.tex", "application/x-tex; charset=utf-8", text)
    chosen = FORMATS[form]
    return StreamingHttpResponse(
        (piece.encode() for piece in chosen.write(asked_pairs(scope, voices(scope, identify=identify)))),
        content_type=chosen.content_type,
        headers={
            "Content-Disposition": f'attachment; filename="{scope.slug}.{chosen.extension}"',
            "Cache-Control": "no-store",
        },
    )


def _bundle(scope: Scope) -> StreamingHttpResponse:
    # On disk, not in memory: the archive of a campaign may be of any size.
    file = tempfile.TemporaryFile()  # noqa: SIM115 — closed after the last byte
    write_bundle(scope, file)
    headers = {
        "Content-Disposition": f'attachment; filename="{scope.slug}-bundle.zip"',
        "Content-Length": str(file.tell()),
        "Cache-Control": "no-store",
    }
    return StreamingHttpResponse(_pieces(file), content_type="application/zip", headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(1 << 16):
            yield piece
