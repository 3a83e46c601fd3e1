//! Why recordings do not answer a call: those that differ least first.

use std::sync::Arc;

use super::comparison::Comparison;
use super::player::compared_keys;
use super::{Asked, Client, Recorded, Run, TypeError};
use crate::ops::diff::{counted, listed};
use crate::ops::signature::utf16_order;
use crate::text::visible;

/// The recordings that do not answer a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The nearest ones.
    pub nearest: Vec<Miss>,
    /// How many there are in all.
    pub count: usize,
}

/// A recording that does not answer a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Its position in the set.
    pub index: usize,
    /// What is against it, in the order tools, messages, context keys, use; empty when an earlier one was taken.
    pub reasons: Vec<Reason>,
    /// How much differs: what ranks misses. Only good for comparing.
    pub distance: usize,
}

/// What is against a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Other tools.
    ToolNames {
        /// Tools that the request offers and the recording has not.
        missing: Vec<Arc<str>>,
        /// Tools that the recording has and the request does not offer. Where both lists are empty, the same names are
        /// stored in another order.
        extra: Vec<Arc<str>>,
    },
    /// Another count of messages.
    MessageCount {
        /// Of the request.
        expected: u64,
        /// Of the recording.
        actual: u64,
    },
    /// Other context keys.
    ContextKeys {
        /// Keys that the client computes for the request and the recording has not.
        missing: Vec<Arc<str>>,
        /// Keys that the recording has and the client does not compute.
        extra: Vec<Arc<str>>,
    },
    /// It was used.
    Used {
        /// By this call; `None` when it was used before the first one, as a log says.
        call: Option<usize>,
    },
    /// It matches nothing; why, as a sentence without a full stop.
    Never(&'static str),
    /// The client ends when it looks at it.
    Breaks(TypeError),
}

impl Misses {
    /// So many more than those that are listed.
    pub fn left_off(&self) -> usize {
        self.count - self.nearest.len()
    }
}

/// Which recordings are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Those that do not answer the call.
    Others,
    /// All: the one that answers by position did not match either.
    All,
}

pub(super) fn misses(run: &Run, call: usize, among: Among, limit: usize) -> Misses {
    let Some(at) = run.calls.get(call) else {
        return Misses::default();
    };
    let served = at.index().filter(|_| among == Among::Others);
    let recordings = run.set.recordings.iter().enumerate();
    let others = recordings.filter(|(index, _)| Some(*index) != served);
    let mut ranked: Vec<(usize, usize)> = others
        .map(|(index, recorded)| {
            let used = usize::from(was_used(run, index, call).is_some());
            (
                distance(recorded, &at.asked, run.rules.client) + used,
                index,
            )
        })
        .collect();
    let count = ranked.len();
    let limit = limit.min(count);
    if limit < count {
        ranked.select_nth_unstable(limit);
        ranked.truncate(limit);
    }
    ranked.sort_unstable();
    let nearest = ranked.into_iter().map(|(distance, index)| {
        let recorded = &run.set.recordings[index];
        let mut reasons = differences(recorded, &at.asked, run.rules.client);
        reasons.extend(was_used(run, index, call).map(|call| Reason::Used { call }));
        Miss {
            index,
            reasons,
            distance,
        }
    });
    Misses {
        nearest: nearest.collect(),
        count,
    }
}

/// Whether a recording was used before a call, and by which one.
fn was_used(run: &Run, recording: usize, call: usize) -> Option<Option<usize>> {
    if let Some(call) = run.used_in(recording, call) {
        return Some(Some(call));
    }
    let before = run.before.used.get(recording).copied().unwrap_or_default();
    before.then_some(None)
}

/// How much another tool, another count of messages and a recording that can't be read weigh against a context key and
/// against being used: those say least about whether an answer fits.
const TOOL: usize = 4;
const MESSAGES: usize = 3;
const KEYS: usize = 2;
const NEVER: usize = 1 << 20;

