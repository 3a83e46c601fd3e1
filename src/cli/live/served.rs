//! The log line of `retake serve` for each call, as text or JSON.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::count;
use crate::cli::output::{shown, shown_path};
use crate::ops::live::log::LogRow as _;
use crate::ops::live::serve::{ServeEvent, ServedCall, ServedCallEnd};
use crate::ops::tape::timing::format_duration;

/// The pending calls.
#[derive(Default)]
pub(super) struct PendingCalls(HashMap<u64, ServedCall>);

/// A finished call.
pub(super) struct FinishedCall(pub(super) ServedCall);

impl PendingCalls {
    /// Applies an event; returns the call that it finished.
    pub(super) fn note(&mut self, event: ServeEvent) -> Option<FinishedCall> {
        let number = ServedCall::number_of(&event);
        match self.0.get_mut(&number) {
            Some(call) => call.note(event),
            None => {
                self.0.insert(number, ServedCall::from_event(&event)?);
            }
        }
        let is_over = self.0.get(&number)?.is_over();
        is_over.then(|| self.0.remove(&number).map(FinishedCall))?
    }
}

/// A line of the log, as JSON.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ServeLogLine<'a> {
    event: &'static str,
    call: u64,
    at: String,
    api: Option<&'static str>,
    address: &'a str,
    model: Option<&'a str>,
    tools: usize,
    messages: usize,
    served: Option<&'a str>,
    how: Option<&'static str>,
    why: Vec<&'a str>,
    differences: &'a [String],
    nearest: Vec<NearestJson<'a>>,
    ended: &'static str,
    status: Option<u16>,
    message: Option<&'a str>,
    chunks: usize,
    planned: usize,
    first_ns: Option<u64>,
    late_ns: u64,
    took_ns: u64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct NearestJson<'a> {
    path: &'a str,
    against: &'a [String],
}

impl FinishedCall {
    pub(super) fn json(&self) -> ServeLogLine<'_> {
        let call = &self.0;
        let choice = call.choice.as_deref();
        let chosen = choice.and_then(|choice| choice.chosen.as_ref());
        let nearest = choice.into_iter().flat_map(|choice| &choice.nearest);
        let why = choice.into_iter();
        let why = why.flat_map(|choice| choice.why.iter().chain(&choice.conversion));
        let (ended, took_ns) =
            call.ended.as_ref().map_or((&ServedCallEnd::HungUp, 0), |it| (&it.0, it.1));
        let (word, status, message) = match ended {
            ServedCallEnd::Done => ("done", Some(200), None),
            ServedCallEnd::AsRecorded(status) => ("as-recorded", Some(*status), None),
            ServedCallEnd::Refused(status, message) => {
                ("refused", Some(*status), Some(message.as_str()))
            }
            ServedCallEnd::HungUp => ("hung-up", None, None),
        };
        ServeLogLine {
            event: "call",
            call: call.number,
            at: call.began.at.to_string(),
            api: call.began.api.map(|api| api.as_str()),
            address: &call.began.address,
            model: call.began.model.as_deref(),
            tools: call.began.tools,
            messages: call.began.messages,
            served: chosen.map(|chosen| &*chosen.path),
            how: chosen.map(|chosen| chosen.matched_by.as_str()),
            why: why.map(String::as_str).collect(),
            differences: choice.map_or(&[], |choice| &choice.differences),
            nearest: nearest
                .map(|near| NearestJson { path: &near.path, against: &near.differences })
                .collect(),
            ended: word,
            status,
            message,
            chunks: call.chunks,
            planned: call.planned,
            first_ns: call.first_nanos,
            late_ns: call.late_nanos,
            took_ns,
        }
    }

    /// The log line as text.
    pub(super) fn text(&self) -> String {
        let call = &self.0;
        let model = call.began.model.as_deref().unwrap_or("no model");
        let what = match call.began.api {
            Some(api) => format!("{} {}", api.as_str(), shown(model)),
            None => shown(&call.began.address).into_owned(),
        };
        let choice = call.choice.as_deref();
        let served = choice.and_then(|choice| {
            let chosen = choice.chosen.as_ref()?;
            let how = chosen.matched_by.describe();
            Some(format!("{}, {how}", shown_path(&chosen.path)))
        });
        let differs = choice.map_or(&[][..], |choice| &choice.differences);
        let differs = match differs {
            [] => String::new(),
            [first, rest @ ..] => {
                let more =
                    if rest.is_empty() { String::new() } else { format!("; {} more", rest.len()) };
                format!("; differs: {}{more}", shown(first))
            }
        };
        let served = served.map(|served| format!("{served}{differs}; ")).unwrap_or_default();
        let conversion = choice.and_then(|choice| choice.conversion.as_ref());
        let conversion = conversion.map(|sentence| format!(". {sentence}"));
        format!("{what}: {served}{}{}", self.end(), conversion.unwrap_or_default())
    }

    fn end(&self) -> String {
        let call = &self.0;
        let Some((ended, took)) = &call.ended else {
            return String::new();
        };
        let took = format_duration(*took as f64);
        let late = format_duration(call.late_nanos as f64);
        let chunks = count(call.chunks, "chunk");
        let planned = call.planned;
        match ended {
            ServedCallEnd::Done => format!("{chunks} in {took}, at most {late} late"),
            ServedCallEnd::AsRecorded(200) => {
                format!("{chunks} in {took}, then broke off as recorded")
            }
            ServedCallEnd::AsRecorded(status) => format!("{status} after {took}, as recorded"),
            ServedCallEnd::Refused(status, message) => format!("{status}. {}", shown(message)),
            ServedCallEnd::HungUp => {
                format!("the client hung up after {took}, {} of {planned} chunks", call.chunks)
            }
        }
    }
}
