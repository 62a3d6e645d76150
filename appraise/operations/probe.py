"""``python -m appraise.operations.probe [PORT]``: exit 0 if the site on this machine is healthy, else 1.

For health checks of containers and services. It does not load Django, because it runs every half minute.
"""

from __future__ import annotations

import os
import sys
from http.client import HTTPConnection, HTTPException


def is_healthy(port: int, host: str = "127.0.0.1", timeout: float = 10.0) -> bool:
    """Whether ``/healthz`` answers 200; the Host header is one of ``ALLOWED_HOSTS``."""
    name = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip() or host
    connection = HTTPConnection(host, port, timeout=timeout)
    try:
        connection.request("GET", "/healthz", headers={"Host": name.removeprefix(".")})
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_healthy(int(sys.argv[1]) if len(sys.argv) > 1 else 8000) else 1)
