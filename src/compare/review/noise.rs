//! Differences that any two takes have and that say nothing: times, ids, durations, hashes.

use std::fmt;

use foldhash::{HashMap, HashMapExt as _, HashSet};

use super::structure::{ChangeKind, ValueDifference};
use super::subject::ChangeSubject;
use calls::stable::is_content;
use calls::tape::verify::{DifferenceKind, ignore};
use document::text::counted;
use document::{Node, NodeKind};

/// Reason that a difference is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IgnoreReason {
    /// A date or time.
    Time,
    /// A generated id that is different in the new take, in the same way everywhere.
    Id,
    /// A duration.
    Duration,
    /// A hash, which says only that something else changed.
    Hash,
    /// A header of an HTTP message, or the length of its body.
    Header,
    /// Number of tokens that a call used.
    Usage,
    /// Data that a program reports about itself in a body, with new ids each time.
    Telemetry,
    /// A rule of the project, by its place in the list.
    Rule(usize),
}

impl IgnoreReason {
    /// Returns a number of differences with this reason, such as `2 timestamps`.
    pub fn counted(self, count: usize) -> String {
        match self {
            Self::Time => counted(count, "timestamp", "timestamps"),
            Self::Id => counted(count, "ID", "IDs"),
            Self::Duration => counted(count, "duration", "durations"),
            Self::Hash => counted(count, "hash", "hashes"),
            Self::Header => counted(count, "header", "headers"),
            Self::Usage => counted(count, "token count", "token counts"),
            Self::Telemetry => counted(count, "telemetry value", "telemetry values"),
            Self::Rule(_) => format!("{count} by rules in retake.toml"),
        }
    }
}

impl fmt::Display for IgnoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Id => "id",
            Self::Duration => "duration",
            Self::Hash => "hash",
            Self::Header => "header",
            Self::Usage => "usage",
            Self::Telemetry => "telemetry",
            Self::Rule(_) => "rule",
        })
    }
}

/// For each difference why it is noise, if it is. `is_message_content` holds for each whether it is in the content of a message; see [`is_message_content`].
pub(super) fn find_noise(
    differences: &[ValueDifference<'_>],
    is_message_content: &[bool],
) -> Vec<Option<IgnoreReason>> {
    let reason = |(change, is_within): (&_, &bool)| noise_reason(change).filter(|_| !is_within);
    let mut reasons: Vec<_> = differences.iter().zip(is_message_content).map(reason).collect();
    let ids = |reasons: &[Option<IgnoreReason>]| {
        let all = differences.iter().zip(reasons);
        let ids = all.filter(|(_, reason)| **reason == Some(IgnoreReason::Id));
        let texts =
            ids.filter_map(|(d, _)| Some([d.nodes[0]?, d.nodes[1]?].map(Node::scalar_text)));
        texts.collect::<Vec<_>>()
    };
    // These ids are also given outside the content of messages.
    let given_ids: HashSet<&str> = ids(&reasons).into_iter().flatten().flatten().collect();
    for ((change, is_message_content), reason) in
        differences.iter().zip(is_message_content).zip(&mut reasons)
    {
        if *is_message_content {
            *reason = given_id_within(change, &given_ids);
        }
    }
    let mut names = [HashMap::new(), HashMap::new()];
    let mut others = Vec::new();
    for [old, new] in ids(&reasons) {
        let [there, back] = &mut names;
        // An id that became two, or two that became one, is no mere name: it refers to something else.
        if *there.entry(old).or_insert(new) != new || *back.entry(new).or_insert(old) != old {
            others.extend([old, new]);
        }
    }
    let is_true = |change: &ValueDifference<'_>| {
        let texts = change.nodes.map(|node| node.and_then(Node::scalar_text));
        !texts.iter().any(|text| others.contains(text))
    };
    let kept_reason = |(change, reason): (&_, Option<IgnoreReason>)| {
        reason.filter(|reason| *reason != IgnoreReason::Id || is_true(change))
    };
    differences.iter().zip(reasons).map(kept_reason).collect()
}

/// Returns whether a value is a part of what the model says or is sent, as text or as arguments: dates and ids in it say something.
/// `is_in_text`: whether it is in a text that is JSON.
pub(super) fn is_message_content(subject: ChangeSubject, node: Node<'_>, is_in_text: bool) -> bool {
    use ChangeSubject::{Answer, Message, OfferedTool, Prompt, Reasoning, ToolCall, ToolResponse};
    // The id of the call is beside the response, and is no content.
    let is_result = |node: Node<'_>| {
        matches!(node.parent().and_then(Node::key), Some("functionResponse" | "function_response"))
            && node.key() == Some("response")
    };
    let around = |is: fn(Node<'_>) -> bool| node.ancestors().any(is);
    let is_conversation = matches!(
        subject,
        Prompt | Message | OfferedTool | ToolCall | Answer | Reasoning | ToolResponse
    );
    let key = node.key().unwrap_or_default();
    let is_named = ignore::names_id(key) || ignore::names_date(key);
    around(is_content) || is_conversation && (!is_named || is_in_text || around(is_result))
}

