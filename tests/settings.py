"""The product's settings, in a home of their own and without what only costs time in tests."""

from __future__ import annotations

import os
import shutil
import tempfile
from multiprocessing.util import Finalize
from typing import Any, cast

# Before the settings are read: tests never touch the real database, key or uploads.
os.environ["APPRAISE_HOME"] = tempfile.mkdtemp(prefix="appraise-tests-")
# Gone at the end; unlike atexit, a process that is forked from this one leaves it alone.
Finalize(None, shutil.rmtree, (os.environ["APPRAISE_HOME"], True), exitpriority=0)
os.environ["SECRET_KEY"] = "tests-only-" + "x" * 40

from appraise.settings import *  # noqa: E402, F403 — that is what Django's settings are for

database = cast("dict[str, Any]", DATABASES["default"])  # noqa: F405 — Any: Django's options are of every type
if database["ENGINE"] == "appraise.operations.sqlite":
    # A file, as everywhere else: in memory all threads would share one connection's locks.
    database["TEST"] = {"NAME": os.path.join(os.environ["APPRAISE_HOME"], "tests.sqlite3")}
    # Nobody needs the rows of a test after a power cut.
    database["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Static files straight from their folders: nothing to collect, nothing to hash.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
LOGGING = {"version": 1, "disable_existing_loggers": False}
# Figures for a monitor are counted as with METRICS=true.
METRICS_FOLDER.mkdir(parents=True)  # noqa: F405
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_FOLDER)  # noqa: F405
