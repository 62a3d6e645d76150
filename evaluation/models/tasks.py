"""Campaigns and tasks. A campaign groups tasks, their members and their reports.

For example, the study of paper 003 is one campaign of seven tasks with a hundred sentences each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Concat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from evaluation.models.people import Role, random_key
from evaluation.schemes import SCHEMES, Scheme

if TYPE_CHECKING:
    from evaluation.models.people import User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def with_role(self, user: User, *roles: Role) -> CampaignQuerySet:
        """Campaigns in which ``user`` has one of ``roles`` for all tasks; administrators have every role."""
        own = user.memberships.filter(role__in=roles, task=None)
        return self if user.is_superuser else self.filter(pk__in=own.values("campaign"))


class Campaign(models.Model):
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    key = models.CharField(
        max_length=64,
        default=random_key,
        editable=False,
        help_text=_("Key for the pseudonyms in exports. Pseudonyms of two campaigns cannot be linked."),
    )
    invented = models.BooleanField(
        default=False, help_text=_("Demonstration data, labelled as invented wherever it appears.")
    )
    family = models.CharField(
        max_length=80, blank=True, default="", db_default="",
        help_text=_("Campaigns with the same family are rounds of one study; a copy has that of its model."),
    )  # fmt: skip
    task_settings: models.JSONField[Any, Any] = models.JSONField(
        default=dict, blank=True, help_text=_("What was last set for all tasks; new tasks begin with it.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.slug])


def crowd_code() -> models.CharField[str, str]:
    return models.CharField(max_length=80, blank=True, default="")


class CrowdPlatform(models.Model):
    """How people come from a crowd platform to a campaign, and with what they go back.

    The parameters are what the platform adds to the address of an invitation. Every outcome has a code, an
    address to return to, both or neither.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="crowd_platform")
    worker_parameter = models.CharField(max_length=40, default="PROLIFIC_PID")
    study_parameter = models.CharField(max_length=40, blank=True, default="STUDY_ID")
    session_parameter = models.CharField(max_length=40, blank=True, default="SESSION_ID")
    least_checks = models.PositiveSmallIntegerField(
        default=0, help_text=_("Attention checks, in per cent, that must be passed; 0 fails nobody.")
    )
    passed_code = crowd_code()
    passed_url = models.URLField(blank=True, default="")
    failed_code = crowd_code()
    failed_url = models.URLField(blank=True, default="")
    screened_code = crowd_code()
    screened_url = models.URLField(blank=True, default="")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(least_checks__lte=100), name="crowd_checks_in_percent"),
        ]

    def __str__(self) -> str:
        return f"crowd platform of {self.campaign}"


def scheme_choices() -> list[tuple[str, str]]:
    """Return name and title of every scheme; a callable, so that a new scheme needs no migration."""
    return [(scheme.name, scheme.title) for scheme in SCHEMES.values()]


class TaskQuerySet(models.QuerySet["Task"]):
    def with_role(self, user: User, *roles: Role) -> TaskQuerySet:
        """Tasks in which ``user`` has one of ``roles``; administrators have every role."""
        return self if user.is_superuser else self._of_members(user, roles)

    def annotated_by(self, user: User) -> TaskQuerySet:
        """Tasks in which ``user`` is an annotator, administrator or not."""
        return self._of_members(user, [Role.ANNOTATOR])

    def _of_members(self, user: User, roles: Sequence[Role]) -> TaskQuerySet:
        """Filter by a role in the task, or in its campaign; annotators, by the target language as well."""
        own = user.memberships.filter(role__in=roles)
        language = Concat(Value(" "), OuterRef("target_language"), Value(" "))
        of_campaign = own.filter(
            Q(languages="") | Q(languages__contains=language) | ~Q(role=Role.ANNOTATOR),
            task__isnull=True,
            campaign=OuterRef("campaign"),
        )
        return self.filter(Q(pk__in=own.filter(task__isnull=False).values("task")) | Exists(of_campaign))

    def open(self) -> TaskQuerySet:
        return self.filter(state=Task.State.OPEN)


