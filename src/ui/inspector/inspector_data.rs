//! Data of the inspector for one item. Built when the item, its document or the project changes.

use std::borrow::Cow;
use std::sync::Arc;

use super::content::{Fact, PrefixedToolName, Section, count};
use super::{calls, commits, config, other_files, recording, seeds, session, tape};
use ::calls::tape::timing::{TapePace, TapeSchedule};
use ::calls::{Item, ItemStatus};
use check::change::{RuleFix, fix_at};
use document::text::visible;
use document::{Document, DocumentBody, FileKind, Problem, Severity};
use play::blame::CallCommits;
use protocol::{BlockVerdict, Desk, DocId, ListTarget, Revision};
use widgets::code::CodeData;
use widgets::{CallBlock, DistinctName, icons};
use workbench::{Action, Library, OpenDocument, TapesAction, WorkingCopy};

/// One item as the inspector shows it.
#[derive(Clone, Debug)]
pub struct InspectorData {
    pub id: DocId,
    /// The revision of the text that was read; edits refer to it.
    pub revision: Revision,
    /// Unsaved edits; `None` if all is saved.
    pub unsaved: Option<UnsavedEdits>,
    pub kind: FileKind,
    /// The display name, with hidden characters escaped.
    pub label: String,
    /// Title in the head.
    pub title: InspectorTitle,
    /// The calls of the file, or the recordings of its set.
    pub strip: InspectorStrip,
    /// The call that is shown, by its number from 0.
    pub call: Option<usize>,
    /// The path as it was given.
    pub path: Arc<str>,
    /// The path, with hidden characters escaped.
    pub shown_path: String,
    pub status: ItemStatus,
    /// A link to what belongs to the item: its test, its source, its desk.
    pub foot: Option<InspectorFoot>,
    /// All problems, the worst first.
    pub problems: Vec<ProblemLine>,
    /// The worst severity among them.
    pub worst: Option<Severity>,
    /// The file's content, once it was read.
    pub content: InspectorContent,
}

/// Title of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InspectorTitle {
    /// Icon of the called tool; empty for files.
    pub icon: &'static str,
    /// The name: before the part in which it differs from its neighbours, this part, and after it.
    pub parts: [String; 3],
    /// Place in its set: `3 of 7 in triage-ticket`.
    pub note: String,
}

/// A link below an item.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectorFoot {
    pub icon: &'static str,
    pub label: String,
    pub tip: String,
    pub actions: Vec<Action>,
}

/// A strip in the head, from which another call is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InspectorStrip {
    pub blocks: Vec<CallBlock>,
    /// Target of each block.
    pub targets: Vec<ListTarget>,
    pub selected: Option<usize>,
}

/// The content of a file, or why it is missing.
#[derive(Clone, Debug)]
pub enum InspectorContent {
    /// It is being read.
    Reading,
    /// Reading failed, for this reason.
    Failed(String),
    /// The file was read.
    Ready(Box<Ready>),
}

/// The content of a file that was read.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The document itself.
    pub document: Arc<Document>,
    /// The content as sections, except the chunks of a tape.
    pub sections: Vec<Section>,
    /// The chunks of a tape, shown below all sections.
    pub chunks: TapeSchedule,
    pub code: CodeData,
}

/// The unsaved edits of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsavedEdits {
    /// Number of edits since it was saved.
    pub edits: usize,
    /// Whether the file also changed on disk.
    pub in_conflict: bool,
}

/// A problem of this file.
#[derive(Clone, Debug)]
pub struct ProblemLine {
    pub problem: Problem,
    /// The problem as a sentence, with hidden characters escaped and paths as the lists show them.
    pub message: String,
    /// Its fix, if it has one.
    pub fix: Option<&'static RuleFix>,
}

