//! Texts of the rows of calls.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::ops::live::log::LogRow as _;
use crate::ops::live::record::{ProxyOutcome, StoreResult};
use crate::ops::live::serve::{MatchedBy, ServedCallEnd};
use crate::ops::live::{record, serve};
use crate::ops::tape::timing::format_duration;
use crate::text::{bytes, counted, visible};
use crate::ui::icons;
use crate::ui::theme::Tone;

/// A word with its icon and tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IconWord {
    pub(super) icon: &'static str,
    pub(super) tone: Tone,
    pub(super) word: String,
}

impl IconWord {
    pub(super) fn new(icon: &'static str, tone: Tone, word: impl Into<String>) -> Self {
        Self { icon, tone, word: word.into() }
    }
}

/// The texts of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallRowText {
    /// The start time.
    pub(super) at: String,
    pub(super) title: String,
    /// A summary of the request.
    pub(super) about: String,
    pub(super) state: IconWord,
    /// Numbers of chunks and time.
    pub(super) numbers: String,
    /// The result, or what was served.
    pub(super) result: IconWord,
    /// Details of the result.
    pub(super) detail: String,
}

impl CallRowText {
    /// Returns all texts in one line, for screen readers.
    pub(super) fn name(&self) -> String {
        let parts = [
            &self.at,
            &self.title,
            &self.about,
            &self.state.word,
            &self.numbers,
            &self.result.word,
            &self.detail,
        ];
        let shown: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        shown.join(", ")
    }
}

/// Formats the local time of day.
pub(super) fn clock_time(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

/// Returns the time since `at` in nanoseconds.
pub(super) fn nanos_since(at: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(now.duration_since(at).as_nanos()).unwrap_or_default()
}

/// Summarizes a request: tools and messages if there are tools, else the model.
fn request_summary(model: Option<&str>, tools: usize, messages: usize, title: &str) -> String {
    let counts = || {
        let messages = counted(messages, "message", "messages");
        match tools {
            0 => messages,
            tools => format!("{}, {messages}", counted(tools, "tool", "tools")),
        }
    };
    match model {
        Some(model) if tools == 0 && model != title => visible(model).into_owned(),
        None if tools == 0 && messages == 0 => String::new(),
        _ => counts(),
    }
}

fn duration_label(nanos: u64) -> String {
    format_duration(nanos as f64)
}

/// Returns the duration of a call, until now if it has not ended.
pub(super) fn elapsed_nanos(began: Timestamp, ended: Option<u64>, now: Timestamp) -> u64 {
    ended.unwrap_or_else(|| nanos_since(began, now))
}

/// Returns the texts of a recorded call.
pub(super) fn recorded_row(
    call: &record::RecordedCall,
    now: Timestamp,
    zone: &TimeZone,
) -> CallRowText {
    let request = call.request.as_deref();
    let model = request.and_then(|request| request.model.as_deref());
    let title = call.began.label.as_deref().or(model);
    let title = visible(title.unwrap_or(&call.began.address)).into_owned();
    let (tools, messages) = request.map_or((0, 0), |request| (request.tools, request.messages));
    let took = call.ended.as_ref().map(|(_, took)| *took);
    let took = duration_label(elapsed_nanos(call.began.at, took, now));
    let chunks = match &call.stored {
        Some(StoreResult::Tape { chunks, .. }) => *chunks,
        _ => call.pieces,
    };
    let numbers = match chunks {
        0 => format!("no chunk, {took}"),
        chunks => format!("{}, {took}", counted(chunks, "chunk", "chunks")),
    };
    let (result, detail) = recorded_result(call);
    CallRowText {
        at: clock_time(call.began.at, zone),
        about: request_summary(model, tools, messages, &title),
        title,
        state: recorded_state(call),
        numbers,
        result,
        detail,
    }
}

/// Returns the state of a recorded call.
pub(super) fn recorded_state(call: &record::RecordedCall) -> IconWord {
    let bad = |word: String| IconWord::new(icons::CIRCLE_X, Tone::Error, word);
    let status = call.status().unwrap_or_default();
    match call.ended.as_ref().map(|(outcome, _)| outcome) {
        None if call.status.is_none() => IconWord::new(icons::HOURGLASS, Tone::Note, "waiting"),
        None => IconWord::new(icons::ACTIVITY, Tone::Note, "streaming"),
        Some(ProxyOutcome::Done) if status >= 400 => bad(status.to_string()),
        Some(ProxyOutcome::Done) => IconWord::new(icons::CHECK, Tone::Good, "done"),
        Some(ProxyOutcome::CutOff(_)) => bad("cut off".to_owned()),
        Some(ProxyOutcome::Cancelled) => {
            IconWord::new(icons::CIRCLE_MINUS, Tone::Warning, "disconnected")
        }
        Some(ProxyOutcome::Stopped) => IconWord::new(icons::SQUARE, Tone::Warning, "stopped"),
        Some(ProxyOutcome::Unreached(status, _) | ProxyOutcome::Refused(status, _)) => {
            bad(status.to_string())
        }
    }
}

/// Returns the file name of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Cuts the beginning of a name that is too long for its column: the distinguishing number is at the end.
fn shorten(name: &str) -> Cow<'_, str> {
    const ROOM: usize = 16;
    let count = name.chars().count();
    if count > ROOM {
        format!("…{}", name.chars().skip(count + 1 - ROOM).collect::<String>()).into()
    } else {
        name.into()
    }
}

