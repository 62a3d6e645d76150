"""``appraise completion``: a script for bash that completes commands and options."""

from __future__ import annotations

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from typing import Any

from django.core.management import get_commands, load_command_class

from evaluation.management.base import AppraiseCommand

SCRIPT = """\
_appraise() {{
  local words=""
  case "${{COMP_WORDS[*]:1:COMP_CWORD-1}} " in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _appraise appraise"""


class Command(AppraiseCommand):
    help = "Print a bash script that completes the commands and options of the program appraise."
    examples = ("completion",)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        self.stdout.write(format_script())


def format_script() -> str:
    """Return a script that contains all commands and options, so that completing starts no program."""
    words: dict[str, list[str]] = {"": ["run"]}
    for name, app in sorted(get_commands().items()):
        command = load_command_class(app, name)
        words[""].append(name)
        words.update(list_words(name, command.create_parser("appraise", name)))
    words["run"] = words["start"]
    longest_first = sorted(words, key=lambda line: -len(line.split()))
    cases = [
        f'    "{line} "{"*" if line else ""}) words="{" ".join(words[line])}" ;;' for line in longest_first
    ]
    return SCRIPT.format(cases="\n".join(cases))


def list_words(line: str, parser: ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    """Yield the words that may follow a command line, here and after each of its sub-commands."""
    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, _SubParsersAction):
            words += action.choices
            for name, below in action.choices.items():
                yield from list_words(f"{line} {name}", below)
        elif action.choices and not action.option_strings:
            words += map(str, action.choices)
    yield line, words
