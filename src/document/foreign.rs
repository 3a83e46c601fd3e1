//! Files of other tools that contain model calls: they are recognised and their entries counted, but not read further.

mod agent_files;

use super::cassette::CassetteClient;
use super::found_calls::Side;
use super::members::{has_any, list, object};
use super::parts::{self, PartsForm};
use super::recorded::{self, Payload, RecordedCall};
use super::{Document, FileKind, Node, NodeKind, Syntax, Tree, httprr, json};
use crate::text::{EncodingFault, Source, has_ending, named_enum};

named_enum! {
    /// The format of another tool's file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ForeignFormat {
        /// HTTP calls as VCR and its relatives record them (vcrpy, ruby-vcr, go-vcr and others).
        VcrCassette = "vcr-cassette" "VCR cassette" "Cassette" "a VCR cassette" "call",
        /// An HTTP archive, as browsers and proxies save it.
        Har = "har" "HAR" "HAR" "an HTTP archive (HAR)" "call",
        /// Runs as LangSmith exports them: in a list, under `runs`, or one a line.
        Runs = "runs" "LangSmith runs" "LangSmith" "a LangSmith export" "call",
        /// Traces of OpenTelemetry as JSON, in one document or one a line.
        Otlp = "otlp" "OTLP traces" "OTLP" "OpenTelemetry traces (OTLP)" "call",
        /// Observations of Langfuse, in a list, of a trace, or one a line.
        Langfuse = "langfuse" "Langfuse trace" "Langfuse" "a Langfuse export" "call",
        /// The result of a query of Logfire, as rows or as columns.
        Logfire = "logfire" "Logfire trace" "Logfire" "the result of a Logfire query" "call",
        /// Spans of Phoenix, in a list or one a line.
        Phoenix = "phoenix" "Phoenix trace" "Phoenix" "a Phoenix export" "call",
        /// A session of Claude Code, one event a line.
        ClaudeCode = "claude-code" "Claude Code transcript" "Claude" "a transcript of Claude Code" "call",
        /// A session of Codex, one event a line.
        Codex = "codex" "Codex transcript" "Codex" "a transcript of Codex" "call",
        /// A session of Gemini CLI, a message a line.
        GeminiCli = "gemini-cli" "Gemini CLI transcript" "Gemini" "a transcript of Gemini CLI" "call",
        /// A session that opencode exported.
        OpencodeSession = "opencode-session" "opencode session" "opencode"
            "an exported session of opencode" "call",
        /// A session of Copilot CLI, one event a line.
        CopilotCli = "copilot-cli" "Copilot CLI transcript" "Copilot" "a transcript of Copilot CLI" "call",
        /// A trajectory of SWE-agent.
        SweAgent = "swe-agent" "SWE-agent trajectory" "SWE-agent" "a trajectory of SWE-agent" "call",
        /// A trajectory of mini-swe-agent.
        MiniSweAgent = "mini-swe-agent" "mini-swe-agent trajectory" "SWE-agent"
            "a trajectory of mini-swe-agent" "call",
        /// A trajectory in the Agent Trajectory Interchange Format.
        Atif = "atif" "ATIF trajectory" "ATIF" "an ATIF trajectory" "call",
        /// Messages of Vercel's AI SDK, of models or of its interface.
        AiSdk = "ai-sdk" "AI SDK messages" "AISDK" "messages of the AI SDK" "call",
        /// Traces of the OpenAI Agents SDK, a trace or span a line or in a list.
        OpenAiAgents = "openai-agents" "Agents SDK trace" "Agents"
            "a trace of the OpenAI Agents SDK" "call",
        /// A log of Inspect, as JSON or as a zip archive (`.eval`).
        InspectLog = "inspect-log" "Inspect log" "Inspect" "an Inspect log" "call",
        /// Results of promptfoo.
        Promptfoo = "promptfoo" "promptfoo results" "Promptfoo" "a promptfoo file" "result",
        /// Messages of WebSockets, recorded in place of a cassette.
        WebSocket = "websocket" "WebSocket messages" "WebSocket" "a WebSocket recording" "message",
        /// Calls with protocol buffers as Base64, recorded in place of a cassette.
        ProtocolBuffers = "protocol-buffers" "protocol buffers" "Protobuf"
            "a protocol buffers recording" "call",
        /// Mocks of httpmock, one or several documents in a file.
        Httpmock = "httpmock" "httpmock mocks" "Httpmock" "an httpmock file" "call",
        /// A call that llama-stack recorded.
        LlamaStack = "llama-stack" "llama-stack recording" "LlamaStack"
            "a llama-stack recording" "call",
        /// A session that the test proxy of Azure's SDKs recorded.
        AzureProxy = "azure-test-proxy" "Azure test proxy recording" "Azure"
            "an Azure test proxy recording" "call",
        /// A cassette of Braintrust's seinfeld.
        Seinfeld = "seinfeld" "seinfeld cassette" "Seinfeld" "a seinfeld cassette" "call",
        /// Interactions that opencode's http-recorder recorded.
        Opencode = "opencode" "opencode recording" "Opencode" "an opencode recording" "call",
        /// A fixture of req_llm.
        ReqLlm = "req-llm" "req_llm fixture" "ReqLlm" "a req_llm fixture" "call",
        /// A call that litellm's recorder for end-to-end tests recorded.
        Litellm = "litellm" "litellm recording" "Litellm" "a litellm recording" "call",
        /// Requests and responses in two lists, as vcrpy writes them with a serializer of langchain's tests.
        Langchain = "langchain" "langchain cassette" "Langchain" "a langchain cassette" "call",
        /// Calls of models in a format of a recorder of one's own, found by their shape or by a description.
        Recorded = "recorded" "recorded calls" "Recorded" "a recording of your own recorder" "call",
        /// Answers that tests take in an order or by the name of the file, without requests.
        Answers = "answers" "prepared answers" "Answers" "a file of prepared answers" "answer",
        /// A trace of Go's httprr.
        Httprr = "httprr" "httprr trace" "Httprr" "an httprr trace" "call",
        /// Fixtures of aimock: answers by what a request must have.
        Aimock = "aimock" "aimock fixtures" "Aimock" "a file of aimock fixtures" "answer",
        /// Conversations that the proxy of Copilot's SDK replays.
        Copilot = "copilot" "Copilot conversations" "Copilot" "a file of Copilot conversations"
            "conversation",
        /// Messages that a server of MCP reads and writes, one a line.
        McpReplay = "mcp-replay" "MCP replay" "MCP" "an MCP replay" "message",
        /// One JSON value a line, of no format above.
        JsonLines = "json-lines" "JSON lines" "Lines" "JSON lines of an unknown kind" "line",
        /// A stream of server-sent events as it was received.
        EventStream = "event-stream" "server-sent events" "Stream"
            "a stream of server-sent events" "event",
    }

    /// Every format.
    const ALL;

    /// The word used in JSON.
    pub fn as_str;

    /// The name in a list.
    pub fn label;

    /// The name in one word.
    pub fn short;

    /// The name with its article.
    pub fn name;

    /// The noun for one of what a file holds.
    fn entry;
}

