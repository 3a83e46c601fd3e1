//! What the playback desk shows, built for what is on screen.

use std::sync::Arc;

use crate::ops::playback::strip_picture::RecordingUse;
use crate::ops::playback::{
    CallVerdict, MatchStep, PlaybackClient, PlaybackMode, PlaybackRules, PlayedCall, PlayedRequest,
    RequestOrigin, SetRecording, ToolsKnown,
};
use crate::text::{counted, thousands, visible};
use crate::ui::icons;
use crate::ui::library::data::ToolsCell;
use crate::ui::theme::Tone;
use crate::workbench::{PlayFinding, PlaybackDesk, PlaybackResult, Workbench};

/// How many numbers a finding lists before it only counts.
const NUMBERS: usize = 4;

/// The playback desk for its view. It borrows, so building it costs nothing however many calls were played.
pub struct PlaybackData<'a> {
    pub workbench: &'a Workbench,
    /// The state of the desk.
    pub desk: &'a PlaybackDesk,
}

/// The row of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaybackCallRow {
    /// Number of the call, from 1.
    pub number: String,
    /// The node of the call, or another name.
    pub at: String,
    /// The same with `at` before a node.
    pub place: String,
    /// The offered tools.
    pub tools: ToolsCell,
    /// The served recording.
    pub served: Option<String>,
    /// The step that chose the recording.
    pub step: Option<StatusLabel>,
    /// The earlier call that got the same recording: `served in call 1`.
    pub reused: Option<String>,
    /// Whether the response is the right one.
    pub verdict: StatusLabel,
    /// The response in the other run, if it differs.
    pub other: Option<String>,
    /// Whether the call is selected.
    pub selected: bool,
}

/// A status: icon, colour, and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLabel {
    pub icon: &'static str,
    /// Its colour.
    pub tone: Tone,
    pub text: String,
}

/// A position of the set after the selected call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCell {
    /// How often it was used.
    pub usage: RecordingUse,
    /// Whether it answers the selected call.
    pub answers: bool,
    /// Whether the next sequential step uses it.
    pub next: bool,
    /// The calls it answered so far: `calls 1, 2`.
    pub calls: String,
}

/// A finding about the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// What is listed on a click.
    pub finding: PlayFinding,
    pub icon: &'static str,
    /// Its colour.
    pub tone: Tone,
    /// The number of cases.
    pub count: String,
    pub label: &'static str,
    /// The short label for little room.
    pub short_label: &'static str,
    /// The calls or positions concerned.
    pub detail: String,
}

impl<'a> PlaybackData<'a> {
    /// Reads the workbench.
    pub fn new(workbench: &'a Workbench) -> Self {
        Self { workbench, desk: &workbench.playback }
    }

