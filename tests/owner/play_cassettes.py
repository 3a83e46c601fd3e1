"""Plays generated cassettes by the program that owns them, and prints each with what it answered.

    python play_cassettes.py vcrpy|cassetter COUNT SEED

Prints a JSON object a line: the text of a cassette (null where there is none), a test in Python with the settings, the requests, and for
each request what the owner did with it: the calls by their positions in the file, the candidates that its error names, or the exception.
"""
import base64
import contextlib
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import yaml

owner, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
folder = tempfile.TemporaryDirectory()

URIS = [
    "https://a.dev/v1/chat", "https://a.dev/v1/chat/", "https://A.dev/v1/chat", "https://a.dev:443/v1/chat", "http://a.dev/v1/chat",
    "https://a.dev", "https://a.dev/", "https://a.dev?x=1", "https://a.dev/?x=1", "https://user:pw@a.dev/v1/chat",
    "https://a.dev/v1/chat?b=2&a=1", "https://a.dev/v1/chat?a=1&b=2", "https://a.dev/v1/chat?a=1&b=2&c=", "https://a.dev/v1/chat?a=1&a=1",
    "https://a.dev/v1/chat?a=%20x", "https://a.dev/v1/chat?a=+x", "https://a.dev/v1/chat?a=é", "https://a.dev/v1/chat?a=%C3%A9",
    "https://a.dev/v1/chat?a=%FF", "https://a.dev/v1/chat?a=%zz", "https://a.dev/v1/chat#part", "https://a.dev/v1;p/chat",
    "https://a.dev/v1/chat;p=1", "https://a.dev/v1/%63hat", "https://b.dev/v1/chat", "http://localhost:8000/v1/chat",
    "http://127.0.0.1/v1/chat", "http://[::1]:80/v1/chat", "https://a.dev/v1/chat?key=K1&user=U", "https://a.dev/v1/chat?key=K2&user=V",
    "https://a.dev/v1/chat?api_key=K1", "https://a.dev/v1/chat?api_key=K2", "HTTPS://a.dev/v1/chat", "https://a.dev:0443/v1/chat",
    "https://a.dev/v1/chat?", "https://a.dev/v1/chat#", "https://a.dev//v1/chat", "https://a.dev/v1/./chat", "https://a.dev/v1/%63hat?A=1&a=1",
    "https://a.dev/v1/chat?a=%c3%a9", "https://a.dev/v1/chat?a=1;b=2", "https://a.dev/v1/chat?a=1&&b=2", "https://a.dev/v1/chat?a",
    "https://a.dev/v1/chat?a=1=2", "https://a.dev/v1/chat?=1", "https://a.dev/v1/chat?%61=1", "https://a.dev/v1/models/m:generate?alt=sse",
    "https://a.dev/v1/models/m%3Agenerate?alt=sse", "https://é.dev/v1/chat", "https://a.dev./v1/chat", "https://u@ser@a.dev/v1/chat",
    "https://a.dev/v1/ch at", "https://a.dev/v1/chat?a=1?b=2", "https://a.dev/V1/chat", "ws://a.dev/v1/chat",
]
TYPES = [
    "application/json", "application/json; charset=utf-8", "Application/JSON", "application/json-patch+json", "application/vnd.api+json",
    "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=XX", None,
]
BODIES = [
    b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}', b'{"messages": [{"content": "Hi", "role": "user"}], "model": "m"}',
    b'{"model":"m","messages":[{"role":"user","content":"Ho"}]}', b'{"a":1}', b'{"a": 1.0}', b'{"a":true}', b'{"a":2,"a":1}', b'{"a":[1,2]}',
    b'{"a":[2,1]}', b'{"a":1e0}', b'{"a":100000000000000000000000}', b'{"a":1e23}', b'{"a":NaN}', b'{"a":Infinity}', b'{"a":"\\u00e9"}',
    '{"a":"é"}'.encode(), b'{"a":1', b"", b"null", b"5", b'"a"', b"[1]", b'["id"]', b"a=1&b=2", b"b=2&a=1", b"a=1&b=2&c=", b"a=1&a=2", b"a=2&a=1",
    b"a=%20x", b"a=+x", b"id=1&a=1", b"id=2&a=1", b"i%64=2&a=1", b"id&a=1", b"\xff\xfe", b"a=\xff", b'{"id":1,"a":1}', b'{"a":1,"id":2}',
    b'{"b":{"id":1},"a":1}', b'{"b":{"id":2},"a":1}', b"5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n", b"7\r\n{\"a\":1}\r\n0\r\n\r\n", b"7\r\n{\"a\":1}\r\n",
    b'{"a":{"id":[{"id":1,"model":{"a":1}}]}}', b'{"a":{"id":[{"id":2,"model":{"a":1}}]}}', b'[{"id":1},[{"a":2}]]', b'[{"id":2},[{"a":3}]]',
    b'{"api_key":"k","a":[{"password":"p"}]}', b'{"api_key":"l","a":[{"password":"q"}]}', b'{"a":-0.0}', b'{"a":0}', b'{"a":false}', b'{"a":null}',
    b'{"a":"\\ud800"}', b'{"a": 1} ', b'\xef\xbb\xbf{"a":1}', b'{"a":1}{}', b'{"a":0.1}', b'{"a":0.10000000000000001}', b'{"a":12345678901234567890}',
    b'{"a":12345678901234567891}', b"5;x=1\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n", b"0\r\n\r\n", b"a+b=1", b"a%20b=1", b"=1", b"a=1;b=2",
    b"--XX\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1\r\n--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX--\r\n",
    b"--XX\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n2\r\n--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX--\r\n",
]
TREES = [{"a": 1}, {"a": 1.0}, {"a": 2}, {"id": 1, "a": 1}, {}, {"a": [1, {"b": None}]}]


