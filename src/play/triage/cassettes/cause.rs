//! Causes of failures of tests that play cassettes.

use std::sync::Arc;

use crate::client::described_change;
use document::text::{named_enum, quoted};

named_enum! {
    /// A part of a request in which it differs from the recorded one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RequestPart {
        Method = "method",
        Host = "host",
        Path = "path",
        Query = "query",
        Model = "model",
        Tools = "tools",
        Prompt = "prompt",
        Parameter = "parameter",
        Headers = "headers",
    }

    /// Its name in JSON.
    pub fn as_str;
}

/// The cause of a failure of a test that plays a cassette. Failures with an equal cause are one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CassetteCause {
    /// A value of the request is not what is recorded.
    ValueChanged { part: RequestPart, recorded: Arc<str>, sent: Arc<str> },
    /// The bodies differ, and the log does not print the one that was sent.
    BodyDiffers,
    /// The request was sent once more often than it is recorded.
    Consumed,
    /// The test ended before all calls were played.
    NotAllPlayed,
    /// There is no cassette of the test.
    Missing,
    /// There is no cassette of any test in its folder.
    FolderMissing { folder: Arc<str> },
    /// The run had no cassette, and there is one now.
    Present,
    /// The cassette has the former name of the test: both names, unless the failures are of several tests.
    TestRenamed { names: Option<(Arc<str>, Arc<str>)> },
    /// A connection was refused by the settings of the test.
    NetworkBlocked { host: Arc<str> },
    /// The client cannot read the cassette.
    NotLoaded,
    /// Another request was sent than those that are recorded.
    NotRecorded,
    /// Nothing in the cassette has anything in common with the request.
    NothingSimilar,
    /// The client printed no reason, and the request is not known.
    NoReason,
    /// The test reports a failed connection without the error of its client.
    Hidden,
    /// Calls that the client does not distinguish are recorded in one order.
    OrderDecides,
    /// The code sends such calls in another order.
    OrderChanged,
}

