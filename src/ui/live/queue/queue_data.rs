//! State of the queue between frames, and its data, rebuilt when something changed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::inspector::{PrefixedToolName, RequestConversation, SectionsState};
use document::Document;
use document::text::visible;
use play::live::queue::REQUESTS;
use protocol::{FoundSets, NearRecording, RequestId};
use workbench::{
    AnswerDraft, PendingRequest, QueueDesk, RequestLogEntry, RequestOutcome, Workbench,
};

/// View state of the queue between frames.
#[derive(Default)]
pub(crate) struct QueueView {
    pub(super) data: QueueData,
    pub(super) sections: SectionsState,
    /// The focus request that was handled last.
    pub(super) focus: u64,
}

#[derive(Default)]
pub(super) struct QueueData {
    built: Option<u64>,
    /// The sets in which queues were looked for.
    sets: Arc<FoundSets>,
    /// Open queues that are not watched, by their paths from the project root.
    pub(super) unwatched: Vec<String>,
    pub(super) watched: Vec<WatchedLine>,
    /// The outcomes of requests, latest first.
    pub(super) log: Vec<LogLine>,
    /// The shown request.
    pub(super) request: Option<QueueRequestData>,
    /// The conversation of the shown request.
    conversation: Option<(RequestId, Arc<Document>, Arc<RequestConversation>)>,
}

/// A watched queue.
pub(super) struct WatchedLine {
    pub(super) folder: Arc<Path>,
    pub(super) name: String,
    pub(super) is_there: bool,
}

/// The outcome of a request.
pub(super) struct LogLine {
    pub(super) id: RequestId,
    pub(super) time: String,
    pub(super) label: String,
    pub(super) outcome: &'static str,
    pub(super) is_bad: bool,
    /// Subject of the outcome; may be empty.
    pub(super) tip: String,
}

pub(super) struct QueueRequestData {
    pub(super) id: RequestId,
    pub(super) conversation: Arc<RequestConversation>,
    pub(super) tools: Vec<PrefixedToolName>,
    /// The nearest recordings, if known, with their set.
    pub(super) nearest: Option<NearestData>,
    /// The matching rule, as written in the project's file.
    pub(super) rule: Option<String>,
}

/// The nearest recordings.
pub(super) struct NearestData {
    pub(super) set: String,
    /// The folders of all sets, with their names.
    pub(super) sets: Vec<(Arc<str>, String)>,
    pub(super) lines: Vec<NearestLine>,
}

/// One of the nearest recordings.
pub(super) struct NearestLine {
    pub(super) label: String,
    pub(super) short: String,
    pub(super) reasons: Vec<String>,
    pub(super) has_answer: bool,
}

/// Data for painting the answer.
pub(super) struct AnswerContext<'a> {
    pub(super) desk: &'a QueueDesk,
    pub(super) request: &'a PendingRequest,
    pub(super) data: &'a QueueRequestData,
    /// The input, as it is being edited.
    pub(super) draft: AnswerDraft,
    /// Whether the first field takes the focus.
    pub(super) wants_focus: bool,
}

impl QueueData {
    /// Updates the data from the workbench.
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.live.queue;
        let sets = &workbench.playback.sets;
        // The sets are of another desk, whose changes the revision does not count.
        if self.built == Some(desk.revision) && Arc::ptr_eq(&self.sets, sets) {
            return;
        }
        self.built = Some(desk.revision);
        self.sets = Arc::clone(sets);
        let root = workbench.core.project.as_ref().map_or("", |project| &*project.root);
        let lines = desk.watched.iter().map(|queue| WatchedLine {
            folder: Arc::clone(&queue.folder),
            name: name(&queue.folder, root),
            is_there: queue.exists,
        });
        self.watched = lines.collect();
        self.unwatched = unwatched_queues(sets, &self.watched);
        // A system without a known time zone, such as a container, shows UTC.
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        self.log = desk.log.iter().map(|log| log_line(log, &zone)).collect();
        self.request = desk.selected().map(|request| self.build_request(desk, request));
    }

    fn build_request(&mut self, desk: &QueueDesk, request: &PendingRequest) -> QueueRequestData {
        let tools = request.tools.iter().map(|tool| PrefixedToolName::new(&tool.name));
        QueueRequestData {
            id: request.id.clone(),
            conversation: self.conversation(request),
            tools: tools.collect(),
            nearest: nearest_data(request),
            rule: request.rule(&desk.rules).map(|rule| rule.toml()),
        }
    }

    /// Returns the conversation of a request, cached for the shown request.
    fn conversation(&mut self, request: &PendingRequest) -> Arc<RequestConversation> {
        let document = &request.question.document;
        if let Some((id, old_document, conversation)) = &self.conversation
            && *id == request.id
            && Arc::ptr_eq(old_document, document)
        {
            return Arc::clone(conversation);
        }
        // Only an identity within the window; nothing is opened by it.
        let path: Arc<str> = request.id.queue.join(&*request.id.name).to_string_lossy().into();
        let conversation = Arc::new(RequestConversation::new(&path, document));
        self.conversation =
            Some((request.id.clone(), Arc::clone(document), Arc::clone(&conversation)));
        conversation
    }
}

