//! The parts of a request that clients compare, each by the rules of the client.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::address::{AddressParts, query_fields};
use super::fixture::Conversation;
use super::http_request::{HttpRequest, RequestBody};
use super::json_form::{JsonEquality, python_text};
use super::rules::{ClientRules, RecorderClient};
use document::text::{Source, listed, named_enum};
use document::{NodeKind, Tree, json};

named_enum! {
    /// A part of a request that a client can compare.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Matcher {
        Method = "method",
        Scheme = "scheme",
        Host = "host",
        Port = "port",
        Path = "path",
        Query = "query",
        Uri = "uri",
        UriWithoutParams = "uri_without_params",
        Headers = "headers",
        /// The bytes.
        RawBody = "raw_body",
        Body = "body",
        /// The body as JSON, as cassetter calls it.
        JsonBody = "json_body",
        /// The body as JSON, as VCR for Ruby calls it.
        BodyAsJson = "body_as_json",
        /// The body as JSON, as vcr for R calls it.
        BodyJson = "body_json",
        // The conditions of aimock, as its fixtures name them.
        UserMessage = "userMessage",
        SystemMessage = "systemMessage",
        ToolCallId = "toolCallId",
        ToolResultContains = "toolResultContains",
        ToolName = "toolName",
        InputText = "inputText",
        ResponseFormat = "responseFormat",
        Model = "model",
        HasToolResult = "hasToolResult",
        Endpoint = "endpoint",
        Context = "context",
        SequenceIndex = "sequenceIndex",
    }

    /// Every matcher.
    const ALL;

    /// The name in settings and in messages.
    pub fn as_str;
}

impl Matcher {
    /// The conditions of aimock.
    pub(super) const OF_FIXTURES: [Self; 12] = [
        Self::UserMessage,
        Self::SystemMessage,
        Self::ToolCallId,
        Self::ToolResultContains,
        Self::ToolName,
        Self::InputText,
        Self::ResponseFormat,
        Self::Model,
        Self::HasToolResult,
        Self::Endpoint,
        Self::Context,
        Self::SequenceIndex,
    ];

    /// Returns the matcher with a name in settings.
    pub fn named(name: &str) -> Option<Self> {
        // vcrpy calls it so, too.
        let name = if name == "url" { "uri" } else { name };
        Self::ALL.iter().copied().find(|matcher| matcher.as_str() == name)
    }

    /// Returns whether it compares the body.
    pub fn is_of_body(self) -> bool {
        matches!(
            self,
            Self::RawBody | Self::Body | Self::JsonBody | Self::BodyAsJson | Self::BodyJson
        )
    }
}

/// Returns the names of matchers.
pub fn matcher_names(matchers: &[Matcher]) -> Vec<&'static str> {
    matchers.iter().map(|matcher| matcher.as_str()).collect()
}

/// Returns that these parts differ, as a phrase.
pub fn differ_phrase(matchers: &[Matcher]) -> String {
    let is_one = matchers.len() == 1 && matchers[0] != Matcher::Headers;
    format!("{} {}", listed(&matcher_names(matchers)), if is_one { "differs" } else { "differ" })
}

impl ClientRules {
    /// Returns whether a part is compared for each pair of requests, and not by values that are equal or not: a body that vcrpy takes for
    /// JSON may equal another one by its bytes.
    pub(super) fn is_pairwise(&self, matcher: Matcher) -> bool {
        matches!(
            (matcher, self.client),
            (Matcher::Body, RecorderClient::Vcrpy) | (Matcher::Headers, RecorderClient::Cassetter)
        )
    }
}

/// The result of comparing a part of two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Differs,
    /// The part of one is not known.
    Unknown,
    /// The client fails with this exception.
    Raises(&'static str),
}

impl Comparison {
    pub(super) fn of(is_equal: Option<bool>) -> Self {
        match is_equal {
            Some(true) => Self::Equal,
            Some(false) => Self::Differs,
            None => Self::Unknown,
        }
    }
}

