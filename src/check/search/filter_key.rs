//! Keys of terms, and the values that are known of each.

use super::pattern::PatternExtent;
use calls::ItemStatus;
use document::cassette::CassetteClient;
use document::recording::RecordingVersion;
use document::text::named_enum;
use document::{FileKind, RuleId, Severity};

named_enum! {
    /// Part of an item that a term looks at.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum FilterKey {
        /// `kind:`
        Kind = "kind" "recording, tape, session…",
        /// `status:`
        Status = "status" "fresh, stale, missing…",
        /// `tool:`
        Tool = "tool" "offered tools",
        /// `model:`
        Model = "model" "model it was made with",
        /// `path:`
        Path = "path" "part of the path",
        /// `set:`
        Set = "set" "name of the folder",
        /// `rule:`
        Rule = "rule" "rule that found something",
        /// `severity:`, or `problem:`
        Severity = "severity" "error, warning or note",
        /// `source:`
        Source = "source" "part of the source's path",
        /// `id:`
        Id = "id" "id in the content",
        /// `version:`
        Version = "version" "v1, v2 or v3",
        /// `api:`
        Api = "api" "part of a call's API",
        /// `provider:`
        Provider = "provider" "part of who answered",
        /// `called:`
        Called = "called" "tools that answers call",
        /// `code:`
        HttpStatus = "code" "HTTP status, such as 429 or 4*",
        /// `tokens:`
        Tokens = "tokens" "1000, >1000 or <1000",
        /// `client:`
        Client = "client" "program that plays cassettes",
        /// `is:`
        Is = "is" "edited or derived",
        /// `body:`
        Body = "body" "text in the file, or /regex/",
        /// No key: looked for in path, id, model, tools and source.
        Text = "" "anywhere",
    }

    /// As written, without its colon; empty for free text.
    pub fn as_str;

    /// Returns what it looks at, in a few words.
    pub fn hint;
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
        Self::Is,
        Self::Body,
    ];

    /// Keys that look at the same problem.
    pub const OF_PROBLEMS: [Self; 2] = [Self::Rule, Self::Severity];

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
        Some(match self {
            Self::Kind => FileKind::ALL.iter().map(|kind| kind.as_str()).collect(),
            Self::Status => ItemStatus::ALL.iter().map(|s| s.as_str()).chain([PROBLEMS]).collect(),
            Self::Rule => RuleId::ALL.iter().map(|rule| rule.as_str()).collect(),
            Self::Severity => SEVERITIES.iter().map(|severity| severity.as_str()).collect(),
            Self::Version => VERSIONS.iter().map(|version| version.as_str()).collect(),
            Self::Is => PROVENANCES.to_vec(),
            Self::Client => CassetteClient::ALL.iter().map(|client| client.as_str()).collect(),
            _ => return None,
        })
    }
}

/// The word for what has errors or warnings, beside the statuses.
pub(super) const PROBLEMS: &str = "problems";
/// Origins of files, which their histories show.
pub(super) const PROVENANCES: [&str; 2] = ["edited", "derived"];
const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];
const VERSIONS: [RecordingVersion; 3] =
    [RecordingVersion::V1, RecordingVersion::V2, RecordingVersion::V3];
