//! What terms look at, and the values that are known of it.

use super::pattern::PatternExtent;
use crate::format::cassette::CassetteClient;
use crate::format::recording::RecordingVersion;
use crate::format::{FileKind, RuleId, Severity};
use crate::ops::ItemStatus;

/// What a term looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterKey {
    /// `kind:`
    Kind,
    /// `status:`
    Status,
    /// `tool:`
    Tool,
    /// `model:`
    Model,
    /// `path:`
    Path,
    /// `set:`
    Set,
    /// `rule:`
    Rule,
    /// `severity:`, or `problem:`
    Severity,
    /// `source:`
    Source,
    /// `id:`
    Id,
    /// `version:`
    Version,
    /// `api:`
    Api,
    /// `provider:`
    Provider,
    /// `called:`
    Called,
    /// `code:`
    HttpStatus,
    /// `tokens:`
    Tokens,
    /// `client:`
    Client,
    /// `body:`
    Body,
    /// No key: looked for in path, id, model, tools and source.
    Text,
}

impl FilterKey {
    /// Every key that can be written, the most used first.
    pub const ALL: &[Self] = &[
        Self::Kind,
        Self::Status,
        Self::Tool,
        Self::Model,
        Self::Path,
        Self::Set,
        Self::Rule,
        Self::Severity,
        Self::Source,
        Self::Id,
        Self::Version,
        Self::Api,
        Self::Provider,
        Self::Called,
        Self::HttpStatus,
        Self::Tokens,
        Self::Client,
        Self::Body,
    ];

    /// Keys that look at the same problem.
    pub const OF_PROBLEMS: [Self; 2] = [Self::Rule, Self::Severity];

    /// As written, without its colon; empty for free text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Status => "status",
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Path => "path",
            Self::Set => "set",
            Self::Rule => "rule",
            Self::Severity => "severity",
            Self::Source => "source",
            Self::Id => "id",
            Self::Version => "version",
            Self::Api => "api",
            Self::Provider => "provider",
            Self::Called => "called",
            Self::HttpStatus => "code",
            Self::Tokens => "tokens",
            Self::Client => "client",
            Self::Body => "body",
            Self::Text => "",
        }
    }

    /// Returns what it looks at, in a few words.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Kind => "recording, tape, session…",
            Self::Status => "fresh, stale, missing…",
            Self::Tool => "offered tools",
            Self::Model => "model it was made with",
            Self::Path => "part of the path",
            Self::Set => "name of the folder",
            Self::Rule => "rule that found something",
            Self::Severity => "error, warning or note",
            Self::Source => "part of the source's path",
            Self::Id => "id in the content",
            Self::Version => "v1, v2 or v3",
            Self::Api => "part of a call's API",
            Self::Provider => "part of who answered",
            Self::Called => "tools that answers call",
            Self::HttpStatus => "HTTP status, such as 429 or 4*",
            Self::Tokens => "1000, >1000 or <1000",
            Self::Client => "program that plays cassettes",
            Self::Body => "text in the file, or /regex/",
            Self::Text => "anywhere",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if name == "problem" {
            return Some(Self::Severity);
        }
        Self::ALL.iter().copied().find(|key| key.as_str() == name)
    }

    pub(super) fn reach(self) -> PatternExtent {
        match self {
            Self::Path | Self::Source | Self::Api | Self::Provider | Self::Body | Self::Text => {
                PatternExtent::Part
            }
            _ => PatternExtent::Whole,
        }
    }

    /// Returns the values a key can have at all, where that is a fixed set. A term keeps them as bits in this order.
    pub(super) fn fixed_values(self) -> Option<Vec<&'static str>> {
        match self {
            Self::Kind => Some(FileKind::ALL.iter().map(|kind| kind.as_str()).collect()),
            Self::Status => {
                let words = ItemStatus::ALL.iter().map(|status| status.as_str());
                Some(words.chain([PROBLEMS]).collect())
            }
            Self::Rule => Some(RuleId::ALL.iter().map(|rule| rule.as_str()).collect()),
            Self::Severity => Some(SEVERITIES.iter().map(|severity| severity.as_str()).collect()),
            Self::Version => Some(VERSIONS.iter().map(|version| version.as_str()).collect()),
            Self::Client => {
                Some(CassetteClient::ALL.iter().map(|client| client.as_str()).collect())
            }
            _ => None,
        }
    }
}

/// The word for what has errors or warnings, beside the statuses.
pub(super) const PROBLEMS: &str = "problems";
const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];
const VERSIONS: [RecordingVersion; 3] =
    [RecordingVersion::V1, RecordingVersion::V2, RecordingVersion::V3];
