//! The error messages of clients.

use super::{
    CallOutcome, PlaybackClient, PlaybackRules, PlayedRequest, PlayerState, RecordingSet,
    ResponseShape, SetRecording,
};

/// The first line of the error of a client that finds no recording.
const NO_MATCH: &str = "❌ No matching recording found for request";

/// Returns the first line of [`error_text`], without listing the recordings.
pub(super) fn error_line(
    set: &RecordingSet,
    rules: PlaybackRules,
    request: &PlayedRequest,
    outcome: &CallOutcome,
) -> Option<String> {
    if *outcome == CallOutcome::NoMatch && rules.client != PlaybackClient::Browser {
        // The client fails while it lists the set, so that error replaces the whole message.
        let unlisted = set.recordings.iter().find_map(SetRecording::listing_error);
        return Some(unlisted.map_or(NO_MATCH.to_owned(), |error| error.to_string()));
    }
    let text = error_text(set, rules, request, outcome, PlayerState::default)?;
    text.lines().next().map(str::to_owned)
}

/// Returns the error message of a client; `None` if it does not fail. `state` is its state before the call.
pub fn error_text(
    set: &RecordingSet,
    rules: PlaybackRules,
    request: &PlayedRequest,
    outcome: &CallOutcome,
    state: impl FnOnce() -> PlayerState,
) -> Option<String> {
    let total = set.recordings.len();
    match outcome {
        CallOutcome::Served(served) => match served.response {
            ResponseShape::Breaks(error) => Some(error.to_string()),
            ResponseShape::Answer | ResponseShape::Undefined => None,
        },
        CallOutcome::Breaks { error, .. } => Some(error.to_string()),
        CallOutcome::Skipped => None,
        CallOutcome::PastEnd { .. } if rules.client == PlaybackClient::Browser => None,
        CallOutcome::PastEnd { index } => Some(format!(
            "LLM invoked but no recording available (index: {index}, total: {total}). \
             This machine requires LLM interaction but recordings are missing."
        )),
        CallOutcome::NoMatch if rules.client == PlaybackClient::Browser => {
            Some(format!("No matching recording found. Tools: {}", request.offered.join(", ")))
        }
        // Only this message needs the state, which is computed by going through the calls before.
        CallOutcome::NoMatch => Some(no_match(set, request, &state())),
    }
}

/// Lists the request, and every recording with its signature and whether it is used. A file that lacks a printed value
/// makes the client fail there.
fn no_match(set: &RecordingSet, request: &PlayedRequest, state: &PlayerState) -> String {
    // A tool without a name counts.
    let names = request.match_key.names.iter();
    let names: Vec<&str> = names.map(|name| name.as_deref().unwrap_or_default()).collect();
    let mut lines = vec![
        NO_MATCH.to_owned(),
        String::new(),
        "Current Request:".to_owned(),
        format!("  Tools ({}): {}", names.len(), names.join(", ")),
        format!("  Message count: {}", request.match_key.messages),
        String::new(),
        "Available Recordings:".to_owned(),
    ];
    for (index, recording) in set.recordings.iter().enumerate() {
        let is_used = state.used.get(index).copied().unwrap_or_default();
        match recording.listing() {
            Ok(listing) => {
                let used_mark = if is_used { " (USED)" } else { "" };
                lines.push(format!("  [{index}] {}{used_mark}", listing.id));
                lines.push(format!("      Tools: {}", listing.tools));
                lines.push(format!("      Messages: {}", listing.messages));
            }
            Err(error) => return error.to_string(),
        }
    }
    lines.extend(TROUBLESHOOTING.map(str::to_owned));
    lines.push(format!("  Recordings directory: {}", set.folder));
    lines.join("\n")
}

/// The client's advice.
const TROUBLESHOOTING: [&str; 6] = [
    "",
    "Troubleshooting:",
    "  1. Regenerate recordings if source file changed",
    "  2. Check that tool names match exactly",
    "  3. Use matchingMode: \"hybrid\" for backward compatibility",
    "",
];
