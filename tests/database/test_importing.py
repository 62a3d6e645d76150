"""A file becomes a task, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.forms import ChoiceField
from hypothesis import given, settings, strategies as st

from appraise.lib.problems import InputError
from evaluation.importers import ImportedSet, ImportOptions, SourceFile, read
from evaluation.management.commands.import_task import Command
from evaluation.models import (
    Alignment,
    Campaign,
    Candidate,
    Comparison,
    Item,
    Occurrence,
    Output,
    PhrasePair,
    SentenceAnswer,
    Slot,
    Task,
)
from evaluation.schemes import FOUR_WAY, SCHEMES, Choice, Scheme
from evaluation.tasks.forms.upload import ALIGNERS, SettingsForm
from evaluation.tasks.planning import TRAINING_PAIRS
from evaluation.tasks.services import importing
from evaluation.tasks.services.importing import create_task, import_set, store_parts
from evaluation.tasks.services.task_settings import TaskSettings
from tests.database.conftest import SENTENCES, make_task

SETTINGS = TaskSettings(name="Houses", scheme="six-way", source_language="de", target_language="en")


def a_set(sentences: list[dict[str, Any]] = SENTENCES) -> ImportedSet:
    return read([SourceFile.from_bytes("houses.json", json.dumps({"items": sentences}).encode())])


def test_form_and_command_say_how_much_the_statistical_aligner_learns_from() -> None:
    said = f"the first {TRAINING_PAIRS:,} sentence pairs"
    assert said in str(dict(ALIGNERS)["statistical"])
    assert said in " ".join(Command().create_parser("manage.py", "import_task").format_help().split())


@pytest.fixture
def campaign(db: None) -> Campaign:
    return Campaign.objects.create(slug="study", name="Study")


def test_every_system_gets_its_output_and_equal_outputs_are_one_candidate(db: None) -> None:
    sentence = {**SENTENCES[0], "candidates": {"x": "the same", "y": "the same", "z": "another one"}}
    make_task(sentences=[sentence])
    assert Output.objects.count() == 3
    assert Candidate.objects.count() == 2
    assert Comparison.objects.count() == 1


@pytest.mark.parametrize("aligner", [name for name, _ in ALIGNERS])
def test_every_aligner_that_is_offered_makes_a_task(db: None, aligner: str) -> None:
    task = make_task(aligner=aligner, repeats=50, checks=10, name=f"by {aligner}")
    made = Alignment.objects.values_list("aligner", flat=True)
    assert task.size > 0
    assert all(name.startswith(f"{aligner}-") for name in made)
    assert make_task(sentences=SENTENCES[:2], aligner=aligner, judging="places").size > 0


@pytest.mark.parametrize("judging", ["pairs", "places"])
def test_words_are_segmented_on_request_and_the_alignment_names_the_segmenter(
    campaign: Campaign, judging: str
) -> None:
    candidates = {"x": "他昨天见到了老师", "y": "他昨天看见了老师", "z": "昨天他遇到了老师"}
    imported = a_set([{**SENTENCES[0], "candidates": candidates}])
    options = replace(SETTINGS, target_language="zh", judging=judging, segment_words=True)
    import_set(imported, options, campaign=campaign)
    candidate = Candidate.objects.get(text=candidates["x"])
    assert candidate.stave.words == ("他", "昨天", "见到", "了", "老师")
    made = Alignment.objects.values_list("aligner", flat=True)
    assert made
    assert all(", words-1 rjieba " in aligner for aligner in made)


def test_words_of_a_language_without_a_segmenter_are_refused(campaign: Campaign) -> None:
    with pytest.raises(InputError, match=r"bad_segmenter.*'en'.*without word segmentation"):
        import_set(a_set(), replace(SETTINGS, segment_words=True), campaign=campaign)
    assert not Task.objects.exists()


def test_an_aligner_that_finds_nothing_to_learn_from_is_refused(campaign: Campaign) -> None:
    sentence = {**SENTENCES[0], "candidates": {"x": "the same", "y": "the same"}}
    options = replace(SETTINGS, aligner="statistical")
    with pytest.raises(InputError, match="bad_aligner"):
        import_set(a_set([sentence]), options, campaign=campaign)
    assert not Task.objects.exists()


def test_parts_of_an_upload_are_aligned_by_what_was_learnt_from_all_of_it(campaign: Campaign) -> None:
    import_set(a_set(), replace(SETTINGS, aligner="statistical"), campaign=campaign, split=2)
    assert Task.objects.count() == 2
    assert Alignment.objects.values("aligner").distinct().count() == 1


def test_another_task_of_the_same_name_is_not_called_the_same_content(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_set(a_set(), SETTINGS, campaign=campaign)
    monkeypatch.setattr(
        importing, "find_free_slug", lambda model, name: "houses"
    )  # as if both had asked at once
    with pytest.raises(InputError, match="already_imported"):
        import_set(a_set(), SETTINGS, campaign=campaign)
    with pytest.raises(IntegrityError):
        import_set(a_set(SENTENCES[:2]), SETTINGS, campaign=campaign)


@pytest.mark.parametrize("option", ["--seed=-1", "--seed=99999999999", "--repeats=101", "--repeats=-1"])
def test_a_number_out_of_range_is_refused_by_the_command(db: None, option: str) -> None:
    with pytest.raises(CommandError, match=option.split("=")[0]):
        call_command("import_task", "x.tsv", "--name=Houses", option)


@pytest.mark.parametrize("wanted", [[], ["--shows=source"], ["--shows=reference"]])
def test_no_task_is_made_whose_sentences_stand_below_nothing(
    db: None, tmp_path: Path, wanted: list[str]
) -> None:
    file = tmp_path / "a.jsonl"
    outputs = {"candidates": {"a": "x y", "b": "x z"}}
    lines = [json.dumps({**outputs, "source": "q"}), json.dumps({**outputs, "reference": "r"})]
    file.write_text("\n".join(lines))
    with pytest.raises(CommandError, match=r"a\.jsonl:[12]:1: nothing_to_show: item '[12]' has no") as caught:
        call_command("import_task", str(file), "--name=Houses", *wanted)
    assert len(str(caught.value).splitlines()) == (1 if wanted else 2)
    assert not Task.objects.exists()


def test_several_systems_may_follow_one_option(db: None, tmp_path: Path) -> None:
    for name, text in {"source": "Das Haus", "one": "the house", "two": "a house"}.items():
        (tmp_path / name).write_text(f"{text}\n")
    systems = [f"{name}={tmp_path / name}" for name in ("one", "two")]
    call_command("import_task", "--name=Houses", f"--source={tmp_path / 'source'}", "--system", *systems)
    assert set(Output.objects.values_list("system__name", flat=True)) == {"one", "two"}


def test_what_a_fault_offers_to_choose_can_be_chosen_in_the_command_too(db: None, tmp_path: Path) -> None:
    file = tmp_path / "week.tsv"
    file.write_text("id\tsource\tone\ttwo\n1\tJa.\tYes.\tYeah.\n2\tNein.\tNo.\t\n3\t\u00dc?\tYou?\tYes?\n")
    with pytest.raises(CommandError, match="or choose to keep or skip items with an empty side"):
        call_command("import_task", str(file), "--name=Week")
    call_command("import_task", str(file), "--name=Week", "--empty=skip")
    assert list(Task.objects.get().items.values_list("key", flat=True)) == ["1", "3"]
    outputs = [{"a": "u", "b": "v", "c": "w"}, {"a": "v", "b": "w", "c": "u"}, {"a": "w", "b": "u"}]
    lines = [{"source": "x", "candidates": candidates} for candidates in outputs]
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(CommandError, match="missing_system"):
        call_command("import_task", str(part), "--name=Part")
    call_command("import_task", str(part), "--name=Part", "--incomplete")
    assert Task.objects.get(name="Part").items.count() == 3


def test_a_task_without_a_name_is_refused(db: None) -> None:
    with pytest.raises(CommandError, match="--name"):
        call_command("import_task", "x.tsv", "--name= ")


@pytest.mark.parametrize("path", [".", "-", "/dev/null"])
def test_what_is_no_file_is_called_so(db: None, path: str) -> None:
    with pytest.raises(CommandError, match=r": unreadable_file: "):
        call_command("import_task", path, "--name=Houses")


def test_a_judgement_on_a_system_without_an_output_here_finds_no_place(campaign: Campaign) -> None:
    """Not even where another system's output is empty."""
    first = {**SENTENCES[0], "candidates": {"x": "", "y": "a house"}}
    second = {**SENTENCES[1], "candidates": {"y": "one house", "z": "a home"}}
    said = {"annotator": "ann", "item": "s1", "a": "z", "b": "y", "label": "A<B"}
    document = json.dumps({"items": [first, second], "judgements": [said]}).encode()
    options = ImportOptions(empty="keep", incomplete=True)
    imported = read([SourceFile.from_bytes("houses.json", document)], options=options)
    made = import_set(imported, SETTINGS, campaign=campaign)
    assert [warning.code for warning in made.warnings] == ["judgement_left_out"]
    assert not SentenceAnswer.objects.exists()


