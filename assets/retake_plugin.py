"""Log what tests send and which recorded call answers, for `retake drift`.

Use it with `pytest -p retake_plugin --retake-log FILE`, or write `from retake_plugin import *` in the top conftest.py. A folder
in place of FILE gets one file, or with pytest-xdist one of each worker. It works with vcrpy 6 and newer, also below
pytest-recording and pytest-vcr, changes the outcome of no test, and masks secrets of headers, addresses and bodies.
"""

import ast, base64, builtins, functools, glob, inspect, json, os, sys, textwrap, threading  # noqa: E401

import pytest

__all__ = ["pytest_addoption", "pytest_configure", "pytest_unconfigure"]
MASK = "[masked by Retake]"
SECRETS = ("authorization", "cookie", "api-key", "apikey", "token", "secret", "password", "credential")
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
local = threading.local()


def pytest_addoption(parser):
    try:
        parser.getgroup("retake").addoption("--retake-log", metavar="FILE", help="log requests for retake drift (or RETAKE_LOG)")
    except ValueError:  # Both loaded by -p and imported.
        pass


def pytest_configure(config):
    target = config.getoption("--retake-log", None) or os.environ.get("RETAKE_LOG")
    if not target or config.pluginmanager.has_plugin("retake-log"):
        return
    is_folder = target.endswith(("/", os.sep)) or os.path.isdir(target)
    stem, suffix = os.path.splitext(os.path.join(target, "requests.jsonl") if is_folder else target)
    os.makedirs(os.path.dirname(os.path.abspath(stem)), exist_ok=True)
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker is None:  # Files of an earlier run, which may have had other workers.
        for path in glob.glob(glob.escape(stem) + "-gw*" + suffix) + glob.glob(glob.escape(stem) + suffix):
            os.remove(path)
    if worker is not None or not getattr(config.option, "tx", None):
        path = f"{stem}-{worker}{suffix}" if worker else stem + suffix
        config.pluginmanager.register(RequestLog(path, config), "retake-log")


def pytest_unconfigure(config):
    log = config.pluginmanager.get_plugin("retake-log")
    if log:
        config.pluginmanager.unregister(log)
        log.close()


def is_secret(name, also=()):
    name = name.lower().replace("_", "-")
    return name in also or any(part in name for part in SECRETS) and not name.startswith(("max-", "x-stainless", "x-ratelimit"))


def text(value):
    value = value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value
    return value.decode("latin-1") if isinstance(value, bytes) else [text(v) for v in value] if isinstance(value, (list, tuple)) else str(value)


def content(request):
    body = getattr(request, "_body", None)
    if isinstance(body, (list, tuple)):
        body = bytes(body) if all(isinstance(part, int) for part in body) else b"".join(p.encode() if isinstance(p, str) else p for p in body)
    try:
        return body.decode("utf-8") if isinstance(body, (bytes, bytearray)) else body
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


@functools.lru_cache(maxsize=None)
def nodes_of(function):
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    return [(n, n.lineno + first - 1, n.end_lineno + first - 1) for n in ast.walk(tree) if hasattr(n, "lineno")]


def after_assertions(function, line):
    """Return whether the test function cannot fail after a line; None if that is not decidable."""
    try:
        nodes = nodes_of(function) if line else None
    except (OSError, TypeError, SyntaxError):
        nodes = None
    if nodes is None:
        return None
    is_check = ("assert", "raises", "fail", "warns")
    calls = [(n.func, getattr(n.func, "attr", getattr(n.func, "id", "")), last) for n, _, last in nodes if isinstance(n, ast.Call)]
    blocks = [(n, last) for n, _, last in nodes if isinstance(n, (ast.With, ast.AsyncWith))]
    ends = [last for _, name, last in calls if name.lower().startswith(is_check)]
    ends += [last for n, last in blocks if any(f"='{w}" in ast.dump(i.context_expr) for i in n.items for w in is_check)]
    if any(end >= line for end in ends + [last for n, _, last in nodes if isinstance(n, (ast.Assert, ast.Raise))]):
        return False
    loops = (first <= line <= last for n, first, last in nodes if isinstance(n, LOOPS))
    own = (f for f, name, last in calls if last > line and (isinstance(f, ast.Name) and name not in dir(builtins) or "'self'" in ast.dump(f)))
    return None if any(loops) or any(own) else True


