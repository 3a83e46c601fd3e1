//! A project's rules for answering requests, as they are in its file now.

use std::path::Path;
use std::sync::Arc;

use crate::disk::root::{ReadRefusal, Root, enclosing_project, to_sentence};
use check::settings::{FILE_NAME, parse};
use document::Document;
use document::text::Source;
use play::live::queue::{AnswerRule, QueueReply, RuleRequest};

/// The rules of a project. They are read each time they are used, so that a new rule applies at once.
#[derive(Clone, Debug)]
pub struct ProjectRules {
    root: Arc<Root>,
}

impl ProjectRules {
    /// The rules of the project with this root.
    pub(crate) fn new(root: Arc<Root>) -> Self {
        Self { root }
    }

    /// The rules of the project that encloses a folder, or of the one at `root`.
    ///
    /// # Errors
    ///
    /// A message when it cannot be opened.
    pub fn open(folder: &Path, root: Option<&Path>) -> Result<Self, String> {
        let refusal = |error: std::io::Error| ReadRefusal::from_error(&error).to_string();
        let root = match root {
            Some(root) => root.to_owned(),
            None => enclosing_project(&std::fs::canonicalize(folder).map_err(refusal)?).to_owned(),
        };
        Ok(Self::new(Arc::new(Root::open(&root).map_err(refusal)?)))
    }

    /// Returns the rules in the order of the file, and a message for each part of the file that is invalid.
    pub fn read(&self) -> (Vec<AnswerRule>, Vec<String>) {
        match self.root.read(FILE_NAME) {
            Ok(bytes) => {
                let (settings, problems) = parse(&Source::from_bytes(bytes));
                let messages = problems.into_iter().map(|problem| {
                    let (place, message) = (problem.place, problem.message);
                    format!("{FILE_NAME}:{place}: {message}")
                });
                (settings.answers, messages.collect())
            }
            Err(ReadRefusal::Missing) => Default::default(),
            Err(refusal) => {
                let messages = to_sentence(refusal);
                (Vec::new(), vec![format!("{FILE_NAME}: {messages}")])
            }
        }
    }

    /// Returns the answer of the first rule that matches, with its name; `None` when none does.
    pub fn reply(&self, question: &RuleRequest) -> Option<(Arc<str>, Result<QueueReply, String>)> {
        // Invalid parts of the file are reported where the rules are listed.
        let (rules, _) = self.read();
        let rule = rules.iter().find(|rule| rule.answers(question))?;
        Some((rule.name.as_str().into(), rule.reply(question, |path| self.recording(path))))
    }

    fn recording(&self, path: &str) -> Result<Document, String> {
        let bytes = self.root.read(path).map_err(|refusal| {
            let reason = to_sentence(refusal);
            format!("{path}: {reason}")
        })?;
        Ok(document::read(Source::from_bytes(bytes), path))
    }
}
