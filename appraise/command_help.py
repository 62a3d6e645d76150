"""What ``--help`` of a management command says: every option explained, its default, and examples."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction

from django.core.management.base import DjangoHelpFormatter

# Options that mean the same in every command are explained once.
USUAL = {
    "--task": "a task of this site, by the name in its address",
    "--campaign": "a campaign of this site, by the name in its address",
    "--set": "a judged set, its files called PREFIX.segments.tsv and so on (docs/metaeval.md); repeatable",
    "--judgements": "a table with the columns annotator, item, label and, if known, sentence",
    "--segments": "source and references of each segment, one a row",
    "--outputs": "the systems' translations: system, seg, translation",
    "--rankings": "people's rankings, JSON lines",
    "--pairs": "people's preferences: seg, better, worse",
    "--source-language": "language code of the source, for instance de",
    "--target-language": "language code of the translations",
    "--language": "language code of the text",
    "--lexicon": "a lexicon from `train lexicon`",
    "--parser": "which parser reads the sentences",
    "--ties": "where a metric's ties go in τ: nowhere (drop), below the line (wmt14), to the errors (wmt12)",
    "--link-base": "the number of the first word in word links (default: 0)",
    "--tokenize": "how text is cut into words",
    "--lowercase": "ignore upper and lower case",
    "--resamples": "bootstrap resamples; 0: no intervals",
    "--seed": "decides every random draw",
    "--workers": "processes",
    "--out": "the file to write",
    "--table": "which table",
    "--format": "how the result is written",
}


class HelpFormatter(DjangoHelpFormatter):
    """Keeps the lines of the examples, and says what holds where an option is not given."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("Examples:") else super()._fill_text(text, width, indent)

    def _get_help_string(self, action: Action) -> str:
        return explained(action)


def explain(parser: ArgumentParser) -> None:
    """Give the usual explanation to every option that has none of its own."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for kind in action.choices.values():
                kind.formatter_class = HelpFormatter
                explain(kind)
        elif not action.help:
            action.help = next((USUAL[o] for o in action.option_strings if o in USUAL), None)


def explained(action: Action) -> str:
    """The help of an option with its default, where that says something (argparse fills it in)."""
    told = action.help or ""
    if not action.option_strings or action.default in (None, False, "", [], SUPPRESS) or "default" in told:
        return told
    return f"{told} (default: %(default)s)"
