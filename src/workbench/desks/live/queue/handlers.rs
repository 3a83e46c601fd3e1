//! Handlers of the actions at a queue.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::request::{AnswerDraft, AnswerMethod, PendingRequest};
use super::{
    AnswerRuleDraft, QueueAction, QueueDesk, RequestLogEntry, RequestOutcome, WatchedQueue,
};
use crate::{Core, DeskView, DialogKind, Effect, LiveAction, Overlay};
use document::text::{Source, visible};
use document::{Node, Severity, json};
use jiff::Timestamp;
use play::live::queue::{ANSWER_TIMEOUT, REQUESTS, RuleRequest};
use protocol::{
    Desk, NearSet, QueueCommand, QueueEvent, QueueRequest, RankRequest, RequestId, RuleMode,
};

impl QueueDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: QueueAction) {
        self.revision += 1;
        match action {
            QueueAction::Pick => {
                let watch = |path| LiveAction::Queue(QueueAction::Watch(path));
                core.request(Effect::pick("Choose the queue to watch", DialogKind::Folder, watch));
            }
            QueueAction::Watch(folder) => self.watch_queue(core, &folder),
            QueueAction::WatchFile(doc) => {
                let root = core.project.as_ref().map(|project| project.root.as_str());
                let item = core.library.get(doc);
                if let Some((root, item)) = root.zip(item) {
                    let file = Path::new(root).join(item.root_path());
                    self.watch_queue(core, file.parent().unwrap_or(&file));
                }
            }
            QueueAction::Stop(folder) => {
                self.forget(&folder);
                core.request(run_command(folder, QueueCommand::Stop));
            }
            QueueAction::SetRuleMode(folder, rules) => {
                self.update_queue(&folder, |queue| queue.rule_mode = rules);
                core.request(run_command(folder, QueueCommand::SetRuleMode(rules)));
            }
            QueueAction::Select(id) => self.select(id),
            QueueAction::Fill(id, draft) => {
                if let Some(request) = self.find_mut(&id) {
                    request.fill(*draft);
                }
            }
            QueueAction::Answer(method) => self.change_draft(|_, draft| draft.method = method),
            QueueAction::Choose(index) => self.choose_at(index),
            QueueAction::ChooseSet(folder) => self.change_draft(|_, draft| {
                draft.set = Some(folder);
                // The recording was chosen in another set.
                draft.recording = 0;
            }),
            QueueAction::EditAnswer => self.edit_answer(),
            QueueAction::Write => self.write_answer(core),
            QueueAction::Compare => self.compare_request(core),
            QueueAction::DraftRule => self.draft_answer_rule(core),
            QueueAction::TypeRule(draft) => {
                self.rule_draft = draft;
            }
            QueueAction::SaveRule => self.save_answer_rule(core),
        }
    }

    /// Watches a queue and shows it. Accepts the folder of its requests, too.
    pub(super) fn watch_queue(&mut self, core: &mut Core, folder: &Path) {
        let is_requests = folder.file_name().is_some_and(|name| name == REQUESTS);
        let folder = match folder.parent() {
            Some(parent) if is_requests => parent,
            _ => folder,
        };
        let folder: Arc<Path> = folder.into();
        core.go(Desk::Live, DeskView::List);
        if self.watched.iter().any(|queue| queue.folder == folder) {
            return;
        }
        let rules = RuleMode::default();
        self.watched.push(WatchedQueue {
            folder: Arc::clone(&folder),
            exists: true,
            rule_mode: rules,
        });
        core.request(run_command(folder, QueueCommand::Watch(rules)));
    }

    /// Stops watching the queue of the shown request, else the queue that was watched last.
    pub(crate) fn stop_shown(&mut self, core: &mut Core) {
        let selected_folder = self.selected.as_ref().map(|id| id.queue.clone());
        let folder = selected_folder.or_else(|| self.watched.last().map(|q| q.folder.clone()));
        if let Some(folder) = folder {
            self.act(core, QueueAction::Stop(folder));
        }
    }

    /// Stops watching all queues.
    pub(crate) fn stop_all(&mut self, core: &mut Core) {
        let folders: Vec<_> = self.watched.iter().map(|q| q.folder.clone()).collect();
        for folder in folders {
            self.forget(&folder);
            core.effects.push(run_command(folder, QueueCommand::Stop));
        }
    }

    /// Changes the draft of the selected request.
    fn change_draft(&mut self, change: impl FnOnce(&PendingRequest, &mut AnswerDraft)) {
        if let Some(request) = self.selected_mut() {
            let mut draft = request.draft.clone();
            change(request, &mut draft);
            request.fill(draft);
        }
    }

    fn choose_at(&mut self, row: usize) {
        self.change_draft(|request, draft| match draft.method {
            AnswerMethod::Tool if row < request.tools.len() => draft.tool = Some(row),
            AnswerMethod::Recording if request.set().is_some_and(|set| row < set.nearest.len()) => {
                draft.recording = row;
            }
            _ => {}
        });
    }

    /// Copies the answer of the chosen recording into the form, to be edited there.
    fn edit_answer(&mut self) {
        self.change_draft(|request, draft| {
            let reply = request.recording().and_then(|recording| recording.reply.as_ref().ok());
            let Some(reply) = reply else { return };
            let (tree, _) = json::parse(&Source::new(reply.content.as_str()));
            let blocks = || tree.root().into_iter().flat_map(Node::items);
            let word =
                |part: Node<'_>, key: &str| part.get(key).and_then(Node::as_str).map(str::to_owned);
            let texts: Vec<String> = blocks().filter_map(|part| word(part, "text")).collect();
            let tool_call = blocks().find_map(|part| {
                let name = word(part, "name")?;
                // A tool that is not offered cannot be called.
                Some((request.tools.iter().position(|tool| tool.name == name)?, part.get("input")))
            });
            draft.reasoning.clone_from(&reply.reasoning);
            match tool_call {
                Some((tool, input)) => {
                    draft.method = AnswerMethod::Tool;
                    draft.tool = Some(tool);
                    draft.text_before = texts.join("\n");
                    if let (Some(form), Some(input)) = (draft.forms.get_mut(tool), input) {
                        form.fill(input);
                    }
                }
                None => {
                    draft.method = AnswerMethod::Text;
                    draft.text = texts.join("\n");
                }
            }
        });
        self.focus += 1;
    }

    fn write_answer(&mut self, core: &mut Core) {
        if let Some(reason) = self.blocked_reason() {
            core.notify(Severity::Note, format!("Cannot write the answer: {reason}."));
            return;
        }
        let rules = Arc::clone(&self.rules);
        let Some(request) = self.selected_mut() else { return };
        let id = request.id.clone();
        if request.draft.method == AnswerMethod::Rule {
            let rule = request.rule(&rules).map(|rule| rule.name.as_str().into());
            request.writing = rule.map(RequestOutcome::Rule);
            return core.request(run_command(id.queue, QueueCommand::AnswerByRule(id.name)));
        }
        let Ok((reply, outcome)) = request.reply() else { return };
        request.writing = Some(outcome);
        core.request(run_command(id.queue, QueueCommand::Write(id.name, reply)));
    }

    /// Compares the request with the nearest recording, if the file of the request is open.
    fn compare_request(&mut self, core: &mut Core) {
        let Some(request) = self.selected() else { return };
        let path = self.path_in_project(core, request);
        let file = path.and_then(|path| core.library.find(&path));
        match (file, request.recording().map(|r| r.doc)) {
            (Some(left), Some(right)) => core.go(Desk::Live, DeskView::Compare { left, right }),
            (_, None) => core.notify(Severity::Note, "No recording to compare with."),
            (None, _) => {
                let words =
                    "The request file is not open, so it cannot be compared with a recording.";
                core.notify(Severity::Note, words);
            }
        }
    }

    /// The path of a request's file from the project root; `None` if it is outside.
    fn path_in_project(&self, core: &Core, request: &PendingRequest) -> Option<String> {
        let root = PathBuf::from(&core.project.as_ref()?.root);
        // Paths of items have slashes on every system.
        let folder = request.id.queue.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
        let name = &request.id.name;
        Some(if folder.is_empty() {
            format!("{REQUESTS}/{name}.json")
        } else {
            format!("{folder}/{REQUESTS}/{name}.json")
        })
    }

    /// Requests the recordings similar to the selected request, if they are not known.
    pub(crate) fn sync(&mut self, core: &mut Core) {
        let revision = core.library.items_revision;
        // While files are being read, each revision would be out of date at once.
        if core.here().desk != Desk::Live || core.progress.is_some() {
            return;
        }
        let Some(request) = self.selected() else { return };
        let is_known = request.near.as_ref().is_some_and(|(version, _)| *version == revision);
        let key = Some((request.id.clone(), revision));
        if is_known || self.ranking == key {
            return;
        }
        let rank_request = RankRequest {
            id: request.id.clone(),
            request: Arc::clone(&request.question.played),
            revision,
            items: core.library.items.clone(),
        };
        self.ranking = key;
        core.request(Effect::run(rank_request));
    }

    pub(super) fn draft_answer_rule(&mut self, core: &mut Core) {
        let draft = match self.selected() {
            Some(request) => AnswerRuleDraft::from_request(request),
            None => Err("no request is shown".to_owned()),
        };
        match draft {
            Ok(draft) => {
                self.rule_draft = draft;
                core.overlay = Some(Overlay::AnswerRule);
            }
            Err(reason) => {
                core.notify(Severity::Note, format!("Cannot make a rule: {reason}."));
            }
        }
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: QueueEvent) {
        match event {
            QueueEvent::RequestArrived { id, question, at, age } => {
                self.on_request(id, *question, at, age);
            }
            QueueEvent::Written(id, Ok(time)) => {
                let request = self.find(&id);
                let outcome = request.and_then(|request| request.writing.clone());
                self.finish(&id, time, outcome.unwrap_or(RequestOutcome::ByHand));
            }
            QueueEvent::Written(id, Err(reason)) => self.on_write_failed(core, &id, &reason),
            QueueEvent::AnsweredByRule(id, time, rule) => {
                self.finish(&id, time, RequestOutcome::Rule(rule));
            }
            QueueEvent::AnsweredElsewhere(id, time) => {
                self.finish(&id, time, RequestOutcome::Elsewhere);
            }
            QueueEvent::Withdrawn(id, time) => {
                // Without remaining time it counts as timed out, even if another program deleted its file.
                let is_past = self.find(&id).is_some_and(|request| request.is_overdue);
                let end =
                    if is_past { RequestOutcome::TimedOut } else { RequestOutcome::Withdrawn };
                self.finish(&id, time, end);
            }
            QueueEvent::Failed(id, time, reason) => self.on_request_failed(core, id, time, reason),
            QueueEvent::FolderGone(dir) => self.update_queue(&dir, |queue| queue.exists = false),
            QueueEvent::FolderBack(dir) => self.update_queue(&dir, |queue| queue.exists = true),
            QueueEvent::WatchFailed(dir, reason) => {
                self.forget(&dir);
                core.notify(Severity::Error, format!("{reason}."));
            }
            QueueEvent::Rules(rules, faults) => {
                (self.rules, self.rule_faults) = (rules, faults);
                self.revision += 1;
            }
            QueueEvent::Ranked(id, revision, sets) => self.on_ranked(core, &id, revision, sets),
            QueueEvent::RuleSaved(Ok(())) => {
                let words = "The rule was added to retake.toml and answers from now on.";
                core.notify(Severity::Note, words);
                // The new rule may answer requests that wait already.
                let folders = self.watched.iter().map(|queue| Arc::clone(&queue.folder));
                core.effects.extend(folders.map(|dir| run_command(dir, QueueCommand::TryRules)));
            }
            QueueEvent::RuleSaved(Err(reason)) => {
                // The selected request was marked as waiting for this rule.
                if let Some(request) = self.selected_mut() {
                    request.writing = None;
                }
                core.notify(Severity::Error, format!("{reason}."));
            }
        }
    }

    fn is_watched(&self, folder: &Path) -> bool {
        let mut queues = self.watched.iter();
        queues.any(|queue| *queue.folder == *folder)
    }

    fn on_request(&mut self, id: RequestId, question: RuleRequest, time: Timestamp, age: Duration) {
        // The queue may have been stopped since.
        if !self.is_watched(&id.queue) {
            return;
        }
        // The client counts from the moment it wrote the request, not from when it was found.
        let deadline = self.now + ANSWER_TIMEOUT.as_secs_f64() - age.as_secs_f64();
        // The same request may be written again.
        self.pending.retain(|request| request.id != id);
        self.log.retain(|log| log.id != id);
        let place = self.pending.partition_point(|request| request.deadline <= deadline);
        let request = PendingRequest::new(id.clone(), question, time, deadline);
        self.pending.insert(place, request);
        self.revision += 1;
        let now = self.now;
        // A request that is found late may be overdue already.
        self.set_time(now);
        let is_in_time = self.find(&id).is_some_and(|request| !request.is_overdue);
        // The request that the user is answering stays.
        if self.selected().is_none() && is_in_time {
            self.selected = Some(id);
        }
    }

    fn on_write_failed(&mut self, core: &mut Core, id: &RequestId, reason: &str) {
        if let Some(request) = self.find_mut(id) {
            request.writing = None;
            let label = request.title();
            self.revision += 1;
            let words = format!("The answer {} was not written: {reason}.", visible(&label));
            core.notify(Severity::Error, words);
        }
    }

    fn on_request_failed(&mut self, core: &mut Core, id: RequestId, time: Timestamp, text: String) {
        if !self.is_watched(&id.queue) {
            return;
        }
        if self.find(&id).is_some() {
            return self.on_write_failed(core, &id, &text);
        }
        self.add_to_log(RequestLogEntry {
            label: id.name.to_string(),
            at: time,
            outcome: RequestOutcome::Unreadable(text.into()),
            id,
        });
    }

    fn on_ranked(
        &mut self,
        core: &mut Core,
        id: &RequestId,
        revision: u64,
        sets: Result<Arc<[NearSet]>, String>,
    ) {
        let sets = core.or_notify(sets).unwrap_or_default();
        if self.ranking.as_ref() == Some(&(id.clone(), revision)) {
            self.ranking = None;
        }
        if let Some(request) = self.find_mut(id) {
            // Also set after a failure, so that the ranking is not requested again in each frame.
            request.near = Some((revision, sets));
            self.revision += 1;
        }
    }
}

pub(super) fn run_command(queue: Arc<Path>, command: QueueCommand) -> Effect {
    Effect::run(QueueRequest { queue, command })
}
