//! Plays requests one by one, as a client does.

use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::comparison::{Comparison, Likeness, TypeError};
use super::{Asked, Client, Handed, Mode, Recorded, Rules, Set, ToolsKnown};

/// A client at work: it finds by an index of signatures, in time that does not grow with the set.
#[derive(Debug)]
pub struct Player<'a> {
    set: &'a Set,
    rules: Rules,
    state: State,
    queues: Vec<Queue>,
    by_likeness: HashMap<Key<'a>, usize>,
    /// For each recording the queue it waits in, if any request can match it.
    queue_of: Vec<Option<usize>>,
    /// Those that end the client, in order.
    breaks: Line,
    /// Those that end the client when the tools and the count of messages are equal.
    breaks_when_alike: Vec<Line>,
    by_half: HashMap<(&'a Names, u64), usize>,
}

/// What a client keeps from call to call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// For each recording of the set whether it was served.
    pub used: Vec<bool>,
    /// The position that the next sequential step takes.
    pub next: usize,
}

/// By which step a recording was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Its signature is that of the request.
    Signature,
    /// It was next.
    Sequential,
}

/// The result of choosing an answer for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A recording was found.
    Served(Served),
    /// No unused recording has the signature: the client ends with an error.
    NoMatch,
    /// All recordings are used up: the client ends with an error; the one for browsers goes on with an empty answer.
    PastEnd {
        /// The position that was next.
        index: usize,
    },
    /// It is not certain that the call is made, and no unused recording has its signature: nothing is played.
    Skipped,
    /// The client ends when it looks at this recording.
    Breaks {
        /// Its position.
        index: usize,
        /// How.
        error: TypeError,
    },
}

/// The recording that answers a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its position in the set.
    pub index: usize,
    /// How it was found.
    pub step: Step,
    /// Of how many unused recordings with this signature it was the first, if their answers differ; else 1.
    pub first_of: usize,
    /// What the client hands out.
    pub handed: Handed,
}

type Names = [Option<Arc<str>>];

/// What is compared: tools, count of messages, context keys.
type Key<'a> = (&'a Names, u64, &'a [Arc<str>]);

fn key(likeness: &Likeness, keys: ContextKeys) -> Key<'_> {
    let keys = match keys {
        ContextKeys::Compared => &*likeness.keys,
        ContextKeys::NeverComputed => &[],
    };
    (&likeness.names, likeness.messages, keys)
}

#[derive(Clone, Copy)]
enum ContextKeys {
    Compared,
    NeverComputed,
}

/// What a client compares of a recording's context keys.
fn keys_of(recorded: &Recorded, client: Client) -> ContextKeys {
    if recorded.is_stored || client.computes_context_keys() {
        ContextKeys::Compared
    } else {
        ContextKeys::NeverComputed
    }
}

/// What a client compares of a request's context keys.
fn asked_keys(client: Client) -> ContextKeys {
    if client.computes_context_keys() {
        ContextKeys::Compared
    } else {
        ContextKeys::NeverComputed
    }
}

/// The context keys of a recording and of a request, as a client compares them.
pub(super) fn compared_keys<'a>(
    recorded: &'a Recorded,
    asked: &'a Asked,
    client: Client,
) -> (&'a [Arc<str>], &'a [Arc<str>]) {
    let own = match &recorded.comparison {
        Comparison::Like(likeness) => key(likeness, keys_of(recorded, client)).2,
        _ => &recorded.signature().context_keys,
    };
    (own, key(&asked.likeness, asked_keys(client)).2)
}

/// Positions in order; those in front that are used are passed for good.
#[derive(Debug, Default)]
struct Line {
    members: Vec<usize>,
    passed: usize,
}

impl Line {
    fn first_unused(&mut self, used: &[bool]) -> Option<usize> {
        let waiting = &self.members[self.passed..];
        let is_used = |index: &&usize| used.get(**index).copied().unwrap_or_default();
        self.passed += waiting.iter().take_while(is_used).count();
        self.members.get(self.passed).copied()
    }

    fn has_unused(&self, used: &[bool]) -> bool {
        let mut waiting = self.members[self.passed..].iter();
        waiting.any(|index| !used.get(*index).copied().unwrap_or_default())
    }
}

/// The recordings with one signature.
#[derive(Debug, Default)]
struct Queue {
    line: Line,
    /// How many are unused.
    unused: usize,
    /// How many of these have which answer.
    answers: HashMap<u64, usize>,
}

impl<'a> Player<'a> {
    /// Starts with nothing used.
    pub fn new(set: &'a Set, rules: Rules) -> Self {
        let count = set.recordings.len();
        let mut player = Self {
            set,
            rules,
            state: State {
                used: vec![false; count],
                next: 0,
            },
            queues: Vec::new(),
            by_likeness: HashMap::new(),
            queue_of: vec![None; count],
            breaks: Line::default(),
            breaks_when_alike: Vec::new(),
            by_half: HashMap::new(),
        };
        for (index, recorded) in set.recordings.iter().enumerate() {
            player.index(index, recorded);
        }
        player
    }

    /// Goes on from a state.
    pub fn resume(set: &'a Set, rules: Rules, state: &State) -> Self {
        let mut player = Self::new(set, rules);
        player.state.next = state.next;
        for (index, _) in state.used.iter().enumerate().filter(|(_, used)| **used) {
            player.mark_used(index);
        }
        player
    }

