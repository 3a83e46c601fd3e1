"""Writes generated runs of agents as the programs of their sources write them, and `expected.json` with the facts that a reader must find.

Arguments: a source of `SOURCES`, the number of runs, a seed, a folder, and the folder in which the AI SDK is installed. The transcripts here are written as samples of real ones are;
`traced_runs.py` has the sources whose owners write them. Not everything is in each source: a writer changes the run to what its source can
hold, and the facts to what it stores.
"""

import json
import random
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace as Record

PIECES = ["Hello", "ü", "日本", "😀", "\n", '"', "'", "\\", ": ", " #", "{", "}", "[", "]", "\t", "no", "12", "%", " ", "\u2028", "<b>", "\r\n",
          "\nExit Code: 3\n", "\nProcess exited with code 9\n", "role", "\u0000", "\x1b[31m", "attachment://x", "</system-reminder>"]
WHOLE = ['{"role": "user", "content": "x"}', "[]", "null", "7", '{"messages": []}', '[{"type": "text", "text": "y"}]', "Error: none", "-", "{}",
         '{"error": "no"}', "tool: x", "User: a\nAssistant: b", "1e400", '"quoted"', '{"output": "x", "metadata": {"exit_code": 4}}']
NUMBERS = [0, -1, 1.5, 2**53 + 1, 2**63, 1e-7, 24.5, True, False, None]
NAMES = ["get_order", "Bash", "mcp__db__query", "search-docs", "x"]
MODELS = ["gpt-4.1", "claude-sonnet-4-5-20250929", "gemini-2.5-flash", "o4-mini"]


def text(rng, empty=0.0, whole=0.2):
    if rng.random() < empty:
        return ""
    if rng.random() < whole:
        return rng.choice(WHOLE)
    # Readers may trim what is around a text, but writers do not.
    inner = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 12)))
    return "x" + inner * rng.choice([1, 1, 1, 1, 200]) + "y"


def value(rng, depth=0):
    kind = rng.random()
    if depth > 2 or kind < 0.4:
        return rng.choice(NUMBERS)
    if kind < 0.7:
        return text(rng, 0.1)
    if kind < 0.85:
        return [value(rng, depth + 1) for _ in range(rng.randrange(3))]
    return members(rng, depth + 1)


def members(rng, depth=0):
    keys = rng.sample(["id", "größe", "a b", "x.y", "", "type", "content", "text", "key", "value", "name", "input"], rng.randrange(4))
    return {key: value(rng, depth) for key in keys}


def make_tool(rng, name):
    properties = {"id": {"type": rng.choice(["string", "number"]), "description": text(rng)}} if rng.random() < 0.8 else {}
    return Record(name=name, description=text(rng), schema={"type": "object", "properties": properties})


def make_call(rng, tools):
    failed = rng.random() < 0.3
    given = text(rng, 0.1)
    return Record(id="call_" + "%016x" % rng.getrandbits(64), name=rng.choice(tools).name, arguments=members(rng), failed=failed, shown=None,
                  result=given if not failed else "Error: " + given)


def make_run(rng):
    """A run: inputs, each with the calls of the model that follow. The last one may have failed, or its tools returned nothing."""
    tools = [make_tool(rng, name) for name in rng.sample(NAMES, rng.randrange(4))]
    now = datetime(2026, 5, 4, 8, tzinfo=timezone.utc) + timedelta(milliseconds=rng.randrange(10**9))
    run = Record(system=text(rng) if rng.random() < 0.8 else None, tools=tools, turns=[], model=rng.choice(MODELS), id="%032x" % rng.getrandbits(128))

    def tick():
        nonlocal now
        now += timedelta(milliseconds=rng.randrange(1, 5000))
        return now

    run.start = tick()
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        turn = Record(input=text(rng), time=tick(), calls=[], extra=[])
        for step in range(rng.randrange(1, 5)):
            call = Record(text=text(rng, 0.5), thought=text(rng) if rng.random() < 0.3 else None, tools=[], order=[], tokens=(rng.randrange(1, 10**5), rng.randrange(1, 999)),
                          start=tick(), end=tick(), error=None, model=run.model, facts={})
            turn.calls.append(call)
            if tools and rng.random() < 0.8:
                call.tools = [make_call(rng, tools) for _ in range(rng.choice([1, 1, 2, 3]))]
                for tool in call.tools:
                    tool.start, tool.end = tick(), tick()
                # They end in any order.
                call.order = rng.sample(call.tools, len(call.tools))
            else:
                break
        if turn.calls[-1].tools:
            turn.calls.append(Record(text="", thought=None, tools=[], order=[], tokens=(7, 1), start=tick(), end=tick(), error=None, model=run.model, facts={}))
        turn.calls[-1].text = text(rng)
        run.turns.append(turn)
    if rng.random() < 0.15:
        last = run.turns[-1].calls[-1]
        last.error, last.text, last.thought = "429 " + text(rng), "", None
    run.end = tick()
    return run


