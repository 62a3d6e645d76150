"""Phenomena told by tags: read in the background, all or nothing, and named on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Candidate, Job, PhrasePair, Task, User
from evaluation.phenomena.classification import Phenomenon
from evaluation.reports import cache
from evaluation.reports.phenomena import (
    Phenomena,
    get_phenomena,
    get_profile,
    phenomena_of,
    phenomenon_table,
)
from evaluation.reports.registry import ReportOptions
from evaluation.reports.scope import get_study, load_scope
from evaluation.reports.word_tags import find_taggable_tasks, find_taggers
from evaluation.schemes import Choice
from evaluation.voters import TaggedWord, WordClass, Words, register_words
from metrics.taggers import Taggers, find_tagger
from tests.database.answering import always, answer_task
from tests.database.conftest import annotator, make_task
from tests.database.test_phenomena import SignIn

SENTENCES = [
    {"id": "1", "source": "Sie ging heim.", "references": ["She went home."],
     "candidates": {"a": "She went home .", "b": "She goes home ."}},
]  # fmt: skip


class Invented:
    """A tagger for which every word is a form of one verb; it has read what ``read`` holds."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def tool(self, language: str) -> str | None:
        return "invented 1" if language == "en" else None

    def mark(self) -> int:
        return len(self.read)

    def known(self, language: str, sentences: Sequence[str]) -> Mapping[str, Words]:
        content = WordClass.CONTENT
        return {
            text: {word.lower(): TaggedWord(content, "go") for word in text.split()}
            for text in sentences
            if text in self.read
        }


@pytest.fixture
def tagger() -> Iterator[Invented]:
    provider = Invented()
    register_words(provider)
    yield provider
    register_words(Taggers())


@pytest.fixture
def judged(db: None) -> Task:
    task = make_task("Verbs", SENTENCES)
    answer_task(task, annotator("eve", task), always(Choice.EQUAL))
    return task


def find_phenomena(task: Task) -> list[Phenomenon]:
    return [line.phenomenon for line in get_profile(load_scope("task", task.slug)).lines]


def test_tags_count_only_when_every_sentence_was_read(tagger: Invented, judged: Task) -> None:
    texts = list(Candidate.objects.values_list("text", flat=True))
    assert find_phenomena(judged) == [Phenomenon.CHOICE]
    tagger.read.add(texts[0])
    assert find_taggers([judged]) == ()
    assert find_taggable_tasks([judged]) == [judged]
    assert find_phenomena(judged) == [Phenomenon.CHOICE]
    tagger.read.update(texts)
    assert find_taggers([judged]) == ("invented 1",)
    assert find_taggable_tasks([judged]) == []
    assert find_phenomena(judged) == [Phenomenon.INFLECTION]
    scope = load_scope("task", judged.slug)
    assert Phenomena().compute(scope, ReportOptions()).taggers == ("invented 1",)
    assert phenomenon_table(get_profile(scope), find_taggers(scope.tasks)).title.endswith(
        "classified by invented 1"
    )


def test_all_pairs_at_once_are_told_as_one_pair_is(tagger: Invented, judged: Task) -> None:
    tagger.read.update(Candidate.objects.values_list("text", flat=True))
    scope = load_scope("task", judged.slug)
    study, found = get_study(scope), get_phenomena(scope)
    for pair in PhrasePair.objects.select_related("task", "owner__item", "owner__first", "owner__second"):
        code = list(study.pair_keys).index(pair.pk)
        told = tuple(p for p, here in zip(Phenomenon, found[code], strict=True) if here)
        assert told == phenomena_of(pair, tagged=True)


def test_the_page_says_how_and_offers_to_tag(
    tagger: Invented, judged: Task, dora: User, signed_in: SignIn
) -> None:
    client: Client = signed_in(User.objects.create(username="root", is_superuser=True))
    address = reverse("task-phenomena", args=[judged.slug])
    page = client.get(address).content.decode()
    assert "with word lists and stems instead of tags" in page
    assert f'action="{address}/tag"' in page
    begun = client.post(f"{address}/tag")
    job = Job.objects.get(kind="tag")
    assert begun.headers["Location"] == job.get_absolute_url()
    assert client.post(f"{address}/tag").headers["Location"] == job.get_absolute_url(), (
        "asked twice, done once"
    )
    tagger.read.update(Candidate.objects.values_list("text", flat=True))
    page = client.get(address).content.decode()
    assert "the tags of invented 1" in page
    assert f'action="{address}/tag"' not in page
    assert client.post(f"{address}/tag").headers["Location"] == address


@pytest.mark.skipif(find_tagger("en") is None, reason="the English tagger is not installed")
def test_the_english_tagger_reads_a_task_and_its_verbs(
    judged: Task, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metrics.scoring.jobs import tag_candidates

    monkeypatch.setenv("APPRAISE_HOME", str(tmp_path))
    cache.clear_cache()
    assert tag_candidates([judged], lambda done, total: None) == {"sentences": 2, "failed": 0}
    assert find_phenomena(judged) == [Phenomenon.INFLECTION], "went and goes"
    assert "spacy" in find_taggers([judged])[0]
