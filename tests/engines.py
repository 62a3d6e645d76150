"""Chromium, Firefox and WebKit, driven by the commands that all three have: those of WebDriver.

Chromium and WebKit take them by HTTP, from Debian's ``chromium-driver`` and ``webkit2gtk-driver``. Firefox
takes them by its own protocol, Marionette: the same commands by name, without a second program. Each engine
has a new profile, and a proxy that does not exist: it reaches this machine and nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.browser import FLAGS, chromium_path
from tests.site import free_port

STARTS_WITHIN = 20  # seconds
ATTEMPTS = 3
KEYS = {
    "Enter": "\ue007", "Tab": "\ue004", "Shift": "\ue008", "End": "\ue010", "Home": "\ue011",
    "ArrowLeft": "\ue012", "ArrowRight": "\ue014",
}  # fmt: skip
NOWHERE = "127.0.0.1:9"
PROXY = {
    "proxyType": "manual",
    "httpProxy": NOWHERE,
    "sslProxy": NOWHERE,
    "noProxy": ["127.0.0.1", "localhost"],
}
PREFERENCES = {
    "marionette.port": 0,  # any free one; the profile tells which
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9,
}  # fmt: skip
PATHS = {
    "Navigate": "url",
    "ExecuteScript": "execute/sync",
    "PerformActions": "actions",
    "SwitchToFrame": "frame",
    "GetWindowHandle": "window",
    "NewWindow": "window/new",
    "SwitchToWindow": "window",
    "ElementClick": "element/{id}/click",
}

FIND = """
    const elements = [...document.querySelectorAll(arguments[0])];
    const found = elements.find((each) => each.textContent.includes(arguments[1]) && each.checkVisibility());
    found?.scrollIntoView({ block: "center", behavior: "instant" });
    return found;
"""

Point = tuple[float, float]
Call = Callable[..., Any]  # Any: a command's parameters and its result are JSON


class MissingEngineError(Exception):
    """This machine has no such browser."""


class EngineError(AssertionError):
    """The browser refuses a command."""


class Engine:
    """One window. What is clicked is named by a CSS selector and a text, like a user's words for it."""

    def __init__(self, call: Call, *, has_touch: bool = True) -> None:
        self._call = call
        self.has_touch = has_touch

    def open(self, url: str) -> None:
        self._call("Navigate", url=url)

    def run(self, script: str, *values: Any) -> Any:  # Any: JSON, or an element
        return self._call("ExecuteScript", script=script, args=values)

    def enter_frame(self, element: Any) -> None:  # Any: an element that a script returned
        self._call("SwitchToFrame", id=element)

    def open_tab(self, url: str) -> tuple[str, str]:
        """In a further tab, which is shown; returns the names of the tab before it and of this one."""
        before, after = self._call("GetWindowHandle"), self._call("NewWindow", type="tab")["handle"]
        self.show_tab(after)
        self.open(url)
        return before, after

    def show_tab(self, name: str) -> None:
        self._call("SwitchToWindow", handle=name)

    def press(self, *keys: str) -> None:
        """Keys like "1", "Enter" and "Shift+ArrowRight", in the element that has the focus."""
        presses = []
        for each in keys:
            chord = [KEYS.get(key, key) for key in each.split("+")]
            presses += [{"type": "keyDown", "value": key} for key in chord]
            presses += [{"type": "keyUp", "value": key} for key in reversed(chord)]
        self._call("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": presses}])

    def tap(self, point: Point) -> None:
        """With a finger."""
        self._press_and_move("touch", point, point)

    def drag(self, start: Point, end: Point) -> None:
        """With the left button of a mouse, between two points of the window."""
        self._press_and_move("mouse", start, end)

    def _press_and_move(self, kind: str, start: Point, end: Point) -> None:
        points = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 50} for x, y in (start, end)
        ]
        steps = [
            points[0],
            {"type": "pointerDown", "button": 0},
            points[1],
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps}
        self._call("PerformActions", actions=[pointer])

    def click(self, selector: str, text: str = "") -> None:
        """The first visible one, in the middle of the page: bars above and below cover its edges."""
        element = self.wait_for(FIND, selector, text)
        self._call("ElementClick", id=next(iter(element.values())))

    def wait_for(self, script: str, *values: Any, seconds: float = 15) -> Any:  # Any: as of `run`
        """What the script returns as soon as it is true, however many pages are left meanwhile."""
        end = time.monotonic() + seconds
        while True:
            try:
                if result := self.run(script, *values):
                    return result
                error: Exception = EngineError(f"not within {seconds:g} seconds: {script} {values}")
            except EngineError as left:  # the page, while the script ran
                error = left
            if time.monotonic() > end:
                raise error
            time.sleep(0.05)