def some_request(has_trees):
    headers = []
    kind = chance.choice(TYPES)
    if kind is not None and chance.random() < 0.9:
        headers.append([chance.choice(["Content-Type", "content-type"]), kind])
    if chance.random() < 0.15:
        headers.append(["Transfer-Encoding", "chunked"])
    if chance.random() < 0.4:
        headers.append([chance.choice(["Authorization", "X-A", "x-a"]), chance.choice(["1", "2", "a"])])
    if chance.random() < 0.15:
        headers.append(["X-List", chance.sample(["1", "2", "a"], 2)])
    body = chance.choice(BODIES)
    if chance.random() < 0.08:
        body = None
    if has_trees and chance.random() < 0.08:
        body = chance.choice(TREES)
    if not has_trees and body and b"password" in body:
        # What cassetter hides in a text is not simulated.
        body = b""
    method = chance.choice(["POST", "POST", "POST", "GET", "post", "PUT"])
    return {"method": method, "uri": chance.choice(URIS), "headers": headers, "body": body}


def changed(request, has_trees):
    """Returns a request that is like another one in most parts."""
    other = some_request(has_trees)
    request = dict(request)
    for key in request:
        if chance.random() < 0.12:
            request[key] = other[key]
    return request


def pairs(request):
    """Returns the headers of a request, each value with its name."""
    values = [(name, value if isinstance(value, list) else [value]) for name, value in request["headers"]]
    return [[name, value] for name, values in values for value in values]


def written(request):
    request = {**request, "headers": pairs(request)}
    body = request["body"]
    if isinstance(body, bytes):
        body = {"base64": base64.b64encode(body).decode()}
    elif body is not None:
        body = {"tree": json.dumps(body)}
    return {**request, "body": body}


def subset(names, least=1):
    return chance.sample(names, chance.randint(least, len(names)))


def literal(key, value):
    """Writes a value of a setting as tests write it."""
    if key == "record_mode" and owner == "vcrpy" and chance.random() < 0.5:
        return chance.choice(["vcr.mode.", "RecordMode."]) + value.upper()
    if isinstance(value, list) and chance.random() < 0.3:
        return repr(tuple(value))
    return repr(value)


def arguments(settings):
    return "".join(f", {key}={literal(key, value)}" for key, value in settings.items())


def entries(settings):
    return ", ".join(f"{key!r}: {literal(key, value)}" for key, value in settings.items())


