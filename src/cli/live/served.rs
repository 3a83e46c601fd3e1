//! What `retake serve` tells of each call: a line for people, or one of JSON.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::count;
use crate::cli::output::{shown, shown_path};
use crate::ops::live::serve::{Began, Choice, Ended, Event, Plan};
use crate::ops::tape::timing::duration;

/// The calls that are under way.
#[derive(Default)]
pub(super) struct Calls(HashMap<u64, Row>);

/// What is known of a call.
pub(super) struct Row {
    number: u64,
    pub(super) began: Arc<Began>,
    choice: Option<Arc<Choice>>,
    plan: Option<Arc<Plan>>,
    chunks: usize,
    first_nanos: Option<u64>,
    late_nanos: u64,
    ended: Option<(Ended, u64)>,
}

impl Calls {
    /// Takes note of an event; answers the call that is over with it.
    pub(super) fn note(&mut self, event: Event) -> Option<Row> {
        match event {
            Event::Began(number, began) => {
                let row = Row {
                    number,
                    began,
                    choice: None,
                    plan: None,
                    chunks: 0,
                    first_nanos: None,
                    late_nanos: 0,
                    ended: None,
                };
                self.0.insert(number, row);
            }
            Event::Chose(number, choice) => self.0.get_mut(&number)?.choice = Some(choice),
            Event::Plans(number, plan) => self.0.get_mut(&number)?.plan = Some(plan),
            Event::Told {
                call,
                index,
                at_nanos,
            } => self.0.get_mut(&call)?.told(index, at_nanos),
            Event::Ended(number, ended, took) => {
                let mut row = self.0.remove(&number)?;
                row.ended = Some((ended, took));
                return Some(row);
            }
        }
        None
    }
}

/// A line of the log, as JSON.
#[derive(Serialize)]
pub(super) struct Line<'a> {
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
    why: &'a [String],
    differences: &'a [String],
    nearest: Vec<Near<'a>>,
    ended: &'static str,
    status: Option<u16>,
    message: Option<&'a str>,
    chunks: usize,
    planned: usize,
    first_ns: Option<u64>,
    late_ns: u64,
    took_ns: u64,
}

#[derive(Serialize)]
pub(super) struct Near<'a> {
    path: &'a str,
    against: &'a [String],
}

impl Row {
    fn told(&mut self, index: usize, at_nanos: u64) {
        self.chunks += 1;
        self.first_nanos.get_or_insert(at_nanos);
        let due = self
            .plan
            .as_ref()
            .and_then(|plan| plan.due_nanos.get(index));
        let late = due.map_or(0, |due| at_nanos.saturating_sub(*due));
        self.late_nanos = self.late_nanos.max(late);
    }

    pub(super) fn json(&self) -> Line<'_> {
        let choice = self.choice.as_deref();
        let chosen = choice.and_then(|choice| choice.chosen.as_ref());
        let nearest = choice.into_iter().flat_map(|choice| &choice.nearest);
        let (ended, took_ns) = self
            .ended
            .as_ref()
            .map_or((&Ended::HungUp, 0), |it| (&it.0, it.1));
        let (word, status, message) = match ended {
            Ended::Done => ("done", Some(200), None),
            Ended::AsRecorded(status) => ("as-recorded", Some(*status), None),
            Ended::Refused(status, message) => ("refused", Some(*status), Some(message.as_str())),
            Ended::HungUp => ("hung-up", None, None),
        };
        Line {
            event: "call",
            call: self.number,
            at: self.began.at.to_string(),
            api: self.began.api.map(|api| api.as_str()),
            address: &self.began.address,
            model: self.began.model.as_deref(),
            tools: self.began.tools,
            messages: self.began.messages,
            served: chosen.map(|chosen| &*chosen.path),
            how: chosen.map(|chosen| chosen.how.as_str()),
            why: choice.map_or(&[], |choice| &choice.why),
            differences: choice.map_or(&[], |choice| &choice.differences),
            nearest: nearest
                .map(|near| Near {
                    path: &near.path,
                    against: &near.against,
                })
                .collect(),
            ended: word,
            status,
            message,
            chunks: self.chunks,
            planned: self.plan.as_ref().map_or(0, |plan| plan.due_nanos.len()),
            first_ns: self.first_nanos,
            late_ns: self.late_nanos,
            took_ns,
        }
    }

    /// The line for people.
    pub(super) fn words(&self) -> String {
        let model = self.began.model.as_deref().unwrap_or("no model");
        let what = match self.began.api {
            Some(api) => format!("{} {}", api.as_str(), shown(model)),
            None => shown(&self.began.address).into_owned(),
        };
        let choice = self.choice.as_deref();
        let served = choice.and_then(|choice| {
            let chosen = choice.chosen.as_ref()?;
            let how = chosen.how.words();
            Some(format!("{}, {how}", shown_path(&chosen.path)))
        });
        let differs = choice.map_or(&[][..], |choice| &choice.differences);
        let differs = match differs {
            [] => String::new(),
            [first, rest @ ..] => {
                let more = if rest.is_empty() {
                    String::new()
                } else {
                    format!("; {} more", rest.len())
                };
                format!("; differs: {}{more}", shown(first))
            }
        };
        let served = served
            .map(|served| format!("{served}{differs}; "))
            .unwrap_or_default();
        format!("{what}: {served}{}", self.end())
    }

    fn end(&self) -> String {
        let Some((ended, took)) = &self.ended else {
            return String::new();
        };
        let took = duration(*took as f64);
        let late = duration(self.late_nanos as f64);
        let chunks = count(self.chunks, "chunk");
        let planned = self.plan.as_ref().map_or(0, |plan| plan.due_nanos.len());
        match ended {
            Ended::Done => format!("{chunks} in {took}, late by at most {late}"),
            Ended::AsRecorded(200) => format!("{chunks} in {took}, then it breaks off as recorded"),
            Ended::AsRecorded(status) => format!("{status} after {took}, as recorded"),
            Ended::Refused(status, message) => format!("{status}. {}", shown(message)),
            Ended::HungUp => {
                format!(
                    "the client hung up after {took}, {} of {planned} chunks",
                    self.chunks
                )
            }
        }
    }
}
