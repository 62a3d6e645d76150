from __future__ import annotations

from django.urls import path

from metrics.reports import item
from metrics.scoring import views

urlpatterns = [
    path("tasks/<slug:slug>/metrics/choose", views.choose, name="choose-metrics"),
    path("tasks/<slug:slug>/metrics/items/<number:position>", item.page, name="metrics-item"),
    path("tasks/<slug:slug>/metrics/train", views.train, name="train-model"),
    path("models/", views.models, name="models"),
    path("models/<number:pk>", views.model, name="model"),
    path("models/<number:pk>/plots/<slug:name>.svg", views.model_plot, name="model-plot"),
    path("tasks/<slug:slug>/metrics/score", views.score, name="score-task"),
    path("tasks/<slug:slug>/metrics/import", views.import_file, name="import-scores"),
]
