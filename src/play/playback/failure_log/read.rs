//! Reads a log line by line.

use std::sync::Arc;

use super::client_line::{FailureStart, is_request_heading, printed, repeats_failure, start};
use super::lines::{names, number, text_after};
use super::runs::LoggedRuns;
use super::{Available, FailureKind, FailureLog, ObservedRuns};
use crate::playback::played_request::{MessagesKnown, PlayedRequest, RequestOrigin};
use document::text::{counted, thousands};

/// Number of lines before a failure that may contain the test name.
const CONTEXT_LINES: usize = 4;

/// A request that is being parsed.
#[derive(Default)]
struct OpenRequest {
    line: usize,
    tools: Option<Vec<Arc<str>>>,
    announced: Option<usize>,
    messages: Option<u64>,
    available: Vec<Available>,
    directory: Option<Arc<str>>,
    context: Arc<str>,
    /// The list of names that continues if a line ends with a comma.
    wrapped: Wrapped,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wrapped {
    #[default]
    No,
    Request,
    Recording,
}

#[derive(Default)]
struct LogReader<'n> {
    name: &'n str,
    unread: Vec<String>,
    open: Option<OpenRequest>,
    runs: LoggedRuns,
    recent: Vec<String>,
}

pub(super) fn read(name: &str, lines: impl IntoIterator<Item = (usize, String)>) -> FailureLog {
    let reader = LogReader::read(name, lines);
    FailureLog { failures: reader.runs.failures(name), unread: reader.unread }
}

pub(super) fn read_runs(
    name: &str,
    lines: impl IntoIterator<Item = (usize, String)>,
) -> ObservedRuns {
    let reader = LogReader::read(name, lines);
    ObservedRuns { runs: reader.runs.all(name), unread: reader.unread }
}

impl<'n> LogReader<'n> {
    fn read(name: &'n str, lines: impl IntoIterator<Item = (usize, String)>) -> Self {
        let mut reader = Self { name, ..Self::default() };
        for (number, line) in lines {
            reader.line(number, &line);
        }
        reader.close();
        reader
    }

    fn line(&mut self, number: usize, line: &str) {
        if repeats_failure(line) {
            return;
        }
        match start(line) {
            Some(FailureStart::Request) => {
                self.close();
                self.open = Some(self.opened(number));
            }
            Some(FailureStart::Tools(tools)) => {
                self.close();
                let mut open = self.opened(number);
                // Nothing follows: the browser client prints its request on one line.
                open.tools = Some(names(tools).map(Arc::from).collect());
                self.open = Some(open);
                self.close();
            }
            Some(FailureStart::PastEnd(index, total)) => {
                self.close();
                self.runs.fail(number, FailureKind::PastEnd { index, total }, None, self.context());
            }
            Some(FailureStart::NoDirectory(directory)) => {
                self.close();
                let directory = Some(directory.into());
                self.runs.fail(number, FailureKind::NoDirectory, directory, self.context());
            }
            Some(FailureStart::ToolNotFound(tool)) => {
                self.close();
                let tool = tool.into();
                self.runs.fail(number, FailureKind::ToolNotFound { tool }, None, self.context());
            }
            None => self.detail(number, line),
        }
        if !line.trim().is_empty() {
            self.recent.push(line.to_owned());
        }
    }

    /// Handles a line that does not start a failure.
    fn detail(&mut self, number: usize, line: &str) {
        if is_request_heading(line) && self.open.as_ref().is_none_or(|open| open.tools.is_some()) {
            self.close();
            self.open = Some(self.opened(number));
            return;
        }
        if let Some(print) = printed(line) {
            self.close();
            return self.runs.printed(number, print, self.context());
        }
        if self.runs.is_heading(line) {
            self.close();
        }
        self.runs.line(number, line);
        if let Some(open) = &mut self.open {
            open.detail(line);
            // The directory is the last line of the client's error.
            if open.directory.is_some() {
                self.close();
            }
        } else if let Some(tools) = text_after(line, "Tools:")
            && let Some(call) = self.runs.awaits_tools()
        {
            call.tools = Some(names(tools).map(Arc::from).collect());
        }
    }