def program(*names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise MissingEngineError(f"no {names[0]} here; `make system-packages` installs it where Debian has it")


@contextmanager
def process(*command: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:  # Any: options of Popen
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    ) as started:
        try:
            yield started
        finally:
            started.terminate()


@contextmanager
def http_session(driver: str, browser: dict[str, Any], environment: dict[str, str]) -> Iterator[Call]:
    """By HTTP (https://www.w3.org/TR/webdriver2/); Any: the browser's options are JSON."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(method: str, address: str, body: dict[str, Any] | None = None, seconds: float = 60) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, method=method)
        try:
            with opener.open(request, timeout=seconds) as response:
                return json.load(response)["value"]
        except HTTPError as error:
            raise EngineError(error.read().decode()) from error

    # A new WebKit sometimes opens no window while other tests start browsers; a second one does.
    for _ in range(ATTEMPTS):
        port = free_port()
        with process(driver, f"--port={port}", env=environment) as started:
            wait_for_port(port, started)
            sessions = f"http://127.0.0.1:{port}/session"
            capabilities = {"alwaysMatch": {"proxy": PROXY, **browser}}
            try:
                session = send("POST", sessions, {"capabilities": capabilities}, STARTS_WITHIN)
            except TimeoutError:
                continue
            own = f"{sessions}/{session['sessionId']}"
            try:
                # B023 does not apply: the loop ends with this session.
                def call(name: str, **values: Any) -> Any:
                    path = f"{own}/{PATHS[name].format(**values)}"  # noqa: B023
                    return send("GET", path) if name.startswith("Get") else send("POST", path, values)

                yield call
            finally:
                send("DELETE", own)
            return
    raise MissingEngineError(f"{driver} opened no browser in {ATTEMPTS} attempts")


def wait_for_port(port: int, started: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end and started.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise EngineError(f"{started.args!r} does not listen on port {port}")


@contextmanager
def chromium(home: Path) -> Iterator[Call]:
    try:
        options = {"binary": chromium_path(windows=True), "args": ["--headless", *FLAGS]}
    except FileNotFoundError as error:
        raise MissingEngineError(str(error)) from error
    browser = {"goog:chromeOptions": options}
    with http_session(program("chromedriver"), browser, {**os.environ, "HOME": str(home)}) as call:
        yield call


@contextmanager
def webkit(home: Path) -> Iterator[Call]:
    """On a screen that nobody sees: WebKitGTK has no mode without windows."""
    driver, screen = program("WebKitWebDriver"), program("Xvfb")
    reader, writer = os.pipe()
    display = process(screen, "-displayfd", str(writer), "-nolisten", "tcp", pass_fds=[writer])
    with display, os.fdopen(reader) as answer:
        os.close(writer)
        environment = {
            **os.environ,
            "HOME": str(home),
            "DISPLAY": f":{answer.readline().strip()}",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",  # tests may run as root, and load only our pages
        }
        with http_session(driver, {}, environment) as call:
            yield call


@contextmanager
def firefox(home: Path) -> Iterator[Call]:
    """By Marionette: JSON with its length before it, ``[0, number, command, parameters]`` and its answer."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()]
    (home / "user.js").write_text("".join(lines))
    command = [
        program("firefox-esr", "firefox"),
        "--headless",
        "--marionette",
        "--no-remote",
        "--profile",
        str(home),
    ]
    with process(*command, env={**os.environ, "HOME": str(home)}) as started, ExitStack() as stack:
        line = stack.enter_context(socket.create_connection(("127.0.0.1", active_port(home, started)), 60))
        answers = stack.enter_context(line.makefile("rb"))

        def receive() -> Any:
            digits = b""
            while (digit := answers.read(1)) not in (b":", b""):
                digits += digit
            return json.loads(answers.read(int(digits)))

        def call(name: str, **values: Any) -> Any:
            message = json.dumps([0, 1, f"WebDriver:{name}", values]).encode()
            line.sendall(b"%d:%s" % (len(message), message))
            _, _, error, result = receive()
            if error:
                raise EngineError(f"{error['error']}: {error['message']}")
            return result.get("value", result)

        receive()  # who is there
        call("NewSession", capabilities={"alwaysMatch": {}})
        yield call


def active_port(profile: Path, started: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end and started.poll() is None:
        path = profile / "MarionetteActivePort"
        if path.exists() and (port := path.read_text()):
            return int(port)
        time.sleep(0.02)
    raise EngineError("Firefox does not listen to Marionette")


ENGINES = {"chromium": chromium, "firefox": firefox, "webkit": webkit}
WITH_TOUCH = ("chromium", "firefox")  # WebKitGTK's driver never answers where a finger is asked for
