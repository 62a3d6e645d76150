"""A small client of the API for notebooks; needs only Python, and pandas for data frames.

from appraise.client import Appraise
site = Appraise("http://127.0.0.1:8000", token)
frame = site.frame("town-news")
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

if TYPE_CHECKING:
    import pandas  # optional, and without stubs

Json = dict[str, Any]  # Any: what the site answers, described in its OpenAPI document


class AppraiseError(Exception):
    """The site refused the request; ``status`` is the HTTP status, ``detail`` the message."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class _NoRedirects(HTTPRedirectHandler):
    """Refuses redirects, which would send the token to another host."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        return None


class Appraise:
    """A site and a token; every method is one request. Tasks and campaigns are named by their slugs."""

    def __init__(self, url: str, token: str, *, timeout: float = 60) -> None:
        if urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError(f"expected a URL with http or https, found {url!r}")
        self._base = url.rstrip("/") + "/api"
        self._token, self._timeout = token, timeout
        self._opener = build_opener(_NoRedirects)

    def tasks(self) -> list[Json]:
        """The tasks that you manage or study."""
        tasks: list[Json] = self._json("/tasks")
        return tasks

    def progress(self, task: str) -> Json:
        return self._object(f"/tasks/{quote(task)}/progress")

    def agreement(self, name: str, *, campaign: bool = False, without: Sequence[str] = ()) -> Json:
        """κ, κ′ and all other coefficients with their intervals; ``without``: failed, speeders, surplus."""
        return self._object(f"{_scope_path(name, campaign)}/agreement", without=without)

    def results(self, name: str, *, campaign: bool = False, without: Sequence[str] = ()) -> Json:
        """Wins, strengths, rank ranges and clusters of the systems."""
        return self._object(f"{_scope_path(name, campaign)}/results", without=without)

    def disagreements(self, name: str, *, campaign: bool = False, **query: str | int) -> Json:
        """Disputed pairs, twenty at a time; ``kind``, ``split``, ``annotator``, ``text``, ``page``."""
        return self._object(f"{_scope_path(name, campaign)}/disagreements", **query)

    def rankings(self, name: str, *, campaign: bool = False) -> Iterator[Json]:
        """Every version of every answer, one at a time."""
        with self._open(f"{_scope_path(name, campaign)}/export/jsonl") as response:
            for line in response:
                yield json.loads(line)

    def frame(self, name: str, *, campaign: bool = False) -> pandas.DataFrame:
        """The answers as a data frame; needs pandas."""
        import pandas

        return pandas.DataFrame.from_records(list(self.rankings(name, campaign=campaign)))

    def download(self, name: str, form: str, path: str | Path, *, campaign: bool = False) -> Path:
        """Save an export (csv, tsv, jsonl, xml, spreadsheet, latex, bundle) to a file."""
        with (
            self._open(f"{_scope_path(name, campaign)}/export/{quote(form)}") as response,
            open(path, "wb") as file,
        ):
            shutil.copyfileobj(response, file)
        return Path(path)

    def upload(self, *files: str | Path, **settings: str | int) -> Json:
        """Import files as a task; returns the job. Settings are the fields of the upload form by name."""
        parts = [(f'form-data; name="{name}"', str(value).encode()) for name, value in settings.items()]
        for file in map(Path, files):
            name = quote(file.name, safe=" ()-._")
            parts.append((f'form-data; name="files"; filename="{name}"', file.read_bytes()))
        boundary = secrets.token_hex(16)
        body = b"".join(
            f"--{boundary}\r\nContent-Disposition: {head}\r\n\r\n".encode() + content + b"\r\n"
            for head, content in parts
        )
        kind = f"multipart/form-data; boundary={boundary}"
        with self._open("/uploads", body + f"--{boundary}--\r\n".encode(), kind) as response:
            job: Json = json.load(response)
        return job

    def job(self, job: str) -> Json:
        """The progress of an import: ``state`` is waiting, running, done, failed or cancelled."""
        return self._object(f"/jobs/{quote(job)}")

    def wait(self, job: str, *, seconds: float = 1) -> Json:
        """Wait until a job is over, and return it; raises ``AppraiseError`` if it failed."""
        while (found := self.job(job))["state"] in ("waiting", "running"):
            time.sleep(seconds)
        if found["state"] != "done":
            raise AppraiseError(HTTPStatus.CONFLICT, found["error"] or found["state"])
        return found

    def campaigns(self) -> list[Json]:
        """The campaigns that you manage or study as a whole."""
        campaigns: list[Json] = self._json("/campaigns")
        return campaigns

    def campaign(self, name: str) -> Json:
        """A campaign with its tasks, their settings and progress."""
        return self._object(f"/campaigns/{quote(name)}")

    def decision(self, name: str, *, campaign: bool = True, without: Sequence[str] = ()) -> Json:
        """Which system is better, by how much and how sure, with typical cases."""
        return self._object(f"{_scope_path(name, campaign)}/decision", without=without)

    def set_campaign(self, name: str, **settings: Any) -> int:
        """Set ``state``, ``overlap``, ``closes_at`` … for all tasks, or for ``tasks``; returns how many."""
        changed: int = self._post(f"/campaigns/{quote(name)}/settings", settings)["changed"]
        return changed

    def members(self, name: str) -> list[Json]:
        """The members of a campaign with their quotas and finished comparisons; for its managers."""
        members: list[Json] = self._json(f"/campaigns/{quote(name)}/members")
        return members

    def add_members(self, name: str, *people: str, **settings: Any) -> int:
        """Give existing users a ``role``, a ``quota`` and ``languages``, or change these."""
        changed = self._post(f"/campaigns/{quote(name)}/members", {"names": people, **settings})
        return int(changed["changed"])

    def remove_member(self, name: str, person: str, *, role: str = "annotator") -> None:
        self._post(f"/campaigns/{quote(name)}/members/remove", {"name": person, "role": role})

    def add_people(self, name: str, file: str | Path) -> dict[str, str]:
        """Create accounts from a CSV file (name, quota, languages); returns each name's link to sign in."""
        table = Path(file).read_text("utf-8-sig")
        cards = self._post(f"/campaigns/{quote(name)}/people", {"table": table})
        return {card["name"]: card["link"] for card in cards}

    def invite(self, name: str, **settings: Any) -> str:
        """Return a new invitation link; ``most_uses``, ``days``, ``note``, ``is_crowd``."""
        link: str = self._post(f"/campaigns/{quote(name)}/invitations", settings)["link"]
        return link

    def copy_campaign(self, name: str, new_name: str, *, people: bool = True) -> Json:
        """Make the next round of a campaign, without tasks."""
        made: Json = self._post(f"/campaigns/{quote(name)}/copy", {"name": new_name, "people": people})
        return made

    def _post(self, path: str, document: Json) -> Any:
        with self._open(path, json.dumps(document, default=str).encode(), "application/json") as response:
            return json.load(response)

    def _object(self, path: str, **query: Any) -> Json:
        answer: Json = self._json(path, **query)
        return answer

    def _json(self, path: str, **query: Any) -> Any:
        """Return the answer; while a report is being computed in the background, wait and ask again."""
        while True:
            with self._open(path, **query) as response:
                answer, status, wait = json.load(response), response.status, response.headers["Retry-After"]
            if status != HTTPStatus.ACCEPTED:
                return answer
            if answer["state"] in ("failed", "cancelled"):
                raise AppraiseError(status, answer["detail"])
            time.sleep(int(wait))

    def _open(self, path: str, body: bytes | None = None, kind: str = "", **query: Any) -> Any:
        address = self._base + path + (f"?{urlencode(query, doseq=True)}" if query else "")
        request = Request(address, body, headers={"Authorization": f"Bearer {self._token}"})
        if kind:
            request.add_header("Content-Type", kind)
        try:
            return self._opener.open(request, timeout=self._timeout)
        except HTTPError as error:
            with error:
                raise AppraiseError(error.code, error.read(2000).decode("utf-8", "replace")) from error


def _scope_path(name: str, campaign: bool) -> str:
    return f"/{'campaigns' if campaign else 'tasks'}/{quote(name)}"