/// A request with what is computed of it once to compare it with many.
#[derive(Debug)]
pub(super) struct PreparedRequest {
    pub(super) request: HttpRequest,
    pub(super) address: Option<AddressParts>,
    headers: OnceCell<Option<BTreeMap<String, Vec<String>>>>,
    transformed: OnceCell<Option<TransformedBody>>,
    json: OnceCell<Option<BodyValue>>,
    /// The same without paths that are ignored.
    whole_json: OnceCell<Option<BodyValue>>,
    conversation: OnceCell<Option<Conversation>>,
}

/// A body as vcrpy compares it.
#[derive(Debug)]
struct TransformedBody {
    raw: BodyValue,
    /// The transformers that the headers name, as flags.
    transformers: u8,
    /// The result of the transformers, or the number of the one that failed and how.
    value: Result<BodyValue, (usize, &'static str)>,
}

/// A value that is compared with another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum BodyValue {
    /// No body, or null.
    None,
    Bytes(Vec<u8>),
    /// JSON or the fields of a form, in one form for equal values.
    Value(String),
    /// A value that equals nothing, such as one with `NaN`.
    Never,
}

impl BodyValue {
    fn equals(&self, other: &Self) -> bool {
        self == other && *self != Self::Never
    }
}

const IS_CHUNKED: u8 = 1;
const IS_FORM: u8 = 2;
const IS_JSON: u8 = 4;
const IS_XML_RPC: u8 = 8;

/// The exceptions that are no `ValueError`: vcrpy does not compare bytes after them.
const TYPE_ERRORS: [&str; 2] = ["TypeError", "AttributeError"];

impl PreparedRequest {
    pub(super) fn new(request: HttpRequest) -> Self {
        Self {
            address: request.url.as_deref().map(AddressParts::parse),
            request,
            headers: OnceCell::new(),
            transformed: OnceCell::new(),
            json: OnceCell::new(),
            whole_json: OnceCell::new(),
            conversation: OnceCell::new(),
        }
    }

    /// Returns what aimock compares.
    pub(super) fn conversation(&self) -> Option<&Conversation> {
        self.conversation.get_or_init(|| Conversation::read(&self.request)).as_ref()
    }

    /// Returns the values of each header by its name in lower case.
    fn headers(&self) -> Option<&BTreeMap<String, Vec<String>>> {
        let read = || {
            let mut values: BTreeMap<String, (&str, Vec<String>)> = BTreeMap::new();
            for (name, value) in self.request.headers.as_ref()? {
                let entry = values.entry(name.to_lowercase()).or_insert((name, Vec::new()));
                // Of names that differ only in their case, the last one counts.
                if entry.0 != name {
                    *entry = (name, Vec::new());
                }
                entry.1.push(value.clone());
            }
            Some(values.into_iter().map(|(name, (_, values))| (name, values)).collect())
        };
        self.headers.get_or_init(read).as_ref()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers()?.get(name)?.first().map(String::as_str)
    }

    /// Returns the body without transformers.
    fn whole_body(&self) -> Option<BodyValue> {
        Some(match &self.request.body {
            RequestBody::Unknown => return None,
            RequestBody::Missing => BodyValue::None,
            RequestBody::Bytes(bytes) => BodyValue::Bytes(bytes.clone()),
            RequestBody::Tree(value) => {
                let canonical = JsonEquality::default().canonical(value.root());
                canonical.map_or(BodyValue::Never, BodyValue::Value)
            }
        })
    }