def calls(run):
    return [call for turn in run.turns for call in turn.calls]


def tools(run):
    return [tool for call in calls(run) for tool in call.tools]


def shown(text):
    return text or None


GAPS = ["system", "tools_offered", "tool_schemas", "model", "input", "answers", "times", "usage", "call_ids", "error_marks", "error_texts", "result_parts"]


def truth(run, lost=(), **changes):
    """The facts of a run in a source that stores all of them but `lost`."""
    sent = [["system", run.system]] if shown(run.system) else []
    facts = {"system": shown(run.system), "model": next((call.model for call in calls(run) if call.model), None), "calls": [], "tool_calls": [], "errors": []}
    usages = []
    for turn in run.turns:
        sent += turn.extra + [["user", turn.input]]
        for call in turn.calls:
            usage = {"input": call.tokens[0], "output": call.tokens[1]} if call.tokens else None
            usages += [usage] if usage else []
            made = [[tool.id, tool.name, tool.arguments] for tool in call.tools]
            facts["calls"].append({"sent": list(sent), "text": shown(call.text), "answered": not call.error, "tool_calls": made, "model": call.model,
                                   "usage": usage, "error": call.error} | call.facts)
            if call.error:
                facts["errors"].append(call.error)
                continue
            sent.append(["assistant", shown(call.text)])
            sent += [["tool", tool.result] for tool in call.order]
            facts["tool_calls"] += [{"id": tool.id, "name": tool.name, "arguments": tool.arguments,
                                     "result": None if tool.failed else tool.result, "error": tool.shown or tool.result if tool.failed else None} for tool in call.tools]
    inputs = [turn.input for turn in run.turns]
    facts["input"], facts["later_inputs"] = inputs[0], inputs[1:]
    last = run.turns[-1].calls[-1:]
    facts["final"] = shown(last[0].text) if last and not last[0].error and not last[0].tools else None
    facts["usage"] = {side: sum(usage[side] for usage in usages) for side in ["input", "output"]} if usages else None
    facts["model_calls"] = len(facts["calls"])
    gone = {gap for gap in ["system", "model", "usage"] if not facts[gap]}
    facts["missing"] = sorted(gone | set(lost), key=GAPS.index)
    return facts | changes


def iso(time):
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis(time):
    return round(time.timestamp() * 1000)


def lines(values):
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in values)


def without_failures(run):
    """Leaves out calls that failed, which some sources do not store."""
    for turn in run.turns:
        turn.calls = [call for call in turn.calls if not call.error]


def without_errors(run):
    for call in calls(run):
        if call.error:
            call.error, call.text = None, "Sorry"


