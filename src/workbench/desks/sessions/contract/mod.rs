//! The contract of a session: which one it is, tested on an answer, listed and run.

mod listing;
mod run;
#[cfg(test)]
mod tests;

pub use run::RunScope;

use std::sync::Arc;

use super::{SessionState, SessionsDesk};
use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::latest::Latest;
use crate::core::view::Overlay;
use check::change::{Change, ConfigEdit};
use document::FileKind;
use protocol::{
    AnswerSource, ContractEvent, ContractKey, ContractReport, ContractRequest, DocId, FindAnswers,
    FoundAnswers, PlannedChange, SessionId,
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
        let id = report.key.as_ref().map(|key| &key.id);
        let is_selected = id == self.selected.as_ref();
        let value = report.value.as_ref().filter(|_| is_selected)?;
        Some(value.as_ref().map_err(String::as_str))
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
        let session = self.session(core);
        let input = session.and_then(|s| document::text(&s.input));
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
}
