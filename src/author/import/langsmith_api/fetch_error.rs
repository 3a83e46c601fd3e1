//! Errors of fetching runs, with advice.

use std::fmt;

/// Reason that runs could not be fetched. Displays a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No API key is set.
    NoKey,
    /// An environment variable is invalid, for this reason.
    Setting(&'static str),
    /// The key is not accepted, with this status.
    Key(u16),
    /// There is no such run.
    NoRun,
    /// There is no project of this name.
    NoProject(String),
    /// No runs match the filter.
    NoMatchingRuns,
    /// Every one of this number of tries was answered with this status.
    Busy { status: u16, tries: u32 },
    /// It responds with another status.
    Status(u16),
    /// The response is not valid, for this reason.
    Unexpected(String),
    /// The server cannot be reached, for this reason.
    Unreachable(String),
    /// A response was incomplete, for this reason.
    Incomplete(String),
    /// The user cancelled the fetch.
    Cancelled,
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey => f.write_str("LANGSMITH_API_KEY is not set"),
            Self::Setting(reason) => f.write_str(reason),
            Self::Key(status) => write!(
                f,
                "LangSmith does not accept the key in LANGSMITH_API_KEY (status {status})"
            ),
            Self::NoRun => f.write_str("LangSmith has no run with this ID (status 404)"),
            Self::NoProject(name) => write!(f, "LangSmith has no project named {name}"),
            Self::NoMatchingRuns => f.write_str("LangSmith has no matching runs"),
            Self::Busy { status, tries } => {
                write!(f, "LangSmith still responds with status {status} after {tries} tries")
            }
            Self::Status(status) => write!(f, "LangSmith responds with status {status}"),
            Self::Unexpected(reason) | Self::Unreachable(reason) | Self::Incomplete(reason) => {
                f.write_str(reason)
            }
            Self::Cancelled => f.write_str("Cancelled: nothing was imported"),
        }
    }
}

impl FetchError {
    /// Returns what to do about it, as a sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NoKey | Self::Setting(_) => "Set it and restart Retake.",
            Self::Key(_) => {
                "Set a key of the workspace that contains the runs, and restart Retake."
            }
            Self::NoRun => "Check the ID, and that the key belongs to the workspace of the run.",
            Self::NoProject(_) => {
                "Check the name, and that the key belongs to the workspace of the project."
            }
            Self::NoMatchingRuns => {
                "Widen the filter: another status, an earlier date, a shorter latency."
            }
            Self::Busy { status: 429, .. } => {
                "LangSmith is limiting requests. Wait a minute, then fetch again."
            }
            Self::Busy { .. } => "LangSmith has a problem. Wait a while, then fetch again.",
            Self::Status(_) | Self::Unexpected(_) => {
                "Check that LANGSMITH_ENDPOINT is the address of LangSmith's API."
            }
            Self::Unreachable(_) => {
                "Check the network connection, its proxy and LANGSMITH_ENDPOINT."
            }
            Self::Incomplete(_) => "Fetch again; if that does not help, fetch fewer runs.",
            Self::Cancelled => "No action is needed.",
        }
    }
}