/// A file of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Foreign {
    pub format: ForeignFormat,
    /// Number of calls, runs, spans, samples or results in it; `None` where only its beginning was read.
    pub entries: Option<usize>,
    /// The program whose file a cassette is.
    pub client: Option<CassetteClient>,
}

impl ForeignFormat {
    /// The kind of file, as it is listed.
    pub fn kind(self) -> FileKind {
        match self {
            Self::VcrCassette | Self::Httprr | Self::Aimock | Self::Copilot => FileKind::Cassette,
            _ if self.is_read_by_shape() => FileKind::Cassette,
            Self::Har => FileKind::Har,
            _ if self.is_agent_run() => FileKind::Runs,
            _ => FileKind::Foreign,
        }
    }

    /// Returns whether the calls in such files are read.
    pub(super) fn has_calls(self) -> bool {
        matches!(self.kind(), FileKind::Cassette | FileKind::Har | FileKind::Runs)
    }

    /// A sentence that says what Retake can do with it.
    pub fn help(self) -> &'static str {
        match self {
            Self::VcrCassette | Self::Har => "`retake import` turns it into replay sessions.",
            _ if self.is_read_by_shape() || self.is_agent_run() => {
                "`retake import` turns it into replay sessions."
            }
            Self::EventStream => {
                "`retake export tape` makes a tape of it if it is of Anthropic, OpenAI or Gemini."
            }
            _ => "Retake does not read this format yet.",
        }
    }

    /// Returns whether it is neither JSON nor YAML, but has values in its lines.
    pub(super) fn is_of_lines(self) -> bool {
        matches!(self, Self::JsonLines | Self::EventStream)
    }

    /// Returns whether another recorder's tests play these files: they are reported beside those that are checked.
    pub fn is_recording(self) -> bool {
        self == Self::McpReplay
    }

    /// Returns whether the calls of these files are found by the [shape](super::recorded) of what was sent and answered.
    pub fn is_read_by_shape(self) -> bool {
        matches!(
            self,
            Self::Httpmock
                | Self::LlamaStack
                | Self::AzureProxy
                | Self::Seinfeld
                | Self::Opencode
                | Self::ReqLlm
                | Self::Litellm
                | Self::Langchain
                | Self::Recorded
                | Self::Answers
        )
    }

    /// Returns whether these files hold runs of agents, whose calls are found by what each of these programs writes.
    pub fn is_agent_run(self) -> bool {
        matches!(
            self,
            Self::ClaudeCode
                | Self::Codex
                | Self::GeminiCli
                | Self::OpencodeSession
                | Self::CopilotCli
                | Self::SweAgent
                | Self::MiniSweAgent
                | Self::Atif
                | Self::AiSdk
                | Self::OpenAiAgents
                | Self::Runs
                | Self::Otlp
                | Self::Langfuse
                | Self::Logfire
                | Self::Phoenix
                | Self::InspectLog
        )
    }

    /// Returns whether nothing in such a file shows which recorder wrote it, so that it can be described.
    pub fn is_of_any_recorder(self) -> bool {
        matches!(self, Self::Recorded | Self::Answers | Self::JsonLines)
    }

    pub(super) fn with_entries(self, entries: impl Into<Option<usize>>) -> Foreign {
        Foreign { format: self, entries: entries.into(), client: None }
    }
}

