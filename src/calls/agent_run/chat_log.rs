//! Logs of chats as text: lines with a speaker, and lines of tools with their results. Programs write them as they like, so they are only read
//! where someone names one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::json::{Json, object};
use document::json;
use document::text::Source;

/// Matches what loggers write before a message: a time, and after it a level, a name and fields.
const PREFIX: &str = r"^(?:\[?(?P<time>\d[\d./:T,Z+-]{4,}(?: \d[\d:.,Z+-]*)?)\]?\s+(?:(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)\s+)?(?:[\w.-]+\s+)??(?:\w+=\S+\s+)*?)?";

/// Fields of a line that name its conversation.
const CONVERSATIONS: [&str; 4] = ["conv=", "conversation=", "session=", "thread="];

/// Words of a crash. A log with one of them is the output of a failed program, also if it has speakers.
static CRASH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?im)assert|traceback|panicked at|fail |exception:").ok());

/// Speakers, and tools as in `CALL name {…}`, `RESULT name …` and `[name(key="value") -> …]`.
static PATTERNS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    let with_prefix = |rest: &str| Regex::new(&format!("(?is){PREFIX}{rest}")).ok();
    Some([
        with_prefix(r"(?P<speaker>user|human|customer|client|assistant|agent|ai|bot|system)\s*:\s*(?P<text>.*)$")?,
        with_prefix(r"(?P<mark>tool[ _])?(?P<kind>call|result|error)\s+(?P<name>[\w.-]+)\s*(?P<text>[{(\[].*|.*)$")?,
        Regex::new(r"(?s)^\W*(?P<name>[A-Za-z_][\w.-]*)\((?P<arguments>.*)\)\s*(?:->|=>|→)\s*(?P<text>.*?)\]?$").ok()?,
    ])
});

/// Returns the messages of a chat as JSON, in the form of OpenAI's; `None` if a text is none, or the log of a program that crashed.
pub fn chat_messages(text: &str) -> Option<Json> {
    let [speaker, tool, both] = PATTERNS.as_ref()?;
    if CRASH.as_ref()?.is_match(text) {
        return None;
    }
    let mut chat = Chat::default();
    for line in text.lines() {
        let read = |pattern: &Regex| {
            let found = pattern.captures(line)?;
            // Where lines begin with a time, one without it continues the message before.
            let has_time = found.name("time").is_some();
            (chat.has_times.is_none_or(|has_times| has_times == has_time))
                .then_some((found, has_time))
        };
        if let Some((found, has_time)) = read(speaker) {
            chat.has_times.get_or_insert(has_time);
            chat.begin(&found);
        } else if let Some(found) = both.captures(line) {
            chat.push_call(&found["name"], &named_arguments(&found["arguments"]), None);
            chat.push_result(&found["name"], &found["text"], false, None);
        } else if let Some((found, has_time)) =
            read(tool).filter(|(found, _)| chat.is_of_tool(found))
        {
            chat.has_times.get_or_insert(has_time);
            let (name, text, time) = (&found["name"], &found["text"], time_of(&found));
            match found["kind"].to_ascii_lowercase().as_str() {
                "call" => chat.push_call(name, text, time),
                kind => chat.push_result(name, text, kind == "error", time),
            }
        } else if let Some((_, _, words)) = &mut chat.open {
            words.push('\n');
            words.push_str(line);
        }
    }
    chat.close();
    let [is_user, is_assistant, is_tool] = chat.roles;
    (is_user && is_assistant || is_tool).then(|| chat.messages.into())
}

fn time_of<'t>(found: &Captures<'t>) -> Option<&'t str> {
    found.name("time").map(|time| time.as_str())
}

