"""Generates cassettes with trees as bodies, and compares every text that the program shows of them with what PyYAML reads.

    python yaml_values.py RETAKE COUNT SEED [CASSETTE...]

Scalars are written in all styles of YAML: plain, in quotes, folded and literal, with indentation and chomping, escapes, line breaks of
YAML 1.1, anchors, aliases and merges. What counts is the value that PyYAML gives, not what was meant. Compared are the texts of
`export seeds`, `export tape`, `import` and `export session`, the hits of `list --filter`, both sides of `diff`, and for some of
them the answers of `serve`. Of the CASSETTEs, which exist, the answers in bodies that are trees are compared with `export seeds`. Prints
what is wrong, and what was compared.
"""
import atexit
import http.client
import json
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml

program, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
folder = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, folder, ignore_errors=True)
wrong, compared = [], Counter()

Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(Base):
    """Values as PyYAML reads them, as far as JSON has them: dates, bytes and keys are texts as written, and so are unknown tags."""

    def flatten_mapping(self, node):
        """As up to PyYAML 6.0.3. Since then which of two merged members counts depends on whether Python has one object of both keys."""
        merged, own = [], []
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                own.append((key, value))
                continue
            mappings = value.value[::-1] if isinstance(value, yaml.SequenceNode) else [value]
            for mapping in mappings:
                self.flatten_mapping(mapping)
                merged.extend(mapping.value)
        node.value = merged + own

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def as_written(loader, node):
    return node.value


def construct_map(loader, node):
    value = {}
    yield value
    value.update(loader.construct_mapping(node))


Loader.add_constructor("tag:yaml.org,2002:map", construct_map)
Loader.add_constructor("tag:yaml.org,2002:timestamp", as_written)
Loader.add_constructor("tag:yaml.org,2002:binary", as_written)
Loader.add_constructor("!binary", as_written)
Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, tag, node: (
    loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode)
    else loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode)
    else node.value))


def load(text):
    return yaml.load(text, Loader)


def run(*arguments, stdin=None, fails=False):
    done = subprocess.run([program, *map(str, arguments)], input=stdin, capture_output=True, encoding="utf-8")
    if done.returncode > 1 and not fails:
        wrong.append(f"{arguments}: exit {done.returncode}: {done.stderr[:500]}")
    return done.stdout


def same(ours, theirs):
    """Whether two values are equal; numbers as JavaScript has them."""
    if isinstance(theirs, bool) or isinstance(ours, bool) or theirs is None:
        return ours is theirs
    if isinstance(theirs, (int, float)):
        if not math.isfinite(theirs):
            return ours is None
        return isinstance(ours, (int, float)) and float(ours) == float(theirs)
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def compare(what, where, ours, theirs):
    compared[what] += 1
    if not same(ours, theirs):
        wrong.append(f"{where}: {what}: {ours!r}\n  PyYAML reads {theirs!r}")


# Texts, and how they are written.

WORDS = ["to", "be", "or", "not", "é", "日本", "😀", "it's", '"so"', "a:b", "#x", "x#", "C:\\dir", "\\n", "{a}", "[b]", "-", "--", "!t", "&a", "*b", "%", "@",
         "12:30", "0x1F", "1_000", "~", "null", "yes", "2022-01-01", "<<", "=", "key: value", "- item", "|", ">", "$1.00", "\u00a0", "\ufeff"]
BREAKS = ["\n", "\n", "\n\n", "\n\n\n", "\n  ", " \n", "\u2028", "\u2029", "\u0085", "\t", "\r\n"]
WHOLE = ["", " ", "\n", "no", "Yes", "off", "~", "null", "4", "007", "0x1F", "1_000", "1e3", ".inf", "-.5", "12:30", "2022-01-01", "2022-01-01T10:00:00Z",
         "'q'", '"dq"', "|-", ">", "- a", "# Title\n\ntext", "a\n", "a\n\n", "  indented\n text", "\ttab", "ends \\", "{\"a\": [1, \"b\"]}", "[x](y)", "\u2028", "x\u2028"]


def any_text():
    if chance.random() < 0.25:
        return chance.choice(WHOLE)
    parts = []
    for _ in range(chance.randint(1, chance.choice([3, 12, 40]))):
        parts.append(chance.choice(WORDS))
        parts.append(chance.choice(BREAKS) if chance.random() < 0.15 else " ")
    return "".join(parts[:-1])


