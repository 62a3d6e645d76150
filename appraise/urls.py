from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path

from appraise import views
from evaluation.api import api
from evaluation.api_uploads import router as uploads
from metrics.api import router as metrics

api.add_router("", uploads)
api.add_router("", metrics)

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("sign-in", auth.LoginView.as_view(redirect_authenticated_user=True), name="sign-in"),
    path("sign-out", auth.LogoutView.as_view(), name="sign-out"),
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("", include("evaluation.urls")),
    path("", include("metrics.urls")),
]