    /// Returns the outcome of playing.
    pub fn played(&self) -> Option<&'a Arc<PlaybackResult>> {
        self.desk.played()
    }

    /// Whether the requests are of a log that does not contain the one that failed.
    pub fn lacks_request(&self) -> bool {
        let log = self.played().and_then(|played| played.input.log.as_ref());
        log.is_some_and(|log| log.lacks_request)
    }

    /// Returns the number of listed calls.
    pub fn listed(&self) -> usize {
        let all = self.played().map_or(0, |played| played.run.calls.len());
        self.desk.calls().map_or(all, <[usize]>::len)
    }

    /// Returns the call in a row, as its index in the run.
    pub fn call_at(&self, row: usize) -> usize {
        let listed = self.desk.calls().and_then(|calls| calls.get(row));
        listed.copied().unwrap_or(row)
    }

    /// Returns the row of the selected call.
    pub fn selected_row(&self) -> Option<usize> {
        match self.desk.calls() {
            Some(calls) => calls.binary_search(&self.desk.call).ok(),
            None => Some(self.desk.call),
        }
    }

    /// Returns the content of the row of a call.
    pub fn row(&self, call: usize) -> Option<PlaybackCallRow> {
        let played = self.played()?;
        let at = played.run.calls.get(call)?;
        let recorded = at.index().and_then(|index| played.run.set.recordings.get(index));
        let reused = at.reused.map(|before| format!("served in call {}", before + 1));
        Some(PlaybackCallRow {
            number: (call + 1).to_string(),
            at: request_name(&at.request),
            place: request_place(&at.request),
            tools: tools_cell(&at.request),
            served: recorded.map(recording_label),
            step: at.served().map(|served| step_label(served.step, played.run.rules.mode)),
            reused,
            verdict: verdict_label(at),
            other: played.other_answer(call).map(|other| answer_of(played, other)),
            selected: self.desk.call == call,
        })
    }

    /// Returns the number of shown positions of the set.
    pub fn positions(&self) -> usize {
        let all = self.played().map_or(0, |played| played.run.set.recordings.len());
        self.listed_positions().map_or(all, <[usize]>::len)
    }

    fn listed_positions(&self) -> Option<&'a [usize]> {
        self.played()?.positions_of(self.desk.listed?)
    }

    /// Returns the position of the set at this index among the shown ones.
    pub fn position_at(&self, place: usize) -> usize {
        let listed = self.listed_positions().and_then(|positions| positions.get(place));
        listed.copied().unwrap_or(place)
    }

    /// Returns the index of the position that answers the selected call.
    pub fn answering_place(&self) -> Option<usize> {
        let index = self.desk.selected()?.index()?;
        match self.listed_positions() {
            Some(positions) => positions.binary_search(&index).ok(),
            None => Some(index),
        }
    }

    /// Returns a position of the set as it is after the selected call.
    pub fn cell(&self, position: usize) -> Option<SetCell> {
        let played = self.played()?;
        let run = &played.run;
        let calls = run.served_in.get(position)?;
        let so_far = calls.partition_point(|call| *call <= self.desk.call);
        let before = run.before.used.get(position).copied().unwrap_or_default();
        let numbers = numbers(&calls[..so_far]);
        let calls = match (so_far, before) {
            (0, true) => "before".to_owned(),
            (0, false) => String::new(),
            (1, _) => format!("call {numbers}"),
            _ => format!("calls {numbers}"),
        };
        let call = run.calls.get(self.desk.call);
        Some(SetCell {
            usage: RecordingUse::new(so_far + usize::from(before)),
            answers: call.and_then(PlayedCall::index) == Some(position),
            next: call.is_some_and(|call| call.next == position),
            calls,
        })
    }

    /// Returns the findings about the whole run.
    pub fn tiles(&self) -> Vec<Tile> {
        let Some(played) = self.played().filter(|it| !it.run.calls.is_empty()) else {
            return Vec::new();
        };
        let tiles = played.findings().into_iter();
        tiles.map(|(finding, count)| finding_tile(played, finding, count)).collect()
    }
}

/// Returns the name of a request: its node, else its id, else its line.
fn request_name(request: &PlayedRequest) -> String {
    match request.origin {
        RequestOrigin::Log { line, .. } if request.node.is_none() => format!("line {line}"),
        _ => visible(request.label()).into_owned(),
    }
}

/// Returns where a request is made, or its name.
pub(super) fn request_place(request: &PlayedRequest) -> String {
    match request.node {
        Some(_) => format!("at {}", request_name(request)),
        None => request_name(request),
    }
}

/// Returns the name of a recording.
pub(super) fn recording_label(recorded: &SetRecording) -> String {
    visible(recorded.label()).into_owned()
}

/// Returns the response of a call of the other run.
fn answer_of(played: &PlaybackResult, other: &PlayedCall) -> String {
    let recordings = other.index();
    let recorded = recordings.and_then(|index| played.run.set.recordings.get(index));
    match recorded {
        Some(recorded) => {
            format!("{}, {}", recording_label(recorded), verdict_lowercase(&other.verdict))
        }
        None => other.verdict.to_string(),
    }
}

fn verdict_lowercase(verdict: &CallVerdict) -> String {
    crate::text::lower_first(&verdict.to_string())
}

/// Returns the label of a verdict.
pub(super) fn verdict_label(call: &PlayedCall) -> StatusLabel {
    let (icon, tone) = match &call.verdict {
        CallVerdict::Right => (icons::CIRCLE_CHECK, Tone::Good),
        CallVerdict::FirstOf(_) | CallVerdict::ByPosition(_) | CallVerdict::Unknown(_) => {
            (icons::TRIANGLE_ALERT, Tone::Warning)
        }
        CallVerdict::Wrong(_) => (icons::CIRCLE_X, Tone::Error),
        CallVerdict::Undefined | CallVerdict::Empty => (icons::CIRCLE_MINUS, Tone::Error),
        CallVerdict::None | CallVerdict::Breaks => (icons::OCTAGON_X, Tone::Error),
    };
    StatusLabel { icon, tone, text: call.verdict_label() }
}

/// Returns the tools that a request offers, as far as they are known.
fn tools_cell(request: &PlayedRequest) -> ToolsCell {
    match request.tools_known {
        ToolsKnown::Yes => ToolsCell::from_names(request.offered.iter().map(|name| &**name)),
        ToolsKnown::Count(count) => ToolsCell::from_text(counted(count, "tool", "tools")),
        ToolsKnown::No => ToolsCell::from_text("not in the log".to_owned()),
    }
}