def test_identical_candidates_leave_an_item_without_questions(db: None) -> None:
    task = make_task(sentences=[{**SENTENCES[0], "candidates": {"x": "the same", "y": "the same"}}])
    assert Item.objects.count() == 1
    assert (task.size, Slot.objects.count()) == (0, 0)


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_task_that_asks_nothing_is_imported_with_a_warning(
    db: None, tmp_path: Path, dry: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "same.tsv").write_text("id\tsource\ta\tb\n1\tx\tthe same\tthe same\n")
    call_command("import_task", str(tmp_path / "same.tsv"), "--name=Same", *dry)
    told = json.loads(capsys.readouterr().out)
    assert [warning.split(": ")[0] for warning in told["warnings"]][-1:] == ["nothing_asked"]


def test_an_address_spells_the_german_s(db: None) -> None:
    assert make_task(name="Große Straße").slug == "grosse-strasse"


def test_the_smaller_text_is_first_whatever_the_order_of_upload(db: None) -> None:
    make_task()
    for comparison in Comparison.objects.select_related("first", "second"):
        assert comparison.first.text < comparison.second.text
    assert not PhrasePair.objects.filter(first__gt="", second="").exists()


def test_seats_are_comparisons_times_overlap(db: None) -> None:
    task = make_task(overlap=3)
    owners = PhrasePair.objects.values("owner").distinct().count()
    assert task.size == owners
    assert Slot.objects.count() == 3 * owners


