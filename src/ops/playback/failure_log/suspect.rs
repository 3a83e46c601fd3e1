//! From a failure to its set, and to the recording to look at first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Failure, What};
use crate::format::Kind;
use crate::ops::Item;
use crate::ops::playback::comparison::Comparison;
use crate::ops::playback::{Client, Mode, Recorded, Rules, Run, Set, State};
use crate::text::quoted;

/// The recording that is suspected first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its position in the set.
    pub index: usize,
    /// Why, as a sentence with its full stop.
    pub why: String,
}

/// What points to a folder.
#[derive(Default)]
struct Traces {
    recordings: usize,
    /// How many of its recordings the failure names.
    named: usize,
    /// Whether a recording offers the tool that was not found.
    has_tool: bool,
}

impl Failure {
    /// What was used before the failure: the recordings with the ids that are marked or were served; without ids, those
    /// at the marked places.
    pub fn state(&self, set: &Set) -> State {
        let mut used = vec![false; set.recordings.len()];
        let marked: Vec<_> = match &self.what {
            What::NoMatch { available, .. } if !available.is_empty() => {
                let marked = available.iter().filter(|one| one.used);
                marked.map(|one| (one.id.as_ref(), one.index)).collect()
            }
            _ => {
                let served = self.served.iter();
                served.map(|id| (Some(id), usize::MAX)).collect()
            }
        };
        for (id, index) in marked {
            let has_id = |recorded: &Recorded| id.is_some() && recorded.id.as_ref() == id;
            let at = set.recordings.iter().position(has_id).unwrap_or(index);
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        }
        let next = match self.what {
            What::PastEnd { index, .. } => index,
            _ => 0,
        };
        State { used, next }
    }

    /// How the set differs from the one that the log lists, as a sentence; `None` when it doesn't, or the log lists none.
    pub fn changed_since(&self, set: &Set) -> Option<String> {
        let (then, now) = match &self.what {
            What::NoMatch { available, .. } if !available.is_empty() => {
                (available.len(), set.recordings.len())
            }
            What::PastEnd { total, .. } => (*total, set.recordings.len()),
            _ => return None,
        };
        (then != now)
            .then(|| format!("The log tells of {then} recordings, and the set has {now} now."))
    }

