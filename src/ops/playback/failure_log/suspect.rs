//! Finds the set of a failure, and the recording to look at first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FailureKind, LoggedFailure, MismatchKind};
use crate::format::FileKind;
use crate::ops::Item;
use crate::ops::playback::comparison::ClientComparison;
use crate::ops::playback::{
    PlaybackClient, PlaybackMode, PlaybackRules, PlaybackRun, PlayerState, RecordingSet,
    SetRecording,
};
use crate::text::{counted, quoted};

/// The most likely cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its position in the set.
    pub index: usize,
    /// The reason, as a sentence with its full stop.
    pub why: String,
}

/// A folder that a log may belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFolder {
    /// From the project root.
    pub folder: Arc<str>,
    /// The evidence, as the end of a sentence: `the log names its folder`.
    pub why: String,
}

/// The set that a log belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetOfLog {
    /// There is no evidence for any set.
    Unknown,
    /// This one has the most evidence.
    One(FoundFolder),
    /// These have the same evidence.
    Several(Vec<FoundFolder>),
}

/// Evidence for a folder.
#[derive(Default)]
struct FolderTraces {
    recordings: usize,
    /// Number of its recordings that the failure mentions.
    named: usize,
    /// Whether a recording offers the tool that was not found.
    has_tool: bool,
    /// Whether a recording offers a tool that the log names as recorded.
    has_recorded: bool,
}

impl LoggedFailure {
    /// Returns the state before the failure: used are the recordings with marked or served ids; without ids, those at
    /// the marked positions.
    pub(super) fn state(&self, set: &RecordingSet) -> PlayerState {
        let mut used = vec![false; set.recordings.len()];
        let marked: Vec<_> = match &self.kind {
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                let marked = available.iter().filter(|one| one.used);
                marked.map(|one| (one.id.as_ref(), one.index)).collect()
            }
            _ => {
                let served = self.served();
                served.map(|id| (Some(id), usize::MAX)).collect()
            }
        };
        for (id, index) in marked {
            let has_id = |recorded: &SetRecording| id.is_some() && recorded.id.as_ref() == id;
            let at = set.recordings.iter().position(has_id).unwrap_or(index);
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
        }
        PlayerState { used, next: 0 }
    }

    /// Returns the ids of recordings that were served before, in order.
    fn served(&self) -> impl DoubleEndedIterator<Item = &Arc<str>> {
        self.calls.iter().filter_map(|call| call.id.as_ref())
    }

    /// Describes how the set differs from the one in the log, as a sentence; `None` if it does not, or the log lists
    /// none.
    pub fn changed_since(&self, set: &RecordingSet) -> Option<String> {
        let (then, now) = match &self.kind {
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                (available.len(), set.recordings.len())
            }
            _ => (self.total()?, set.recordings.len()),
        };
        (then != now).then(|| {
            let then = counted(then, "recording", "recordings");
            format!("The log shows {then}, but the set now has {now}.")
        })
    }

    /// Returns the number of recordings in the log.
    fn total(&self) -> Option<usize> {
        match &self.kind {
            FailureKind::PastEnd { total, .. } => Some(*total),
            FailureKind::NoMatch { available, .. } if !available.is_empty() => {
                Some(available.len())
            }
            _ => {
                let mut positions = self.calls.iter().filter_map(|call| call.position);
                Some(positions.next()?.1)
            }
        }
    }

    /// Finds the set of a failure among the folders of these items.
    pub fn set_among<'a>(&self, items: impl Iterator<Item = &'a Item>) -> SetOfLog {
        let mut sets: BTreeMap<&str, FolderTraces> = BTreeMap::new();
        for item in items.filter(|item| item.kind == FileKind::Recording) {
            let traces = sets.entry(item.folder()).or_default();
            traces.recordings += 1;
            traces.named += usize::from(item.id.as_deref().is_some_and(|id| self.names(id)));
            let tools = item.signature.iter().flat_map(|it| it.tool_names.iter());
            for tool in tools {
                traces.has_tool |= self.is_about(tool);
                traces.has_recorded |= self.is_recorded(tool);
            }
        }
        let scored = sets
            .iter()
            .map(|(folder, traces)| (self.score(folder, traces), *folder));
        let scored: Vec<_> = scored.collect();
        let most = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
        if most == 0 {
            return SetOfLog::Unknown;
        }
        let best = scored.iter().filter(|(score, _)| *score == most);
        let found = best.map(|(_, folder)| FoundFolder {
            folder: (*folder).into(),
            why: self.why(folder, &sets[folder]),
        });
        let mut found: Vec<FoundFolder> = found.collect();
        match found.len() {
            1 => SetOfLog::One(found.remove(0)),
            _ => SetOfLog::Several(found),
        }
    }

    fn names(&self, id: &str) -> bool {
        let listed = match &self.kind {
            FailureKind::NoMatch { available, .. } => &available[..],
            _ => &[],
        };
        let mut listed = listed.iter().filter_map(|one| one.id.as_deref());
        listed.any(|listed| listed == id) || self.served().any(|served| **served == *id)
    }

    fn is_about(&self, tool: &str) -> bool {
        matches!(&self.kind, FailureKind::ToolNotFound { tool: lost } if **lost == *tool)
    }

    /// Returns whether the log lists a tool as one of a recording that answered.
    fn is_recorded(&self, tool: &str) -> bool {
        let mismatches = self.calls.iter().flat_map(|call| &call.mismatches);
        let mut kinds = mismatches.map(|mismatch| &mismatch.kind);
        kinds.any(|kind| matches!(kind, MismatchKind::Name { recorded, .. } if **recorded == *tool))
    }

    /// Returns whether the test name contains the folder's name; if it is not known, whether the lines before the failure do.
    fn is_in_test(&self, folder: &str) -> bool {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        contains_word(self.test.as_ref().unwrap_or(&self.context), name)
    }

    /// Returns the amount of evidence for a folder.
    fn score(&self, folder: &str, traces: &FolderTraces) -> usize {
        let shared = self.directory.as_ref();
        let shared = shared.map_or(0, |directory| shared_parts(directory, folder));
        let mut score = 100 * usize::from(shared > 0) + shared.min(9);
        score += 10 * traces.named.min(8);
        score += 40 * usize::from(self.is_in_test(folder));
        score += 4 * usize::from(traces.has_tool || traces.has_recorded);
        score + usize::from(self.total() == Some(traces.recordings))
    }

    /// Returns the strongest evidence for a folder, as the end of a sentence.
    fn why(&self, folder: &str, traces: &FolderTraces) -> String {
        let directory = self.directory.as_ref();
        if directory.is_some_and(|directory| shared_parts(directory, folder) > 0) {
            return "the log names its folder".to_owned();
        }
        if traces.named > 0 {
            let named = counted(traces.named, "recording", "recordings");
            return format!("it has {named} that the log mentions");
        }
        if self.is_in_test(folder) {
            return "the test is named after it".to_owned();
        }
        if traces.has_tool || traces.has_recorded {
            return "it has a tool that the log mentions".to_owned();
        }
        "it has as many recordings as the log reports".to_owned()
    }

    /// Returns the recording to look at first; `None` if nothing is suspicious.
    pub fn suspect(&self, set: &Arc<RecordingSet>) -> Option<Suspect> {
        match &self.kind {
            FailureKind::NoMatch { request, .. } => {
                let rules = PlaybackRules {
                    mode: PlaybackMode::Signature,
                    client: PlaybackClient::Shipped,
                };
                let request = vec![Arc::clone(request)];
                let run = PlaybackRun::resume(Arc::clone(set), rules, self.state(set), request);
                if let Some(index) = run.calls.first()?.index() {
                    let why = "It matches this request now, so something changed since the log was written.".to_owned();
                    return Some(Suspect { index, why });
                }
                let nearest = run.misses(0, 1).nearest.pop()?;
                let reasons: Vec<_> = nearest.reasons.iter().map(|it| it.sentence()).collect();
                Some(Suspect {
                    index: nearest.index,
                    why: format!("It is the closest match. {}.", reasons.join(". ")),
                })
            }
            FailureKind::ToolNotFound { tool } => self.caller(tool, set),
            FailureKind::PastEnd { .. } => past_end(set),
            FailureKind::Run { .. } => None,
        }
    }

    /// Returns the recording whose answer called the tool: the one served last, else one that never offered it, else
    /// the first.
    fn caller(&self, tool: &str, set: &RecordingSet) -> Option<Suspect> {
        let calls = |recorded: &&SetRecording| recorded.calls.iter().any(|call| **call == *tool);
        let callers = set.recordings.iter().enumerate();
        let callers: Vec<_> = callers.filter(|(_, recorded)| calls(recorded)).collect();
        let offers =
            |recorded: &SetRecording| recorded.offered().iter().any(|name| **name == *tool);
        let was_last = callers.iter().find(|(_, recorded)| {
            let last = self.served().next_back();
            last.is_some() && last == recorded.id.as_ref()
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
                format!("Its answer calls {tool}, which its own request does not offer."),
            ),
            (None, None) => (callers.first()?, format!("Its answer calls {tool}.")),
        };
        Some(Suspect {
            index: found.0,
            why,
        })
    }
}

