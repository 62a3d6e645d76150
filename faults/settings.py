"""The product's settings with a moved clock, or with a bug. No ordinary site is started with them."""

from __future__ import annotations

import os

from faults import bugs, moved_clock

# Before the models are loaded, which keep the clock as their default.
if "FAULTS_CLOCK" in os.environ:
    moved_clock.install(os.environ["FAULTS_CLOCK"])

from appraise.settings import *  # noqa: F403 — that is what Django's settings are for
from appraise.settings import DATABASES, INSTALLED_APPS

if "FAULTS_BUG" in os.environ:
    INSTALLED_APPS = [*INSTALLED_APPS, "faults.seeded.Seeded"]
    DATABASES = bugs.databases(os.environ["FAULTS_BUG"], DATABASES)
