"""``manage.py ratings``: systems and annotators by scores and error spans, from files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from evaluation.assessments.ranking import rank_sum
from evaluation.assessments.scores import ScoreColumns, ScoreRating
from evaluation.assessments.summary import (
    RatingOptions,
    RatingSummary,
    build_rating_tables,
    summarise_outputs,
    summarise_ratings,
    to_document,
)
from evaluation.assessments.weights import WEIGHTINGS, weigh_as_stated
from evaluation.importers.evidence.assessment_sets import (
    AssessmentSet,
    load_campaign,
    load_mqm_ratings,
    load_mtme_ratings,
    load_standardised_scores,
    measure_groups,
)
from evaluation.management.base import RENDERERS, AppraiseCommand, whole_number

GIVEN = "given"


class Command(AppraiseCommand):
    help = "Rank systems by scores or error spans of people, with intervals and tests, from files."
    examples = (
        "ratings --mtme wmt23 --lp en-de --human mqm --format text",
        "ratings --appraise-csv scores.csv --batches batches.json --score esa-spans",
        "ratings --mqm-tsv mqm.tsv --details",
    )
    option_help = {
        "--mtme": "a directory in the layout of mt-metrics-eval",
        "--lp": "its language pair, for instance en-de",
        "--human": "the name of its human scores",
        "--appraise-csv": "the answers of an Appraise campaign, 11 or 12 columns without header",
        "--batches": "the batches of the campaign, JSON",
        "--mqm-tsv": "Google's MQM table, one error per row",
        "--da": "standardised scores of direct assessment, as WMT publishes them",
        "--score": "the score of the file, or a weighting of the errors (default: given, else mqm-google)",
        "--unit": "what is resampled",
        "--details": "also the agreement of annotators, overall and by document and domain",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        files = parser.add_mutually_exclusive_group(required=True)
        files.add_argument("--mtme", metavar="DIR")
        files.add_argument("--appraise-csv", metavar="FILE")
        files.add_argument("--mqm-tsv", metavar="FILE")
        files.add_argument("--da", metavar="FILE")
        parser.add_argument("--lp", metavar="LP")
        parser.add_argument("--human", metavar="NAME", default="mqm")
        parser.add_argument("--batches", metavar="FILE")
        parser.add_argument("--score", choices=[GIVEN, *WEIGHTINGS])
        parser.add_argument("--unit", choices=["segment", "document"], default="segment")
        parser.add_argument("--resamples", type=whole_number(0), default=1000)
        parser.add_argument("--seed", type=whole_number(0), default=1)
        parser.add_argument("--details", action="store_true")
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        rated = self._load(options)
        score = self._find_score(options["score"], rated)
        try:
            summary = self._summarise(rated, score, options)
            if options["details"]:
                summary = replace(summary, agreement=measure_groups(rated, score))
        except ValueError as error:  # an error that the weighting does not know
            self.refuse(str(error))
        if options["format"] == "json":
            return self.write_json(to_document(summary))
        tables = build_rating_tables(summary)
        if options["format"] == "csv":
            tables = tables[:1]
        self.stdout.write("\n".join(map(RENDERERS[options["format"]], tables)), ending="")

    def _load(self, options: dict[str, Any]) -> AssessmentSet:
        if options["mtme"]:
            language_pair = options["lp"] or self.refuse("--mtme needs --lp")
            return load_mtme_ratings(options["mtme"], language_pair, options["human"])
        if options["appraise_csv"]:
            batches = options["batches"] or self.refuse("--appraise-csv needs --batches")
            return load_campaign(options["appraise_csv"], batches)
        if options["mqm_tsv"]:
            rated, warnings = load_mqm_ratings(options["mqm_tsv"])
            for warning in warnings:
                self.note(str(warning))
            return rated
        return load_standardised_scores(options["da"])

    def _find_score(self, name: str | None, rated: AssessmentSet) -> ScoreRating:
        """How a rating becomes a number."""
        if name == GIVEN and not rated.states_scores:
            self.refuse(f"the file has no scores; choose one of {', '.join(WEIGHTINGS)} for --score")
        if name not in (None, GIVEN) and not rated.has_spans:
            self.refuse(f"the file has no error spans; --score {name} needs them")
        weigh = weigh_as_stated
        if name not in (None, GIVEN) or not rated.states_scores:
            weigh = WEIGHTINGS[name or "mqm-google"].weigh
        elif any(rating.score is not None for rating in rated.ratings):
            return lambda rating: rating.score
        return lambda rating: 0.0 - sum(map(weigh, rating.spans))

    def _summarise(self, rated: AssessmentSet, score: ScoreRating, options: dict[str, Any]) -> RatingSummary:
        how = RatingOptions(resamples=options["resamples"], seed=options["seed"])
        if options["unit"] == "document":
            how = replace(how, units=self._documents(rated))
        if rated.published is not None:
            names, rows = zip(*rated.published.values.items(), strict=True)
            outputs = np.array(rows, dtype=np.float64)
            return summarise_outputs(rated.protocol, names, outputs, how)
        columns = ScoreColumns.of(rated.ratings, score, rated.segments)
        if rated.protocol == "da":
            summary = summarise_ratings("da", columns, replace(how, test=rank_sum), columns.value)
            return replace(summary, segments={}, quality=rated.quality)
        z_values = None if rated.protocol == "mqm" else columns.standardise()
        return replace(summarise_ratings(rated.protocol, columns, how, z_values), quality=rated.quality)

    def _documents(self, rated: AssessmentSet) -> list[int]:
        """The number of the document of each segment."""
        if not rated.documents:
            self.refuse("--unit document: the files do not name documents")
        numbers: dict[str, int] = {}
        return [numbers.setdefault(label.document, len(numbers)) for label in rated.documents]
