//! Handlers of the actions at a queue.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::actions::QueueAction;
use super::request::{AnswerDraft, AnswerMethod, PendingRequest};
use super::rule_draft::AnswerRuleDraft;
use super::{QueueDesk, RequestOutcome, WatchedQueue};
use crate::core::Core;
use crate::core::dialog::DialogKind;
use crate::core::effect::Effect;
use crate::core::navigation::DeskView;
use crate::core::view::Overlay;
use crate::desks::live::LiveAction;
use document::text::Source;
use document::{Node, Severity, json};
use play::live::queue::REQUESTS;
use protocol::{Desk, QueueCommand, QueueRequest, RankRequest, RuleMode};

impl QueueDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: QueueAction) {
        self.revision += 1;
        match action {
            QueueAction::Pick => {
                let watch = |path| LiveAction::Queue(QueueAction::Watch(path));
                let title = "Choose the queue to watch";
                core.request(Effect::pick(title, DialogKind::Folder, watch));
            }
            QueueAction::Watch(folder) => self.watch_queue(core, &folder),
            QueueAction::WatchFile(doc) => {
                let root = core.project.as_ref().map(|project| project.root.as_str());
                let item = core.library.get(doc);
                if let Some((root, item)) = root.zip(item) {
                    let file = Path::new(root).join(&*item.root_path);
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
                let tool = request.tools.iter().position(|tool| tool.name == name)?;
                Some((tool, part.get("input")))
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
}

pub(super) fn run_command(queue: Arc<Path>, command: QueueCommand) -> Effect {
    Effect::run(QueueRequest { queue, command })
}