/// Returns the reason of two texts that differ in ids only, which a service gives: those with its prefix, and those in `ids`.
fn given_id_within(difference: &ValueDifference<'_>, ids: &HashSet<&str>) -> Option<IgnoreReason> {
    let (ChangeKind::Changed, [Some(old), Some(new)]) = (difference.kind, difference.nodes) else {
        return None;
    };
    let [old, new] = [old.as_str()?, new.as_str()?];
    let is_whole = ids.contains(old) && ids.contains(new);
    let is_given = |id: &str| ignore::prefix_len(id) > 0 || ids.contains(id);
    let masked_text = |text| ignore::masked_ids(text, &is_given);
    (is_whole || masked_text(old) == masked_text(new)).then_some(IgnoreReason::Id)
}

fn noise_reason(difference: &ValueDifference<'_>) -> Option<IgnoreReason> {
    let (ChangeKind::Changed, [Some(old), Some(new)]) = (difference.kind, difference.nodes) else {
        return None;
    };
    let key = old.key().unwrap_or_default();
    let are_both = |is: &dyn Fn(Node<'_>) -> bool| is(old) && is(new);
    let texts = old.as_str().zip(new.as_str());
    let is_number = |node: Node<'_>| node.kind() == NodeKind::Number;
    let is_time = |node: Node<'_>| {
        let is_date = node.scalar_text().is_some_and(ignore::is_date);
        // A number under such a name is seconds or milliseconds since 1970.
        is_date || ignore::names_date(key) && is_number(node)
    };
    let is_length = |node: Node<'_>| {
        // Such as `1.75s`, as go-vcr writes it.
        let is_text = |text: &str| text.parse::<jiff::SignedDuration>().is_ok();
        is_number(node) || node.scalar_text().is_some_and(is_text)
    };
    let is_given = |node: Node<'_>| is_reference(node) || is_given(node);
    if are_both(&is_time) {
        Some(IgnoreReason::Time)
    } else if ignore::names_duration(key) && are_both(&is_length) {
        Some(IgnoreReason::Duration)
    } else if are_both(&is_given) {
        Some(IgnoreReason::Id)
    } else if are_both(&is_hash) || is_size_of_hashed(old) && are_both(&is_number) {
        Some(IgnoreReason::Hash)
    } else {
        texts.and_then(|(old, new)| noise_within_text(old, new))
    }
}

/// Returns the times and ids that are all that differs within two texts.
fn noise_within_text(old: &str, new: &str) -> Option<IgnoreReason> {
    let ((old, kind), (new, _)) = (ignore::masked(old), ignore::masked(new));
    let kind = kind.filter(|_| old == new)?;
    Some(if kind == DifferenceKind::Date { IgnoreReason::Time } else { IgnoreReason::Id })
}

/// Returns whether a value names a request or a tool call within its take.
fn is_reference(node: Node<'_>) -> bool {
    const CALL_ID_KEYS: [&str; 4] =
        ["functionCall", "function_call", "functionResponse", "function_response"];
    let parent = node.parent();
    let is_call = || {
        let kind = parent.and_then(|parent| parent.get("type")?.as_str());
        let list = parent.and_then(|parent| parent.parent()?.key());
        kind.is_some_and(|kind| kind == "function" || kind.ends_with("tool_use"))
            || matches!(list, Some("tool_calls" | "toolCalls"))
            || parent.and_then(Node::key).is_some_and(|key| CALL_ID_KEYS.contains(&key))
    };
    match node.key() {
        // The keys of DyGram, Anthropic, Bedrock Converse and OpenAI; the last one is camel case.
        Some("requestId" | "tool_use_id" | "toolUseId" | "tool_call_id" | "toolCallId") => true,
        // By its place, since ids of Gemini and Mistral are too short to be recognised by their form.
        Some("id") => is_call(),
        _ => false,
    }
}

/// Returns whether a value is an id as services give them. Ids that people choose say something.
fn is_given(node: Node<'_>) -> bool {
    let text = node.as_str().unwrap_or_default();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_long = text.len() >= 16 && digits >= 4 && !text.contains(char::is_whitespace);
    let names_id = node.key().is_some_and(ignore::names_id);
    ignore::is_id(text) || names_id && is_long
}

fn is_hash(node: Node<'_>) -> bool {
    let text = node.as_str().unwrap_or_default();
    // MD5 has 32 digits, the fewest of the common hashes.
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_size_of_hashed(node: Node<'_>) -> bool {
    // In DyGram's `sourceMetadata`: another text of the source has another hash, and mostly another size.
    let has_hash = |parent: Node<'_>| parent.get("contentHash").is_some();
    node.key() == Some("fileSize") && node.parent().is_some_and(has_hash)
}
