//! The rules by which a client plays a cassette, with the places where they are set.

use serde_json::Value;

use super::address::AddressParts;
use super::http_request::HttpRequest;
use super::matcher::{Matcher, matcher_names};
use super::request_filter::RequestFilters;
use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
use document::cassette::CassetteClient;
use document::foreign::{Foreign, ForeignFormat};
use document::text::{listed, named_enum};

named_enum! {
    /// A program that answers from recorded HTTP calls.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RecorderClient {
        Vcrpy = "vcrpy",
        Cassetter = "cassetter",
        RubyVcr = "ruby-vcr",
        RVcr = "r-vcr",
        GoVcr = "go-vcr",
        Httpmock = "httpmock",
        LlamaStack = "llama-stack",
        AzureTestProxy = "azure-test-proxy",
        Aimock = "aimock",
        /// A recorder that is not known: it is assumed to play the calls with an equal request in their order.
        Own = "other",
    }

    /// Every client.
    const ALL;

    /// The word used on the command line and in JSON.
    pub fn as_str;
}

impl From<CassetteClient> for RecorderClient {
    fn from(client: CassetteClient) -> Self {
        match client {
            CassetteClient::Vcrpy => Self::Vcrpy,
            CassetteClient::Cassetter => Self::Cassetter,
            CassetteClient::RubyVcr => Self::RubyVcr,
            CassetteClient::RVcr => Self::RVcr,
            CassetteClient::GoVcr => Self::GoVcr,
        }
    }
}

impl RecorderClient {
    /// Returns the client that plays a file of recorded calls; `None` if its rules are not known or depend on more than the request.
    pub fn of_file(foreign: &Foreign) -> Option<Self> {
        match foreign.format {
            ForeignFormat::VcrCassette => foreign.client.map(Self::from).or(Some(Self::Own)),
            // langchain's serializer stores what vcrpy plays.
            ForeignFormat::Langchain => Some(Self::Vcrpy),
            ForeignFormat::Httpmock => Some(Self::Httpmock),
            ForeignFormat::LlamaStack => Some(Self::LlamaStack),
            ForeignFormat::AzureProxy => Some(Self::AzureTestProxy),
            ForeignFormat::Aimock => Some(Self::Aimock),
            ForeignFormat::Recorded => Some(Self::Own),
            _ => None,
        }
    }