fn distance(recorded: &Recorded, asked: &Asked, client: Client) -> usize {
    let (own, wanted) = (recorded.signature(), asked.signature());
    let tools = differing(&own.tool_names, &wanted.tool_names);
    let same_order = own.tool_names == wanted.tool_names;
    let tools = match (tools, same_order) {
        (0, false) => 1,
        (tools, _) => tools * TOOL,
    };
    let messages = match own.message_count.abs_diff(wanted.message_count) {
        0 => 0,
        apart => MESSAGES + (apart as usize).min(MESSAGES),
    };
    let (own_keys, wanted_keys) = compared_keys(recorded, asked, client);
    let keys = if own_keys == wanted_keys { 0 } else { KEYS };
    let never = match recorded.comparison {
        Comparison::Like(_) => 0,
        _ => NEVER,
    };
    tools + messages + keys + never
}

fn differences(recorded: &Recorded, asked: &Asked, client: Client) -> Vec<Reason> {
    match &recorded.comparison {
        Comparison::Never(why) => return vec![Reason::Never(why)],
        Comparison::Breaks(error) | Comparison::BreaksWhenAlike(_, error) => {
            return vec![Reason::Breaks(*error)];
        }
        Comparison::Like(_) => {}
    }
    let (own, wanted) = (recorded.signature(), asked.signature());
    let mut reasons = Vec::new();
    if own.tool_names != wanted.tool_names {
        let (missing, extra) = apart(&wanted.tool_names, &own.tool_names);
        reasons.push(Reason::ToolNames { missing, extra });
    }
    if own.message_count != wanted.message_count {
        reasons.push(Reason::MessageCount {
            expected: wanted.message_count,
            actual: own.message_count,
        });
    }
    let (own, wanted) = compared_keys(recorded, asked, client);
    if own != wanted {
        let (missing, extra) = apart(wanted, own);
        reasons.push(Reason::ContextKeys { missing, extra });
    }
    reasons
}

fn sorted(names: &[Arc<str>]) -> Vec<&Arc<str>> {
    let mut names: Vec<_> = names.iter().collect();
    if !names.is_sorted_by(|a, b| utf16_order(a, b).is_le()) {
        names.sort_by(|a, b| utf16_order(a, b));
    }
    names
}

/// What only the first has, and what only the second has; names that stand twice count twice.
fn apart(first: &[Arc<str>], second: &[Arc<str>]) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let (mut only_first, mut only_second) = (Vec::new(), Vec::new());
    walk(first, second, |side, name| match side {
        std::cmp::Ordering::Less => only_first.push(Arc::clone(name)),
        _ => only_second.push(Arc::clone(name)),
    });
    (only_first, only_second)
}

/// How many names only one of the two has.
fn differing(first: &[Arc<str>], second: &[Arc<str>]) -> usize {
    if first == second {
        return 0;
    }
    let mut count = 0;
    walk(first, second, |_, _| count += 1);
    count
}

/// Visits what only one of two lists has: `Less` for the first.
fn walk(
    first: &[Arc<str>],
    second: &[Arc<str>],
    mut only: impl FnMut(std::cmp::Ordering, &Arc<str>),
) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (first, second) = (sorted(first), sorted(second));
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(_), None) => Less,
            (None, Some(_)) => Greater,
            (Some(a), Some(b)) => utf16_order(a, b),
        };
        match order {
            Equal => {
                a.next();
                b.next();
            }
            Less => a.next().into_iter().for_each(|name| only(Less, name)),
            Greater => b.next().into_iter().for_each(|name| only(Greater, name)),
        }
    }
}

impl Miss {
    /// What is against it in a few words: `2 missing, 1 extra tool, used`.
    pub fn short(&self) -> String {
        let parts: Vec<String> = self.reasons.iter().map(Reason::short).collect();
        match parts.is_empty() {
            true => "an earlier one was taken".to_owned(),
            false => parts.join(", "),
        }
    }

