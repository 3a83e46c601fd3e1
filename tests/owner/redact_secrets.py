"""Plants secrets in every place and layer of files, and has the program find and replace them.

    python redact_secrets.py RETAKE COUNT SEED

Makes COUNT files with a secret each, and an eighth as many without any. Checks that `check` and `redact --check` agree on each file;
that after `redact` neither `check` nor a decoder of its own finds the secret in any layer; that all other values are what they were,
and all other lines; and that vcrpy, where it is installed, loads the cassettes. Prints what is wrong.
"""
import base64
import difflib
import gzip
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse
import zlib
from binascii import crc32
from collections import Counter
from pathlib import Path
from struct import pack, unpack

import yaml

try:
    import brotli
except ImportError:
    brotli = None
try:
    import zstandard
except ImportError:
    zstandard = None
try:
    from vcr.serialize import deserialize
    from vcr.serializers import yamlserializer
except ImportError:
    deserialize = None

program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
PLACEHOLDER = re.compile(r"\[redacted-[a-z-]+-\d{12}\]|redacted-\d{12}@example\.com")


def letters(length):
    return "".join(chance.choice(LETTERS) for _ in range(length))


def b64(data):
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def any_secret():
    return chance.choice([
        lambda: "ghp_" + letters(36), lambda: "sk-proj-" + letters(48) + "7", lambda: "glpat-" + letters(18) + "4Z",
        lambda: letters(5).lower() + "." + letters(7).lower() + "@nordlicht-" + letters(6).lower() + ".de",
    ])()


def split(text):
    while text:
        size = chance.randint(3, 9)
        yield text[:size]
        text = text[size:]