class Task(models.Model):
    class State(models.TextChoices):
        IMPORTING = "importing", _("Importing")
        DRAFT = "draft", _("Draft")
        OPEN = "open", _("Open")
        CLOSED = "closed", _("Closed")
        ARCHIVED = "archived", _("Archived")

    class Shows(models.TextChoices):
        """What is shown above the candidates as R."""

        SOURCE = "source", _("Source")
        REFERENCE = "reference", _("Reference")

    class Dedup(models.TextChoices):
        ITEM = "item", _("within a sentence")
        TASK = "task", _("within the task (as in the paper)")
        NONE = "none", _("never")

    class Order(models.TextChoices):
        DOCUMENT = "document", _("as in the document")
        SHUFFLED = "shuffled", _("shuffled")

    class Moved(models.TextChoices):
        RANKED = "ranked", _("ranked")
        SHOWN = "shown", _("only shown")

    class Judging(models.TextChoices):
        """How sentences with three or more candidates are judged."""

        PAIRS = "pairs", _("two at a time")
        PLACES = "places", _("all variants of a place at once")

    class QuestionSizes(models.TextChoices):
        """How many neighbouring differences are asked together."""

        PHRASE = "phrase", _("one differing phrase")
        SMALL = "small", _("small")
        MEDIUM = "medium", _("medium")
        LARGE = "large", _("large")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks")
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    source_language = models.CharField(max_length=20, blank=True)
    target_language = models.CharField(max_length=20, blank=True)
    scheme_name = models.CharField(_("scheme"), max_length=20, choices=scheme_choices)
    shows = models.CharField(max_length=10, choices=Shows.choices, default=Shows.SOURCE)
    overlap = models.PositiveSmallIntegerField(default=2, help_text=_("Number of annotators per comparison."))
    instructions = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)

    dedup = models.CharField(max_length=10, choices=Dedup.choices, default=Dedup.ITEM)
    order = models.CharField(max_length=10, choices=Order.choices, default=Order.DOCUMENT)
    moved = models.CharField(max_length=10, choices=Moved.choices, default=Moved.RANKED)
    judging = models.CharField(max_length=10, choices=Judging.choices, default=Judging.PAIRS)
    question_size = models.CharField(
        max_length=10, choices=QuestionSizes.choices, default=QuestionSizes.MEDIUM
    )
    ask_all = models.BooleanField(_("ask about every difference"), default=False)
    function_words = models.JSONField(
        default=list, blank=True, help_text=_("Found at import, for a language without a word list.")
    )
    practice = models.BooleanField(_("a practice round before the first sentence"), default=False)
    seed = models.PositiveIntegerField(default=1)
    ask_sentence = models.BooleanField(_("ask which whole sentence is better"), default=False)
    ask_rating = models.BooleanField(_("ask for a five-point rating of each candidate"), default=False)
    ask_reasons = models.BooleanField(_("ask for the reason of each choice"), default=False)
    tap_answers = models.BooleanField(_("answer by tapping the better phrase"), default=False)
    checks = models.PositiveSmallIntegerField(
        default=0, help_text=_("Attention checks, as a percentage of the comparisons (at most 10).")
    )
    ask_comment = models.BooleanField(_("offer a comment field"), default=True)
    most_per_person = models.PositiveIntegerField(
        null=True, blank=True, help_text=_("Maximum number of comparisons for each person; empty for all.")
    )
    opens_at = models.DateTimeField(null=True, blank=True, help_text=_("A draft is opened at this time."))
    closes_at = models.DateTimeField(
        null=True, blank=True, help_text=_("An open task is closed at this time.")
    )
    lease_minutes = models.PositiveIntegerField(
        default=60, help_text=_("Unfinished work is reassigned after this long without an answer.")
    )
    completion_code = models.CharField(max_length=80, blank=True)
    completion_url = models.URLField(blank=True)
    reference_names = models.JSONField(
        default=list, blank=True, help_text=_("Names of the references of each sentence, in their order.")
    )
    protocols: models.JSONField[Any, Any] = models.JSONField(
        default=dict,
        blank=True,
        help_text=_("The protocols of scores and error spans by name; fixed at the first answer."),
    )
    assessed_as = models.CharField(
        max_length=80, blank=True, default="", db_default="",
        help_text=_("The protocol under which scores and error spans are collected; empty for none."),
    )  # fmt: skip
    suggestions = models.CharField(
        max_length=80, blank=True, default="", db_default="",
        help_text=_("The protocol whose error spans are offered as suggestions; empty for none."),
    )  # fmt: skip
    keep_documents = models.BooleanField(
        _("one annotator gets all sentences of a document"), default=False, db_default=False
    )
    mark_differences = models.BooleanField(
        _("mark where two translations differ"), default=False, db_default=False
    )
    digest = models.CharField(
        max_length=64,
        blank=True,
        help_text=_("Digest of the uploaded content; the same content is refused a second time."),
    )
    size = models.PositiveIntegerField(
        default=0, help_text=_("Number of comparisons with questions, counted at import.")
    )
    repeated = models.PositiveIntegerField(
        default=0, help_text=_("Number of these comparisons that each annotator sees twice.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "slug"]
        constraints = [
            models.CheckConstraint(condition=Q(overlap__gte=1), name="task_overlap_at_least_one"),
            models.CheckConstraint(condition=Q(checks__lte=10), name="task_checks_at_most_ten_percent"),
            models.CheckConstraint(condition=Q(judging__in=["pairs", "places"]), name="task_judging_known"),
            models.CheckConstraint(
                condition=Q(state__in=["importing", "draft", "open", "closed", "archived"]),
                name="task_state_known",
            ),
            models.UniqueConstraint(
                fields=["campaign", "digest"],
                condition=~Q(digest=""),
                name="task_content_once_per_campaign",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])

    @property
    def scheme(self) -> Scheme:
        return SCHEMES[self.scheme_name]

    @property
    def per_person(self) -> int:
        """How many comparisons each annotator gets."""
        return self.size + self.repeated

    @property
    def is_open(self) -> bool:
        return self.state == Task.State.OPEN

    @property
    def collected_names(self) -> tuple[str, str]:
        """The names under which scores and error spans of outputs, and scores of documents, are stored."""
        return self.assessed_as, f"{self.assessed_as}-document"

    @property
    def study_site(self) -> str:
        """The site of the completion link, without what proves the completion; empty if there is none."""
        site = urlsplit(self.completion_url)
        return f"{site.scheme}://{site.netloc}/" if site.netloc else ""


class StoppingStatus(models.Model):
    """The last result of the stopping rules of a task, so that the task page need not compute it.

    ``newest`` identifies the answers that it is based on; computing it took ``seconds``.
    """

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="stopping_status")
    result: models.JSONField[Any, Any] = models.JSONField(default=dict, db_column="found")
    newest = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "evaluation_standing"

    def __str__(self) -> str:
        return f"stopping status of task {self.task_id}"
