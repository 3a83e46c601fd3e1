//! Runs of agents from transcripts and traces: one draft for each, with what the tools gave the model.

use jiff::Timestamp;

use super::report::{file_name, slug};
use super::session_draft::{AgentAnswer, SessionDraft, provenance};
use super::{ImportInput, Imported};
use calls::agent_run::{
    AgentRun, RunGap, RunMessage, RunRole, RunValue, agent_runs, chat_messages, chat_run, iso_time,
};
use document::edit::JsonValue;
use document::foreign::ForeignFormat;
use document::text::{Source, counted};
use document::{Document, DocumentBody, Syntax, parts};

/// Makes a draft of each run.
///
/// # Errors
///
/// The reason that there is nothing to import, as a sentence without a full stop.
pub(super) fn drafts(input: ImportInput<'_>) -> Result<Imported, String> {
    let source = match &input.document.body {
        DocumentBody::Foreign(foreign) => foreign.format.as_str(),
        _ => "run",
    };
    let runs = agent_runs(input.document);
    let is_empty = |run: &&AgentRun<'_>| run.messages.is_empty() && run.calls.is_empty();
    let drafts: Vec<SessionDraft> =
        runs.iter().filter(|run| !is_empty(run)).map(|run| draft(input, run, source)).collect();
    if drafts.is_empty() {
        let problem = input.document.problems.first().map(|problem| problem.message.to_string());
        return Err(problem.unwrap_or_else(|| "It holds no messages of an agent".to_owned()));
    }
    Ok(Imported { drafts, ..Imported::default() })
}

/// Reads a chat that someone names: lines of speakers and tools, or messages as JSON, one a line or in a list.
pub(super) fn chat(document: &Document) -> Option<Document> {
    let source = document.source();
    let is_chat = |document: &Document| document.tree.root().and_then(chat_run).is_some();
    let chat = match (&document.body, document.syntax) {
        (DocumentBody::Unknown | DocumentBody::Request(_), Syntax::Json) => document.clone(),
        (DocumentBody::Foreign(foreign), _) if foreign.format == ForeignFormat::JsonLines => {
            Document {
                tree: parts::parse_each(source, parts::PartsForm::Lines).0,
                ..document.clone()
            }
        }
        (DocumentBody::Unknown, _) => {
            document::read(Source::new(chat_messages(source.text())?.into_string()), "chat.json")
        }
        _ => return None,
    };
    is_chat(&chat).then_some(chat)
}

/// Makes a draft of a chat.
///
/// # Errors
///
/// The reason that there is nothing to import, as a sentence without a full stop.
pub(super) fn chat_draft(input: ImportInput<'_>) -> Result<Imported, String> {
    let document = chat(input.document).ok_or("It holds no messages of an agent")?;
    let run = document.tree.root().and_then(chat_run).ok_or("It holds no messages of an agent")?;
    let mut draft = draft(input, &run, "chat");
    let is_of_log = document.source().text() != input.document.source().text();
    if is_of_log {
        // The messages were put together from lines, whose places are not known.
        draft.forget_places("The chat");
    }
    Ok(Imported { drafts: vec![draft], ..Imported::default() })
}

