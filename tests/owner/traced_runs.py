"""Runs of agents as the libraries write them that trace calls of models. A model that answers from the run takes the place of a provider."""

import json
import os
from datetime import datetime, timezone

import httpx
import openai
from agent_runs import calls, lines, shown, tools, truth

CAPTURE = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true", "TRACELOOP_TRACE_CONTENT": "true", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "100000"}
os.environ.update(CAPTURE)


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


def tool_facts(run):
    return [{"name": tool.name, "description": tool.description, "schema": tool.schema} for tool in run.tools]


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

    def write(rng, run):
        if not state:
            state["telemetry"] = Telemetry()
            instrument(state["telemetry"])
        telemetry = state["telemetry"]
        converse(rng, run, telemetry)
        spans, documents = telemetry.take()
        for call in calls(run):
            call.tokens = None if call.error or call.is_stream and not counts_streams else call.tokens
            call.facts = {"tools": tool_facts(run) if has_tools and run.tools else None}
        lost = [] if has_tools and run.tools else ["tools_offered"]
        is_call = lambda span: any(span.attributes.get(key) in kinds for key in ["gen_ai.operation.name", "llm.request.type", "openinference.span.kind"])
        facts = note_spans(run, truth(run, lost), spans, is_call)
        for message in [message for call in facts["calls"] for message in call["sent"] if not has_empty]:
            message[1] = shown(message[1])
        return {"otlp.jsonl": "".join(json.dumps(document) + "\n" for document in documents)}, [facts]

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


SOURCES = {
    "openai-agents": agents_sdk,
    "otel-prompts": otel(traceloop, ["chat"], has_empty=False, counts_streams=False),
    "otel-events": otel(events, ["chat"], has_tools=False, has_empty=False),
    "otel-traceloop": otel(traceloop, ["chat"]),
    "otel-latest": otel(latest, ["chat"], has_tools=False),
    "openinference": otel(openinference, ["LLM"], has_empty=False),
}
