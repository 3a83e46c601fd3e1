//! The words in which clients end.

use std::sync::Arc;

use super::{Asked, Client, Handed, Outcome, Recorded, Rules, Set, State};

/// What the client for browsers hands out past the end.
pub const EMPTY_ANSWER: &str = "Playback: No recording available";

/// The text of the error with which a client ends; `None` where it goes on. `state` is what it kept before the call.
pub fn error_text(
    set: &Set,
    rules: Rules,
    asked: &Asked,
    outcome: &Outcome,
    state: impl FnOnce() -> State,
) -> Option<String> {
    let total = set.recordings.len();
    match outcome {
        Outcome::Served(served) => match served.handed {
            Handed::Breaks(error) => Some(error.to_string()),
            Handed::Answer | Handed::Undefined => None,
        },
        Outcome::Breaks { error, .. } => Some(error.to_string()),
        Outcome::PastEnd { .. } if rules.client == Client::Browser => None,
        Outcome::PastEnd { index } => Some(format!(
            "LLM invoked but no recording available (index: {index}, total: {total})"
        )),
        Outcome::NoMatch if rules.client == Client::Browser => Some(format!(
            "No matching recording found. Tools: {}",
            asked.offered.join(", ")
        )),
        Outcome::NoMatch => Some(no_match(set, asked, &state())),
    }
}

/// The request, and every recording with its signature and whether it is used.
fn no_match(set: &Set, asked: &Asked, state: &State) -> String {
    let wanted = asked.signature();
    let mut lines = vec![
        "No matching recording found for request".to_owned(),
        String::new(),
        "Current Request:".to_owned(),
        format!(
            "  Tools ({}): {}",
            wanted.tool_names.len(),
            wanted.tool_names.join(", ")
        ),
        format!("  Message count: {}", wanted.message_count),
        String::new(),
        "Available Recordings:".to_owned(),
    ];
    for (index, recorded) in set.recordings.iter().enumerate() {
        let used = state.used.get(index).copied().unwrap_or_default();
        lines.extend(entry(index, recorded, used));
    }
    lines.push(String::new());
    lines.push(format!("  Recordings directory: {}", set.folder));
    lines.join("\n")
}

fn entry(index: usize, recorded: &Recorded, used: bool) -> [String; 3] {
    let own = recorded.signature();
    let id: Arc<str> = recorded.id.clone().unwrap_or_else(|| "undefined".into());
    let used = if used { " (USED)" } else { "" };
    [
        format!("  [{index}] {id}{used}"),
        format!("      Tools: {}", own.tool_names.join(", ")),
        format!("      Messages: {}", own.message_count),
    ]
}
