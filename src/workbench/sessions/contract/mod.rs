//! The contract that a session has to keep: which one, tried on an answer, listed and run.

mod found;
mod listing;
mod run;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::{SessionId, SessionShown, SessionsEffect};
use crate::format::{Document, Kind};
use crate::ops::diff::text::TextDiff;
use crate::text::Source;
use crate::workbench::action::Overlay;
use crate::workbench::event::{Effect, PlannedEdit};
use crate::workbench::items::Items;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

pub use found::{
    Checked, ConfigFound, ContractLook, ListedInConfig, Listing, Offered, OfferedAnswer,
    Resolution, SourceInConfig, Spotted, TriedOn, Written,
};
pub use run::{Commands, Scope};

/// Something the user asked for of a session's contract and configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum ContractAction {
    /// Judge by this configuration.
    UseConfig(DocId),
    /// Try the contract on this answer.
    Try(AnswerFrom),
    /// Look for answers with these words in their names; empty: all.
    FindAnswers(String),
    /// Show how the session would be listed in the configuration.
    AskToList,
    /// List it, as shown.
    List,
    /// Write another type into an invariant: the document, its JSON Pointer, the type.
    SetType(DocId, String, String),
    /// Show the command that runs so much.
    Run(Scope),
}

/// What is asked of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum ContractEffect {
    /// Find the configuration and the contract, and try that.
    Look(Box<LookAtContract>),
    /// Find answers.
    FindAnswers(FindAnswers),
    /// Find the bytes of an edit of a configuration or a contract.
    Plan(DocId, ConfigEdit),
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum ContractEvent {
    /// What was looked for.
    Found(u64, Arc<ContractLook>),
    /// The answers with these words in their names.
    Answers(String, Arc<Answers>),
    /// An edit with what it changes, or why it cannot be made. It belongs to the scan with this generation.
    Planned(u64, DocId, ConfigEdit, Box<Result<PlannedConfig, String>>),
}

/// What a contract is tried on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AnswerFrom {
    /// What the session has kept of its incident.
    #[default]
    Kept,
    /// What stands at a JSON Pointer in a document.
    Document(DocId, Arc<str>),
    /// What somebody wrote, and how many milliseconds it took, if that is known.
    Given(Arc<str>, Option<f64>),
}

/// A session whose contract is wanted.
#[derive(Clone, Debug)]
pub struct LookAtContract {
    /// Names the answer.
    pub key: u64,
    /// The session.
    pub id: SessionId,
    /// Its document.
    pub document: Arc<Document>,
    /// All items.
    pub items: Items,
    /// Texts that were edited.
    pub texts: Vec<(DocId, Source)>,
    /// The configuration that was chosen, if one was.
    pub config: Option<DocId>,
    /// What it is tried on.
    pub answer: AnswerFrom,
}

/// Answers that are wanted.
#[derive(Clone, Debug)]
pub struct FindAnswers {
    /// What is looked for.
    pub words: String,
    /// What the session asks: answers to the same come first.
    pub asked: String,
    /// All items.
    pub items: Items,
}

/// Requests of the same name are the same.
impl PartialEq for LookAtContract {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl PartialEq for FindAnswers {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

/// Answers that were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The first of them.
    pub found: Vec<OfferedAnswer>,
    /// How many more there are.
    pub more: usize,
}

/// An edit of a configuration or a contract.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigEdit {
    /// One more element of `replays.sessions`: a file, by its path from the configuration's folder.
    List(String),
    /// The type of the invariant at a JSON Pointer.
    SetType(String, String),
}

/// An edit of a configuration, ready to be shown and made.
#[derive(Clone, Debug)]
pub struct PlannedConfig {
    /// The edit.
    pub edit: PlannedEdit,
    /// What it changes.
    pub diff: Arc<TextDiff>,
}

/// What the column of the contract shows.
#[derive(Debug, Default)]
pub struct ContractDesk {
    /// Names the latest request.
    asked: u64,
    /// What the latest request was made for.
    made_for: Option<MadeFor>,
    /// What was found last, with its session.
    look: Option<(SessionId, Arc<ContractLook>)>,
    config: Option<DocId>,
    /// What was chosen to try contracts on, session by session.
    answers: Vec<(SessionId, AnswerFrom)>,
    found: Option<Arc<Answers>>,
    words: String,
    listing: Option<PlannedConfig>,
}

/// What a look at a contract depends on.
#[derive(Clone, Debug, PartialEq)]
struct MadeFor {
    id: SessionId,
    revision: Revision,
    items: u64,
    config: Option<DocId>,
    answer: AnswerFrom,
}

impl ContractDesk {
    /// What was found for a session; `None` until it is there.
    pub fn look(&self, id: &SessionId) -> Option<&Arc<ContractLook>> {
        let found = self.look.as_ref().filter(|(of, _)| of == id);
        found.map(|(_, look)| look)
    }

    /// The answers that were found; `None` until they are there.
    pub fn answers(&self) -> Option<&Arc<Answers>> {
        self.found.as_ref()
    }

