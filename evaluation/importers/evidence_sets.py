"""Sets of texts that bring scores and error spans: mt-metrics-eval, Appraise CSV with batches, MQM tables.

The texts pass the same checks as those of any other format. Everything else is read once before anything is
stored, so that a defect in the last line prevents the whole import, and once more when it is stored.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from appraise.lib.problems import InputError, Problem
from evaluation.assessments import PROTOCOLS, AssessmentProtocol, PublishedScores
from evaluation.importers.checks import DatasetChecks, check_items
from evaluation.importers.decode import CHUNK
from evaluation.importers.evidence import (
    MtmeFiles,
    read_appraise_rows,
    read_batches,
    read_human_scores,
    read_metric_scores,
    read_mqm_table,
    read_parallel_texts,
)
from evaluation.importers.evidence.appraise_csv import BatchItem
from evaluation.importers.evidence.mtme_files import list_language_pairs
from evaluation.importers.evidence.mtme_ratings import list_rating_names, read_ratings
from evaluation.importers.model import (
    ImportedAssessment,
    ImportedCandidate,
    ImportedEvidence,
    ImportedItem,
    ImportedSet,
    Items,
    Limits,
    SourceFile,
    SourcePosition,
)
from evaluation.importers.placed_answers import make_assessments, place_rows
from evaluation.importers.state import ImportOptions, ImportState

MAX_PROTOCOL_NAME = 80


@dataclass(frozen=True, slots=True)
class EvidenceFiles:
    """What a reader of a format provides; the functions read the files again."""

    items: Callable[[], Iterator[ImportedItem]]
    protocols: dict[str, AssessmentProtocol]
    assessments: Callable[[], Iterator[ImportedAssessment]]
    scores: Callable[[], Iterator[PublishedScores]] = lambda: iter(())
    languages: tuple[str, str] = ("", "")
    references: tuple[str, ...] = ()
    name: str = ""
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceFormat:
    """A format with its reader; ``recognises`` gets all files, because some formats are several files."""

    name: str
    title: str
    recognises: Callable[[Sequence[SourceFile], Limits], bool]
    read: Callable[[Sequence[SourceFile], Limits, ImportOptions], EvidenceFiles]


def read_evidence_set(
    form: EvidenceFormat, files: Sequence[SourceFile], limits: Limits, options: ImportOptions
) -> ImportedSet:
    """Read and check the files completely; raises ``InputError`` with all problems."""
    limits = replace(limits, gzip=True)
    source = form.read(files, limits, options)
    # Published outputs may be empty or missing, and a system may be assessed alone.
    options = replace(options, empty="keep", incomplete=True)
    state = ImportState(list(files), limits, options)
    state.set_languages(*source.languages, SourcePosition(files[0].name))
    checks = DatasetChecks(state, is_comparable=True)
    for record in check_items(source.items(), state):
        checks.add(record)
    texts = checks.finish()
    digest, count = _digest_evidence(source)
    return ImportedSet(
        format=form.name,
        items=Items(checks.count, source.items),
        systems=tuple(checks.systems),
        digest=hashlib.sha256(f"{texts} {digest}".encode()).hexdigest(),
        source_language=state.source_language,
        target_language=state.target_language,
        name=source.name,
        incomplete=checks.is_incomplete,
        warnings=(*state.list_warnings(), *source.warnings),
        evidence=ImportedEvidence(
            source.protocols, source.assessments, source.scores, source.references, digest, count
        ),
    )


def _digest_evidence(source: EvidenceFiles) -> tuple[str, int]:
    """Read everything, which raises the problems of the files; returns a digest and the assessments."""
    content, count = hashlib.sha256(repr(sorted(source.protocols)).encode()), 0
    for assessment in source.assessments():
        content.update(repr(assessment).encode())
        count += 1
    for scores in source.scores():
        content.update(repr(scores).encode())
    return content.hexdigest(), count


def find_evidence_format(files: Sequence[SourceFile], name: str, limits: Limits) -> EvidenceFormat | None:
    """Return the format with this name, or for ``auto`` the one that recognises the files."""
    if name != "auto":
        return EVIDENCE_FORMATS.get(name)
    return next((form for form in EVIDENCE_FORMATS.values() if form.recognises(files, limits)), None)


# --- mt-metrics-eval -------------------------------------------------------------------------------------


_SOURCE = re.compile(r"([a-z]{2,3}(?:_[A-Za-z]+)?-[a-z]{2,3}(?:_[A-Za-z]+)?)\.txt(?:\.gz)?")
_SCORES = re.compile(r".+\.(?:(?:seg|doc|domain|sys)\.score|seg\.rating)(?:\.gz)?")


def _is_mtme(files: Sequence[SourceFile], limits: Limits) -> bool:
    return bool(list_language_pairs(lay_out_files(files)))


def lay_out_files(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return the files with their paths in the layout, which a browser leaves out.

    >>> names = ["en-de.txt", "en-de.refA.txt", "ONE.txt", "en-de.mqm.seg.rating", "BLEU-refA.sys.score"]
    >>> [file.name for file in lay_out_files([SourceFile.from_bytes(name, b"") for name in names])][1:4]
    ['references/en-de.refA.txt', 'system-outputs/en-de/ONE.txt', 'human-scores/en-de.mqm.seg.rating']
    """
    pairs = {match[1] for file in files if (match := _SOURCE.fullmatch(file.name))}
    if len(pairs) != 1 or not any(_SCORES.fullmatch(file.name) for file in files):
        return list(files)
    (pair,) = pairs
    return [replace(file, name=_find_path(file.name, pair)) for file in files]


