"""One sentence of a task: every output, the score of each metric, and trees side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from appraise.lib.problems import InputError
from evaluation.models import Item, Task
from evaluation.reports.views import report_context, scope_of
from metrics.base import MetricUnavailable
from metrics.models import MetricRun, SegmentScore
from metrics.scoring.queries import load_newest_runs

MAX_TREES = 12  # parsing more sentences would take too long for a page


@dataclass(frozen=True, slots=True)
class TreePlot:
    """The tree of one sentence, with its description in words."""

    title: str
    svg: SafeString
    description: str = ""


@dataclass(frozen=True, slots=True)
class TreePlots:
    """Trees by one tool, or the reason why there are none."""

    tool: str
    trees: list[TreePlot]
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
        """The sentences with trees: the first reference, then every distinct output, each with its title."""
        references = [(_("Reference"), text) for text in self.item.references[:1]]
        return [*references, *((line.systems, line.text) for line in self.outputs)][:MAX_TREES]


def item_page(task: Task, position: int) -> ItemPage | None:
    """Return the item at a position, if there is one. Five queries, for any number of systems and metrics."""
    near = Item.objects.filter(task=task, position__in=[position - 1, position, position + 1])
    items = {item.position: item for item in near}
    if position not in items:
        return None
    item = items[position]
    runs = load_newest_runs(task.pk)
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
        OutputLine(", ".join(names), texts[candidate], [scores.get((candidate, run.pk)) for run in runs])
        for candidate, names in systems.items()
    ]
    return ItemPage(
        item,
        runs,
        lines,
        position - 1 if position - 1 in items else None,
        position + 1 if position + 1 in items else None,
    )


def discourse_trees(texts: Sequence[tuple[str, str]], language: str) -> TreePlots:
    """Plot discourse trees by the parser of the metric ``dr``, which is for English only."""
    from metrics.discourse.metric import DR
    from metrics.discourse.svg import render_tree

    if language.split("-")[0] != "en":
        return TreePlots("", [], _("Discourse trees are available for English only."))
    try:
        parser = DR().reader
        trees = parser.parse([text for _title, text in texts])
    except (MetricUnavailable, InputError) as error:
        return TreePlots("", [], str(error))
    plots = [
        TreePlot(
            title, mark_safe(_sized(render_tree(tree, title=title, lang=language)))
        )  # escapes all text itself
        for (title, _text), tree in zip(texts, trees, strict=True)
    ]
    return TreePlots(str(parser.tool), plots)


def _sized(svg: str) -> str:
    """Set the size of an SVG, so that a small tree does not grow to the width of the page.

    >>> _sized('<svg viewBox="0 0 30 20">')
    '<svg width="30" height="20" viewBox="0 0 30 20">'
    """
    return re.sub(r'viewBox="0 0 (\S+) (\S+)"', r'width="\1" height="\2" \g<0>', svg, count=1)


def collocation_trees(texts: Sequence[tuple[str, str]], language: str) -> TreePlots:
    """Plot collocation trees from the English table of this site."""
    from metrics.collocation.association import AssociationMeasure
    from metrics.collocation.content_words import get_reader
    from metrics.collocation.metric import DEFAULT_TABLE, Collocation, open_table
    from metrics.collocation.scoring import find_branches
    from metrics.collocation.svg import describe_branches, render_tree
    from metrics.collocation.trees import Method, select_branches

    if language.split("-")[0] != "en":
        return TreePlots("", [], _("The collocation table of this site covers English only."))
    if Collocation().unavailable_because():
        # The metric's own message names a command, which nobody can run in the browser.
        refusal = _(
            "Collocation trees are not available: this site has no collocation table, or lacks the tagger"
            " that the table was built with. Ask the operator of this site; the page “Collocations” of"
            " the documentation has the command."
        )
        return TreePlots("", [], refusal)
    table = open_table(DEFAULT_TABLE)
    words = get_reader(table.corpus.reader)
    plots = []
    for (title, _text), tagged in zip(texts, words.tagger.tag([text for _title, text in texts]), strict=True):
        content = words.words_of(tagged)
        tree = select_branches(
            Method.MST, find_branches(table, content, AssociationMeasure.T), len(content.words)
        )
        description = ", ".join(describe_branches(content, tree)) or _(
            "This sentence contains no collocations."
        )
        svg = render_tree(tagged.tokens, content, tree, known=table.numbers, label=description)
        plots.append(TreePlot(title, mark_safe(svg), description))  # escapes all text itself
    legend = _(
        "Maximum spanning tree of the collocations. Arcs connect words that co-occur in the corpus"
        " more often than by chance and show their t score. Pale words are not content words;"
        " underlined words are not in the corpus."
    )
    corpus = f"{table.corpus.name} ({table.corpus.description})"
    return TreePlots(f"{corpus}, {words.tools}", plots, legend=legend)


TREES = {"discourse": discourse_trees, "collocation": collocation_trees}


@login_required
@require_GET
def page(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """Trees are plotted on request only, because parsing can take seconds."""
    scope = scope_of(request, "task", slug)
    task = scope.tasks[0]
    summary = item_page(task, position)
    if summary is None:
        raise Http404(f"no item {position}")
    wanted = request.GET.get("trees", "")
    plot_trees = TREES.get(wanted)
    context = {
        **report_context(request, scope),
        "task": task,
        "page": summary,
        "wanted": wanted,
        "tree_plots": plot_trees(summary.texts, task.target_language) if plot_trees else None,
    }
    return render(request, "metrics/item.html", context)
