//! Compares two recordings, or a recording and a bare request: what differs, and which differences decide the match.

mod describe;
mod ignored;
mod parts;
mod sections;

use std::borrow::Cow;
use std::ops::Range;

use super::signature::{MatchingSide, MatchingSideKind, NameRow, SignatureDiff};
use document::diff::Side;
use document::diff::alike::format_alike;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::recording::{Recording, Request};
use document::text::{Span, counted};
use document::{Document, PointerIndex, json, text};

/// A comparison of two calls.
#[derive(Clone, Debug)]
pub struct RecordingComparison {
    /// Facts about each side, left first.
    pub facts: [CallFacts; 2],
    /// The compared signatures, with verdicts.
    pub signatures: SignatureDiff,
    /// Whether the clients that the verdicts are about play these calls: those of other files have clients of their own.
    pub is_judged: bool,
    /// The parts of both calls as pairs of texts, the most informative first: answer, request, the rest.
    pub sections: Vec<CallSection>,
    /// All meaningful differences, those that decide the match first.
    pub differences: Vec<RecordingDifference>,
    /// Different times and ids, which are ignored.
    pub ignored: Vec<IgnoredDifference>,
    /// Their number in words, such as `2 timestamps and 1 ID`.
    pub ignored_summary: String,
    /// The diff of both files as written.
    pub files: TextDiff,
}

/// Facts about a side for its heading.
#[derive(Clone, Debug, PartialEq)]
pub struct CallFacts {
    /// Recording or request.
    pub kind: MatchingSideKind,
    /// The request's id, if it has one.
    pub id: Option<String>,
    /// When it was recorded (for a request: made), as written.
    pub at: Option<String>,
    /// Stop reason of the answer.
    pub stop_reason: Option<String>,
    /// Time from the request to the answer in milliseconds, if both are known.
    pub answer_millis: Option<i64>,
}

/// A part of a call on both sides.
#[derive(Clone, Debug)]
pub struct CallSection {
    /// Kind of the part.
    pub kind: SectionKind,
    /// Its heading: `Request`, `Answer`, `Tool call`, …
    pub title: &'static str,
    /// Text next to the heading on each side; empty if the side has no such part.
    pub notes: [String; 2],
    /// The JSON Pointer of the part on each side.
    pub pointers: [Option<String>; 2],
    /// Whether both sides are text for people without values in it, which can be rendered.
    pub is_text: bool,
    /// The two texts.
    pub diff: TextDiff,
    /// Labelled parts of the text on each side, by their first line.
    labels: [Vec<SectionLabel>; 2],
}

impl CallSection {
    /// Returns the lines of the fields of the request among those that no other section shows.
    fn request_fields(&self, side: Side) -> Vec<&str> {
        let labels = &self.labels[side as usize];
        let mut number = 0;
        let lines = self.diff.source(side).text().lines().filter(|_| {
            number += 1;
            let label = labels.iter().rev().find(|label| label.first_line <= number);
            label.is_some_and(|label| label.name.starts_with("request."))
        });
        lines.collect()
    }
}

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
    /// The model's reasoning before the answer.
    Reasoning,
    /// The answer's text.
    Answer,
    /// A tool call of the answer.
    ToolCall,
    /// Figures of the time that the answer took.
    Timing,
    Other,
}

impl SectionKind {
    /// Returns whether it is text for people, not data.
    pub fn is_prose(self) -> bool {
        matches!(self, Self::System | Self::Message | Self::Reasoning | Self::Answer)
    }
}

/// A named part of a section's text.
#[derive(Clone, Debug)]
struct SectionLabel {
    first_line: u32,
    name: String,
    pointer: String,
}