def _find_path(name: str, pair: str) -> str:
    if _SOURCE.fullmatch(name):
        return f"sources/{name}"
    if _SCORES.fullmatch(name):
        return f"human-scores/{name}" if name.startswith(f"{pair}.") else f"metric-scores/{pair}/{name}"
    if name.startswith(f"{pair}.docs"):
        return f"documents/{name}"
    return f"references/{name}" if name.startswith(f"{pair}.") else f"system-outputs/{pair}/{name}"


def _read_mtme(files: Sequence[SourceFile], limits: Limits, options: ImportOptions) -> EvidenceFiles:
    files = lay_out_files(files)
    folder = MtmeFiles.from_files(files, _select_language_pair(files, options), limits)
    texts = read_parallel_texts(folder)
    names = list_rating_names(folder)
    source = f"sources/{texts.language_pair}.txt"

    def items() -> Iterator[ImportedItem]:
        for segment, text in enumerate(texts.sources):
            label = texts.documents[segment] if texts.documents else None
            yield ImportedItem(
                id=str(segment + 1),
                source=text,
                candidates=tuple(
                    ImportedCandidate(name, lines[segment]) for name, lines in texts.outputs.items()
                ),
                position=SourcePosition(source, segment + 1),
                document=label.document if label else "",
                references=tuple(lines[segment] for lines in texts.references.values()),
                domain=label.domain if label else "",
            )

    def assessments() -> Iterator[ImportedAssessment]:
        for name in names:
            for rating in read_ratings(folder, texts, name):
                yield ImportedAssessment(name, str(rating.segment + 1), rating)

    def scores() -> Iterator[PublishedScores]:
        yield from read_human_scores(folder, texts)
        yield from read_metric_scores(folder, texts)

    return EvidenceFiles(
        items,
        {name: _guess_protocol(name) for name in names},
        assessments,
        scores,
        (texts.source_language, texts.target_language),
        tuple(texts.references),
        name=texts.language_pair,
    )


def _select_language_pair(files: Iterable[SourceFile], options: ImportOptions) -> str:
    pairs = list_language_pairs(files)
    wanted = [
        pair
        for pair in pairs
        if all(
            side in ("", code)
            for side, code in zip(
                (options.source_language, options.target_language), pair.split("-", 1), strict=False
            )
        )
    ]
    if len(wanted) == 1:
        return wanted[0]
    message = f"the directory has these language pairs: {', '.join(pairs) or 'none'}"
    raise InputError.of("bad_language", message, "name one by its source and target language", "sources")


def _guess_protocol(name: str) -> AssessmentProtocol:
    """Return the shipped protocol that a name begins with; MQM otherwise, which has the most categories.

    >>> _guess_protocol("ESA-1").name, _guess_protocol("mqm-col2").name
    ('esa', 'mqm')
    """
    short = name.casefold()
    return next((PROTOCOLS[known] for known in ("esa", "mqm") if short.startswith(known)), PROTOCOLS["mqm"])


# --- Appraise CSV ------------------------------------------------------------------------------------------

_APPRAISE_LINE = re.compile(
    rb'[^,"\n]+,[^,"\n]+,[^,"\n]+,(TGT|BAD|REF|CHK)[^,"\n]*,[^,"\n]*,[^,"\n]*,[0-9.]+,'
)
_BATCHES = re.compile(rb'"(?:itemID|targetText)"\s*:')