impl Foreign {
    /// The name of its kind in a list.
    pub fn label(&self) -> &'static str {
        if self.is_of_unknown_recorder() {
            return "cassette";
        }
        self.format.label()
    }

    /// Returns whether it is a cassette that does not show which program wrote it.
    fn is_of_unknown_recorder(&self) -> bool {
        self.format == ForeignFormat::VcrCassette && self.client.is_none()
    }

    /// Returns a description with its article: `a VCR cassette of 3 calls`.
    pub fn describe(&self) -> String {
        let is_unknown = self.is_of_unknown_recorder();
        let name = if is_unknown { "a cassette" } else { self.format.name() };
        let entry = self.format.entry();
        match self.entries {
            None => name.to_owned(),
            Some(1) => format!("{name} of 1 {entry}"),
            Some(entries) => format!("{name} of {entries} {entry}s"),
        }
    }
}

/// Number of bytes read of a file of which only the beginning is read: 64 KiB.
pub const HEAD_BYTES: usize = 64 << 10;

/// Number of lines read of a file with one value per line.
const MAX_LINES: usize = 20;

/// Detects the format from the beginning of a file; `None` if it is unknown. `is_whole` says that there is no more
/// of it.
pub fn detect_head(head: &[u8], file_name: &str, is_whole: bool) -> Option<Foreign> {
    let source = Source::from_bytes(head.to_vec());
    // Texts are detected first: as a document, several values or an archive would only be a faulty one.
    let document = detect_text(source.text(), file_name).or_else(|| {
        let tree = match super::detect::syntax(source.text(), file_name) {
            Syntax::Json => json::parse(&source).0,
            Syntax::Yaml => {
                let has_documents = parts::has_documents(source.text());
                let documents = has_documents.then(|| parts::parse(&source, PartsForm::Documents));
                documents.flatten().unwrap_or_else(|| super::yaml::parse(&source).0)
            }
            Syntax::Toml if !may_be_cassette(source.text()) => return None,
            Syntax::Toml => super::toml::parse(&source).0,
            Syntax::Code | Syntax::Machine => return None,
        };
        detect_tree(tree.root()?)
    })?;
    // Entries counted in the beginning of a file are not those of the file.
    Some(Foreign { entries: document.entries.filter(|_| is_whole), ..document })
}

/// Detects the format of a text that is not a single JSON or YAML document.
pub(super) fn detect_text(text: &str, file_name: &str) -> Option<Foreign> {
    archive(text, file_name)
        .or_else(|| detect_lines(text, file_name))
        .or_else(|| trace_or_replay(text))
}

/// Detects a trace of httprr, or a replay of an MCP server.
fn trace_or_replay(text: &str) -> Option<Foreign> {
    if text.starts_with(httprr::FIRST_LINE) {
        let tree = httprr::parse(&Source::new(text));
        let count = tree.root().map(Node::len).filter(|_| tree.is_well_formed());
        return Some(ForeignFormat::Httprr.with_entries(count));
    }
    let messages = || text.lines().filter(|line| !line.trim().is_empty()).count();
    super::detect::is_mcp_replay(text).then(|| ForeignFormat::McpReplay.with_entries(messages()))
}

/// Detects what is neither JSON nor YAML, although it begins as one of them: a value a line, or a stream of server-sent events.
pub(super) fn detect_stream(tree: &Tree, file_name: &str) -> Option<Foreign> {
    if tree.syntax() == Syntax::Code || has_ending(file_name, &[".yaml", ".yml", ".toml"]) {
        return None;
    }
    let text = tree.source().text().trim_start_matches('\u{feff}');
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let format = if is_event_stream(tree.source().text()) {
        ForeignFormat::EventStream
    } else if has_ending(file_name, &[".jsonl", ".ndjson"])
        || !tree.is_well_formed() && lines().nth(1).is_some()
    {
        let is_value = |line: &str| line.starts_with(['{', '[']) && line.ends_with(['}', ']']);
        // Without the name, a broken document with a bracket at both ends of each line is not taken for lines.
        let is_whole = |line: &str| json::parse(&Source::new(line)).0.is_well_formed();
        let is_named = has_ending(file_name, &[".jsonl", ".ndjson"]);
        let are_values = if is_named && !tree.is_well_formed() {
            // A line may be cut off, but not most of them: then it is a document over several lines.
            lines().filter(|line| is_value(line)).count() * 2 >= lines().count()
        } else {
            lines().all(is_value) && (is_named || lines().take(MAX_LINES).all(is_whole))
        };
        are_values.then_some(ForeignFormat::JsonLines)?
    } else {
        return None;
    };
    Some(format.with_entries(None))
}

/// Returns whether a text has only fields of server-sent events, as far as it is looked at, and several events or one that is JSON.
fn is_event_stream(text: &str) -> bool {
    let fields = ["data:", "event:", "id:", "retry:", ":"];
    let lines: Vec<&str> = text
        .trim_start_matches('\u{feff}')
        .lines()
        .take(MAX_LINES)
        .filter(|line| !line.is_empty())
        .collect();
    let data = || lines.iter().filter_map(|line| line.strip_prefix("data:"));
    let is_json = |data: &str| data.trim_start().starts_with(['{', '[']);
    let has_field = |line: &&str| fields.iter().any(|field| line.starts_with(field));
    lines.iter().all(has_field) && (data().nth(1).is_some() || data().any(is_json))
}