/// Returns the name of a queue: its path from the project root, or else the full path.
fn name(folder: &Path, root: &str) -> String {
    let is_named = |path: &&Path| !root.is_empty() && !path.as_os_str().is_empty();
    let path = folder.strip_prefix(root).ok().filter(is_named);
    visible(&path.unwrap_or(folder).to_string_lossy()).into_owned()
}

/// Returns the open queues that are not watched.
fn unwatched_queues(sets: &FoundSets, lines: &[WatchedLine]) -> Vec<String> {
    // Names of watched folders and of sets are both paths from the project root.
    let is_new = |queue: &&str| lines.iter().all(|line| line.name != *queue);
    sets.sets
        .iter()
        .filter(|set| set.requests > 0)
        // A set is found in the folder with the files; the queue is the folder above it.
        .filter_map(|set| set.folder.strip_suffix(REQUESTS)?.strip_suffix('/'))
        .filter(is_new)
        .map(str::to_owned)
        .collect()
}

fn log_line(log: &RequestLogEntry, zone: &TimeZone) -> LogLine {
    let (outcome, tip) = match &log.outcome {
        RequestOutcome::ByHand => ("by hand", String::new()),
        RequestOutcome::Recording(label) => ("as recorded", format!("As {}", visible(label))),
        RequestOutcome::Rule(name) => ("rule", format!("Rule {}", visible(name))),
        RequestOutcome::Elsewhere => ("by another program", String::new()),
        RequestOutcome::Withdrawn => ("withdrawn", String::new()),
        RequestOutcome::TimedOut => ("ran out of time", String::new()),
        RequestOutcome::Unreadable(reason) => ("cannot be read", format!("{}.", visible(reason))),
    };
    LogLine {
        id: log.id.clone(),
        time: log.at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string(),
        label: visible(&log.label).into_owned(),
        outcome,
        is_bad: matches!(log.outcome, RequestOutcome::TimedOut | RequestOutcome::Unreadable(_)),
        tip,
    }
}

fn nearest_data(request: &PendingRequest) -> Option<NearestData> {
    let sets = request.sets()?;
    let counts: HashMap<&str, usize> = sets.iter().fold(HashMap::new(), |mut counts, set| {
        *counts.entry(last_folder(&set.folder)).or_default() += 1;
        counts
    });
    // Only the last folder is shown, unless two sets have the same.
    let set_name = |folder: &str| {
        let last_name = last_folder(folder);
        let label = if counts.get(last_name) == Some(&1) { last_name } else { folder };
        visible(label).into_owned()
    };
    let set = request.set();
    let line = |recording: &NearRecording| NearestLine {
        label: visible(&recording.label).into_owned(),
        short: visible(&recording.summary).into_owned(),
        reasons: recording.differences.iter().map(|difference| format!("{difference}.")).collect(),
        has_answer: recording.reply.is_ok(),
    };
    let lines = set.map(|set| set.nearest.iter().map(line).collect());
    Some(NearestData {
        set: set.map(|set| set_name(&set.folder)).unwrap_or_default(),
        sets: sets.iter().map(|set| (Arc::clone(&set.folder), set_name(&set.folder))).collect(),
        lines: lines.unwrap_or_default(),
    })
}

fn last_folder(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}
