//! The contract of a session: which one it is, tested on an answer, listed and run.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{SessionState, SessionsDesk};
use crate::{Core, Effect, Latest, Link, NoticeEnd, Overlay, Proposal, TerminalPrompt};
use check::change::{Change, ConfigEdit};
use document::text::counted;
use document::{FileKind, Severity, text};
use protocol::{
    AnswerSource, ConfigListing, ContractEvent, ContractKey, ContractReport, ContractRequest, Desk,
    DocId, FindAnswers, FoundAnswers, PlannedChange, RunCommands, SessionId,
};

/// An action of the contract column.
#[derive(Clone, Debug, PartialEq)]
pub enum ContractAction {
    UseConfig(DocId),
    /// Tests the contract on this answer.
    Try(AnswerSource),
    /// Searches for answers with these words in their titles; empty for all.
    FindAnswers(String),
    /// Shows how the session is added to the configuration.
    ShowListing,
    /// Adds it, as shown.
    List,
    /// Changes the type of an invariant: the document, its JSON Pointer, the type.
    SetType(DocId, String, String),
    /// Shows the command that runs the session or its folder.
    Run(RunScope),
}

/// The state of the contract column.
#[derive(Debug, Default)]
pub struct ContractDesk {
    /// The report, or why there is none.
    report: Latest<ContractKey, Result<Arc<ContractReport>, String>>,
    config: Option<DocId>,
    /// The chosen answers, by session.
    answers: Vec<(SessionId, AnswerSource)>,
    pub found: Option<Arc<FoundAnswers>>,
    query: String,
    pub listing: Option<PlannedChange>,
}

impl ContractDesk {
    fn answer(&self, id: &SessionId) -> AnswerSource {
        let entry = self.answers.iter().rev().find(|(other, _)| other == id);
        entry.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }
}

impl SessionsDesk {
    /// The report for the selected session; `None` until it is available.
    pub fn report(&self) -> Option<&Arc<ContractReport>> {
        self.report_or_reason()?.ok()
    }

    /// The report for the selected session, or why there is none; `None` until it is available.
    pub fn report_or_reason(&self) -> Option<Result<&Arc<ContractReport>, &str>> {
        let report = &self.contract.report;
        let is_selected = report.key.as_ref().map(|key| &key.id) == self.selected.as_ref();
        Some(report.value.as_ref().filter(|_| is_selected)?.as_ref().map_err(String::as_str))
    }

    pub(crate) fn act_on_contract(&mut self, core: &mut Core, action: ContractAction) {
        match action {
            ContractAction::UseConfig(doc) => {
                self.contract.config = Some(doc);
                // The edit for the previous session must not be applied to the next one.
                self.contract.listing = None;
            }
            ContractAction::Try(answer) => self.try_on(core, answer),
            ContractAction::FindAnswers(words) => self.find_answers(core, words),
            ContractAction::ShowListing => {
                self.contract.listing = None;
                core.overlay = Some(Overlay::AddToConfig);
                self.show_listing(core);
            }
            ContractAction::List => self.list_in_config(core),
            ContractAction::SetType(doc, pointer, kind) => {
                let edit = ConfigEdit::SetType(pointer, kind);
                core.request(core.plan_change(doc, Change::Config(edit)));
            }
            ContractAction::Run(scope) => self.propose_run(core, scope),
        }
    }

    fn try_on(&mut self, core: &mut Core, answer: AnswerSource) {
        let contract = &mut self.contract;
        if let Some(id) = &self.selected {
            contract.answers.retain(|(other, _)| other != id);
            contract.answers.push((id.clone(), answer));
        }
        core.overlay = None;
    }

    fn find_answers(&mut self, core: &mut Core, words: String) {
        let input = self.session(core).and_then(|s| document::text(&s.input));
        let request = FindAnswers {
            query: words.clone(),
            question: input.unwrap_or_default().to_owned(),
            items: core.library.items.clone(),
        };
        // Answers for other words are dropped.
        self.contract.query = words;
        core.request(Effect::run(request));
    }

    /// Requests a new report when the session, its configuration or the answer changed.
    pub(super) fn sync_contract(&mut self, core: &mut Core) {
        let SessionState::Ready(document, revision) = self.state(core) else { return };
        let Some(id) = self.selected.clone() else { return };
        let contract = &mut self.contract;
        let key = ContractKey {
            revision,
            items: core.library.items_revision,
            config: contract.config,
            answer: contract.answer(&id),
            id,
        };
        if !contract.report.want(&key) {
            return;
        }
        let kinds = [FileKind::Config, FileKind::Contract, FileKind::Report];
        core.request(Effect::run(ContractRequest {
            key,
            document,
            items: core.library.items.clone(),
            texts: core.library.edited_texts(&kinds),
        }));
    }

