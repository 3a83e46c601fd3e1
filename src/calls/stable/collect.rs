//! The texts of a file in which ids and times are looked for: its values, and the decoded bodies of calls.

use std::borrow::Cow;
use std::ops::Range;

use super::StableSettings;
use super::times;
use crate::api::Provider;
use crate::cassette_config::CassetteFacts;
use crate::reading::all_calls;
use crate::tape::verify::ignore::{has_id_form, is_random, names_id};
use document::address::WrittenAddress;
use document::body::{decode_base64, event_stream};
use document::call::{BodyContent, BodyForm, BodyLayer, HttpBody, ModelCall};
use document::cassette::{CassetteClient, Interaction, StoredBody};
use document::edit::{JsonValue, length_values};
use document::json::{self, quote};
use document::text::Source;
use document::{Document, DocumentBody, FileKind, Node, NodeId, NodeKind, Syntax, Tree, yaml};

/// Parts of a request that the player of a cassette compares besides the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) body: bool,
    pub(super) headers: bool,
}

/// Matchers that compare neither bodies nor headers.
const ADDRESS_MATCHERS: [&str; 8] =
    ["method", "uri", "url", "scheme", "host", "port", "path", "query"];

impl Compared {
    /// Returns what the configuration of a cassette says, or else its program. A matcher that is not known may compare everything.
    pub(super) fn by(document: &Document, facts: &CassetteFacts) -> Self {
        let named_client = facts.client.as_ref().map(|(client, _)| *client);
        let client = named_client.or_else(|| document.tree.root().and_then(CassetteClient::of));
        let (body, headers) = match facts.match_on.as_ref().map(|m| m.texts.as_deref()) {
            // Set, but not by a literal: only a run knows what is compared.
            Some(None) => (true, true),
            Some(Some(matchers)) => {
                let names = matchers.iter().map(|m| &**m);
                let mut other_matchers = names.filter(|m| !ADDRESS_MATCHERS.contains(m)).peekable();
                let is_any = other_matchers.peek().is_some();
                (is_any, other_matchers.any(|m| !m.contains("body")))
            }
            None => match client {
                // A recorder that is not known may compare everything.
                Some(CassetteClient::GoVcr) | None => (true, true),
                Some(CassetteClient::RVcr) => (true, false),
                // By default the others compare method and address only.
                _ => (false, false),
            },
        };
        // vcr for R has headers of requests only if they are compared.
        let headers = headers || client == Some(CassetteClient::RVcr);
        Self { body, headers }
    }
}

/// Place of a text in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPlace {
    Address,
    RequestHeader,
    RequestBody,
    Response,
}

/// The part of a value that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPart {
    Whole,
    /// The whole value, with a character for each byte.
    Bytes,
    /// The payload of a message of an event stream, by its number.
    Payload(usize),
    /// The content that the payload has in Base64.
    Encoded(usize),
}

/// A body that is an event stream of Amazon.
#[derive(Debug)]
pub(super) struct MessageStream {
    pub(super) node: NodeId,
    pub(super) bytes: Vec<u8>,
    pub(super) layers: Vec<BodyLayer>,
    pub(super) lengths: Vec<(NodeId, usize)>,
}

/// A text of the file, decoded.
#[derive(Debug)]
pub(super) struct StableText<'d> {
    pub(super) node: NodeId,
    /// The number of the call that it belongs to, from 0.
    pub(super) call: usize,
    pub(super) place: TextPlace,
    pub(super) text: Cow<'d, str>,
    /// The part of the value that it is.
    pub(super) part: TextPart,
    /// The payload that has it in Base64.
    pub(super) around: Cow<'d, str>,
    /// The layers around it.
    pub(super) layers: Vec<BodyLayer>,
    /// Values that say how many bytes it has, and how many they say.
    pub(super) lengths: Vec<(NodeId, usize)>,
    /// The times in it, each with what it becomes.
    pub(super) times: Vec<(Range<usize>, String)>,
}

/// Texts, numbers and ids that were found in a file.
#[derive(Debug, Default)]
pub(super) struct FoundTexts<'d> {
    /// By calls, of each what was sent first.
    pub(super) texts: Vec<StableText<'d>>,
    pub(super) streams: Vec<MessageStream>,
    /// Numbers and times that are values of the file, each with what it becomes.
    pub(super) numbers: Vec<(NodeId, JsonValue)>,
    /// Times in YAML without quotes, in bytes of the file.
    pub(super) plain_times: Vec<(Range<usize>, String)>,
    /// The generated ids, in the order of the texts.
    pub(super) ids: Vec<String>,
    /// Parts of requests that are compared.
    pub(super) compared: Compared,
    /// The keys whose values stay.
    keep: &'d [Box<str>],
}