/// Detects a log of Inspect: a zip archive whose first files have particular names.
fn archive(text: &str, file_name: &str) -> Option<Foreign> {
    const ZIP_MARK: &str = "PK\u{3}\u{4}";
    // A zip archive begins with the name of its first file.
    let mut end = text.len().min(1024);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let first = text.starts_with(ZIP_MARK).then(|| &text[..end])?;
    let names = ["_journal/", "header.json", "samples/"];
    let is_log = has_ending(file_name, &[".eval"]) || names.iter().any(|name| first.contains(name));
    is_log.then(|| ForeignFormat::InspectLog.with_entries(None))
}

/// Detects formats with one value per line: a transcript, runs or traces.
fn detect_lines(text: &str, file_name: &str) -> Option<Foreign> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_named = has_ending(file_name, &[".jsonl", ".ndjson"]);
    let first = lines.next()?;
    let second_line = lines.next();
    let is_object = |line: &str| line.starts_with('{');
    let is_whole = |line: &str| is_object(line) && line.ends_with('}');
    // Without the name, two lines must be objects: a formatted JSON document also begins with `{`.
    if !is_object(first) || !(is_named || is_whole(first) && second_line.is_some_and(is_object)) {
        return None;
    }
    let read = |line: &str| json::parse(&Source::new(line)).0;
    let head: Vec<Tree> =
        [first].into_iter().chain(second_line).chain(lines).take(MAX_LINES).map(read).collect();
    let roots = || head.iter().filter_map(Tree::root);
    // A transcript may begin with lines that only describe it.
    let format = roots().find_map(agent_files::of_line);
    let runs = || roots().next().is_some_and(is_run).then_some(ForeignFormat::Runs);
    format.or_else(runs).map(|format| format.with_entries(None))
}

/// Detects the format of a document of an unknown kind.
pub(super) fn detect_tree(root: Node<'_>) -> Option<Foreign> {
    if root.tree().parts().is_some() {
        return recorder(root);
    }
    if let Some(format) = agent_files::of_root(root) {
        return Some(format.with_entries(None));
    }
    if root.kind() != NodeKind::Object {
        let is_export = root.kind() == NodeKind::Array && is_runs(root);
        return is_export.then(|| ForeignFormat::Runs.with_entries(None));
    }
    let format = [recorder, cassette, har, promptfoo].into_iter().find_map(|detect| detect(root));
    let runs = || is_runs(root).then(|| ForeignFormat::Runs.with_entries(None));
    format.or_else(runs)
}

/// Detects files of recorders by what they write around their calls.
fn recorder(root: Node<'_>) -> Option<Foreign> {
    let has = |node: Option<Node<'_>>, keys: &[&str]| node.is_some_and(|node| has_any(node, keys));
    let first = |key| list(root, key).and_then(|list| list.items().next());
    if let Some(entries) = list(root, "Entries") {
        // A test that made no calls leaves an empty list and its variables.
        let is_empty = || entries.is_empty() && object(root, "Variables").is_some();
        let is_azure_proxy = has(entries.items().next(), &["RequestUri"]) || is_empty();
        return is_azure_proxy.then(|| ForeignFormat::AzureProxy.with_entries(entries.len()));
    }
    let of_list =
        |format: ForeignFormat, key| format.with_entries(list(root, key).map_or(0, Node::len));
    if list(root, "entries").is_some() && object(root, "meta").is_some() {
        let is_entry = has(first("entries"), &["matchKey"]);
        let is_empty = first("entries").is_none() && has(object(root, "meta"), &["createdAt"]);
        return (is_entry || is_empty).then(|| of_list(ForeignFormat::Seinfeld, "entries"));
    }
    if first("fixtures").is_some_and(|first| has(first.get("match").map(|_| first), &["response"]))
    {
        return Some(of_list(ForeignFormat::Aimock, "fixtures"));
    }
    if list(root, "models").is_some() && list(root, "conversations").is_some() {
        return Some(of_list(ForeignFormat::Copilot, "conversations"));
    }
    if has(first("interactions"), &["transport"]) {
        return Some(of_list(ForeignFormat::Opencode, "interactions"));
    }
    let is_call = |key, names: &[&str]| first(key).is_some_and(|item| has_any(item, names));
    if is_call("requests", &["uri"]) && is_call("responses", &["status"]) {
        return Some(of_list(ForeignFormat::Langchain, "requests"));
    }
    let mock = if root.tree().parts().is_some() { root.items().next()? } else { root };
    if object(mock, "when").is_some() && has(object(mock, "then"), &["status"]) {
        let count = if root.tree().parts().is_some() { root.len() } else { 1 };
        return Some(ForeignFormat::Httpmock.with_entries(count));
    }
    let (request, response) = (object(root, "request"), object(root, "response"));
    let one = |format: ForeignFormat| Some(format.with_entries(1));
    if has(request, &["canonical_json"]) {
        return one(ForeignFormat::ReqLlm);
    }
    if has(request, &["file_sha256"]) && has(response, &["body_b64", "chunks_b64"]) {
        return one(ForeignFormat::Litellm);
    }
    let is_call = has(request, &["endpoint"]) && has(response, &["body", "exception_data"])
        // llama-stack stores requests that it passes on, and calls of tools, without an endpoint.
        || has(request, &["payload", "tool_name"]) && has(response, &["is_streaming"]);
    is_call.then(|| ForeignFormat::LlamaStack.with_entries(1))
}

