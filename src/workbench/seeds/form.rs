//! A seed that is being written: what its form holds.

use super::SeedId;
use super::loaded::Loaded;
use crate::format::Kind;
use crate::ops::Item;
use crate::ops::seeds::{Change, HashKey, Key, NewSeed, Question, glance, schema_of_step};
use crate::workbench::DocId;

/// What is filled in, as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// What becomes of it.
    pub kind: FormKind,
    /// What the answer is an instance of.
    pub schema: String,
    /// Who is asked.
    pub model: String,
    /// The job.
    pub job: String,
    /// The round, a whole number.
    pub round: String,
    /// What is answered.
    pub response: String,
    /// The file that gets it; `None` where there is none to choose.
    pub file: Option<DocId>,
}

/// What becomes of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FormKind {
    /// One more seed.
    #[default]
    New,
    /// It takes the place of this one, of the deprecated kind.
    Replace {
        /// The other seed.
        seed: SeedId,
        /// Its JSON Pointer.
        pointer: String,
        /// Its key.
        key: String,
    },
}

/// Whether seeds can be added to a file.
pub(super) fn takes_seeds(item: &Item) -> bool {
    item.kind == Kind::Seeds && item.path.ends_with(".json")
}

impl Form {
    /// A seed for a call.
    pub(super) fn for_call(question: &Question, response: &str, file: Option<DocId>) -> Self {
        Self {
            kind: FormKind::New,
            schema: question.schema.clone().unwrap_or_default(),
            model: question.model.clone(),
            job: question.job.clone().unwrap_or_default(),
            round: question.round.to_string(),
            response: response.to_owned(),
            file,
        }
    }

    /// A seed in place of one of the deprecated kind, with what its key tells.
    pub(super) fn replacing(loaded: &Loaded, id: SeedId) -> Option<Self> {
        let seed = loaded.memory.seed(loaded.at(id)?);
        let Key::Hash(HashKey { step, model, .. }) = &seed.key else {
            return None;
        };
        let schema = schema_of_step(step.known().map_or("", |step| step));
        Some(Self {
            kind: FormKind::Replace {
                seed: id,
                pointer: seed.pointer.to_string(),
                key: seed.key.to_string(),
            },
            schema: schema.to_owned(),
            model: model
                .known()
                .map_or(String::new(), |model| model.to_string()),
            job: String::new(),
            round: "0".to_owned(),
            response: seed
                .response
                .known()
                .map_or(String::new(), |response| response.to_string()),
            file: Some(id.doc),
        })
    }

    /// What keeps the form from being applied, as a sentence without a full stop; `None` for nothing.
    pub fn fault(&self) -> Option<&'static str> {
        let parts = [
            (&self.schema, "Name the schema"),
            (&self.model, "Name the model"),
            (&self.job, "Name the job"),
        ];
        let missing = parts.iter().find(|(part, _)| part.trim().is_empty());
        match missing {
            Some((_, wish)) => Some(wish),
            None if self.round.trim().parse::<i64>().is_err() => {
                Some("The round is a whole number, from 0 on")
            }
            None if self.file.is_none() => {
                Some("There is no file of seeds; `retake export seeds` makes one")
            }
            None => None,
        }
    }

    /// What is worth a look before it is applied, as a sentence; `None` for nothing.
    pub fn warning(&self) -> Option<&'static str> {
        let parts = [&self.schema, &self.model, &self.job];
        let any = |sign: fn(char) -> bool| parts.iter().any(|part| part.trim().contains(sign));
        if any(|c| c == ':') {
            Some("A part holds a colon, which is what parts keys.")
        } else if any(char::is_whitespace) {
            Some(
                "A part contains white space, as words of a prompt would. Keys never hold what was said.",
            )
        } else if self.response.is_empty() {
            Some("An empty response counts as absent.")
        } else if glance(&self.response).is_none() {
            Some("The response is no JSON.")
        } else {
            None
        }
    }

    /// The seed that is described.
    pub fn seed(&self) -> Option<NewSeed> {
        Some(NewSeed::Trace {
            schema: self.schema.trim().to_owned(),
            model: self.model.trim().to_owned(),
            job: self.job.trim().to_owned(),
            round: self.round.trim().parse().ok()?,
            response: self.response.clone(),
        })
    }

    /// The call that meets the seed exactly.
    pub(super) fn question(&self) -> Option<Question> {
        Some(Question {
            schema: Some(self.schema.trim().to_owned()),
            model: self.model.trim().to_owned(),
            job: Some(self.job.trim().to_owned()),
            round: self.round.trim().parse().ok()?,
            ..Question::default()
        })
    }

    /// The edit that is described.
    ///
    /// # Errors
    ///
    /// See [`Form::fault`].
    pub(super) fn change(&self) -> Result<(DocId, Change), &'static str> {
        let fault = self.fault();
        match (self.seed(), self.file) {
            (Some(seed), Some(file)) if fault.is_none() => Ok((
                file,
                match &self.kind {
                    FormKind::New => Change::Add(seed),
                    FormKind::Replace { pointer, .. } => Change::Replace {
                        pointer: pointer.clone(),
                        seed,
                    },
                },
            )),
            _ => Err(fault.unwrap_or("The form is not filled in")),
        }
    }
}