def claude_code(rng, run):
    run.system, out, agents, lost = None, [], [], ["tools_offered"]

    def line(kind, time, message, **more):
        out.append({"parentUuid": None, "isSidechain": False, "type": kind, "message": message, "uuid": "%032x" % rng.getrandbits(128), "timestamp": iso(time),
                    "cwd": "/srv", "sessionId": run.id, "version": "2.1.197", "gitBranch": "main", **more})
        return out[-1]["uuid"]

    def user(content, time, **more):
        content = [{"type": "text", "text": content}] if isinstance(content, str) and rng.random() < 0.5 else content
        line("user", time, {"role": "user", "content": content}, **more)

    def result(tool):
        content = tool.result if rng.random() < 0.5 else [{"type": "text", "text": tool.result}]
        block = {"type": "tool_result", "tool_use_id": tool.id, "content": content}
        block |= {"is_error": tool.failed} if tool.failed or rng.random() < 0.5 else {}
        user([block], tool.end, toolUseResult="Error: x" if tool.failed else {"stdout": tool.result})

    def sub_agent(time):
        """A sub-agent between the lines, whose lines are found by its id or by the line before."""
        marks = {"isSidechain": True} | ({"agentId": "a%d" % len(agents)} if rng.random() < 0.5 else {})
        task, answer = text(rng), text(rng)
        first = line("user", time, {"role": "user", "content": task}, **marks)
        message = {"id": "sub", "role": "assistant", "model": "haiku", "content": [{"type": "text", "text": answer}], "usage": {"input_tokens": 3, "output_tokens": 4}}
        line("assistant", time, message, **(marks | {"parentUuid": first}))
        agents.append({"input": task, "final": answer, "usage": {"input": 3, "output": 4}, "model": "haiku", "model_calls": 1, "tool_calls": []})

    out.append({"type": "queue-operation", "operation": "enqueue", "timestamp": iso(run.start), "sessionId": run.id, "content": run.turns[0].input})
    for turn in run.turns:
        if rng.random() < 0.3:
            mark = rng.choice(["<command-name>/clear</command-name>", "[Request interrupted by user]", "<local-command-stdout></local-command-stdout>"])
            user(mark, turn.time)
            turn.extra.append(["user", mark])
        user(turn.input, turn.time)
        out.append({"isSidechain": False, "type": "attachment", "attachment": {"type": "skill_listing"}, "timestamp": iso(turn.time), "sessionId": run.id})
        for number, call in enumerate(turn.calls):
            if rng.random() < 0.2:
                out.append({"type": "system", "subtype": "api_error", "level": "error", "retryAttempt": 1, "timestamp": iso(call.start), "sessionId": run.id})
            if call.error:
                call.model = call.tokens = None
                line("assistant", call.end, {"id": "e", "model": "<synthetic>", "role": "assistant", "content": [{"type": "text", "text": call.error}],
                                             "usage": {"input_tokens": 0, "output_tokens": 0}}, isApiErrorMessage=True)
                continue
            blocks = [{"type": "thinking", "thinking": call.thought, "signature": "c2ln"}] if call.thought else []
            blocks += [{"type": "text", "text": call.text}] if call.text or not call.tools else []
            blocks += [{"type": "tool_use", "id": tool.id, "name": tool.name, "input": tool.arguments} for tool in call.tools]
            cached = rng.randrange(call.tokens[0] + 1)
            usage = {"input_tokens": call.tokens[0] - cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": call.tokens[1]}
            stop = "tool_use" if call.tools else "end_turn"
            interleaved, by_id = rng.random() < 0.5, {tool.id: tool for tool in call.tools}
            if interleaved:
                call.order = call.tools
            for tool in call.tools:
                if rng.random() < 0.03:
                    tool.result, lost = "<persisted-output>\nOutput too large (29.7KB). Full output saved to: /tmp/x\n" + tool.result, lost + ["result_parts"]
            for block in blocks:
                time = by_id[block["id"]].start if "id" in block else call.end
                message = {"id": f"msg_{id(turn)}_{number}", "type": "message", "role": "assistant", "model": call.model, "content": [block], "stop_reason": stop, "usage": usage}
                line("assistant", time, message)
                call.facts = {"ended": iso(time), "stop": stop, "tools": None}
                if "id" in block and interleaved:
                    result(by_id[block["id"]])
            for tool in [] if interleaved else call.order:
                result(tool)
            if rng.random() < 0.1:
                sub_agent(call.end)
    main = [line["timestamp"] for line in out if "message" in line and not line["isSidechain"]]
    return {"s.jsonl": lines(out)}, [truth(run, lost, ids={"session": run.id}, started=main[0], ended=main[-1])] + agents


def codex(rng, run):
    old, out, lost = rng.random() < 0.3, [], ["tools_offered"]
    add = lambda kind, time, **payload: out.append({"timestamp": iso(time), "type": kind, "payload": payload})
    content = lambda kind, text: [{"type": kind, "text": text}]
    add("session_meta", run.start, id=run.id, cwd="/srv", cli_version="0.171.0", **({"base_instructions": {"text": run.system}} if run.system is not None else {}))
    for role, words in [("developer", "<permissions>"), ("user", "<environment_context>")]:
        add("response_item", run.start, type="message", role=role, content=content("input_text", words))
    run.turns[0].extra = [["system", "<permissions>"], ["user", "<environment_context>"]]
    for turn in run.turns:
        add("turn_context", turn.time, cwd="/srv", model=run.model, summary="none")
        add("response_item", turn.time, type="message", role="user", content=content("input_text", turn.input))
        if old:
            add("event_msg", turn.time, type="user_message", message=turn.input, images=None)
        else:
            add("event_msg", turn.time, type="item_completed", item={"type": "UserMessage", "id": "u", "content": content("text", turn.input)})
        for call in turn.calls:
            if call.error:
                call.tokens = None
                if old:
                    add("event_msg", call.end, type="error", message=call.error)
                add("event_msg", call.end, type="task_complete", last_agent_message=None, error={"message": call.error})
                continue
            if call.thought:
                add("response_item", call.start, type="reasoning", summary=content("summary_text", call.thought), encrypted_content="gAAA")
            if call.text or not call.tools:
                add("response_item", call.start, type="message", role="assistant", content=content("output_text", call.text))
            for tool in call.tools:
                tool.custom = rng.random() < 0.2
                if tool.custom:
                    tool.arguments = "*** Begin Patch\n" + text(rng)
                    add("response_item", call.end, type="custom_tool_call", status="completed", call_id=tool.id, name=tool.name, input=tool.arguments)
                else:
                    add("response_item", call.end, type="function_call", name=tool.name, arguments=json.dumps(tool.arguments), call_id=tool.id)
            usage = {"input_tokens": call.tokens[0], "cached_input_tokens": 5, "output_tokens": call.tokens[1], "reasoning_output_tokens": 0}
            if not old:
                add("token_usage_record", call.end, response_id="r", usage=usage, thread_token_usage={"input_tokens": 10**9, "output_tokens": 10**9})
            for tool in call.order:
                code = rng.choice([1, 127, -1]) if tool.failed else 0
                if tool.custom or old:
                    tool.result = json.dumps({"output": tool.result, "metadata": {"exit_code": code, "duration_seconds": 0.1}})
                else:
                    cut = "Warning: truncated output (original token count: 7616)\n" if rng.random() < 0.05 else ""
                    lost = lost + ["result_parts"] if cut else lost
                    tool.result = f"Chunk ID: a\nWall time: 0.0000 seconds\nProcess exited with code {code}\nOriginal token count: 3\nOutput:\n{cut}{tool.result}"
                add("event_msg", tool.end, type="item_completed", item={"type": "CommandExecution", "id": tool.id, "aggregated_output": "x", "exit_code": code})
                add("response_item", tool.end, type=("custom_tool" if tool.custom else "function") + "_call_output", call_id=tool.id, output=tool.result)
            add("event_msg", call.end, type="token_count", info={"total_token_usage": {"input_tokens": 10**9, "output_tokens": 10**9}, "last_token_usage": usage})
            add("event_msg", call.end, type="agent_message", message=call.text)
    return {"s.jsonl": lines(out)}, [truth(run, lost, ids={"session": run.id}, started=iso(run.start), ended=out[-1]["timestamp"])]


def gemini_cli(rng, run):
    run.system, errors = None, [call.error for call in calls(run) if call.error]
    out = [{"sessionId": run.id, "projectHash": "e7", "startTime": iso(run.start), "lastUpdated": iso(run.start), "kind": "main"}]
    context = "<session_context>\nThis is the Gemini CLI."
    out.append({"$set": {"messages": [{"id": "c", "timestamp": iso(run.start), "type": "user", "content": [{"text": context}]}]}})
    run.turns[0].extra = [["user", context]]
    last = run.start
    for turn in run.turns:
        out.append({"id": str(len(out)), "timestamp": iso(turn.time), "type": "user", "content": [{"text": turn.input}]})
        for call in turn.calls:
            last = call.end
            if call.error:
                out.append({"id": str(len(out)), "timestamp": iso(call.end), "type": "error", "content": call.error})
                continue
            thoughts = [{"subject": "S", "description": call.thought, "timestamp": iso(call.start)}] if call.thought else []
            tokens = {"input": call.tokens[0], "output": call.tokens[1], "cached": 0, "thoughts": 0, "tool": 0, "total": 1}
            message = {"id": str(len(out)), "timestamp": iso(call.end), "type": "gemini", "content": call.text, "thoughts": thoughts, "tokens": tokens, "model": run.model}
            call.order = call.tools
            out.append(message)
            made = []
            for tool in call.tools:
                status, response = "success", {"output": tool.result}
                if tool.failed and tool.name == "Bash":
                    tool.name, tool.result = "run_shell_command", f"<untrusted_context>\nOutput: {tool.result}\nExit Code: 1\n</untrusted_context>"
                    response = {"output": tool.result}
                elif tool.failed:
                    status, response = rng.choice(["error", "cancelled"]), {"error": tool.result}
                result = [{"functionResponse": {"id": tool.id, "name": tool.name, "response": response}}]
                made.append({"id": tool.id, "name": tool.name, "args": tool.arguments, "result": result, "status": status, "timestamp": iso(tool.end), "resultDisplay": "x"})
                # It is written again as it grows.
                out.append(message | {"toolCalls": list(made)})
                out.append({"$set": {"lastUpdated": iso(tool.end)}})
            if made:
                last = made[-1]["timestamp"]
                out.append({"id": str(len(out)), "timestamp": last, "type": "user", "content": [part for tool in made for part in tool["result"]]})
                last = call.tools[-1].end
    without_failures(run)
    facts = truth(run, ["tools_offered"], errors=errors, ids={"session": run.id}, started=iso(run.start), ended=iso(last))
    if errors:
        facts["final"] = None
    if rng.random() < 0.2:
        # Older versions wrote one object.
        whole = {line["id"]: line for line in out if "id" in line}
        messages = out[1]["$set"]["messages"] + list(whole.values())
        return {"s.json": json.dumps(out[0] | {"messages": messages})}, [facts]
    return {"s.jsonl": lines(out)}, [facts]


def opencode(rng, run):
    run.system, messages, session = None, [], "ses_" + run.id

    def message(role, parts, created, **info):
        identity = "msg_%016x" % rng.getrandbits(64)
        messages.append({"info": {"id": identity, "sessionID": session, "role": role, "time": {"created": millis(created)}, **info},
                         "parts": [part | {"id": "prt", "sessionID": session, "messageID": identity} for part in parts]})

    for turn in run.turns:
        message("user", [{"type": "text", "text": turn.input}], turn.time, agent="build")
        for call in turn.calls:
            common = {"modelID": run.model, "providerID": "p", "mode": "build"}
            tokens = {"total": 1, "input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
            last = call.end
            if call.error:
                call.tokens = (0, 0)
                message("assistant", [], call.start, error={"name": "APIError", "data": {"message": call.error}}, tokens=tokens, **common)
                messages[-1]["info"]["time"]["completed"] = millis(call.end)
                continue
            parts = [{"type": "step-start"}] + ([{"type": "reasoning", "text": call.thought}] if call.thought else [])
            parts += [{"type": "text", "text": call.text}] if call.text or not call.tools else []
            call.order = call.tools
            for tool in call.tools:
                state = {"status": "completed", "input": tool.arguments, "output": tool.result, "metadata": {}, "title": "t"}
                if tool.failed and tool.name == "Bash":
                    state["metadata"] = {"exit": 3}
                elif tool.failed:
                    state = {"status": "error", "input": tool.arguments, "error": tool.result}
                parts.append({"type": "tool", "tool": tool.name, "callID": tool.id, "state": state | {"time": {"start": millis(tool.start), "end": millis(tool.end)}}})
            read = rng.randrange(call.tokens[0] + 1)
            tokens |= {"input": call.tokens[0] - read, "output": call.tokens[1], "cache": {"read": read, "write": 0}}
            last = call.tools[-1].end if call.tools else call.end
            message("assistant", parts + [{"type": "step-finish", "tokens": tokens}], call.start, tokens=tokens, finish="tool-calls" if call.tools else "stop", **common)
            messages[-1]["info"]["time"]["completed"] = millis(last)
            call.facts = {"started": str(millis(call.start)), "ended": str(millis(last))}
    root = {"info": {"id": session, "directory": "/srv", "title": "t", "version": "1.18.33", "time": {"created": 1}}, "messages": messages}
    started, ended = str(millis(run.turns[0].time)), str(millis(last))
    return {"s.json": json.dumps(root, indent=2)}, [truth(run, ["tools_offered"], ids={"session": session}, started=started, ended=ended)]


def copilot_cli(rng, run):
    run.system, out = None, []
    add = lambda kind, time, **data: out.append({"id": str(len(out)), "timestamp": iso(time), "parentId": None, "type": kind, "data": data})
    add("session.start", run.start, sessionId=run.id, version=1, producer="copilot-agent", selectedModel=run.model)
    sides = [sum(call.tokens[side] for call in calls(run) if not call.error) for side in [0, 1]]
    for turn in run.turns:
        add("user.message", turn.time, content=turn.input, transformedContent="<reminder>" + turn.input, attachments=[])
        for call in turn.calls:
            call.tokens = None
            if call.error:
                call.model = None
                add("session.error", call.end, errorType="query", message=call.error)
                continue
            requests = [{"toolCallId": tool.id, "name": tool.name, "arguments": tool.arguments, "type": "function"} for tool in call.tools]
            add("assistant.message", call.end, messageId="m", content=call.text, toolRequests=requests)
            call.facts = {"ended": iso(call.end)}
            for tool in call.tools:
                add("tool.execution_start", tool.start, toolCallId=tool.id, toolName=tool.name, arguments=tool.arguments)
            for tool in call.order:
                outcome = {"error": {"message": tool.result, "code": "x"}} if tool.failed else {"result": {"content": tool.result, "detailedContent": "x"}}
                add("tool.execution_complete", tool.end, toolCallId=tool.id, success=not tool.failed, **outcome)
    facts = truth(run, ["tools_offered"], ids={"session": run.id}, started=iso(run.start))
    if rng.random() < 0.5:
        add("session.shutdown", run.end, modelMetrics={run.model: {"usage": {"inputTokens": sides[0], "outputTokens": sides[1]}}})
        facts |= {"usage": {"input": sides[0], "output": sides[1]}, "missing": [gap for gap in facts["missing"] if gap != "usage"]}
    return {"s.jsonl": lines(out)}, [facts | {"ended": out[-1]["timestamp"]}]


def atif(rng, run):
    """A trajectory, perhaps with that of a sub-agent."""
    definitions = [{"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}} for tool in run.tools]
    steps, lost = [], [] if run.tools else ["tools_offered"]
    marks = rng.random() < 0.7

    def step(source, time, message, **more):
        message = message if rng.random() < 0.7 else [{"type": "text", "text": message}]
        steps.append({"step_id": len(steps) + 1, "timestamp": iso(time), "source": source, "message": message, **more})

    if run.system is not None:
        step("system", run.start, run.system)
    without_failures(run)
    for turn in run.turns:
        step("user", turn.time, turn.input)
        for call in turn.calls:
            more = {"model_name": run.model, "metrics": {"prompt_tokens": call.tokens[0], "completion_tokens": call.tokens[1], "cached_tokens": 0}}
            more |= {"reasoning_content": call.thought} if call.thought else {}
            if call.tools:
                results = []
                for tool in call.order:
                    tool.failed &= marks
                    results.append({"source_call_id": tool.id, "content": tool.result} | ({"extra": {"is_error": tool.failed}} if marks else {}))
                more["tool_calls"] = [{"tool_call_id": tool.id, "function_name": tool.name, "arguments": tool.arguments} for tool in call.tools]
                more["observation"] = {"results": results}
            step("agent", call.end, call.text, **more)
            call.facts = {"ended": iso(call.end)}
    lost += ["error_marks"] if tools(run) and not marks else []
    root = {"schema_version": "ATIF-v1.8", "session_id": run.id, "agent": {"name": "a", "version": "1", "model_name": run.model}, "steps": steps}
    root["agent"] |= {"tool_definitions": definitions} if definitions else {}
    facts = [truth(run, lost, ids={"session": run.id}, started=steps[0]["timestamp"], ended=steps[-1]["timestamp"], tools_offered=[tool.name for tool in run.tools] or None)]
    if not calls(run):
        facts[0] |= {"model": None}
    if rng.random() < 0.2:
        task = {"step_id": 1, "timestamp": iso(run.end), "source": "user", "message": "Look"}
        answer = {"step_id": 2, "timestamp": iso(run.end), "source": "agent", "message": "Seen", "model_name": "m"}
        root["subagent_trajectories"] = [{"schema_version": "ATIF-v1.8", "trajectory_id": "sub", "agent": {"name": "b", "version": "1"}, "steps": [task, answer]}]
        facts.append({"input": "Look", "final": "Seen", "model": "m", "model_calls": 1, "ids": {"trajectory": "sub"}})
    return {"t.json": json.dumps(root)}, facts


def of_chat(call):
    """The answer of a model as programs keep it that talk to OpenAI's API."""
    made = [{"id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}} for tool in call.tools]
    return {"role": "assistant", "content": call.text} | ({"tool_calls": made} if made else {})


def swe_agent(rng, run):
    without_failures(run)
    run.system, submission = run.system or "You fix code.", rng.choice([None, "", "diff --git a/x b/x"])
    history = [{"role": "system", "content": run.system, "agent": "main", "message_type": "system_prompt"}]
    for turn in run.turns:
        history.append({"role": "user", "content": turn.input, "agent": "main", "message_type": "observation" if turn is run.turns[0] else "user"})
        for call in turn.calls:
            call.tokens = call.model = None
            history.append(of_chat(call) | {"thought": call.text, "action": "x", "agent": "main", "message_type": "action"})
            for tool in call.order:
                tool.failed = False
                history.append({"role": "tool", "content": tool.result, "agent": "main", "message_type": "observation", "tool_call_ids": [tool.id]})
    facts = truth(run, ["tools_offered", "times", "error_marks"], usage={"input": 9, "output": 8})
    facts |= {"final": submission} if submission else {}
    facts["missing"] = [gap for gap in facts["missing"] if gap != "usage"]
    info = {"exit_status": "submitted", "submission": submission, "model_stats": {"tokens_sent": 9, "tokens_received": 8, "api_calls": 1}}
    return {"t.traj": json.dumps({"environment": "main", "trajectory": [], "history": history, "info": info}, indent=2)}, [facts]


def mini_swe_agent(rng, run):
    without_failures(run)
    run.system, submission = run.system or "You fix code.", rng.choice(["", "done"])
    messages = [{"role": "system", "content": run.system}]
    for turn in run.turns:
        messages.append({"role": "user", "content": turn.input})
        for call in turn.calls:
            usage = {"prompt_tokens": call.tokens[0], "completion_tokens": call.tokens[1]}
            extra = {"actions": [], "response": {"model": run.model, "choices": [], "usage": usage}, "cost": 0.1, "timestamp": call.end.timestamp()}
            messages.append(of_chat(call) | {"function_call": None, "extra": extra})
            call.facts = {"ended": str(call.end.timestamp())}
            for tool in call.order:
                code = 1 if tool.failed else 0
                tool.result = f"<returncode>{code}</returncode>\n<output>\n{tool.result}</output>"
                messages.append({"role": "tool", "tool_call_id": tool.id, "content": tool.result, "extra": {"raw_output": "x", "returncode": code, "timestamp": 1.5}})
    messages.append({"role": "exit", "content": submission, "extra": {"exit_status": "Submitted", "submission": submission}})
    facts = truth(run, ["tools_offered", "times"])
    facts |= {"final": submission} if submission else {}
    config = {"model": {"model_name": run.model, "model_kwargs": {}}}
    info = {"config": config, "mini_version": "2.4.6", "exit_status": "Submitted", "submission": submission}
    return {"t.traj.json": json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}, indent=2)}, [facts]


def chat_log(rng, run):
    """Lines of a logger, with a time, a speaker and a message, which have less than their programs knew."""
    without_errors(run)
    plain = lambda text: "x" + "".join(letter for letter in text if letter.isprintable() and letter not in "{}[]()<>:") + "y"
    out, run.system = [], plain(run.system or "")
    line = lambda time, words: out.append(f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03} INFO support.agent conv=c-1 {words}")
    line(run.start, "SYSTEM: " + run.system)
    for turn in run.turns:
        turn.input = plain(turn.input)
        line(turn.time, "USER: " + turn.input)
        for call in turn.calls:
            call.tokens = call.model = None
            call.text, call.order = plain(call.text) if not call.tools else "", call.tools
            for tool in call.tools:
                tool.id, tool.result = None, plain(tool.result) if rng.random() < 0.5 else json.dumps({"a": tool.result})
                line(tool.start, f"TOOL CALL {tool.name} {json.dumps(tool.arguments)}")
                line(tool.end, f"TOOL {'ERROR' if tool.failed else 'RESULT'} {tool.name} {tool.result}")
            if not call.tools:
                line(call.end, "ASSISTANT: " + call.text)
    lost = ["tools_offered"] + (["call_ids"] if tools(run) else [])
    facts = truth(run, lost, ids={"conversation": "c-1"}, started=out[0][:23], ended=out[-1][:23])
    # Which calls of tools are of one answer is not to be seen.
    del facts["calls"], facts["model_calls"]
    for tool in facts["tool_calls"]:
        del tool["result"], tool["error"]
    return {"chat.log": "\n".join(out) + "\n"}, [facts]


def tool_facts(run):
    return [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in run.tools]


def ai_sdk(rng, run):
    """Messages that the AI SDK makes of the answers of its own mock of a model; the argument after the folder is the one where it is installed."""
    without_errors(run)
    ui = rng.random() < 0.5
    for tool in tools(run):
        # JavaScript has no larger whole numbers.
        tool.arguments = json.loads(json.dumps(tool.arguments).replace(str(2**53 + 1), "9").replace(str(2**63), "8"))
    sides = [sum(call.tokens[side] for call in calls(run)) for side in [0, 1]]
    steps = [{"input": turn.input, "answers": [{"text": call.text, "thought": call.thought, "usage": call.tokens, "tools": [vars(tool) | {"start": 0, "end": 0} for tool in call.tools]}
                                               for call in turn.calls]} for turn in run.turns]
    script = Path(__file__).with_name("ai_sdk.mjs")
    given = {"ui": ui, "system": run.system, "tools": tool_facts(run), "turns": steps}
    written = subprocess.run(["node", script, sys.argv[5]], input=json.dumps(given), capture_output=True, text=True, check=True).stdout
    for call in calls(run):
        call.order, call.tokens, call.model = call.tools, None, None
    lost = ["tools_offered", "times"]
    if ui:
        run.system = None
        for tool in tools(run):
            if tool.failed:
                tool.result, lost = "An error occurred.", lost + ["error_texts"]
    facts = truth(run, lost)
    if ui and calls(run):
        # The numbers are in what this program gives along, which others do not.
        facts |= {"usage": {"input": sides[0], "output": sides[1]}, "missing": [gap for gap in facts["missing"] if gap != "usage"]}
    return {"messages.json": written}, [facts]


SOURCES = {"claude-code": claude_code, "codex": codex, "gemini-cli": gemini_cli, "opencode": opencode, "copilot-cli": copilot_cli, "atif": atif,
           "swe-agent": swe_agent, "mini-swe-agent": mini_swe_agent, "chat-log": chat_log, "ai-sdk": ai_sdk}


def main():
    source, count, seed, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    if source not in SOURCES:
        from traced_runs import SOURCES as traced

        SOURCES.update(traced)
    expected = {}
    for index in range(count):
        rng = random.Random(f"{source} {seed} {index}")
        files, facts = SOURCES[source](rng, make_run(rng))
        for name, content in files.items():
            if name.endswith(".jsonl") and source in ("claude-code", "codex", "gemini-cli", "copilot-cli") and rng.random() < 0.1:
                # The program was ended while it wrote.
                content += '{"type": "user", "timestamp": "2026-05-0'
            path = folder / f"{index:03}.{name}"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            expected[path.name] = facts
    (folder / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
