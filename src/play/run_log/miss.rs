//! Errors of clients that play cassettes, wherever they are in a log.

use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;

use super::lines::LogLine;
use super::sections::{error_name, error_text};
use super::{Miss, MissKind, PrintedRequest, vcrpy};

/// The most lines of one error that are read.
const MAX_LINES: usize = 400;

/// A text of a client, and what it says.
struct Mark {
    text: &'static str,
    client: &'static str,
    read: fn(&Message<'_>) -> Option<Miss>,
}

/// Texts of clients. A client's own name for a failure is not enough: tracebacks also print code.
const MARKS: [Mark; 29] = [
    Mark { text: "overwrite existing cassette (", client: "vcrpy", read: vcrpy::read_old },
    Mark { text: "Can't play back this request: ", client: "vcrpy 9", read: vcrpy::read_new },
    Mark { text: "doesn't contain the request (", client: "vcrpy", read: vcrpy::read_unhandled },
    Mark { text: "was generated in an older version of VCR", client: "vcrpy", read: not_loaded },
    Mark { text: "were generated in an older version of VCR", client: "vcrpy", read: not_loaded },
    Mark { text: "There was a problem loading the cassette", client: "vcrpy", read: not_loaded },
    Mark { text: "is not a valid record_mode", client: "vcrpy", read: not_loaded },
    Mark {
        text: "Does this HTTP interaction contain binary data?",
        client: "vcrpy",
        read: not_loaded,
    },
    Mark { text: "Request.__init__() got an unexpected", client: "vcrpy", read: not_loaded },
    Mark { text: "Request.__init__() missing ", client: "vcrpy", read: not_loaded },
    Mark { text: "Network is disabled for host ", client: "pytest-recording", read: blocked },
    Mark {
        text: " did not play all interactions: played ",
        client: "pydantic-ai",
        read: not_all_played,
    },
    Mark { text: "no matching interaction for ", client: "cassetter", read: address_after },
    Mark { text: "could not parse cassette ", client: "cassetter", read: not_parsed },
    Mark { text: "VCR does not know how to handle:", client: "VCR for Ruby", read: ruby },
    Mark { text: "matching request in active cassette, ", client: "vcr for R", read: quoted_after },
    Mark { text: "requested interaction not found", client: "go-vcr", read: go },
    Mark { text: "requested cassette not found: ", client: "go-vcr", read: go_cassette },
    Mark { text: "unsupported cassette version format", client: "go-vcr", read: not_loaded },
    Mark { text: "Request did not match any route or mock", client: "httpmock", read: plain },
    Mark { text: "o fixture matched", client: "aimock", read: plain },
    Mark { text: "candidate fixture(s) skipped by sequence", client: "aimock", read: consumed },
    Mark { text: "cached HTTP response not found for:", client: "httprr", read: plain },
    Mark { text: "Recording not found for ", client: "llama-stack", read: plain },
    Mark { text: "Cassette miss for ", client: "seinfeld", read: quoted_cassette },
    Mark { text: "Fixture request mismatch: ", client: "req_llm", read: path_after },
    Mark { text: "Fixture not found: ", client: "req_llm", read: missing_after },
    Mark {
        text: "has no recorded interaction for signature ",
        client: "symfony/ai",
        read: symfony,
    },
    Mark { text: "No more mock responses for ", client: "gemini-cli", read: consumed },
];

static FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKS.iter().map(|mark| mark.text)).ok());

/// The lines of an error, without what a runner prints before each.
#[derive(Debug)]
pub(super) struct Message<'l> {
    /// The first line from the text of the client on.
    pub(super) first: &'l str,
    /// The first line up to that text.
    pub(super) before: &'l str,
    /// Further lines.
    pub(super) rest: Vec<&'l str>,
    text: &'static str,
}

impl Message<'_> {
    /// Returns what follows the text of the client in its line.
    pub(super) fn after(&self) -> &str {
        &self.first[self.text.len()..]
    }
}

/// Returns whether a text contains the error of a client.
pub(super) fn is_in(text: &str) -> bool {
    FINDER.as_ref().is_some_and(|finder| finder.is_match(text))
}