    fn opened(&self, line: usize) -> OpenRequest {
        OpenRequest { line, context: self.context(), ..OpenRequest::default() }
    }

    fn context(&self) -> Arc<str> {
        self.recent[self.recent.len().saturating_sub(CONTEXT_LINES)..].join("\n").into()
    }

    /// Finishes the request that is being parsed.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let line = open.line;
        let mut unread = |reason: String| self.unread.push(format!("Line {line}: {reason}"));
        let Some(tools) = open.tools else {
            return unread("the request's tools are not printed".to_owned());
        };
        if let Some(announced) = open.announced.filter(|count| *count != tools.len()) {
            let announced = counted(announced, "tool", "tools");
            unread(format!("{announced} announced, but {} named", thousands(tools.len())));
        }
        let origin = RequestOrigin::Log {
            line,
            messages: if open.messages.is_some() { MessagesKnown::Yes } else { MessagesKnown::No },
        };
        let name = format!("{}:{line}", self.name).into();
        let tools = tools.into_iter().map(Some).collect();
        let messages = open.messages.unwrap_or(1);
        let request = PlayedRequest::from_parts(name, origin, tools, messages, Box::default());
        let what = FailureKind::NoMatch { request: Arc::new(request), available: open.available };
        self.runs.fail(line, what, open.directory, open.context);
    }
}

impl OpenRequest {
    fn detail(&mut self, line: &str) {
        if let Some(directory) = text_after(line, "Recordings directory:") {
            self.directory = Some(directory.into());
        } else if let Some(rest) = text_after(line, "Tools (") {
            let list = rest.split_once("):").map_or("", |(_, list)| list);
            self.announced = number(rest);
            self.tools = Some(names(list).map(Arc::from).collect());
            self.wrap(list, Wrapped::Request);
        } else if let Some(count) = text_after(line, "Message count:") {
            self.messages = number(count).map(|count| count as u64);
        } else if let Some(available) = entry(line) {
            self.available.push(available);
        } else if let Some(list) = text_after(line, "Tools:") {
            self.name(list);
            self.wrap(list, Wrapped::Recording);
        } else if let Some(count) = text_after(line, "Messages:") {
            if let Some(last) = self.available.last_mut() {
                last.messages = number(count).map(|count| count as u64);
            }
        } else {
            self.continue_list(line);
        }
    }

    /// Adds tool names of the recording that was listed last.
    fn name(&mut self, list: &str) {
        if let Some(last) = self.available.last_mut() {
            last.tools = last.tools.iter().cloned().chain(names(list).map(Arc::from)).collect();
        }
    }

    fn wrap(&mut self, list: &str, wrapped: Wrapped) {
        self.wrapped = if list.ends_with(',') { wrapped } else { Wrapped::No };
    }

    /// Continues a list that a narrow terminal wrapped.
    fn continue_list(&mut self, line: &str) {
        match self.wrapped {
            Wrapped::No => return,
            Wrapped::Request => {
                self.tools.get_or_insert_default().extend(names(line).map(Arc::from));
            }
            Wrapped::Recording => self.name(line),
        }
        self.wrap(line.trim_end(), self.wrapped);
    }
}

/// Parses `[3] req-1764864336562-1 (USED)`, with any prefix.
fn entry(line: &str) -> Option<Available> {
    // A log that was stored as JSON ends its lines with a quote and a comma.
    let line = line.trim_end().trim_end_matches(['"', ',']);
    let (line, is_used) =
        line.strip_suffix("(USED)").map_or((line, false), |rest| (rest.trim_end(), true));
    let (head, id) = line.rsplit_once("] ")?;
    let (_, index) = head.rsplit_once('[')?;
    let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    let is_one_word = !id.is_empty() && !id.contains(char::is_whitespace);
    (is_index && is_one_word).then(|| Available {
        index: index.parse().unwrap_or_default(),
        // The client prints this for a recording without `requestId`.
        id: (id != "undefined").then(|| id.into()),
        used: is_used,
        ..Available::default()
    })
}
