"""A form of an annotation page whose sender is no longer signed in: it is held until they are back.

Without a script nothing else remembers what was chosen. The form travels through the sign-in page, signed, in
a hidden field; of somebody who is not signed in nothing is stored. After that the session holds it until its
page is opened, which takes it as if it were sent only now. ``docs/decisions/009-held-forms.md`` says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import wraps

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from evaluation.models import Assignment, User
from evaluation.services.alignments import moved_assignment

FORMS = {"annotate", "places", "skip", "report-alignment"}  # the addresses whose forms are held
MOST_HELD = 64 * 1024  # characters; a page of ours sends a few thousand
NAME = "held"  # of the hidden field, and in the session
View = Callable[[HttpRequest, str], HttpResponse]


@dataclass(frozen=True, slots=True)
class Held:
    """What was sent to ``path``, a page of the assignment behind ``token``; ``form`` as in an address."""

    path: str
    token: str
    form: str

    def is_of(self, user: User) -> bool:
        """The token says whose it is, also after a correction of the alignment has replaced it."""
        own = Assignment.objects.filter(token=self.token, annotator__user=user)
        return own.exists() or moved_assignment(self.token, user) is not None

    def signed(self) -> str:
        return signing.dumps(astuple(self), salt=__name__, compress=True)


def outlives_session(view: View) -> View:
    """What is sent to ``view`` is not lost if the session has ended in the meantime."""

    @wraps(view)
    def outliving(request: HttpRequest, token: str) -> HttpResponse:
        if request.method == "POST" and not request.user.is_authenticated:
            if found := sent_with(request):
                return ask(request, found, status=401)
        elif request.method == "GET" and NAME in request.session:
            _resume(request)
        return view(request, token)

    return outliving


def sent_with(request: HttpRequest) -> Held | None:
    """The form that this request sends, or that came with it through the sign-in page; an empty one or one
    that no page of ours can have made is not worth holding."""
    match = request.resolver_match
    if match is None or match.url_name not in FORMS:
        return _opened(request.POST.get(NAME, ""))
    form = request.POST.copy()
    form.pop("csrfmiddlewaretoken", None)  # worth nothing after signing in
    said = form.urlencode()
    return Held(request.path, match.kwargs["token"], said) if 0 < len(said) <= MOST_HELD else None


def _opened(signed: str) -> Held | None:
    try:
        return Held(*signing.loads(signed, salt=__name__))
    except signing.BadSignature:
        return None


def ask(request: HttpRequest, held: Held, *, status: int) -> HttpResponse:
    """The page that keeps the form until its sender has signed in or, if they have, sends it again."""
    page = "evaluation/held.html" if request.user.is_authenticated else "registration/login.html"
    context = {"form": AuthenticationForm(request), NAME: held.signed()}
    response = render(request, page, context, status=status)
    add_never_cache_headers(response)
    return response


def take_up(request: HttpRequest, held: Held) -> HttpResponse:
    """Whoever sent it is signed in again: on to its page. For anybody else it stays where it is."""
    if not (isinstance(request.user, User) and held.is_of(request.user)):
        return ask(request, held, status=403)
    request.session[NAME] = held.path, held.form
    return redirect(held.path)


def _resume(request: HttpRequest) -> None:
    """Turn this request into the one that was held, if it was for this address.

    Both that one and the log-in have shown the token against forged requests. If the database fails now, the
    session is not saved, and the form waits in it for the next attempt.
    """
    path, form = request.session[NAME]
    if path == request.path:
        del request.session[NAME]
        request.method, request.POST = "POST", QueryDict(f"{form}&{NAME}=yes")
        messages.success(request, _("You are signed in again, and what you had sent has arrived."))


def was_held(request: HttpRequest) -> bool:
    """Whether this form is shown to its sender once more, so that they see what became of it."""
    return NAME in request.POST


def is_from_here(request: HttpRequest) -> bool:
    """Whether a page of this site sent the form: a browser lets no other page say so."""
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