    /// Returns its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "an unknown recorder",
            client => client.as_str(),
        }
    }

    /// Returns what it is, for a list of choices.
    pub fn help(self) -> &'static str {
        match self {
            Self::Vcrpy => "vcrpy, also under pytest-recording and pytest-vcr",
            Self::Cassetter => "cassetter",
            Self::RubyVcr => "VCR for Ruby",
            Self::RVcr => "vcr for R",
            Self::GoVcr => "go-vcr",
            Self::Httpmock => "httpmock: the first mock that matches, each time",
            Self::LlamaStack => {
                "The recorder of llama-stack: by method, path and body; the name of the test is not compared"
            }
            Self::AzureTestProxy => "The test proxy of Azure's SDKs",
            Self::Aimock => "aimock: the fixture that matches, by its turn, else the first one",
            Self::Own => "Another recorder: the next call with an equal request",
        }
    }

    /// Returns what it can compare, in the order of a request.
    pub fn matchers(self) -> &'static [Matcher] {
        use Matcher::{
            Body, BodyAsJson, BodyJson, Headers, Host, JsonBody, Method, Path, Port, Query,
            RawBody, Scheme, Uri, UriWithoutParams,
        };
        match self {
            Self::Vcrpy => &[Method, Scheme, Host, Port, Path, Query, Uri, Headers, RawBody, Body],
            Self::Cassetter => &[Method, Uri, Headers, Body, JsonBody],
            Self::RubyVcr => {
                &[Method, Uri, UriWithoutParams, Host, Path, Query, Headers, Body, BodyAsJson]
            }
            Self::RVcr => &[Method, Uri, Host, Path, Query, Headers, Body, BodyJson],
            Self::GoVcr | Self::AzureTestProxy => &[Method, Uri, Headers, Body],
            Self::Httpmock => &[Method, Scheme, Host, Port, Path, Query, Headers, Body],
            Self::LlamaStack => &[Method, Path, Body],
            Self::Aimock => &Matcher::OF_FIXTURES,
            Self::Own => &[Method, Uri, Body],
        }
    }

    /// Returns what it compares unless it is set otherwise.
    pub fn default_matchers(self) -> &'static [Matcher] {
        use Matcher::{Body, Host, Method, Path, Port, Query, Scheme, Uri};
        match self {
            Self::Vcrpy => &[Method, Scheme, Host, Port, Path, Query],
            Self::Cassetter | Self::RubyVcr => &[Method, Uri],
            Self::RVcr => &[Method, Uri, Body],
            client => client.matchers(),
        }
    }

    /// Returns what it compares by default, as a phrase. It says which settings are not read.
    pub fn compared(self) -> &'static str {
        match self {
            Self::Vcrpy => "method, scheme, host, port, path and query",
            Self::Cassetter => "method and address",
            Self::RubyVcr => "method and address unless its settings say otherwise",
            Self::RVcr => "method, address and body unless its settings say otherwise",
            Self::GoVcr | Self::AzureTestProxy => {
                "the whole request unless its settings say otherwise"
            }
            Self::Httpmock => "what its mocks name",
            Self::Aimock => "what its fixtures name",
            Self::LlamaStack => "method, path and body, and the name of the test",
            Self::Own => "the whole request",
        }
    }

    /// Returns the mode in which it plays unless it is set otherwise.
    fn default_mode(self) -> RecordMode {
        match self {
            Self::Vcrpy | Self::Cassetter | Self::RubyVcr | Self::RVcr => RecordMode::Once,
            _ => RecordMode::None,
        }
    }

    /// Returns whether equal calls are always answered by the first one where repeats are allowed. cassetter and VCR for Ruby go on with
    /// the next one first.
    pub fn repeats_first(self) -> bool {
        matches!(self, Self::Vcrpy | Self::GoVcr | Self::Httpmock | Self::LlamaStack)
    }

    /// Returns whether its parser reads a text that is JSON. Some refuse a byte order mark, and Rust's also half of a surrogate pair.
    pub(super) fn reads_json(self, text: &str) -> bool {
        match self {
            Self::Cassetter | Self::Httpmock => serde_json::from_str::<Value>(text).is_ok(),
            Self::Vcrpy | Self::RVcr | Self::LlamaStack | Self::Own => true,
            Self::RubyVcr | Self::GoVcr | Self::AzureTestProxy | Self::Aimock => {
                !text.starts_with('\u{feff}')
            }
        }
    }

    /// Returns whether ignored hosts are patterns of a shell.
    fn knows_patterns(self) -> bool {
        self == Self::Cassetter
    }
}

named_enum! {
    /// When calls are played and when they are sent and recorded.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum RecordMode {
        None = "none",
        Once = "once",
        NewEpisodes = "new_episodes",
        Any = "any",
        All = "all",
        Rewrite = "rewrite",
        /// It plays as without recording, and compares the answer of the server with the recorded one.
        Verify = "verify",
    }

    /// Every mode.
    const ALL;

    /// The name in settings.
    pub fn as_str;
}

impl RecordMode {
    /// Returns the mode with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.as_str() == name)
    }
}

/// The rules by which a client plays.
#[derive(Clone, Debug)]
pub struct ClientRules {
    pub client: RecorderClient,
    /// Major and minor version, where versions differ.
    pub version: (u16, u16),
    pub matchers: Vec<Matcher>,
    pub mode: RecordMode,
    /// Whether a call may be played repeatedly.
    pub repeats: bool,
    pub filters: RequestFilters,
    /// Hosts whose requests are sent, and whose calls are not loaded.
    pub ignored_hosts: Vec<Box<str>>,
    /// Values of JSON that cassetter's `json_body` does not compare.
    pub ignored_paths: Vec<Box<str>>,
    pub origins: RuleOrigins,
}

/// The places where rules are set; those that are not are the client's defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleOrigins {
    pub client: Option<ConfigOrigin>,
    pub matchers: Option<ConfigOrigin>,
    pub mode: Option<ConfigOrigin>,
    pub repeats: Option<ConfigOrigin>,
    /// The settings that filter requests, by their names.
    pub filters: Vec<(Box<str>, ConfigOrigin)>,
    /// Settings whose value only a run knows, such as functions: they are not applied.
    pub unread: Vec<(Box<str>, ConfigOrigin)>,
}

/// The version of vcrpy that is assumed.
const VCRPY_VERSION: (u16, u16) = (9, 4);

