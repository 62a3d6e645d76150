"""``make django-next``: the tests on the next Django, in a throw-away environment; what fails is a list.

Django 6.0 needs Python 3.12 or newer, so this takes the newest Python that ``make package`` finds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.operations.package import ROOT, UV, find_pythons, run

NEXT = "django>=6.0,<6.1"
LEAST = "3.12"


def main() -> int:
    pythons = {version: path for version, path in find_pythons([]).items() if version >= LEAST}
    if not pythons:
        sys.exit(f"{NEXT} needs Python {LEAST} or newer, and there is none here")
    version, python = max(pythons.items())
    with tempfile.TemporaryDirectory(prefix="appraise-django-") as folder:
        ours = Path(folder) / "bin" / "python"
        run(UV, "venv", "--quiet", "--allow-existing", "--python", python, folder)
        pip = (UV, "pip", "install", "--quiet", "--python", ours)
        run(*pip, "--no-deps", "--require-hashes", "-r", ROOT / "requirements" / "dev.txt")
        run(*pip, NEXT)
        subprocess.run([ours, "-c", "import django; print('Django', django.__version__)"], check=True)
        print(f"Python {version}", flush=True)
        tests = sys.argv[1:] or ["-n", "3", "--dist", "worksteal"]
        command = [str(ours), "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *tests]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
