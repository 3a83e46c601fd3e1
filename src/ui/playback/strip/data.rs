//! Texts of the strip.

use crate::ops::playback::{CallBlock, PlayedCall, PlayedRequest, ToolsKnown};
use crate::text::{counted, thousands, visible};
use crate::ui::icons;
use crate::ui::playback::data::{RecordingUse, SetCell, recording_label};
use crate::ui::strip::seconds;
use crate::workbench::PlaybackResult;

/// How many tools are named.
const TOOLS: usize = 2;

/// Returns the name of a lane.
pub(super) fn lane_name(played: &PlaybackResult, lane: usize) -> String {
    let lanes = &played.strip.lanes;
    match lanes.get(lane).and_then(|lane| lane.node.as_deref()) {
        Some(node) => visible(node).into_owned(),
        None if lanes.len() > 1 => "no node".to_owned(),
        None => "calls".to_owned(),
    }
}

/// Returns the name of a block for screen readers: `Call 3, escalate, 2.9 s, wrong answer`.
pub(super) fn block_name(played: &PlaybackResult, number: usize, is_played: bool) -> String {
    let (Some(block), Some(call)) = (
        played.strip.blocks.get(number),
        played.run.calls.get(number),
    ) else {
        return String::new();
    };
    let outcome = if is_played {
        call.verdict_label().to_lowercase()
    } else {
        "not played yet".to_owned()
    };
    let lane = lane_name(played, block.lane);
    let start = seconds(block.time.from_nanos);
    format!("Call {}, {lane}, {start}, {outcome}", number + 1)
}

/// Returns the tool that the answer of a call calls first, without the prefix that an icon stands for; empty if there is none.
pub(super) fn called_tool(played: &PlaybackResult, call: &PlayedCall) -> String {
    let recorded = call
        .index()
        .and_then(|index| played.run.set.recordings.get(index));
    let tool = recorded.and_then(|recorded| recorded.calls.first());
    tool.map_or_else(String::new, |tool| short_tool(tool))
}

/// Returns the name of a tool without the prefix that an icon stands for.
pub(super) fn short_tool(name: &str) -> String {
    visible(icons::short_tool(name)).into_owned()
}

/// Returns the tools that a request offers: two by name, and how many more there are.
pub(super) fn offered(request: &PlayedRequest) -> String {
    match request.tools_known {
        ToolsKnown::Yes if request.offered.is_empty() => "no tools".to_owned(),
        ToolsKnown::Yes => {
            let named = request.offered.iter().take(TOOLS);
            let named: Vec<String> = named.map(|tool| short_tool(tool)).collect();
            match request.offered.len().saturating_sub(TOOLS) {
                0 => named.join(", "),
                more => format!("{} +{more}", named.join(", ")),
            }
        }
        ToolsKnown::Count(count) => counted(count, "tool", "tools"),
        ToolsKnown::No => "not in the log".to_owned(),
    }
}

/// Returns the latency of a call.
pub(super) fn latency(block: &CallBlock) -> String {
    if block.is_measured {
        format!("{} as recorded", seconds(block.time.nanos()))
    } else {
        "not recorded".to_owned()
    }
}

/// Returns the name of a recording's cell for screen readers.
pub(super) fn cell_name(played: &PlaybackResult, position: usize, cell: &SetCell) -> String {
    let recorded = played.run.set.recordings.get(position);
    let label = recorded.map(recording_label).unwrap_or_default();
    let usage = match cell.usage {
        RecordingUse::Unused => "not used",
        RecordingUse::Used => "used",
        RecordingUse::Reused => "served twice",
    };
    let calls = if cell.calls.is_empty() {
        String::new()
    } else {
        format!(", {}", cell.calls)
    };
    format!("Recording {}, {label}, {usage}{calls}", position + 1)
}

/// Returns how many calls are right, by file order and wrong, in words.
pub(in crate::ui::playback) fn counts(played: &PlaybackResult) -> [(usize, String); 3] {
    let [good, doubtful, bad] = played.strip.counts();
    let words = |count: usize, word: &str| (count, format!("{} {word}", thousands(count)));
    [
        words(good, "right"),
        words(doubtful, "by file order"),
        words(bad, "wrong"),
    ]
}
