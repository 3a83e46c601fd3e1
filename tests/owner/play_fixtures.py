"""Makes fixtures of recordings with `retake import --as`, and plays them with the client that owns them under the real SDK.

Arguments: the program, a client (vcrpy, parsed-body, cassetter, aimock or httpmock), the number of fixtures of each API and form, a seed,
and for a client that is a server its command, to which the file is added. The requests are compared with their bodies, too, which are
rebuilt from the recording.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

import anthropic
import openai
from google import genai
from google.genai import types

PROGRAM, CLIENT, COUNT, SEED, SERVER = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
APIS = ["chat", "responses", "anthropic", "gemini"]
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
PIECES = ["Hello", "ü", "日本", "😀", "\n", '"', "'", "\\", ": ", " #", "- ", "{", "}", "\t", "no", "12", "%", " ", "\u2028", "|"]


def text(rng):
    # Clients trim nothing, but an answer of blanks alone is none.
    return "x" + "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 12))) + "y"


def conversation(rng):
    """A question, perhaps a tool turn before the answer, and an answer that may call a tool."""
    turn = {"system": rng.choice(["", text(rng)]), "question": text(rng), "tools": rng.random() < 0.5, "call": None, "again": None}
    if turn["tools"] and rng.random() < 0.5:
        turn["call"] = {"id": "call_" + str(rng.randrange(10**9)), "input": {"id": text(rng)}, "result": text(rng)}
    turn["answer"] = text(rng)
    if turn["tools"] and rng.random() < 0.5:
        turn["again"] = {"id": "call_" + str(rng.randrange(10**9)), "input": {"id": text(rng)}}
    return turn


def recording(turn):
    messages = [{"role": "user", "content": turn["question"]}]
    if call := turn["call"]:
        use = {"type": "tool_use", "id": call["id"], "name": "find", "input": call["input"]}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": call["result"]}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    tools = [{"name": "find", "description": "Finds.", "input_schema": SCHEMA}] if turn["tools"] else []
    content = [{"type": "text", "text": turn["answer"]}] if turn["answer"] else []
    if call := turn["again"]:
        content.append({"type": "tool_use", "id": call["id"], "name": "find", "input": call["input"]})
    request = {"type": "llm_invocation_request", "messages": messages, "tools": tools, "systemPrompt": turn["system"]}
    return {"request": request, "response": {"type": "llm_invocation_response", "response": {"content": content}}}


def calls_of(turn):
    """The calls of a conversation: that in which the model calls the tool comes before the one with its result."""
    if not turn["call"]:
        return [turn]
    return [{**turn, "call": None, "answer": "", "again": turn["call"]}, turn]


def expected(turn):
    again = turn["again"]
    return turn["answer"], [(again["id"], "find", again["input"])] if again else []


def given(value):
    return {key: part for key, part in value.items() if part}


def compact(value):
    """The arguments of a call as the answer before had them."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def chat(turn, stream, server):
    messages = [{"role": "system", "content": turn["system"]}] if turn["system"] else []
    messages.append({"role": "user", "content": turn["question"]})
    if call := turn["call"]:
        function = {"name": "find", "arguments": compact(call["input"])}
        messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": call["id"], "type": "function", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": call["result"]})
    function = {"name": "find", "description": "Finds.", "parameters": SCHEMA}
    tools = [{"type": "function", "function": function}] if turn["tools"] else None
    client = openai.OpenAI(api_key="k", max_retries=0, base_url=server and server + "/v1")
    arguments = given({"model": "m", "messages": messages, "tools": tools, "stream": stream, "max_tokens": 100})
    answer = client.chat.completions.create(**arguments)
    if not stream:
        message = answer.choices[0].message
        calls = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
        return message.content or "", calls
    words, calls = "", {}
    for chunk in answer:
        for choice in chunk.choices:
            words += choice.delta.content or ""
            for part in choice.delta.tool_calls or []:
                call = calls.setdefault(part.index, [part.id, part.function.name, ""])
                call[2] += part.function.arguments or ""
    return words, [(name, tool, json.loads(value)) for name, tool, value in calls.values()]