def test_each_pair_is_asked_in_exactly_one_comparison_that_shows_it(task: Task) -> None:
    for pair in PhrasePair.objects.prefetch_related("occurrences__alignment"):
        places = {occurrence.alignment.comparison_id for occurrence in pair.occurrences.all()}
        assert pair.owner_id in places


def test_occurrences_point_at_phrases_with_the_texts_of_their_pair(task: Task) -> None:
    for occurrence in Occurrence.objects.select_related("pair", "alignment__comparison__first"):
        start, end, *_ = occurrence.alignment.phrases[occurrence.index]
        words = occurrence.alignment.comparison.first.tokens[start:end] if start is not None else ()
        text = occurrence.pair.second if occurrence.flipped else occurrence.pair.first
        assert text.split() == " ".join(words).split() or text.replace(" ", "") == "".join(words)


@pytest.mark.parametrize(("dedup", "merged"), [("none", False), ("item", False), ("task", True)])
def test_a_pair_is_merged_over_items_only_in_the_papers_mode(db: None, dedup: str, merged: bool) -> None:
    make_task(dedup=dedup)
    crimson = PhrasePair.objects.filter(first="crimson", second="red")
    assert (crimson.count() == 1) is merged
    assert Occurrence.objects.filter(pair__in=crimson).count() >= len(SENTENCES)


def test_one_sided_pairs_are_never_merged_over_items(db: None) -> None:
    make_task(dedup="task")
    assert not PhrasePair.objects.filter(kind="one_sided", item__isnull=True).exists()
    assert not PhrasePair.objects.filter(kind="moved", item__isnull=True).exists()


