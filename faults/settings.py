"""The settings of the site with a shifted clock or a seeded bug; for fault runs only."""

from __future__ import annotations

import os

from faults import bugs, moved_clock

# Before the models are loaded, because their field defaults refer to the clock.
if "FAULTS_CLOCK" in os.environ:
    moved_clock.install(os.environ["FAULTS_CLOCK"])

from appraise.settings import *  # noqa: F403 — the usual way to extend Django's settings
from appraise.settings import DATABASES, INSTALLED_APPS

if "FAULTS_BUG" in os.environ:
    INSTALLED_APPS = [*INSTALLED_APPS, "faults.seeded.Seeded"]
    DATABASES = bugs.databases(os.environ["FAULTS_BUG"], DATABASES)