impl Default for Compared {
    fn default() -> Self {
        Self { body: true, headers: true }
    }
}

/// Part of a call, and the kinds of generated values to look for in it.
#[derive(Clone, Copy)]
struct SearchArea {
    call: usize,
    place: TextPlace,
    times: bool,
    ids: bool,
}

impl SearchArea {
    /// The one call of a file that is no cassette.
    fn of_file(place: TextPlace, ids: bool) -> Self {
        Self { call: 0, place, times: true, ids }
    }
}

/// Something generated.
enum Generated {
    Id(String),
    /// The new JSON of a value.
    Value(String),
}

impl<'d> FoundTexts<'d> {
    pub(super) fn read(
        document: &'d Document,
        settings: &'d StableSettings,
        facts: &CassetteFacts,
    ) -> Self {
        let mut file_texts = Self { keep: &settings.keep, ..Self::default() };
        match &document.body {
            DocumentBody::Tape(_) => {
                // Players compare the request, and the chunks are the answer.
                let meta = document.tree.root().and_then(|root| root.get("meta"));
                if let Some(meta) = meta {
                    file_texts.value(meta, SearchArea::of_file(TextPlace::Response, false));
                }
            }
            DocumentBody::Recording(_) => file_texts.recording(document),
            _ if document.kind() == FileKind::Cassette => {
                file_texts.compared = Compared::by(document, facts);
                let keeps_age = facts.max_age.is_some() || facts.expires.is_some();
                for (number, call) in all_calls(document).iter().enumerate() {
                    file_texts.call(document, number, call, keeps_age);
                }
            }
            _ => {}
        }
        file_texts
    }

    /// Returns how many times were found.
    pub(super) fn times(&self) -> usize {
        let text_count: usize = self.texts.iter().map(|text| text.times.len()).sum();
        text_count + self.numbers.len() + self.plain_times.len()
    }