/// Detects calls of models in a file of any recorder, by their shape. The path says whether the file is where recordings are.
pub(super) fn detect_calls(tree: &Tree, path: &str, named: Option<Foreign>) -> Option<Foreign> {
    let root = tree.root()?;
    if is_of_other_program(root) {
        return None;
    }
    let found = recorded::find(tree);
    let pairs = found.calls.iter().filter(|call| call.sent.is_some()).count();
    let answers =
        found.calls.iter().filter(|call| call.sent.is_none() && call.received.is_some()).count();
    if let Some(named) = named {
        return Some(Foreign {
            entries: Some(found.calls.len().max(named.entries.unwrap_or_default())),
            ..named
        });
    }
    if pairs > 0 {
        return Some(ForeignFormat::Recorded.with_entries(found.calls.len()));
    }
    // An answer alone is in logs and transcripts as well, but deeper in them.
    let is_outside = |call: &RecordedCall<'_>| call.node.ancestors().count() <= 3;
    (answers > 0 && is_place_of_recordings(path) && found.calls.iter().all(is_outside))
        .then(|| ForeignFormat::Answers.with_entries(answers))
}

/// Returns the requests and answers in a document of which it is not certain which belong together. In a file of an unknown kind there
/// are some only where recordings are, and if both are there.
pub fn unsure_payloads<'a>(document: &'a Document, path: &str) -> Vec<Payload<'a>> {
    if document.format.is_some() {
        return Vec::new();
    }
    let tree = &document.tree;
    match &document.body {
        super::DocumentBody::Foreign(foreign) if foreign.format.is_read_by_shape() => {
            recorded::find(tree).unsure
        }
        super::DocumentBody::Unknown
            if is_place_of_recordings(path)
                && tree.root().is_some_and(|root| !is_of_other_program(root)) =>
        {
            let unsure = recorded::find(tree).unsure;
            let has = |side| unsure.iter().any(|payload| payload.side == side);
            if has(Side::Request) && has(Side::Answer) { unsure } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// Returns whether a document is of a program that has requests and answers in it and is no recorder: a trace, a log, a description of an
/// API, results of a batch.
fn is_of_other_program(root: Node<'_>) -> bool {
    const KEYS: [&str; 24] = [
        "openapi",
        "asyncapi",
        "swagger",
        "$schema",
        "$defs",
        "run_type",
        "trace_id",
        "span_id",
        "traceId",
        "spanId",
        "observations",
        "trajectory",
        "samples",
        "custom_id",
        "expected",
        "expected_output",
        "workflow_name",
        "jobs",
        "apiVersion",
        "dependencies",
        // A notebook, and reports of test runs.
        "nbformat",
        "exitcode",
        "testResults",
        "__export_format",
    ];
    let first = match root.kind() {
        NodeKind::Array => root.items().next(),
        _ => None,
    };
    // A collection of Postman has examples of requests and answers.
    if object(root, "info").is_some() && list(root, "item").is_some() {
        return true;
    }
    [Some(root), first].into_iter().flatten().any(|node| has_any(node, &KEYS))
}

/// Returns whether a path is one where projects keep recordings: a folder named so, or the folder that was opened itself.
fn is_place_of_recordings(path: &str) -> bool {
    const PARTS: [&str; 13] = [
        "record",
        "cassette",
        "fixture",
        "snapshot",
        "testdata",
        "tape",
        "mock",
        "golden",
        "vcr",
        "replay",
        "responses",
        "trace",
        "stub",
    ];
    const ENDINGS: [&str; 4] = [".responses", ".sse", ".chunks.txt", ".cassette.json"];
    let Some((folder, _)) = path.rsplit_once('/') else { return true };
    let folder = folder.to_ascii_lowercase();
    PARTS.iter().any(|part| folder.contains(part)) || has_ending(path, &ENDINGS)
}

/// Returns whether a text of TOML may have recorded calls, by words of both of their sides: most others are not parsed.
pub(super) fn may_be_cassette(text: &str) -> bool {
    const OF_REQUESTS: [&str; 5] = ["messages", "contents", "input", "prompt", "eyJ"];
    const OF_ANSWERS: [&str; 9] = [
        "choices",
        "candidates",
        "content",
        "output",
        "generation",
        "response",
        "outputs",
        "message",
        "eyJ",
    ];
    let has_any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    text.contains("[[interactions]]") || has_any(&OF_REQUESTS) && has_any(&OF_ANSWERS)
}

fn cassette(root: Node<'_>) -> Option<Foreign> {
    // Calls by other protocols than HTTP have other fields, and some recordings have none.
    let own_keys = [
        "version",
        "interactions",
        "http_interactions",
        "recorded_with",
        "metadata",
        "grpc_interactions",
        "ws_interactions",
    ];
    let has_only_own =
        || root.items().filter_map(Node::key).all(|key| own_keys.contains(&key)) && root.len() > 1;
    let cassette = || Foreign {
        client: CassetteClient::of(root),
        ..ForeignFormat::VcrCassette.with_entries(super::cassette::list(root).map_or(0, Node::len))
    };
    let Some(calls) = super::cassette::list(root) else {
        let is_empty = super::cassette::null_list(root).is_some();
        return (is_empty && has_only_own()).then(cassette);
    };
    let Some(first) = calls.items().next() else { return has_only_own().then(cassette) };
    if super::cassette::Interaction::in_cassette(first).is_some() {
        return Some(cassette());
    }
    if !has_only_own() {
        return None;
    }
    let is_sample = |key: &str| key.starts_with("request_") || key.ends_with("_method");
    let mut keys = first.items().filter_map(Node::key);
    Some(if first.get("direction").is_some() && first.get("data").is_some() {
        ForeignFormat::WebSocket.with_entries(calls.len())
    } else if keys.any(is_sample) {
        ForeignFormat::ProtocolBuffers.with_entries(calls.len())
    } else {
        cassette()
    })
}

/// Whether the root of a document is that of an HTTP archive.
pub fn is_har(root: Node<'_>) -> bool {
    har(root).is_some()
}

fn har(root: Node<'_>) -> Option<Foreign> {
    let log = object(root, "log")?;
    let rows = list(log, "entries");
    // If only the beginning was read, the pages come before the entries.
    let is_cut = || log.get("version").is_some() && log.get("creator").is_some();
    (rows.is_some() || is_cut()).then(|| ForeignFormat::Har.with_entries(rows.map_or(0, Node::len)))
}

fn promptfoo(root: Node<'_>) -> Option<Foreign> {
    let results = object(root, "results")?;
    let rows = list(results, "results");
    let is_promptfoo = root.get("evalId").is_some()
        || rows.is_some() && results.get("stats").is_some() && root.get("config").is_some();
    is_promptfoo.then(|| ForeignFormat::Promptfoo.with_entries(rows.map_or(0, Node::len)))
}

/// Whether a value is a run as LangSmith exports it.
pub fn is_run(node: Node<'_>) -> bool {
    let has = |key| node.get(key).is_some();
    let traces =
        ["run_type", "child_runs", "trace_id", "dotted_order", "parent_run_id", "session_id"];
    has("id")
        && has("inputs")
        && (has("outputs") || has("error") || has("start_time"))
        && traces.iter().any(|key| has(key))
}

/// The runs of a LangSmith export: the root, the elements of a list, or those of `runs`.
pub fn runs(root: Node<'_>) -> Vec<Node<'_>> {
    match (root.kind(), root.get("runs")) {
        (NodeKind::Array, _) => root.items().collect(),
        (_, Some(runs)) if runs.kind() == NodeKind::Array => runs.items().collect(),
        _ => vec![root],
    }
}

/// Whether the root of a document is that of a LangSmith export.
pub fn is_runs(root: Node<'_>) -> bool {
    runs(root).into_iter().take(3).any(is_run)
}

impl Document {
    /// Describes a file that should not be treated as plain text: binary data, a file of another tool, JSON, or YAML by
    /// its name; `None` for a text. It completes "It is".
    pub fn not_plain_text(&self, file_name: &str) -> Option<String> {
        let source = self.source();
        if let super::DocumentBody::Foreign(foreign) = &self.body {
            return Some(foreign.describe());
        }
        let text = source.text();
        // NUL is valid UTF-8, but no text contains it.
        if matches!(source.fault(), Some(EncodingFault::NotUtf8 { .. })) || text.contains('\0') {
            return Some("binary data, not text".to_owned());
        }
        let is_nested = || {
            let root = self.tree.root().filter(|_| self.tree.is_well_formed());
            root.is_some_and(|root| matches!(root.kind(), NodeKind::Object | NodeKind::Array))
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let is_object = |line: &str| line.starts_with("{\"") && line.ends_with('}');
        if lines.clone().nth(1).is_some() && lines.all(is_object) {
            return Some("JSON lines of an unknown kind".to_owned());
        }
        match self.syntax {
            Syntax::Json if is_nested() => Some("JSON of an unknown kind".to_owned()),
            Syntax::Json if has_ending(file_name, &[".json"]) && !self.tree.is_well_formed() => {
                Some("JSON that cannot be parsed".to_owned())
            }
            Syntax::Yaml if has_ending(file_name, &[".yaml", ".yml"]) && is_nested() => {
                Some("YAML of an unknown kind".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    fn describe_file(file_name: &str, text: &str) -> String {
        let document = read(Source::new(text), file_name);
        let super::super::DocumentBody::Foreign(foreign) = &document.body else {
            return format!("{}: {:?}", document.kind().as_str(), document.problems);
        };
        assert!(document.problems.is_empty(), "{text}");
        assert_eq!(detect_head(text.as_bytes(), file_name, true), Some(*foreign));
        let head = detect_head(text.as_bytes(), file_name, false).unwrap();
        assert_eq!((head.format, head.entries), (foreign.format, None));
        format!("{} {}", foreign.format.kind().as_str(), foreign.describe())
    }

    #[test]
    fn files_of_other_tools_are_named_and_counted() {
        let run = r#"{"id": "r", "inputs": {}, "outputs": {}, "run_type": "llm"}"#;
        let files = [
            ("a.yaml", "interactions:\n- request:\n    uri: https://x\n  response: {}\nversion: 1\n".to_owned()),
            ("a.yaml", "version: 2\ninteractions:\n  - id: 0\n    request:\n      url: https://x\n    response: {}\n".to_owned()),
            ("a.yml", "http_interactions:\n- request:\n    uri: x\n- request: {}\nrecorded_with: VCR 6\n".to_owned()),
            ("a.yaml", "version: 1\ninteractions: []\n".to_owned()),
            ("a.yaml", "interactions:\nversion: 1\n".to_owned()),
            ("a.yaml", "version: 1\ninteractions:\n- kind: message\n  data: {}\n".to_owned()),
            ("a.json", r#"{"log": {"version": "1.2", "entries": [{}, {}]}}"#.to_owned()),
            ("a.har", r#"{"log": {"version": "1.2", "creator": {}, "entries": []}}"#.to_owned()),
            ("a.json", format!(r#"{{"runs": [{run}, {run}]}}"#)),
            ("a.json", format!("[{run}]")),
            ("a.jsonl", format!("{run}\n{run}\n{run}\n")),
            ("a.json", r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{}, {}]}, {"spans": [{}]}]}]}"#.to_owned()),
            ("a.jsonl", "{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [{}]}]}]}\n".repeat(2)),
            ("a.jsonl", "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{}}\n".to_owned()),
            ("a.jsonl", "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{\"id\":\"s\"}}\n".to_owned()),
            ("a.json", r#"{"resourceLogs": [{"scopeLogs": []}]}"#.to_owned()),
            ("a.json", r#"[{"id": "o", "traceId": "t", "type": "SPAN", "startTime": "", "level": "DEFAULT", "input": null}]"#.to_owned()),
            ("a.jsonl", "{\"id\": \"o\", \"trace_id\": \"t\", \"type\": \"SPAN\", \"start_time\": \"\", \"level\": \"\", \"session_id\": \"\", \"input\": \"\"}\n".to_owned()),
            ("a.json", r#"{"id": "t", "input": "x", "sessionId": "s", "observations": [{"id": "o", "traceId": "t", "type": "SPAN", "startTime": "", "level": "", "input": ""}]}"#.to_owned()),
            ("a.json", r#"{"columns": [], "rows": [{"trace_id": "t", "span_id": "s", "start_timestamp": "", "attributes": {}}]}"#.to_owned()),
            ("a.json", r#"{"columns": [{"name": "span_id", "values": ["s"]}]}"#.to_owned()),
            ("a.json", r#"{"data": [{"name": "s", "context": {"trace_id": "t", "span_id": "s"}, "span_kind": "LLM", "attributes": {}}]}"#.to_owned()),
            ("a.json", r#"{"version": 2, "status": "success", "eval": {"run_id": "r", "task": "t"}, "samples": [{}]}"#.to_owned()),
            ("a.json", r#"{"evalId": "eval-1", "results": {"version": 3, "results": [{}, {}]}, "config": {}}"#.to_owned()),
            ("a.json", r#"{"Entries": [{"RequestUri": "https://a", "StatusCode": 200}], "Variables": {}}"#.to_owned()),
            ("a.json", r#"{"Entries": [], "Variables": {}}"#.to_owned()),
            ("a.yaml", "when:\n  path: /a\nthen:\n  status: 200\n---\nwhen:\n  path: /b\nthen:\n  status: 200\n".to_owned()),
            ("a.json", r#"{"request": {"url": "u", "endpoint": "/v1/chat"}, "response": {"body": {"__type__": "x"}}}"#.to_owned()),
            ("a.json", r#"{"request": {"url": "u", "payload": {}}, "response": {"status": 200, "is_streaming": false}}"#.to_owned()),
            ("a.httprr", "httprr trace v1\n0 0\n".to_owned()),
            ("time", "STDIN: {\"id\":1}\nSTDERR: a\nSTDOUT: {\"id\":1}\n".to_owned()),
            ("a.json", r#"{"version": 1, "interactions": [{"transport": "http", "request": {"method": "POST", "url": "https://x"}, "response": {"status": 200}}]}"#.to_owned()),
        ];
        let lines: Vec<String> =
            files.iter().map(|(name, text)| describe_file(name, text)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        cassette a VCR cassette of 1 call
        cassette a VCR cassette of 1 call
        cassette a VCR cassette of 2 calls
        cassette a VCR cassette of 0 calls
        cassette a VCR cassette of 0 calls
        cassette a VCR cassette of 1 call
        har an HTTP archive (HAR) of 2 calls
        har an HTTP archive (HAR) of 0 calls
        runs a LangSmith export
        runs a LangSmith export
        runs a LangSmith export
        runs OpenTelemetry traces (OTLP)
        runs OpenTelemetry traces (OTLP)
        runs a transcript of Claude Code
        runs a transcript of Codex
        runs OpenTelemetry traces (OTLP)
        runs a Langfuse export
        runs a Langfuse export
        runs a Langfuse export
        runs the result of a Logfire query
        runs the result of a Logfire query
        runs a Phoenix export
        runs an Inspect log
        foreign a promptfoo file of 2 results
        cassette an Azure test proxy recording of 1 call
        cassette an Azure test proxy recording of 0 calls
        cassette an httpmock file of 2 calls
        cassette a llama-stack recording of 1 call
        cassette a llama-stack recording of 1 call
        cassette an httprr trace of 1 call
        foreign an MCP replay of 3 messages
        cassette an opencode recording of 1 call
        ");
    }

    #[test]
    fn an_archive_that_cannot_be_unpacked_is_named_and_has_a_problem() {
        let document = read(Source::new("PK\u{3}\u{4}\u{14}\0_journal/start.json"), "a.eval");
        let super::super::DocumentBody::Foreign(foreign) = &document.body else {
            panic!("not named")
        };
        assert_eq!(foreign.describe(), "an Inspect log");
        let messages: Vec<&str> = document.problems.iter().map(|p| &*p.message).collect();
        assert_eq!(messages, ["The archive is damaged, or too large, and cannot be unpacked"]);
    }

    #[test]
    fn values_in_lines_are_named_and_have_no_syntax_errors() {
        let describe = |name: &str, text: &str| {
            let document = read(Source::new(text), name);
            let problems: Vec<&str> =
                document.problems.iter().map(|problem| &*problem.message).collect();
            match &document.body {
                super::super::DocumentBody::Foreign(foreign) => foreign.describe(),
                _ => problems.join("; "),
            }
        };
        let (lines, events) = ("{\"a\": 1}\n{\"a\": 2}\n", "event: a\ndata: {\"b\": 1}\n\n");
        let (lines_name, events_name) =
            ("JSON lines of an unknown kind", "a stream of server-sent events");
        for (name, text, expected) in [
            ("a.jsonl", lines, lines_name),
            ("a.jsonl", "{\"a\": 1}\n", lines_name),
            ("a.responses", lines, lines_name),
            ("a.json", lines, "The file is JSON lines of an unknown kind, not one JSON value"),
            ("a.json", "[{\"a\": 1}\n{\"b\": 2}]\n", "A comma or `]` is expected before `{`"),
            (
                "a.json",
                "{\"a\": 1}\n{\"a\": 2}}\n",
                "`{` after the value; a file contains one value",
            ),
            ("a.sse", events, events_name),
            ("a.txt", ": ping\n\ndata: a\n\ndata: b\n", events_name),
            ("a.json", events, "The file is a stream of server-sent events, not one JSON value"),
            ("a.jsonl", "{\"a\": 1}\n{\"a\": \n", lines_name),
            ("a.yaml", "event: a\ndata: {b: 1}\n", ""),
            ("a.json", "{\"a\": 1}\n{\"a\": \n", "`{` after the value; a file contains one value"),
            ("", "data: none\nevent: none\n", ""),
        ] {
            assert_eq!(describe(name, text), expected, "{name}: {text}");
        }
    }

    #[test]
    fn what_only_resembles_them_is_not_named() {
        for (name, text) in [
            ("a.json", r#"{"Entries": [1]}"#),
            ("a.json", r#"{"Entries": []}"#),
            ("a.yaml", "when: now\nthen: later\n"),
            ("a.yaml", "STDIN_FILE: a\n"),
            (
                "pact.json",
                r#"{"consumer": {}, "provider": {}, "interactions": [{"request": {"method": "GET", "path": "/"}}]}"#,
            ),
            ("a.json", r#"{"eval": "x", "results": []}"#),
            ("a.json", r#"{"results": {"results": []}}"#),
            ("a.json", r#"{"log": "x"}"#),
            (
                "a.json",
                r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": []}]"#,
            ),
            ("a.json", r#"[{"id": "a", "role": "user", "parts": [{"text": "Hi"}]}]"#),
            ("a.json", r#"{"history": [{"role": "user", "content": "Hi"}]}"#),
            ("a.json", r#"{"schema_version": "1.0", "steps": []}"#),
            ("a.json", r#"{"info": {"id": "x"}, "messages": []}"#),
            ("a.jsonl", "{\"type\": \"user\", \"message\": \"x\"}\n{\"type\": \"x\"}\n"),
            ("a.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
            ("a.zip", "PK\u{3}\u{4}\u{14}\0other"),
        ] {
            assert_eq!(detect_head(text.as_bytes(), name, true), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_text_is_described() {
        let not_plain_text =
            |name: &str, text: &str| read(Source::new(text), name).not_plain_text(name);
        assert_eq!(not_plain_text("a.txt", "Subject: refund\n\nWhere is it?\n"), None);
        assert_eq!(not_plain_text("", "Question: {what}?"), None);
        let kind = not_plain_text("a.json", "{\"stre");
        assert_eq!(kind.as_deref(), Some("JSON that cannot be parsed"));
        assert_eq!(not_plain_text("a.md", "- a\n- b\n"), None);
        assert_eq!(not_plain_text("", "{\"a\": 1}").as_deref(), Some("JSON of an unknown kind"));
        assert_eq!(not_plain_text("", "{ not JSON"), None);
        assert_eq!(not_plain_text("a.yaml", "a: 1\n").as_deref(), Some("YAML of an unknown kind"));
        assert_eq!(not_plain_text("a.txt", "a\0b").as_deref(), Some("binary data, not text"));
        assert_eq!(
            not_plain_text("a.yaml", "version: 1\ninteractions: []\n").as_deref(),
            Some("a VCR cassette of 0 calls")
        );
    }
}