/// Returns all errors of clients in some lines, each with the number of its line.
pub(super) fn find_all(lines: &[&LogLine<'_>]) -> Vec<(usize, Miss)> {
    (0..lines.len()).filter_map(|at| Some((lines[at].number, read_at(lines, at)?))).collect()
}

/// Returns the last error of a client in some lines, with the number of its line. One that prints more of its cassette and request
/// precedes later ones: those that wrap it may repeat only its beginning.
pub(super) fn find_last(lines: &[&LogLine<'_>]) -> Option<(usize, Miss)> {
    let known =
        |miss: &Miss| usize::from(miss.cassette.is_some()) + usize::from(miss.request.is_some());
    let mut found: Option<(usize, Miss)> = None;
    for at in (0..lines.len()).rev() {
        let Some(miss) = read_at(lines, at) else { continue };
        if known(&miss) == 2 {
            return Some((lines[at].number, miss));
        }
        if found.as_ref().is_none_or(|(_, best)| known(best) < known(&miss)) {
            found = Some((lines[at].number, miss));
        }
    }
    found
}

fn read_at(lines: &[&LogLine<'_>], at: usize) -> Option<Miss> {
    let line = &*lines[at].text;
    let found = FINDER.as_ref()?.find(line)?;
    let mark = MARKS.get(found.pattern().as_usize())?;
    let (before, first) = line.split_at(found.start());
    let (_, indent) = split_prefix(line);
    let next = lines.get(at + 1).map(|line| &*line.text).unwrap_or_default();
    // Without a traceback pytest marks only the first line, and indents the others.
    let is_marked = error_text(line).is_some() && error_text(next).is_some();
    let rest = lines[at + 1..].iter().take(MAX_LINES).map(|line| &*line.text);
    let rest = rest
        .take_while(|text| (!is_marked || error_text(text).is_some()) && !ends_message(text))
        .map(|text| without_prefix(text, indent));
    let message = Message { first, before, rest: rest.collect(), text: mark.text };
    let mut miss = (mark.read)(&message)?;
    miss.client = miss.client.or(Some(mark.client));
    let (_, whole) = split_prefix(line);
    miss.error = line[whole..].trim().into();
    Some(miss)
}

/// Returns the mark of a runner before a line, and the length of it with the blanks around.
fn split_prefix(line: &str) -> (&str, usize) {
    let text = error_text(line).unwrap_or(line);
    let len = line.len() - text.trim_start().len();
    line.split_at_checked(len).map_or(("", 0), |(prefix, _)| (prefix, len))
}

/// Removes as many letters as precede the first line, but nothing else than blanks and the mark of a runner.
fn without_prefix(line: &str, indent: usize) -> &str {
    let text = error_text(line).unwrap_or(line);
    let most = (line.len() - text.len()).max(indent);
    let blank = line.bytes().take(most).position(|byte| !matches!(byte, b' ' | b'\t' | b'E'));
    let end = blank.unwrap_or(most.min(line.len()));
    line.get(end..).unwrap_or_default()
}

fn ends_message(line: &str) -> bool {
    line.starts_with("The above exception was the direct cause")
        || line.starts_with("During handling of the above exception")
        || line.starts_with("Traceback (most recent call last)")
}

/// Returns whether an error may hide that no recorded call answered: a failed connection, or the status that a player answers with.
pub(super) fn hides_miss(error: &str) -> bool {
    const NAMES: [&str; 14] = [
        "APIConnectionError",
        "ConnectError",
        "ConnectionError",
        "APITimeoutError",
        "ConnectTimeout",
        "NetworkError",
        "ClientConnectorError",
        "MaxRetryError",
        "NotFoundError",
        "InternalServerError",
        "ServiceUnavailableError",
        "RemoteProtocolError",
        "APIError",
        "URLError",
    ];
    let name = error_name(error).and_then(|name| name.rsplit('.').next());
    name.is_some_and(|name| NAMES.contains(&name))
        || ["Connection error", "Failed to connect", "Connection refused", "Cannot connect to host"]
            .iter()
            .any(|text| error.contains(text))
}

/// Splits `POST https://…` at its blank; `None` if it begins with no method.
pub(super) fn address(text: &str) -> Option<PrintedRequest> {
    let (method, url) = text.trim().split_once(' ')?;
    let is_method = method.len() >= 3 && method.bytes().all(|byte| byte.is_ascii_uppercase());
    is_method.then(|| PrintedRequest {
        method: method.into(),
        url: url.split_whitespace().next().unwrap_or_default().into(),
        body: None,
    })
}

/// Returns the error of a client that cannot read its cassette, which only the frames of the traceback show to be one.
pub(super) fn not_read(lines: &[&LogLine<'_>], error: &str, is_setup: bool) -> Option<Miss> {
    const FRAMES: [&str; 5] = [
        "vcr/serialize.py",
        "vcr/persisters/",
        "vcr/serializers/",
        "pytest_recording/_vcr.py",
        "vcr/stubs/compat",
    ];
    let name = error_name(error)?;
    let is_in_client = lines.iter().any(|line| {
        line.text.contains(".py") && {
            let text = line.text.replace('\\', "/");
            FRAMES.iter().any(|frame| text.contains(frame))
                // A stored answer without what the client reads.
                || name == "KeyError" && text.contains("/vcr/stubs/")
        }
    });
    let is_yaml = is_setup && name.starts_with("yaml.");
    if !(is_in_client || is_yaml) {
        return None;
    }
    let kind = MissKind::NotLoaded(error.into());
    Some(Miss { client: Some("vcrpy"), kind, ..Miss::default() })
}

/// Returns the text in the first pair of quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\'', '`'])?;
    let quote = text[start..].chars().next()?;
    text[start + 1..].split(quote).next()
}

fn of_cassette(name: &str) -> Option<Miss> {
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| Miss { cassette: Some(name.into()), ..Miss::default() })
}

fn plain(_: &Message<'_>) -> Option<Miss> {
    Some(Miss::default())
}

fn consumed(_: &Message<'_>) -> Option<Miss> {
    Some(Miss { kind: MissKind::Consumed, ..Miss::default() })
}

fn not_loaded(message: &Message<'_>) -> Option<Miss> {
    let reason = format!("{}{}", message.before, message.first);
    let (_, start) = split_prefix(&reason);
    let kind = MissKind::NotLoaded(reason[start..].trim().into());
    Some(Miss { kind, ..Miss::default() })
}

fn blocked(message: &Message<'_>) -> Option<Miss> {
    let host = quoted(message.after())?;
    Some(Miss { kind: MissKind::NetworkBlocked(host.into()), ..Miss::default() })
}

/// `Cassette PATH did not play all interactions: played N/M; unused indexes: […]`
fn not_all_played(message: &Message<'_>) -> Option<Miss> {
    let path = message.before.split("Cassette ").last()?;
    let (played, rest) = message.after().split_once('/')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let counts = rest[..digits].parse().ok().zip(played.trim().parse().ok());
    let unused = rest.split_once('[').and_then(|(_, list)| list.split(']').next());
    let unused = unused.unwrap_or_default().split(',').filter_map(|n| n.trim().parse().ok());
    Some(Miss { kind: MissKind::NotAllPlayed(unused.collect()), counts, ..of_cassette(path)? })
}

fn address_after(message: &Message<'_>) -> Option<Miss> {
    Some(Miss { request: Some(address(message.after())?), ..Miss::default() })
}

/// `could not parse cassette PATH: YAML parse error: …`
fn not_parsed(message: &Message<'_>) -> Option<Miss> {
    // A path of Windows has a colon, too.
    let (path, reason) = message.after().split_once(": ")?;
    Some(Miss { kind: MissKind::NotLoaded(reason.trim().into()), ..of_cassette(path)? })
}

fn ruby(message: &Message<'_>) -> Option<Miss> {
    let mut miss = Miss::default();
    let mut is_in_list = false;
    for line in message.rest.iter().map(|line| line.trim()).take(40) {
        if let Some(request) = address(line).filter(|_| miss.request.is_none()) {
            miss.request = Some(request);
        } else if line.starts_with("VCR is currently using the following cassette") {
            is_in_list = true;
        } else if line.starts_with("There is currently no cassette in use") {
            miss.kind = MissKind::NoCassette;
        } else if let Some(mode) = line.strip_prefix("- :record => :") {
            miss.record_mode = Some(mode.into());
        } else if let Some(names) = line.strip_prefix("- :match_requests_on => ") {
            let names = names.trim_matches(['[', ']']).split(',');
            miss.match_on = names.map(|name| name.trim().trim_start_matches(':').into()).collect();
        } else if let Some(path) = line.strip_prefix("- ").filter(|_| is_in_list) {
            // Of nested cassettes the innermost is the last.
            miss.cassette = Some(path.into());
        } else if line.starts_with("Under the current configuration") {
            break;
        }
    }
    miss.request.is_some().then_some(miss)
}

fn quoted_after(message: &Message<'_>) -> Option<Miss> {
    of_cassette(quoted(message.after())?)
}

fn quoted_cassette(message: &Message<'_>) -> Option<Miss> {
    let (address, name) = message.after().split_once(" in cassette ")?;
    let request = self::address(address);
    Some(Miss { request, ..of_cassette(quoted(&name.replace('\\', ""))?)? })
}

/// `Post "https://…": requested interaction not found`
fn go(message: &Message<'_>) -> Option<Miss> {
    let words = message.before.rsplit_once(" \"").or_else(|| message.before.rsplit_once(" \\\""));
    let request = words.and_then(|(start, url)| {
        let method = start.rsplit([' ', '\t', ':', '"']).next()?.to_ascii_uppercase();
        let url = url.split(['"', '\\']).next()?;
        (!method.is_empty()).then(|| PrintedRequest {
            method: method.into(),
            url: url.into(),
            body: None,
        })
    });
    Some(Miss { request, ..Miss::default() })
}

fn go_cassette(message: &Message<'_>) -> Option<Miss> {
    let path = message.after().split([' ', '"', ',']).next()?;
    Some(Miss { kind: MissKind::NoCassette, ..of_cassette(path)? })
}

fn path_after(message: &Message<'_>) -> Option<Miss> {
    of_cassette(message.after())
}

fn missing_after(message: &Message<'_>) -> Option<Miss> {
    Some(Miss { kind: MissKind::NoCassette, ..of_cassette(message.after())? })
}

/// `Cassette "PATH" has no recorded interaction for signature "…"`
fn symfony(message: &Message<'_>) -> Option<Miss> {
    of_cassette(quoted(message.before.split("Cassette ").last()?)?)
}

/// Returns a text as shared, if it is not empty.
pub(super) fn shared(text: &str) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| text.into())
}