def _is_appraise_csv(files: Sequence[SourceFile], limits: Limits) -> bool:
    return any(_APPRAISE_LINE.match(_read_start(file, limits)) for file in files)


def _read_appraise(files: Sequence[SourceFile], limits: Limits, options: ImportOptions) -> EvidenceFiles:
    answers, batches = _pair_files(files, limits)
    items_of = read_batches(batches, limits)
    rows = list(read_appraise_rows(answers, limits))
    name = answers.name.split("/")[-1].split(".")[0][:MAX_PROTOCOL_NAME]
    has_spans = any(row.spans is not None for row in rows)
    placed = place_rows(rows, items_of)

    def items() -> Iterator[ImportedItem]:
        by_segment: dict[int, list[BatchItem]] = {}
        for item in items_of.list_outputs().values():
            by_segment.setdefault(item.segment or 0, []).append(item)
        for segment, outputs in sorted(by_segment.items()):
            outputs.sort(key=lambda item: item.system)
            yield ImportedItem(
                id=str(segment + 1),
                source=outputs[0].source,
                candidates=tuple(ImportedCandidate(item.system, item.text) for item in outputs),
                position=SourcePosition(batches.name),
                document=outputs[0].document.partition("#")[0],
            )

    return EvidenceFiles(
        items,
        {name: PROTOCOLS["esa" if has_spans else "da-sqm"]},
        lambda: make_assessments(name, placed),
        languages=(items_of.source_language, items_of.target_language),
        name=name,
    )


def _pair_files(files: Sequence[SourceFile], limits: Limits) -> tuple[SourceFile, SourceFile]:
    """Return the answers and the batches."""
    batches = [file for file in files if _BATCHES.search(_read_start(file, limits))]
    answers = [file for file in files if file not in batches]
    if len(batches) == len(answers) == 1:
        return answers[0], batches[0]
    message = f"there are {len(answers)} files of answers and {len(batches)} of batches"
    remedy = "give one CSV of answers and the JSON of its batches, which has the texts"
    raise InputError.of("missing_file", message, remedy, files[0].name)


# --- MQM tables --------------------------------------------------------------------------------------------


def _is_mqm_table(files: Sequence[SourceFile], limits: Limits) -> bool:
    names = {
        name.decode("utf-8", "replace")
        for name in _read_start(files[0], limits).split(b"\n", 1)[0].split(b"\t")
    }
    return {"system", "rater", "category", "severity"} <= names and len(files) == 1


def _read_mqm(files: Sequence[SourceFile], limits: Limits, options: ImportOptions) -> EvidenceFiles:
    if len(files) != 1:
        message = f"there are {len(files)} files"
        raise InputError.of("bad_files", message, "choose one table", files[0].name)
    table = read_mqm_table(files[0], limits)

    def items() -> Iterator[ImportedItem]:
        for segment, place in enumerate(table.places):
            outputs = [
                (system, texts[segment]) for system, texts in table.outputs.items() if segment in texts
            ]
            yield ImportedItem(
                id=place.identity,
                source=table.sources[segment],
                candidates=tuple(ImportedCandidate(*output) for output in sorted(outputs)),
                position=SourcePosition(files[0].name),
                document=place.document,
            )

    def assessments() -> Iterator[ImportedAssessment]:
        for rating in table.ratings:
            place = table.places[rating.segment]
            yield ImportedAssessment("mqm", place.identity, rating, origin={"docSegId": place.number})

    return EvidenceFiles(
        items,
        {"mqm": PROTOCOLS["mqm"]},
        assessments,
        name=files[0].name.split(".")[0],
        warnings=table.warnings,
    )


def _read_start(file: SourceFile, limits: Limits) -> bytes:
    """Return the beginning of a file, unpacked; nothing of one that cannot be unpacked."""
    try:
        with file.open(replace(limits, gzip=True)) as stream:
            return stream.read(CHUNK).removeprefix(codecs.BOM_UTF8)
    except (OSError, EOFError, zlib.error):  # its reader says what is wrong
        return b""


EVIDENCE_FORMATS: dict[str, EvidenceFormat] = {
    form.name: form
    for form in (
        EvidenceFormat("mtme", "mt-metrics-eval directory", _is_mtme, _read_mtme),
        EvidenceFormat("appraise-csv", "Appraise CSV with batches", _is_appraise_csv, _read_appraise),
        EvidenceFormat("mqm-tsv", "MQM table (TSV)", _is_mqm_table, _read_mqm),
    )
}
