//! Problems of files: what is wrong, where, and by which rule.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;

use crate::text::{Place, Source, Span, named_enum};

named_enum! {
    /// The severity of a problem. Ordered: a note is the least.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Severity {
        /// Worth knowing; fails nothing.
        Note = "note",
        /// Should be looked at; fails nothing.
        Warning = "warning",
        /// Fails a check.
        Error = "error",
    }

    /// The word used on the command line, in JSON and in the window.
    pub fn as_str;
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! rule_ids {
    ($($variant:ident $id:literal $level:ident,)*) => {
        /// The name of a rule, as users write it. The rules themselves are in the member `check`, one file per rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RuleId {
            $(#[doc = concat!("`", $id, "`")] $variant,)*
        }

        impl RuleId {
            /// Every rule, in the order of the command line's contract.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The id as users write it, such as `source-stale`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $id),* }
            }

            /// The level a rule has unless the user sets another.
            pub fn default_level(self) -> Severity {
                match self { $(Self::$variant => Severity::$level),* }
            }
        }
    };
}

rule_ids! {
    Unreadable "unreadable" Error,
    Syntax "syntax" Error,
    Encoding "encoding" Error,
    DuplicateKey "duplicate-key" Warning,
    UnknownFormat "unknown-format" Note,
    WrongType "wrong-type" Error,
    MissingField "missing-field" Error,
    NestingTooDeep "nesting-too-deep" Error,
    ResponseNotWrapped "response-not-wrapped" Error,
    ResponseEmpty "response-empty" Warning,
    ToolNotOffered "tool-not-offered" Warning,
    SignatureMissing "signature-missing" Note,
    SignatureOutdated "signature-outdated" Warning,
    SignatureUnmatchable "signature-unmatchable" Warning,
    SignatureShared "signature-shared" Note,
    SourceUnstamped "source-unstamped" Note,
    SourceStale "source-stale" Warning,
    SourceLineEndings "source-line-endings" Warning,
    SourceRenamed "source-renamed" Warning,
    SourceMissing "source-missing" Warning,
    SourceOutside "source-outside" Warning,
    SourcePathMismatch "source-path-mismatch" Warning,
    NodeUncovered "node-uncovered" Warning,
    DelayInvalid "delay-invalid" Error,
    DelayLost "delay-lost" Note,
    StreamEmpty "stream-empty" Note,
    ModelMismatch "model-mismatch" Warning,
    RequestIncomplete "request-incomplete" Warning,
    SessionIncomplete "session-incomplete" Error,
    SessionIdReused "session-id-reused" Warning,
    ContractNotFound "contract-not-found" Error,
    InvariantUnknown "invariant-unknown" Warning,
    ToolResponseType "tool-response-type" Error,
    YamlTyping "yaml-typing" Error,
    ToolResponsesUnused "tool-responses-unused" Note,
    SeedKeyReused "seed-key-reused" Warning,
    SeedKeySeparator "seed-key-separator" Warning,
    SeedPromptInKey "seed-prompt-in-key" Warning,
    SeedHashKey "seed-hash-key" Warning,
    SeedWildcardAmbiguous "seed-wildcard-ambiguous" Warning,
    SeedEmpty "seed-empty" Warning,
    SeedNotJson "seed-not-json" Warning,
    CallAmbiguous "call-ambiguous" Warning,
    RepeatUnreachable "repeat-unreachable" Warning,
    CassetteOrphan "cassette-orphan" Warning,
    NeverLoads "never-loads" Warning,
    Expired "expired" Warning,
    RecordedError "recorded-error" Warning,
    StreamTruncated "stream-truncated" Warning,
    BodyNotDecodable "body-not-decodable" Warning,
    LengthMismatch "length-mismatch" Warning,
    EncodingMismatch "encoding-mismatch" Warning,
    Secret "secret" Warning,
    HiddenCharacters "hidden-characters" Warning,
    FormatMismatch "format-mismatch" Warning,
    CallsUnsure "calls-unsure" Note,
    MachineBound "machine-bound" Warning,
    CachePrefix "cache-prefix" Note,
}

impl RuleId {
    /// Returns whether the rule is off unless the user sets its level.
    pub fn is_off_by_default(self) -> bool {
        matches!(self, Self::NodeUncovered | Self::CachePrefix)
    }

    /// Returns the word for the level of the rule unless the user sets another.
    pub fn default_word(self) -> &'static str {
        if self.is_off_by_default() { "off" } else { self.default_level().as_str() }
    }

    /// Returns whether the rule says that a file, or a part of it, could not be understood: the kind that the rest indicates
    /// may be wrong then.
    pub fn hides_content(self) -> bool {
        matches!(self, Self::Unreadable | Self::Syntax | Self::Encoding | Self::NestingTooDeep)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RuleId {
    type Err = String;

    fn from_str(id: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|rule| rule.as_str() == id);
        found.ok_or_else(|| format!("there is no rule \"{id}\""))
    }
}

/// A problem at a place of a file. Compact: the problems of a hundred thousand files stay in memory, and share equal
/// texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The rule that found it.
    pub rule: RuleId,
    /// Its severity; may differ from the rule's default.
    pub severity: Severity,
    /// The bytes it is about.
    pub span: Span,
    /// The line and column of the start of `span`.
    pub place: Place,
    /// The JSON Pointer (RFC 6901) of the value it is about; empty for the whole file.
    pub pointer: Arc<str>,
    /// One sentence: the fault first, then what was expected.
    pub message: Arc<str>,
    /// Advice for the user; `None` for the rule's own help.
    pub help: Option<Arc<str>>,
    /// The calls in the file that it is about, if there are several.
    pub calls: Option<Box<ProblemCalls>>,
    /// A hash of the call that it is in, of what was sent: in later runs a problem is recognised by it, since numbers of calls change.
    pub call_hash: Option<NonZeroU32>,
}

/// Several calls that a problem is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProblemCalls {
    /// Their numbers from 0, sorted.
    pub numbers: Box<[usize]>,
    /// A matcher that would distinguish them.
    pub settled_by: Option<Arc<str>>,
    /// The files with such calls, if the problem is about all of them.
    pub files: Box<[Arc<str>]>,
}

impl Problem {
    /// A problem at `span` of `source`, with the rule's default level and help.
    pub fn at(
        rule: RuleId,
        source: &Source,
        span: Span,
        pointer: impl Into<Arc<str>>,
        message: impl Into<Arc<str>>,
    ) -> Self {
        Self {
            span,
            place: source.place(span.start as usize),
            pointer: pointer.into(),
            ..Self::whole_file(rule, message)
        }
    }

    /// A problem of a file as a whole, or of one that could not be read at all.
    pub fn whole_file(rule: RuleId, message: impl Into<Arc<str>>) -> Self {
        Self {
            rule,
            severity: rule.default_level(),
            span: Span::default(),
            place: Place::START,
            pointer: Arc::default(),
            message: message.into(),
            help: None,
            calls: None,
            call_hash: None,
        }
    }

    /// Adds to the message how many similar problems are not listed.
    pub fn add_unlisted_count(&mut self, count: usize) {
        if count > 0 {
            self.message = format!("{} (and {count} more like this)", self.message).into();
        }
    }

    /// The same problem at another level.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same problem with this help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Arc<str>>) -> Self {
        self.help = Some(help.into());
        self
    }
}
