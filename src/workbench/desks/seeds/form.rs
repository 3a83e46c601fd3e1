//! The form of a seed.

use author::seeds::{
    HashKey, NewSeed, ProviderKey, SeedFileEdit, SeedRequest, schema_of_step, summarise_response,
};
use calls::Item;
use document::FileKind;
use protocol::{DocId, LoadedSeeds, SeedId};

/// The values of the form, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedForm {
    /// Whether it adds or replaces a seed.
    pub kind: FormKind,
    /// The schema of the answer.
    pub schema: String,
    pub model: String,
    pub job: String,
    /// The round, a whole number.
    pub round: String,
    pub response: String,
    /// The file of the seed; `None` if no file can be chosen.
    pub file: Option<DocId>,
}

/// Whether a form adds or replaces a seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FormKind {
    /// Adds a seed.
    #[default]
    New,
    /// Replaces this deprecated seed.
    Replace {
        /// The deprecated seed.
        seed: SeedId,
        /// Its JSON Pointer.
        pointer: String,
        key: String,
    },
}

/// Whether seeds can be added to a file.
pub(super) fn takes_seeds(item: &Item) -> bool {
    // Calls in test code are seeds, too, but code is not edited.
    item.kind == FileKind::Seeds && item.path.ends_with(".json")
}

impl SeedForm {
    /// Creates a form for a call.
    pub(super) fn for_call(question: &SeedRequest, response: &str, file: Option<DocId>) -> Self {
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

    /// Creates a form that replaces a deprecated seed, with the parts of its key.
    pub(super) fn replacing(seeds: &LoadedSeeds, id: SeedId) -> Option<Self> {
        let seed = seeds.memory.seed(seeds.at(id)?);
        let ProviderKey::Hash(HashKey { step, model, .. }) = &seed.key else { return None };
        let schema = schema_of_step(step.known().map_or("", |step| step));
        Some(Self {
            kind: FormKind::Replace {
                seed: id,
                pointer: seed.pointer.to_string(),
                key: seed.key.to_string(),
            },
            schema: schema.to_owned(),
            model: model.known().map_or(String::new(), |model| model.to_string()),
            // A deprecated key has neither job nor round.
            job: String::new(),
            round: "0".to_owned(),
            response: seed.response.known().map_or(String::new(), |response| response.to_string()),
            file: Some(id.doc),
        })
    }

    /// Reason the form cannot be applied, as a sentence without a full stop; `None` if it can.
    pub fn fault(&self) -> Option<&'static str> {
        let parts = [
            (&self.schema, "Enter a schema"),
            (&self.model, "Enter a model"),
            (&self.job, "Enter a job"),
        ];
        match parts.iter().find(|(part, _)| part.trim().is_empty()) {
            Some((_, message)) => Some(message),
            None if self.round.trim().parse::<i64>().is_err() => {
                Some("The round must be a whole number of at least 0")
            }
            None if self.file.is_none() => {
                Some("No seed file is open; create one with `retake export seeds`")
            }
            None => None,
        }
    }

    /// Remark on a value that the user should check, as a sentence; `None` if there is none.
    pub fn warning(&self) -> Option<&'static str> {
        let parts = [&self.schema, &self.model, &self.job];
        let any = |sign: fn(char) -> bool| parts.iter().any(|part| part.trim().contains(sign));
        if any(|c| c == ':') {
            Some("A part contains a colon, which separates the parts of a key.")
        } else if any(char::is_whitespace) {
            Some("A part contains white space. Keys do not contain prompt text.")
        } else if self.response.is_empty() {
            Some("An empty response counts as absent.")
        } else if summarise_response(&self.response).is_none() {
            Some("The response is not valid JSON.")
        } else {
            None
        }
    }

    /// The seed of the form.
    pub fn seed(&self) -> Option<NewSeed> {
        Some(NewSeed::Trace {
            schema: self.schema.trim().to_owned(),
            model: self.model.trim().to_owned(),
            job: self.job.trim().to_owned(),
            round: self.round.trim().parse().ok()?,
            response: self.response.clone(),
        })
    }

    /// The call that matches the seed exactly.
    pub(super) fn question(&self) -> Option<SeedRequest> {
        Some(SeedRequest {
            schema: Some(self.schema.trim().to_owned()),
            model: self.model.trim().to_owned(),
            job: Some(self.job.trim().to_owned()),
            round: self.round.trim().parse().ok()?,
            ..SeedRequest::default()
        })
    }

    /// The edit of the form.
    ///
    /// # Errors
    ///
    /// See [`SeedForm::fault`].
    pub(super) fn change(&self) -> Result<(DocId, SeedFileEdit), &'static str> {
        let fault = self.fault();
        match (self.seed(), self.file) {
            (Some(seed), Some(file)) if fault.is_none() => Ok((
                file,
                match &self.kind {
                    FormKind::New => SeedFileEdit::Add(seed),
                    FormKind::Replace { pointer, .. } => {
                        SeedFileEdit::Replace { pointer: pointer.clone(), seed }
                    }
                },
            )),
            _ => Err(fault.unwrap_or("The form is incomplete")),
        }
    }
}