def test_code(settings, name):
    """Writes a test with settings in one of the ways that its plugin or its recorder reads, and the path of its cassette."""
    module, recorder = ("vcr", "VCR") if owner == "vcrpy" else ("cassetter", "Cassetter")
    # Only the call may have these.
    of_call = {"allow_playback_repeats", "additional_matchers"}
    far = {key: value for key, value in settings.items() if key not in of_call and chance.random() < 0.5}
    near = {key: value for key, value in settings.items() if key not in far}
    start = f"import pytest\nimport {module}\nfrom vcr.record_mode import RecordMode\n"
    style = chance.choice(["call", "with", "recorder", "plugin", "fixture"])
    if style == "plugin":
        text = f"@pytest.mark.vcr({arguments(settings)[2:]})\ndef test_a(): ...\n"
    elif style == "fixture":
        text = f"@pytest.fixture\ndef vcr_config():\n    return {{{entries(far)}}}\n@pytest.mark.vcr({arguments(near)[2:]})\ndef test_a(): ...\n"
    elif style == "recorder":
        text = f"mine = {module}.{recorder}({arguments(far)[2:]})\n@mine.use_cassette({name!r}{arguments(near)})\ndef test_a(): ...\n"
    elif style == "with":
        text = f"def test_a():\n    with {module}.use_cassette({name!r}{arguments(settings)}):\n        pass\n"
    else:
        text = f"@{module}.use_cassette({name!r}{arguments(settings)})\ndef test_a(): ...\n"
    path = f"cassettes/test_m/test_a{Path(name).suffix}" if style in ["plugin", "fixture"] else name
    return {"code": start + text, "path": path}


def vcrpy_case():
    import vcr
    from vcr.cassette import Cassette
    from vcr.request import Request
    from vcr.serialize import serialize
    from vcr.serializers import jsonserializer, yamlserializer

    with contextlib.suppress(AttributeError):
        vcr.matchers.log.disabled = True
    stored = [some_request(True) for _ in range(chance.randint(0, 4))]
    stored += [changed(chance.choice(stored), True) for _ in range(chance.randint(0, 3)) if stored]
    sent = [changed(chance.choice(stored), True) if stored and chance.random() < 0.9 else some_request(True)
            for _ in range(chance.randint(1, 6))]
    matchers = ["method", "scheme", "host", "port", "path", "query", "uri", "headers", "raw_body", "body"]
    settings = {"record_mode": chance.choice(["none", "none", "once", "once", "new_episodes", "all", "any"])}
    if chance.random() < 0.75:
        settings["match_on"] = subset(matchers) if chance.random() < 0.5 else chance.choice(
            [["method", "uri", "body"], ["body"], ["method", "path", "body"], ["uri"], ["raw_body"], ["headers", "path"], ["query"]])
    if chance.random() < 0.3:
        settings["allow_playback_repeats"] = True
    if chance.random() < 0.1:
        settings["additional_matchers"] = subset(["body", "raw_body", "headers", "url"])
    filters = {
        "filter_headers": ["authorization", ("x-a", "F"), ("X-A", None)],
        "filter_query_parameters": ["key", ("user", "U"), ("a", None), ("api_key", "é x")],
        "filter_post_data_parameters": ["id", ("a", "F"), ("model", None)],
    }
    for key, values in filters.items():
        if chance.random() < 0.2:
            settings[key] = subset(values)
    version = [int(part) for part in vcr.__version__.split(".")[:2]]
    if version >= [9, 0] and "filter_post_data_parameters" in settings and chance.random() < 0.4:
        settings["filter_nested_post_data_parameters"] = True
    if chance.random() < 0.15:
        settings["ignore_hosts"] = subset(["b.dev", "a.dev", "localhost"])
    if chance.random() < 0.1:
        settings["ignore_localhost"] = True
    path = Path(folder.name) / "case.yaml"
    path.unlink(missing_ok=True)
    text, name = None, "yaml"
    if chance.random() < 0.9:
        def headers(r):
            return {name: value if isinstance(value, list) else [value] for name, value in r["headers"]}

        def request(r):
            return Request(r["method"], r["uri"], r["body"], headers(r))
        answers = [{"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": str(index)}}
                   for index in range(len(stored))]
        with contextlib.suppress(TypeError, UnicodeDecodeError):
            serializer, name = chance.choice([(yamlserializer, "yaml"), (yamlserializer, "yaml"), (jsonserializer, "json")])
            text = serialize({"requests": [request(r) for r in stored], "responses": answers}, serializer)
            path.write_text(text)
    case = {"version": version, "text": text, "requests": [written(request) for request in sent], **test_code(settings, f"case.{name}")}
    config = vcr.VCR().get_merged_config(path=str(path), serializer=name, **settings)
    for key in ("path_transformer", "func_path_generator", "record_on_exception"):
        config.pop(key)
    try:
        cassette = Cassette.load(**config)
    except Exception as error:
        return {**case, "load": type(error).__name__}
    case["answers"] = [vcrpy_answer(cassette, Request, request, number) for number, request in enumerate(sent)]
    return case


