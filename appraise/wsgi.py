from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
application = get_wsgi_application()

# Load views before the first request, and exclude them from garbage collection: a full collection over all
# of them costs some request a tenth of a second.
get_resolver().url_patterns  # noqa: B018 — the property loads them
gc.collect()
gc.freeze()