def test_the_owner_depends_on_the_seed_alone(db: None) -> None:
    def owners(name: str, sentences: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
        task = make_task(name=name, sentences=sentences, dedup="task")
        found = set(task.pairs.values_list("first", "second", "owner__first__text"))
        task.delete()
        return found

    backwards = [{**s, "candidates": dict(reversed(s["candidates"].items()))} for s in SENTENCES]
    assert owners("one", SENTENCES) == owners("two", backwards)


def test_the_same_content_twice_is_refused_and_leaves_nothing(campaign: Campaign) -> None:
    import_set(a_set(), SETTINGS, campaign=campaign)
    with pytest.raises(InputError) as refused:
        import_set(a_set(), SETTINGS, campaign=campaign)
    assert refused.value.problems[0].code == "already_imported"
    assert Task.objects.count() == 1


def test_a_split_upload_becomes_several_tasks(campaign: Campaign) -> None:
    made = import_set(a_set(), SETTINGS, campaign=campaign, split=3)
    assert made.tasks == ["houses-part-1", "houses-part-2"]
    assert [task.items.count() for task in Task.objects.order_by("slug")] == [3, 1]
    assert made.items == len(SENTENCES)


def test_a_failed_import_is_taken_away_whole(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "CHUNK", 2)

    def explode(done: int, total: int, message: str) -> None:
        if done == 4:
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        import_set(a_set(), SETTINGS, campaign=campaign, report=explode)
    assert (Task.objects.count(), Item.objects.count(), Alignment.objects.count()) == (0, 0, 0)


def test_no_part_is_open_to_answers_before_all_are_stored(campaign: Campaign) -> None:
    """A later part may fail, and then all of them are taken away."""
    seen: list[str] = []

    def look(done: int, total: int, message: str) -> None:
        seen.extend(Task.objects.values_list("state", flat=True))

    import_set(a_set(), SETTINGS, campaign=campaign, split=1, report=look)
    assert (len(seen), set(seen)) == (1 + 2 + 3 + 4, {Task.State.IMPORTING})
    assert list(Task.objects.values_list("state", flat=True)) == [Task.State.OPEN] * 4


@pytest.mark.parametrize("dedup", ["item", "task"])
def test_an_import_that_was_killed_goes_on_where_it_stopped(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, dedup: str
) -> None:
    monkeypatch.setattr(importing, "CHUNK", 1)
    whole = make_task(name="whole", dedup=dedup)
    options = TaskSettings(**{**SETTINGS_FIELDS, "name": "killed", "dedup": dedup})
    other = Campaign.objects.create(slug="other", name="Other")
    imported = a_set()
    task = create_task(imported, options, campaign=other)

    def kill(done: int, total: int, message: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    def run(report: importing.Report | None) -> None:
        store_parts(imported, options, campaign=other, made=[task], report=report)

    with pytest.raises(KeyboardInterrupt):
        run(kill)
    assert (task.items.count(), task.state) == (2, Task.State.IMPORTING)
    run(None)
    task.refresh_from_db()
    assert fingerprint(task) == fingerprint(whole)


SETTINGS_FIELDS: dict[str, Any] = {
    "scheme": "six-way", "source_language": "de", "target_language": "en", "question_size": "phrase",
}  # fmt: skip


def fingerprint(task: Task) -> tuple[object, ...]:
    return (
        sorted(
            task.pairs.values_list(
                "first", "second", "kind", "key", "owner__first__text", "owner__second__text"
            )
        ),
        sorted(
            Occurrence.objects.filter(pair__task=task).values_list(
                "pair__key", "alignment__phrases", "index", "flipped"
            ),
            key=repr,
        ),
        sorted(
            task.slots.values_list("comparison__first__text", "comparison__second__text", "k", "position")
        ),
        task.size,
        task.state,
    )


def test_an_unknown_baseline_is_refused_before_anything_is_stored(campaign: Campaign) -> None:
    with pytest.raises(InputError, match="no item has the baseline 'delta'"):
        import_set(
            a_set(), TaskSettings(name="x", scheme="six-way", comparisons="baseline:delta"), campaign=campaign
        )
    assert Task.objects.count() == 0


def test_an_unknown_scheme_is_refused_before_anything_is_stored(campaign: Campaign) -> None:
    with pytest.raises(InputError, match=r"no scheme 'nine-way'.*choose one of four-way, six-way"):
        import_set(a_set(), TaskSettings(name="x", scheme="nine-way"), campaign=campaign)
    assert Task.objects.count() == 0
    with pytest.raises(ValidationError, match="'nine-way' is not a valid choice"):
        Task(campaign=campaign, slug="x", name="x", scheme_name="nine-way").full_clean()


def test_a_new_scheme_is_a_new_constant_and_nothing_else(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = (Choice.A_BETTER, Choice.EQUAL, Choice.B_BETTER)
    monkeypatch.setitem(SCHEMES, "three-way", Scheme("three-way", "3 choices", FOUR_WAY.options[:3]))
    import_set(a_set(), TaskSettings(name="x", scheme="three-way"), campaign=campaign)
    task = Task.objects.get()
    task.full_clean()
    assert task.scheme.choices == choices
    assert task.get_scheme_name_display() == "3 choices"
    field = SettingsForm.base_fields["scheme"]
    assert isinstance(field, ChoiceField)
    assert field.valid_value("three-way")


def test_against_a_baseline_only_its_comparisons_are_made(campaign: Campaign) -> None:
    options = TaskSettings(name="x", scheme="six-way", comparisons="baseline:alpha")
    assert import_set(a_set(), options, campaign=campaign).comparisons == 2 * len(SENTENCES)


@pytest.mark.django_db
@settings(max_examples=15)
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join), min_size=2, max_size=4))
def test_any_sentences_become_a_task_whose_seats_ask_something(texts: list[str]) -> None:
    sentence = {"id": "1", "source": "x", "candidates": {f"s{i}": t or "-" for i, t in enumerate(texts)}}
    task = make_task(sentences=[sentence])
    assert task.slots.count() == task.overlap * task.size
    assert task.pairs.count() >= task.size
    task.delete()