impl InspectorData {
    /// Builds the data of an item, or of a call in it by its number from 0. `same_signature` is the number of other recordings in its folder with the same
    /// signature.
    pub fn new(
        id: DocId,
        item: &Item,
        open_document: Option<&OpenDocument>,
        same_signature: usize,
        call: Option<usize>,
    ) -> Self {
        let is_of_calls = item.kind != FileKind::Config && !item.calls.is_empty();
        // The file may have fewer calls than when this one was selected.
        let call = call.filter(|call| *call < item.calls.len());
        let call = call.or_else(|| is_of_calls.then(|| item.main_call()));
        let revision = match open_document {
            Some(OpenDocument::Ready(_, revision)) => *revision,
            _ => Revision::default(),
        };
        let context = FileItem { id, item, same_signature, revision };
        Self {
            id,
            revision,
            unsaved: None,
            kind: item.kind,
            label: match call {
                Some(call) => format!("{}, call {}", visible(item.label()), call + 1),
                None => visible(item.label()).into_owned(),
            },
            title: InspectorTitle::new(item, []),
            strip: InspectorStrip {
                blocks: BlockVerdict::of_calls(item).into_iter().map(CallBlock::from).collect(),
                targets: (0..item.calls.len()).map(|call| (id, Some(call))).collect(),
                selected: call,
            },
            call,
            path: item.path.clone(),
            shown_path: visible(&item.path).into_owned(),
            status: item.status(),
            foot: InspectorFoot::new(id, item),
            problems: problem_lines(item),
            worst: item.worst(),
            content: match open_document {
                None | Some(OpenDocument::Reading) => InspectorContent::Reading,
                Some(OpenDocument::Failed(reason)) => {
                    InspectorContent::Failed(visible(reason).into_owned())
                }
                Some(OpenDocument::Ready(document, _)) => {
                    InspectorContent::Ready(Box::new(Ready::new(document, &context, call)))
                }
            },
        }
    }

    /// Adds what is around the item: the names beside its own, and for a recording the others of its set.
    pub fn in_folder<'a>(mut self, items: impl Iterator<Item = (DocId, &'a Arc<Item>)>) -> Self {
        let items: Vec<(DocId, &Arc<Item>)> = items.collect();
        let Some(at) = items.iter().position(|(id, _)| *id == self.id) else { return self };
        let item = items[at].1;
        // The names next to its own: one further away may share another part, such as only the end.
        let beside = items[at.saturating_sub(1)..].iter().take(if at == 0 { 2 } else { 3 });
        self.title = InspectorTitle::new(item, beside.map(|(_, other)| file_stem(other)));
        if self.kind != FileKind::Recording {
            return self;
        }
        let recordings = items.iter().filter(|(_, item)| item.kind == FileKind::Recording);
        let (targets, blocks): (Vec<ListTarget>, Vec<CallBlock>) = recordings
            .map(|(id, item)| ((*id, None), CallBlock::from(BlockVerdict::of_item(item))))
            .unzip();
        let selected = targets.iter().position(|(id, _)| *id == self.id);
        if let Some(index) = selected.filter(|_| targets.len() > 1) {
            let set = visible(item.set());
            self.title.note = format!("{} of {} in {set}", index + 1, targets.len());
        }
        self.strip = InspectorStrip { blocks, targets, selected };
        self
    }

    /// Shows paths as the lists do, without the opened folder.
    pub fn shown_from(mut self, library: &Library) -> Self {
        if let Some(foot) = &mut self.foot {
            foot.label = library.shown_path(&foot.label).to_owned();
        }
        for problem in &mut self.problems {
            problem.message = library.shown_sentence(&problem.message);
        }
        self
    }

    /// Adds the working copy of the item and its number of edits.
    pub fn with_working_copy(mut self, copy: Option<&WorkingCopy>, edits: usize) -> Self {
        let copy = copy.filter(|copy| copy.is_unsaved());
        self.unsaved = copy.map(|copy| UnsavedEdits { edits, in_conflict: copy.is_in_conflict() });
        self
    }

    /// Sets the section with the commits of the call; none while they are not known.
    pub fn with_commits(mut self, commits: Option<&CallCommits>) -> Self {
        if let InspectorContent::Ready(ready) = &mut self.content {
            ready.sections.retain(|section| !commits::is_of_commits(section));
            // The chunks of a tape stay below their heading.
            let heading_count = usize::from(!ready.chunks.is_empty());
            let end = ready.sections.len().saturating_sub(heading_count);
            ready.sections.splice(end..end, commits.map(commits::commits));
        }
        self
    }
}