    fn index(&mut self, index: usize, recorded: &'a Recorded) {
        match &recorded.comparison {
            Comparison::Never(_) => {}
            Comparison::Breaks(_) => self.breaks.members.push(index),
            Comparison::BreaksWhenAlike(likeness, _) => {
                let number = *self.by_half.entry(half(likeness)).or_insert_with(|| {
                    self.breaks_when_alike.push(Line::default());
                    self.breaks_when_alike.len() - 1
                });
                self.breaks_when_alike[number].members.push(index);
            }
            Comparison::Like(likeness) => {
                let key = key(likeness, keys_of(recorded, self.rules.client));
                let number = *self.by_likeness.entry(key).or_insert_with(|| {
                    self.queues.push(Queue::default());
                    self.queues.len() - 1
                });
                let queue = &mut self.queues[number];
                queue.line.members.push(index);
                queue.unused += 1;
                *queue.answers.entry(recorded.answer).or_default() += 1;
                self.queue_of[index] = Some(number);
            }
        }
    }

    /// What is kept.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How it plays.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Whether an unused recording has the signature of a request.
    pub fn finds(&self, asked: &Asked) -> bool {
        let queue = self
            .by_likeness
            .get(&key(&asked.likeness, asked_keys(self.rules.client)));
        asked.tools_known == ToolsKnown::Yes
            && queue.is_some_and(|queue| self.queues[*queue].line.has_unused(&self.state.used))
    }

    /// Plays one call. One that may not be made at all takes only a recording with its signature.
    pub fn play(&mut self, asked: &Asked) -> Outcome {
        if asked.uncertain.is_some()
            && (self.rules.mode == Mode::Sequential || !matches!(self.find(asked), Some(Ok(_))))
        {
            return Outcome::Skipped;
        }
        if self.rules.mode != Mode::Sequential {
            match self.find(asked) {
                Some(Ok(index)) => return self.serve(index, Step::Signature),
                Some(Err((index, error))) => return Outcome::Breaks { index, error },
                None if self.rules.mode == Mode::Signature => return Outcome::NoMatch,
                None => {}
            }
        }
        let index = self.state.next;
        if index >= self.set.recordings.len() {
            return Outcome::PastEnd { index };
        }
        self.state.next += 1;
        self.serve(index, Step::Sequential)
    }

    /// The first unused recording that matches, unless the client ends before it comes there.
    fn find(&mut self, asked: &Asked) -> Option<Result<usize, (usize, TypeError)>> {
        let used = &self.state.used;
        let is_known = asked.tools_known == ToolsKnown::Yes;
        let key = key(&asked.likeness, asked_keys(self.rules.client));
        let queue = self.by_likeness.get(&key).copied().filter(|_| is_known);
        let found = queue.and_then(|queue| self.queues[queue].line.first_unused(used));
        let alike = self.by_half.get(&half(&asked.likeness)).copied();
        let alike = alike.filter(|_| is_known);
        let breaks = [
            self.breaks.first_unused(used),
            alike.and_then(|line| self.breaks_when_alike[line].first_unused(used)),
        ];
        let breaks = breaks.into_iter().flatten().min();
        match (found, breaks) {
            (None, None) => None,
            (Some(found), None) => Some(Ok(found)),
            (Some(found), Some(breaks)) if found.cmp(&breaks) == Ordering::Less => Some(Ok(found)),
            (_, Some(breaks)) => match self.set.recordings.get(breaks)?.comparison {
                Comparison::Breaks(error) | Comparison::BreaksWhenAlike(_, error) => {
                    Some(Err((breaks, error)))
                }
                _ => None,
            },
        }
    }

    fn serve(&mut self, index: usize, step: Step) -> Outcome {
        let first_of = match (step, self.queue_of.get(index).copied().flatten()) {
            (Step::Signature, Some(queue)) if self.queues[queue].answers.len() > 1 => {
                self.queues[queue].unused
            }
            _ => 1,
        };
        self.mark_used(index);
        Outcome::Served(Served {
            index,
            step,
            first_of,
            handed: self.set.recordings[index].handed,
        })
    }

    fn mark_used(&mut self, index: usize) {
        let Some(used) = self.state.used.get_mut(index) else {
            return;
        };
        if std::mem::replace(used, true) {
            return;
        }
        let Some(queue) = self.queue_of[index] else {
            return;
        };
        let (queue, answer) = (&mut self.queues[queue], self.set.recordings[index].answer);
        queue.unused -= 1;
        if let Some(count) = queue.answers.get_mut(&answer) {
            *count -= 1;
            if *count == 0 {
                queue.answers.remove(&answer);
            }
        }
    }
}

/// What is compared first: tools and count of messages.
fn half(likeness: &Likeness) -> (&Names, u64) {
    (&likeness.names, likeness.messages)
}

/// What is compared of a recording; `None` when nothing can match it.
pub(super) fn recorded_key(recorded: &Recorded, client: Client) -> Option<Key<'_>> {
    match &recorded.comparison {
        Comparison::Like(likeness) => Some(key(likeness, keys_of(recorded, client))),
        _ => None,
    }
}

/// What is compared of a request.
pub(super) fn asked_key(asked: &Asked, client: Client) -> Key<'_> {
    key(&asked.likeness, asked_keys(client))
}
