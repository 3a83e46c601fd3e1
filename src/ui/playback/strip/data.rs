//! Texts of the strip.

use crate::ops::playback::strip_picture::seconds;
use crate::ops::playback::{CallBlock, PlayedRequest, ToolsKnown};
use crate::text::{counted, visible};
use crate::ui::icons;
use crate::ui::playback::data::{SetCell, recording_label};
use crate::workbench::PlaybackResult;

/// How many tools are named.
const TOOLS: usize = 2;

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
    let usage = cell.usage.label();
    let calls = if cell.calls.is_empty() { String::new() } else { format!(", {}", cell.calls) };
    format!("Recording {}, {label}, {usage}{calls}", position + 1)
}