    fn recording(&mut self, document: &'d Document) {
        // Players compare the signature of a recording, not its texts.
        self.compared = Compared { body: false, headers: false };
        let members = document.tree.root().into_iter().flat_map(Node::items);
        // A signature decides what is served, and the metadata of a source is not of this call.
        let is_other = |key| matches!(key, Some("signature" | "sourceMetadata" | "lastValidated"));
        let members: Vec<Node<'_>> = members.filter(|m| !is_other(m.key())).collect();
        let (request_members, other_members): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|m| m.key() == Some("request"));
        for member in request_members {
            self.value(member, SearchArea::of_file(TextPlace::RequestBody, true));
        }
        for member in other_members {
            self.value(member, SearchArea::of_file(TextPlace::Response, true));
        }
    }

    fn call(&mut self, document: &'d Document, at: usize, call: &ModelCall<'d>, keeps_age: bool) {
        let Some(interaction) = Interaction::parse(document.node(call.node)) else { return };
        let request = interaction.request;
        let uri = interaction.uri();
        // Local servers have the API of OpenAI's completions.
        let is_service = call.is_of_model() || is_provider(uri) || uri.ends_with("/completions");
        if let Some(address) = interaction.address() {
            self.plain(address, at, TextPlace::Address);
        }
        let http = call.facts.http.as_ref();
        let sides = [
            (
                interaction.request_body(),
                interaction.request_headers(),
                http.and_then(|http| http.request_body.as_ref()),
                Some(request),
                [TextPlace::RequestBody, TextPlace::RequestHeader],
                is_service && !self.compared.body,
            ),
            (
                interaction.response_body(),
                interaction.response_headers(),
                http.and_then(|http| http.response_body.as_ref()),
                interaction.response,
                [TextPlace::Response; 2],
                is_service,
            ),
        ];
        for (stored_body, headers, body, message, [place, header_place], times) in sides {
            if let (Some(body), Some(message)) = (body, message) {
                let bytes = body.sent_bytes.into_iter();
                let lengths = bytes.flat_map(|bytes| {
                    let values = length_values(message, &headers, bytes);
                    values.into_iter().map(move |value| (value.id(), bytes))
                });
                let area = SearchArea { call: at, place, times, ids: is_service };
                self.body(document, (stored_body, body), lengths.collect(), area);
            }
            for (_, value) in headers {
                self.ids.extend(boundary(value));
                self.plain(value, at, header_place);
            }
        }
        if !keeps_age && let Some(time_node) = interaction.time() {
            self.time(time_node, at);
        }
        let duration = interaction.response.and_then(|r| r.get("duration"));
        let zero = |node: Node<'_>| times::zero_duration(node.scalar_text()?);
        if let Some((duration, zero)) = duration.and_then(|n| Some((n, zero(n)?))) {
            self.numbers.push((duration.id(), JsonValue::text(zero)));
        }
    }

    /// Adds a value of the file that is a time.
    fn time(&mut self, node: Node<'d>, call: usize) {
        let is_kept = self.keep.iter().any(|key| node.key() == Some(&**key));
        let zero = node.scalar_text().and_then(times::zero);
        let Some(zero) = zero.filter(|z| !is_kept && Some(&**z) != node.scalar_text()) else {
            return;
        };
        match (node.kind(), node.tree().syntax()) {
            // A time without quotes is no text in YAML; the general edit would put it in quotes.
            (NodeKind::Timestamp, Syntax::Yaml) => {
                self.plain_times.push((node.span().range(), zero));
            }
            (NodeKind::String, _) => self.add(node, call, TextPlace::Response, vec![zero]),
            _ => self.numbers.push((node.id(), JsonValue::text(&zero))),
        }
    }

    /// Adds a text of the file; `zeros` is what the whole text becomes.
    fn add(&mut self, node: Node<'d>, call: usize, place: TextPlace, zeros: Vec<String>) {
        let Some(text) = node.as_str().filter(|_| !node.is_alias()) else { return };
        let times = zeros.into_iter().map(|zero| (0..text.len(), zero));
        self.texts.push(StableText {
            node: node.id(),
            call,
            place,
            text: Cow::Borrowed(text),
            part: TextPart::Whole,
            around: Cow::Borrowed(""),
            layers: Vec::new(),
            lengths: Vec::new(),
            times: times.collect(),
        });
    }

    /// Adds a text in which only ids of other texts are looked for.
    fn plain(&mut self, node: Node<'d>, call: usize, place: TextPlace) {
        self.add(node, call, place, Vec::new());
    }

    /// Adds a value of the file with all texts in it.
    fn value(&mut self, root: Node<'d>, area: SearchArea) {
        let mut generated = generated(root, area, self.keep).into_iter().peekable();
        for node in root.tree().nodes_at(root.positions()) {
            let mut zeros = Vec::new();
            if let Some((_, generated_value)) = generated.next_if(|(n, _)| n.id() == node.id()) {
                match (generated_value, node.kind()) {
                    (Generated::Id(id), _) => self.ids.push(id),
                    (Generated::Value(json), NodeKind::String) => {
                        let value = JsonValue::parse(&json).ok();
                        zeros.extend(value.and_then(|v| v.root().as_str().map(str::to_owned)));
                    }
                    (Generated::Value(json), _) => {
                        self.numbers.extend(JsonValue::parse(&json).ok().map(|v| (node.id(), v)));
                    }
                }
            }
            self.add(node, area.call, area.place, zeros);
        }
    }

    fn body(
        &mut self,
        document: &'d Document,
        (stored_body, body): (StoredBody<'d>, &HttpBody),
        lengths: Vec<(NodeId, usize)>,
        area: SearchArea,
    ) {
        // A body that cannot be read cannot be written again.
        if body.fault.is_some() {
            return;
        }
        let content = match (&body.content, stored_body) {
            (BodyContent::Tree(root), _) => {
                return self.value(document.node(*root), area);
            }
            // The parts of a stream are values of their own.
            (_, StoredBody::Parts(_, parts)) => {
                for part in parts {
                    if let StoredBody::Text(node) = part {
                        self.text(node, area);
                    }
                }
                return;
            }
            // The places in the text are those of all of it.
            (_, StoredBody::Inside(node, _)) => return self.text(node, area),
            (BodyContent::Bytes(bytes), _) if body.form == BodyForm::EventStream => {
                if document.node(body.node).as_str().is_some() {
                    self.messages(bytes, body.node, area);
                    self.streams.push(MessageStream {
                        node: body.node,
                        bytes: bytes.clone(),
                        layers: body.layers.clone(),
                        lengths,
                    });
                }
                return;
            }
            (content, _) if document.node(body.node).as_str().is_some() => content,
            _ => return,
        };
        let (text, part, times) = match content {
            BodyContent::Text(text) => {
                let times = self.scan(text.text(), body.form, area);
                (text.text().to_owned(), TextPart::Whole, times)
            }
            BodyContent::Bytes(bytes) if body.form == BodyForm::Multipart => {
                // A character for each byte, so that files among the parts survive.
                (bytes.iter().map(|byte| char::from(*byte)).collect(), TextPart::Bytes, Vec::new())
            }
            _ => return,
        };
        self.texts.push(StableText {
            node: body.node,
            call: area.call,
            place: area.place,
            text: Cow::Owned(text),
            part,
            around: Cow::Borrowed(""),
            layers: body.layers.clone(),
            lengths,
            times,
        });
    }

    /// Adds the payloads of the messages of an event stream, and what they have in Base64.
    fn messages(&mut self, bytes: &[u8], node: NodeId, area: SearchArea) {
        for (number, (_, payload)) in event_stream(bytes).into_iter().enumerate() {
            let Ok(payload) = std::str::from_utf8(payload) else { continue };
            let tree = json::parse(&Source::new(payload)).0;
            let bytes = tree.root().and_then(|root| decode_base64(root.get("bytes")?.as_str()?));
            let encoded_part = bytes
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .map(|text| (TextPart::Encoded(number), text));
            let parts = [(TextPart::Payload(number), payload.to_owned())].into_iter();
            for (part, text) in parts.chain(encoded_part) {
                let times = self.scan(&text, BodyForm::Json, area);
                let outer = match part {
                    TextPart::Encoded(_) => payload.to_owned(),
                    _ => String::new(),
                };
                self.texts.push(StableText {
                    node,
                    call: area.call,
                    place: area.place,
                    text: Cow::Owned(text),
                    around: Cow::Owned(outer),
                    part,
                    layers: Vec::new(),
                    lengths: Vec::new(),
                    times,
                });
            }
        }
    }

    /// Adds a text of the file that is a part of a stream.
    fn text(&mut self, node: Node<'d>, area: SearchArea) {
        let Some(text) = node.as_str() else { return };
        let times = self.scan(text, BodyForm::Events, area);
        self.plain(node, area.call, area.place);
        if let Some(stable_text) = self.texts.last_mut() {
            stable_text.times = times;
        }
    }

    /// Looks for ids and times in the JSON of a text. Returns the times.
    fn scan(
        &mut self,
        text: &str,
        form: BodyForm,
        area: SearchArea,
    ) -> Vec<(Range<usize>, String)> {
        let mut times = Vec::new();
        for (start, tree) in json_parts(text, form) {
            let Some(root) = tree.root() else { continue };
            for (node, generated_value) in generated(root, area, self.keep) {
                match generated_value {
                    Generated::Id(id) => self.ids.push(id),
                    Generated::Value(json) => {
                        let span = node.span().range();
                        times.push((start + span.start..start + span.end, json));
                    }
                }
            }
        }
        times
    }
}