/// A figure of the time that an answer took.
#[derive(Clone, Debug)]
pub struct TimeFigure {
    pub name: &'static str,
    /// With its unit.
    pub time: String,
    /// The JSON Pointer of the value in its file.
    pub pointer: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecordingDifference {
    pub description: Vec<DescriptionPart>,
    /// JSON Pointer of the value, on the right if it exists there, else on the left.
    pub pointer: String,
    /// Whether playback compares it; `None` if the calls are not judged.
    pub weight: Option<DifferenceWeight>,
    /// Kind of change, for its icon.
    pub sign: ChangeSign,
    /// Place where it is shown.
    pub target: DifferenceTarget,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DescriptionPart {
    Plain(String),
    /// A name, to be highlighted.
    Name(String),
}

fn plain(text: impl Into<String>) -> DescriptionPart {
    DescriptionPart::Plain(text.into())
}

fn name(text: impl Into<String>) -> DescriptionPart {
    DescriptionPart::Name(text.into())
}

impl RecordingDifference {
    /// Returns the description as one text.
    pub fn sentence(&self) -> String {
        let part = |words: &DescriptionPart| match words {
            DescriptionPart::Plain(text) | DescriptionPart::Name(text) => text.clone(),
        };
        self.description.iter().map(part).collect()
    }
}

/// Whether playback compares a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceWeight {
    /// It prevents one side from answering the other's request.
    Decides,
    /// No client compares it.
    Ignored,
}

impl DifferenceWeight {
    /// Returns its text in a list.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decides => "decides",
            Self::Ignored => "ignored by playback",
        }
    }
}

/// Kind of change of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeSign {
    /// Only on the right.
    Added,
    /// Only on the left.
    Removed,
    /// One name was replaced by another.
    Replaced,
    /// Sentences changed.
    Text,
    Value,
}

/// Returns the kind of change of what only one side has.
fn only(side: Side) -> ChangeSign {
    match side {
        Side::Left => ChangeSign::Removed,
        Side::Right => ChangeSign::Added,
    }
}

/// Place where a difference is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceTarget {
    /// These rows of [`SignatureDiff::tools`].
    Tools(Vec<usize>),
    /// The row with the message counts.
    MessageCount,
    /// This row of [`SignatureDiff::context_keys`].
    ContextKey(usize),
    /// The heading of a section.
    Heading(usize),
    /// Rows of a section's text.
    Rows(usize, Vec<Range<usize>>),
}

impl DifferenceTarget {
    /// Returns whether a section shows it.
    pub fn is_in(&self, section: usize) -> bool {
        matches!(self, Self::Heading(shown) | Self::Rows(shown, _) if *shown == section)
    }
}

/// A different time or id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredDifference {
    /// Its name: `request id`, `recorded at`, …
    pub name: Cow<'static, str>,
    /// Its JSON Pointer.
    pub pointer: String,
    /// As written on the left; `None` if it is missing.
    pub left: Option<String>,
    /// As written on the right.
    pub right: Option<String>,
}

/// A recording or a bare request, with the document it was read from.
#[derive(Clone, Copy)]
struct ComparedCall<'a> {
    document: &'a Document,
    request: &'a Request,
    recording: Option<&'a Recording>,
}

impl<'a> ComparedCall<'a> {
    fn from_document(document: &'a Document) -> Option<Self> {
        Some(Self {
            document,
            request: document.body.request()?,
            recording: document.body.recording(),
        })
    }

    fn matching(self) -> MatchingSide {
        self.recording
            .map_or_else(|| MatchingSide::from_request(self.request), MatchingSide::from_recording)
    }

    fn facts(self) -> CallFacts {
        let answer = self.recording.and_then(|recording| recording.answer.as_ref());
        let recorded = self.recording.and_then(|recording| text(&recording.recorded_at));
        let requested_at = text(&self.request.timestamp);
        let answered = answer.and_then(|answer| text(&answer.timestamp));
        CallFacts {
            kind: match self.recording {
                Some(_) => MatchingSideKind::Recording,
                None => MatchingSideKind::Request,
            },
            id: text(&self.request.id).map(str::to_owned),
            at: recorded.or(requested_at).map(str::to_owned),
            stop_reason: answer.and_then(|answer| text(&answer.stop_reason)).map(str::to_owned),
            answer_millis: requested_at.zip(answered).and_then(|(f, t)| millis_between(f, t)),
        }
    }
}

