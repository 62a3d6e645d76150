from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.i18n import set_language

from appraise import signing_in
from appraise.health import healthz
from appraise.operations.telemetry import metrics as metrics_page
from evaluation.api import api
from evaluation.api_uploads import router as uploads
from metrics.api import router as metrics

api.add_router("", uploads)
api.add_router("", metrics)
handler404 = "appraise.errors.not_found"
handler500 = "appraise.errors.server_error"

urlpatterns = [
    path("", include("evaluation.urls")),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics_page, name="metrics"),
    path("sign-in", signing_in.SignIn.as_view(), name="sign-in"),
    path("sign-out", auth.LogoutView.as_view(), name="sign-out"),
    path("language", set_language, name="set-language"),
    path("admin/login/", signing_in.administration),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("", include("metrics.urls")),
]
