"""Plays generated files of mocks by the program that owns them, over HTTP, and prints each with what it answered.

    python play_mocks.py httpmock|aimock COUNT SEED COMMAND...

The command starts the owner, which prints its address. httpmock's then loads a file for each line that it reads, and aimock takes fixtures
over HTTP. Prints a JSON object a line: the text of the file, the requests, and for each request the position of the mock that answered.
"""
import base64
import http.client
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

owner, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
process = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
line = process.stdout.readline()
while "http://" not in line:
    assert line, "the owner ended"
    line = process.stdout.readline()
host = line.split("http://")[1].split()[0].strip("/")
connection = http.client.HTTPConnection(host)
folder = tempfile.TemporaryDirectory()


def send(method, path, headers, body):
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    return answer.status, answer.read()


def subset(values, most=2):
    return chance.sample(values, chance.randint(1, min(most, len(values))))


def written(method, path, headers, body):
    all_headers = [["Host", host], *headers, ["Content-Length", str(len(body))]]
    return {"method": method, "uri": f"http://{host}{path}", "headers": all_headers, "body": {"base64": base64.b64encode(body).decode()}}


PATHS = ["/v1/chat", "/v1/chat/", "/V1/chat", "/v1/messages", "/v1", "/v1/ch%61t"]
QUERIES = ["", "", "?a=1", "?a=1&b=2", "?b=2&a=1", "?a=1&a=2", "?a=", "?a=x+y", "?a=%C3%A9", "?A=1"]
HEADERS = [["X-A", "1"], ["x-a", "2"], ["X-B", "Word"], ["x-b", "word"], ["Accept", "text/html"], ["X-A", ""], ["X-A", "12"]]
BODIES = ['{"a":1,"b":"x"}', '{"b":"x","a":1}', '{"a": 1.0, "b": "x"}', '{"a":1}', '{"a":[1,2]}', '{"a":[2,1]}', '{"a":{"b":1,"c":2}}', "", "text", "Text x",
          "a=1&b=2", '{"a":1', "null", '"x"', '{"a":null}', '{"a":1,"a":2}']
TEXTS = ["1", "2", "x", "Word", "word", "", "é", "x y", "12"]