def any_value(depth=0):
    kind = chance.random()
    if depth < 2 and kind < 0.15:
        return [any_value(depth + 1) for _ in range(chance.randint(0, 3))]
    if depth < 2 and kind < 0.3:
        return {any_key(): any_value(depth + 1) for _ in range(chance.randint(0, 3))}
    return any_text()


def any_key():
    return chance.choice(["date", "city", "the key", "é", "a.b", "it's", '"k"', "no", "1", "x: y", "#", "", "~", "2022-01-01", "line\nbreak"])


class Written(str):
    """A scalar that is written as it is."""


# Scalars that are no texts, and texts only to some.
OTHERS = ["~", "", "Null", "Yes", "no", "true", "Off", "0", "-7", "0x1F", "0b101", "017", "1_000", "1.50", "1.0e+3", "1e3", ".5", "-.inf", ".NAN", "12:30", "1:2.5",
          "2022-01-01", "2022-01-01 10:00:00", "!!str 5", "!!str", "! x", "!!int '7'", "!!float 3", "'5'", "y"]


def double_quoted(text, indent):
    out = []
    for c in text:
        roll = chance.random()
        code = ord(c)
        if c in '"\\':
            out.append("\\" + c)
        elif c == "\n":
            out.append(chance.choice(["\\n", "\\n\\\n" + " " * indent, "\n\n" + " " * indent]))
        elif c == "\t":
            out.append(chance.choice(["\\t", "\t"]))
        elif code < 32 or c in "\u0085\u2028\u2029\ufeff\u00a0":
            named = {"\u0085": "\\N", "\u2028": "\\L", "\u2029": "\\P", "\u00a0": "\\_"}.get(c)
            raw = c + " " * indent if c in "\u2028\u2029" else None
            out.append(chance.choice([it for it in (named, raw, f"\\u{code:04x}") if it]))
        elif c == " " and roll < 0.1:
            out.append(chance.choice(["\\ ", "\n" + " " * indent, "\\\n" + " " * indent + "\\ ", "\\x20"]))
        elif roll < 0.03 and code < 256:
            out.append(f"\\x{code:02x}")
        elif roll < 0.1 and code > 126:
            out.append(f"\\U{code:08X}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def broken(text, indent):
    """Breaks lines as in single quotes and plain: a space may become a line end, and a line end becomes two."""
    def line_end(found):
        if found.group() == " ":
            return chance.choice([" "] * 7 + ["\n" + " " * indent])
        return found.group() + ("\n" if found.group() == "\n" else "") + " " * indent
    return re.sub("(?<![ \t\n\u2028\u2029\u0085]) (?![ \t\n\u2028\u2029\u0085])|\n(?!\n)|[\u2028\u2029]", line_end, text)


def block(text, indent):
    sign = chance.choice("||>")
    ends = len(text) - len(text.rstrip("\n"))
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    deeper = chance.choice([0, 1, 2])
    indent += deeper
    hint = str(2 + deeper) if text.lstrip("\n").startswith(" ") or chance.random() < 0.1 else ""
    header = sign + chance.choice([hint + chomping, chomping + hint]) + chance.choice(["", "", " # c"])
    lines = []
    for line in re.findall("[^\n\u2028\u2029]*[\n\u2028\u2029]|[^\n\u2028\u2029]+", text):
        lines.append(" " * indent + line if line != "\n" else line)
    return header + "\n" + "".join(lines).removesuffix("\n")


def scalar(text, indent, is_flow, is_key=False):
    """Writes a text in a style that PyYAML reads as it."""
    ways = [lambda: double_quoted(text, indent), lambda: "'" + broken(text, indent).replace("'", "''") + "'", lambda: broken(text, indent),
            lambda: "'" + text.replace("'", "''") + "'", lambda: text]
    if not is_flow and not is_key:
        ways += [lambda: block(text, indent)] * 3
    chance.shuffle(ways)
    around = {(True, True): "{@: x}", (True, False): "[a, @, b]", (False, True): " @: x", (False, False): " k: @\n l: 1\n"}[is_flow, is_key]
    for way in ways:
        written = way()
        # The parser takes a byte order mark only at the start.
        if is_key and "\n" in written or "\ufeff" in written:
            continue
        # PyYAML itself takes no tab outside of quotes, which its C version does.
        if written[:1] not in "\"'|>" and "\t" in written or is_flow and "-" in (written[:1], written[-1:]):
            continue
        whole = around.replace(" k", " " * (indent - 2) + "k").replace(" l", " " * (indent - 2) + "l").replace("@", written)
        try:
            read = yaml.load(whole, Base)
        except (yaml.YAMLError, ValueError):
            continue
        if is_key:
            found = list(read)[0] if isinstance(read, dict) and len(read) == 1 else None
        elif is_flow:
            found = read[1] if isinstance(read, list) and len(read) == 3 else None
        else:
            found = read["k"] if isinstance(read, dict) and list(read) == ["k", "l"] else None
        if isinstance(found, str) and found == text:
            return written
    return '"' + "".join("\\" + c if c in '"\\' else c if " " <= c <= "~" else f"\\U{ord(c):08X}" for c in text) + '"'


class Writer:
    def __init__(self):
        self.anchors = 0
        self.texts = []
        self.mappings = []
        # Whether the members may be any: in the arguments of a tool.
        self.is_free = False

    def value(self, value, indent, is_flow=False, key=None):
        """Returns what follows a `key:` or a `-`, with the space before it."""
        if isinstance(value, Written):
            return " " + (value or ("''" if is_flow else ""))
        if isinstance(value, str):
            known = [name for name, text in self.texts if text == value]
            if known and chance.random() < 0.5:
                return f" *{known[0]} " if is_flow else f" *{known[0]}"
            written = scalar(value, max(indent, 2), is_flow)
            if chance.random() < 0.1:
                self.anchors += 1
                self.texts.append((f"t{self.anchors}", value))
                return f" &t{self.anchors} {written}"
            return " " + written
        if not isinstance(value, (dict, list)):
            return " " + json.dumps(value)
        was_free, known = self.is_free, list(self.mappings)
        self.is_free = was_free or key in ("args", "input")
        written = self.collection(value, indent, is_flow, known)
        self.is_free = was_free
        return written

    def collection(self, value, indent, is_flow, known):
        if is_flow or not value or chance.random() < 0.1:
            parts = []
            for part in value.items() if isinstance(value, dict) else value:
                if isinstance(value, dict):
                    key = scalar(part[0], indent, True, True)
                    parts.append(key + " :" + self.value(part[1], indent, True, part[0]))
                else:
                    parts.append(self.value(part, indent, True).strip(" ") if not isinstance(part, str) else self.value(part, indent, True))
            end = "\n" + " " * max(indent, 2) if chance.random() < 0.2 else " "
            return (" {" if isinstance(value, dict) else " [") + ("," + end).join(parts) + " " + ("}" if isinstance(value, dict) else "]")
        anchor = ""
        if isinstance(value, dict) and self.is_free and chance.random() < 0.5:
            self.anchors += 1
            anchor = f" &m{self.anchors}"
        lines = []
        for part in value.items() if isinstance(value, dict) else value:
            if isinstance(value, dict):
                lines.append(" " * indent + scalar(part[0], indent + 2, False, True) + ":" + self.value(part[1], indent + 2, False, part[0]))
            else:
                lines.append(" " * indent + "-" + self.value(part, indent + 2))
        if isinstance(value, dict) and self.is_free and known and chance.random() < 0.5:
            merged = chance.choice([f"*{chance.choice(known)}", "[" + ", ".join("*" + it for it in known[-2:]) + "]"])
            lines.insert(chance.randint(0, len(lines)), " " * indent + "<<: " + merged)
        if anchor:
            self.mappings.append(anchor[2:])
        return anchor + "".join("\n" + line for line in lines)


def arguments():
    return {key: Written(chance.choice(OTHERS)) if chance.random() < 0.3 else any_value() for key in dict.fromkeys(any_key() for _ in range(chance.randint(1, 4)))}


def anthropic(texts):
    system, asked, answer, called, result = texts
    request = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": system, "messages": [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": called}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]}]}
    content = [{"type": "tool_use", "id": "toolu_2", "name": "look", "input": answer}] if isinstance(answer, dict) else [{"type": "text", "text": answer}]
    response = {"type": "message", "id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5", "content": content,
                "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2}}
    return "https://api.anthropic.com/v1/messages", request, response


def gemini(texts):
    system, asked, answer, called, result = texts
    request = {"systemInstruction": {"parts": [{"text": system}], "role": "user"}, "contents": [
        {"role": "user", "parts": [{"text": asked}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": called}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": result}}}]}]}
    part = {"functionCall": {"name": "look", "args": answer}} if isinstance(answer, dict) else {"text": answer}
    response = {"candidates": [{"content": {"parts": [part], "role": "model"}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2}}
    return "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent", request, response


def chat(texts):
    system, asked, answer, called, result = texts
    request = {"model": "gpt-4o", "messages": [
        {"role": "system", "content": system},
        {"role": "user", "content": asked},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": json.dumps({"a": "b"})}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": result}]}
    message = {"role": "assistant", "content": answer if isinstance(answer, str) else any_text()}
    response = {"object": "chat.completion", "id": "chatcmpl-1", "model": "gpt-4o", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    return "https://api.openai.com/v1/chat/completions", request, response


def cassette(client, uri, request, response, writer):
    """Returns the text of a cassette with a call, as pydantic-ai's serializer or cassetter writes it."""
    if client == "cassetter":
        bodies = [{"type": "json", "content": body} for body in (request, response)]
        sent = {"method": "POST", "uri": uri, "headers": {}, "body": bodies[0]}
        received = {"status": 200, "headers": {}, "body": bodies[1]}
        call = {"request": sent, "response": received, "recorded_at": Written("2026-11-27T12:53:34.770162+00:00")}
        return "version: 1\ninteractions:" + writer.value([call], 0)
    sent = {"headers": {}, "method": "POST", "parsed_body": request, "uri": uri}
    received = {"headers": {}, "parsed_body": response, "status": {"code": 200, "message": "OK"}}
    return "interactions:" + writer.value([{"request": sent, "response": received}], 0) + "\nversion: 1"


def bodies(cassette):
    call = cassette["interactions"][0]
    return [side["body"]["content"] if isinstance(side.get("body"), dict) else side["parsed_body"] for side in (call["request"], call["response"])]


# What the bodies say, as the value that PyYAML read.

def answer_of(body):
    """Returns the text and the inputs of tool calls of a whole answer; `None` if it is of no known API."""
    def parsed(text):
        try:
            return json.loads(text)
        except ValueError:
            return text

    if body.get("type") == "message":
        blocks = body["content"]
        return ("".join(it["text"] for it in blocks if it["type"] == "text"), [it["input"] for it in blocks if it["type"] == "tool_use"])
    if "candidates" in body:
        parts = body["candidates"][0].get("content", {}).get("parts", [])
        return ("".join(it["text"] for it in parts if "text" in it and not it.get("thought")),
                [it["functionCall"].get("args", {}) for it in parts if "functionCall" in it])
    if body.get("object") == "chat.completion":
        message = body["choices"][0]["message"]
        return message.get("content") or "", [parsed(it["function"]["arguments"]) for it in message.get("tool_calls") or []]
    if body.get("object") == "response":
        parts = [part for it in body["output"] if it["type"] == "message" for part in it["content"]]
        return ("".join(it["text"] for it in parts if "text" in it),
                [parsed(it["arguments"]) for it in body["output"] if it["type"] == "function_call"])
    if isinstance(body.get("output"), dict) and "message" in body["output"]:
        blocks = body["output"]["message"]["content"]
        return "".join(it["text"] for it in blocks if "text" in it), [it["toolUse"]["input"] for it in blocks if "toolUse" in it]
    return None


def asked_of(body):
    """Returns system prompt, question, input of the tool call and its result of a request that is generated here."""
    if "contents" in body:
        user, model, tool = (message["parts"][0] for message in body["contents"])
        return (body["systemInstruction"]["parts"][0]["text"], user["text"], model["functionCall"]["args"], tool["functionResponse"]["response"])
    messages = body["messages"]
    if "system" in body:
        return body["system"], messages[0]["content"], messages[1]["content"][0]["input"], messages[2]["content"][0]["content"]
    call = messages[2]["tool_calls"][0]["function"]
    return messages[0]["content"], messages[1]["content"], json.loads(call["arguments"]), messages[3]["content"]


def is_json(text):
    try:
        return json.loads(text) is not None
    except ValueError:
        return False


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


# Comparisons.

def generate(number):
    """Writes a cassette, the same with other styles, and one with other texts. Returns what PyYAML reads of them."""
    api, client = chance.choice([anthropic, gemini, chat]), chance.choice(["pydantic", "cassetter"])
    while True:
        answer = arguments() if chance.random() < 0.3 else any_text()
        texts = [any_text(), "Ask " + any_text(), answer, arguments(), any_text()]
        others = [any_text(), texts[1], any_text() if isinstance(answer, str) else answer, texts[3], any_text()]
        try:
            read = {}
            for name, texts_of in (("one", texts), ("two", texts), ("three", others)):
                text = cassette(client, *api(texts_of), Writer()) + "\n"
                read[name] = load(text)
                (folder / name / f"c{number}.yaml").write_bytes(text.encode())
                for body in bodies(read[name]):
                    answer_of(body)
                asked_of(bodies(read[name])[0])
            if same(read["one"], read["two"]) or any("<<:" in (folder / it / f"c{number}.yaml").read_text("utf-8") for it in ("one", "two")):
                return read
        except (yaml.YAMLError, ValueError, KeyError, TypeError, IndexError):
            compared["refused by PyYAML, written again"] += 1


def at(value, pointer):
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def compare_seeds(paths, expected):
    seeds = json.loads(run("export", "seeds", *paths, "--schema", "x", "--model", "m", "--to", "-") or '{"seeds": []}')["seeds"]
    found = {}
    for it in seeds:
        found.setdefault(it["jobId"], []).append(it["response"])
    for name, answers in expected.items():
        theirs = [text if is_json(text) or not calls else calls[0] for text, calls in answers]
        ours = found.get(name, [])
        # A blank answer makes no seed, a text that is JSON stays a text.
        theirs = [it for it in theirs if isinstance(it, dict) or it.strip()]
        ours = [it for it in ours if it.strip()]
        ours = [json.loads(it) if isinstance(wanted, dict) else it for it, wanted in zip(ours, theirs)] + ours[len(theirs):]
        if len(ours) != len(theirs):
            compare("export seeds", name, ours, theirs)
        for it, wanted in zip(ours, theirs):
            compare("export seeds", name, it, wanted)


def compare_generated():
    for name in ("one", "two", "three"):
        (folder / name).mkdir()
    read = {f"c{number}": generate(number) for number in range(count)}
    one = folder / "one"
    listed = json.loads(run("list", one, "--json"))["items"]
    for item in listed:
        name = Path(item["path"]).stem
        call = read[name]["one"]["interactions"][0]
        ours = item.get("calls") or [{}]
        compare("list --json", name, [ours[0].get("uri"), ours[0].get("method"), ours[0].get("status")], [call["request"]["uri"], "POST", 200])
    compare_seeds([one], {name: [answer_of(bodies(it["one"])[1])] for name, it in read.items()})

    run("export", "tape", one, "--to", folder / "tapes")
    run("import", one, "--to", folder / "sessions", "--keep", "all")
    sessions = {}
    for path in (folder / "sessions").glob("*"):
        session = load(path.read_text("utf-8"))
        sessions[session["context"][0]["set"]] = session
    run("export", "session", folder / "sessions", "--as", "json", "--to", folder / "json")
    exported = [json.loads(path.read_text("utf-8")) for path in (folder / "json").glob("*")]
    for session in exported:
        compare("export session", session["id"], session, sessions[session["context"][0]["set"]])
    for name, it in read.items():
        request, response = bodies(it["one"])
        system, asked, called, result = asked_of(request)
        text, calls = answer_of(response)
        tape = json.loads((folder / "tapes" / f"{name}.json").read_text("utf-8")) if (folder / "tapes" / f"{name}.json").exists() else None
        if tape:
            said = [json.loads(chunk["text"]) if calls else chunk["text"] for chunk in tape["stream"]]
            compare("export tape", name, [it["input"] for it in said] if calls else "".join(said), calls or text)
            messages = json.loads(tape["request"]["contents"])
            compare("export tape", name, tape["request"].get("config", {}).get("systemInstruction", ""), system)
            compare("export tape", name, messages[0]["content"], asked)
            compare("export tape", name, messages[1]["content"][0]["input"], called)
            compare("export tape", name, messages[2]["content"][0]["content"], result)
        elif text or calls:
            wrong.append(f"{name}: no tape")
        session = sessions.get(name, {"input": None, "tool_responses": [{"response": None}]})
        compare("import", name, session["input"], asked)
        compare("import", name, session["tool_responses"][0]["response"], result)

    for side in ("two", "three"):
        for pair in json.loads(run("diff", one, folder / side, "--json"))["pairs"]:
            old, new = (read[Path(pair["new"]).stem][it] for it in ("one", side))
            if same(old, new):
                compare("diff of the same values", pair["new"], [it["pointer"] for it in pair["changes"]], [])
            for change in pair["changes"]:
                if "#" not in change["pointer"] and change["kind"] == "changed":
                    compare("diff", pair["new"], [change["old"], change["new"]], [at(old, change["old_pointer"]), at(new, change["pointer"])])

    for name in chance.sample(sorted(read), max(1, count // 10)):
        text = chance.choice([it for it in strings(bodies(read[name]["one"])[0]) if it.strip()])
        start = chance.randrange(len(text))
        part = text[start:start + chance.randint(1, 30)]
        query = 'body:"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'
        hits = [Path(it["path"]).stem for it in json.loads(run("list", one, "--json", "--filter", query))["items"]]
        compare("list --filter", f"{name} {query!r}", name in hits, True)

    for name in chance.sample(sorted(read), max(1, count // 50)):
        serve(one / f"{name}.yaml", read[name]["one"])


def serve(path, value):
    request, response = bodies(value)
    uri = value["interactions"][0]["request"]["uri"]
    with subprocess.Popen([program, "serve", str(path), "--listen", "127.0.0.1:0", "--instant", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8") as server:
        try:
            host = json.loads(server.stdout.readline())["address"]
            connection = http.client.HTTPConnection(host, timeout=30)
            connection.request("POST", "/" + uri.split("/", 3)[3], json.dumps(request, allow_nan=False, default=str), {"content-type": "application/json"})
            answered = connection.getresponse()
            body = json.loads(answered.read())
            if answered.status != 200:
                wrong.append(f"{path.name}: serve: {answered.status} {body}")
            else:
                compare("serve", path.name, list(answer_of(body)), list(answer_of(response)))
        except ValueError:
            # JSON has no infinite number to send.
            compared["not served"] += 1
        finally:
            server.terminate()


def compare_files(paths):
    """Compares the answers of cassettes all of whose answers are trees, under names of their own in one folder."""
    expected, answers_count = {}, 0
    (folder / "files").mkdir()
    for number, path in enumerate(map(Path, paths)):
        answers = []
        try:
            text = path.read_text("utf-8")
            read = load(text)
            for call in read["interactions"]:
                answered = call["response"]
                body = answered.get("parsed_body")
                if body is None and isinstance(answered.get("body"), dict) and answered["body"].get("type") == "json":
                    body = answered["body"]["content"]
                status = answered.get("status")
                code = status.get("code", 0) if isinstance(status, dict) else status
                asked = call["request"].get("body")
                if 200 <= code < 300 and (not isinstance(asked, str) or is_json(asked)):
                    answers.append(answer_of(body))
        except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError, IndexError):
            continue
        if answers and all(answers):
            name = f"f{number}"
            (folder / "files" / f"{name}.yaml").write_text(text, "utf-8")
            expected[name] = answers
            answers_count += len(answers)
    if expected:
        compare_seeds([folder / "files"], expected)
    print(f"{len(expected)} existing cassettes with {answers_count} answers as trees", file=sys.stderr)


compare_generated()
compare_files(sys.argv[4:])
print("\n".join(wrong[:50]))
counts = ", ".join(f"{what} {number}" for what, number in sorted(compared.items()))
print(f"{count} cassettes, PyYAML {yaml.__version__}: {counts}; {len(wrong)} wrong", file=sys.stderr)
sys.exit(1 if wrong else 0)