/// The headers that cassetter hides unless it is set otherwise, the fields of a query, and the members of a body.
const HIDDEN_HEADERS: [&str; 10] = [
    "authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
    "proxy-authorization",
    "www-authenticate",
    "x-goog-api-key",
    "x-amz-security-token",
];
const HIDDEN_FIELDS: [&str; 8] = [
    "api_key",
    "apikey",
    "token",
    "access_token",
    "client_secret",
    "x-amz-credential",
    "x-amz-signature",
    "x-amz-security-token",
];
const HIDDEN_MEMBERS: [&str; 6] =
    ["access_token", "refresh_token", "client_secret", "password", "api_key", "api-key"];

/// The text that cassetter puts in place of what it hides.
const HIDDEN: &str = "[FILTERED]";

/// Headers that Azure's test proxy does not compare.
const AZURE_IGNORED_HEADERS: [&str; 14] = [
    "request-id",
    "traceparent",
    "date",
    "x-ms-date",
    "x-ms-client-request-id",
    "x-ms-client-id",
    "user-agent",
    "x-ms-useragent",
    "x-ms-version",
    "if-none-match",
    "referer",
    "referrer",
    "origin",
    "content-length",
];

impl ClientRules {
    /// Creates the rules of a client with its default settings.
    pub fn new(client: RecorderClient) -> Self {
        let mut filters = RequestFilters::default();
        if client == RecorderClient::Cassetter {
            let hide = |name: &&str| (Box::from(*name), Some(Box::from(HIDDEN)));
            filters.headers = HIDDEN_HEADERS.iter().map(|name| (Box::from(*name), None)).collect();
            filters.query = HIDDEN_FIELDS.iter().map(hide).collect();
            filters.post_data = HIDDEN_MEMBERS.iter().map(hide).collect();
        }
        Self {
            client,
            version: VCRPY_VERSION,
            matchers: client.default_matchers().to_vec(),
            mode: client.default_mode(),
            repeats: matches!(
                client,
                RecorderClient::Httpmock | RecorderClient::LlamaStack | RecorderClient::Aimock
            ),
            filters,
            ignored_hosts: Vec::new(),
            ignored_paths: Vec::new(),
            origins: RuleOrigins::default(),
        }
    }

    /// Creates the rules by which the loaded calls of a cassette are played: those that are configured, without the mode, which says when calls
    /// are recorded, and not which call answers.
    ///
    /// # Errors
    ///
    /// As [`Self::configured`].
    pub(crate) fn of_played(client: RecorderClient, facts: &CassetteFacts) -> Result<Self, String> {
        Ok(Self { mode: RecordMode::None, ..Self::configured(client, facts)? })
    }

    /// Creates the rules that are configured for a cassette.
    ///
    /// # Errors
    ///
    /// Returns why it is not known what is compared, as a sentence: matchers that are set by code are not run.
    pub fn configured(client: RecorderClient, facts: &CassetteFacts) -> Result<Self, String> {
        let mut rules = Self::new(client);
        rules.origins.client = facts.client.as_ref().map(|(_, origin)| origin.clone());
        if let Some(setting) = &facts.match_on {
            let (name, origin) = (client.name(), &setting.origin);
            let Some(names) = &setting.texts else {
                return Err(format!(
                    "{name} compares requests by code of this project ({origin}), so what answers is not known."
                ));
            };
            let mut each = names.chunks(1);
            let is_unknown = |name: &&[Box<str>]| matchers_named(client, name).is_none();
            if let Some([unknown, ..]) = each.find(is_unknown) {
                return Err(format!(
                    "`{unknown}` in match_on ({origin}) is no matcher of {name}, so what answers is not known; its matchers are {}.",
                    listed(&matcher_names(client.matchers()))
                ));
            }
            rules.matchers = matchers_named(client, names).unwrap_or_default();
            rules.origins.matchers = Some(origin.clone());
        }
        if facts.uses_plugin {
            rules.mode = RecordMode::None;
        }
        if let Some(setting) = &facts.record_mode {
            match setting.texts.as_deref() {
                Some([name]) if let Some(mode) = RecordMode::named(name) => {
                    rules.mode = mode;
                    rules.origins.mode = Some(setting.origin.clone());
                }
                _ => rules.origins.unread.push((Box::from(&*setting.key), setting.origin.clone())),
            }
        }
        rules.repeats |= facts.repeats.is_some();
        rules.origins.repeats.clone_from(&facts.repeats);
        for setting in &facts.ignored {
            rules.read_texts(setting, |rules, hosts| rules.ignored_hosts.extend(hosts));
        }
        if let Some(setting) = &facts.ignored_paths {
            rules.read_texts(setting, |rules, paths| rules.ignored_paths = paths);
        }
        rules.read_filters(facts);
        for (key, origin) in &facts.hooks {
            rules.origins.unread.push((Box::from(&**key), origin.clone()));
        }
        Ok(rules)
    }

