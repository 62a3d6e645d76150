"""Requests and their threads: a request's body is read first, then Django runs in a thread.

Django's views are synchronous, and a thread that waits for a body can do nothing else: a handful of clients
that send slowly would stop a site with a handful of threads. Here a slow client occupies a connection only.
The number of threads stays small, because each holds a database connection. A download keeps its thread,
but no longer counts against ``WEB_THREADS``, so that clients who read slowly do not stop the others; it ends
when its client leaves.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from asgiref.wsgi import WsgiToAsgiInstance
from django.conf import settings
from django.db import close_old_connections

from appraise.middleware import find_body_limit

Message = dict[str, Any]  # Any: an ASGI message
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Coroutine[Any, Any, None]]
Environ = dict[str, Any]  # Any: a WSGI environment
WsgiApplication = Callable[[Environ, Any], Iterable[bytes]]
AsgiApplication = Callable[[Message, Receive, Send], Awaitable[None]]

FORM_SECONDS = 30
UPLOAD_SECONDS = 15 * 60
MEMORY_BYTES = 1024 * 1024  # of a body; the rest goes to the temporary folder
CHUNK_BYTES = 64 * 1024
CHUNK_SECONDS = 60  # for a client to take a chunk

WEB_THREADS = int(os.environ.get("WEB_THREADS", "4"))
# Twice: one half for requests, the other for downloads, which no longer count.
executor = ThreadPoolExecutor(2 * WEB_THREADS, thread_name_prefix="web")
request_slots = asyncio.Semaphore(WEB_THREADS)
download_slots = threading.Semaphore(WEB_THREADS)


class ClientDisconnected(Exception):
    """The client closed the connection before its request or the response was complete."""


def run_in_threads(wsgi_application: WsgiApplication) -> AsgiApplication:
    """Return an ASGI application that runs a WSGI application in ``WEB_THREADS`` threads."""

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        with SpooledTemporaryFile(MEMORY_BYTES) as body:
            exchange = RequestExchange(wsgi_application, scope, body)
            try:
                await exchange.read_body(receive)
            except TimeoutError:
                await send_status(send, HTTPStatus.REQUEST_TIMEOUT)
            except ClientDisconnected:
                return
            else:
                with suppress(ClientDisconnected):
                    await exchange.respond(receive, send)

    return application


class RequestExchange(WsgiToAsgiInstance):
    """One request and its response."""

    def __init__(self, wsgi_application: WsgiApplication, scope: Message, body: IO[bytes]) -> None:
        super().__init__(wsgi_application, duplicate_header_limit=None)  # type: ignore[no-untyped-call]
        self.scope = scope
        self.body = body
        self.environ: Environ = self.build_environ(scope, body)  # type: ignore[no-untyped-call]

    async def read_body(self, receive: Receive) -> None:
        """Read the body up to the limit of this request.

        Beyond the limit nothing is kept; ``CONTENT_LENGTH`` tells Django that there was more, and it answers
        413 (``appraise.middleware.limit_body``).
        """
        limit, seconds = settings.DATA_UPLOAD_MAX_MEMORY_SIZE, FORM_SECONDS
        if self._declared_length() > limit:
            limit, seconds = await self._read_limit(), UPLOAD_SECONDS
            if self._declared_length() > limit:
                return
        size = 0
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnected
                size += len(message.get("body", b""))
                if size > limit:
                    self.body.truncate(0)
                    break
                self.body.write(message.get("body", b""))
                if not message.get("more_body"):
                    break
        self.body.seek(0)
        self.environ["CONTENT_LENGTH"] = str(size)  # a chunked body has no such header, and Django needs one

    def _declared_length(self) -> int:
        length = self.environ.get("CONTENT_LENGTH", "")
        return int(length) if length.isdecimal() else 0

    async def _read_limit(self) -> int:
        """Read the limit in a thread, because it depends on the signed-in user."""
        return await asyncio.get_running_loop().run_in_executor(executor, read_body_limit, self.environ)

    async def respond(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        await acquire_slot(receive)
        download = Download(receive, send, loop)
        try:
            content = await loop.run_in_executor(executor, self._run_django, download)
        finally:
            download.end()
        if content is not None:
            await send(self.response_start)
            await send({"type": "http.response.body", "body": content})

    def _run_django(self, download: Download) -> bytes | None:
        """Return the content, or send it in chunks and return ``None`` if it may be large."""
        response = self.wsgi_application(self.environ, self.start_response)
        length = self.response_content_length
        try:
            if not getattr(response, "streaming", False) or (length is not None and length <= MEMORY_BYTES):
                return b"".join(response)
            with download:
                download.send(self.response_start)
                for chunk in join_chunks(response, CHUNK_BYTES):
                    download.send({"type": "http.response.body", "body": chunk, "more_body": True})
                download.send({"type": "http.response.body", "body": b""})
        finally:
            if hasattr(response, "close"):
                response.close()  # ends the request for Django, in the thread that ran it
        return None


async def acquire_slot(receive: Receive) -> None:
    """Wait for a request slot, but no longer than the client does.

    Otherwise, when requests take longer than clients wait, a server would be busy with abandoned ones only.
    """
    if not request_slots.locked():
        await request_slots.acquire()
        return
    slot = asyncio.ensure_future(request_slots.acquire())
    departure = asyncio.ensure_future(wait_for_departure(receive))
    try:
        await asyncio.wait({slot, departure}, return_when=asyncio.FIRST_COMPLETED)
        if departure.done():
            raise ClientDisconnected
    except BaseException:
        if slot.done() and not slot.cancelled():
            request_slots.release()
        slot.cancel()
        raise
    finally:
        departure.cancel()


async def wait_for_departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Download:
    """A response that is sent in chunks, from the thread that produces them.

    Inside the ``with`` block it gives its request slot back, unless ``WEB_THREADS`` downloads run already.
    """

    def __init__(self, receive: Receive, send: Send, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._receive, self._send = receive, send
        self._holds_request_slot = True
        self._is_abandoned = False
        self._watch_task: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self._is_extra = download_slots.acquire(blocking=False)
        self.loop.call_soon_threadsafe(self._begin)

    def __exit__(self, *error: object) -> None:
        if self._is_extra:
            download_slots.release()

    def send(self, message: Message) -> None:
        """Send a message when the client has taken those before."""
        if self._is_abandoned:
            raise ClientDisconnected
        try:
            asyncio.run_coroutine_threadsafe(self._send_message(message), self.loop).result(CHUNK_SECONDS)
        except TimeoutError as error:
            raise ClientDisconnected from error

    async def _send_message(self, message: Message) -> None:
        await self._send(message)  # Granian returns an awaitable that is not a coroutine

    def _begin(self) -> None:
        self._watch_task = self.loop.create_task(self._watch())
        if self._is_extra:
            self._release_request_slot()

    async def _watch(self) -> None:
        await wait_for_departure(self._receive)
        self._is_abandoned = True

    def end(self) -> None:
        """Runs in the event loop after the thread has finished, or the request was cancelled."""
        if self._watch_task is not None:
            self._watch_task.cancel()
        self._release_request_slot()

    def _release_request_slot(self) -> None:
        if self._holds_request_slot:
            self._holds_request_slot = False
            request_slots.release()


def join_chunks(chunks: Iterable[bytes], size: int) -> Iterable[bytes]:
    """Join small chunks, because handing one over to the event loop costs more than joining it.

    >>> list(join_chunks([b"ab", b"c", b"defg", b"h"], 3))
    [b'abc', b'defg', b'h']
    """
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        if len(buffer) >= size:
            yield bytes(buffer)
            buffer.clear()
    if buffer:
        yield bytes(buffer)


def read_body_limit(environ: Environ) -> int:
    """Run outside a request, so the database connection is returned here."""
    try:
        return find_body_limit(environ)
    finally:
        close_old_connections()


async def send_status(send: Send, status: HTTPStatus) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": status.phrase.encode()})