impl Ready {
    fn new(document: &Arc<Document>, context: &FileItem<'_>, call: Option<usize>) -> Self {
        // A call that the file no longer has is shown as the whole file.
        let call_sections = call.and_then(|call| calls::one(document, call, context));
        let mut sections = call_sections.unwrap_or_else(|| match &document.body {
            DocumentBody::Recording(body) => recording::recording(document, body, context),
            DocumentBody::Request(body) => recording::request(document, body, context),
            DocumentBody::Session(body) => session::session(document, body),
            DocumentBody::Config(body) => config::config(document, body),
            DocumentBody::Contract(body) => config::contract(document, body),
            DocumentBody::Report(body) => config::report(body),
            DocumentBody::Tape(body) => tape::tape(document, body),
            DocumentBody::Seeds(body) => seeds::seeds(document, body),
            DocumentBody::Foreign(foreign) => other_files::foreign(foreign, document, context),
            DocumentBody::Machine => other_files::machine(document, context),
            DocumentBody::Unknown => other_files::unknown(document, context),
        });
        if let Some(banner) = other_files::recorder(document, context) {
            let is_banner = |section: &Section| matches!(section, Section::Banner(_));
            // What is wrong comes first.
            let place = sections.iter().position(|section| !is_banner(section));
            sections.insert(place.unwrap_or(sections.len()), banner);
        }
        if let Some(banner) = other_files::broken(context) {
            sections.insert(0, banner);
        }
        let chunks = match &document.body {
            DocumentBody::Tape(tape) => TapeSchedule::from_tape(tape, TapePace::Recorded),
            _ => TapeSchedule::default(),
        };
        Self {
            document: document.clone(),
            sections,
            chunks,
            code: CodeData::new(document, &context.item.problems),
        }
    }

    /// Returns the number of sections. Each chunk counts as one.
    pub(super) fn len(&self) -> usize {
        self.sections.len() + self.chunks.len()
    }

    /// Returns a section, or a chunk as a section.
    pub(super) fn section(&self, index: usize) -> Option<Cow<'_, Section>> {
        match index.checked_sub(self.sections.len()) {
            None => self.sections.get(index).map(Cow::Borrowed),
            Some(chunk) => {
                let row = tape::chunk(&self.chunks, &self.document, chunk);
                row.map(|row| Cow::Owned(Section::Row(row)))
            }
        }
    }
}

/// Returns the problems of an item: the worst first, and else as the file has them.
fn problem_lines(item: &Item) -> Vec<ProblemLine> {
    let line = |problem: &Problem| ProblemLine {
        problem: problem.clone(),
        message: visible(&problem.message).into_owned(),
        fix: fix_at(problem, item),
    };
    let mut lines: Vec<ProblemLine> = item.problems.iter().map(line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.problem.severity));
    lines
}

impl InspectorFoot {
    fn new(id: DocId, item: &Item) -> Option<Self> {
        let test = item.cassette.as_ref().and_then(|cassette| cassette.test.as_ref());
        if let Some(test) = test {
            let place = test.origin.to_string();
            let file = place.rsplit('/').next().unwrap_or(&place);
            return Some(Self {
                icon: icons::FLASK_CONICAL,
                label: visible(file).into_owned(),
                tip: format!("Open {} in the editor", visible(&test.name)),
                actions: vec![Action::OpenTest(id)],
            });
        }
        if item.kind == FileKind::Tape {
            return Some(Self {
                icon: icons::CASSETTE_TAPE,
                label: "Open in Tapes".to_owned(),
                tip: String::new(),
                actions: vec![Action::Go(Desk::Tapes), TapesAction::Select(id).into()],
            });
        }
        let source = item.source.as_ref()?;
        Some(Self {
            icon: icons::FILE_CODE,
            label: visible(source.file.as_deref()?).into_owned(),
            tip: "Then and now".to_owned(),
            actions: vec![Action::CompareSource(id)],
        })
    }
}

