"""Every bad file gets its coded answer: refused whole with place and remedy, or accepted with its warning."""

from __future__ import annotations

import time

import pytest

from appraise.lib.problems import InputError
from evaluation.importers import read
from tests.importers.bad_inputs import CASES, BadInput

READ = [case for case in CASES if case.stage == "read"]
REFUSED = [case for case in READ if case.code]
LARGE = "200,000 items"  # has a test of its own, with its memory
ACCEPTED = [case for case in READ if not case.code and case.title != LARGE]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_bad_file_is_refused_with_its_code_place_and_remedy(case: BadInput) -> None:
    started = time.process_time()
    with pytest.raises(InputError) as caught:
        read(case.files(), format=case.format, options=case.options, limits=case.limits)
    assert time.process_time() - started < 2
    problems = caught.value.problems
    assert case.code in [problem.code for problem in problems], problems
    assert len(problems) <= case.limits.max_problems + 1
    said = next(problem for problem in problems if problem.code == case.code)
    assert said.message
    assert said.remedy
    assert said.file or "option" in case.title
    if case.line is not None:
        assert said.line == case.line


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_an_odd_file_is_accepted_with_its_warning(case: BadInput) -> None:
    found = read(case.files(), format=case.format, options=case.options, limits=case.limits)
    assert len(found.items) > 0
    if case.warning:
        assert case.warning in [warning.code for warning in found.warnings]


def test_every_case_of_the_table_has_a_file() -> None:
    assert {case.number for case in CASES} == set(range(1, 58))