EVENTS = {
    "chat": lambda t: {"id": "c1", "choices": [{"index": 0, "delta": {"content": t}}]},
    "chat-arguments": lambda t: {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": t}}]}}]},
    "chat-reasoning": lambda t: {"choices": [{"index": 0, "delta": {"reasoning_content": t}}]},
    "responses": lambda t: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": t},
    "responses-arguments": lambda t: {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": t},
    "messages": lambda t: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}},
    "messages-thinking": lambda t: {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": t}},
    "messages-input": lambda t: {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": t}},
    "gemini": lambda t: {"candidates": [{"content": {"parts": [{"text": t}], "role": "model"}}], "modelVersion": "g"},
    "converse": lambda t: {"contentBlockIndex": 0, "delta": {"text": t}},
}


def message(payload):
    head = b"\x0b:event-type\x07\x00\x05chunk"
    start = pack(">II", 16 + len(head) + len(payload), len(head))
    start += pack(">I", crc32(start)) + head + payload
    return start + pack(">I", crc32(start))


def stream(text, form):
    make = EVENTS[chance.choice(list(EVENTS))]
    if form == "amazon":
        return b"".join(message(json.dumps(make(piece)).encode()) for piece in split(text))
    if form == "amazon-bytes":
        return b"".join(message(json.dumps({"bytes": b64(json.dumps(make(piece))), "p": "abc"}).encode()) for piece in split(text))
    events = [json.dumps(make(piece), ensure_ascii=chance.random() < 0.5) for piece in split(text)]
    if form == "lines":
        return "\n".join(events) + "\n"
    return "".join(f"event: x\ndata: {event}\n\n" for event in events) + "data: [DONE]\n\n"


def escape(text, form):
    at = chance.randrange(len(text))
    if form == "percent":
        return urllib.parse.quote(text[:at], safe="") + "%%%02X" % ord(text[at]) + urllib.parse.quote(text[at + 1:], safe="")
    if form == "percent-twice":
        return escape(text, "percent").replace("%", "%25")
    if form == "entity":
        return text[:at] + chance.choice(["&#%d;", "&#x%x;"]) % ord(text[at]) + text[at + 1:]
    return text[:at] + "\\u%04x" % ord(text[at]) + text[at + 1:]


def content(secret, value):
    """A body: its text or bytes, its type, and how it is called here. `value` is a secret only by its name."""
    before = chance.choice(["\n", "\t", "é ", "\r\n", "a: ", "\\ ", '"'])
    said = f"Look:{before}{secret}\nand more, café"
    kinds = ["json", "nested", "named", "escaped", "html", "percent", "percent-twice", "entity", "script", "base64", "base64-twice", "url",
             "form", "multipart", "events", "lines", "whole-event", "amazon", "amazon-bytes", "arguments", "text", "key"]
    kind = chance.choice(kinds)
    js, page = "application/json", "text/html"
    body = {"id": "x1", "list": [1, 2.50, None, {"content": said}]}
    if kind == "json":
        return json.dumps(body, ensure_ascii=chance.random() < 0.5), js, kind, secret
    if kind == "nested":
        for _ in range(chance.randint(1, 3)):
            body = {"a": [json.dumps(body)], "b": "c"}
        return json.dumps(body), js, kind, secret
    if kind == "named":
        body = {"token": value, "n": 1}
        for _ in range(chance.randint(0, 3)):
            body = {"a": json.dumps(body), "b": "c"}
        return json.dumps(body), js, kind, value
    if kind == "key":
        return json.dumps({"a": {secret: 1}}), js, kind, secret
    if kind == "escaped":
        return '{"a": "Mail:\\n' + escape(secret, "unicode") + ' there"}', js, kind, secret
    if kind in ("percent", "percent-twice"):
        link = f"https://a.example/?q={escape(secret, kind)}&amp;b=1"
        return chance.choice([f'<a href="{link}">go</a>\n', json.dumps({"link": link})]), page, kind, secret
    if kind == "entity":
        return f"<p>Write to {escape(secret, kind)} &amp; go</p>\n<b>é</b>\n", page, kind, secret
    if kind == "script":
        return f'<script>var a = {{"m": "x {escape(secret, "unicode")} y"}};</script>\n', page, kind, secret
    if kind == "html":
        return f"<p>Write to\n<b>{secret}</b> today</p>\n", page, kind, secret
    if kind in ("base64", "base64-twice"):
        inner = b64(json.dumps({"config": said}))
        inner = b64("see " + inner + " there") if kind == "base64-twice" else inner
        return json.dumps({"data": inner, "b": 1}), js, kind, secret
    if kind == "url":
        nested = urllib.parse.quote(f"https://b.example/x?sig={value}&a=b", safe="")
        return json.dumps({"next": f"https://a.example/?u={nested}&c=d"}), js, kind, value
    if kind == "form":
        if chance.random() < 0.5:
            return f"grant_type=refresh&refresh_token={value}&scope=a+b", "application/x-www-form-urlencoded", kind, value
        return f"a=b&text={urllib.parse.quote_plus(said)}&c=d", "application/x-www-form-urlencoded", kind, secret
    if kind == "multipart":
        name, text, planted = chance.choice([("token", value, value), ("note", said, secret)])
        parts = f'--x1\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n--x1\r\nContent-Disposition: form-data; name="b"\r\n\r\nc\r\n'
        binary = b'--x1\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n\x00\xff\xfe\r\n' if chance.random() < 0.5 else b""
        return parts.encode() + binary + b"--x1--\r\n", "multipart/form-data; boundary=x1", kind, planted
    if kind in ("events", "lines", "amazon", "amazon-bytes"):
        types = {"events": "text/event-stream", "lines": "application/x-ndjson"}
        return stream(said, kind), types.get(kind, "application/vnd.amazon.eventstream"), kind, secret
    if kind == "whole-event":
        return f'data: {json.dumps({"choices": [{"delta": {"content": said}}]})}\n\n', "text/event-stream", kind, secret
    if kind == "arguments":
        planted, text = chance.choice([(secret, {"to": said}), (value, {"api_key": value, "z": 1})])
        return stream(json.dumps(text), "events"), "text/event-stream", kind, planted
    return f"{said}\nlast line\n", "text/plain", kind, secret


def chunked(data):
    return b"%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (7, data[:7], len(data) - 7, data[7:])


def layered(data, headers):
    """The body as it was sent, in layers that its headers name."""
    codings = {"gzip": gzip.compress, "deflate": zlib.compress}
    if brotli:
        codings["br"] = brotli.compress
    if zstandard:
        codings["zstd"] = zstandard.compress
    name = ""
    if chance.random() < 0.4:
        name = chance.choice(list(codings))
        headers["content-encoding"] = [name]
        data = codings[name](data)
    if chance.random() < 0.15:
        headers["transfer-encoding"] = ["chunked"]
        data, name = chunked(data), name + "+chunked"
    return data, name


class Quoted(str):
    pass


yaml.SafeDumper.add_representer(Quoted, lambda d, text: d.represent_scalar("tag:yaml.org,2002:str", text, style=chance.choice("'\"|")))
Loader, Dumper = getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeDumper


def cassette():
    secret, value = any_secret(), letters(40) + "9"
    place = chance.choice(["request", "response", "response", "response", "header", "uri", "cookie", "basic"])
    request = {"body": "", "headers": {"accept": ["*/*"]}, "method": "POST", "uri": "https://a.example/v1?a=b"}
    response = {"body": {"string": "{}"}, "headers": {}, "status": {"code": 200, "message": "OK"}}
    how, planted = place, value
    if place == "header":
        how = chance.choice(["x-api-key", "api-key", "Ocp-Apim-Subscription-Key", "X-Vault-Token", "X-Auth-Token", "X-Amz-Security-Token", "authorization"])
        request["headers"][how] = ["Bearer " + value if how == "authorization" else value]
    elif place == "uri":
        how, planted, end = chance.choice([
            ("sig", value, f"sig={value}"), ("nested", value, "u=" + urllib.parse.quote(f"https://b.example/?sig={value}&c=d", safe="")),
            ("address", secret, f"m={escape(secret, 'percent')}"), ("twice", secret, f"m={escape(secret, 'percent-twice')}")])
        request["uri"] += "&" + end + "&z=1"
    elif place == "cookie":
        name, side = chance.choice([("cookie", request), ("set-cookie", response)])
        end = "; lang=en" if name == "cookie" else "; path=/"
        side["headers"][name] = [f"sessionid={value}{end}"]
    elif place == "basic":
        planted = b64(f"anna:{value}")
        request["headers"]["authorization"] = ["Basic " + planted]
    else:
        text, kind, how, planted = content(secret, value)
        data = text.encode() if isinstance(text, str) else text
        side = request if place == "request" else response
        side["headers"]["content-type"] = [kind]
        data, layers = layered(data, side["headers"])
        side["headers"]["content-length"] = [str(len(data))]
        how = f"{how} {layers}".strip()
        try:
            stored = data.decode() if not layers else data
            stored = Quoted(stored) if isinstance(stored, str) and chance.random() < 0.5 else stored
        except UnicodeDecodeError:
            stored = data
        if place == "request":
            request["body"] = stored
        else:
            response["body"]["string"] = stored
    calls = {"interactions": [{"request": request, "response": response}], "version": 1}
    return yaml.dump(calls, Dumper=Dumper, width=chance.choice([80, 1000])), planted, how, ".yaml"


def other():
    secret, value = any_secret(), letters(40) + "9"
    text, kind, how, planted = content(secret, value)
    data = text.encode() if isinstance(text, str) else text
    if chance.random() < 0.5 or isinstance(text, bytes):
        body = {"mimeType": kind, "text": b64(data), "encoding": "base64"}
        if isinstance(text, str) and chance.random() < 0.5:
            body = {"mimeType": kind, "text": text}
        if isinstance(text, bytes):
            return other()
        entry = {"request": {"method": "GET", "url": "https://a.example/", "headers": [{"name": "a", "value": "b"}]}, "response": {"status": 200, "content": body}}
        har = {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [entry]}}
        return json.dumps(har, indent=chance.choice([None, 2])), planted, f"har {how}", ".har"
    messages = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]}]
    answer = {"response": {"content": [{"type": "text", "text": "ok"}]}}
    recording = {"request": {"messages": messages, "tools": []}, "response": answer}
    return json.dumps(recording, indent=2), planted, f"recording {how}", ".json"


