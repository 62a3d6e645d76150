"""``manage.py campaign``: settings, people, invitations, copies and the pay sheet of a campaign."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from appraise.lib.tables import Table, to_csv
from evaluation.management.base import AppraiseCommand, whole_number
from evaluation.models import Campaign, Role
from evaluation.tasks.forms.campaigns import (
    CampaignInvitationForm,
    CampaignSettingsForm,
    add_named_members,
    apply_settings,
    check_form,
)
from evaluation.tasks.queries.campaigns import build_campaign_page
from evaluation.tasks.queries.crowd import build_pay_sheet
from evaluation.tasks.services import accounts, management
from evaluation.tasks.services.copies import copy_campaign

SWITCHES = ("practice", "ask_sentence", "ask_reasons")


class Command(AppraiseCommand):
    help = "Manage a campaign: settings of its tasks, people, invitations, the next round, the pay sheet."
    examples = (
        "campaign show demo",
        "campaign set demo --overlap 3 --closes-at 2030-12-13T18:00 --state open",
        "campaign people demo people.csv --url https://appraise.example.org",
        "campaign members demo --add wren lark --quota 140 --languages en fr",
        "campaign invite demo --uses 20 --crowd",
        "campaign copy demo --name December",
        "campaign pay demo",
    )
    option_help = {
        "slug": "the campaign, by the name in its address",
        "--url": "the address of the site, for links",
        "--role": "what the people may do",
        "--quota": "comparisons of one person in the whole campaign, at most",
        "--languages": "target languages of the tasks that the people get; all if left out",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, parser_class=type(parser))

        def add(name: str, help_text: str) -> ArgumentParser:
            action = actions.add_parser(name, help=help_text, description=help_text)
            action.add_argument("slug", metavar="SLUG")
            return action

        add("show", "print the tasks with their settings and progress, as JSON")
        change = add("set", "set something for all tasks, or for some")
        change.add_argument("--tasks", nargs="+", metavar="SLUG", help="only these tasks")
        change.add_argument("--state", choices=["open", "closed", "archived"], help="of the tasks")
        change.add_argument("--overlap", metavar="N", help="people per comparison")
        change.add_argument(
            "--most-per-person", metavar="N", help="comparisons of one person in a task, at most"
        )
        change.add_argument("--opens-at", metavar="TIME", help="such as 2030-12-01T08:00")
        change.add_argument("--closes-at", metavar="TIME", help="such as 2030-12-13T18:00")
        change.add_argument(
            "--instructions", metavar="FILE", type=Path, help="a text file with the guidelines"
        )
        change.add_argument(
            "--practice-from", metavar="SLUG", help="the task whose practice questions to copy"
        )
        for name in SWITCHES:
            change.add_argument(f"--{name.replace('_', '-')}", choices=["on", "off"], help="switch it")
        people = add("people", "create accounts from a table, and print a sign-in link for each as CSV")
        people.add_argument("file", type=Path, metavar="FILE", help="names, or CSV: name, quota, languages")
        people.add_argument("--url", default="", metavar="URL")
        members = add("members", "add existing users, change their quotas, or remove one")
        members.add_argument(
            "--add", nargs="+", default=[], metavar="NAME", help="user names to add or change"
        )
        members.add_argument("--remove", metavar="NAME", help="the user name to remove")
        members.add_argument("--role", choices=Role.values, default=Role.ANNOTATOR)
        members.add_argument("--quota", type=whole_number(1), metavar="N")
        members.add_argument("--languages", nargs="+", default=[], metavar="CODE")
        invite = add("invite", "make an invitation link")
        invite.add_argument("--uses", type=whole_number(1), default=1, metavar="N", help="how often it works")
        invite.add_argument("--days", type=whole_number(1), default=14, metavar="N", help="how long it works")
        invite.add_argument(
            "--crowd", action="store_true", help="for people whom a crowd platform identifies"
        )
        invite.add_argument("--url", default="", metavar="URL")
        copy = add("copy", "make the next round: settings, guidelines and people, without tasks")
        copy.add_argument("--name", required=True, help="of the new campaign")
        copy.add_argument("--without-people", action="store_true", help="only managers and researchers")
        add("pay", "print the pay sheet of the people from a crowd platform, as CSV")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        campaign = Campaign.objects.filter(slug=options["slug"]).first()
        if campaign is None:
            known = ", ".join(Campaign.objects.values_list("slug", flat=True)[:20])
            self.refuse(f"unknown_campaign: there is no campaign {options['slug']!r}; use one of: {known}")
        getattr(self, f"_{options['action']}")(campaign, options)

    def _show(self, campaign: Campaign, options: dict[str, Any]) -> None:
        columns = ("slug", "name", "state", "overlap", "most_per_person")
        self.write_json(build_campaign_page(campaign).describe(*columns))

    def _set(self, campaign: Campaign, options: dict[str, Any]) -> None:
        typed = {name: options[name] for name in CampaignSettingsForm.base_fields if options.get(name)}
        if options["instructions"]:
            typed["instructions"] = options["instructions"].read_text("utf-8")
        self.write_json({"changed": apply_settings(campaign, typed, by=None)})

    def _people(self, campaign: Campaign, options: dict[str, Any]) -> None:
        text = options["file"].read_text("utf-8-sig")
        cards = accounts.add_people(campaign, accounts.read_people(text, file=options["file"].name), by=None)
        base = options["url"].rstrip("/")
        rows = tuple(
            (card.name, base + reverse("come-back", args=[card.code]) if card.code else None)
            for card in cards
        )
        self.stdout.write(to_csv(Table("Cards", ("name", "link"), rows)), ending="")

    def _members(self, campaign: Campaign, options: dict[str, Any]) -> None:
        own = campaign.memberships.filter(task=None, role=options["role"]).select_related("user", "campaign")
        if options["remove"]:
            membership = own.filter(user__username=options["remove"]).first()
            if membership is None:
                self.refuse(f"unknown_user: {options['remove']!r} is not a member with this role")
            management.remove_member(membership, by=None)
        if options["add"]:
            add_named_members(
                campaign, options["add"], by=None, role=options["role"], quota=options["quota"],
                languages=" ".join(options["languages"]),
            )  # fmt: skip
        rows = tuple((row.user.username, row.role, row.quota, row.languages.strip()) for row in own.all())
        table = Table("Members", ("name", "role", "quota", "languages"), rows)
        self.stdout.write(to_csv(table), ending="")

    def _invite(self, campaign: Campaign, options: dict[str, Any]) -> None:
        typed = {"most_uses": options["uses"], "days": options["days"], "is_crowd": options["crowd"]}
        form = CampaignInvitationForm(typed)
        check_form(form)
        made = management.create_invitation(campaign, by=None, **form.cleaned_data)
        self.stdout.write(options["url"].rstrip("/") + reverse("join", args=[made.token]))

    def _copy(self, campaign: Campaign, options: dict[str, Any]) -> None:
        if Campaign.objects.filter(name=options["name"]).exists():
            self.refuse(f"taken: there is a campaign {options['name']!r} already; choose another name")
        made = copy_campaign(campaign, options["name"], by=None, with_people=not options["without_people"])
        self.write_json({"slug": made.slug, "name": made.name, "family": made.family})

    def _pay(self, campaign: Campaign, options: dict[str, Any]) -> None:
        self.stdout.write(to_csv(build_pay_sheet(campaign)), ending="")