fn recorded_result(call: &record::RecordedCall) -> (IconWord, String) {
    let plain = |word: &str| IconWord::new("", Tone::Plain, word);
    match &call.stored {
        None if call.began.api.is_none() => (plain("Forwarded"), String::new()),
        None => (plain("New tape"), "when it ends".to_owned()),
        Some(StoreResult::Tape { path, bytes: size, .. }) => {
            let marked = match call.ended.as_ref().map(|(outcome, _)| outcome) {
                Some(ProxyOutcome::CutOff(_)) => Some("cut off"),
                Some(ProxyOutcome::Cancelled) => Some("cancelled"),
                Some(ProxyOutcome::Stopped) => Some("stopped"),
                _ if call.has_failed() => Some("failed"),
                _ => None,
            };
            let detail = match marked {
                Some(word) => format!("saved, marked {word}"),
                None => bytes(*size as u64),
            };
            let name = visible(&shorten(file_name(path))).into_owned();
            (IconWord::new("", Tone::Note, name), detail)
        }
        Some(StoreResult::Refused) => (plain("Refused"), "not forwarded".to_owned()),
        Some(StoreResult::PassedOn) => (plain("Forwarded"), "not a model call".to_owned()),
        Some(StoreResult::Failed(reason)) => {
            (IconWord::new(icons::CIRCLE_X, Tone::Error, "Not saved"), visible(reason).into_owned())
        }
    }
}

/// Returns the texts of a served call.
pub(super) fn served_row(call: &serve::ServedCall, now: Timestamp, zone: &TimeZone) -> CallRowText {
    let began = &*call.began;
    let choice = call.choice.as_deref();
    // A tape has a name given by the user; a recording has an id.
    let tape = choice
        .and_then(|choice| choice.chosen.as_ref())
        .filter(|chosen| matches!(chosen.matched_by, MatchedBy::Strict | MatchedBy::Loose(_)));
    let title = match (tape, began.model.as_deref(), began.api) {
        (Some(chosen), ..) => chosen.label.to_string(),
        (None, Some(model), _) => model.to_owned(),
        (None, None, Some(api)) => api.as_str().to_owned(),
        (None, None, None) => began.address.clone(),
    };
    let title = visible(&title).into_owned();
    let took = call.ended.as_ref().map(|(_, took)| *took);
    let took = duration_label(elapsed_nanos(began.at, took, now));
    let chunks = counted(call.chunks, "chunk", "chunks");
    let numbers = match &call.ended {
        Some((ServedCallEnd::Refused(..), _)) => "nothing sent".to_owned(),
        Some((ServedCallEnd::Done | ServedCallEnd::AsRecorded(_), _)) => {
            format!("{chunks}, {took}")
        }
        _ if call.planned == 0 => took,
        _ => format!("{} of {}, {took}", call.chunks, call.planned),
    };
    let (result, detail) = served_result(call);
    CallRowText {
        at: clock_time(began.at, zone),
        about: request_summary(began.model.as_deref(), began.tools, began.messages, &title),
        title,
        state: served_state(call),
        numbers,
        result,
        detail,
    }
}

