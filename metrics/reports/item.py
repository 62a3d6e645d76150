"""One sentence with every output, the score of each metric, and trees drawn side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from evaluation.models import Item, Task
from evaluation.problems import InputError
from metrics.base import MetricUnavailable
from metrics.models import MetricRun, SegmentScore
from metrics.reports.runs import newest_runs

MOST_DRAWN = 12  # sentences; parsing more would take too long for a page


@dataclass(frozen=True, slots=True)
class Drawn:
    """A tree of one sentence; ``said`` is what it shows, in words."""

    title: str
    svg: SafeString
    said: str = ""


@dataclass(frozen=True, slots=True)
class Drawings:
    """Trees by one tool, or the sentence that says why there are none."""

    tool: str
    trees: list[Drawn]
    refusal: str = ""
    legend: str = ""


@dataclass(frozen=True, slots=True)
class OutputLine:
    systems: str
    text: str
    scores: list[float | None]


@dataclass(frozen=True, slots=True)
class ItemPage:
    item: Item
    runs: list[MetricRun]
    outputs: list[OutputLine]
    previous: int | None
    following: int | None

    @property
    def texts(self) -> list[tuple[str, str]]:
        """What is drawn: the first reference, then every distinct output, with its title."""
        references = [(_("Reference"), text) for text in self.item.references[:1]]
        return [*references, *((line.systems, line.text) for line in self.outputs)][:MOST_DRAWN]


def item_page(task: Task, position: int) -> ItemPage | None:
    """The item at a position, if there is one. Five queries, however many systems and metrics there are."""
    near = Item.objects.filter(task=task, position__in=[position - 1, position, position + 1])
    found = {item.position: item for item in near}
    if position not in found:
        return None
    item = found[position]
    runs = newest_runs(task.pk)
    scores = {
        (candidate, run): value
        for candidate, run, value in SegmentScore.objects.filter(
            run__in=[run.pk for run in runs], output__item=item
        ).values_list("output__candidate_id", "run_id", "value")
    }
    systems: dict[int, list[str]] = {}
    texts: dict[int, str] = {}
    rows = item.outputs.order_by("system__name")
    for candidate, text, system in rows.values_list("candidate_id", "candidate__text", "system__name"):
        systems.setdefault(candidate, []).append(system)
        texts[candidate] = text
    lines = [
        OutputLine(", ".join(names), texts[one], [scores.get((one, run.pk)) for run in runs])
        for one, names in systems.items()
    ]
    return ItemPage(
        item,
        runs,
        lines,
        position - 1 if position - 1 in found else None,
        position + 1 if position + 1 in found else None,
    )


def discourse_drawings(texts: Sequence[tuple[str, str]], language: str) -> Drawings:
    """Discourse trees by the parser that the metric dr uses; English only, as the parser is."""
    from metrics.discourse.drawing import svg
    from metrics.discourse.metric import DR

    if language.split("-")[0] != "en":
        return Drawings("", [], _("Discourse trees are drawn for English only."))
    try:
        parser = DR().reader
        trees = parser.parse([text for _title, text in texts])
    except (MetricUnavailable, InputError) as error:
        return Drawings("", [], str(error))
    drawn = [
        Drawn(title, mark_safe(_sized(svg(tree, title=title, lang=language))))  # escapes all text itself
        for (title, _text), tree in zip(texts, trees, strict=True)
    ]
    return Drawings(str(parser.tool), drawn)


def _sized(svg: str) -> str:
    """In its own size, so that a tree of one unit is not blown up to the width of the page.

    >>> _sized('<svg viewBox="0 0 30 20">')
    '<svg width="30" height="20" viewBox="0 0 30 20">'
    """
    return re.sub(r'viewBox="0 0 (\S+) (\S+)"', r'width="\1" height="\2" \g<0>', svg, count=1)


def _no_collocations() -> str:
    """For people in a browser, who cannot run the command that the metric's own sentence names."""
    return _(
        "This site cannot draw collocation trees yet: it has no table of collocations, or not the tagger "
        "that the table was made with. Neither can be made in the browser: ask the operator of this site. "
        "The page “Collocations” of the documentation has the command."
    )


def collocation_drawings(texts: Sequence[tuple[str, str]], language: str) -> Drawings:
    """Collocation trees over the sentences, from the table of this site in that language."""
    from metrics.collocation.association import Measure
    from metrics.collocation.drawing import draw, in_words
    from metrics.collocation.metric import DEFAULT_TABLE, Collocation, table_path
    from metrics.collocation.reading import reader
    from metrics.collocation.scoring import branches
    from metrics.collocation.table import load
    from metrics.collocation.trees import Method, choose

    if language.split("-")[0] != "en":
        return Drawings("", [], _("The collocation table of this site is English."))
    if Collocation().unavailable_because():
        return Drawings("", [], _no_collocations())
    table = load(table_path(DEFAULT_TABLE))
    words = reader(table.corpus.reader)
    drawn = []
    for (title, _text), tagged in zip(texts, words.tagger.tag([text for _title, text in texts]), strict=True):
        content = words.words_of(tagged)
        tree = choose(Method.MST, branches(table, content, Measure.T), len(content.words))
        said = ", ".join(in_words(content, tree)) or _("No two words of this sentence are a collocation.")
        svg = draw(tagged.tokens, content, tree, known=table.numbers, label=said)
        drawn.append(Drawn(title, mark_safe(svg), said))  # escapes all text itself
    legend = _(
        "The maximum spanning tree of the collocations: arcs join words that the corpus has together more "
        "often than by chance, with their t score. Pale words carry no content; the corpus does not know "
        "underlined ones."
    )
    corpus = f"{table.corpus.name} ({table.corpus.description})"
    return Drawings(f"{corpus}, {words.tools}", drawn, legend=legend)