def decoded(value, depth=0):
    """Every text that is in a value, without all of its layers."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from decoded(key, depth)
            yield from decoded(inner, depth)
    elif isinstance(value, list):
        for inner in value:
            yield from decoded(inner, depth)
    elif isinstance(value, bytes):
        yield from decoded_bytes(value, depth)
    elif isinstance(value, str) and depth < 9:
        yield value
        starts = [json.JSONDecoder().raw_decode] if value[:1] in "{[" else []
        for decode in starts:
            try:
                yield from decoded(decode(value)[0], depth + 1)
            except ValueError:
                pass
        lines = [line.removeprefix("data: ") for line in value.splitlines()]
        events = [line for line in lines if line.startswith("{")]
        if len(events) > 1:
            yield from joined(events, depth)
            for event in events:
                yield from decoded(event, depth + 1)
        for other in (urllib.parse.unquote(value), html.unescape(value), re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), value)):
            if other != value:
                yield from decoded(other, depth + 1)
        for run in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", value):
            try:
                yield from decoded(base64.b64decode(run, validate=True).decode(), depth + 1)
            except ValueError:
                pass


def joined(events, depth):
    texts = {}
    for event in events:
        try:
            event = json.loads(event)
            if isinstance(event.get("bytes"), str):
                event = json.loads(base64.b64decode(event["bytes"]))
        except ValueError:
            continue
        stack = [("", event)]
        while stack:
            place, node = stack.pop()
            if isinstance(node, dict):
                stack += [(f"{place}/{key}", inner) for key, inner in node.items()]
            elif isinstance(node, list):
                stack += [(f"{place}/{at}", inner) for at, inner in enumerate(node)]
            elif isinstance(node, str):
                texts[place] = texts.get(place, "") + node
    for text in texts.values():
        yield from decoded(text, depth + 1)


def decoded_bytes(data, depth):
    if data[:1].isalnum() and b"\r\n" in data[:12] and data.endswith(b"0\r\n\r\n"):
        rest, data = data, b""
        while rest:
            size, rest = rest.split(b"\r\n", 1)
            data, rest = data + rest[:int(size, 16)], rest[int(size, 16) + 2:]
    ways = [gzip.decompress, zlib.decompress]
    ways += [brotli.decompress] if brotli else []
    ways += [lambda it: zstandard.ZstdDecompressor().decompressobj().decompress(it)] if zstandard else []
    for way in ways:
        try:
            data = way(data)
            break
        except Exception:
            pass
    payloads, rest = [], data
    while len(rest) >= 16:
        total, head = unpack(">II", rest[:8])
        if not 16 <= total <= len(rest) or crc32(rest[:total - 4]) != unpack(">I", rest[total - 4:total])[0]:
            break
        payloads.append(rest[12 + head:total - 4].decode())
        rest = rest[total:]
    if payloads and not rest:
        yield from joined(payloads, depth)
        for payload in payloads:
            yield from decoded(payload, depth + 1)
    else:
        yield from decoded(data.decode("utf-8", "replace"), depth)


def read(text):
    return yaml.load(text, Loader=Loader) if text.startswith("interactions") else json.loads(text)


def same(before, after, secret):
    """Returns the texts with the secret that are not there afterwards with a placeholder in its place."""
    def texts(value, known):
        plain = (html.unescape(urllib.parse.unquote_plus(known(text))) for text in decoded(value))
        return {text for text in plain if "§" in text and not re.search(r"[A-Za-z0-9+/]{24,}|%[0-9A-F]{2}|\\u|&#", text)}
    return texts(before, lambda text: text.replace(secret, "§")) - texts(after, lambda text: PLACEHOLDER.sub("§", urllib.parse.unquote(text)))


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={**os.environ, "RETAKE_NO_CACHE": "1"})
    return done.returncode, done.stdout, done.stderr


def found_by_check(folder):
    _, output, errors = run("check", str(folder), "--json", "--root", str(folder))
    found = {}
    for problem in json.loads(output)["problems"]:
        if problem["rule"] == "secret":
            found.setdefault(Path(problem["path"]).name, []).append(problem)
    return found


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        folder, state = Path(place) / "p", Path(place) / "s"
        folder.mkdir()
        os.environ["RETAKE_STATE_DIR"] = str(state)
        made = {}
        for number in range(count):
            text, secret, how, end = cassette() if chance.random() < 0.8 else other()
            name = f"f{number:04}{end}"
            made[name] = (text, secret, how)
            (folder / name).write_text(text, encoding="utf-8", newline="")
        for number in range(count // 8):
            text, secret, how, end = cassette()
            made[f"g{number:04}{end}"] = (text, None, how)
            text = text.replace(secret, "nothing") if secret in text else "interactions: []\nversion: 1\n"
            (folder / f"g{number:04}{end}").write_text(text, encoding="utf-8", newline="")
        found = found_by_check(folder)
        code, output, _ = run("redact", str(folder), "--check", "--json", "--root", str(folder))
        planned = json.loads(output)
        listed = {Path(it["path"]).name for it in planned["files"] + planned["refused"]}
        for name, (text, secret, how) in made.items():
            if secret and name not in found:
                wrong.append(f"{name} ({how}): check finds nothing")
            if (name in found) != (name in listed):
                wrong.append(f"{name} ({how}): check {name in found}, redact {name in listed}")
        wrong += [f"{Path(it['path']).name} ({made[Path(it['path']).name][2]}): {it['reason']}" for it in planned["refused"]]
        false = [name for name in found if name.startswith("g")]
        if len(false) > count / 600:
            wrong.append(f"{len(false)} findings in {count // 8} files without a secret: {false[:5]}")
        run("redact", str(folder), "--root", str(folder))
        left = found_by_check(folder)
        wrong += [f"{name} ({made[name][2]}): check still finds {it[0]['message']}" for name, it in left.items()]
        for name, (text, secret, how) in made.items():
            if not secret:
                continue
            after = (folder / name).read_bytes().decode()
            try:
                before, now = read(text), read(after)
            except Exception as error:
                wrong.append(f"{name} ({how}): {error}")
                continue
            if any(secret in it for it in decoded(now)):
                wrong.append(f"{name} ({how}): the secret is left")
            difference = same(before, now, secret)
            if difference:
                wrong.append(f"{name} ({how}): differs {sorted(difference)[:2]!r}"[:600])
            lines = [line for line in difflib.ndiff(text.splitlines(), after.splitlines()) if line.startswith("- ")] if len(text) < 6000 else []
            plain = not re.search(r"gzip|deflate|br|zstd|chunked|amazon|events|arguments|lines|base64|binary", how + text)
            pieces = {secret[at:at + 5] for at in range(len(secret) - 4)}
            for line in lines if plain else []:
                if not any(piece in line for piece in pieces) and "%" not in line and "\\" not in line and "&#" not in line and not re.search(r"- '\d+'", line):
                    wrong.append(f"{name} ({how}): another line changed: {line}")
            if deserialize and name.endswith(".yaml"):
                try:
                    deserialize(after, yamlserializer)
                except Exception as error:
                    wrong.append(f"{name} ({how}): vcrpy: {error}")
            for side in ("request", "response") if name.endswith(".yaml") else ():
                message = now["interactions"][0][side]
                body = message["body"] if side == "request" else message["body"]["string"]
                size = message["headers"].get("content-length")
                if size and int(size[0]) != len(body if isinstance(body, bytes) else body.encode()):
                    wrong.append(f"{name} ({how}): content-length is wrong")
    print("\n".join(wrong[:80]))
    print(len(wrong), "faults;", Counter(re.sub(r".*\((.*?)\).*?: (.{0,30}).*", r"\1: \2", it, flags=re.S) for it in wrong).most_common(40))
    sys.exit(1 if wrong else 0)


main()