/// Returns the state of a served call.
pub(super) fn served_state(call: &serve::ServedCall) -> IconWord {
    match call.ended.as_ref().map(|(ended, _)| ended) {
        None if call.chunks == 0 => IconWord::new(icons::HOURGLASS, Tone::Note, "waiting"),
        None => IconWord::new(icons::ACTIVITY, Tone::Note, "streaming"),
        Some(ServedCallEnd::Done) => IconWord::new(icons::CHECK, Tone::Good, "done"),
        Some(ServedCallEnd::AsRecorded(200)) => {
            IconWord::new(icons::CIRCLE_X, Tone::Warning, "cut off as recorded")
        }
        Some(ServedCallEnd::AsRecorded(status)) => {
            IconWord::new(icons::CIRCLE_X, Tone::Warning, format!("{status} as recorded"))
        }
        Some(ServedCallEnd::Refused(status, _)) => {
            IconWord::new(icons::CIRCLE_X, Tone::Error, status.to_string())
        }
        Some(ServedCallEnd::HungUp) => {
            IconWord::new(icons::CIRCLE_MINUS, Tone::Warning, "disconnected")
        }
    }
}

/// Returns the matching step that found the answer.
pub(super) fn match_step(how: MatchedBy) -> IconWord {
    match how {
        MatchedBy::Strict => IconWord::new(icons::EQUAL, Tone::Good, "Strict match"),
        MatchedBy::Loose(_) => IconWord::new(icons::EQUAL, Tone::Good, "Loose match"),
        MatchedBy::Conversation => IconWord::new(icons::EQUAL, Tone::Good, "Same conversation"),
        MatchedBy::Signature { .. } => IconWord::new(icons::HASH, Tone::Plain, "By signature"),
        MatchedBy::Position(at) => {
            IconWord::new(icons::LIST_ORDERED, Tone::Warning, format!("By position {at}"))
        }
        MatchedBy::Next(at) => {
            IconWord::new(icons::LIST_ORDERED, Tone::Warning, format!("Next in order, {at}"))
        }
    }
}

fn served_result(call: &serve::ServedCall) -> (IconWord, String) {
    let choice = call.choice.as_deref();
    if let Some((choice, chosen)) =
        choice.and_then(|choice| Some((choice, choice.chosen.as_ref()?)))
    {
        let label = visible(&chosen.label).into_owned();
        let detail = match chosen.matched_by {
            MatchedBy::Strict | MatchedBy::Loose(0) | MatchedBy::Conversation => label,
            MatchedBy::Loose(count) => format!("{count} ignored"),
            MatchedBy::Signature { first_of } if first_of > 1 => {
                format!("first of {first_of} alike")
            }
            MatchedBy::Signature { .. } => label,
            MatchedBy::Position(_) => match choice.reasons.first() {
                Some(reason) => visible(&reason.short()).into_owned(),
                None => label,
            },
            MatchedBy::Next(_) => match choice.differences.len() {
                0 => label,
                count => counted(count, "difference", "differences"),
            },
        };
        return (match_step(chosen.matched_by), detail);
    }
    match (&call.ended, choice.and_then(|choice| choice.nearest.first())) {
        (Some((ServedCallEnd::Refused(..), _)), Some(near)) => (
            IconWord::new(icons::CIRCLE_X, Tone::Error, "No match"),
            format!("nearest: {}", visible(&near.short)),
        ),
        (Some((ServedCallEnd::Refused(_, message), _)), None) => (
            IconWord::new(icons::CIRCLE_X, Tone::Error, "Not served"),
            visible(message).into_owned(),
        ),
        (Some(_), _) => (IconWord::new("", Tone::Plain, "Nothing"), String::new()),
        (None, _) => (IconWord::new(icons::HOURGLASS, Tone::Plain, "Searching"), String::new()),
    }
}
