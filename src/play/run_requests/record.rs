//! The lines of a log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LogPlace, LoggedRequest, LoggedTest, MASKED, PlayedCalls, SendingPhase, TestOutcome};
use crate::client::{HttpRequest, RequestBody};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use calls::secret::is_key_header;
use document::text::counted;

/// The newest version that is read.
const VERSION: u64 = 1;

/// What the head of a log of a server begins with.
pub(super) const SERVE_LOG: &str = "serve-log";
const PYTEST_LOG: &str = "pytest-log";

/// The first line of a log.
#[derive(Debug, Serialize, Deserialize)]
pub struct LogHead {
    pub(super) retake: String,
    version: u64,
    #[serde(default)]
    pub(super) client: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) recorder: Option<String>,
}

/// A request as a line of a log.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RequestLine {
    pub test: Option<String>,
    #[serde(default)]
    pub phase: Option<SendingPhase>,
    #[serde(default)]
    pub line: Option<usize>,
    #[serde(default)]
    pub after_assertions: Option<bool>,
    pub cassette: Option<String>,
    pub call: Option<usize>,
    pub method: String,
    pub url: String,
    /// A text, or a list of texts if a header was sent several times.
    pub headers: BTreeMap<String, Value>,
    /// A text, `{"base64": …}`, or null.
    #[serde(default)]
    pub body: Value,
}

#[derive(Deserialize)]
struct TestLine {
    test: String,
    outcome: TestOutcome,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    cassettes: BTreeMap<String, CallsLine>,
    #[serde(default)]
    line: Option<usize>,
}

#[derive(Deserialize)]
struct CallsLine {
    calls: usize,
    played: Vec<usize>,
}

/// The last line of a log.
#[derive(Deserialize)]
pub(super) struct LogEnd {
    tests: usize,
    /// Number of tests that the run had to run.
    #[serde(default)]
    selected: Option<usize>,
    /// Number of lines that could not be written.
    #[serde(default)]
    unlogged: usize,
}

impl LogEnd {
    /// Returns why a log has less than its run.
    pub(super) fn missing(&self, name: &str) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(selected) = self.selected.filter(|selected| *selected > self.tests) {
            let tests = counted(selected, "test", "tests");
            reasons.push(format!("{name}: the run ended after {} of {tests}", self.tests));
        }
        if self.unlogged > 0 {
            let lines = counted(self.unlogged, "line", "lines");
            reasons.push(format!("{name}: {lines} could not be written"));
        }
        reasons
    }
}

pub(super) enum LogRecord {
    Head(LogHead),
    Request(LoggedRequest),
    Test(LoggedTest),
    End(LogEnd),
}

pub(super) fn is_head(line: &str) -> bool {
    let head = serde_json::from_str::<LogHead>(line);
    head.is_ok_and(|head| [PYTEST_LOG, SERVE_LOG].contains(&head.retake.as_str()))
}

/// Reads a line.
///
/// # Errors
///
/// Returns why it cannot be read, as a phrase.
pub(super) fn read(line: &str, place: &LogPlace) -> Result<LogRecord, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| reason(&error))?;
    let has = |name: &str| value.get(name).is_some();
    let is = [has("retake"), has("method"), has("outcome"), has("tests")];
    Ok(match is {
        [true, ..] => LogRecord::Head(read_head(parse(value)?)?),
        [_, true, ..] => LogRecord::Request(read_request(parse(value)?, place)?),
        [_, _, true, _] => LogRecord::Test(read_test(parse(value)?, place)),
        [_, _, _, true] => LogRecord::End(parse(value)?),
        _ => return Err("expected a request, the end of a test or the end of the log".to_owned()),
    })
}

fn parse<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| reason(&error))
}

/// Returns the message of an error without its place, which is in one line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

fn read_head(head: LogHead) -> Result<LogHead, String> {
    if head.version > VERSION {
        return Err(format!("the log has version {}, this program reads {VERSION}", head.version));
    }
    Ok(head)
}

fn read_request(line: RequestLine, place: &LogPlace) -> Result<LoggedRequest, String> {
    let headers = line.headers.into_iter().flat_map(|(name, value)| {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        values.into_iter().map(move |value| (name.clone(), text_of(value)))
    });
    let request = HttpRequest {
        method: Some(line.method),
        url: Some(line.url).filter(|url| !url.is_empty()),
        headers: Some(headers.collect()),
        body: read_body(line.body)?,
    };
    Ok(LoggedRequest {
        place: place.clone(),
        test: line.test.map(Arc::from),
        phase: line.phase,
        line: line.line,
        after_assertions: line.after_assertions,
        cassette: line.cassette.map(Arc::from),
        call: line.call,
        request,
    })
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
}

fn read_body(body: Value) -> Result<RequestBody, String> {
    if let Some(encoded) = body.get("base64").and_then(Value::as_str) {
        let bytes = BASE64_STANDARD.decode(encoded).map_err(|error| format!("body: {error}"))?;
        return Ok(RequestBody::Bytes(bytes));
    }
    Ok(match body {
        Value::Null => RequestBody::Missing,
        body => RequestBody::Bytes(text_of(body).into_bytes()),
    })
}

fn read_test(line: TestLine, place: &LogPlace) -> LoggedTest {
    let cassettes = line.cassettes.into_iter().map(|(path, calls)| {
        (Arc::from(path), PlayedCalls { calls: calls.calls, played: calls.played })
    });
    LoggedTest {
        place: place.clone(),
        test: line.test.into(),
        outcome: line.outcome,
        reason: line.reason,
        cassettes: cassettes.collect(),
        line: line.line,
    }
}

impl RequestLine {
    /// Returns the line of a request to a server, with the file that answered and the index of the call in it. `hide` masks secrets.
    pub fn of_server(
        request: &HttpRequest,
        hide: impl Fn(&str) -> String,
        recorded: Option<(&str, usize)>,
    ) -> Self {
        let header = |(name, value): &(String, String)| {
            let is_key = is_key_header(&name.to_ascii_lowercase());
            (name.clone(), Value::String(if is_key { MASKED.to_owned() } else { hide(value) }))
        };
        let body = match &request.body {
            RequestBody::Bytes(bytes) => Value::String(hide(&String::from_utf8_lossy(bytes))),
            RequestBody::Tree(value) => Value::String(hide(value.json())),
            RequestBody::Unknown | RequestBody::Missing => Value::Null,
        };
        Self {
            cassette: recorded.map(|(path, _)| path.to_owned()),
            call: recorded.map(|(_, index)| index),
            method: request.method.clone().unwrap_or_default(),
            url: hide(request.url.as_deref().unwrap_or_default()),
            headers: request.headers.iter().flatten().map(header).collect(),
            body,
            ..Self::default()
        }
    }
}

/// Returns the first line of the log of a server, with its end.
pub fn write_head(client: Option<String>) -> String {
    json_line(&LogHead { retake: SERVE_LOG.to_owned(), version: VERSION, client, recorder: None })
}

/// Returns the line of a request, with its end.
pub fn write_request(line: &RequestLine) -> String {
    json_line(line)
}

fn json_line<T: Serialize>(line: &T) -> String {
    // Texts and numbers are always written.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}