def httpmock_case():
    def texts(values):
        return subset(values)

    def pairs(names):
        return [{"name": chance.choice(names), "value": chance.choice(TEXTS)} for _ in range(chance.randint(1, 2))]

    def mock(number):
        when = {}
        if chance.random() < 0.6:
            when["path"] = chance.choice(PATHS)
        if chance.random() < 0.5:
            when["method"] = chance.choice(["POST", "PUT"])
        for _ in range(chance.randint(0, 2)):
            test = chance.choice(["_not", "_contains", "_excludes", "_prefix", "_suffix", "_prefix_not", "_suffix_not", "_matches"])
            part = chance.choice(["path", "body", "query_param", "header"])
            if part in ["query_param", "header"]:
                test = chance.choice([test, "", "_exists", "_missing", ""])
                names = ["a", "b", "A"] if part == "query_param" else ["x-a", "X-B", "accept"]
                when[part + test] = subset(names) if test in ["_exists", "_missing"] else pairs(names)
                if test == "_matches":
                    when[part + test] = [{"name": f"^{pair['name']}$", "value": pair["value"]} for pair in when[part + test]]
            elif part == "path":
                when[part + test] = texts([*PATHS, "/v1/c", "chat", "t", "(chat|x)$"])
            else:
                patterns = ["T.*x", "^text", "1$", "[ab]=", "b.:.x"]
                when[part + test] = texts(patterns if test == "_matches" else ["{", "x", '"a":1', "}", "text", *BODIES])
        kind = chance.random()
        if kind < 0.3:
            when["body"] = chance.choice(BODIES)
        elif kind < 0.35:
            when["body_base64"] = base64.b64encode(chance.choice(BODIES).encode()).decode()
        elif kind < 0.6:
            value = chance.choice([{"a": 1, "b": "x"}, {"a": 1.0}, {"a": 1}, {"a": [1]}, {"a": {"b": 1}}, {"a": None}, [1], "x", {}])
            key = chance.choice(["json_body", "json_body", "json_body_not", "json_body_includes", "json_body_excludes"])
            when[key] = [value] if key.endswith("cludes") else value
        return {"when": when, "then": {"status": 200, "body": f"mock {number}"}}

    mocks = [mock(number) for number in range(chance.randint(1, 4))]
    # JSON is YAML.
    text = "\n---\n".join(json.dumps(mock, indent=1, ensure_ascii=False) for mock in mocks) + "\n"
    path = Path(folder.name) / "case.yaml"
    path.write_text(text)
    process.stdin.write(f"{path}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "loaded\n", text
    case = {"text": text, "requests": [], "answers": []}
    for _ in range(chance.randint(1, 4)):
        when = chance.choice(mocks)["when"]
        like = chance.random() < 0.7
        path = when.get("path", chance.choice(PATHS)) if like else chance.choice(PATHS)
        body = when.get("body", chance.choice(BODIES)) if like else chance.choice(BODIES)
        if like and "json_body" in when:
            body = json.dumps(when["json_body"])
        method = when.get("method", "POST") if like else chance.choice(["POST", "PUT"])
        parts = (method, path + chance.choice(QUERIES), subset(HEADERS, 3), body.encode())
        status, answer = send(*parts)
        case["requests"].append(written(*parts))
        case["answers"].append({"played": int(answer.split()[1])} if status == 200 else "refused")
    return case


WORDS = ["Hi", "weather", "Weather in Rome", "Rome", "tomorrow", "", "be brief", "sunny"]
MODELS = ["gpt-4o", "gpt-4o-mini", "gpt-4o-2024-08-06", "gpt-4", "gpt-4.1", "claude-sonnet-4-5"]


def fixture(number):
    match = {}
    values = {
        "userMessage": WORDS, "systemMessage": [*WORDS, ["Hi", "be"], ["be brief"]], "toolCallId": ["c1", "c2"],
        "toolResultContains": ["sunny", "sun"], "toolName": ["get", "put"], "model": MODELS, "hasToolResult": [True, False],
        "responseFormat": ["json_object"], "endpoint": ["chat", "chat", "embedding"], "context": ["one"], "turnIndex": [0, 1, 2, 3],
        "sequenceIndex": [0, 1, 2], "inputText": ["Hi"],
    }
    for key, choices in values.items():
        if chance.random() < {"userMessage": 0.6, "turnIndex": 0.3, "sequenceIndex": 0.2, "inputText": 0.02}.get(key, 0.1):
            match[key] = chance.choice(choices)
    return {"match": match, "response": {"content": f"mock {number}"}}


def turns():
    """Returns the steps of a conversation: who says what."""
    steps = []
    for _ in range(chance.randint(1, 3)):
        steps.append(("user", chance.choice(WORDS)))
        if chance.random() < 0.4:
            calls = subset(["c1", "c2"])
            steps.append(("calls", calls))
            steps.append(("results", [(call, chance.choice(["sunny", "rain"])) for call in calls]))
            if chance.random() < 0.2:
                steps.append(("both", ("c1", "sunny", chance.choice(WORDS))))
        if chance.random() < 0.6:
            steps.append(("assistant", chance.choice(WORDS)))
    return steps if chance.random() < 0.3 or steps[-1][0] != "assistant" else steps[:-1]


def chat(steps, system, model, tools):
    messages = [{"role": chance.choice(["system", "system", "developer"]), "content": text} for text in system]
    for kind, value in steps:
        if kind == "user":
            content = chance.choice([value, [{"type": "text", "text": value}]])
            messages.append({"role": "user", "content": content})
            if chance.random() < 0.1:
                messages.append({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]})
        elif kind == "calls":
            calls = [{"id": call, "type": "function", "function": {"name": "get", "arguments": "{}"}} for call in value]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        elif kind == "results":
            messages += [{"role": "tool", "tool_call_id": call, "content": text} for call, text in value]
        elif kind == "both":
            messages += [{"role": "tool", "tool_call_id": value[0], "content": value[1]}, {"role": "user", "content": value[2]}]
        else:
            messages.append({"role": "assistant", "content": value})
    body = {"model": model, "messages": messages, "tools": [{"type": "function", "function": {"name": name}} for name in tools]}
    if chance.random() < 0.2:
        body["response_format"] = {"type": chance.choice(["json_object", "text"])}
    return "/v1/chat/completions", body


