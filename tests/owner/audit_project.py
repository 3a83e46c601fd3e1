"""Writes a project of 460 cassettes with 40 faults of each kind that `retake audit` finds, and prints what was planted as JSON.

usage: audit_project.py FOLDER
"""

import json
import pathlib
import sys

COUNT = 40
URL = "https://api.openai.com/v1/chat/completions"
ROOT = pathlib.Path(sys.argv[1])
HEAD = 'import os\nimport pytest\nimport requests\n\npytestmark = pytest.mark.vcr\nURL = "%s"\n\n' % URL
SEND = 'requests.post(URL, json={"model": "m", "messages": []})'
planted = {}


def body(text):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 1000, "completion_tokens": 2, "total_tokens": 1002}
    return json.dumps({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def call(text="Paris.", status=200, system="Be brief.", turns=1, kind="application/json", received=None):
    messages = [{"role": "system", "content": system}]
    for turn in range(turns):
        messages += [{"role": "user", "content": f"Question {turn}"}, {"role": "assistant", "content": "Paris."}]
    request = {"method": "POST", "uri": URL, "headers": {}, "body": json.dumps({"model": "m", "messages": messages[:-1]})}
    received = body(text) if received is None else received
    headers = {"content-type": [kind]}
    return {"request": request, "response": {"status": {"code": status, "message": "X"}, "headers": headers, "body": {"string": received}}}


def write(path, *calls):
    # JSON is YAML.
    target = ROOT / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("interactions:\n" + "".join(f"- {json.dumps(one)}\n" for one in calls) + "version: 1\n")


def module(name, function, *calls):
    """Writes a module of tests, each with a cassette of these calls. Returns the paths of the cassettes."""
    text, paths = HEAD, []
    for n in range(COUNT):
        text += function.replace("NAME", f"test_{name}_{n}").replace("SEND", SEND).replace("INDEX", str(n)) + "\n"
        paths.append(f"tests/cassettes/test_{name}/test_{name}_{n}.yaml")
        if calls:
            write(paths[-1], *(one(n) if callable(one) else one for one in calls))
    (ROOT / f"tests/test_{name}.py").write_text(text)
    return paths


def id_of(name, n):
    return f"tests/test_{name}.py::test_{name}_{n}"


PLAIN = "def NAME():\n    answer = SEND\n    assert 'Paris' in answer.text\n"
ERROR = call(status=429, received='{"error": {"message": "Too many requests", "type": "tokens"}}')
TWICE = "def NAME():\n    for _ in range(2):\n        answer = SEND\n    assert 'Paris' in answer.text\n"
(ROOT / "tests").mkdir(parents=True)

# Nothing is wrong with these.
module("healthy", PLAIN, call())
module("busy", "def NAME():\n    for retry in range(2):\n        answer = SEND\n    assert 'Paris' in answer.text\n", ERROR, call())

SKIP = "def NAME():\n    path = 'tests/recorded/FILE_INDEX.yaml'\n    if not os.path.exists(path):\n        pytest.skip(f'cassette not found: {path}')\n    SEND\n"
module("derived", SKIP.replace("FILE", "derived"))
for n in range(COUNT):
    write(f"recordings/derived_{n}.yaml", call())
planted["skipped-elsewhere"] = [id_of("derived", n) for n in range(COUNT)]
module("absent", SKIP.replace("FILE", "absent"))
planted["skipped-missing"] = [id_of("absent", n) for n in range(COUNT)]

left_out = module("left_out", PLAIN, call())
skipped = module("network", "@pytest.mark.skip(reason='needs a network')\n" + PLAIN, call())
planted["test-not-run"] = left_out[:20] + skipped[:20]
for path in left_out[20:] + skipped[20:]:
    (ROOT / path).unlink()

for n in range(COUNT):
    write(f"archive/old_{n}.yaml", call())
planted["not-played"] = [f"archive/old_{n}.yaml" for n in range(COUNT)]
planted["call-not-played"] = [f"{path}#call=2" for path in module("first", PLAIN, call(), call())]
LATE = "def NAME():\n    answer = SEND\n    assert 'Paris' in answer.text\n    SEND\n"
late = module("late", LATE, call(), call())
CLOSING = "@pytest.fixture\ndef closing(vcr):\n    yield\n    SEND\n\n".replace("SEND", SEND)
closed = module("closed", PLAIN.replace("NAME()", "NAME(closing)"), call(), call())
text = (ROOT / "tests/test_closed.py").read_text()
(ROOT / "tests/test_closed.py").write_text(text.replace(HEAD, HEAD + CLOSING))
planted["answer-not-read"] = [f"{path}#call=2" for path in late[:20] + closed[:20]]
for name, paths in [("late", late), ("closed", closed)]:
    # The other half of the tests of each module is not there.
    lines = (ROOT / f"tests/test_{name}.py").read_text()
    (ROOT / f"tests/test_{name}.py").write_text(lines[: lines.index(f"def test_{name}_20(")])
    for path in paths[20:]:
        (ROOT / path).unlink()
for n in range(COUNT):
    write(f"tests/cassettes/test_healthy/test_gone_{n}.yaml", call())
planted["orphan"] = [f"tests/cassettes/test_healthy/test_gone_{n}.yaml" for n in range(COUNT)]


def empty(n):
    return call("") if n % 2 else call(kind="text/event-stream", received="data: [DONE]\n\n")


EMPTY = "def NAME():\n    answer = SEND\n    assert answer.ok\n"
planted["empty-answer"] = module("quiet", EMPTY, empty)
planted["unexpected-error"] = module("again", TWICE, ERROR, call())
COUNTED = "def NAME(vcr):\n    SEND\n    assert len(vcr) == 1\n"
module("counted", COUNTED, call())
lines = HEAD.count("\n")
planted["asserts-on-recording"] = [
    f"tests/test_counted.py:{lines + 4 * n + 3} test_counted_{n}" for n in range(COUNT)
]
clocks = [call(system=f"It is 2026-06-08T10:3{turn}:00Z.", turns=turn) for turn in (1, 2)]
planted["cache-break"] = module("clock", TWICE, *clocks)
(ROOT / "retake.toml").write_text("")
print(json.dumps(planted))
