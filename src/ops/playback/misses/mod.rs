//! Why recordings do not answer a call: those that differ least first.

mod words;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::comparison::{Comparison, Likeness};
use super::player::compared_keys;
use super::{Asked, Call, Client, MessagesKnown, Origin, Recorded, Run, ToolsKnown, TypeError};
use crate::ops::signature::utf16_order;

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
    /// Another count of messages than that of the request, which a log does not print.
    OtherCount {
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

/// How many requests a ranking keeps the distances of: tests ask the same again and again.
const KEPT: usize = 64;

/// Ranks the recordings that do not answer the calls of a run. What was computed for a request serves for each that is
/// alike.
#[derive(Debug)]
pub struct Ranking<'r> {
    run: &'r Run,
    distances: HashMap<(&'r Likeness, &'r Origin), Vec<usize>>,
}

impl<'r> Ranking<'r> {
    /// Starts with nothing computed.
    pub fn new(run: &'r Run) -> Self {
        Self {
            run,
            distances: HashMap::new(),
        }
    }

    /// The nearest recordings that do not answer a call, so many at most.
    pub fn misses(&mut self, call: usize, limit: usize) -> Misses {
        self.among(call, Among::Others, limit)
    }

    pub(super) fn among(&mut self, call: usize, among: Among, limit: usize) -> Misses {
        let run = self.run;
        let is_known = |at: &&Call| at.asked.tools_known == ToolsKnown::Yes;
        let Some(at) = run.calls.get(call).filter(is_known) else {
            return Misses::default();
        };
        let served = at.index().filter(|_| among == Among::Others);
        let distances = self.distances(&at.asked).iter().enumerate();
        let others = distances.filter(|(index, _)| Some(*index) != served);
        let mut ranked: Vec<(usize, usize)> = others
            .map(|(index, distance)| {
                let used = USED * usize::from(was_used(run, index, call).is_some());
                (distance + used, index)
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

    /// How much each recording differs from a request, use left aside.
    fn distances(&mut self, asked: &'r Asked) -> &[usize] {
        if self.distances.len() >= KEPT {
            self.distances.clear();
        }
        let kind = match &asked.origin {
            // Only for a log it matters where a request comes from.
            log @ Origin::Log { .. } => log,
            _ => &Origin::File,
        };
        let run = self.run;
        let compute = || {
            let recordings = run.set.recordings.iter();
            let client = run.rules.client;
            recordings
                .map(|recorded| distance(recorded, asked, client))
                .collect()
        };
        self.distances
            .entry((&asked.likeness, kind))
            .or_insert_with(compute)
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
    let is_unknown = asked.messages_known() == MessagesKnown::No;
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
        let actual = own.messages;
        reasons.push(match asked.messages_known() {
            MessagesKnown::Yes => Reason::MessageCount {
                expected: wanted.messages,
                actual,
            },
            MessagesKnown::No => Reason::OtherCount { actual },
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
    if names.is_sorted_by(|a, b| order(a, b).is_le()) {
        Cow::Borrowed(names)
    } else {
        let mut names = names.to_vec();
        names.sort_by(order);
        Cow::Owned(names)
    }
}