impl InspectorTitle {
    fn new<'a>(item: &'a Item, neighbors: impl IntoIterator<Item = &'a str>) -> Self {
        let parts = |[before, own, after]: [&str; 3]| {
            [before, own, after].map(|part| visible(part).into_owned())
        };
        let tool = item.summary.as_ref().and_then(|summary| summary.tool.as_deref());
        match (item.kind, tool) {
            (FileKind::Recording, Some(tool)) => {
                let tool = PrefixedToolName::new(tool);
                Self {
                    icon: tool.kind.icon(),
                    parts: [String::new(), tool.rest, String::new()],
                    note: String::new(),
                }
            }
            (FileKind::Cassette, _) => Self {
                parts: parts(DistinctName::new(file_stem(item), neighbors).parts()),
                ..Self::default()
            },
            _ => Self { parts: parts(["", item.label(), ""]), ..Self::default() },
        }
    }
}

/// Returns the name of the file without its ending.
fn file_stem(item: &Item) -> &str {
    item.file_name().rsplit_once('.').map_or(item.file_name(), |(stem, _)| stem)
}

/// Data about a file that its sections need besides the document.
pub(super) struct FileItem<'a> {
    pub(super) id: DocId,
    pub(super) item: &'a Item,
    /// Number of other recordings in the same folder with the same signature.
    pub(super) same_signature: usize,
    /// The revision of the text that was read; edits refer to it.
    pub(super) revision: Revision,
}

