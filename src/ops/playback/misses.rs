//! Why recordings do not answer a call: those that differ least first.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::comparison::Comparison;
use super::player::compared_keys;
use super::{Asked, Client, MessagesKnown, Origin, Recorded, Run, TypeError};
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
    /// What is against it, in the order tools, messages, context keys, use; empty when it would match
    /// and another one came first.
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
            let used = USED * usize::from(was_used(run, index, call).is_some());
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

/// How much each difference weighs. Context keys say least about whether an answer fits, tools most.
const TOOL: usize = 4;
const MESSAGES: usize = 3;
const USED: usize = 2;
const KEYS: usize = 1;
const NEVER: usize = 1 << 20;

fn distance(recorded: &Recorded, asked: &Asked, client: Client) -> usize {
    let Comparison::Like(own) = &recorded.comparison else {
        return NEVER;
    };
    let wanted = &asked.likeness;
    let tools = match differing(&own.names, &wanted.names) {
        0 => usize::from(own.names != wanted.names),
        tools => tools * TOOL,
    };
    let is_unknown = matches!(
        asked.origin,
        Origin::Log {
            messages: MessagesKnown::No,
            ..
        }
    );
    let messages = match own.messages.abs_diff(wanted.messages) {
        0 => 0,
        _ if is_unknown => 0,
        apart => MESSAGES + (apart as usize).min(MESSAGES),
    };
    let (own_keys, wanted_keys) = compared_keys(recorded, asked, client);
    tools + messages + KEYS * usize::from(own_keys != wanted_keys)
}

fn differences(recorded: &Recorded, asked: &Asked, client: Client) -> Vec<Reason> {
    let own = match &recorded.comparison {
        Comparison::Never(why) => return vec![Reason::Never(why)],
        Comparison::Breaks(error) | Comparison::BreaksWhenAlike(_, error) => {
            return vec![Reason::Breaks(*error)];
        }
        Comparison::Like(own) => own,
    };
    let wanted = &asked.likeness;
    let mut reasons = Vec::new();
    if own.names != wanted.names {
        let (missing, extra) = apart(&wanted.names, &own.names);
        reasons.push(Reason::ToolNames { missing, extra });
    }
    if own.messages != wanted.messages {
        reasons.push(Reason::MessageCount {
            expected: wanted.messages,
            actual: own.messages,
        });
    }
    let (own, wanted) = compared_keys(recorded, asked, client);
    if own != wanted {
        let named = |keys: &[Arc<str>]| -> Vec<Name> { keys.iter().cloned().map(Some).collect() };
        let (missing, extra) = apart(&named(wanted), &named(own));
        reasons.push(Reason::ContextKeys { missing, extra });
    }
    reasons
}

/// `None` for a tool without a name.
type Name = Option<Arc<str>>;

fn order(a: &Name, b: &Name) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => utf16_order(a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// What only the first has, and what only the second has; names that stand twice count twice.
fn apart(first: &[Name], second: &[Name]) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let (mut only_first, mut only_second) = (Vec::new(), Vec::new());
    walk(first, second, |side, name| {
        let name = name.clone().unwrap_or_else(|| "undefined".into());
        match side {
            Ordering::Less => only_first.push(name),
            _ => only_second.push(name),
        }
    });
    (only_first, only_second)
}

/// How many names only one of the two has.
fn differing(first: &[Name], second: &[Name]) -> usize {
    if first == second {
        return 0;
    }
    let mut count = 0;
    walk(first, second, |_, _| count += 1);
    count
}

/// Visits what only one of two lists has: `Less` for the first.
fn walk(first: &[Name], second: &[Name], mut only: impl FnMut(Ordering, &Name)) {
    let (first, second) = (sorted(first), sorted(second));
    let (mut a, mut b) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let side = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => order(a, b),
        };
        match side {
            Ordering::Equal => {
                a.next();
                b.next();
            }
            Ordering::Less => a.next().into_iter().for_each(|name| only(side, name)),
            Ordering::Greater => b.next().into_iter().for_each(|name| only(side, name)),
        }
    }
}

/// The names in order: they are, unless somebody stored them otherwise.
fn sorted(names: &[Name]) -> Cow<'_, [Name]> {
    match names.is_sorted_by(|a, b| order(a, b).is_le()) {
        true => Cow::Borrowed(names),
        false => {
            let mut names = names.to_vec();
            names.sort_by(order);
            Cow::Owned(names)
        }
    }
}

impl Miss {
    /// What is against it in a few words: `2 missing, 1 extra tool, used`.
    pub fn short(&self) -> String {
        let parts: Vec<String> = self.reasons.iter().map(Reason::short).collect();
        match parts.is_empty() {
            true => "would match".to_owned(),
            false => parts.join(", "),
        }
    }

    /// The smallest change that would make it match, as a sentence; several where one isn't enough.
    pub fn change(&self) -> String {
        let mut reasons = self.reasons.iter();
        if let Some(reason) = reasons.find(|reason| reason.needs_recording()) {
            // Recorded again, all else is right as well.
            return reason.change();
        }
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

    /// Whether no edit helps: what was asked is another thing.
    pub fn needs_recording(&self) -> bool {
        match self {
            Self::ToolNames { missing, extra } => missing.len() > 1 || extra.len() > 1,
            Self::MessageCount { .. } => true,
            _ => false,
        }
    }

    /// The smallest change that removes the reason, as a sentence.
    pub fn change(&self) -> String {
        match self {
            Self::ToolNames { missing, extra } => match (&missing[..], &extra[..]) {
                ([], []) => "Compute its signature again.".to_owned(),
                ([new], [old]) => format!("Rename {} to {}.", visible(old), visible(new)),
                ([new], []) => format!("Add {} to its tools.", visible(new)),
                ([], [old]) => format!("Remove {} from its tools.", visible(old)),
                _ => "Record it again with the tools that are offered now.".to_owned(),
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