def responses(turn, stream, server):
    items = [{"role": "user", "content": turn["question"]}]
    if call := turn["call"]:
        items.append({"type": "function_call", "call_id": call["id"], "name": "find", "arguments": compact(call["input"])})
        items.append({"type": "function_call_output", "call_id": call["id"], "output": call["result"]})
    tools = [{"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA}] if turn["tools"] else None
    client = openai.OpenAI(api_key="k", max_retries=0, base_url=server and server + "/v1")
    source = items if turn["call"] else turn["question"]
    arguments = given({"model": "m", "input": source, "instructions": turn["system"], "tools": tools, "max_output_tokens": 100})
    if stream:
        with client.responses.stream(**arguments) as events:
            answer = events.get_final_response()
    else:
        answer = client.responses.create(**arguments)
    calls = [item for item in answer.output if item.type == "function_call"]
    return answer.output_text, [(call.call_id, call.name, json.loads(call.arguments)) for call in calls]


def messages(turn, stream, server):
    sent = recording(turn)["request"]
    tools = sent["tools"] or None
    client = anthropic.Anthropic(api_key="k", max_retries=0, base_url=server)
    arguments = given({"model": "m", "messages": sent["messages"], "system": turn["system"], "tools": tools, "max_tokens": 100})
    if stream:
        with client.messages.stream(**arguments) as events:
            answer = events.get_final_message()
    else:
        answer = client.messages.create(**arguments)
    words = "".join(block.text for block in answer.content if block.type == "text")
    return words, [(block.id, block.name, block.input) for block in answer.content if block.type == "tool_use"]


def gemini(turn, stream, server):
    contents = [types.Content(role="user", parts=[types.Part(text=turn["question"])])]
    if call := turn["call"]:
        function = types.FunctionCall(id=call["id"], name="find", args=call["input"])
        result = types.FunctionResponse(id=call["id"], name="find", response={"result": call["result"]})
        contents.append(types.Content(role="model", parts=[types.Part(function_call=function)]))
        contents.append(types.Content(role="user", parts=[types.Part(function_response=result)]))
    tool = types.FunctionDeclaration(name="find", description="Finds.", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        system_instruction=turn["system"] or None,
        max_output_tokens=100,
        tools=[types.Tool(function_declarations=[tool])] if turn["tools"] else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    # aimock has only the older address.
    version = "v1beta" if CLIENT == "aimock" else None
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=server, api_version=version) if server else None)
    if stream:
        answers = list(client.models.generate_content_stream(model="m", contents=contents, config=config))
    else:
        answers = [client.models.generate_content(model="m", contents=contents, config=config)]
    parts = [part for answer in answers for part in answer.candidates[0].content.parts or []]
    words = "".join(part.text or "" for part in parts)
    return words, [(part.function_call.id, part.function_call.name, part.function_call.args) for part in parts if part.function_call]


CALLS = {"chat": chat, "responses": responses, "anthropic": messages, "gemini": gemini}


class TreeSerializer:
    """Reads bodies that are trees, as the serializer of Pydantic AI does."""

    @staticmethod
    def deserialize(source):
        import yaml

        cassette = yaml.safe_load(source)
        for call in cassette["interactions"]:
            for side, wrap in (("request", lambda body: body), ("response", lambda body: {"string": body})):
                tree = call[side].pop("parsed_body", None)
                if tree is not None:
                    call[side]["body"] = wrap(json.dumps(tree))
        return cassette

    @staticmethod
    def serialize(cassette):
        raise AssertionError("a cassette is only played")


def serve(path, call):
    """Plays a file with a server, which prints its address."""
    server = subprocess.Popen([*SERVER, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"})
    try:
        for line in server.stdout:
            if address := re.search(r"http://[\w.:]+", line):
                return call(address[0])
        raise AssertionError("the server ended")
    finally:
        server.kill()
        server.wait()


def play(path, call):
    if SERVER:
        return serve(path, call)
    if CLIENT == "cassetter":
        from cassetter import use_cassette

        with use_cassette(path, record_mode="none", match_on=["method", "uri", "json_body"]):
            return call(None)
    import vcr

    recorder = vcr.VCR(record_mode="none")
    recorder.register_serializer("trees", TreeSerializer)
    serializer = "trees" if CLIENT == "parsed-body" else "yaml"
    matchers = ["method", "scheme", "host", "port", "path", "query", "body"]
    with recorder.use_cassette(path, serializer=serializer, match_on=matchers):
        return call(None)


def main():
    rng, played, wrong = random.Random(SEED), 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for api in APIS:
            for form in ("--no-stream", "--stream"):
                for number in range(COUNT):
                    turn = conversation(rng)
                    calls, source = calls_of(turn), f"{api}{form}-{number}"
                    os.mkdir(source)
                    for index, call in enumerate(calls):
                        with open(f"{source}/{index}.json", "w", encoding="utf-8") as file:
                            json.dump(recording(call), file, ensure_ascii=False)
                    path = f"{source}.{'json' if CLIENT == 'aimock' else 'yaml'}"
                    arguments = ["import", source, "--as", CLIENT, "--to", path, "--api", api, form]
                    arguments += ["--model", "m", "--max-tokens", "100", "--keep", "all", "--root", "."]
                    run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
                    try:
                        assert run.returncode == 0, run.stderr
                        play_all = lambda server: [CALLS[api](call, form == "--stream", server) for call in calls]
                        answers, wanted = play(path, play_all), [expected(call) for call in calls]
                        assert answers == wanted, f"{answers} in place of {wanted}"
                        played += 1
                    except Exception as error:
                        wrong.append(f"{path} {json.dumps(turn)}: {type(error).__name__}: {error}")
    print(f"{CLIENT}: {played} of {len(APIS) * 2 * COUNT} fixtures play", file=sys.stderr)
    if wrong:
        print("\n".join(wrong[:5]), file=sys.stderr)
        sys.exit(1)


main()
