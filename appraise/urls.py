from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.generic import TemplateView
from django.views.i18n import set_language

from appraise.operations.telemetry import healthz, metrics as metrics_page, readyz
from evaluation.api.campaigns import router as campaigns
from evaluation.api.core import api
from evaluation.api.uploads import router as uploads
from evaluation.people import views
from metrics.api import router as metrics

api.add_router("", uploads)
api.add_router("", campaigns)
api.add_router("", metrics)
handler404 = "appraise.middleware.not_found"
handler500 = "appraise.middleware.server_error"

urlpatterns = [
    path("", include("evaluation.urls")),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics_page, name="metrics"),
    path("sign-in", views.SignInView.as_view(), name="sign-in"),
    path("sign-out", auth.LogoutView.as_view(), name="sign-out"),
    path("languages", TemplateView.as_view(template_name="languages.html"), name="languages"),
    path("language", set_language, name="set-language"),
    path("admin/login/", views.admin_sign_in),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("", include("metrics.urls")),
]