    /// How the session would be listed in the configuration; `None` until it is known.
    pub fn listing(&self) -> Option<&PlannedConfig> {
        self.listing.as_ref()
    }

    fn answer(&self, id: &SessionId) -> AnswerFrom {
        let mut chosen = self.answers.iter().rev();
        let chosen = chosen.find(|(of, _)| of == id);
        chosen.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }
}

impl Workbench {
    /// What the column of the contract shows.
    pub fn contract_desk(&self) -> &ContractDesk {
        &self.sessions.contract
    }

    /// What was found for the selected session.
    pub fn contract_look(&self) -> Option<&Arc<ContractLook>> {
        self.sessions.contract.look(self.sessions.selected()?)
    }

    pub(in crate::workbench) fn act_on_contract(&mut self, action: ContractAction) -> Vec<Effect> {
        match action {
            ContractAction::UseConfig(doc) => {
                self.sessions.contract.config = Some(doc);
                // What is shown of the one before must not be added to the other.
                self.sessions.contract.listing = None;
            }
            ContractAction::Try(answer) => self.try_on(answer),
            ContractAction::FindAnswers(words) => return self.find_answers(words),
            ContractAction::AskToList => {
                self.sessions.contract.listing = None;
                self.overlay = Some(Overlay::AddToConfig);
                return self.show_listing();
            }
            ContractAction::List => return self.list_in_config(),
            ContractAction::SetType(doc, pointer, kind) => {
                return vec![plan(doc, ConfigEdit::SetType(pointer, kind))];
            }
            ContractAction::Run(scope) => self.propose_run(scope),
        }
        Vec::new()
    }

    fn try_on(&mut self, answer: AnswerFrom) {
        let contract = &mut self.sessions.contract;
        if let Some(id) = &self.sessions.selected {
            contract.answers.retain(|(of, _)| of != id);
            contract.answers.push((id.clone(), answer));
        }
        self.overlay = None;
    }

    fn find_answers(&mut self, words: String) -> Vec<Effect> {
        let session = self.session();
        let asked = session.and_then(|it| crate::format::text(&it.input));
        let wanted = FindAnswers {
            words: words.clone(),
            asked: asked.unwrap_or_default().to_owned(),
            items: self.library.items().clone(),
        };
        self.sessions.contract.words = words;
        vec![of(ContractEffect::FindAnswers(wanted))]
    }

    /// Sees to it that what is shown of the contract follows the session, its configuration and the answer.
    pub(in crate::workbench) fn follow_contract(&mut self) -> Vec<Effect> {
        if !self.shows_sessions() || self.progress.is_some() {
            return Vec::new();
        }
        let SessionShown::Ready(document, revision) = self.session_shown() else {
            return Vec::new();
        };
        let Some(id) = self.sessions.selected.clone() else {
            return Vec::new();
        };
        let contract = &self.sessions.contract;
        let made_for = MadeFor {
            revision,
            items: self.library.items_revision(),
            config: contract.config,
            answer: contract.answer(&id),
            id,
        };
        let mut effects = Vec::new();
        if contract.made_for.as_ref() != Some(&made_for) {
            let wanted = self.look_at(&made_for, document);
            effects.push(of(ContractEffect::Look(Box::new(wanted))));
            self.sessions.contract.asked += 1;
            self.sessions.contract.made_for = Some(made_for);
        }
        effects
    }

    fn look_at(&self, made_for: &MadeFor, document: Arc<Document>) -> LookAtContract {
        let counts = |doc: DocId| {
            let kind = self.library.get(doc).map(|item| item.kind);
            matches!(kind, Some(Kind::Config | Kind::Contract | Kind::Report))
        };
        let edited = self.library.copies().filter(|(doc, _)| counts(*doc));
        LookAtContract {
            key: self.sessions.contract.asked + 1,
            id: made_for.id.clone(),
            document,
            items: self.library.items().clone(),
            texts: edited
                .map(|(doc, copy)| (doc, copy.text().clone()))
                .collect(),
            config: made_for.config,
            answer: made_for.answer.clone(),
        }
    }

    pub(super) fn contract_found(&mut self, event: ContractEvent) -> Vec<Effect> {
        let contract = &mut self.sessions.contract;
        match event {
            ContractEvent::Found(key, look) if key == contract.asked => {
                if let Some(made_for) = &contract.made_for {
                    contract.look = Some((made_for.id.clone(), look));
                }
                self.show_listing()
            }
            ContractEvent::Answers(words, answers) if words == contract.words => {
                contract.found = Some(answers);
                Vec::new()
            }
            ContractEvent::Planned(generation, doc, edit, planned)
                if generation == self.generation =>
            {
                self.config_planned(doc, &edit, *planned)
            }
            _ => Vec::new(),
        }
    }
}

fn of(effect: ContractEffect) -> Effect {
    Effect::Sessions(SessionsEffect::Contract(effect))
}

fn plan(doc: DocId, edit: ConfigEdit) -> Effect {
    of(ContractEffect::Plan(doc, edit))
}
