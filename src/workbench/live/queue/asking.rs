//! A request that waits, and the answer that is being made for it.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::desk::Outcome;
use crate::format::{self, Node};
use crate::ops::live::form::{Filled, Form};
use crate::ops::live::queue::{AnswerRule, Question, Reply};
use crate::workbench::library::DocId;

/// Names a request: its queue, and its file there without `.json`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId {
    /// The folder of the queue.
    pub queue: Arc<Path>,
    /// The name of its file without `.json`.
    pub name: Arc<str>,
}

/// By what a request is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnswerWay {
    /// By calling a tool.
    #[default]
    Tool,
    /// By words.
    Text,
    /// By the answer of a recording that comes near.
    Recording,
    /// By a rule of the project.
    Rule,
}

impl AnswerWay {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Text, Self::Recording, Self::Rule];
}

/// A tool that a request offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOffered {
    /// Its name.
    pub name: String,
    /// What the model is told of it.
    pub description: String,
    /// The schema of its input.
    schema: Option<format::NodeId>,
}

/// A set whose recordings come near to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct NearSet {
    /// Its folder, from the project root.
    pub folder: Arc<str>,
    /// The nearest first.
    pub nearest: Vec<Near>,
}

/// A recording that comes near to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The recording.
    pub doc: DocId,
    /// Its path, from the project root.
    pub path: Arc<str>,
    /// What people call it.
    pub label: Arc<str>,
    /// What is against it, in a few words.
    pub short: String,
    /// The same in whole sentences; none where it has the signature of the request.
    pub against: Vec<String>,
    /// How much differs; only good for comparing.
    pub distance: usize,
    /// What it answers, or why nothing.
    pub reply: Result<Reply, String>,
}

/// An answer as it is being made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerDraft {
    /// By what.
    pub way: AnswerWay,
    /// The tool that is called, by its position among those that are offered.
    pub tool: Option<usize>,
    /// The input of each tool.
    pub forms: Vec<Form>,
    /// What is said before the call.
    pub before: String,
    /// What is said in place of a call.
    pub text: String,
    /// Why, for people.
    pub reasoning: String,
    /// The set whose recordings are offered; `None`: the nearest one.
    pub set: Option<Arc<str>>,
    /// The recording that answers, by its position in the set.
    pub recording: usize,
}

/// A request that waits.
#[derive(Debug)]
pub struct Asking {
    /// Which one it is.
    pub id: RequestId,
    /// What it asks.
    pub question: Question,
    /// The tools that it offers.
    pub tools: Vec<ToolOffered>,
    /// When it was written.
    pub at: Timestamp,
    /// When its client gives up, in seconds of the window.
    pub(super) until: f64,
    /// What was filled in for it.
    pub(super) draft: AnswerDraft,
    /// The input of the chosen tool.
    pub(super) filled: Option<Filled>,
    /// Recordings that come near, and of which revision of the items they are.
    pub(super) near: Option<(u64, Arc<[NearSet]>)>,
    /// What the answer is by that is being written.
    pub(super) writing: Option<Outcome>,
    /// What became of it; it is only still there because it is looked at.
    pub(super) ended: Option<Outcome>,
    /// Whether its client has probably given up.
    pub(super) is_past: bool,
}

impl Asking {
    pub(super) fn new(id: RequestId, question: Question, at: Timestamp, until: f64) -> Self {
        let tools = tools(&question);
        let document = &question.document;
        let form = |tool: &ToolOffered| Form::new(tool.schema.map(|schema| document.node(schema)));
        let draft = AnswerDraft {
            forms: tools.iter().map(form).collect(),
            ..AnswerDraft::default()
        };
        Self {
            id,
            question,
            tools,
            at,
            until,
            draft,
            filled: None,
            near: None,
            writing: None,
            ended: None,
            is_past: false,
        }
    }

    /// What people call it: the node it is made at, else its id.
    pub fn label(&self) -> String {
        match &self.question.asked.node {
            Some(node) => format!("at {node}"),
            None => self.request_id().to_owned(),
        }
    }

    /// The same without a word of place, for lists.
    pub(super) fn short_label(&self) -> String {
        let node = self.question.asked.node.as_deref();
        node.unwrap_or_else(|| self.request_id()).to_owned()
    }

    /// The id that its answer carries.
    pub fn request_id(&self) -> &str {
        let id = self.question.asked.id.as_deref();
        id.unwrap_or(&self.id.name)
    }

    /// What was filled in.
    pub fn draft(&self) -> &AnswerDraft {
        &self.draft
    }

