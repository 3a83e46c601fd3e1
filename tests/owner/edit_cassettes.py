"""Edits cassettes by the program, and has the programs that own them read the results.

    python edit_cassettes.py RETAKE COUNT SEED FILE...

Makes COUNT random edits of copies of the files and of cassettes that it generates, several in a run, and checks of each result:
PyYAML, json or tomllib read what was there with only these values changed; all text outside of these values is the same; vcrpy
and cassetter, where they are installed, load what they loaded before; a body that is edited within its layers unpacks to the
changed JSON, with its length in the header. Prints what is wrong, and what was used.
"""
import atexit
import base64
import copy
import difflib
import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from json.decoder import scanstring
from pathlib import Path

import yaml

try:
    import tomllib
except ImportError:
    tomllib = None
try:
    from vcr.request import Request
    from vcr.serialize import deserialize
    from vcr.serializers import jsonserializer, yamlserializer
except ImportError:
    deserialize = None
try:
    from cassetter import _core as cassetter
except ImportError:
    cassetter = None

program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
folder = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, folder, ignore_errors=True)
wrong, made, refused = [], Counter(), Counter()

Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(Base):
    """The tags of the owners: bytes for Base64, and the content of streams."""


Loader.add_constructor("!binary", lambda loader, node: base64.b64decode(node.value))
Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, tag, node: (
    loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode)
    else loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode)
    else node.value))

TEXTS = [
    "no", "1.5", "0x1f", "1_000", "12:30", "a: b", " x", "x ", "", "é€😀", "line\nbreak", "two\n\nlines\n", "\n", "\nx", "  indented\n more",
    "- a", "#c", "a #c", "'q'", '"dq"', "it's", "x" * 300, "some words " * 30, "tab\there", "\\n", "C:\\new", "null", "~", "2026-01-01",
    "2026-01-01T00:00:00Z", "{a}", "[b", "!t", "*a", "&b", "|", ">", "%", "@x", "`", "\x07", "\x7f", "\u2028", "\ufeff", "é" * 90, "a\r\nb",
    '{"a": [1, "b"]}', "'''", '"""', "ends with \\",
]
SCALARS = [0, -7, 12345678901, 1.5, 1e30, True, False]


def escaped(key):
    return str(key).replace("~", "~0").replace("/", "~1")


