//! Reads a log line by line.

use std::sync::Arc;

use super::lines::{behind, lines, names, number};
use super::{Available, Failure, FailureLog, What};
use crate::ops::playback::asked::{Asked, MessagesKnown, Origin};

/// How many lines before a failure may name the test.
const CONTEXT: usize = 4;

/// What a line begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start<'a> {
    /// The client for tests: the request follows.
    Request,
    /// The client for browsers: the tools stand behind.
    Tools(&'a str),
    PastEnd(usize, usize),
    ToolNotFound(&'a str),
}

/// The failure that begins on a line.
pub(super) fn start(line: &str) -> Option<Start<'_>> {
    if let Some(rest) = behind(line, "No matching recording found") {
        return Some(match behind(rest, "Tools:") {
            Some(tools) => Start::Tools(tools),
            None => Start::Request,
        });
    }
    let past = behind(line, "no recording available (index:")
        .or_else(|| behind(line, "No more recordings available (index:"));
    if let Some(rest) = past {
        let total = number(behind(rest, "total:")?)?;
        return Some(Start::PastEnd(number(rest)?, total));
    }
    let (before, _) = line.split_once(" not found")?;
    let quote = before
        .chars()
        .last()
        .filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let (_, tool) = before[..before.len() - 1].rsplit_once(quote)?;
    let is_tool = before.to_lowercase().contains(&format!("tool {quote}"));
    (is_tool && !tool.is_empty()).then_some(Start::ToolNotFound(tool))
}

/// A request that is being read.
struct Open {
    line: usize,
    tools: Option<Vec<Arc<str>>>,
    announced: Option<usize>,
    messages: Option<u64>,
    available: Vec<Available>,
    directory: Option<Arc<str>>,
    served: Vec<Arc<str>>,
    context: Arc<str>,
    /// Whose names go on where a line ends with a comma.
    wrapped: Wrapped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapped {
    No,
    Request,
    Recording,
}

#[derive(Default)]
struct Reader<'n> {
    name: &'n str,
    log: FailureLog,
    open: Option<Open>,
    /// Folders that were loaded, with how many recordings, the latest last.
    loaded: Vec<(usize, Arc<str>)>,
    served: Vec<Arc<str>>,
    recent: Vec<String>,
}

pub(super) fn read(name: &str, text: &str) -> FailureLog {
    let mut reader = Reader {
        name,
        ..Reader::default()
    };
    for (number, line) in lines(text) {
        reader.line(number, &line);
    }
    reader.close();
    reader.log
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) {
        match start(line) {
            Some(Start::Request) => {
                self.close();
                self.open = Some(self.opened(number));
            }
            Some(Start::Tools(tools)) => {
                self.close();
                let mut open = self.opened(number);
                open.tools = Some(names(tools).map(Arc::from).collect());
                self.open = Some(open);
                self.close();
            }
            Some(Start::PastEnd(index, total)) => {
                let mut loaded = self.loaded.iter().rev();
                let directory = loaded.find(|(count, _)| *count == total);
                let directory = directory.map(|(_, directory)| Arc::clone(directory));
                self.found(number, What::PastEnd { index, total }, directory);
            }
            Some(Start::ToolNotFound(tool)) => {
                let tool = tool.into();
                let directory = self
                    .loaded
                    .last()
                    .map(|(_, directory)| Arc::clone(directory));
                self.found(number, What::ToolNotFound { tool }, directory);
            }
            None => self.detail(line),
        }
        if !line.trim().is_empty() {
            self.recent.push(line.to_owned());
        }
    }

    /// A line that begins no failure.
    fn detail(&mut self, line: &str) {
        if let Some(rest) = behind(line, "Loaded ")
            && let Some(directory) = behind(rest, "recordings from ")
        {
            self.loaded
                .push((number(rest).unwrap_or(0), directory.into()));
            return self.served.clear();
        }
        if let Some(id) = behind(line, "Request ID:") {
            return self.served.push(id.into());
        }
        let Some(open) = &mut self.open else { return };
        open.detail(line);
        if open.directory.is_some() {
            self.close();
        }
    }

    fn opened(&self, line: usize) -> Open {
        Open {
            line,
            tools: None,
            announced: None,
            messages: None,
            available: Vec::new(),
            directory: None,
            served: self.served.clone(),
            context: self.context(),
            wrapped: Wrapped::No,
        }
    }

    fn context(&self) -> Arc<str> {
        let from = self.recent.len().saturating_sub(CONTEXT);
        self.recent[from..].join("\n").into()
    }

    fn found(&mut self, line: usize, what: What, directory: Option<Arc<str>>) {
        self.close();
        let failure = Failure {
            line,
            what,
            directory,
            served: self.served.clone(),
            context: self.context(),
        };
        // Runners print an error where it happens, and again at the end.
        let is_new =
            |known: &Failure| (&known.what, &known.context) != (&failure.what, &failure.context);
        if self.log.failures.iter().all(is_new) {
            self.log.failures.push(failure);
        }
    }

    /// Ends the request that is being read.
    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let line = open.line;
        let mut unread = |reason: String| self.log.unread.push(format!("Line {line}: {reason}"));
        let Some(tools) = open.tools else {
            return unread("the request's tools are not printed".to_owned());
        };
        if let Some(announced) = open.announced.filter(|count| *count != tools.len()) {
            unread(format!(
                "{announced} tools are announced and {} are named",
                tools.len()
            ));
        }
        let origin = Origin::Log {
            line,
            messages: match open.messages {
                Some(_) => MessagesKnown::Yes,
                None => MessagesKnown::No,
            },
        };
        let name = format!("{}:{line}", self.name).into();
        let tools = tools.into_iter().map(Some).collect();
        let messages = open.messages.unwrap_or(1);
        let asked = Asked::made(name, origin, tools, messages, Box::default());
        let loaded = || {
            self.loaded
                .last()
                .map(|(_, directory)| Arc::clone(directory))
        };
        let failure = Failure {
            line,
            directory: open.directory.or_else(loaded),
            what: What::NoMatch {
                asked: Arc::new(asked),
                available: open.available,
            },
            served: open.served,
            context: open.context,
        };
        let is_new = |known: &Failure| !known.is_again(&failure);
        if self.log.failures.iter().all(is_new) {
            self.log.failures.push(failure);
        }
    }
}

