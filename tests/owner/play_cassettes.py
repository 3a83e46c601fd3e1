"""Plays generated cassettes by the program that owns them, and prints each with what it answered.

    python play_cassettes.py vcrpy|cassetter COUNT SEED

Prints a JSON object a line: the text of a cassette (null where there is none), the settings, the requests, and for each request what the
owner did with it: the calls by their positions in the file, the candidates that its error names, or the exception.
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
    body = chance.choice(BODIES)
    if chance.random() < 0.08:
        body = None
    if has_trees and chance.random() < 0.08:
        body = chance.choice(TREES)
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


def written(request):
    body = request["body"]
    if isinstance(body, bytes):
        body = {"base64": base64.b64encode(body).decode()}
    elif body is not None:
        body = {"tree": body}
    return {**request, "body": body}


def subset(names, least=1):
    return chance.sample(names, chance.randint(least, len(names)))


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
    filters = {
        "filter_headers": ["authorization", ("x-a", "F"), ("X-A", None)],
        "filter_query_parameters": ["key", ("user", "U"), ("a", None), ("api_key", "é x")],
        "filter_post_data_parameters": ["id", ("a", "F"), ("model", None)],
    }
    for key, values in filters.items():
        if chance.random() < 0.2:
            settings[key] = subset(values)
    if chance.random() < 0.15:
        settings["ignore_hosts"] = subset(["b.dev", "a.dev", "localhost"])
    if chance.random() < 0.1:
        settings["ignore_localhost"] = True
    path = Path(folder.name) / "case.yaml"
    path.unlink(missing_ok=True)
    text = None
    if chance.random() < 0.9:
        def request(r):
            return Request(r["method"], r["uri"], r["body"], {name: [value] for name, value in r["headers"]})
        answers = [{"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": str(index)}}
                   for index in range(len(stored))]
        with contextlib.suppress(TypeError, UnicodeDecodeError):
            serializer, name = chance.choice([(yamlserializer, "yaml"), (yamlserializer, "yaml"), (jsonserializer, "json")])
            text = serialize({"requests": [request(r) for r in stored], "responses": answers}, serializer)
            settings["serializer"] = name
            path.write_text(text)
    case = {"version": [int(part) for part in vcr.__version__.split(".")[:2]], "text": text, "settings": settings,
            "requests": [written(request) for request in sent]}
    config = vcr.VCR().get_merged_config(path=str(path), **settings)
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
        for name, value in request["headers"]:
            values.setdefault(name.lower(), []).append(value)
        return values

    stored = [some_request(False) for _ in range(chance.randint(0, 4))]
    stored += [changed(chance.choice(stored), False) for _ in range(chance.randint(0, 3)) if stored]
    sent = [changed(chance.choice(stored), False) if stored and chance.random() < 0.9 else some_request(False)
            for _ in range(chance.randint(1, 6))]
    settings = {"record_mode": chance.choice(["none", "none", "once", "once", "new_episodes", "all"])}
    if chance.random() < 0.7:
        settings["match_on"] = subset(["method", "uri", "headers", "body", "json_body"])
    if chance.random() < 0.3:
        settings["ignore_json_paths"] = subset(["a", "model", "messages[0].content", "b.id", "b", "[0]"])
    if chance.random() < 0.15:
        settings["ignore_hosts"] = subset(["b.dev", "?.DEV", "local*"])
    if chance.random() < 0.1:
        settings["ignore_localhost"] = True
    path = Path(folder.name) / "case.yaml"
    path.unlink(missing_ok=True)
    text, places = None, {}
    if chance.random() < 0.9 and stored:
        recorder = Cassette(path, record_mode=RecordMode.ALL)
        recorder.load()
        for index, request in enumerate(stored):
            recorder.record(request["method"], request["uri"], headers(request), request["body"], 200, {}, f"r{index}".encode())
        recorder.save()
        text = path.read_text()
        for place, interaction in enumerate(yaml.safe_load(text)["interactions"]):
            places[interaction["response"]["body"]["content"]] = place
    case = {"text": text, "settings": settings, "requests": [written(request) for request in sent]}
    cassette = Cassette(
        path, record_mode=RecordMode.from_str(settings["record_mode"]),
        match_config=MatchConfig(settings.get("match_on"), settings.get("ignore_json_paths")), security_config=SecurityConfig(),
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
