"""Declared programs: their declarations, the contract with real processes, and everything that goes wrong."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.tokens import offsets
from metrics import registry
from metrics.base import MetricUnavailable, Segment, make_segments
from metrics.laws import Verdict, check_laws
from metrics.programs import metric
from metrics.programs.declarations import READY, ProgramDeclaration, read_programs
from metrics.programs.metric import ProgramJudge, ProgramMetric, make_metric
from metrics.programs.program import Program
from metrics.scoring.phrase_votes import AlignedOccurrence, MetricVote, direct_votes
from metrics.scoring.task_texts import ItemText
from metrics.tools.base import ToolAbsent

STUB = str(Path(__file__).with_name("stub.py"))


@pytest.fixture(autouse=True)
def own_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs and their cache belong to one test."""
    registry.list_names()
    monkeypatch.setattr(registry, "_metrics", dict(registry._metrics))
    monkeypatch.setenv("APPRAISE_HOME", str(tmp_path))
    programs: dict[ProgramDeclaration, Program] = {}
    monkeypatch.setattr(metric, "shared_program", lambda about: programs.setdefault(about, Program(about)))
    yield
    for program in programs.values():
        program.close()


def stub(**values: object) -> ProgramDeclaration:
    defaults = {"command": (sys.executable, STUB), "version": "1", "batch": 2, "timeout": 5, "startup": 20}
    return ProgramDeclaration("stub", **(defaults | values))  # type: ignore[arg-type]


def score(*hypotheses: str, **values: object) -> list[float]:
    scores: list[float] = ProgramMetric(stub(**values)).score(make_segments(hypotheses)).segments.tolist()
    return scores


def test_a_program_scores_in_batches_of_one_process() -> None:
    pids = score("pid 1", "pid 2", "pid 3", "pid 4", "pid 5")
    assert len(set(pids)) == 1
    assert score("a", "a b", "a b c") == [1, 2, 3]


def test_what_the_program_needs_is_what_it_gets(tmp_path: Path) -> None:
    echo = """
import sys, json
for line in sys.stdin:
    print(json.dumps([len(json.dumps(item)) for item in json.loads(line)]), flush=True)
"""
    segment = Segment("h", ("r",), "s")
    sizes = {}
    for needs in ((), ("source",), ("reference",), ("reference", "source")):
        about = stub(command=(sys.executable, "-c", echo), needs=needs)
        sizes[needs] = ProgramMetric(about).score([segment]).segments[0]
    bare = len(json.dumps({"hypothesis": "h", "references": [], "source": None}))
    assert sizes[()] == bare
    assert sizes["source",] == bare - 1
    assert sizes["reference",] == bare + 3


def test_answers_are_cached_by_text_and_identity() -> None:
    (first,) = score("pid 1")
    metric.shared_program(stub()).close()
    assert score("pid 1") == [first]
    assert score("pid 2") != [first]
    assert score("pid 1", version="2") != [first]
    assert score("pid 1", environment={"X": "1"}) != [first]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("crash", "crash: out of memory"),
        ("hang", "time-out: no answer within 0.5 s"),
        ("nan", "protocol: NaN is no score"),
        ("text", 'protocol: "good" is no score'),
        ("short", "protocol: expected 2 answers"),
    ],
)
def test_a_failure_loses_one_batch_and_is_explained(bad: str, reason: str) -> None:
    texts = ["a", "a b", bad, "lost", "a b c", "pid"]
    scorer = ProgramMetric(stub(timeout=0.5))
    message = rf"stub answered 4 of 6 items; {reason}. Answers are cached: score again to ask for the rest."
    with pytest.raises(MetricUnavailable) as error:
        scorer.score(make_segments(texts))
    assert str(error.value) == message
    metric.shared_program(stub(timeout=0.5)).close()
    assert score("a", "a b", "a b c", timeout=0.5) == [1, 2, 3]  # from the cache, or asked again
    with pytest.raises(MetricUnavailable, match="answered 0 of 1"):
        score(bad, timeout=0.5)


def test_after_two_failures_in_succession_the_rest_is_not_asked() -> None:
    with pytest.raises(MetricUnavailable) as error:
        score("crash 1", "crash 2", "crash 3", "crash 4", "a", "b")
    reasons = "crash: out of memory, then not asked: 2 batches in succession failed"
    assert str(error.value).startswith(f"stub answered 0 of 6 items; {reasons}.")


def test_a_program_that_is_not_there_is_named() -> None:
    scorer = ProgramMetric(stub(command=("no-such-program",)))
    assert scorer.unavailable_because() == "the program no-such-program of stub is not there"
    with pytest.raises(MetricUnavailable, match="is not there"):
        scorer.score([Segment("a")])


