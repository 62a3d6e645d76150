"""Installs the seeded bug that the environment names; see ``faults.bugs``."""

from __future__ import annotations

import os

from django.apps import AppConfig


class Seeded(AppConfig):
    name = "faults"
    label = "faults"

    def ready(self) -> None:
        from faults import bugs

        bugs.plant(os.environ["FAULTS_BUG"])