    /// The input of the chosen tool, and whether it fits.
    pub fn filled(&self) -> Option<&Filled> {
        self.filled.as_ref()
    }

    /// What became of it, if it does not wait any more.
    pub fn ended(&self) -> Option<&Outcome> {
        self.ended.as_ref()
    }

    /// Whether its client has probably given up.
    pub fn is_past(&self) -> bool {
        self.is_past
    }

    /// The sets by how near they come; `None` while that is looked for.
    pub fn sets(&self) -> Option<&[NearSet]> {
        self.near.as_ref().map(|(_, sets)| &**sets)
    }

    /// The set whose recordings are offered.
    pub fn set(&self) -> Option<&NearSet> {
        let sets = self.sets()?;
        let chosen = self.draft.set.as_ref();
        let chosen = chosen.and_then(|folder| sets.iter().find(|set| set.folder == *folder));
        chosen.or(sets.first())
    }

    /// The recording that is chosen.
    pub fn recording(&self) -> Option<&Near> {
        let nearest = &self.set()?.nearest;
        nearest.get(self.draft.recording).or(nearest.first())
    }

    /// The schema of the chosen tool's input.
    pub(super) fn schema(&self) -> Option<Node<'_>> {
        let tool = self.tools.get(self.draft.tool?)?;
        Some(self.question.document.node(tool.schema?))
    }

    /// Takes what was filled in.
    pub(super) fn fill(&mut self, draft: AnswerDraft) {
        self.draft = draft;
        self.filled = self.draft.tool.and_then(|tool| {
            let form = self.draft.forms.get(tool)?;
            Some(form.filled(self.schema()))
        });
    }

    /// Whether nothing was filled in yet.
    pub(super) fn is_untouched(&self) -> bool {
        let draft = &self.draft;
        let is_empty = |form: &Form| {
            let mut entries = form.entries.iter();
            form.whole.is_empty() && entries.all(|entry| entry.typed.is_empty())
        };
        let texts = [&draft.before, &draft.text, &draft.reasoning];
        draft.tool.is_none()
            && texts.iter().all(|text| text.is_empty())
            && draft.forms.iter().all(is_empty)
    }

    /// The rule that answers it: the first one that fits.
    pub fn rule<'r>(&self, rules: &'r [AnswerRule]) -> Option<&'r AnswerRule> {
        rules.iter().find(|rule| rule.answers(&self.question))
    }

    /// The answer as it would be written, or what is missing, in a few words. A rule's answer is made where files are read.
    pub(super) fn reply(&self) -> Result<(Reply, Outcome), String> {
        let draft = &self.draft;
        let (reply, by) = match draft.way {
            AnswerWay::Tool => (self.call()?, Outcome::ByHand),
            AnswerWay::Text if draft.text.is_empty() => {
                return Err("write what is answered".to_owned());
            }
            AnswerWay::Text => (Reply::of_text(&draft.text), Outcome::ByHand),
            AnswerWay::Recording => {
                let near = self.recording().ok_or("there is no recording")?;
                let because = || format!("Retake: as {}", near.path);
                let reply = near.reply.clone()?.or_because(because);
                (reply, Outcome::Recording(Arc::clone(&near.label)))
            }
            AnswerWay::Rule => return Err("a rule answers".to_owned()),
        };
        let own = |reply: Reply| Reply {
            reasoning: draft.reasoning.clone(),
            ..reply
        };
        Ok(if draft.reasoning.is_empty() {
            (reply, by)
        } else {
            (own(reply), by)
        })
    }

    fn call(&self) -> Result<Reply, String> {
        let draft = &self.draft;
        let tool = draft.tool.and_then(|tool| self.tools.get(tool));
        let (Some(tool), Some(filled)) = (tool, &self.filled) else {
            return Err("choose a tool".to_owned());
        };
        match filled.misfits.first() {
            Some(_) => Err("the input does not fit its schema".to_owned()),
            None => Ok(Reply::of_call(&draft.before, &tool.name, &filled.json)),
        }
    }
}

fn tools(question: &Question) -> Vec<ToolOffered> {
    let tools = question.request().map(|request| request.tools.iter());
    let tools = tools.into_iter().flatten();
    let tools = tools.map(|tool| ToolOffered {
        name: format::text(&tool.name).unwrap_or_default().to_owned(),
        description: format::text(&tool.description)
            .unwrap_or_default()
            .to_owned(),
        schema: tool.input_schema,
    });
    tools.collect()
}