fn millis_between(from: &str, to: &str) -> Option<i64> {
    let [from, to] = [from, to].map(|time| time.parse::<jiff::Timestamp>().ok());
    let millis = to?.as_millisecond() - from?.as_millisecond();
    // An answer before its request means that one of the times is wrong.
    (millis >= 0).then_some(millis)
}

impl RecordingComparison {
    /// Compares two documents; `None` when one of them is neither a recording nor a request.
    pub fn new(left: &Document, right: &Document) -> Option<Self> {
        let calls = [ComparedCall::from_document(left)?, ComparedCall::from_document(right)?];
        let [l, r] = calls.map(ComparedCall::matching);
        let signatures = SignatureDiff::new(l, r);
        let sections = sections::all(&calls);
        let differences = describe::differences(&calls, &signatures, &sections);
        let ignored = ignored::find_ignored(&calls);
        Some(Self {
            facts: calls.map(ComparedCall::facts),
            signatures,
            is_judged: true,
            differences,
            ignored_summary: counted(ignored.len(), "timestamp or ID", "timestamps and IDs"),
            ignored,
            sections,
            files: TextDiff::new(left.source(), right.source(), Outline::Json),
        })
    }

    /// Returns the same for calls of other files: without verdicts about playback.
    pub fn without_verdicts(mut self) -> Self {
        self.is_judged = false;
        for difference in &mut self.differences {
            difference.weight = None;
        }
        self
    }

    /// Adds the figures of time of both sides, if they differ.
    pub fn with_times(mut self, figures: [Vec<TimeFigure>; 2]) -> Self {
        if let Some(section) = sections::times(figures) {
            let lone = Default::default();
            parts::of_section(self.sections.len(), &section, &lone, &mut self.differences);
            self.sections.push(section);
        }
        self
    }

    /// Returns whether the requests have so little in common that marks of differences would say nothing: several tools each and none of
    /// them in both, or almost no text.
    pub fn is_unlike(&self) -> bool {
        let tools = Side::BOTH.map(|side| &self.signatures.side(side).own_signature().tool_names);
        let [left, right] = tools;
        let has_other_tools = left.len() > 1
            && right.len() > 1
            && !self.signatures.tools.iter().any(|row| matches!(row, NameRow::Both(_)));
        has_other_tools || self.has_other_messages()
    }

    fn has_other_messages(&self) -> bool {
        /// Of two versions of one request, more than one of this number of bytes is equal.
        const UNLIKE_SHARE: usize = 5;
        let is_message = |section: &&CallSection| section.kind == SectionKind::Message;
        let (mut equal, mut all) = (0, 0);
        for section in self.sections.iter().filter(is_message) {
            let diff = &section.diff;
            all += Side::BOTH.map(|s| diff.source(s).text().len()).into_iter().max().unwrap_or(0);
            for row in &diff.rows {
                let both = row.number(Side::Left).zip(row.number(Side::Right));
                match both.map(|(left, _)| diff.line(Side::Left, left).len()) {
                    Some(bytes) if row.is_same() => equal += bytes,
                    // A line that has another one beside it has words in common with that.
                    Some(bytes) => equal += bytes / 2,
                    None => {}
                }
            }
        }
        equal * UNLIKE_SHARE < all
    }

    /// Returns whether the offered tools or the numbers of messages differ.
    pub fn has_other_request(&self) -> bool {
        let [left, right] = Side::BOTH.map(|side| self.signatures.side(side).own_signature());
        (&left.tool_names, left.message_count) != (&right.tool_names, right.message_count)
    }

    /// Returns whether the requests are equal in all that is compared.
    pub fn has_equal_request(&self) -> bool {
        let is_equal = |section: &CallSection| match section.kind {
            SectionKind::System | SectionKind::Message => {
                section.diff.is_same() && section.diff.notes.is_empty()
            }
            // These have sections only if they differ.
            SectionKind::Context | SectionKind::Tool => false,
            SectionKind::Other => {
                section.request_fields(Side::Left) == section.request_fields(Side::Right)
            }
            _ => true,
        };
        !self.has_other_request() && self.sections.iter().all(is_equal)
    }

