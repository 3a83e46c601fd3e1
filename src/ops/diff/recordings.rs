//! Two recordings, or a recording and a bare request: what differs, and which of it decides the match.

mod describe;
mod sections;

use std::ops::Range;

use super::Side;
use super::outline::Outline;
use super::signature::{Party, PartyKind, SignatureDiff};
use super::text::TextDiff;
use crate::format::recording::{Recording, Request};
use crate::format::{Body, Document, text};

/// Two calls side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Who stands on each side, left first.
    pub facts: [Facts; 2],
    /// What playback looks at, and what follows from it.
    pub signatures: SignatureDiff,
    /// The parts of both calls as texts beside each other, in the order of a call: request, answer, tool calls, the rest.
    pub sections: Vec<Section>,
    /// Everything that differs and means something; first what decides the match.
    pub differences: Vec<Difference>,
    /// Times and ids that differ, as they do in every call.
    pub set_aside: Vec<SetAside>,
    /// Both files as they are written.
    pub files: TextDiff,
}

/// What a heading says of a side.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What it is.
    pub kind: PartyKind,
    /// The request's id, if it has one.
    pub id: Option<String>,
    /// When it was recorded (a request: asked), as written.
    pub at: Option<String>,
    /// Why the answer ended.
    pub stop_reason: Option<String>,
    /// Time from the request to the answer, in milliseconds, where both are noted.
    pub answer_millis: Option<i64>,
}

/// A part of a call on both sides.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it is a part of.
    pub kind: SectionKind,
    /// Its heading: `Request`, `Answer`, `Tool call`, …
    pub title: &'static str,
    /// What stands beside the heading on each side; empty where the side has no such part.
    pub notes: [String; 2],
    /// The JSON Pointer of the part on each side.
    pub pointers: [Option<String>; 2],
    /// The two texts.
    pub diff: TextDiff,
    /// Parts of the text with pointers of their own, by the number of their first line, per side.
    labels: [Vec<Label>; 2],
}

/// What a section shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// The system prompt.
    System,
    /// A message of the request.
    Message,
    /// The context of the request.
    Context,
    /// The definition of an offered tool.
    Tool,
    /// The answer's text.
    Answer,
    /// A tool call of the answer.
    ToolCall,
    /// Fields that no other section shows.
    Other,
}

impl SectionKind {
    /// True for what people wrote or read as sentences, false for data.
    pub fn is_prose(self) -> bool {
        matches!(self, Self::System | Self::Message | Self::Answer)
    }
}

/// A named part of a section's text.
#[derive(Clone, Debug)]
struct Label {
    first_line: u32,
    name: String,
    pointer: String,
}

/// Something that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What, in words.
    pub words: Vec<Words>,
    /// The JSON Pointer of the value, on the right where it has it, else on the left.
    pub pointer: String,
    /// Whether playback looks at it.
    pub weight: Weight,
    /// What kind of change it is, for a sign.
    pub sign: Sign,
    /// Where it is shown.
    pub target: Target,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    /// Said as it is.
    Plain(String),
    /// A name, to stand out.
    Name(String),
}

impl Difference {
    /// The words as one text.
    pub fn sentence(&self) -> String {
        let part = |words: &Words| match words {
            Words::Plain(text) | Words::Name(text) => text.clone(),
        };
        self.words.iter().map(part).collect()
    }
}

/// Whether playback looks at a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Weight {
    /// It keeps one side from answering for the other.
    Decides,
    /// No client looks at it.
    NotLookedAt,
}

impl Weight {
    /// As a list says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decides => "decides",
            Self::NotLookedAt => "not looked at",
        }
    }
}

/// What kind of change a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// Only the right has it.
    Added,
    /// Only the left has it.
    Removed,
    /// One thing took another's place.
    Replaced,
    /// Sentences changed.
    Text,
    /// A value changed.
    Value,
}

