from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
application = get_wsgi_application()

# Views are loaded now, not in somebody's first request. What is loaded lives as long as the process: without
# the freeze every full collection walks over all of it, and some annotator waits a tenth of a second.
get_resolver().url_patterns  # noqa: B018 — asking for them loads them
gc.collect()
gc.freeze()
