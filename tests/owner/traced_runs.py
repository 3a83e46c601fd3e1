"""Runs of agents as the libraries write them that trace calls of models. A model that answers from the run takes the place of a provider."""

import json
import os
import warnings
from datetime import datetime, timezone
from pathlib import Path

import httpx
import openai
from agent_runs import calls, lines, shown, tool_facts, tools, truth

CAPTURE = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true", "TRACELOOP_TRACE_CONTENT": "true", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "100000"}
os.environ.update(CAPTURE)
warnings.simplefilter("ignore")


def completion(call):
    """The answer of a chat as OpenAI's API gives it."""
    made = [{"id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": json.dumps(tool.arguments)}} for tool in call.tools]
    message = {"role": "assistant", "content": shown(call.text)} | ({"tool_calls": made} if made else {})
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}
    usage = {"prompt_tokens": call.tokens[0], "completion_tokens": call.tokens[1], "total_tokens": sum(call.tokens)}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": call.model, "choices": [choice], "usage": usage}


def stream(call):
    whole = completion(call)
    message = whole["choices"][0]["message"]
    text, made = message["content"] or "", message.get("tool_calls", [])
    deltas = [{"role": "assistant", "content": ""}] + [{"content": text[at:at + 40]} for at in range(0, len(text), 40)]
    for index, tool in enumerate(made):
        arguments = tool["function"]["arguments"]
        deltas.append({"tool_calls": [tool | {"index": index, "function": tool["function"] | {"arguments": arguments[:5]}}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": arguments[5:]}}]})
    common = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": call.model}
    chunks = [common | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append(common | {"choices": [{"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}]})
    chunks.append(common | {"choices": [], "usage": whole["usage"]})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def transport(run):
    """Answers the calls of a run one after the other."""
    answers = iter(calls(run))

    def answer(request):
        call = next(answers)
        if call.error:
            return httpx.Response(429, json={"error": {"message": call.error, "type": "rate_limit", "code": None, "param": None}})
        if json.loads(request.content).get("stream"):
            return httpx.Response(200, text=stream(call), headers={"content-type": "text/event-stream"})
        return httpx.Response(200, json=completion(call))

    return httpx.MockTransport(answer)


def offered(run):
    return [{"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}} for tool in run.tools]


class Telemetry:
    """Spans and records of logs in memory, encoded as the exporters encode them."""

    def __init__(self):
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs import export as logs
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self.spans, self.tracers, self.loggers = InMemorySpanExporter(), TracerProvider(), LoggerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        memory = getattr(logs, "InMemoryLogRecordExporter", None) or logs.InMemoryLogExporter
        self.logs = memory()
        processor = getattr(logs, "SimpleLogRecordProcessor")
        self.loggers.add_log_record_processor(processor(self.logs))
        self.tracer = self.tracers.get_tracer("agent")

    def take(self):
        """The spans that ended, and all as OTLP, with ids in hexadecimal."""
        import base64

        from google.protobuf.json_format import MessageToDict
        from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

        def hexadecimal(value):
            for key, inner in value.items() if isinstance(value, dict) else []:
                if key in ("traceId", "spanId", "parentSpanId"):
                    value[key] = base64.b64decode(inner).hex()
            for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
                hexadecimal(inner)
            return value

        spans, logs = self.spans.get_finished_spans(), self.logs.get_finished_logs()
        documents = [hexadecimal(MessageToDict(encode_spans(spans)))]
        if logs:
            documents.append(hexadecimal(MessageToDict(encode_logs(logs))))
        self.spans.clear()
        self.logs.clear()
        return spans, documents


def converse(rng, run, telemetry):
    """Has the conversation of a run, in spans of an agent and of its tools."""
    client = openai.OpenAI(api_key="k", base_url="http://localhost/v1", max_retries=0, http_client=httpx.Client(transport=transport(run)))
    messages = [{"role": "system", "content": run.system}] if shown(run.system) else []
    with telemetry.tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
        for turn in run.turns:
            messages.append({"role": "user", "content": turn.input})
            for call in turn.calls:
                options = {"tools": offered(run)} if run.tools else {}
                call.is_stream = not call.error and rng.random() < 0.3
                options |= {"stream": True, "stream_options": {"include_usage": True}} if call.is_stream else {}
                try:
                    answer = client.chat.completions.create(model=run.model, messages=messages, **options)
                    if "stream" in options:
                        list(answer)
                except openai.APIError:
                    continue
                messages.append(completion(call)["choices"][0]["message"])
                for tool in call.order:
                    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool.name, "gen_ai.tool.call.id": tool.id,
                                  "gen_ai.tool.call.arguments": json.dumps(tool.arguments), "gen_ai.tool.call.result": tool.result}
                    with telemetry.tracer.start_as_current_span("execute_tool " + tool.name, attributes=attributes) as span:
                        if tool.failed:
                            from opentelemetry.trace import StatusCode

                            span.set_status(StatusCode.ERROR, "ValueError")
                    messages.append({"role": "tool", "tool_call_id": tool.id, "content": tool.result})


def note_spans(run, facts, spans, is_call):
    """Takes times and errors from the spans."""
    own = sorted((span for span in spans if is_call(span)), key=lambda span: span.start_time)
    assert len(own) == len(facts["calls"]), [span.name for span in spans]
    for call, span in zip(facts["calls"], own):
        call |= {"started": str(span.start_time), "ended": str(span.end_time)}
        if call["error"]:
            exceptions = [event.attributes["exception.message"] for event in span.events if event.name == "exception"]
            call["error"] = span.status.description or (exceptions + [""])[0]
    errors = [call["error"] for call in facts["calls"] if call["error"]]
    facts |= {"errors": errors, "ids": {"trace": "%032x" % spans[0].context.trace_id}, "started": str(min(span.start_time for span in spans)),
              "ended": str(max(span.end_time for span in spans))}
    return facts


def otel(instrument, kinds, has_tools=True, has_empty=True, counts_streams=True):
    """A source of OpenTelemetry, by its instrumentation, the operations of its calls, and what it stores: the tools that were offered,
    empty texts, numbers of tokens of streams."""
    state = {}

    def spans_of(rng, run):
        if not state:
            state["telemetry"] = Telemetry()
            instrument(state["telemetry"])
        converse(rng, run, state["telemetry"])
        spans, documents = state["telemetry"].take()
        for call in calls(run):
            call.tokens = None if call.error or call.is_stream and not counts_streams else call.tokens
            call.facts = {"tools": has_tools and tool_facts(run) or None}
        is_call = lambda span: any(span.attributes.get(key) in kinds for key in ["gen_ai.operation.name", "llm.request.type", "openinference.span.kind"])
        facts = note_spans(run, truth(run, [] if has_tools and run.tools else ["tools_offered"]), spans, is_call)
        for message in [message for call in facts["calls"] for message in call["sent"] if not has_empty]:
            message[1] = shown(message[1])
        return spans, documents, facts

    return spans_of


def otlp(spans_of):
    def write(rng, run):
        _, documents, facts = spans_of(rng, run)
        return {"otlp.jsonl": lines(documents)}, [facts]

    return write


def traceloop(telemetry):
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument(tracer_provider=telemetry.tracers)


def events(telemetry):
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    try:
        from opentelemetry.sdk._events import EventLoggerProvider

        more = {"event_logger_provider": EventLoggerProvider(telemetry.loggers)}
    except ImportError:
        more = {}
    OpenAIInstrumentor().instrument(tracer_provider=telemetry.tracers, logger_provider=telemetry.loggers, **more)


def latest(telemetry):
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"
    events(telemetry)


def openinference(telemetry):
    from openinference.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument(tracer_provider=telemetry.tracers)


def agents_sdk(rng, run):
    """A run under the SDK's runner, whose model is that of chats: each input is a run of its own in one trace."""
    import asyncio

    from typing import Any

    import agents
    from agents.tool_context import ToolContext
    from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel

    exported = []

    class Processor(agents.TracingProcessor):
        def on_trace_start(self, trace):
            exported.append(trace.export())

        def on_span_end(self, span):
            exported.append(span.export())

        def on_trace_end(self, trace):
            pass

        on_span_start = shutdown = force_flush = lambda *_: None

    async def invoke(context):
        tool = next(tool for tool in tools(run) if tool.id == context.tool_call_id)
        if tool.failed:
            raise ValueError(tool.result)
        return tool.result

    invoke.__annotations__["context"] = ToolContext[Any]
    agents.set_trace_processors([Processor()])
    function = lambda tool: agents.function_tool(invoke, name_override=tool.name, description_override=tool.description, strict_mode=False,
                                                 failure_error_function=lambda context, error: str(error))
    client = openai.AsyncOpenAI(api_key="k", base_url="http://localhost/v1", max_retries=0, http_client=httpx.AsyncClient(transport=transport(run)))
    agent = agents.Agent(name="A", instructions=run.system, tools=[function(tool) for tool in run.tools], model=OpenAIChatCompletionsModel(run.model, client))

    async def converse():
        items = []
        with agents.trace("Workflow", group_id="g", trace_id="trace_" + run.id):
            for turn in run.turns:
                try:
                    items = (await agents.Runner.run(agent, items + [{"role": "user", "content": turn.input}], max_turns=99)).to_input_list()
                except openai.APIError:
                    pass

    asyncio.run(converse())
    for call in calls(run):
        call.order, call.tokens, call.error = call.tools, None if call.error else call.tokens, call.error and "Error code: 429 - " + call.error
    return {"trace.jsonl": lines(exported)}, [truth(run, ["tool_schemas"] if run.tools else ["tools_offered"], ids={"trace": "trace_" + run.id, "group": "g"})]


def langsmith(rng, run):
    """An agent of LangGraph with a chat of LangChain, and what its tracer posts."""
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import BaseTool
    from langchain_core.tracers.langchain import LangChainTracer
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import ToolNode, create_react_agent
    from langsmith._internal._serde import dumps_json

    posted, by_id = {}, {tool.id: tool for tool in tools(run)}

    class Client:
        tracing_queue = None

        def create_run(self, name, inputs, run_type, **more):
            posted[str(more["id"])] = {"name": name, "inputs": inputs, "run_type": run_type, "outputs": None, "error": None} | json.loads(dumps_json(more | {"inputs": inputs}))

        def update_run(self, run_id, **more):
            posted[str(run_id)] |= {key: value for key, value in json.loads(dumps_json(more)).items() if value is not None}

        def __getattr__(self, name):
            return lambda *_, **__: None

    class Tool(BaseTool):
        def invoke(self, call, config=None, **more):
            self.metadata = {"call": call["id"]}
            return super().invoke(call, config, **more)

        def _run(self, **_):
            call = by_id[self.metadata["call"]]
            if call.failed:
                raise ValueError(call.result)
            return call.result

    model = ChatOpenAI(model=run.model, api_key="k", base_url="http://localhost/v1", max_retries=0, http_client=httpx.Client(transport=transport(run)), use_responses_api=False)
    # The tools of a step share their object, so that they run one after the other.
    own = [Tool(name=tool.name, description=tool.description, args_schema=tool.schema) for tool in run.tools]
    agent = create_react_agent(model, ToolNode(own, handle_tool_errors=True) if own else [], prompt=run.system)
    options = {"callbacks": [LangChainTracer(client=Client())], "recursion_limit": 99, "max_concurrency": 1}

    def converse(_, config=options):
        messages = []
        for turn in run.turns:
            messages = agent.invoke({"messages": messages + [{"role": "user", "content": turn.input}]}, config)["messages"]
        return {"output": messages[-1].content}

    try:
        RunnableLambda(converse).invoke({"input": run.turns[0].input}, options) if len(run.turns) > 1 else converse(None)
    except openai.APIError:
        pass
    for call in calls(run):
        call.order, call.tokens = call.tools, None if call.error else call.tokens
        call.error = call.error and f"OpenAIRateLimitError({'Error code: 429 - ' + call.error!r})"
    for tool in tools(run):
        if tool.failed:
            tool.shown = repr(ValueError(tool.result))
            tool.result = f"Error: {tool.shown}\n Please fix your mistakes."
    runs = sorted(posted.values(), key=lambda run: run["dotted_order"])
    for call, posted_call in zip(calls(run), (run for run in runs if run["run_type"] == "llm")):
        call.facts = {"started": posted_call["start_time"], "ended": posted_call["end_time"], "tools": tool_facts(run) or None}
    facts = truth(run, [] if run.tools else ["tools_offered"], ids={"trace": runs[0]["trace_id"]}, started=runs[0]["start_time"])
    form = rng.randrange(4)
    if form == 0:
        return {"runs.jsonl": lines(reversed(runs))}, [facts]
    if form == 1:
        for run in runs:
            run["child_runs"] = [child for child in runs if child.get("parent_run_id") == run["id"]]
        return {"runs.json": json.dumps(runs[0])}, [facts]
    return {"runs.json": json.dumps(runs if form == 2 else {"runs": runs, "cursors": {"next": None}})}, [facts]


def pydantic_spans(rng, run, state={}):
    """The spans of an agent of Pydantic AI: each input is a run of its own in one trace."""
    from pydantic_ai import Agent, ModelRetry, Tool
    from pydantic_ai.capabilities import Instrumentation
    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.models.instrumented import InstrumentationSettings
    from pydantic_ai.usage import RequestUsage

    telemetry, answers = state.setdefault("telemetry", Telemetry()), iter(calls(run))
    by_id = {tool.id: tool for tool in tools(run)}

    def respond(messages, info):
        call = next(answers)
        if call.error:
            raise RuntimeError(call.error)
        parts = [ThinkingPart(call.thought)] if call.thought else []
        parts += [TextPart(call.text)] if call.text else []
        parts += [ToolCallPart(tool.name, tool.arguments if rng.random() < 0.5 else json.dumps(tool.arguments), tool.id) for tool in call.tools]
        return ModelResponse(parts, usage=RequestUsage(input_tokens=call.tokens[0], output_tokens=call.tokens[1]), model_name=call.model)

    def invoke(context, **_):
        tool = by_id[context.tool_call_id]
        if tool.failed:
            raise ModelRetry(tool.result)
        return tool.result

    functions = [Tool.from_schema(invoke, tool.name, tool.description, tool.schema, takes_ctx=True) for tool in run.tools]
    settings = InstrumentationSettings(tracer_provider=telemetry.tracers, version=rng.choice([2, 3, 4, 5]))
    agent = Agent(FunctionModel(respond, model_name=run.model), instructions=shown(run.system), tools=functions, retries=99, capabilities=[Instrumentation(settings)])
    history = []
    with telemetry.tracer.start_as_current_span("conversation"):
        for turn in run.turns:
            try:
                history = agent.run_sync(turn.input, message_history=history).all_messages()
            except RuntimeError:
                pass
    for call in calls(run):
        call.order, call.tokens = call.tools, None if call.error else call.tokens
        call.facts = {"tools": tool_facts(run) or None}
    spans, documents = telemetry.take()
    facts = note_spans(run, truth(run, [] if run.tools else ["tools_offered"]), spans, lambda span: span.attributes.get("gen_ai.operation.name") == "chat")
    return spans, documents, facts


def parsed(value):
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def logfire(rng, run):
    """Spans of Pydantic AI as rows or columns of a query, whose attributes are parsed where the library says that they are JSON."""
    spans, _, facts = pydantic_spans(rng, run)
    time = lambda nanos: datetime.fromtimestamp(nanos // 1000 / 1e6, timezone.utc).isoformat(timespec="microseconds")
    rows = []
    for span in sorted(spans, key=lambda span: -span.end_time):
        schema = json.loads(span.attributes.get("logfire.json_schema", "{}")).get("properties", {})
        attributes = {key: parsed(value) if schema.get(key) else value for key, value in span.attributes.items()}
        exceptions = [event.attributes for event in span.events if event.name == "exception"]
        rows.append({"trace_id": facts["ids"]["trace"], "span_id": "%016x" % span.context.span_id, "parent_span_id": span.parent and "%016x" % span.parent.span_id,
                     "span_name": span.name, "start_timestamp": time(span.start_time), "end_timestamp": time(span.end_time), "is_exception": bool(exceptions),
                     "exception_type": exceptions[0]["exception.type"] if exceptions else None,
                     "exception_message": exceptions[0]["exception.message"] if exceptions else None, "attributes": attributes,
                     "otel_status_message": span.status.description})
    for part in [facts, *facts["calls"]]:
        part |= {side: time(int(part[side])) for side in ["started", "ended"]}
    # That no tools are offered is in an attribute, which is parsed here.
    for call in facts["calls"]:
        call["tools"] = call["tools"] or []
    facts["missing"] = [gap for gap in facts["missing"] if gap != "tools_offered"]
    columns = [{"name": name, "datatype": "Utf8", "nullable": True, "values": [row[name] for row in rows]} for name in rows[0]]
    whole = rng.choice([{"columns": columns}, {"columns": [], "rows": rows}, {"schema": {"fields": []}, "data": rows}])
    return {"query.json": json.dumps(whole)}, [facts]


def phoenix(rng, run, spans_of=otel(openinference, ["LLM"], has_empty=False)):
    """Spans of OpenInference in the form of Phoenix's interface."""
    spans, _, facts = spans_of(rng, run)
    time = lambda nanos: datetime.fromtimestamp(nanos // 1000 / 1e6, timezone.utc).isoformat(timespec="microseconds")
    rows = []
    for span in spans:
        exceptions = [{"name": event.name, "timestamp": time(event.timestamp), "attributes": dict(event.attributes)} for event in span.events]
        rows.append({"name": span.name, "context": {"trace_id": facts["ids"]["trace"], "span_id": "%016x" % span.context.span_id},
                     "parent_id": span.parent and "%016x" % span.parent.span_id, "span_kind": span.attributes.get("openinference.span.kind", "UNKNOWN"),
                     "start_time": time(span.start_time), "end_time": time(span.end_time), "status_code": span.status.status_code.name,
                     "status_message": span.status.description or "", "attributes": dict(span.attributes), "events": exceptions})
    for part in [facts, *facts["calls"]]:
        part |= {side: time(int(part[side])) for side in ["started", "ended"]}
    if rng.random() < 0.5:
        return {"spans.jsonl": lines(rows)}, [facts]
    return {"spans.json": json.dumps({"data": rows, "next_cursor": None})}, [facts]


def langfuse(rng, run):
    """Observations in the form of an interface, of an export, or as rows of a storage, which have JSON in texts."""
    rows, camel = [], rng.random() < 0.5
    stored = (lambda value: value) if camel else (lambda value: value if value is None or isinstance(value, str) else json.dumps(value))
    time = (lambda value: value.isoformat(timespec="milliseconds").replace("+00:00", "Z")) if camel else (lambda value: value.strftime("%Y-%m-%d %H:%M:%S.%f"))

    def add(kind, name, start, end, given, output, **more):
        row = {"id": str(len(rows)), "traceId": run.id, "parentObservationId": "0" if rows else None, "type": kind, "name": name, "startTime": time(start), "endTime": time(end),
               "level": "DEFAULT", "statusMessage": None, "input": stored(given), "output": stored(output), "metadata": {}, "model": None, "usageDetails": {}, "sessionId": "s"}
        snake = lambda key: "".join("_" + letter.lower() if letter.isupper() else letter for letter in key)
        rows.append({key if camel else snake(key): value for key, value in (row | more).items()})

    messages = [{"role": "system", "content": run.system}] if shown(run.system) else []
    add("AGENT", "invoke_agent", run.start, run.end, run.turns[0].input, calls(run)[-1].text)
    for turn in run.turns:
        messages.append({"role": "user", "content": turn.input})
        for call in turn.calls:
            given = {"messages": list(messages)} | ({"tools": offered(run)} if run.tools else {})
            answer = completion(call)["choices"][0]["message"] if not call.error else None
            usage = {"input": call.tokens[0], "output": call.tokens[1], "total": sum(call.tokens)}
            failure = {"level": "ERROR", "statusMessage": call.error, "usageDetails": {}} if call.error else {}
            add("GENERATION", "openai.chat", call.start, call.end, given, answer, model=call.model, **({"usageDetails": usage} | failure))
            call.tokens = None if call.error else call.tokens
            call.facts = {"started": time(call.start), "ended": time(call.end), "tools": tool_facts(run) or None}
            if answer:
                messages.append(answer)
            for tool in call.order:
                failure = {"level": "ERROR", "statusMessage": "ValueError"} if tool.failed else {}
                add("TOOL", tool.name, tool.start, tool.end, tool.arguments, tool.result, **failure)
                messages.append({"role": "tool", "tool_call_id": tool.id, "content": tool.result})
    rng.shuffle(rows)
    facts = truth(run, [] if run.tools else ["tools_offered"], ids={"trace": run.id, "session": "s"}, started=time(run.start), ended=time(run.end))
    if not camel:
        return {"observations.jsonl": lines(rows)}, [facts]
    trace = {"id": run.id, "timestamp": time(run.start), "name": "t", "input": run.turns[0].input, "output": calls(run)[-1].text, "sessionId": "s", "observations": rows, "scores": []}
    return {"observations.json": json.dumps(rng.choice([rows, {"data": rows, "meta": {}}, trace]))}, [facts]


def inspect_log(rng, run):
    """A sample of an evaluation of Inspect, in each of its two formats."""
    import tempfile

    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolDef, ToolError, ToolParams

    results = iter(tools(run))

    def function(tool):
        async def invoke(**_):
            tool = next(results)
            if tool.failed:
                raise ToolError(tool.result)
            return tool.result

        return ToolDef(invoke, tool.name, tool.description or "-", ToolParams(additionalProperties=True), parallel=False).as_tool()

    @solver
    def converse():
        async def solve(state, generate):
            if shown(run.system):
                state.messages.insert(0, ChatMessageSystem(content=run.system))
            state.tools = [function(tool) for tool in run.tools]
            for turn in run.turns:
                if turn is not run.turns[0]:
                    state.messages.append(ChatMessageUser(content=turn.input))
                state = await generate(state)
            return state

        return solve

    client = httpx.AsyncClient(transport=transport(run))
    model = get_model("openai/" + run.model, api_key="k", base_url="http://localhost/v1", memoize=False, http_client=client, responses_api=False)
    form = rng.choice(["eval", "json"])
    with tempfile.TemporaryDirectory() as folder:
        task = inspect_ai.Task(dataset=[Sample(input=run.turns[0].input)], solver=converse())
        log = inspect_ai.eval(task, model=model, log_dir=folder, log_format=form, display="none", max_retries=0, max_tool_output=0, fail_on_error=False, log_level="critical")[0]
        content = Path(log.location).read_bytes()
        events = [event for event in log.samples[0].events if event.event == "model"]
    for call, event in zip(calls(run), events, strict=True):
        call.order, call.tokens, call.error = call.tools, None if call.error else call.tokens, event.error
        call.facts = {"tools": [{"name": tool.name, "description": tool.description} for tool in run.tools]}
    facts = truth(run, [], ids={"eval": log.eval.eval_id})
    return {"log." + form: content}, [facts]


SOURCES = {
    "inspect": inspect_log,
    "logfire": logfire,
    "langfuse": langfuse,
    "pydantic-ai": otlp(pydantic_spans),
    "phoenix": phoenix,
    "langsmith": langsmith,
    "openai-agents": agents_sdk,
    "otel-prompts": otlp(otel(traceloop, ["chat"], has_empty=False, counts_streams=False)),
    "otel-events": otlp(otel(events, ["chat"], has_tools=False, has_empty=False)),
    "otel-traceloop": otlp(otel(traceloop, ["chat"])),
    "otel-latest": otlp(otel(latest, ["chat"], has_tools=False)),
    "openinference": otlp(otel(openinference, ["LLM"], has_empty=False)),
}