def responses(steps, system, model, tools):
    items = [{"role": chance.choice(["system", "developer"]), "content": text} for text in system[1:]]
    for kind, value in steps:
        if kind == "user":
            items.append({"role": "user", "content": chance.choice([value, [{"type": "input_text", "text": value}]])})
        elif kind == "calls" and chance.random() < 0.8:
            items += [{"type": "function_call", "call_id": call, "name": "get", "arguments": "{}"} for call in value]
        elif kind == "results":
            items += [{"type": "function_call_output", "call_id": call, "output": text} for call, text in value]
        elif kind == "both":
            items += [{"type": "function_call_output", "call_id": value[0], "output": value[1]}, {"role": "user", "content": value[2]}]
        elif kind == "assistant":
            items.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": value}]})
    body = {"model": model, "input": items, "tools": [{"type": "function", "name": name} for name in tools]}
    return "/v1/responses", {**body, **({"instructions": system[0]} if system else {})}


def messages(steps, system, model, tools):
    all_messages = []
    for kind, value in steps:
        if kind == "calls":
            blocks = [{"type": "tool_use", "id": call, "name": "get", "input": {}} for call in value]
            all_messages.append({"role": "assistant", "content": blocks})
        elif kind == "results":
            blocks = [{"type": "tool_result", "tool_use_id": call, "content": chance.choice([text, [{"type": "text", "text": text}]])} for call, text in value]
            all_messages.append({"role": "user", "content": blocks})
        elif kind == "both":
            blocks = [{"type": "tool_result", "tool_use_id": value[0], "content": value[1]}, {"type": "text", "text": value[2]}]
            all_messages.append({"role": "user", "content": blocks})
        else:
            content = chance.choice([value, [{"type": "text", "text": value}]]) if value else value
            all_messages.append({"role": kind, "content": content})
    body = {"model": model, "max_tokens": 9, "messages": all_messages, "tools": [{"name": name, "input_schema": {}} for name in tools]}
    return "/v1/messages", {**body, **({"system": system[0]} if system else {})}


def gemini(steps, system, model, tools):
    contents = []
    for kind, value in steps:
        if kind == "calls":
            contents.append({"role": "model", "parts": [{"functionCall": {"name": "get", "args": {}}} for _ in value]})
        elif kind == "results":
            contents.append({"role": "user", "parts": [{"functionResponse": {"name": "get", "response": {"text": text}}} for _, text in value]})
        elif kind == "both":
            contents.append({"role": "user", "parts": [{"functionResponse": {"name": "get", "response": {"text": value[1]}}}, {"text": value[2]}]})
        else:
            contents.append({"role": "user" if kind == "user" else "model", "parts": [{"text": value}]})
    body = {"contents": contents, "tools": [{"functionDeclarations": [{"name": name}]} for name in tools]}
    body = {**body, **({"systemInstruction": {"parts": [{"text": system[0]}]}} if system else {})}
    return f"/v1beta/models/{model}:generateContent", body


def aimock_case():
    fixtures = [fixture(number) for number in range(chance.randint(1, 6))]
    # The same conditions in a sequence.
    for index in range(len(fixtures)):
        if index and "sequenceIndex" in fixtures[index]["match"] and chance.random() < 0.5:
            fixtures[index]["match"] = {**fixtures[index - 1]["match"], "sequenceIndex": chance.choice([0, 1, 2])}
    text = json.dumps({"fixtures": fixtures}, indent=chance.choice([None, 2]))
    send("POST", "/__aimock/reset", [], b"")
    status, answer = send("POST", "/__aimock/fixtures", [["Content-Type", "application/json"]], text.encode())
    assert status == 200, answer
    case = {"text": text, "requests": [], "answers": []}
    for _ in range(chance.randint(1, 4)):
        if case["requests"] and chance.random() < 0.4:
            parts = chance.choice(sent)
        else:
            make = chance.choice([chat, chat, responses, messages, gemini])
            system = subset(WORDS) if chance.random() < 0.4 else []
            path, body = make(turns(), system, chance.choice(MODELS), subset(["get", "put"]) if chance.random() < 0.4 else [])
            headers = [["Content-Type", "application/json"]] + ([["X-Aimock-Context", "one"]] if chance.random() < 0.1 else [])
            parts = ("POST", path, headers, json.dumps(body).encode())
        sent = [parts] if not case["requests"] else [*sent, parts]
        status, answer = send(*parts)
        case["requests"].append(written(*parts))
        assert status in [200, 404], (status, answer)
        case["answers"].append({"played": int(answer.split(b"mock ")[1].split(b'"')[0])} if status == 200 else "refused")
    return case


make = {"httpmock": httpmock_case, "aimock": aimock_case}[owner]
try:
    for _ in range(count):
        print(json.dumps(make()))
    sys.stdout.flush()
finally:
    process.kill()
