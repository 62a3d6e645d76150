"""The admin site, for operators. Rankings are read-only."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model, QuerySet, URLField
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from evaluation import models
from evaluation.people import erasure

admin.site.site_header = "Appraise"
admin.site.site_title = "Appraise"
admin.site.index_title = _("Administration")


class ReadOnly(admin.ModelAdmin[Model]):
    """Answers, and what is computed from them, must not be edited."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.User)
class PersonAdmin(UserAdmin[models.User]):
    list_display = ["username", "email", "may_create", "is_superuser", "is_active", "last_login"]
    list_filter = ["may_create", "is_superuser", "is_active"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        (_("Person"), {"fields": ["first_name", "last_name", "email"]}),
        (_("Permissions"), {"fields": ["may_create", "is_active", "is_staff", "is_superuser"]}),
        (_("Dates"), {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined"]

    # Deleting a user here erases the person, and no backup brings the account back.
    def delete_model(self, request: HttpRequest, obj: models.User) -> None:
        erasure.erase(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[models.User]) -> None:
        for user in queryset:
            try:
                erasure.erase(user)
            except erasure.LastAdministrator:
                messages.error(request, _("The last administrator cannot be deleted."))

    def has_delete_permission(self, request: HttpRequest, obj: models.User | None = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or not erasure.is_last_administrator(obj))

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[models.User]) -> list[LogEntry]:
        return []  # Django would log the name; the erasure is recorded in the history of the tasks


class MembershipInline(admin.TabularInline[models.Membership, models.Campaign]):
    model = models.Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(models.Campaign)
class CampaignAdmin(admin.ModelAdmin[models.Campaign]):
    list_display = ["name", "slug", "invented", "created_at"]
    list_filter = ["invented"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    inlines = [MembershipInline]


@admin.register(models.Task)
class TaskAdmin(admin.ModelAdmin[models.Task]):
    list_display = ["name", "campaign", "scheme_name", "state", "overlap", "size", "created_at"]
    list_filter = ["state", "scheme_name", "campaign"]
    list_select_related = ["campaign"]
    search_fields = ["name", "slug"]
    readonly_fields = [
        "size", "digest", "seed", "dedup", "protocols", "assessed_as", "suggestions", "reference_names",
        "created_at",
    ]  # fmt: skip
    formfield_overrides = {URLField: {"assume_scheme": "https"}}

    def has_add_permission(self, request: HttpRequest, obj: models.Task | None = None) -> bool:
        return False  # a task is made by an upload


@admin.register(models.Membership)
class MembershipAdmin(admin.ModelAdmin[models.Membership]):
    list_display = ["user", "role", "campaign", "task", "quota"]
    list_filter = ["role", "campaign"]
    list_select_related = ["user", "campaign", "task"]
    search_fields = ["user__username", "campaign__name", "task__name"]
    autocomplete_fields = ["user", "campaign", "task"]


@admin.register(models.Invitation)
class InvitationAdmin(admin.ModelAdmin[models.Invitation]):
    list_display = ["task", "campaign", "note", "uses", "most_uses", "expires_at", "revoked_at"]
    list_filter = ["task", "campaign"]
    list_select_related = ["task", "campaign"]
    search_fields = ["note", "task__name"]
    readonly_fields = ["uses"]


@admin.register(models.Item)
class ItemAdmin(ReadOnly):
    list_display = ["key", "task", "document", "position"]
    list_filter = ["task"]
    list_select_related = ["task"]
    search_fields = ["key", "source"]
    show_full_result_count = False


@admin.register(models.Ranking)
class RankingAdmin(ReadOnly):
    list_display = [
        "annotator",
        "pair",
        "choice",
        "reason",
        "version",
        "presentation",
        "active_ms",
        "received_at",
    ]
    list_filter = ["choice", "presentation", "pair__task"]
    list_select_related = ["annotator__user", "pair"]
    search_fields = ["pair__first", "pair__second", "uuid"]
    date_hierarchy = "received_at"
    show_full_result_count = False


class ErrorSpanInline(admin.TabularInline[models.ErrorSpan, models.Assessment]):
    model = models.ErrorSpan
    fields = ["number", "side", "start", "end", "severity", "category"]
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.Assessment)
class AssessmentAdmin(ReadOnly):
    list_display = ["annotator", "output", "protocol", "score", "version", "presentation", "received_at"]
    list_filter = ["protocol", "output__item__task"]
    list_select_related = ["annotator__user", "output__system"]
    search_fields = ["uuid", "output__item__key", "output__system__name"]
    inlines = [ErrorSpanInline]
    show_full_result_count = False


@admin.register(models.ScoreSet)
class ScoreSetAdmin(ReadOnly):
    list_display = ["name", "reference", "level", "task", "created_at"]
    list_filter = ["level", "task"]
    list_select_related = ["task"]
    search_fields = ["name"]


@admin.register(models.AlignmentReport)
class AlignmentReportAdmin(ReadOnly):
    list_display = ["pair", "reason", "annotator", "created_at", "resolved_at"]
    list_filter = ["reason", "resolved_at", "pair__task"]
    list_select_related = ["pair", "annotator__user"]
    search_fields = ["note", "pair__first", "pair__second"]


@admin.register(models.Job)
class JobAdmin(ReadOnly):
    list_display = ["title", "kind", "state", "done", "total", "owner", "created_at"]
    list_filter = ["state", "kind"]
    list_select_related = ["owner"]
    search_fields = ["title", "error"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).defer("result", "arguments")


@admin.register(models.AuditEntry)
class AuditAdmin(ReadOnly):
    """The audit log of the site; managers see the part of their tasks as history."""

    list_display = ["at", "user", "action", "target", "detail"]
    list_filter = ["action", "at"]
    list_select_related = ["user"]
    search_fields = ["target", "user__username"]
    date_hierarchy = "at"
    show_full_result_count = False


@admin.register(models.Erasure)
class ErasureAdmin(ReadOnly):
    list_display = ["person", "annotator", "at"]
