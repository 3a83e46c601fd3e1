//! Handlers of the actions at a queue.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::actions::{QueueAction, RuleMode};
use super::desk::WatchedQueue;
use super::request::{AnswerDraft, AnswerMethod, PendingRequest};
use super::requests::{QueueCommand, RankRequest};
use crate::format::{Node, Severity, json};
use crate::ops::live::queue::REQUESTS;
use crate::text::Source;
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::core::state::ProjectInfo;
use crate::workbench::core::view::Overlay;
use crate::workbench::desks::live::{LiveAction, LiveSide};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(in crate::workbench) fn act_on_queue(&mut self, action: QueueAction) {
        let desk = &mut self.live.queue;
        match action {
            QueueAction::Pick => {
                let watch = |path| LiveAction::Queue(QueueAction::Watch(path));
                let title = "Choose the queue to watch";
                self.core
                    .request(Effect::pick(title, DialogKind::Folder, watch));
            }
            QueueAction::Watch(folder) => self.watch_queue(&folder),
            QueueAction::Stop(folder) => {
                desk.forget(&folder);
                self.core.request(QueueCommand::Stop.effect(folder));
            }
            QueueAction::SetRuleMode(folder, rules) => self.set_rule_mode(folder, rules),
            QueueAction::Select(id) => desk.select(id),
            QueueAction::Fill(id, draft) => {
                if let Some(request) = desk.find_mut(&id) {
                    request.fill(*draft);
                    desk.revision += 1;
                }
            }
            QueueAction::Answer(way) => self.change_draft(|_, draft| draft.method = way),
            QueueAction::Choose(at) => self.choose_at(at),
            QueueAction::ChooseSet(folder) => self.change_draft(|_, draft| {
                draft.set = Some(folder);
                draft.recording = 0;
            }),
            QueueAction::EditAnswer => self.edit_answer(),
            QueueAction::Write => self.write_answer(),
            QueueAction::Compare => self.compare_request(),
            QueueAction::DraftRule => self.draft_answer_rule(),
            QueueAction::TypeRule(draft) => {
                desk.rule_draft = draft;
                desk.revision += 1;
            }
            QueueAction::SaveRule => self.save_answer_rule(),
        }
    }

    /// Watches a queue and shows it. Accepts the folder of its requests, too.
    pub(super) fn watch_queue(&mut self, folder: &Path) {
        let is_requests = folder.file_name().is_some_and(|name| name == REQUESTS);
        let folder = match folder.parent() {
            Some(parent) if is_requests => parent,
            _ => folder,
        };
        let folder: Arc<Path> = folder.into();
        self.live.side = LiveSide::Queue;
        self.core.go(Desk::Live, DeskView::List);
        let desk = &mut self.live.queue;
        if desk.watched.iter().any(|known| known.folder == folder) {
            return;
        }
        let rules = RuleMode::default();
        desk.watched.push(WatchedQueue {
            folder: Arc::clone(&folder),
            exists: true,
            rule_mode: rules,
        });
        desk.revision += 1;
        self.core.request(QueueCommand::Watch(rules).effect(folder));
    }

    /// Stops all queues when another project is opened, because their rules belong to the previous one.
    pub(in crate::workbench) fn stop_queues_of_other_project(&mut self, next: &ProjectInfo) {
        let is_same = self
            .core
            .project
            .as_ref()
            .is_some_and(|it| it.root == next.root);
        if is_same {
        } else {
            self.stop_queues();
        }
    }

    /// Stops watching all queues.
    pub(in crate::workbench) fn stop_queues(&mut self) {
        let desk = &mut self.live.queue;
        let folders: Vec<_> = desk.watched.iter().map(|it| it.folder.clone()).collect();
        for folder in folders {
            desk.forget(&folder);
            self.core.effects.push(QueueCommand::Stop.effect(folder));
        }
    }

    fn set_rule_mode(&mut self, folder: Arc<Path>, rules: RuleMode) {
        let desk = &mut self.live.queue;
        desk.update_queue(&folder, |watched| watched.rule_mode = rules);
        self.core
            .request(QueueCommand::SetRuleMode(rules).effect(folder));
    }

    /// Changes the draft of the selected request.
    fn change_draft(&mut self, change: impl FnOnce(&PendingRequest, &mut AnswerDraft)) {
        let desk = &mut self.live.queue;
        if let Some(request) = desk.selected_mut() {
            let mut draft = request.draft.clone();
            change(request, &mut draft);
            request.fill(draft);
            desk.revision += 1;
        }
    }

    fn choose_at(&mut self, at: usize) {
        self.change_draft(|request, draft| match draft.method {
            AnswerMethod::Tool if at < request.tools.len() => draft.tool = Some(at),
            AnswerMethod::Recording if request.set().is_some_and(|set| at < set.nearest.len()) => {
                draft.recording = at;
            }
            _ => {}
        });
    }

    /// Copies the answer of the chosen recording into the form, to be edited there.
    fn edit_answer(&mut self) {
        self.change_draft(|request, draft| {
            let reply = request
                .recording()
                .and_then(|near| near.reply.as_ref().ok());
            let Some(reply) = reply else { return };
            let (tree, _) = json::parse(&Source::new(reply.content.as_str()));
            let blocks = || tree.root().into_iter().flat_map(Node::items);
            let word = |block: Node<'_>, key: &str| {
                let text = block.get(key).and_then(Node::as_str);
                text.map(str::to_owned)
            };
            let texts: Vec<String> = blocks().filter_map(|block| word(block, "text")).collect();
            let called = blocks().find_map(|block| {
                let name = word(block, "name")?;
                let tool = request.tools.iter().position(|tool| tool.name == name)?;
                Some((tool, block.get("input")))
            });
            draft.reasoning.clone_from(&reply.reasoning);
            match called {
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
        self.live.queue.focus += 1;
    }

    fn write_answer(&mut self) {
        let desk = &mut self.live.queue;
        if let Some(reason) = desk.blocked_reason() {
            let words = format!("Cannot write the answer: {reason}.");
            self.core.notify(Severity::Note, words);
            return;
        }
        let rules = Arc::clone(&desk.rules);
        let Some(request) = desk.selected_mut() else {
            return;
        };
        let id = request.id.clone();
        if request.draft.method == AnswerMethod::Rule {
            let rule = request.rule(&rules).map(|rule| rule.name.as_str().into());
            request.writing = rule.map(super::desk::RequestOutcome::Rule);
            return self
                .core
                .request(QueueCommand::AnswerByRule(id.name).effect(id.queue));
        }
        let Ok((reply, by)) = request.reply() else {
            return;
        };
        request.writing = Some(by);
        desk.revision += 1;
        self.core
            .request(QueueCommand::Write(id.name, reply).effect(id.queue));
    }

    /// Compares the request with the nearest recording, if the file of the request is open.
    fn compare_request(&mut self) {
        let Some(request) = self.live.queue.selected() else {
            return;
        };
        let path = self.path_in_project(request);
        let file = path.and_then(|path| {
            let mut items = self.core.library.items.iter();
            items.find(|(_, item)| *item.root_path == *path)
        });
        let near = request.recording().map(|near| near.doc);
        match (file.map(|(doc, _)| doc), near) {
            (Some(left), Some(right)) => {
                self.core.go(Desk::Live, DeskView::Compare { left, right })
            }
            (_, None) => {
                self.core
                    .notify(Severity::Note, "No recording to compare with.");
            }
            (None, _) => {
                let words =
                    "The request file is not open, so it cannot be compared with a recording.";
                self.core.notify(Severity::Note, words);
            }
        }
    }

    /// The path of a request's file from the project root; `None` if it is outside.
    fn path_in_project(&self, request: &PendingRequest) -> Option<String> {
        let root = PathBuf::from(&self.core.project.as_ref()?.root);
        let below = request.id.queue.strip_prefix(root).ok()?;
        let below = below.to_string_lossy().replace('\\', "/");
        let name = &request.id.name;
        Some(if below.is_empty() {
            format!("{REQUESTS}/{name}.json")
        } else {
            format!("{below}/{REQUESTS}/{name}.json")
        })
    }

    /// Requests the recordings similar to the selected request, if they are not known.
    pub(in crate::workbench) fn sync_queue(&mut self) {
        let revision = self.core.library.items_revision;
        if self.core.here().desk != Desk::Live || self.core.progress.is_some() {
            return;
        }
        let desk = &mut self.live.queue;
        let Some(request) = desk.selected() else {
            return;
        };
        let is_known = request.near.as_ref().is_some_and(|(of, _)| *of == revision);
        let wanted = Some((request.id.clone(), revision));
        if is_known || desk.ranking == wanted {
            return;
        }
        let order = RankRequest {
            id: request.id.clone(),
            request: Arc::clone(&request.question.played),
            revision,
            items: self.core.library.items.clone(),
        };
        desk.ranking = wanted;
        self.core.request(Effect::run(order));
    }

    pub(super) fn draft_answer_rule(&mut self) {
        let desk = &mut self.live.queue;
        let draft = match desk.selected() {
            Some(request) => super::rule_draft::AnswerRuleDraft::from_request(request),
            None => Err("no request is shown".to_owned()),
        };
        match draft {
            Ok(draft) => {
                desk.rule_draft = draft;
                desk.revision += 1;
                self.core.overlay = Some(Overlay::AnswerRule);
            }
            Err(reason) => {
                let words = format!("Cannot make a rule: {reason}.");
                self.core.notify(Severity::Note, words);
            }
        }
    }
}