    /// Returns the facts about a side.
    pub fn facts(&self, side: Side) -> &CallFacts {
        &self.facts[side as usize]
    }

    /// Returns how many of the first sections are of the answer.
    pub fn answer_sections(&self) -> usize {
        // `sections::all` puts the answer first.
        let is_answer =
            |part: &&CallSection| matches!(part.kind, SectionKind::Answer | SectionKind::ToolCall);
        self.sections.iter().take_while(is_answer).count()
    }

    /// Compares both files as values, formatted in the same way.
    pub fn values(&self) -> TextDiff {
        let trees = Side::BOTH.map(|side| json::parse(self.files.source(side)).0);
        let [left, right] = format_alike(Some(&trees[0]), Some(&trees[1]));
        TextDiff::new(&left, &right, Outline::Json)
    }

    /// Finds the value of each difference in a text of the files, on the right if it is there.
    pub fn places(&self, diff: &TextDiff) -> Vec<Option<(Side, Span)>> {
        let trees = Side::BOTH.map(|side| (side, json::parse(diff.source(side)).0));
        let mut indices = trees.each_ref().map(|(side, tree)| (*side, PointerIndex::new(tree)));
        let place = |difference: &RecordingDifference| {
            let mut indices = indices.iter_mut().rev();
            indices.find_map(|(side, index)| Some((*side, index.find(&difference.pointer)?.span())))
        };
        self.differences.iter().map(place).collect()
    }

    /// Returns the differences as a Markdown list.
    pub fn markdown(&self) -> String {
        let mut list = String::new();
        if self.is_judged {
            let verdict = &self.signatures.shipped;
            list.push_str(&format!("{} {}\n\n", verdict.title, verdict.detail));
        }
        for difference in &self.differences {
            let words = difference.description.iter().map(|words| match words {
                DescriptionPart::Plain(text) => document::text::visible(text).into_owned(),
                DescriptionPart::Name(name) => {
                    // A backquote would end the code in Markdown.
                    format!("`{}`", document::text::visible(name).replace('`', "'"))
                }
            });
            let words: String = words.collect();
            let weight = difference.weight.map_or(String::new(), |w| format!(" ({})", w.as_str()));
            let pointer = document::text::visible(&difference.pointer).replace('`', "'");
            list.push_str(&format!("- {words}{weight}: `{pointer}`\n"));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diff::text::testing::render;
    use document::text::Source;

    const LEFT: &str = r##"{"request": {"type": "llm_invocation_request", "requestId": "req-1", "timestamp": "2026-03-12T08:00:00.000Z",
        "context": {"currentNode": "classify"},
        "messages": [{"role": "user", "content": "# Role\nYou sort tickets.\n\n# Objective\nDecide who should handle this ticket.\n\n# Transitions\nknown issue: respond\nneeds a person: escalate\n"}],
        "tools": [{"name": "transition_to_escalate", "description": "To a person"}, {"name": "transition_to_respond", "description": "Answer"}]},
      "response": {"timestamp": "2026-03-12T08:00:01.400Z", "response": {"content": [
        {"type": "text", "text": "A known issue, so a short answer is enough."},
        {"type": "tool_use", "id": "tool-1", "name": "transition_to_respond", "input": {"reason": "Known issue, answer in article 114", "tags": ["a", 1e2]}}], "stop_reason": "tool_use"}},
      "recordedAt": "2026-03-12T08:00:01.500Z"}"##;