def leaves(tree, pointer="", path=()):
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(key, str) and not set("#=*") & set(key):
                yield from leaves(value, f"{pointer}/{escaped(key)}", (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from leaves(value, f"{pointer}/{index}", (*path, index))
    else:
        yield pointer, path, tree


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def put(tree, path, value):
    at(tree, path[:-1])[path[-1]] = value


def inner_json(text):
    """Returns a text as JSON, if it is a list or an object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError, TypeError):
        return None
    return value if isinstance(value, (dict, list)) and value else None


def message_of(tree, path):
    """Returns the request or the response of a value, and its headers, in vcrpy's shape."""
    if len(path) > 2 and path[0] == "interactions" and path[2] in ("request", "response"):
        message = at(tree, path[:3])
        headers = message.get("headers") or {}
        return message, {str(name).lower(): (name, value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    return None, {}


def first(headers, name):
    value = headers.get(name, (None, None))[1]
    return value[0] if isinstance(value, list) and value else value


def unpacked(data, encoding):
    if encoding == "gzip" or not encoding and data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if encoding == "deflate":
        return zlib.decompress(data)
    return data if not encoding else None


def members_in_toml(path):
    """Removes one member or element, and checks what tomllib reads and which lines are other ones."""
    text = path.read_bytes().decode("utf-8")
    expected = tomllib.loads(text)
    pointer, place = chance.choice([(pointer, path) for pointer, path, value in branches(expected)])
    container = at(expected, place)
    keys = [key for key in container if not set("#=*") & set(key)] if isinstance(container, dict) else range(len(container))
    if not keys:
        return
    key = chance.choice(keys)
    argument = f"{pointer}/{escaped(key)}"
    del container[key]
    edited = folder / "members.toml"
    edited.write_bytes(text.encode())
    command = [program, "edit", str(edited), "--remove", argument, "--quiet"]
    output = subprocess.run(command, capture_output=True, text=True, cwd=folder, encoding="utf-8")
    made["toml remove"] += 1
    after = edited.read_bytes().decode("utf-8")
    where = f"{path}: --remove {argument[:200]}"
    if output.returncode != 0:
        reason = output.stderr.split(":")[1].strip()[:90]
        refused[reason] += 1
        if after != text or reason != "A list of tables has at least one; remove the list itself":
            wrong.append(f"{where}\n  refused: {output.stderr.strip()}")
        return
    if tomllib.loads(after) != expected:
        return wrong.append(f"{where}\n  reads otherwise")
    _, new = changed_lines(text, after)
    if new > 1:
        wrong.append(f"{where}\n  adds {new} lines")


def changed_lines(old, new):
    """Returns how many lines only one of two texts has."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return sum(code[2] - code[1] for code in changes), sum(code[4] - code[3] for code in changes)


def branches(tree, pointer="", path=()):
    if isinstance(tree, (dict, list)):
        yield pointer, path, tree
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            if not (isinstance(key, str) and set("#=*") & set(key)):
                yield from branches(value, f"{pointer}/{escaped(key)}", (*path, key))


class Edited:
    """A cassette with the edits of one run."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_bytes().decode("utf-8")
        self.syntax = path.suffix[1:].replace("yml", "yaml")
        self.tree = self.read(self.text)
        self.expected = copy.deepcopy(self.tree)
        self.arguments, self.checks, self.places = [], [], []

    def read(self, text):
        text = text.removeprefix("\ufeff")
        if self.syntax == "json":
            return json.loads(text)
        if self.syntax == "toml":
            return tomllib.loads(text)
        return yaml.load(text, Loader=Loader)

    def plan(self, most):
        """Chooses values and new ones for them."""
        found = list(leaves(self.tree))
        chance.shuffle(found)
        if chance.random() < 0.4:
            # Texts that are JSON, and bytes, are fewer than others.
            found.sort(key=lambda leaf: not (isinstance(leaf[2], bytes) or isinstance(leaf[2], str) and leaf[2][:1] in ("{", "[")))
        within = set()
        for pointer, path, old in found:
            if len(self.arguments) >= most:
                return
            # The header of an edited body changes with it.
            if len(path) > 3 and path[3] == "headers" and str(path[4]).lower() in ("content-length", "content-encoding", "content-type", "transfer-encoding"):
                continue
            if path[:3] in within:
                continue
            if self.set_within(pointer, path, old):
                within.add(path[:3])
                return
            self.set_whole(pointer, path, old)

    def set_whole(self, pointer, path, old):
        is_times = self.syntax == "toml" and not isinstance(old, (str, int, float, bool))
        if isinstance(old, bytes):
            new = chance.choice([b"", b"\xff\x00", b"{}", bytes(range(200)), b"x" * 100])
            argument, kind = base64.b64encode(new).decode(), "binary"
        elif is_times:
            argument, kind = "2027-02-03T04:05:06Z", "time"
            new = tomllib.loads(f"a = {argument}")["a"]
        elif isinstance(old, str) or chance.random() < 0.3:
            new = argument = chance.choice(TEXTS)
            kind = "text"
        else:
            new = argument = chance.choice(SCALARS)
            kind = "scalar"
        around = at(self.tree, path[:-1])
        if path[-1] in ("content", "body_content") and isinstance(around, dict) and "binary" in (around.get("type"), around.get("body_type")):
            new = argument = chance.choice(["", "00ff", "7b7d" * 50])
            kind = "text"
        if isinstance(around, dict) and around.get("body_type") == "json" and path[-1] == "body_content":
            new = argument = chance.choice(["{}", "[1, 'it is']".replace("'", '"'), '{"a": "it\'s"}'])
            kind = "text"
        put(self.expected, path, new)
        self.arguments += ["--set", f"{pointer}={json.dumps(argument)}"]
        self.places.append(path)
        made[f"{self.syntax} {kind}"] += 1

    def set_within(self, pointer, path, old):
        """Edits a value of a text that is JSON, or of a body that is one without its layers."""
        message, headers = message_of(self.tree, path)
        is_body = message is not None and path[3:] in (("body",), ("body", "string"), ("body", "content"))
        data, encoding = old, first(headers, "content-encoding")
        if is_body and message.get("body_type") or is_body and isinstance(message.get("body"), dict) and "type" in message["body"]:
            return False
        if isinstance(old, bytes):
            if not is_body:
                return False
            try:
                data = unpacked(old, encoding).decode()
            except Exception:
                return False
        value = inner_json(data) if isinstance(data, str) else None
        if value is None or chance.random() < 0.3 or is_body and isinstance(old, str) and encoding:
            return False
        choices = list(leaves(value))
        if not choices:
            return False
        inner_pointer, inner_path, inner_old = chance.choice(choices)
        new = chance.choice(TEXTS if isinstance(inner_old, str) else SCALARS)
        changed = copy.deepcopy(value)
        put(changed, inner_path, new)
        self.arguments += ["--set", f"{pointer}#{inner_pointer}={json.dumps(new)}"]
        self.places.append(path)
        kind = "json in bytes" if isinstance(old, bytes) else "json in text"
        made[f"{self.syntax} {kind}"] += 1
        length = first(headers, "content-length")
        size = len(old if isinstance(old, bytes) else old.encode())
        has_length = is_body and str(length) == str(size)
        if has_length:
            name, listed = headers["content-length"]
            at_length = (*path[:3], "headers", name, 0) if isinstance(listed, list) else (*path[:3], "headers", name)
            self.places.append(at_length)

        def check(tree):
            now = at(tree, path)
            text = unpacked(now, encoding).decode() if isinstance(now, bytes) else now
            if json.loads(text) != changed:
                return f"{pointer}#{inner_pointer}: reads {text[:200]!r}"
            # Within the text, only that value is another one.
            prefix = next((i for i, (a, b) in enumerate(zip(data, text)) if a != b), min(len(data), len(text)))
            rest = min(len(data), len(text)) - prefix
            suffix = next((i for i in range(rest) if data[-1 - i] != text[-1 - i]), rest)
            old_part = data[prefix:len(data) - suffix]
            if len(old_part) > 2 + max(len(json.dumps(inner_old)), len(json.dumps(inner_old, ensure_ascii=False))):
                return f"{pointer}#{inner_pointer}: also changes {old_part[:200]!r}"
            put(self.expected, path, now)
            if has_length:
                size = len(now if isinstance(now, bytes) else now.encode())
                put(self.expected, at_length, size if isinstance(length, int) else str(size))
            return None

        self.checks.append(check)
        return True

    def run(self):
        if not self.arguments:
            return
        place = folder / f"edited{self.path.suffix}"
        place.write_bytes(self.text.encode())
        edits = len(self.arguments) // 2
        command = [program, "edit", str(place), *self.arguments, "--quiet"]
        output = subprocess.run(command, capture_output=True, text=True, cwd=folder, encoding="utf-8")
        where = f"{self.path}: {self.arguments}"
        if output.returncode != 0:
            refused[output.stderr.split(":")[1].strip()[:90]] += edits
            return wrong.append(f"{where}\n  refused: {output.stderr.strip()}")
        after = place.read_bytes().decode("utf-8")
        try:
            tree = self.read(after)
        except Exception as error:
            return wrong.append(f"{where}\n  cannot be read: {error}")
        for check in self.checks:
            if fault := check(tree):
                return wrong.append(f"{where}\n  {fault}")
        if repr(tree) != repr(self.expected):
            return wrong.append(f"{where}\n  reads otherwise")
        if fault := self.outside(after):
            return wrong.append(f"{where}\n  {fault}")
        for fault in self.owners(place, after):
            wrong.append(f"{where}\n  {fault}")

    def outside(self, after):
        """Compares the text outside of the edited values."""
        if self.syntax == "toml":
            return self.outside_in_toml(after)
        old, new = self.segments(self.text), self.segments(after)
        if old != new:
            pair = next((pair for pair in zip(old, new) if pair[0] != pair[1]), None)
            return f"changes other bytes: {pair!r:.400}"
        return None

    def segments(self, text):
        if self.syntax == "json":
            spans = json_spans(text)
            return cut(text, [spans[path] for path in self.places])
        root = yaml.compose(text, Loader=Base)
        has_mark = text.startswith("\ufeff")
        spans = []
        for path in self.places:
            node = root
            for key in path:
                if isinstance(node, yaml.MappingNode):
                    node = [value for name, value in node.value if name.value == key][-1]
                else:
                    node = node.value[key]
            start, end = node.start_mark.index, node.end_mark.index
            if has_mark and text[start:end] and not isinstance(root.start_mark.index, type(None)) and root.start_mark.index == 0:
                start, end = start + 1, end + 1
            spans.append((start, end))
        # What is between a key and its value, and where a block ends, belongs to the value.
        return [segment.strip(" \r\n\t") for segment in cut(text, spans)]

    def outside_in_toml(self, after):
        old, new = self.text, after
        prefix = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        rest = min(len(old), len(new)) - prefix
        suffix = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
        part = old[prefix:len(old) - suffix]
        value = at(self.tree, self.places[0])
        lines = value.count("\n") + 2 if isinstance(value, str) else 0
        if part.count("\n") > lines or "#" in part and "#" not in str(value):
            return f"changes other bytes: {part[:300]!r}"
        return None

    def owners(self, place, after):
        if deserialize is not None and self.syntax in ("yaml", "json") and isinstance(self.tree, dict):
            serializer = jsonserializer if self.syntax == "json" else yamlserializer
            loaders = {"vcrpy": lambda text: deserialize(text, serializer)}
            if self.syntax == "yaml":
                loaders["vcrpy with parsed_body"] = with_parsed_body
            for name, load in loaders.items():
                try:
                    before = load(self.text)
                except Exception:
                    continue
                try:
                    now = load(after)
                except Exception as error:
                    yield f"{name} loads it no more: {type(error).__name__}: {error}"
                    continue
                if len(before[0]) != len(now[0]):
                    yield f"{name} loads another number of calls"
        # cassetter takes bytes for a text, which has to be UTF-8.
        has_bytes = any(isinstance(at(self.tree, path), bytes) for path in self.places)
        if cassetter is not None and self.syntax in ("yaml", "toml") and not has_bytes:
            unedited = folder / f"unedited{self.path.suffix}"
            unedited.write_bytes(self.text.encode())
            try:
                before = described(cassetter.Cassette.load(str(unedited)))
            except Exception:
                return
            try:
                now = described(cassetter.Cassette.load(str(place)))
            except Exception as error:
                # A status is a number, and a method a text.
                if not any(path[-1] in ("status", "code", "method", "uri", "version", "type", "body_type", "recorded_at") for path in self.places):
                    yield f"cassetter loads it no more: {error}"
                return
            edited = {path[1] for path in self.places if path[0] == "interactions"}
            other = [index for index, pair in enumerate(zip(before, now)) if pair[0] != pair[1]]
            if len(before) != len(now) or set(other) - edited:
                yield f"cassetter reads other calls: {other}, edited {edited}"


def cut(text, spans):
    """Returns the text between the spans."""
    segments, last = [], 0
    for start, end in sorted(spans):
        segments.append(text[last:start])
        last = start + len(text[start:end].rstrip())
    return [*segments, text[last:]]


def json_spans(text):
    """Returns where each value of a JSON text is, by its path."""
    spans, blank = {}, re.compile(r"[ \t\r\n]*")

    def skip(index):
        return blank.match(text, index).end()

    def value(index, path):
        start = index
        if text[index] in "{[":
            is_object, number = text[index] == "{", 0
            index = skip(index + 1)
            while text[index] not in "}]":
                key = number
                if is_object:
                    key, index = scanstring(text, index + 1, True)
                    index = skip(skip(index) + 1)
                index = skip(value(index, (*path, key)))
                number += 1
                if text[index] == ",":
                    index = skip(index + 1)
            index += 1
        elif text[index] == '"':
            _, index = scanstring(text, index + 1, True)
        else:
            index = re.compile(r"[^,\]}\s]*").match(text, index).end()
        spans[path] = (start, index)
        return index

    value(skip(0), ())
    return spans


def with_parsed_body(text):
    """Loads a cassette by a serializer that stores JSON bodies as trees."""
    tree = yaml.load(text, Loader=Loader)
    for interaction in tree["interactions"]:
        for side, message in interaction.items():
            parsed = message.pop("parsed_body", None)
            if parsed is not None:
                body = json.dumps(parsed)
                message["body"] = body if side == "request" else {"string": body}
    return [Request._from_dict(it["request"]) for it in tree["interactions"]], [it["response"]["body"] for it in tree["interactions"]]


def described(cassette):
    def body(message):
        return message.body.body_type, message.body.content
    return [
        (it.request.method, it.request.uri, it.request.headers, body(it.request), it.response.status, it.response.headers, body(it.response))
        for it in cassette.interactions
    ]


def sample_body(number):
    words = ["The parcel", "café", "😀 happy", "it's \"quoted\"", "a\nb", "x" * 60, "tab\tend", "order 4471 is refunded today."]
    text = " ".join(chance.choice(words) for _ in range(chance.randint(1, 12)))
    return {
        "model": "m", "n": number, "temperature": 0.5, "stream": False, "stop": None,
        "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": [{"type": "text", "text": text[::-1]}]}],
    }


def generated():
    """Writes cassettes of all shapes, and returns their paths."""
    def write(name, text, newline="\n"):
        path = folder / name
        path.write_bytes(text.replace("\n", newline).encode())
        files.append(path)

    class Block(yaml.SafeDumper):
        pass

    class Folded(yaml.SafeDumper):
        pass

    def styled(style):
        def represent(dumper, text):
            return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style if "\n" in text or style == ">" and len(text) > 60 else None)
        return represent

    Block.add_representer(str, styled("|"))
    Folded.add_representer(str, styled(">"))
    files = []
    for number in range(6):
        bodies = [sample_body(index) for index in range(3)]
        interactions, parsed = [], []
        for index, body in enumerate(bodies):
            sent, answer = json.dumps(body, ensure_ascii=False), json.dumps(body, indent=chance.choice([None, 2]))
            is_packed = chance.random() < 0.5
            data = gzip.compress(answer.encode(), mtime=0) if is_packed else answer
            headers = {"content-type": ["application/json"], "content-length": [str(len(data if is_packed else answer.encode()))]}
            if is_packed:
                headers["content-encoding"] = ["gzip"]
            request = {"body": sent, "headers": {"content-length": [str(len(sent.encode()))], "x-a/b~c": ["1", "two"]}, "method": "POST", "uri": f"https://a.example/{index}?b={number}"}
            status = {"code": 200, "message": "OK"}
            interactions.append({"request": request, "response": {"body": {"string": data}, "headers": headers, "status": status}})
            plain = {"headers": {"content-type": ["application/json"]}, "parsed_body": body}
            parsed.append(copy.deepcopy({"request": {**plain, "method": "POST", "uri": request["uri"]}}))
            parsed[-1]["response"] = copy.deepcopy({**plain, "status": status})
        tree = {"interactions": interactions, "version": 1}
        newline = "\r\n" if number % 3 == 2 else "\n"
        write(f"plain{number}.yaml", yaml.safe_dump(tree), newline)
        write(f"block{number}.yaml", yaml.dump(tree, Dumper=Block, width=120, allow_unicode=True), newline)
        write(f"folded{number}.yaml", "\ufeff" * (number % 2) + yaml.dump(tree, Dumper=Folded).rstrip("\n"), newline)
        write(f"parsed{number}.yaml", yaml.dump({"interactions": parsed, "version": 1}, Dumper=Block, width=120, allow_unicode=True), newline)
        for it in interactions:
            it["response"]["body"]["string"] = it["request"]["body"]
            it["response"]["headers"] = {"content-length": it["request"]["headers"]["content-length"]}
        write(f"plain{number}.json", json.dumps({"version": 1, "interactions": interactions}, indent=4) + "\n", newline)
        if cassetter is not None:
            cassette = cassetter.Cassette()
            for index, body in enumerate(bodies):
                kinds = [cassetter.Body("json", body), cassetter.Body("text", json.dumps(body)), cassetter.Body("binary", b"\xff\x00" * 40), cassetter.Body("none")]
                headers = {"x-a": ["1", "two words"]}
                request = cassetter.HttpRequest("POST", f"https://a.example/{index}", headers, chance.choice(kinds))
                response = cassetter.HttpResponse(200, headers, chance.choice(kinds))
                cassette.add_interaction(cassetter.HttpInteraction(request, response, "2026-03-12T09:14:07+00:00"))
            for suffix in ("yaml", "toml"):
                path = folder / f"cassetter{number}.{suffix}"
                cassette.save(str(path))
                files.append(path)
    text = (
        'version = 1 # kept\n\n[[interactions]]\nrecorded_at = 2026-03-12T09:14:07Z\n\n[interactions.request]\nmethod = "GET"\nuri = \'https://a.example/\'\n'
        'body_type = "text"\nbody_content = """\none "two"\nthree\\tfour"""\n\n[interactions.request.headers]\naccept = [ "*/*",   \'text\' ] # kept\n\n'
        "[interactions.response]\nstatus = 200\nbody_type = 'text'\nbody_content = '''\n{\"a\": 1}\n'''\nheaders = { x-a = [\"1\"], \"x b\" = ['it is'] }\n"
    )
    write("forms.toml", text)
    write("forms-crlf.toml", text.rstrip("\n"), "\r\n")
    return files


files = [Path(file) for file in sys.argv[4:]] + generated()
kept = []
for path in files:
    if path.suffix == ".toml" and tomllib is None:
        continue
    try:
        Edited(path)
        kept.append(path)
    except Exception:
        # Some files of other programs have tags that are no Python's.
        continue
while sum(made.values()) < count:
    path = chance.choice(kept)
    if path.suffix == ".toml" and chance.random() < 0.6:
        members_in_toml(path)
        continue
    edited = Edited(path)
    edited.plan(1 if path.suffix == ".toml" else chance.randint(1, 8))
    edited.run()
print("\n".join(wrong))
used = ["PyYAML"] + ["vcrpy"] * (deserialize is not None) + ["cassetter"] * (cassetter is not None) + ["tomllib"] * (tomllib is not None)
print(f"{sum(made.values())} edits of {len(kept)} files read by {', '.join(used)}: {dict(made)}", file=sys.stderr)
sys.exit(1 if wrong else 0)
