//! Describes a choice for the log and for the client.

use super::{MatchedBy, ServeChoice};
use crate::text::counted;

impl MatchedBy {
    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Loose(_) => "loose",
            Self::Conversation => "conversation",
            Self::Signature { .. } => "signature",
            Self::Position(_) => "position",
            Self::Next(_) => "next",
        }
    }

    /// Describes it in a few words.
    pub fn describe(self) -> String {
        match self {
            Self::Strict => "strict match".to_owned(),
            Self::Loose(0) => "loose match".to_owned(),
            Self::Loose(count) => {
                let differences = counted(count, "difference", "differences");
                format!("loose match, {differences} ignored")
            }
            Self::Conversation => "same conversation".to_owned(),
            Self::Signature { first_of: 1 } => "by signature".to_owned(),
            Self::Signature { first_of } => format!("by signature, first of {first_of} matches"),
            Self::Position(at) => format!("by position {at}"),
            Self::Next(at) => format!("next in order, tape {at}"),
        }
    }
}

impl ServeChoice {
    /// Returns the error message for a client whose call has no answer.
    pub fn refusal(&self) -> String {
        let mut text = "No tape or recording answers this call.".to_owned();
        for why in &self.why {
            text += " ";
            text += why;
        }
        match &self.nearest[..] {
            [] => text += " The server has no tapes or sets.",
            [near, ..] => {
                text += &format!(" The closest is {} ({}): ", near.path, near.short);
                let more = near.differences.len().saturating_sub(MAX_LISTED);
                text += &near.differences[..near.differences.len() - more].join("; ");
                if more > 0 {
                    text += &format!("; and {more} more");
                }
                text += ".";
            }
        }
        text
    }
}

/// Maximum number of differences in an error message.
const MAX_LISTED: usize = 5;