/// Returns the label of a step.
pub(super) fn step_label(step: MatchStep, mode: PlaybackMode) -> StatusLabel {
    let (icon, tone, words) = match step {
        MatchStep::Signature => (icons::HASH, Tone::Plain, "By signature"),
        MatchStep::Sequential if mode == PlaybackMode::Sequential => {
            (icons::LIST_ORDERED, Tone::Plain, "By position")
        }
        MatchStep::Sequential => (icons::LIST_ORDERED, Tone::Warning, "By position"),
    };
    StatusLabel { icon, tone, text: words.to_owned() }
}

/// Returns the name of a mode.
pub(super) fn mode_name(mode: PlaybackMode) -> &'static str {
    match mode {
        PlaybackMode::Signature => "Signature",
        PlaybackMode::Sequential => "Sequential",
        PlaybackMode::Hybrid => "Hybrid",
    }
}

/// Returns the name of a client.
pub(super) fn client_name(client: PlaybackClient) -> &'static str {
    match client {
        PlaybackClient::Shipped => "Shipped, Node",
        PlaybackClient::Browser => "Shipped, browser",
        PlaybackClient::Documented => "Documented",
    }
}

/// Returns the compared parts of a call's request as JSON, as a starting point for editing.
pub(super) fn request_text(request: &PlayedRequest) -> String {
    let signature = request.signature();
    let text = |text: &str| serde_json::Value::from(text);
    let tools = request.offered.iter().map(|name| serde_json::json!({ "name": text(name) }));
    let message = serde_json::json!({ "role": "user", "content": "" });
    let messages = usize::try_from(signature.message_count).unwrap_or_default();
    let context = signature.context_keys.iter().map(|key| (key.to_string(), text("")));
    let request = serde_json::json!({
        "type": "llm_invocation_request",
        "context": context.collect::<serde_json::Map<_, _>>(),
        "messages": vec![message; messages.min(MESSAGES)],
        "tools": tools.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&request).unwrap_or_default()
}

/// Maximum number of messages of such a request.
const MESSAGES: usize = 200;

/// Returns the name of the mode and client of a run.
pub(super) fn rules_name(rules: PlaybackRules) -> String {
    format!("{}, {}", mode_name(rules.mode), client_name(rules.client))
}

/// Returns the first numbers of a list, counted from 1.
fn numbers(list: &[usize]) -> String {
    let shown = list.iter().take(NUMBERS).map(|at| (at + 1).to_string());
    let shown = shown.collect::<Vec<_>>().join(", ");
    match list.len().saturating_sub(NUMBERS) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

fn finding_tile(played: &PlaybackResult, finding: PlayFinding, count: usize) -> Tile {
    let calls = || match played.calls_of(finding).unwrap_or_default() {
        [call] => format!("call {}", call + 1),
        calls => format!("calls {}", numbers(calls)),
    };
    let positions = || match played.positions_of(finding).unwrap_or_default() {
        [position] => format!("position {}", position + 1),
        positions => format!("positions {}", numbers(positions)),
    };
    let (icon, tone, words, short, none) = match finding {
        PlayFinding::FellBack => (
            icons::LIST_ORDERED,
            Tone::Warning,
            "fell back to position",
            "by position",
            "none by position",
        ),
        PlayFinding::Unanswered => {
            let icon = icons::OCTAGON_X;
            (icon, Tone::Error, "got no answer", "unanswered", "all are answered")
        }
        PlayFinding::ServedTwice => {
            let icon = icons::REPEAT_2;
            (icon, Tone::Warning, "served twice", "served twice", "each at most once")
        }
        PlayFinding::SharedSignature => {
            let icon = icons::COPY;
            (icon, Tone::Warning, "ambiguous", "ambiguous", "at most one match")
        }
        PlayFinding::NeverUsed => {
            (icons::CIRCLE, Tone::Plain, "never used", "never used", "all are used")
        }
        PlayFinding::Undefined => {
            let icon = icons::CIRCLE_MINUS;
            (icon, Tone::Error, "would be undefined", "undefined", "all are wrapped")
        }
        PlayFinding::Differs => {
            let icon = icons::EQUAL_NOT;
            (icon, Tone::Note, "answered differently", "differ", "both answer the same")
        }
    };
    let detail = match (count, finding) {
        (0, _) => none.to_owned(),
        (_, PlayFinding::SharedSignature) => "file order decides".to_owned(),
        (_, PlayFinding::ServedTwice | PlayFinding::NeverUsed) => positions(),
        _ => calls(),
    };
    Tile {
        finding,
        icon,
        tone: if count == 0 { Tone::Plain } else { tone },
        count: thousands(count),
        label: words,
        short_label: short,
        detail,
    }
}