    /// The folder of the set that a failure is of, among the folders of these items; `None` when nothing points to one, or
    /// as much to another.
    pub fn set_among<'a>(&self, items: impl Iterator<Item = &'a Item>) -> Option<&'a str> {
        let mut sets: BTreeMap<&str, Traces> = BTreeMap::new();
        for item in items.filter(|item| item.kind == Kind::Recording) {
            let traces = sets.entry(item.folder()).or_default();
            traces.recordings += 1;
            traces.named += usize::from(item.id.as_deref().is_some_and(|id| self.names(id)));
            let tools = item.signature.iter().flat_map(|it| it.tool_names.iter());
            traces.has_tool |= tools.into_iter().any(|tool| self.is_about(tool));
        }
        let scored = sets
            .iter()
            .map(|(folder, traces)| (self.score(folder, traces), *folder));
        let mut scored: Vec<_> = scored.filter(|(score, _)| *score > 0).collect();
        scored.sort_unstable();
        match scored[..] {
            [.., (second, _), (first, folder)] if first > second => Some(folder),
            [(_, folder)] => Some(folder),
            _ => None,
        }
    }

    fn names(&self, id: &str) -> bool {
        let listed = match &self.what {
            What::NoMatch { available, .. } => &available[..],
            _ => &[],
        };
        let mut listed = listed.iter().filter_map(|one| one.id.as_deref());
        listed.any(|listed| listed == id) || self.served.iter().any(|served| &**served == id)
    }

    fn is_about(&self, tool: &str) -> bool {
        matches!(&self.what, What::ToolNotFound { tool: lost } if **lost == *tool)
    }

    /// How much points to a folder.
    fn score(&self, folder: &str, traces: &Traces) -> usize {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_there = |directory: &Arc<str>| ends_alike(directory, folder);
        let total = match &self.what {
            What::NoMatch { available, .. } => available.len(),
            What::PastEnd { total, .. } => *total,
            What::ToolNotFound { .. } => 0,
        };
        let mut score = 100 * usize::from(self.directory.as_ref().is_some_and(is_there));
        score += 10 * traces.named.min(8);
        score += 40 * usize::from(!name.is_empty() && self.context.contains(name));
        score += 4 * usize::from(traces.has_tool);
        score + usize::from(total > 0 && total == traces.recordings)
    }

    /// The recording of a set to look at first; `None` when nothing is suspicious.
    pub fn suspect(&self, set: &Arc<Set>) -> Option<Suspect> {
        match &self.what {
            What::NoMatch { asked, .. } => {
                let rules = Rules {
                    mode: Mode::Signature,
                    client: Client::Shipped,
                };
                let asked = vec![Arc::clone(asked)];
                let run = Run::resume(Arc::clone(set), rules, self.state(set), asked);
                if let Some(index) = run.calls.first()?.index() {
                    let why = "It answers this request now: something changed since.".to_owned();
                    return Some(Suspect { index, why });
                }
                let nearest = run.misses(0, 1).nearest.pop()?;
                let reasons: Vec<_> = nearest.reasons.iter().map(|it| it.sentence()).collect();
                Some(Suspect {
                    index: nearest.index,
                    why: format!("It differs least. {}.", reasons.join(". ")),
                })
            }
            What::ToolNotFound { tool } => self.caller(tool, set),
            What::PastEnd { .. } => past_end(set),
        }
    }

    /// The recording whose answer called the tool: the one served last, else one that never offered it, else the first.
    fn caller(&self, tool: &str, set: &Set) -> Option<Suspect> {
        let calls = |recorded: &&Recorded| recorded.calls.iter().any(|call| **call == *tool);
        let callers = set.recordings.iter().enumerate();
        let callers: Vec<_> = callers.filter(|(_, recorded)| calls(recorded)).collect();
        let offers = |recorded: &Recorded| recorded.offered().iter().any(|name| **name == *tool);
        let was_last = callers.iter().find(|(_, recorded)| {
            self.served.last().is_some() && self.served.last() == recorded.id.as_ref()
        });
        let never_offered = || callers.iter().find(|(_, recorded)| !offers(recorded));
        let tool = quoted(tool);
        let (found, why) = match (was_last, never_offered()) {
            (Some(found), _) => (
                found,
                format!("It was served last, and its answer calls {tool}."),
            ),
            (None, Some(found)) => (
                found,
                format!("Its answer calls {tool}, which its own request doesn't offer."),
            ),
            (None, None) => (callers.first()?, format!("Its answer calls {tool}.")),
        };
        Some(Suspect {
            index: found.0,
            why,
        })
    }
}

/// Calls came after the last recording: some matched none and took others by position, or there were more than recorded.
fn past_end(set: &Set) -> Option<Suspect> {
    let never = set
        .recordings
        .iter()
        .position(|recorded| match &recorded.comparison {
            Comparison::Like(likeness) => recorded.is_stored && !likeness.keys.is_empty(),
            _ => true,
        });
    if let Some(index) = never {
        let why = "It matches no request of a shipped client, so calls that it should answer use up others by position.";
        return Some(Suspect {
            index,
            why: why.to_owned(),
        });
    }
    let index = set.recordings.len().checked_sub(1)?;
    let why = "There were more calls than recordings; the one after this is missing.".to_owned();
    Some(Suspect { index, why })
}

/// Whether two paths have the same last folders, as many as the shorter one has. Machines differ in what is above.
fn ends_alike(directory: &str, folder: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path
            .split(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).rev().collect()
    };
    let (a, b) = (parts(directory), parts(folder));
    let shared = a.len().min(b.len());
    shared > 0 && a[..shared] == b[..shared]
}