def vcrpy_answer(cassette, Request, request, number):
    body = request["body"]
    request = Request(request["method"], request["uri"], body, {name: value for name, value in request["headers"]})
    try:
        if cassette.can_play_response_for(request):
            answer = cassette.play_response(request)["body"]["string"].decode()
            return {"new": int(answer[1:])} if answer.startswith("n") else {"played": int(answer)}
        filtered = cassette.filter_request(request)
        if cassette.write_protected and filtered:
            if not cassette.rewound and not len(cassette):
                return "no-file"
            similar = cassette.find_requests_with_most_matches(request)
            places = {id(stored): int(response["body"]["string"]) for stored, response in cassette.data}
            candidates = [[places[id(other)], succeeded, [name for name, _ in failed]] for other, succeeded, failed in similar]
            if similar and not similar[0][2]:
                return {"used": [place for place, _, _ in candidates]}
            return {"none": candidates}
        if not filtered:
            return "ignored"
        answer = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": f"n{number}".encode()}}
        cassette.append(request, answer)
        return "recorded"
    except Exception as error:
        return {"raises": type(error).__name__}


def cassetter_case():
    from cassetter._core import MatchConfig, SecurityConfig
    from cassetter.cassette import Cassette, NoMatchError
    from cassetter.recording import RecordMode

    def headers(request):
        values = {}
        for name, value in pairs(request):
            values.setdefault(name.lower(), []).append(value)
        return values

    stored = [some_request(False) for _ in range(chance.randint(0, 4))]
    stored += [changed(chance.choice(stored), False) for _ in range(chance.randint(0, 3)) if stored]
    sent = [changed(chance.choice(stored), False) if stored and chance.random() < 0.9 else some_request(False)
            for _ in range(chance.randint(1, 6))]
    settings = {"record_mode": chance.choice(["none", "none", "once", "once", "new_episodes", "all", "rewrite", "verify"])}
    if chance.random() < 0.7:
        settings["match_on"] = subset(["method", "uri", "headers", "body", "json_body"])
    if chance.random() < 0.3:
        settings["ignore_json_paths"] = subset(["a", "model", "messages[0].content", "b.id", "b", "[0]"])
    if chance.random() < 0.15:
        settings["ignore_hosts"] = subset(["b.dev", "?.DEV", "local*"])
    if chance.random() < 0.1:
        settings["ignore_localhost"] = True
    filters = {
        "filter_headers": ["authorization", "X-A", "x-list"], "filter_query_parameters": ["key", "user", "a", "API_KEY"],
        "filter_replacement": ["F", "é x"],
    }
    for key, values in filters.items():
        if chance.random() < 0.2:
            settings[key] = chance.choice(values) if key == "filter_replacement" else subset(values)
    security = SecurityConfig(
        settings.get("filter_headers"), settings.get("filter_query_parameters"), None, settings.get("filter_replacement"))
    path = Path(folder.name) / "case.yaml"
    path.unlink(missing_ok=True)
    text, places = None, {}
    if chance.random() < 0.9 and stored:
        recorder = Cassette(path, record_mode=RecordMode.ALL, security_config=security)
        recorder.load()
        for index, request in enumerate(stored):
            recorder.record(request["method"], request["uri"], headers(request), request["body"], 200, {}, f"r{index}".encode())
        recorder.save()
        text = path.read_text()
        for place, interaction in enumerate(yaml.safe_load(text)["interactions"]):
            places[interaction["response"]["body"]["content"]] = place
    case = {"text": text, "requests": [written(request) for request in sent], **test_code(settings, "case.yaml")}
    cassette = Cassette(
        path, record_mode=RecordMode.from_str(settings["record_mode"]),
        match_config=MatchConfig(settings.get("match_on"), settings.get("ignore_json_paths")), security_config=security,
        ignore_localhost=settings.get("ignore_localhost", False), ignore_hosts=settings.get("ignore_hosts"))
    cassette.load()
    case["answers"] = []
    for request in sent:
        if cassette.should_bypass(request["uri"]):
            case["answers"].append("ignored")
            continue
        parts = (request["method"], request["uri"], headers(request), request["body"])
        try:
            _, response = cassette.match(*parts)
            case["answers"].append({"played": places[response.body.content]})
        except NoMatchError:
            if cassette.can_record:
                cassette.record(*parts, 200, {}, b"n")
                case["answers"].append("recorded")
            else:
                case["answers"].append("refused")
    return case


make = {"vcrpy": vcrpy_case, "cassetter": cassetter_case}[owner]
for _ in range(count):
    print(json.dumps(make()))
sys.stdout.flush()
os._exit(0) if owner == "cassetter" else None