    fn transformed(&self, rules: &ClientRules) -> Option<&TransformedBody> {
        let transform = || {
            let has = |name: &str, word: &str| {
                self.header(name).is_some_and(|value| value.to_lowercase().contains(word))
            };
            let is_xml_rpc = has("content-type", "text/xml") && has("user-agent", "xmlrpc");
            let flags = [
                (has("transfer-encoding", "chunked"), IS_CHUNKED),
                (has("content-type", "application/x-www-form-urlencoded"), IS_FORM),
                (has("content-type", "application/json"), IS_JSON),
                (is_xml_rpc, IS_XML_RPC),
            ];
            let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag);
            let transformers: Vec<u8> = flags.collect();
            let raw = self.whole_body()?;
            let mut value = Ok(raw.clone());
            for (step, transformer) in transformers.iter().enumerate() {
                value = value.and_then(|value| {
                    let keys = || match &self.request.body {
                        RequestBody::Tree(tree) => {
                            tree.root().members().iter().map(|(key, _)| *key).collect()
                        }
                        _ => String::new(),
                    };
                    // Before 9.0 a form that is absent made the call fail.
                    let is_absent_form = *transformer == IS_FORM && value == BodyValue::None;
                    if is_absent_form && !rules.is_since(9, 0) {
                        return Err((step, "AttributeError"));
                    }
                    apply(*transformer, value, keys).map_err(|error| (step, error))
                });
            }
            let transformers = transformers.into_iter().sum();
            Some(TransformedBody { raw, transformers, value })
        };
        self.transformed.get_or_init(transform).as_ref()
    }

    /// Returns the body as JSON where it is JSON, else its bytes.
    fn json(&self, rules: &ClientRules) -> Option<&BodyValue> {
        self.json.get_or_init(|| self.read_json(rules, &rules.ignored_paths)).as_ref()
    }

    fn read_json(&self, rules: &ClientRules, ignored_paths: &[Box<str>]) -> Option<BodyValue> {
        let has_types = rules.client == RecorderClient::Cassetter;
        let equality = JsonEquality { has_types, ignored_paths };
        let value = |root| equality.canonical(root).map_or(BodyValue::Never, BodyValue::Value);
        Some(match &self.request.body {
            RequestBody::Unknown => return None,
            RequestBody::Missing => BodyValue::None,
            RequestBody::Tree(tree) => value(tree.root()),
            RequestBody::Bytes(bytes) if bytes.is_empty() => BodyValue::None,
            RequestBody::Bytes(bytes) => {
                let is_json = !has_types || self.header("content-type").is_none_or(is_json_type);
                let text = std::str::from_utf8(bytes).ok().filter(|_| is_json);
                let json_text = text.filter(|text| rules.client.reads_json(text));
                let tree = json_text.map(|text| json::parse(&Source::new(text)).0);
                let tree = tree.filter(|tree| tree.fault().is_none());
                let root = tree.as_ref().and_then(Tree::root);
                root.map_or_else(|| BodyValue::Bytes(bytes.clone()), value)
            }
        })
    }

    /// Returns the body as a client other than vcrpy compares it by `body`.
    fn plain_body(&self, rules: &ClientRules) -> Option<BodyValue> {
        let whole_json = || self.whole_json.get_or_init(|| self.read_json(rules, &[])).clone();
        match rules.client {
            RecorderClient::Cassetter
            | RecorderClient::RVcr
            | RecorderClient::AzureTestProxy
            | RecorderClient::LlamaStack
            | RecorderClient::Own => whole_json(),
            _ => match &self.request.body {
                RequestBody::Missing => Some(BodyValue::Bytes(Vec::new())),
                RequestBody::Tree(_) => whole_json(),
                _ => self.whole_body(),
            },
        }
    }

    /// Compares a part that is [compared in pairs](ClientRules::is_pairwise) of a request that was sent with that of a recorded one.
    pub(super) fn compare(
        &self,
        matcher: Matcher,
        recorded: &Self,
        rules: &ClientRules,
    ) -> Comparison {
        if (matcher, rules.client) == (Matcher::Body, RecorderClient::Vcrpy) {
            return self.compare_body(recorded, rules);
        }
        // The sent request may have more headers.
        let compare = || {
            let sent = self.headers()?;
            let has = |(name, values): (&String, &Vec<String>)| sent.get(name) == Some(values);
            Some(recorded.headers()?.iter().all(has))
        };
        Comparison::of(compare())
    }

    fn compare_body(&self, recorded: &Self, rules: &ClientRules) -> Comparison {
        let pair = self.transformed(rules).zip(recorded.transformed(rules));
        let Some((sent, recorded)) = pair else { return Comparison::Unknown };
        let is_same_raw = Comparison::of(Some(sent.raw.equals(&recorded.raw)));
        if sent.transformers != recorded.transformers {
            return is_same_raw;
        }
        let errors = [&sent.value, &recorded.value].map(|value| value.as_ref().err());
        let first_error = errors.into_iter().flatten().min_by_key(|(step, _)| *step);
        match (first_error, &sent.value, &recorded.value) {
            (None, Ok(sent), Ok(recorded)) => Comparison::of(Some(sent.equals(recorded))),
            (Some((_, error)), ..) if rules.is_since(9, 0) && !TYPE_ERRORS.contains(error) => {
                is_same_raw
            }
            (Some((_, error)), ..) => Comparison::Raises(error),
            _ => Comparison::Unknown,
        }
    }

    /// Returns whether only path and query of the address are known.
    pub(super) fn is_relative(&self) -> bool {
        self.request.url.as_ref().is_some_and(|url| url.starts_with('/'))
    }

    /// Compares path and query with those of a recorded request.
    pub(super) fn compare_path(&self, recorded: &Self) -> Comparison {
        let pair = self.address.as_ref().zip(recorded.address.as_ref());
        Comparison::of(pair.map(|(sent, recorded)| {
            sent.non_empty_path() == recorded.non_empty_path() && sent.query == recorded.query
        }))
    }

    /// Returns what is compared of a part, equal for equal parts; `None` if it is not known.
    pub(super) fn key(&self, matcher: Matcher, rules: &ClientRules) -> Option<BodyValue> {
        let address = || self.address.as_ref();
        let has_slash = rules.client != RecorderClient::Vcrpy || rules.is_since(8, 4);
        let text = match matcher {
            Matcher::Method if rules.client == RecorderClient::Vcrpy => {
                self.request.method.clone()?
            }
            Matcher::Method => self.request.method.as_ref()?.to_ascii_uppercase(),
            Matcher::Scheme | Matcher::Host | Matcher::Port if self.is_relative() => return None,
            Matcher::Scheme => address()?.scheme.clone(),
            Matcher::Host => address()?.host.clone(),
            Matcher::Port => address()?.port.clone(),
            Matcher::Path if has_slash => address()?.non_empty_path().to_owned(),
            Matcher::Path => address()?.path.clone(),
            Matcher::Query => format!("{:?}", address()?.query),
            Matcher::Uri => {
                let uri = self.request.url.as_deref()?;
                let is_joined = rules.client == RecorderClient::Vcrpy && has_slash;
                if is_joined { address()?.with_path(uri).into_owned() } else { uri.to_owned() }
            }
            Matcher::UriWithoutParams => {
                let uri = self.request.url.as_deref()?;
                uri.split('?').next().unwrap_or(uri).to_owned()
            }
            Matcher::Headers => {
                let all = self.headers()?.iter();
                let is_compared = |name: &str| !rules.ignored_headers().contains(&name);
                let all = all.filter(|(name, _)| is_compared(name));
                let compared_values = |values: &Vec<String>| match rules.client {
                    RecorderClient::Vcrpy => values.iter().take(1).cloned().collect(),
                    _ => values.clone(),
                };
                let all = all.map(|(name, values)| (name, compared_values(values)));
                format!("{:?}", all.collect::<Vec<_>>())
            }
            Matcher::RawBody => return self.whole_body(),
            Matcher::Body if rules.client == RecorderClient::Vcrpy => {
                let body = self.transformed(rules)?;
                // The bytes count for what cannot be transformed.
                return Some(body.value.clone().unwrap_or_else(|_| body.raw.clone()));
            }
            Matcher::Body => return self.plain_body(rules),
            Matcher::JsonBody | Matcher::BodyAsJson | Matcher::BodyJson => {
                return self.json(rules).cloned();
            }
            // Compared with conditions, not with another request.
            _ => return None,
        };
        Some(BodyValue::Value(text))
    }

    /// Returns a part of the request as text, as it is compared.
    pub(super) fn shown(&self, matcher: Matcher) -> Option<String> {
        Some(match matcher {
            Matcher::Method => self.request.method.clone()?,
            Matcher::Scheme => self.address.as_ref()?.scheme.clone(),
            Matcher::Host => self.address.as_ref()?.host.clone(),
            Matcher::Port => self.address.as_ref()?.port.clone(),
            Matcher::Path => self.address.as_ref()?.path.clone(),
            Matcher::Query => self.address.as_ref()?.query_text(),
            Matcher::Uri => self.request.url.clone()?,
            Matcher::UriWithoutParams => self.request.url.as_ref()?.split('?').next()?.to_owned(),
            _ => return self.conversation()?.shown(matcher),
        })
    }

    /// Returns the headers, for a message.
    pub(super) fn shown_headers(&self) -> BTreeMap<String, Vec<String>> {
        self.headers().cloned().unwrap_or_default()
    }
}