def test_a_program_that_cannot_be_started_is_explained(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("no interpreter")
    program.chmod(0o755)
    with pytest.raises(MetricUnavailable, match=r"crash: .*Exec format error"):
        score("a", command=(str(program),))


@pytest.mark.parametrize("needs", [(), ("source",)])
def test_a_stub_keeps_the_laws(needs: tuple[str, ...]) -> None:
    scorer = make_metric(stub(needs=needs))
    registry.register_factory("stub", lambda: scorer)
    assert [result for result in check_laws(scorer) if result.verdict is Verdict.BROKEN] == []


def test_the_encoder_as_a_program_keeps_the_laws_and_equals_the_metric() -> None:
    from metrics.neural import tool
    from metrics.neural.metric import SentenceCosine

    try:
        tool.find_model()
    except ToolAbsent as absent:
        pytest.skip(str(absent))
    declarations, _ = read_programs(READY / "programs.toml")
    scorer = make_metric(next(about for about in declarations if about.name == "minilm-program"))
    registry.register_factory("minilm-program", lambda: scorer)
    assert [result for result in check_laws(scorer) if result.verdict is Verdict.BROKEN] == []
    segments = [Segment("The cat sat.", ("A cat was sitting.", "Dogs run.")), Segment("", ("a",))]
    ours, theirs = (each.score(segments).segments for each in (SentenceCosine(), scorer))
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


def write_programs(folder: Path, text: str) -> None:
    (folder / "programs.toml").write_text(text, encoding="utf-8")


def test_declared_programs_are_metrics_and_wrong_ones_are_explained(tmp_path: Path) -> None:
    command = json.dumps([sys.executable, STUB])
    write_programs(
        tmp_path,
        f"""
[words]
command = {command}
version = "1"
direction = "lower"
[chrf]
command = {command}
version = "1"
[typo]
command = {command}
version = "1"
batches = 3
[late]
command = {command}
timeout = -1
""",
    )
    metric.register_programs()
    words = registry.get("words")
    assert not words.higher_is_better
    assert words.score([Segment("a b")]).segments.tolist() == [2]
    entries = {entry.name: entry.missing for entry in registry.list_metrics()}
    assert entries["words"] is None
    assert entries["chrf"] is None
    assert entries["programs"] == (
        "programs.toml: [typo]: unknown key batches; programs.toml: [late]: version is missing; "
        "[chrf]: two metrics have the name 'chrf'"
    )


def test_a_file_that_is_no_toml_is_explained(tmp_path: Path) -> None:
    write_programs(tmp_path, "[words\n")
    metric.register_programs()
    assert "programs.toml: " in (registry.get("programs").reason)  # type: ignore[attr-defined]


def test_the_ready_declarations_are_valid_and_send_nothing_by_default() -> None:
    declarations, problems = read_programs(READY / "programs.toml")
    assert problems == []
    assert [about.name for about in declarations if about.address] == []
    assert {"comet22", "metricx24", "bleurt20"} <= {about.name for about in declarations}
    text = (READY / "programs.toml").read_text("utf-8")
    switched_on = text.replace("\n# [", "\n[").replace("\n# ", "\n")
    for about in declarations:
        assert all(Path(part).is_file() for part in about.command if str(READY) in part)
    judge = switched_on[switched_on.index("[llm-score]") :]
    assert judge.count("address = ") == 2


QUESTION_TEXTS = ("a very large house", "a big house")
PHRASES = (
    ShownPhrase((0, 1), (0, 1), True, False),
    ShownPhrase((1, 3), (1, 2), False, False),
    ShownPhrase((3, 4), (2, 3), True, False),
)


def vote(judge: ProgramJudge, first: str, second: str, *, flipped: bool = False) -> MetricVote:
    a, b = (Stave(text, offsets(text, "en")) for text in (first, second))
    phrases = PHRASES if first == QUESTION_TEXTS[0] else tuple(phrase.mirrored for phrase in PHRASES)
    occurrence = AlignedOccurrence(7, 1, a, b, phrases, (1,), flipped)
    items = {1: ItemText("1", "ein großes Haus", ())}
    return direct_votes(judge, [occurrence], items, FOUR_WAY.choices)[0]


def test_a_judge_votes_on_the_question_whatever_it_sees_as_a() -> None:
    judge = ProgramJudge(stub(answers="choices", needs=("source",)))
    first, second = QUESTION_TEXTS
    assert vote(judge, first, second) == MetricVote(7, Choice.A_BETTER, 1.0)
    assert vote(judge, second, first) == MetricVote(7, Choice.B_BETTER, -1.0)
    assert vote(judge, first, second, flipped=True) == MetricVote(7, Choice.B_BETTER, -1.0)
    assert np.isnan(judge.score([Segment("a")]).segments).all()


def test_an_answer_that_is_no_choice_is_refused() -> None:
    answer = "import sys\nfor line in sys.stdin: print('[\"A is better\"]', flush=True)"
    judge = ProgramJudge(stub(answers="choices", command=(sys.executable, "-c", answer)))
    with pytest.raises(MetricUnavailable, match='protocol: "A is better" is none of A>B, A=B, A<B, N/A'):
        vote(judge, *QUESTION_TEXTS)


class LanguageModel(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible server, and keeps the requests."""

    requests: list[tuple[str, str | None, str]] = []  # noqa: RUF012 — shared by all requests

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][0]["content"]
        self.requests.append((self.path, self.headers["Authorization"], prompt))
        content = "A>B" if "[[" in prompt else "Score: 87.5"
        answer = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    LanguageModel.requests.clear()
    with HTTPServer(("127.0.0.1", 0), LanguageModel) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def test_a_language_model_scores_and_judges(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_KEY", "secret")
    command = (sys.executable, str(READY / "llm_answers.py"))
    model = {"command": command, "address": address, "needs": ("source",), "environment": {"LLM_MODEL": "m"}}
    scorer, judge = ProgramMetric(stub(**model)), ProgramJudge(stub(**model, answers="choices"))
    assert scorer.score([Segment("the house", ("not sent",), "das Haus")]).segments.tolist() == [87.5]
    first, second = QUESTION_TEXTS
    assert vote(judge, first, second).choice in (Choice.A_BETTER, Choice.B_BETTER)
    (path, key, scoring), (_, _, judging) = LanguageModel.requests
    assert (path, key) == ("/v1/chat/completions", "Bearer secret")
    assert "Source: das Haus" in scoring
    assert "not sent" not in scoring
    assert "a [[very large]] house" in judging
    assert "a [[big]] house" in judging
    assert "N/A: they cannot be compared." in judging
    assert scorer.title == f"program stub; sends translation, source to {address}"
    assert judge.title == f"program stub; sends both translations, source to {address}"