impl FileItem<'_> {
    /// Returns the file's path and size.
    pub(super) fn file_fact(&self) -> Fact {
        let bytes = usize::try_from(self.item.bytes).unwrap_or(usize::MAX);
        Fact {
            remark: count(bytes, "byte"),
            full: Some(self.item.path.to_string()),
            ..Fact::data("File", &self.item.path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Place;

    use std::fmt::Write as _;

    use super::super::recording::duration_between;
    use ::calls::source::{PresentSource, SourceFinding, SourceState};
    use ::calls::tape::timing::format_duration;
    use document::text::Source;

    /// Returns the inspector's content for a file as plain text.
    fn shown(text: &str, name: &str, source: Option<SourceState>) -> String {
        let document = document::read(Source::new(text), name);
        let path: Arc<str> = format!("recordings/triage/{name}").into();
        let problems = check::check_document(&document, &Default::default());
        let pool = ::calls::Pool::default();
        let item = ::calls::summarise(
            path.clone(),
            &path,
            text.len() as u64,
            &document,
            problems,
            source,
            &pool,
        );
        let calls = ::calls::reading::listed_calls(&document);
        let item = item.with_calls(&document, &calls, &pool);
        drop(calls);
        let open_document = OpenDocument::Ready(Arc::new(document), Revision::default());
        let data = InspectorData::new(DocId::new(0), &item, Some(&open_document), 3, None);
        let mut output = format!("{} · {}\n", data.label, data.status.label());
        let InspectorContent::Ready(ready) = &data.content else {
            panic!("the document is loaded");
        };
        let sections: Vec<Section> = (0..ready.len())
            .filter_map(|index| ready.section(index))
            .map(Cow::into_owned)
            .collect();
        output.push_str(&super::super::testing::snapshot(&sections));
        for ProblemLine { problem, .. } in &data.problems {
            let Place { line, column } = problem.place;
            let (severity, rule) = (problem.severity, problem.rule);
            let _ = write!(output, "\n{severity} {rule} line {line}, column {column}");
        }
        output
    }

    #[test]
    fn a_destroyed_call_is_not_counted() {
        let call = "- request: {uri: 'https://a.b/c', method: GET, headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: ''}}\n";
        let text = format!("interactions:\n{call}- lost: true\nversion: 1\n");
        let document = document::read(Source::new(text), "a.yaml");
        let (path, pool): (Arc<str>, _) = ("a.yaml".into(), ::calls::Pool::default());
        let item = ::calls::summarise(path.clone(), &path, 0, &document, Vec::new(), None, &pool);
        let calls = ::calls::reading::listed_calls(&document);
        let item = item.with_calls(&document, &calls, &pool);
        drop(calls);
        let note = item.summary.as_ref().map(|summary| &*summary.note);
        assert_eq!(note, Some("1 call, 178 bytes"));
        let open_document = OpenDocument::Ready(Arc::new(document), Revision::default());
        let data =
            |call| InspectorData::new(DocId::new(0), &item, Some(&open_document), 0, Some(call));
        assert_eq!(data(0).call, Some(0));
        assert_eq!(data(1).call, Some(0), "the file has only one");
    }

    #[test]
    fn a_stale_recording_shows_request_tools_and_answer() {
        let text = r##"{
            "request": {
                "type": "llm_invocation_request", "requestId": "req-7", "timestamp": "2026-03-12T15:22:04.000Z",
                "context": { "currentNode": "classify" },
                "messages": [ { "role": "user", "content": "# Objective\nDecide who\u202e handles it." } ],
                "tools": [
                    { "name": "transition_to_respond", "description": "Answer it", "input_schema": { "type": "object" } },
                    { "name": "read_Ticket", "description": "" } ]
            },
            "response": {
                "type": "llm_invocation_response", "requestId": "req-7", "timestamp": "2026-03-12T15:22:05.400Z",
                "response": { "content": [
                    { "type": "text", "text": "A known issue." },
                    { "type": "tool_use", "id": "tool-1", "name": "transition_to_respond",
                      "input": { "reason": "article 114", "tags": ["a", 2] } } ], "stop_reason": "tool_use" }
            },
            "recordedAt": "2026-03-12T15:22:05.457Z",
            "signature": { "toolNames": ["read_Ticket", "transition_to_respond"], "messageCount": 1, "contextKeys": [] },
            "sourceMetadata": { "sourceFile": "machines/triage.dygram", "contentHash": "9f2c41d700", "fileSize": 812 }
        }"##;
        let present = PresentSource::from_bytes("machines/triage.dygram", b"machine", true);
        let finding = SourceFinding::Stale(Arc::new(present));
        let file = Some("machines/triage.dygram".into());
        let mut source = SourceState::new(file, Some("9f2c41d700".into()), finding);
        source.affected = Some(true);
        insta::assert_snapshot!(shown(text, "req-7.json", Some(source)), @r#"
        req-7 · Stale, breaks
        ! warning The source has changed since this was recorded. A request made at classify today offers other tools, so it finds no match here. ["Then and now", "Record again…"]
        ! warning The text contains a character that reorders text (U+202E). …e\nDecide who\u{202e} handles it. Remove the characters, unless the recorded text really contained them. ["Show the place"]
        # User | message 1 of 1 | /request/messages/0
          # Objective
          Decide who\u{202e} handles it.
        # Answer | stop reason tool_use | 1.4 s
          A known issue.
          call transition_to_respond tool-1
            reason: "article 114"
            tags:
              -: "a"
              -: 2
        > Tools | 2 offered
          [transition_to_]respond called
          [read_]Ticket
        > Signature | 2 tools, 1 message, no context keys
          Origin: Stored in the file
          Three other recordings in this set have the same signature. Show
        > Source | machines/triage.dygram
          File: machines/triage.dygram
          Then: 9f2c41d7 as recorded
          Now: bc020a35 working tree
          Size then: 812 bytes
        > Recording | v3
          Recorded at: 2026-03-12T15:22:05.457Z
          Request id: req-7
          Requested at: 2026-03-12T15:22:04.000Z
          Node: classify
          Context: currentNode
          File: recordings/triage/req-7.json 1,307 bytes
        warning hidden-characters line 5, column 84
        note signature-outdated line 18, column 117
        "#);
    }

    #[test]
    fn a_flat_recording_says_why_it_answers_undefined() {
        let text = r#"{ "request": { "messages": [ { "role": "user", "content": [ { "type": "image" } ] } ],
            "tools": [] }, "response": { "content": [] } }"#;
        insta::assert_snapshot!(shown(text, "turn-1.json", None), @r#"
        turn-1.json · Incomplete
        ! error The answer is not wrapped. Players read it from “response.response”. They load this recording without an error and then return “undefined”. ["Wrap the answer…"]
        ! warning The answer has no text and calls no tool. Record the call again, or delete the recording if no answer is expected here. ["Show the place"]
        # User | message 1 of 1 | /request/messages/0
          pictures: 1
        # Answer |  |
          (This answer is empty.)
        > Signature | no tools, 1 message, no context keys
          Origin: Computed from the request
          Three other recordings in this set have the same signature. Show
        > Source | not named in this file
        > Recording | v1
          File: recordings/triage/turn-1.json 145 bytes
        error response-not-wrapped line 2, column 40
        warning response-empty line 2, column 53
        note signature-missing line 1, column 1
        "#);
    }

    #[test]
    fn the_prompt_of_a_node_is_shown_as_a_card() {
        let text = r##"{ "request": { "messages": [ { "role": "user", "content":
            "# Role\nYou carry out a step.\n\n# Current Position\n- **Node**: classify\n- **Type**: task\n- **Objective**: Decide who\u202e.\n- **Visited Nodes**: 1\n\n# Available Context\n## Ticket\n- **Permissions**: read\n\n# Available Transitions\n## respond\n- **Description**: known issue\n\n## escalate\n\n# The ticket\n> Subject: Export\n>\n> It hangs." } ] },
            "response": { "response": { "content": [ { "type": "tool_use", "id": "1", "name": "transition_to_respond", "input": {} } ] } } }"##;
        let output = shown(text, "a.json", None);
        let card: Vec<&str> = output
            .lines()
            .skip_while(|line| !line.contains("# Prompt"))
            .take_while(|line| !line.starts_with('>'))
            .collect();
        insta::assert_snapshot!(card.join("\n"), @r"
        # Prompt | message 1 of 1 | /request/messages/0
          classify | task | step 2
          Decide who\u{202e}.
          Transition respond: known issue called
          Transition escalate:
          Read Ticket: read
          “Export” It hangs.
        ");
    }

    #[test]
    fn the_answer_and_the_last_question_are_shown_before_the_other_messages() {
        let text = r##"{ "request": { "systemPrompt": "# Role\nYou are kind.", "messages": [
            { "role": "user", "content": "Hello" }, { "role": "assistant", "content": "What is it?" },
            { "role": "user", "content": "The export hangs." },
            { "role": "assistant", "content": [ { "type": "tool_use", "id": "1", "name": "read_Ticket", "input": {} } ] },
            { "role": "user", "content": [ { "type": "tool_result", "tool_use_id": "1", "content": "ok" } ] } ] },
            "response": { "response": { "content": [ { "type": "text", "text": "Known." } ] } } }"##;
        let output = shown(text, "a.json", None);
        let headings: Vec<&str> =
            output.lines().filter(|line| line.starts_with(['#', '>'])).collect();
        insta::assert_snapshot!(headings.join("\n"), @"
        # User | message 3 of 5 | /request/messages/2
        > 2 messages between | read_Ticket
        # Model | message 4 of 5 | /request/messages/3
        # User | message 5 of 5 | /request/messages/4
        # Answer |  |
        > 2 messages before | Hello
        # User | message 1 of 5 | /request/messages/0
        # Model | message 2 of 5 | /request/messages/1
        > System prompt | You are kind.
        > Signature | no tools, 5 messages, no context keys
        > Source | not named in this file
        > Recording | v1
        ");
    }

    #[test]
    fn what_is_empty_has_no_heading_of_its_content() {
        let headings = |prompt: &str, thought: &str| {
            let text = format!(
                r#"{{ "request": {{ "systemPrompt": "{prompt}", "messages": [ {{ "role": "user", "content": "Hi" }} ] }},
                "response": {{ "response": {{ "content": [ {{ "type": "thinking", "thinking": "{thought}", "signature": "EqQB" }},
                {{ "type": "text", "text": "Hello." }} ] }} }} }}"#
            );
            let output = shown(&text, "a.json", None);
            let lines = output.lines().map(str::trim);
            let is_heading = |line: &&str| {
                let line = line.trim_start_matches(['>', ' ', '(']);
                line.starts_with("Reasoning") || line.starts_with("System prompt")
            };
            let lines: Vec<&str> = lines.filter(is_heading).collect();
            lines.join("\n")
        };
        assert_eq!(headings("", ""), "(Reasoning without text)");
        assert_eq!(headings(" ", "\\n"), "(Reasoning without text)");
        assert_eq!(headings("Be kind.", "Who is it?"), "(Reasoning)\n> System prompt | Be kind.");
        let has_prompt = |prompt: &str| {
            let tape = format!(
                r#"{{ "meta": {{ "model": "m" }}, "request": {{ "systemPrompt": "{prompt}", "history": [ {{ "role": "user", "content": "Hi" }} ] }},
                "stream": [ {{ "delayNs": 5, "text": "Hel" }} ] }}"#
            );
            shown(&tape, "slow.json", None).contains("System prompt")
        };
        assert_eq!(["", " ", "Be kind."].map(has_prompt), [false, false, true]);
    }

    #[test]
    fn a_tape_shows_its_reply_whole_and_each_wait() {
        let text = r#"{ "meta": { "model": "m", "recordedAt": "2026-03-09T11:02:00Z", "label": "slow" },
            "request": { "model": "m", "contents": "Say hello", "config": { "temperature": 0.2 } },
            "stream": [ { "delayNs": 5200000000, "text": "Hel" }, { "delayNs": 1500, "text": "lo \ud83d" },
                { "delayNs": 2000000, "text": "\ude42" } ] }"#;
        insta::assert_snapshot!(shown(text, "slow.json", None), @r#"
        slow · OK
        # Reply | as one text |
          Hello 🙂
        # Contents |  | /request/contents
          Say hello
        # Config |  | /request/config

            temperature: 0.2
        # Tape |  |
          Label: slow
          Model: m
          Recorded at: 2026-03-09T11:02:00Z
          Duration: 5.2 s in 3 chunks
          First chunk after: 5.2 s
          Longest gap: 2 ms before chunk 3
        # Chunks | 3 |
        - 1 “Hel” | +5.2 s · 5.2 s Doubtful
        - 2 “lo \ud83d” | +1.5 µs · 5.2 s
        - 3 “\ude42” | +2 ms · 5.2 s
        note delay-lost line 3, column 23
        "#);
    }

    #[test]
    fn a_seed_that_another_replaces_says_so() {
        let seed = r#"{ "schema": "critique", "model": "router", "jobId": "j", "round": 1, "response": "{}" }"#;
        let text = format!(r#"{{ "seeds": [ {seed}, {seed} ] }}"#);
        insta::assert_snapshot!(shown(&text, "a.seeds.json", None), @r#"
        a.seeds.json · Problems
        # Seeds | 2, by schema:model:job:round |
        - 1 critique:router:j:1 | replaced by 2 Doubtful
          {}
        - 2 critique:router:j:1 |
          {}
        warning seed-key-reused line 1, column 14
        "#);
    }

    #[test]
    fn a_session_shows_its_input_its_context_as_turns_and_odd_responses() {
        let text = "id: loop\ninput: Open a ticket\ncontext:\n  - {role: user, content: Hello}\n\
            tool_responses:\n  - {tool: store, status: 504, latency_ms: 30000, response: late}\n  \
            - {tool: mail, response: [1, 2]}\n";
        insta::assert_snapshot!(shown(text, "loop.yaml", None), @"
        loop · Incomplete
        # Session |  |
          Id: loop
          Contract: default used when none is named
        # Input |  | /input
          Open a ticket
        # User | 1 of 1 in context | /context/0/content
          Hello
        # Tool responses | 2 |
        - 1 store | 504 · 30,000 ms Doubtful
          late
        - 2 mail |  Bad

            -: 1
            -: 2
        error tool-response-type line 7, column 28
        note tool-responses-unused line 6, column 3
        ");
    }

    #[test]
    fn a_broken_file_shows_the_error_first_and_what_could_be_parsed() {
        insta::assert_snapshot!(shown("{ \"a\": 1,\n  \"b\" 2 }", "a.json", None), @r#"
        a.json · Unreadable
        ! error Invalid at line 2, column 7. A colon is expected after the key, not 2. ["Show the place"]
        # File | of an unknown kind |
          File: recordings/triage/a.json 19 bytes
        # Values | 3 values |

            a: 1
            b: 2
        error syntax line 2, column 7
        "#);
    }

    #[test]
    fn times_have_the_unit_people_would_choose() {
        let durations =
            [0.0, 1_500.0, 8e6, 14_250_000.0, 1.4e9, 31.2e9, 125e9].map(format_duration);
        assert_eq!(durations, ["0 ms", "1.5 µs", "8 ms", "14 ms", "1.4 s", "31.2 s", "2 min 5 s"]);
        let duration = duration_between("2026-03-12T15:22:04.000Z", "2026-03-12T15:22:05.4Z");
        assert_eq!(duration.as_deref(), Some("1.4 s"));
        assert_eq!(duration_between("2026-03-12T15:22:04Z", "yesterday"), None);
    }
}