/// Returns whether cassetter reads a body of this type as JSON.
pub(super) fn is_json_type(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}

/// Applies one of vcrpy's transformers. `keys` are the joined keys of a body that is no bytes.
fn apply(
    transformer: u8,
    value: BodyValue,
    keys: impl Fn() -> String,
) -> Result<BodyValue, &'static str> {
    let is_empty_tree = matches!(&value, BodyValue::Value(text) if text == "{}");
    match (transformer, value) {
        (IS_CHUNKED, BodyValue::Bytes(bytes)) if bytes.is_empty() => Ok(BodyValue::None),
        (IS_CHUNKED, BodyValue::Bytes(bytes)) => dechunk(bytes).map(BodyValue::Bytes),
        // Python joins the keys of a dictionary.
        (IS_CHUNKED, BodyValue::Value(_)) if is_empty_tree => Ok(BodyValue::None),
        (IS_CHUNKED, BodyValue::Value(_) | BodyValue::Never) => {
            dechunk(keys().into_bytes()).map(BodyValue::Bytes)
        }
        (IS_FORM, BodyValue::Bytes(bytes)) if bytes.is_ascii() => {
            let fields = query_fields(&String::from_utf8_lossy(&bytes));
            let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for (name, value) in fields {
                values.entry(name).or_default().push(value);
            }
            let is_empty = values.is_empty();
            Ok(BodyValue::Value(if is_empty { "{}".to_owned() } else { format!("{values:?}") }))
        }
        (IS_FORM, BodyValue::Bytes(_)) => Err("UnicodeDecodeError"),
        (IS_FORM, BodyValue::Value(_) | BodyValue::Never) => Err("AttributeError"),
        (IS_JSON, BodyValue::Bytes(bytes)) if bytes.is_empty() => Ok(BodyValue::None),
        (IS_JSON, BodyValue::Bytes(bytes)) => parse_json(&bytes),
        (IS_JSON, BodyValue::Value(_)) if is_empty_tree => Ok(BodyValue::None),
        (IS_JSON, BodyValue::Value(_) | BodyValue::Never) => Err("TypeError"),
        (_, value) => Ok(value),
    }
}

