"""``python -m appraise.probe [PORT]``: exit 0 if the site on this machine is healthy, else 1.

For health checks of containers and services. Without Django, because it runs every half minute.
"""

from __future__ import annotations

import os
import sys
from http.client import HTTPConnection, HTTPException


def healthy(port: int, host: str = "127.0.0.1", time_out: float = 10.0) -> bool:
    """Whether ``/healthz`` answers 200. The site only answers to its ``ALLOWED_HOSTS``, so one of them is
    sent."""
    name = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip() or host
    connection = HTTPConnection(host, port, timeout=time_out)
    try:
        connection.request("GET", "/healthz", headers={"Host": name.removeprefix(".")})
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if healthy(int(sys.argv[1]) if len(sys.argv) > 1 else 8000) else 1)