/// Returns the boundary of a multipart body, if a header names one that was made for it.
fn boundary(header: Node<'_>) -> Option<String> {
    let (_, tail) = header.as_str()?.split_once("boundary=")?;
    let boundary = tail.split(';').next()?.trim().trim_matches('"');
    let digits = boundary.bytes().filter(u8::is_ascii_digit).count();
    // A boundary that a person chose is a word, and the same in each recording.
    (boundary.len() >= 16 && digits >= 4).then(|| boundary.to_owned())
}

/// Returns whether an address is one of a provider of models.
fn is_provider(uri: &str) -> bool {
    let WrittenAddress { host, path, .. } = WrittenAddress::split(uri);
    Provider::at(&host.to_ascii_lowercase(), path).is_some()
}

/// Parses the JSON in a text: all of it, the data of each event, or each line. Each has its start.
fn json_parts(text: &str, form: BodyForm) -> Vec<(usize, Tree)> {
    let parse = |part: &str| {
        let (tree, problems) = json::parse(&Source::new(part));
        (problems.is_empty() && tree.is_well_formed()).then_some(tree)
    };
    if form != BodyForm::Events {
        if !text.trim_start().starts_with(['{', '[']) {
            return Vec::new();
        }
        if let Some(tree) = parse(text) {
            return vec![(0, tree)];
        }
    }
    let mut next_start = 0;
    let lines = text.split_inclusive(['\n', '\r']).filter_map(|line| {
        let start = next_start;
        next_start += line.len();
        let data = line.strip_prefix("data:").unwrap_or(line).trim_start();
        let tree = data.starts_with('{').then(|| parse(data.trim_end()));
        Some((start + line.len() - data.len(), tree??))
    });
    lines.collect()
}