/// Explains calls after the last recording: some matched none and used others by position, or there were more than
/// recorded.
fn past_end(set: &RecordingSet) -> Option<Suspect> {
    let never = |recorded: &SetRecording| match &recorded.comparison {
        ClientComparison::Compared(match_key) => recorded.is_stored && !match_key.keys.is_empty(),
        _ => true,
    };
    if let Some(index) = set.recordings.iter().position(never) {
        let count = set.recordings.iter().filter(|it| never(it)).count();
        let (more, they) = match count {
            1 => (String::new(), "it"),
            count => (format!(" {} more do not match either.", count - 1), "they"),
        };
        let why = format!(
            "It matches no request of a shipped client.{more} Calls that {they} should answer use up other recordings by position."
        );
        return Some(Suspect { index, why });
    }
    let index = set.recordings.len().checked_sub(1)?;
    let why = "There were more calls than recordings; the recording after this one is missing."
        .to_owned();
    Some(Suspect { index, why })
}

/// Returns whether a text contains a name that is not part of a longer one.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        })
}

/// Returns how many trailing folders two paths share, if these are all of the shorter one. The folders above differ
/// between computers.
fn shared_parts(directory: &str, folder: &str) -> usize {
    let parts = |path: &str| -> Vec<String> {
        let parts = path
            .split(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).rev().collect()
    };
    let (a, b) = (parts(directory), parts(folder));
    let shared = a.len().min(b.len());
    if a[..shared] == b[..shared] {
        shared
    } else {
        0
    }
}