    /// The smallest change that would make it match, as a sentence; several where one isn't enough.
    pub fn change(&self) -> String {
        let changes: Vec<String> = self.reasons.iter().map(Reason::change).collect();
        changes.join(" ")
    }
}

impl Reason {
    /// The word in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::ToolNames { .. } => "tool-names",
            Self::MessageCount { .. } => "message-count",
            Self::ContextKeys { .. } => "context-keys",
            Self::Used { .. } => "used",
            Self::Never(_) => "never",
            Self::Breaks(_) => "breaks",
        }
    }

    /// In a few words.
    pub fn short(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (missing.len(), extra.len()) {
                (0, 0) => "tools in another order".to_owned(),
                (0, extra) => counted(extra, "extra tool", "extra tools"),
                (missing, 0) => counted(missing, "missing tool", "missing tools"),
                (missing, extra) => {
                    let extra = counted(extra, "extra tool", "extra tools");
                    format!("{missing} missing, {extra}")
                }
            },
            Self::MessageCount { expected, actual } => {
                format!("{}, not {expected}", messages(*actual))
            }
            Self::ContextKeys { .. } => "context keys".to_owned(),
            Self::Used { call: Some(call) } => format!("used by call {}", call + 1),
            Self::Used { call: None } => "used".to_owned(),
            Self::Never(_) => "matches nothing".to_owned(),
            Self::Breaks(_) => "ends the client".to_owned(),
        }
    }

    /// What is against it, with all names, as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (missing.is_empty(), extra.is_empty()) {
                (true, true) => "It stores the same tools in another order".to_owned(),
                (false, true) => format!("It lacks {}", names(missing)),
                (true, false) => format!("It has {} besides", names(extra)),
                (false, false) => format!("It lacks {} and has {}", names(missing), names(extra)),
            },
            Self::MessageCount { expected, actual } => {
                format!("It has {}, the request {expected}", messages(*actual))
            }
            Self::ContextKeys { missing, extra } if missing.is_empty() => format!(
                "It stores the context keys {}, and the client computes none for the request",
                names(extra)
            ),
            Self::ContextKeys { missing, extra } => match extra.is_empty() {
                true => format!("It has no context keys, the request has {}", names(missing)),
                false => format!(
                    "Its context keys lack {} and have {}",
                    names(missing),
                    names(extra)
                ),
            },
            Self::Used { call: Some(call) } => format!("Call {} used it", call + 1),
            Self::Used { call: None } => "It was used before".to_owned(),
            Self::Never(why) => (*why).to_owned(),
            Self::Breaks(error) => format!("The client ends here with {error}"),
        }
    }

    /// The smallest change that removes the reason, as a sentence.
    pub fn change(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (&missing[..], &extra[..]) {
                ([], []) => "Compute its signature again.".to_owned(),
                ([new], [old]) => format!("Rename {} to {}.", visible(old), visible(new)),
                (missing, []) => format!("Add {} to its tools.", names(missing)),
                ([], extra) => format!("Remove {} from its tools.", names(extra)),
                _ => "Record it again: its tools are others.".to_owned(),
            },
            Self::MessageCount { expected, .. } => {
                format!("Record it again with {}.", messages(*expected))
            }
            Self::ContextKeys { extra, .. } if !extra.is_empty() => {
                "Drop its stored context keys.".to_owned()
            }
            Self::ContextKeys { .. } => "Compute its signature again.".to_owned(),
            Self::Used { .. } => "Duplicate it for a second call.".to_owned(),
            Self::Never(_) => "Compute its signature again.".to_owned(),
            Self::Breaks(_) => {
                "Add what is missing, or take the file out of the folder.".to_owned()
            }
        }
    }
}

fn messages(count: u64) -> String {
    counted(count as usize, "message", "messages")
}

fn names(names: &[Arc<str>]) -> String {
    let names: Vec<_> = names.iter().map(|name| visible(name)).collect();
    listed(&names)
}