#[derive(Default)]
struct Chat {
    messages: Vec<Json>,
    /// The message that the next lines may continue: its role, its time and its text.
    open: Option<(&'static str, Option<String>, String)>,
    /// Whether there are messages of a user, of an assistant, and results of tools.
    roles: [bool; 3],
    /// Names of the tools that were called.
    tools: Vec<String>,
    has_times: Option<bool>,
    conversation: Option<String>,
}

impl Chat {
    /// Returns whether a line is one of a tool: it says so, has arguments, or follows a call of that tool. All else belongs to a message.
    fn is_of_tool(&self, found: &Captures<'_>) -> bool {
        let is_call =
            found["kind"].eq_ignore_ascii_case("call") && found["text"].starts_with(['{', '(']);
        found.name("mark").is_some()
            || is_call
            || self.tools.iter().any(|tool| *tool == found["name"])
    }

    fn begin(&mut self, found: &Captures<'_>) {
        self.close();
        let role = match found["speaker"].to_ascii_lowercase().as_str() {
            "system" => "system",
            "user" | "human" | "customer" | "client" => "user",
            _ => "assistant",
        };
        self.roles[0] |= role == "user";
        self.roles[1] |= role == "assistant";
        let fields = found[0].split_whitespace().take_while(|word| !word.ends_with(':'));
        self.conversation = fields
            .filter_map(|field| CONVERSATIONS.iter().find_map(|key| field.strip_prefix(key)))
            .next()
            .map(str::to_owned);
        self.open = Some((role, time_of(found).map(str::to_owned), found["text"].to_owned()));
    }

    fn close(&mut self) {
        if let Some((role, time, text)) = self.open.take() {
            let conversation = self.conversation.as_deref();
            self.messages.push(object! { "role": role, "content": text.trim(), "timestamp": time, "conversation": conversation });
        }
    }

    fn push_call(&mut self, name: &str, arguments: &str, time: Option<&str>) {
        self.close();
        self.tools.push(name.to_owned());
        let call = object! { "name": name, "arguments": value(arguments) };
        self.messages
            .push(object! { "role": "assistant", "tool_calls": vec![call], "timestamp": time });
    }

    fn push_result(&mut self, name: &str, text: &str, is_error: bool, time: Option<&str>) {
        self.close();
        self.roles[2] = true;
        let error = ["error: ", "Error: "].iter().find_map(|mark| text.strip_prefix(mark));
        self.messages.push(object! {
            "role": "tool", "name": name, "content": value(error.unwrap_or(text)), "is_error": is_error || error.is_some(), "timestamp": time
        });
    }
}

/// Returns a value that is JSON as it is, and all else as a text.
fn value(text: &str) -> Json {
    match json::parse_container(&Source::new(text.trim())) {
        Some(_) => Json::raw(text.trim()),
        None => text.into(),
    }
}

/// Writes arguments as in a call of Python as JSON: `a="x", b=2`. What is none of them stays as it is.
fn named_arguments(arguments: &str) -> String {
    let mut members = Vec::new();
    let mut rest = arguments.trim();
    while let Some((name, after)) = rest.split_once('=') {
        let Some(range) = value_range(after) else { return arguments.to_owned() };
        let value = &after[range.clone()];
        let is_json = json::parse_container(&Source::new(format!("[{value}]"))).is_some();
        let value = if is_json { Json::raw(value) } else { value.trim_matches('\'').into() };
        members.push((name.trim().to_owned(), value));
        rest = after[range.end..].trim_start_matches([',', ' ']);
    }
    if rest.is_empty() { Json::object(members).into_string() } else { arguments.to_owned() }
}

/// Returns the bytes of a value: up to its closing quote, else to the next comma.
fn value_range(text: &str) -> Option<Range<usize>> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let end = match quote {
        Some(quote) => {
            let is_end = |(at, _): &(usize, char)| *at > 0 && !text[..*at].ends_with('\\');
            text.char_indices().filter(|(_, c)| *c == quote).find(is_end)?.0 + 1
        }
        None => text.find(',').unwrap_or(text.len()),
    };
    Some(0..end)
}