class RequestLog:
    def __init__(self, path, config):
        self.root, self.file, self.lock, self.undo = str(config.rootpath), open(path, "w", encoding="utf-8"), threading.RLock(), []
        self.test = self.phase = self.function = None
        self.tests, self.unlogged, self.outcome, self.used = 0, 0, None, {}
        self.secrets = {value for name, value in os.environ.items() if is_secret(name) and len(value) >= 8}
        try:
            import vcr
            client = f"vcrpy {vcr.__version__}"
            listen(self)
        except ImportError:
            client = None
        plugins = {"pytest_recording": "pytest-recording", "pytest_vcr": "pytest-vcr"}
        recorder = next((name for module, name in plugins.items() if module in sys.modules), None)
        self.write({"retake": "pytest-log", "version": 1, "client": client, "recorder": recorder})

    def close(self):
        [undo() for undo in reversed(self.undo)]
        self.file.close()

    def write(self, record):
        line = json.dumps(record, ensure_ascii=False, default=str)
        for value in sorted(self.secrets, key=len, reverse=True):
            line = line.replace(json.dumps(value, ensure_ascii=False)[1:-1], MASK)
        with self.lock:
            self.file.write(line + "\n")
            self.file.flush()

    def shortened(self, reason):
        reason, home = reason.replace(self.root + os.sep, ""), os.path.expanduser("~")
        return reason.replace(home, "~") if len(home) > 1 else reason

    def relative(self, path):
        try:
            return os.path.relpath(os.path.abspath(str(path)), self.root).replace(os.sep, "/")
        except ValueError:  # Another drive.
            return os.path.basename(str(path))

    def use(self, cassette):
        for path, calls in cassette._retake_files:
            self.used.setdefault(self.relative(path), {"calls": calls, "played": []})

    def request(self, cassette, raw, sent, index):
        for value in (v for name, v in raw.headers.items() if is_secret(name)):
            self.secrets.update(part for part in [str(text(value)), str(text(value)).split(" ")[-1]] if len(part) >= 8)
        url, _, query = sent.uri.partition("?")
        fields = [f.split("=")[0] + "=" + MASK if is_secret(f.split("=")[0], ("key", "sig")) else f for f in query.split("&") if f]
        self.use(cassette)
        path, call = cassette._retake_places.get(index, (cassette._path, None))
        if call is not None and call not in self.used[self.relative(path)]["played"]:
            self.used[self.relative(path)]["played"].append(call)
        frame = sys._getframe() if self.phase == "call" else None
        while frame and frame.f_code is not getattr(self.function, "__code__", None):
            frame = frame.f_back
        line = frame and frame.f_lineno
        self.write({
            "test": self.test, "phase": self.phase, "line": line, "after_assertions": after_assertions(self.function, line),
            "cassette": self.relative(path), "call": call, "method": sent.method, "url": "?".join([url] + ["&".join(fields)] * bool(fields)),
            "headers": {name: MASK if is_secret(name) else text(value) for name, value in sent.headers.items()}, "body": content(sent),
        })  # fmt: skip

    def guarded(self, action, *args):
        try:
            action(*args)
        except Exception:  # A log must not fail a test; the last line says what it lacks.
            self.unlogged += 1

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.test, self.phase, self.outcome, self.used = item.nodeid, "setup", ["passed", ""], {}
        self.function = inspect.unwrap(getattr(item, "function", None) or (lambda: None))
        yield
        line, reason = (item.location[1] or 0) + 1, self.shortened(self.outcome[1])
        self.guarded(self.write, {"test": self.test, "outcome": self.outcome[0], "reason": reason, "cassettes": self.used, "line": line})
        self.tests, self.test, self.phase, self.function = self.tests + 1, None, None, None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        self.phase = "call"
        yield
        self.phase = "teardown"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        # A test that fails as it is expected to is reported as skipped, and has run.
        has_failed_as_expected = hasattr(report, "wasxfail") and report.outcome == "skipped"
        if not has_failed_as_expected and report.outcome != "passed" and self.outcome[0] not in ("failed", "error"):
            detail = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
            outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "error"
            self.outcome = [outcome, (str(detail).removeprefix("Skipped: ").splitlines() or [""])[0][:300]]

    def pytest_sessionfinish(self, session, exitstatus):
        if int(exitstatus) in (0, 1, 5):
            # Each worker of pytest-xdist selects all tests, and runs some.
            selected = None if hasattr(session.config, "workerinput") else len(getattr(session, "items", []))
            self.guarded(self.write, {"tests": self.tests, "selected": selected, "unlogged": self.unlogged})


def listen(log):
    from vcr.cassette import Cassette

    def wrap(owner, name, replacement):
        original = getattr(owner, name)
        setattr(owner, name, functools.wraps(original)(lambda *args, **kwargs: replacement(original, *args, **kwargs)))
        log.undo.append(lambda: setattr(owner, name, original))

    def init(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        self._retake_places, self._retake_files, self._retake_missed = {}, [], None
        filters = self._before_record_request

        def spy(request):
            filtered = filters(request)
            if getattr(local, "sent", None) == []:  # The client filters again what is filtered.
                local.sent.append(filtered)
            return filtered

        self._before_record_request = spy

    def load(original, self):
        local.files, local.appended, local.read = [], {}, 0
        hooks = getattr(self, "_after_load_interaction", None)
        local.has_hooks = isinstance(hooks, list)
        if local.has_hooks:  # They may drop calls before these are appended.
            hooks.insert(0, lambda request, response: (setattr(local, "read", local.read + 1), (request, response))[1])
        original(self)
        self._retake_files = [file for file in local.files if file[1]] or [(self._path, local.read)]
        places = [(path, at) for path, calls in self._retake_files for at in range(calls)]
        self._retake_places = {index: places[at] for index, at in local.appended.items() if at < len(places)}
        local.appended = None
        log.guarded(log.use, self)

    def append(original, self, *args):
        is_loading, size = getattr(local, "appended", None) is not None, len(self.data)
        original(self, *args)
        if is_loading:
            local.read += not local.has_hooks
            local.appended.update({size: local.read - 1} if len(self.data) > size else {})

    def answer(original, self, request):
        local.sent, counts = [], dict(self.play_counts)
        try:
            result = original(self, request)
            sent = local.sent[0] if local.sent else None
        finally:
            local.sent = None
        played = [index for index, count in self.play_counts.items() if count > counts.get(index, 0)]
        is_miss = not result and self._retake_missed is not request and original.__name__ == "can_play_response_for"
        if sent is not None and (played or is_miss):
            self._retake_missed = request  # The client looks twice for a request that it then sends.
            log.guarded(log.request, self, request, sent, played[0] if played else None)
        return result

    def load_file(original, path, *args):
        result = original(path, *args)
        local.files.append((path, len(result[0])))
        return result

    for name, replacement in {"__init__": init, "_load": load, "append": append, "play_response": answer, "can_play_response_for": answer}.items():
        wrap(Cassette, name, replacement)
    if "pytest_recording" in sys.modules:  # Its cassettes may have several files.
        import pytest_recording._vcr
        wrap(pytest_recording._vcr, "load_cassette", load_file)
