//! Verdicts: whether a recorded answer depends on what changed in its request.

use std::collections::{HashMap, HashSet};

use super::DriftVerdict;
use calls::reading::all_calls;
use compare::review::{ChangeKind, ChangeSubject, IgnoreReason, TakeChange, TakeValue};
use document::call::CallFacts;
use document::{Document, text};

/// Fields of a request itself that say who calls, and how the call is billed, cached, logged or reported.
const ACCOUNTING_FIELDS: [&str; 9] = [
    "user",
    "metadata",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "store",
    "service_tier",
    "stream_options",
    "labels",
];

/// Marks of what is cached, at any place of a request.
const CACHE_FIELDS: [&str; 2] = ["cache_control", "cachePoint"];

/// Fields that limit the tokens of an answer.
const LIMIT_FIELDS: [&str; 5] =
    ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"];

/// A recorded call and the request that it answered.
pub(super) struct AnsweredCall<'a> {
    pub(super) facts: &'a CallFacts,
    /// The request that was sent, as a cassette of one call.
    pub(super) sent: Option<&'a Document>,
}

/// The values that changed in earlier requests of a test, with their verdicts.
pub(super) type EarlierChanges = HashMap<[Option<Box<str>>; 2], DriftVerdict>;

/// Judges a change.
pub(super) fn verdict(
    change: &TakeChange,
    call: &AnsweredCall<'_>,
    earlier: &mut EarlierChanges,
) -> DriftVerdict {
    let json = |value: &Option<TakeValue>| value.as_ref().map(|value| value.json.clone());
    let values = [json(&change.old), json(&change.new)];
    // In a later request the message is one of the history.
    if let Some(verdict) = earlier.get(&values) {
        return *verdict;
    }
    let verdict = if is_harmless(change, call.facts) {
        DriftVerdict::Harmless
    } else if call.sent.is_some_and(|sent| is_of_test(change, sent)) {
        DriftVerdict::MatcherTooLoose
    } else {
        DriftVerdict::RecordAgain
    };
    if change.subject == ChangeSubject::Message {
        earlier.insert(values, verdict);
    }
    verdict
}

fn is_harmless(change: &TakeChange, facts: &CallFacts) -> bool {
    if change.ignored.is_some() || is_other_host(change) {
        return true;
    }
    let mut keys = change.pointer().split_once('#').map_or("", |(_, keys)| keys).split('/').skip(1);
    // Tools and messages may have such keys of their own.
    keys.clone().next().is_some_and(|key| ACCOUNTING_FIELDS.contains(&key))
        || keys.any(|key| CACHE_FIELDS.contains(&key))
        || is_unused_limit(change, facts)
}

/// Returns whether a change is of a limit that the recorded answer does not reach, neither then nor now.
fn is_unused_limit(change: &TakeChange, facts: &CallFacts) -> bool {
    if !is_limit(change) {
        return false;
    }
    let number = |value: &Option<TakeValue>| value.as_ref().map(|value| value.json.parse::<u64>());
    // Without a limit the answer may be as long as it wants.
    let is_above = |value: Option<Result<u64, _>>, used: u64| match value {
        Some(Ok(limit)) => limit > used,
        Some(Err(_)) => false,
        None => true,
    };
    facts.output_tokens.is_some_and(|used| {
        is_above(number(&change.old), used) && is_above(number(&change.new), used)
    })
}

fn is_limit(change: &TakeChange) -> bool {
    change.subject == ChangeSubject::Value && LIMIT_FIELDS.contains(&change.last_key())
}

/// Returns whether only scheme, host and port of an address differ.
fn is_other_host(change: &TakeChange) -> bool {
    let address = |value: &Option<TakeValue>| {
        value.as_ref().map(|value| after_host(&value.text()).to_owned())
    };
    change.pointer().ends_with("/request/uri") && address(&change.old) == address(&change.new)
}

/// Returns the path of an address with what is behind it.
pub(super) fn after_host(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + "://".len());
    url[start..].find('/').map_or("", |at| &url[start + at..])
}

/// Returns whether a change is of what the test is about: other facts in the last messages of the user or results of tools.
fn is_of_test(change: &TakeChange, sent: &Document) -> bool {
    let Some(at) = change.message().filter(|_| change.subject == ChangeSubject::Message) else {
        return false;
    };
    let calls = all_calls(sent);
    let request = calls.first().and_then(|call| call.document.body.request());
    let Some(request) = request else { return false };
    let is_answer = |at: &usize| text(&request.messages[*at].role) == Some("assistant");
    let last_answer = (0..request.messages.len()).rev().find(is_answer);
    if last_answer.is_some_and(|last| at <= last) {
        return false;
    }
    let is_scalar = |value: &Option<TakeValue>| {
        value.as_ref().is_none_or(|value| !value.json.starts_with(['{', '[']))
    };
    let is_value =
        change.kind == ChangeKind::Changed && is_scalar(&change.old) && is_scalar(&change.new);
    is_value && !matches!(change.last_key(), "role" | "type" | "name") && !change.is_rewording()
}

/// Returns the reason for the verdict of a cause, from its changes with the positions of their requests.
pub(super) fn reason<'c>(
    verdict: DriftVerdict,
    changes: impl Iterator<Item = (usize, &'c TakeChange)>,
    used_tokens: &HashMap<usize, u64>,
) -> String {
    let changes: Vec<(usize, &TakeChange)> = changes.collect();
    let subject = changes.first().map(|(_, change)| change.subject);
    let is_all = |is: &dyn Fn(&TakeChange) -> bool| changes.iter().all(|(_, change)| is(change));
    let used = changes.iter().map(|(at, _)| used_tokens.get(at));
    let longest = used.collect::<Option<Vec<&u64>>>().and_then(|all| all.into_iter().max());
    match verdict {
        DriftVerdict::MatcherTooLoose => {
            "The last message says something else, and the recording answers it all the same"
                .to_owned()
        }
        DriftVerdict::RecordAgain if is_all(&is_limit) => match longest {
            Some(used) => format!("The longest recorded answer has {used} tokens"),
            None => "The tokens of the recorded answers are not known".to_owned(),
        },
        DriftVerdict::RecordAgain => match subject {
            Some(ChangeSubject::OfferedTool) => "The model is offered other tools",
            Some(ChangeSubject::Prompt) => "The model gets another system prompt",
            Some(ChangeSubject::Message) => "The model gets other messages",
            Some(ChangeSubject::Model) => "Another model answers",
            _ => "The answer may depend on this value",
        }
        .to_owned(),
        DriftVerdict::Harmless if is_all(&is_limit) => match longest {
            Some(used) => format!("The longest recorded answer has {used} tokens"),
            None => verdict.describe().to_owned(),
        },
        DriftVerdict::Harmless => {
            let reasons: HashSet<Option<IgnoreReason>> =
                changes.iter().map(|(_, change)| change.ignored).collect();
            match reasons.iter().collect::<Vec<_>>()[..] {
                [Some(IgnoreReason::Rule(_))] => "A rule in retake.toml ignores it".to_owned(),
                [Some(IgnoreReason::Header)] => "A header that no answer depends on".to_owned(),
                [Some(IgnoreReason::Time | IgnoreReason::Id)] => "A time or an id".to_owned(),
                [None] if is_all(&is_other_host) => "Only the host differs".to_owned(),
                _ => verdict.describe().to_owned(),
            }
        }
    }
}