/// Where a difference is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// These rows of [`SignatureDiff::tools`].
    Tools(Vec<usize>),
    /// The row with the counts of messages.
    MessageCount,
    /// This row of [`SignatureDiff::context_keys`].
    ContextKey(usize),
    /// The heading of a section.
    Heading(usize),
    /// Rows of a section's text.
    Rows(usize, Vec<Range<usize>>),
}

/// A time or an id that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// What it is: `request id`, `recorded at`, …
    pub what: &'static str,
    /// Its JSON Pointer.
    pub pointer: String,
    /// As written on the left; `None` where it is missing.
    pub left: Option<String>,
    /// As written on the right.
    pub right: Option<String>,
}

/// A recording or a bare request, with the document it was read from.
#[derive(Clone, Copy)]
struct Call<'a> {
    document: &'a Document,
    request: &'a Request,
    recording: Option<&'a Recording>,
}

impl<'a> Call<'a> {
    fn of(document: &'a Document) -> Option<Self> {
        let (request, recording) = match &document.body {
            Body::Recording(recording) => (&recording.request, Some(recording)),
            Body::Request(request) => (request, None),
            _ => return None,
        };
        Some(Self {
            document,
            request,
            recording,
        })
    }

    fn party(self) -> Party {
        match self.recording {
            Some(recording) => Party::recording(recording),
            None => Party::request(self.request),
        }
    }

    fn facts(self) -> Facts {
        let answer = self
            .recording
            .and_then(|recording| recording.answer.as_ref());
        let recorded = self
            .recording
            .and_then(|recording| text(&recording.recorded_at));
        let asked = text(&self.request.timestamp);
        let answered = answer.and_then(|answer| text(&answer.timestamp));
        Facts {
            kind: match self.recording {
                Some(_) => PartyKind::Recording,
                None => PartyKind::Request,
            },
            id: text(&self.request.id).map(str::to_owned),
            at: recorded.or(asked).map(str::to_owned),
            stop_reason: answer
                .and_then(|answer| text(&answer.stop_reason))
                .map(str::to_owned),
            answer_millis: asked
                .zip(answered)
                .and_then(|(from, to)| millis_between(from, to)),
        }
    }
}

fn millis_between(from: &str, to: &str) -> Option<i64> {
    let [from, to] = [from, to].map(|time| time.parse::<jiff::Timestamp>().ok());
    let millis = to?.as_millisecond() - from?.as_millisecond();
    (millis >= 0).then_some(millis)
}

impl Comparison {
    /// Compares two documents; `None` when one of them is neither a recording nor a request.
    pub fn new(left: &Document, right: &Document) -> Option<Self> {
        let calls = [Call::of(left)?, Call::of(right)?];
        let [l, r] = calls.map(Call::party);
        let signatures = SignatureDiff::new(l, r);
        let sections = sections::all(&calls);
        let differences = describe::differences(&calls, &signatures, &sections);
        Some(Self {
            facts: calls.map(Call::facts),
            signatures,
            differences,
            set_aside: describe::set_aside(&calls),
            sections,
            files: TextDiff::new(left.source(), right.source(), Outline::Json),
        })
    }

    /// What a side is.
    pub fn facts(&self, side: Side) -> &Facts {
        match side {
            Side::Left => &self.facts[0],
            Side::Right => &self.facts[1],
        }
    }

    /// The differences as a Markdown list.
    pub fn markdown(&self) -> String {
        let mut list = String::new();
        let verdict = &self.signatures.shipped;
        list.push_str(&format!("{} {}\n\n", verdict.title, verdict.detail));
        for difference in &self.differences {
            let words: String = difference
                .words
                .iter()
                .map(|words| match words {
                    Words::Plain(text) => crate::text::visible(text).into_owned(),
                    Words::Name(name) => {
                        format!("`{}`", crate::text::visible(name).replace('`', "'"))
                    }
                })
                .collect();
            let weight = difference.weight.as_str();
            let pointer = crate::text::visible(&difference.pointer).replace('`', "'");
            list.push_str(&format!("- {words} ({weight}): `{pointer}`\n"));
        }
        list
    }
}