    pub(super) fn receive_contract(&mut self, core: &mut Core, event: ContractEvent) {
        let contract = &mut self.contract;
        match event {
            ContractEvent::Found(key, report) if contract.report.accept(&key) => {
                contract.report.value = Some(report);
                // The dialog may have been opened before the report was there.
                self.show_listing(core);
            }
            ContractEvent::Answers(words, answers) if words == contract.query => {
                self.contract.found = Some(core.or_notify(answers).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Requests the edit that the dialog shows, if it is missing.
    fn show_listing(&mut self, core: &mut Core) {
        if core.overlay != Some(Overlay::AddToConfig) {
            return;
        }
        let config = self.report().and_then(|report| report.config.as_ref());
        if let Some((Some(doc), ConfigListing::Possible(path))) =
            config.map(|config| (config.doc, &config.listing))
        {
            let session = self.session(core).and_then(|s| text(&s.id));
            let edit = ConfigEdit::List {
                path: path.to_string(),
                session: session.unwrap_or("a session").to_owned(),
            };
            core.request(core.plan_change(doc, Change::Config(edit)));
        }
    }

    pub(crate) fn on_config_planned(&mut self, core: &mut Core, plan: PlannedChange) {
        let is_shown_first = matches!(plan.change, Change::Config(ConfigEdit::List { .. }));
        if is_shown_first && !plan.edits.is_empty() {
            self.contract.listing = Some(plan);
            return;
        }
        self.edit_config(core, plan);
    }

    /// Adds the session to the configuration, as shown in the dialog.
    fn list_in_config(&mut self, core: &mut Core) {
        let Some(plan) = self.contract.listing.take() else { return };
        core.overlay = None;
        self.edit_config(core, plan);
    }

    fn edit_config(&mut self, core: &mut Core, plan: PlannedChange) {
        let doc = plan.first.0;
        let file = core.library.name_of(doc).to_owned();
        if !core.edit_file(plan) {
            return;
        }
        let text = format!("{file} was edited but is not saved yet.");
        core.notify_until(NoticeEnd::Saved(doc), Severity::Note, text);
    }

    pub(crate) fn shown_contract(&self, core: &Core) -> Result<&ContractReport, &'static str> {
        let report = self.report().filter(|_| core.shows(Desk::Sessions));
        report.map(Arc::as_ref).ok_or("no session is shown")
    }

    /// Returns why the session cannot be added to a configuration, if so.
    pub(crate) fn needs_config(&self, core: &Core) -> Result<(), &'static str> {
        let report = self.shown_contract(core)?;
        match report.config.as_ref().ok_or("there is no flakestorm.yaml to add it to")?.listing {
            ConfigListing::Inline => Err("the session is written inside the configuration"),
            // With several configurations, another one may be chosen.
            ConfigListing::Listed if report.configs.len() < 2 => {
                Err("the configuration already lists it")
            }
            _ => Ok(()),
        }
    }

    /// Returns the command that runs the session, or why there is none.
    pub(crate) fn run_command(&self, core: &Core) -> Result<&Arc<str>, &'static str> {
        let command = self.shown_contract(core)?.commands.one.as_ref();
        command.ok_or("the file name cannot be quoted for a shell")
    }

    /// Returns why this cannot be run, if so.
    pub(crate) fn needs_runner(&self, core: &Core, scope: RunScope) -> Result<(), &'static str> {
        let commands = &self.shown_contract(core)?.commands;
        if !commands.has_flakestorm {
            return Err("flakestorm is not on the PATH");
        }
        match scope {
            RunScope::One => self.run_command(core).map(|_| ()),
            RunScope::Folder if commands.folder.is_empty() => {
                Err("there are no session files in its folder")
            }
            RunScope::Folder => Ok(()),
        }
    }

    /// Shows the commands, which run when the user confirms.
    pub(crate) fn propose_run(&self, core: &mut Core, scope: RunScope) {
        if let Some(report) = self.report() {
            core.link(Link::Propose(run_prompt(core, &report.commands, scope)));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunScope {
    /// The selected session.
    One,
    /// All sessions of its folder.
    Folder,
}

const UNSAVED_REMARK: &str =
    "There are unsaved edits. The command runs the saved file: save first.";

fn run_prompt(core: &Core, commands: &RunCommands, scope: RunScope) -> TerminalPrompt {
    let texts =
        |list: &[Arc<str>]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    let mut remarks = texts(&commands.remarks);
    let commands = texts(match scope {
        RunScope::One => commands.one.as_slice(),
        RunScope::Folder => &commands.folder,
    });
    if commands.is_empty() {
        return TerminalPrompt::Refused("The file name cannot be quoted for a shell.".to_owned());
    }
    if core.library.unsaved().next().is_some() {
        // First, because the result is not that of the text on the screen.
        remarks.insert(0, UNSAVED_REMARK.to_owned());
    }
    TerminalPrompt::Run(Proposal {
        name: match scope {
            RunScope::One => "Run session".to_owned(),
            RunScope::Folder => format!("Run {}", counted(commands.len(), "session", "sessions")),
        },
        commands,
        remarks,
        origin: None,
    })
}