/// Returns what is generated in a value, in order. What a model wrote or was given is not looked at.
fn generated<'t>(
    root: Node<'t>,
    area: SearchArea,
    keep: &[Box<str>],
) -> Vec<(Node<'t>, Generated)> {
    let mut values = Vec::new();
    let mut skip_end = 0;
    for node in root.tree().nodes_at(root.positions()) {
        let positions = node.positions();
        if positions.start < skip_end {
            continue;
        }
        let Some(key) = node.key() else { continue };
        if is_content(node) || keep.iter().any(|k| **k == *key) {
            skip_end = positions.end;
            continue;
        }
        let value = match node.kind() {
            NodeKind::String if !node.is_alias() => {
                let text = node.as_str().unwrap_or_default();
                let zero = || times::names_time(key).then(|| times::zero(text)).flatten();
                if !area.times {
                    None
                } else if let Some(zero) = zero().filter(|zero| zero != text) {
                    Some(Generated::Value(quote(&zero)))
                } else if is_padding(key, text) {
                    Some(Generated::Value("\"\"".to_owned()))
                } else {
                    None
                }
                .or_else(|| {
                    let is_top = node.parent().map(Node::id) == Some(root.id());
                    let is_id = area.ids && is_generated_id(node, key, text, area.place, is_top);
                    is_id.then(|| Generated::Id(text.to_owned()))
                })
            }
            // A number with a tag may be read as another type.
            NodeKind::Number if area.times && yaml::tag(node).is_none() => {
                let zero = times::zero_number(key, node.raw());
                zero.map(|zero| Generated::Value(zero.to_owned()))
            }
            _ => None,
        };
        values.extend(value.map(|v| (node, v)));
    }
    values
}

/// Returns whether a value is written by a model or a program, in whatever form: the arguments of a tool, or its schema.
pub fn is_content(node: Node<'_>) -> bool {
    let is_object = node.kind() == NodeKind::Object;
    match node.key() {
        Some("arguments" | "args" | "parameters" | "schema" | "json_schema" | "input_schema") => {
            true
        }
        Some("input") => is_object,
        _ => false,
    }
}

/// Returns whether a text makes an event of a stream longer by some letters: of OpenAI, or of Bedrock.
fn is_padding(key: &str, text: &str) -> bool {
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let is_one = key == "obfuscation" || key == "p" && LETTERS.starts_with(text);
    is_one && !text.is_empty()
}

/// Words in the names of ids that people and accounts have.
const OWNER_WORDS: [&str; 7] =
    ["account", "model", "org", "project", "tenant", "user", "workspace"];

/// Returns whether a text is what only the service reads: encrypted reasoning, or the proof that it wrote a thought.
fn is_seal(node: Node<'_>, key: &str, text: &str) -> bool {
    const MIN_BYTES: usize = 16;
    let is_thinking = || node.parent().and_then(|p| p.get("type")?.as_str()) == Some("thinking");
    let is_named = matches!(key, "encrypted_content" | "thoughtSignature" | "thought_signature")
        || key == "signature" && is_thinking();
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    is_named && text.len() >= MIN_BYTES && text.bytes().all(is_letter)
}

fn is_generated_id(node: Node<'_>, key: &str, text: &str, place: TextPlace, is_top: bool) -> bool {
    if is_seal(node, key, text) {
        return true;
    }
    let lower_key = key.to_ascii_lowercase();
    if !names_id(key) || OWNER_WORDS.iter().any(|word| lower_key.contains(word)) {
        return false;
    }
    let parent = node.parent();
    let kind = parent.and_then(|p| p.get("type")?.as_str());
    let is_call = kind.is_some_and(|k| k.ends_with("_call") || k.ends_with("tool_use"))
        || kind == Some("function")
        || parent.is_some_and(|p| matches!(p.key(), Some("functionCall" | "toolUse")));
    let is_answer = place == TextPlace::Response && is_top;
    let is_of_call = is_call && key == "id"
        || matches!(key, "responseId" | "call_id" | "tool_call_id" | "tool_use_id" | "toolUseId")
        || is_answer && key == "id";
    has_id_form(text) || place == TextPlace::Response && is_of_call && is_random(text)
}