    fn read_texts(&mut self, setting: &ConfigTexts, read: impl Fn(&mut Self, Vec<Box<str>>)) {
        let place = (Box::from(&*setting.key), setting.origin.clone());
        match &setting.texts {
            Some(texts) => {
                read(self, texts.clone());
                self.origins.filters.push(place);
            }
            None => self.origins.unread.push(place),
        }
    }

    fn read_filters(&mut self, facts: &CassetteFacts) {
        let is_cassetter = self.client == RecorderClient::Cassetter;
        let mut hidden = Box::from(HIDDEN);
        for setting in &facts.filters {
            let place = (Box::from(&*setting.key), setting.origin.clone());
            let Some(entries) = &setting.entries else {
                self.origins.unread.push(place);
                continue;
            };
            let pairs = entries.iter().map(|entry| (entry.name.clone(), entry.value.clone()));
            let pairs: Vec<_> = pairs.collect();
            // cassetter adds them to its own, and vcrpy has none.
            match &*setting.key {
                "filter_headers" => self.filters.headers.extend(pairs),
                "filter_query_parameters" => self.filters.query.extend(pairs),
                "filter_nested_post_data_parameters" => self.filters.is_nested = true,
                "filter_replacement" => {
                    hidden = entries.first().map_or(hidden, |entry| entry.name.clone());
                }
                _ => self.filters.post_data.extend(pairs),
            }
            self.origins.filters.push(place);
        }
        // cassetter removes headers, and hides the others with one text.
        if is_cassetter {
            let filters = &mut self.filters;
            for (_, value) in filters.query.iter_mut().chain(&mut filters.post_data) {
                *value = Some(hidden.clone());
            }
        }
    }

    /// Returns whether the client is of this version or a later one. Only vcrpy has versions that differ.
    pub fn is_since(&self, major: u16, minor: u16) -> bool {
        self.client != RecorderClient::Vcrpy || self.version >= (major, minor)
    }

    /// Returns the names of what is compared, as a phrase with the place where they are set.
    pub fn compared(&self) -> String {
        match &self.origins.matchers {
            Some(origin) => format!("{} ({origin})", listed(&self.matcher_names())),
            None => self.client.compared().to_owned(),
        }
    }

    /// Returns the names of what is compared.
    pub fn matcher_names(&self) -> Vec<&'static str> {
        matcher_names(&self.matchers)
    }

    /// Returns whether requests to a host are sent and never played.
    pub(super) fn ignores(&self, host: &str) -> bool {
        self.ignored_hosts.iter().any(|name| {
            if self.client.knows_patterns() { fits_pattern(host, name) } else { **name == *host }
        })
    }

    /// Returns whether a recorded call is never played, because requests to its host are sent.
    pub fn drops(&self, request: &HttpRequest) -> bool {
        let host = request.url.as_deref().map(|url| AddressParts::parse(url).host);
        host.is_some_and(|host| self.ignores(&host))
    }

    /// Returns the headers that are not compared, in lower case.
    pub(super) fn ignored_headers(&self) -> &'static [&'static str] {
        match self.client {
            RecorderClient::AzureTestProxy => &AZURE_IGNORED_HEADERS,
            _ => &[],
        }
    }
}

/// Returns the matchers of a client with these names; `None` if it does not have one of them.
pub fn matchers_named(client: RecorderClient, names: &[Box<str>]) -> Option<Vec<Matcher>> {
    let known =
        |name: &str| Matcher::named(name).filter(|matcher| client.matchers().contains(matcher));
    names.iter().map(|name| known(name)).collect()
}

/// Returns whether a name fits a pattern of a shell.
fn fits_pattern(name: &str, pattern: &str) -> bool {
    let mut rows = vec![true];
    // One row a letter of the pattern: which beginnings of the name fit what was read of it.
    rows.resize(name.len() + 1, false);
    for letter in pattern.bytes() {
        let mut next = vec![false; rows.len()];
        for at in 0..rows.len() {
            let fits_here = |byte: u8| letter == b'?' || letter == byte;
            let has_previous = at > 0 && rows[at - 1] && fits_here(name.as_bytes()[at - 1]);
            next[at] = match letter {
                b'*' => rows[at] || at > 0 && next[at - 1],
                _ => has_previous,
            };
        }
        rows = next;
    }
    rows.last().copied().unwrap_or_default()
}
