from __future__ import annotations

from django.urls import path

from metrics.views import compare, item, models, replications, scoring

urlpatterns = [
    path("tasks/<slug:slug>/metrics", compare.page, name="task-metrics"),
    path("tasks/<slug:slug>/metrics/plots/<slug:name>.svg", compare.plot, name="task-metrics-plot"),
    path("tasks/<slug:slug>/metrics/choose", scoring.choose, name="choose-metrics"),
    path("tasks/<slug:slug>/metrics/items/<int:position>", item.page, name="metrics-item"),
    path("tasks/<slug:slug>/metrics/train", models.train, name="train-model"),
    path("models/", models.page, name="models"),
    path("models/<int:pk>", models.one, name="model"),
    path("models/<int:pk>/plots/<slug:name>.svg", models.plot, name="model-plot"),
    path("replications/", replications.page, name="replications"),
    path("replications/<uuid:pk>/", replications.report, name="replication"),
    path("replications/<uuid:pk>/report.<slug:form>", replications.file, name="replication-file"),
    path("tasks/<slug:slug>/metrics/score", scoring.score, name="score-task"),
    path("tasks/<slug:slug>/metrics/import", scoring.import_file, name="import-scores"),
    path("tasks/<slug:slug>/metrics/<slug:name>.<slug:form>", compare.table, name="task-metrics-table"),
]