    const RIGHT: &str = r##"{"request": {"type": "llm_invocation_request", "requestId": "req-2", "timestamp": "2026-06-02T08:00:00.000Z",
        "context": {"currentNode": "classify"}, "temperature": 0.0,
        "messages": [{"role": "user", "content": "# Role\nYou sort tickets.\n\n# Objective\nDecide who can handle the ticket.\n\n# Transitions\nknown issue: reply\nwants money back: refund\nneeds a person: escalate\n"}],
        "tools": [{"name": "transition_to_escalate", "description": "To a human"}, {"name": "transition_to_reply", "description": "Answer"}, {"name": "transition_to_refund"}]},
      "response": {"timestamp": "2026-06-02T08:00:01.100Z", "response": {"content": [
        {"type": "text", "text": "A known issue, so I can reply right away."},
        {"type": "tool_use", "id": "tool-7", "name": "transition_to_reply", "input": {"reason": "Known issue, see article 114", "tags": ["a", 1e2]}}], "stop_reason": "tool_use"}},
      "recordedAt": "2026-06-02T08:00:01.500Z"}"##;

    fn document(text: &str) -> Document {
        document::read(Source::new(text), "turn-1.json")
    }

    fn compared(left: &str, right: &str) -> RecordingComparison {
        RecordingComparison::new(&document(left), &document(right)).unwrap()
    }

    fn describe(comparison: &RecordingComparison) -> String {
        let mut text = String::new();
        for difference in &comparison.differences {
            let weight = difference.weight.unwrap().as_str();
            text.push_str(&format!(
                "{weight}: {} at {}\n",
                difference.sentence(),
                difference.pointer
            ));
        }
        for difference in &comparison.ignored {
            text.push_str(&format!("ignored: {} at {}\n", difference.name, difference.pointer));
        }
        text
    }

    #[test]
    fn differences_are_described_and_deciding_ones_come_first() {
        insta::assert_snapshot!(describe(&compared(LEFT, RIGHT)), @r"
        decides: Offered tool respond, now reply at /request/tools/1/name
        decides: Offered tool refund, only right at /request/tools/2/name
        ignored by playback: Answer, 5 words at /response/response/content/0/text
        ignored by playback: Calls reply instead of respond at /response/response/content/1/name
        ignored by playback: Input reason, 2 words at /response/response/content/1/input/reason
        ignored by playback: Objective, 2 words at /request/messages/0/content
        ignored by playback: Transitions, 1 word changed and 1 line added at /request/messages/0/content
        ignored by playback: Offered tool escalate: description, 1 word at /request/tools/0/description
        ignored by playback: Field request.temperature, only right at /request/temperature
        ignored: request id at /request/requestId
        ignored: requested at at /request/timestamp
        ignored: answered at at /response/timestamp
        ignored: tool call id at /response/response/content/1/id
        ignored: recorded at at /recordedAt
        ");
    }

    #[test]
    fn sections_show_each_part_of_a_call_side_by_side() {
        let comparison = compared(LEFT, RIGHT);
        let text: String = comparison
            .sections
            .iter()
            .map(|section| {
                let [left, right] = &section.notes;
                format!("## {} ({left} | {right})\n{}", section.title, render(&section.diff))
            })
            .collect();
        insta::assert_snapshot!(text, @r#"
        ## Answer (tool_use | tool_use)
        ~  1 A known issue, so [a short answer is enough].|  1 A known issue, so [I can reply right away].
        ## Tool call (tool-1 | tool-7)
        ~  1 transition_to_[respond]                  |  1 transition_to_[reply]
        ~  2 reason: "Known issue, [answer in] article 114"|  2 reason: "Known issue, [see] article 114"
        =  3 tags: [                                  |  3 tags: [
        =  4   "a"                                    |  4   "a"
        =  5   1e2                                    |  5   1e2
        =  6 ]                                        |  6 ]
        ## Request (message 1 of 1 | message 1 of 1)
        =  1 # Role                                   |  1 # Role
        =  2 You sort tickets.                        |  2 You sort tickets.
        =  3                                          |  3
        =  4 # Objective                              |  4 # Objective
        ~  5 Decide who [should] handle [this] ticket.|  5 Decide who [can] handle [the] ticket.
        =  6                                          |  6
        =  7 # Transitions                            |  7 # Transitions
        ~  8 known issue: [respond]                   |  8 known issue: [reply]
        + //                                          |  9 wants money back: refund
        =  9 needs a person: escalate                 | 10 needs a person: escalate
        ## Offered tool (transition_to_escalate | transition_to_escalate)
        ~  1 description: "To a [person]"             |  1 description: "To a [human]"
        ## Other fields ( | )
        + //                                          |  1 request.temperature: 0.0
        "#);
    }

    #[test]
    fn a_renamed_tool_is_compared_with_what_it_was() {
        let right = LEFT.replace(
            r#""transition_to_respond", "description": "Answer""#,
            r#""transition_to_reply", "description": "Answer soon""#,
        );
        let comparison = compared(LEFT, &right);
        let sections = comparison.sections.iter();
        let tools = sections.filter(|section| section.kind == SectionKind::Tool);
        let lines = tools.map(|section| format!("{:?}\n{}", section.notes, render(&section.diff)));
        insta::assert_snapshot!(lines.collect::<String>(), @r#"
        ["transition_to_respond", "transition_to_reply"]
        ~  1 description: "Answer"                    |  1 description: "Answer[ soon]"
        "#);
        insta::assert_snapshot!(describe(&comparison), @"
        decides: Offered tool respond, now reply at /request/tools/1/name
        ignored by playback: Offered tool reply: description, 1 word at /request/tools/1/description
        ");
    }

    #[test]
    fn a_request_beside_a_recording_has_no_answer_to_compare() {
        let request = r#"{"type": "llm_invocation_request", "requestId": "req-3", "messages": [{"role": "user", "content": "Hi"}], "tools": []}"#;
        let comparison = compared(LEFT, request);
        assert_eq!(
            comparison.signatures.shipped.title,
            "The recording cannot answer this request: the offered tools differ."
        );
        assert!(describe(&comparison).contains("Answer, only left"));
    }

    #[test]
    fn a_call_does_not_differ_from_itself() {
        let same = compared(LEFT, LEFT);
        assert!(same.differences.is_empty() && same.ignored.is_empty());
        assert!(same.files.is_same());
    }

    #[test]
    fn requests_are_unlike_without_common_tools_or_text() {
        let other_tools = RIGHT.replace("transition_to_", "read_");
        let other_words = RIGHT.replace("content\": \"# Role", "content\": \"Hallo\", \"was\": \"");
        let table = [(LEFT, false), (RIGHT, false), (&*other_tools, true), (&*other_words, true)];
        for (right, is_unlike) in table {
            assert_eq!(compared(LEFT, right).is_unlike(), is_unlike, "{right}");
        }
    }

    #[test]
    fn only_calls_can_be_compared() {
        assert!(RecordingComparison::new(&document(LEFT), &document("{}")).is_none());
    }

    /// Looking for each name among all others would take minutes.
    #[test]
    fn calls_with_thousands_of_tools_and_keys_are_compared_to_the_end() {
        const TOOL_COUNT: usize = 3_000;
        let call = |side: &str| {
            let all = |one: &dyn Fn(usize) -> String| {
                let all: Vec<String> = (0..TOOL_COUNT).map(one).collect();
                all.join(",")
            };
            let tools = all(&|n| format!(r#"{{"name": "{side}{n}"}}"#));
            let context = all(&|n| format!(r#""{side}{n}": {n}"#));
            let calls = all(&|number| {
                format!(
                    r#"{{"type": "tool_use", "name": "{side}{number}", "input": {{"{side}": {number}}}}}"#
                )
            });
            format!(
                r#"{{"request": {{"messages": [], "tools": [{tools}], "context": {{{context}}}}},
                "response": {{"response": {{"content": [{calls}]}}}}}}"#
            )
        };
        let comparison = compared(&call("a"), &call("b"));
        let count_starting_with = |word: &str| {
            let sentences = comparison.differences.iter().map(RecordingDifference::sentence);
            sentences.filter(|sentence| sentence.starts_with(word)).count()
        };
        assert_eq!(count_starting_with("Offered tool a"), TOOL_COUNT);
        assert_eq!(count_starting_with("Context key"), 2 * TOOL_COUNT);
        assert_eq!(count_starting_with("Calls b"), TOOL_COUNT);
    }
}