fn parse_json(bytes: &[u8]) -> Result<BodyValue, &'static str> {
    let (tree, _) = json::parse_python(&Source::new(python_text(bytes)?));
    let root = tree.root().filter(|_| tree.fault().is_none()).ok_or("JSONDecodeError")?;
    if root.kind() == NodeKind::Null {
        return Ok(BodyValue::None);
    }
    let canonical = JsonEquality::default().canonical(root);
    Ok(canonical.map_or(BodyValue::Never, BodyValue::Value))
}

/// Joins chunks as vcrpy does: what does not begin as a chunk stays.
fn dechunk(body: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    let (mut chunks, mut start) = (Vec::new(), 0);
    loop {
        let rest = body.get(start..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let data = start + digits + 2;
        if digits == 0 || body.get(start + digits..data) != Some(b"\r\n") {
            return if start == 0 { Ok(body) } else { Err("ValueError") };
        }
        let size = std::str::from_utf8(&rest[..digits]).ok();
        // A longer size than a number can have is longer than the body.
        let size =
            size.and_then(|text| usize::from_str_radix(text, 16).ok()).ok_or("ValueError")?;
        if size == 0 {
            return Ok(chunks);
        }
        let end = data.saturating_add(size);
        if body.get(end..end.saturating_add(2)) != Some(b"\r\n") {
            return Err("ValueError");
        }
        chunks.extend_from_slice(&body[data..end]);
        start = end + 2;
    }
}