/// Makes a draft of a run. The last part of its context says where it is from.
pub(super) fn draft(input: ImportInput<'_>, run: &AgentRun<'_>, source: &str) -> SessionDraft {
    let mut draft = SessionDraft::default();
    push_input(&mut draft, input, run);
    push_responses(&mut draft, input, run);
    if let Some(error) = run.errors.first() {
        draft.session.expected_failure = Some(error.to_string());
        draft.mark_generated("/expected_failure", "The first error of the run");
    }
    use RunGap::{ErrorMarks, ErrorTexts, Input, RequestParts, ResultParts};
    let gaps = run
        .missing()
        .into_iter()
        .filter(|gap| matches!(gap, Input | ErrorMarks | ErrorTexts | ResultParts | RequestParts));
    draft.notes.extend(gaps.map(|gap| format!("The file does not hold {}", gap.describe())));
    let content = draft.session.value();
    draft.identify(&slug(source), &[content.json()]);
    let started = run.started.as_deref().map(iso_time);
    // A log may have times without a zone, in the form of its logger.
    if let Some(started) = started.filter(|time| time.parse::<Timestamp>().is_ok()) {
        draft.session.captured_at = Some(started.into_owned());
        draft.mark_generated("/captured_at", "The start of the run");
    }
    draft.set_source("manual", "For entry by hand");
    let mut members = vec![("file", Some(JsonValue::text(file_name(input.file))))];
    members.extend(run.ids.iter().map(|(kind, id)| (*kind, Some(JsonValue::text(id)))));
    let pointer = format!("/context/{}", draft.session.context.len());
    draft.session.context.push(provenance(source, &members));
    draft.mark_generated(pointer, "The imported run");
    draft.answer = run.final_answer().map(|text| AgentAnswer { text, latency_ms: None });
    draft
}

/// Takes the last message of the user with which the run began as its input, and those before it as its context.
fn push_input(draft: &mut SessionDraft, input: ImportInput<'_>, run: &AgentRun<'_>) {
    let opening = run.opening();
    let at = opening.iter().rposition(RunMessage::is_input);
    let message = at.map(|at| &opening[at]).or_else(|| run.inputs().next());
    if let Some(message) = message {
        draft.session.input = message.text().unwrap_or_default();
        draft.mark_read("/input", input.file, message.node);
    }
    for message in &opening[..at.unwrap_or_default()] {
        let role = match message.role {
            RunRole::System if run.is_given() => "system",
            RunRole::User if message.is_input() => "user",
            RunRole::Assistant => "assistant",
            _ => continue,
        };
        if let Some(text) = message.text() {
            let turn = [("role", JsonValue::text(role)), ("content", JsonValue::text(&text))];
            let pointer = format!("/context/{}", draft.session.context.len());
            draft.session.context.push(JsonValue::object(&turn));
            draft.mark_read(pointer, input.file, message.node);
        }
    }
    let first_count = opening.iter().filter(|message| message.is_input()).count().max(1);
    let later_count = run.inputs().count().saturating_sub(first_count);
    if later_count > 0 {
        let messages = counted(later_count, "later message", "later messages");
        draft.notes.push(format!("A session has one input, without {messages} of the user"));
    }
}

/// Takes what the tools returned, as the model was given it.
fn push_responses(draft: &mut SessionDraft, input: ImportInput<'_>, run: &AgentRun<'_>) {
    let mut open = Vec::new();
    for tool in run.tool_calls() {
        let Some((outcome, node)) = tool.outcome else {
            open.push(tool.call.name.as_str());
            continue;
        };
        let given = outcome.content.as_ref();
        let response = match given {
            Some(RunValue::Json(json)) => {
                JsonValue::parse(json).unwrap_or_else(|_| JsonValue::text(json))
            }
            Some(RunValue::Text(text)) => JsonValue::text(text),
            None => outcome.error.as_deref().map_or_else(JsonValue::null, JsonValue::text),
        };
        let pointer = format!("/tool_responses/{}", draft.session.tool_responses.len());
        let response = draft.push_response(&tool.call.name, response);
        let error = outcome.error_text();
        response.status = error.map(|_| 500);
        response.latency_ms = outcome.duration_ms;
        // Where the model was given another text, the error itself is only of interest to readers.
        let is_other = |error: &&str| given.is_some_and(|given| given.as_str() != *error);
        response.comment = error.filter(is_other).map(|error| format!("Error: {error}"));
        draft.mark_read(pointer.as_str(), input.file, node);
        if error.is_some() {
            let how = "500 for a result that is marked as an error";
            draft.mark_generated(format!("{pointer}/status"), how);
        }
    }
    if !open.is_empty() {
        let open = open.join(", ");
        draft.notes.push(format!("These calls have no recorded result and are skipped: {open}"));
    }
}