impl CassetteCause {
    /// Returns its name in JSON.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::ValueChanged { part, .. } => match part {
                RequestPart::Method => "method-changed",
                RequestPart::Host => "host-changed",
                RequestPart::Path => "path-changed",
                RequestPart::Query => "query-changed",
                RequestPart::Model => "model-changed",
                RequestPart::Tools => "tool-schema-changed",
                RequestPart::Prompt => "prompt-changed",
                RequestPart::Parameter => "parameter-changed",
                RequestPart::Headers => "headers-changed",
            },
            Self::BodyDiffers => "body-changed",
            Self::Consumed => "consumed",
            Self::NotAllPlayed => "not-all-played",
            Self::Missing => "cassette-missing",
            Self::FolderMissing { .. } => "cassette-folder-missing",
            Self::Present => "cassette-present",
            Self::TestRenamed { .. } => "test-renamed",
            Self::NetworkBlocked { .. } => "network-blocked",
            Self::NotLoaded => "cassette-not-loaded",
            Self::NotRecorded => "not-recorded",
            Self::NothingSimilar => "nothing-similar",
            Self::NoReason => "no-reason",
            Self::Hidden => "error-hidden",
            Self::OrderDecides => "order-decides",
            Self::OrderChanged => "order-changed",
        }
    }

    /// Returns the values that changed: in the recorded call or the old name, and now.
    pub fn values(&self) -> Option<(&str, &str)> {
        match self {
            Self::ValueChanged { recorded: from, sent: to, .. }
            | Self::TestRenamed { names: Some((from, to)) } => Some((from, to)),
            _ => None,
        }
    }

    pub(crate) fn title(&self) -> String {
        match self {
            Self::ValueChanged { part, recorded, sent } => {
                let what = match part {
                    RequestPart::Method => "Method",
                    RequestPart::Host => "Host",
                    RequestPart::Path => "Path",
                    RequestPart::Query => "Query",
                    RequestPart::Model => "Model",
                    RequestPart::Tools => "Tool schema",
                    RequestPart::Prompt => "Prompt",
                    RequestPart::Parameter => "Parameter",
                    RequestPart::Headers => return "Headers changed".to_owned(),
                };
                format!("{what} changed: {}", described_change(recorded, sent))
            }
            Self::BodyDiffers => "The body of the request is not recorded".to_owned(),
            Self::Consumed => "A request is sent more often than recorded".to_owned(),
            Self::NotAllPlayed => "Recorded calls were not played".to_owned(),
            Self::Missing => "Cassette missing".to_owned(),
            Self::FolderMissing { folder } => format!("No cassettes in {}", quoted(folder)),
            Self::Present => "Cassette is there now".to_owned(),
            Self::TestRenamed { names: Some((from, to)) } => {
                format!("Test renamed: {}", described_change(from, to))
            }
            Self::TestRenamed { names: None } => "Tests renamed".to_owned(),
            Self::NetworkBlocked { host } => format!("Network blocked for {}", quoted(host)),
            Self::NotLoaded => "The client cannot read the cassette".to_owned(),
            Self::NotRecorded => "A request is not recorded".to_owned(),
            Self::NothingSimilar => "No recorded call is similar".to_owned(),
            Self::NoReason => "No recorded call answers".to_owned(),
            Self::Hidden => "The test hides the error of its client".to_owned(),
            Self::OrderDecides => "The order of calls decides their answers".to_owned(),
            Self::OrderChanged => "Calls are sent in another order than recorded".to_owned(),
        }
    }

    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::ValueChanged { .. } => {
                "The request has the new value, and the nearest recorded call has the old one."
            }
            Self::BodyDiffers => {
                "The address is recorded with other bodies. The log does not print the one that was sent, which may be a changed one or that of a further request."
            }
            Self::Consumed => "Each recorded call answers once, and all that match were played.",
            Self::NotAllPlayed => "The test sent fewer requests than are recorded.",
            Self::Missing => "The test has no cassette, and its mode records none.",
            Self::FolderMissing { .. } => {
                "The client looked for the cassette of the test there, and its mode records none."
            }
            Self::Present => "The client found no cassette when the test ran.",
            Self::TestRenamed { .. } => {
                "The name of a cassette is that of its test. The test of this one is gone, and the new one has none."
            }
            Self::NetworkBlocked { .. } => {
                "The test called a host that its settings block. It plays no cassette, or a call is not played from it."
            }
            Self::NotLoaded => "Its content is damaged, or it is of another client or version.",
            Self::NotRecorded => "The test sends a request that no call has recorded.",
            Self::NothingSimilar => "The call must be recorded, or the test uses another cassette.",
            Self::NoReason => {
                "This client does not print how the request differs from the recorded ones."
            }
            Self::Hidden => {
                "It reports a failed connection. If no call is to leave the test, no recorded call answered."
            }
            Self::OrderChanged => {
                "The client does not compare what distinguishes them, and plays them in their order, so each request gets the answer to another one."
            }
            Self::OrderDecides => {
                "The client does not compare what distinguishes them, so each request gets the next answer, whichever it is for. This may be why the test fails."
            }
        }
    }

    /// Returns the cause of failures of both causes, if that is one.
    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            _ if self == other => Some(self.clone()),
            // Each has another name, and the same happened to all.
            (Self::TestRenamed { .. }, Self::TestRenamed { .. }) => {
                Some(Self::TestRenamed { names: None })
            }
            _ => None,
        }
    }

    pub(crate) fn needs_recording(&self) -> bool {
        !matches!(
            self,
            Self::Present | Self::Hidden | Self::NoReason | Self::OrderDecides | Self::OrderChanged
        )
    }

    pub(crate) fn is_explained(&self) -> bool {
        !matches!(self, Self::NoReason | Self::Hidden | Self::OrderDecides)
    }
}