impl Failure {
    /// Whether another one is the same, printed again: runners print an error where it happens, and again at the end.
    fn is_again(&self, other: &Self) -> bool {
        match (&self.what, &other.what) {
            (
                What::NoMatch { asked, available },
                What::NoMatch {
                    asked: other_asked,
                    available: other_available,
                },
            ) => {
                asked.signature() == other_asked.signature()
                    && available == other_available
                    && self.directory == other.directory
            }
            _ => false,
        }
    }
}

impl Open {
    fn detail(&mut self, line: &str) {
        if let Some(directory) = behind(line, "Recordings directory:") {
            self.directory = Some(directory.into());
        } else if let Some(rest) = behind(line, "Tools (") {
            let list = rest.split_once("):").map_or("", |(_, list)| list);
            self.announced = number(rest);
            self.tools = Some(names(list).map(Arc::from).collect());
            self.wrap(list, Wrapped::Request);
        } else if let Some(count) = behind(line, "Message count:") {
            self.messages = number(count).map(|count| count as u64);
        } else if let Some(available) = entry(line) {
            self.available.push(available);
        } else if let Some(list) = behind(line, "Tools:") {
            self.name(list);
            self.wrap(list, Wrapped::Recording);
        } else if let Some(count) = behind(line, "Messages:") {
            if let Some(last) = self.available.last_mut() {
                last.messages = number(count).map(|count| count as u64);
            }
        } else {
            self.go_on(line);
        }
    }

    /// Names of the recording that was listed last.
    fn name(&mut self, list: &str) {
        if let Some(last) = self.available.last_mut() {
            let before = last.tools.iter().cloned();
            last.tools = before.chain(names(list).map(Arc::from)).collect();
        }
    }

    fn wrap(&mut self, list: &str, wrapped: Wrapped) {
        self.wrapped = match list.ends_with(',') {
            true => wrapped,
            false => Wrapped::No,
        };
    }

    /// A list that a narrow terminal broke into lines.
    fn go_on(&mut self, line: &str) {
        match self.wrapped {
            Wrapped::No => return,
            Wrapped::Request => {
                let tools = self.tools.get_or_insert_default();
                tools.extend(names(line).map(Arc::from));
            }
            Wrapped::Recording => self.name(line),
        }
        self.wrap(line.trim_end(), self.wrapped);
    }
}

/// `[3] req-1764864336562-1 (USED)`, behind whatever stands in front.
fn entry(line: &str) -> Option<Available> {
    let line = line.trim_end().trim_end_matches(['"', ',']);
    let (line, used) = match line.strip_suffix("(USED)") {
        Some(before) => (before.trim_end(), true),
        None => (line, false),
    };
    let (before, id) = line.rsplit_once("] ")?;
    let (_, index) = before.rsplit_once('[')?;
    let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    let is_one_word = !id.is_empty() && !id.contains(char::is_whitespace);
    (is_index && is_one_word).then(|| Available {
        index: index.parse().unwrap_or_default(),
        id: (id != "undefined").then(|| id.into()),
        used,
        ..Available::default()
    })
}
