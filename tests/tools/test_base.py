"""Who answered, and where the optional tools are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics.tools import base
from metrics.tools.constituency import ConstituencyParser
from metrics.tools.tagger import GermanTagger
from scripts import install_tools as install


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    return tmp_path


def test_the_tools_are_found_through_the_environment(no_tools: Path) -> None:
    assert base.find_tools_folder() == no_tools
    assert base.find_nltk_folder() == no_tools / "nltk_data"


def test_an_absent_tool_says_so_in_one_sentence(no_tools: Path) -> None:
    with pytest.raises(base.ToolAbsent, match=r"^The Stanford parser is not installed; run `make tools`"):
        ConstituencyParser(cache_path=no_tools / "c")
    with pytest.raises(base.ToolAbsent, match="HanTa is not installed"):
        GermanTagger(cache_path=no_tools / "c")
    with pytest.raises(base.ToolAbsent, match="environment of the linguistic tools"):
        base.find_python()


def test_without_java_the_remedy_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(base.ToolAbsent, match="apt install default-jre-headless"):
        base.find_java()


def test_versions_are_read_from_the_installed_metadata(no_tools: Path) -> None:
    (no_tools / "env/lib/python3.11/site-packages/Some_Tool-1.2.dist-info").mkdir(parents=True)
    assert base.find_distribution_version("some-tool") == "1.2"
    assert base.find_distribution_version("other") is None
    assert base.find_package("nothing") is None


def test_a_digest_names_the_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").write_bytes(b"y")
    assert base.file_digest(tmp_path / "a") != base.file_digest(tmp_path / "b")
    assert len(base.file_digest(tmp_path / "a")) == 16


def test_a_model_that_was_trained_again_has_another_digest(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_bytes(b"first")
    before = base.file_digest(model)
    model.write_bytes(b"another")
    assert base.file_digest(model) != before


def test_the_installer_tells_sizes_and_licences_before_anything_else(
    no_tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install.main(["--list"]) == 0
    told = capsys.readouterr().out
    assert "GPL-2.0-or-later" in told
    assert "together about" in told
    assert list(no_tools.iterdir()) == []


def test_an_up_to_date_environment_is_left_alone(no_tools: Path) -> None:
    (no_tools / "env").mkdir()
    (no_tools / "env" / ".ready").touch()
    assert install.install_environment(no_tools) == ""


def test_wordnet_that_is_there_is_left_alone(no_tools: Path) -> None:
    folder = no_tools / "nltk_data" / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    (folder / "index.noun").touch()
    assert install.install_wordnet(no_tools) == ""
