//! Describes why a recording does not match.

use std::sync::Arc;

use super::{Miss, Reason};
use crate::playback::PlaybackRun;
use document::text::{counted, listed, visible};

impl Miss {
    /// Describes why it does not match in a few words: `2 missing, 1 extra tool, used`.
    pub fn short(&self) -> String {
        let parts: Vec<String> = self.reasons.iter().map(Reason::short).collect();
        if parts.is_empty() { "would match".to_owned() } else { parts.join(", ") }
    }

    /// Returns the smallest change that would make it match in its run, as one or more sentences.
    pub fn change(&self, run: &PlaybackRun) -> String {
        let mut reasons = self.reasons.iter();
        if let Some(reason) = reasons.find(|reason| reason.needs_recording(run)) {
            // A new recording settles all other reasons as well.
            return reason.change(run);
        }
        self.reasons.iter().map(|reason| reason.change(run)).collect::<Vec<_>>().join(" ")
    }
}

impl Reason {
    /// Returns its name in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::ToolNames { .. } => "tool-names",
            Self::MessageCount { .. } | Self::OtherCount { .. } => "message-count",
            Self::ContextKeys { .. } => "context-keys",
            Self::Used { .. } => "used",
            Self::Never(_) => "never",
            Self::Breaks(_) => "breaks",
        }
    }

    /// Describes it in a few words.
    pub fn short(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (missing.len(), extra.len()) {
                (0, 0) => "tools in another order".to_owned(),
                (0, extra) => counted(extra, "extra tool", "extra tools"),
                (missing, 0) => counted(missing, "missing tool", "missing tools"),
                (missing, extra) => {
                    let extra = counted(extra, "extra tool", "extra tools");
                    format!("{missing} missing, {extra}")
                }
            },
            Self::MessageCount { expected, actual } => {
                format!("{}, not {expected}", messages(*actual))
            }
            Self::OtherCount { actual } => messages(*actual),
            Self::ContextKeys { .. } => "context keys".to_owned(),
            Self::Used { call: Some(call) } => format!("used by call {}", call + 1),
            Self::Used { call: None } => "used".to_owned(),
            Self::Never(_) => "matches nothing".to_owned(),
            Self::Breaks(_) => "makes the client fail".to_owned(),
        }
    }

    /// Describes the reason with all names, as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (missing.is_empty(), extra.is_empty()) {
                (true, true) => "It stores the same tools in another order".to_owned(),
                (false, true) => format!("It lacks {}", names(missing)),
                (true, false) => format!("It additionally has {}", names(extra)),
                (false, false) => {
                    format!("It lacks {} and additionally has {}", names(missing), names(extra))
                }
            },
            Self::MessageCount { expected, actual } => {
                format!("It has {}, the request has {expected}", messages(*actual))
            }
            Self::OtherCount { actual } => format!(
                "It has {}, but the log does not print how many the request has",
                messages(*actual)
            ),
            Self::ContextKeys { missing, extra } if missing.is_empty() => format!(
                "It stores the context keys {}, but the client computes none for the request",
                names(extra)
            ),
            Self::ContextKeys { missing, extra } if extra.is_empty() => {
                format!("It has no context keys, but the request has {}", names(missing))
            }
            Self::ContextKeys { missing, extra } => format!(
                "Its context keys lack {} and additionally contain {}",
                names(missing),
                names(extra)
            ),
            Self::Used { call: Some(call) } => format!("Call {} already used it", call + 1),
            Self::Used { call: None } => "It is already used".to_owned(),
            Self::Never(why) => (*why).to_owned(),
            Self::Breaks(error) => format!("The client fails here with {error}"),
        }
    }

    /// Returns whether no edit helps because the request is a different one.
    pub fn needs_recording(&self, run: &PlaybackRun) -> bool {
        match self {
            Self::ToolNames { missing, extra } => {
                // One tool can be added or removed by hand; with more, it is another request.
                missing.len() + extra.len() > 1
                    && run.tool_uses().find_rename(missing, extra).is_none()
            }
            Self::MessageCount { .. } | Self::OtherCount { .. } => true,
            _ => false,
        }
    }

    /// Returns the smallest change that removes the reason, as a sentence.
    pub fn change(&self, run: &PlaybackRun) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (&missing[..], &extra[..]) {
                ([], []) => "Recompute its signature.".to_owned(),
                ([new], [old]) if run.tool_uses().find_rename(missing, extra).is_some() => {
                    format!("Rename {} to {}.", visible(old), visible(new))
                }
                ([new], []) => format!("Add {} to its tools.", visible(new)),
                ([], [old]) => format!("Remove {} from its tools.", visible(old)),
                _ => "Record it again with the tools that are offered now.".to_owned(),
            },
            Self::MessageCount { expected, .. } => {
                format!("Record it again with {}.", messages(*expected))
            }
            Self::OtherCount { .. } => "Record it again with the request of this call.".to_owned(),
            Self::ContextKeys { extra, .. } if !extra.is_empty() => {
                "Drop its stored context keys.".to_owned()
            }
            Self::ContextKeys { .. } | Self::Never(_) => "Recompute its signature.".to_owned(),
            Self::Used { .. } => "Duplicate for a second call.".to_owned(),
            Self::Breaks(_) => {
                "Add the missing value, or remove the file from the folder.".to_owned()
            }
        }
    }
}

fn messages(count: u64) -> String {
    counted(count as usize, "message", "messages")
}

fn names(names: &[Arc<str>]) -> String {
    listed(&names.iter().map(|name| visible(name)).collect::<Vec<_>>())
}
