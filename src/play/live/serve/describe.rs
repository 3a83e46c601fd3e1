//! Describes a choice for the log and for the client.

use super::{MatchedBy, ServeChoice, ServedCall, ServedCallEnd};
use calls::tape::timing::format_duration;
use document::text::{count, counted};

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
            Self::Client(_) => "client",
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
            Self::Client(client) => format!("as {} plays it", client.as_str()),
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
                let more = near.differences.len().saturating_sub(MAX_LISTED_DIFFERENCES);
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

impl ServedCall {
    /// Describes in one line what was served, and how it ended.
    pub(super) fn log_line(&self) -> String {
        let model = self.began.model.as_deref().unwrap_or("no model");
        let call = match self.began.api {
            Some(api) => format!("{} {model}", api.as_str()),
            None => self.began.address.clone(),
        };
        let choice = self.choice.as_deref();
        let differs = match choice.map_or(&[][..], |choice| &choice.differences) {
            [] => String::new(),
            [first] => format!("; {first}"),
            [first, rest @ ..] => format!("; {first}; {} more", rest.len()),
        };
        let tape = choice.and_then(|choice| choice.chosen.as_ref());
        let served = tape.map_or_else(String::new, |tape| {
            format!("{}, {}{differs}; ", tape.path, tape.matched_by.describe())
        });
        let conversion = choice
            .and_then(|choice| choice.conversion.as_ref())
            .map_or_else(String::new, |sentence| format!(". {sentence}"));
        format!("{call}: {served}{}{conversion}", self.ending())
    }

    fn ending(&self) -> String {
        let Some((ended, took)) = &self.ended else { return String::new() };
        let took = format_duration(*took as f64);
        let chunks = count(self.chunks, "chunk");
        match ended {
            ServedCallEnd::Done => {
                // Less is not felt by any client.
                let late = match self.late_nanos as f64 {
                    nanos if nanos < 1e6 => "under 1 ms".to_owned(),
                    nanos => format!("at most {}", format_duration(nanos)),
                };
                format!("{chunks} in {took}, {late} late")
            }
            // With this status it was the stream that ended early, not the call that was refused.
            ServedCallEnd::AsRecorded(200) => {
                format!("{chunks} in {took}, then broke off as recorded")
            }
            ServedCallEnd::AsRecorded(status) => format!("{status} after {took}, as recorded"),
            ServedCallEnd::Refused(status, message) => format!("{status}. {message}"),
            ServedCallEnd::HungUp => {
                let planned = self.due_nanos.len();
                format!("the client hung up after {took}, {} of {planned} chunks", self.chunks)
            }
        }
    }
}

/// Maximum number of differences in an error message.
const MAX_LISTED_DIFFERENCES: usize = 5;
