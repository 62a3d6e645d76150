"""The site's addresses and one more, ``/minimal``: what any Django page with one query costs.

Used by ``benchmarks.load`` only; the product does not know this module.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path

from appraise.urls import urlpatterns as site
from evaluation.models import Campaign


def minimal(request: HttpRequest) -> HttpResponse:
    return HttpResponse(Campaign.objects.get(pk=1).name)


urlpatterns = [path("minimal", minimal), *site]
