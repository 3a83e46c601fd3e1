//! The errors of vcrpy: those up to version 8.5, and those since 9.0.

use std::sync::Arc;

use super::miss::{Message, address, shared};
use super::python_literal;
use super::{FailedMatcher, Miss, MissKind, PrintedBody, PrintedCandidate, PrintedRequest};

/// `Can't overwrite existing cassette (PATH) in your current record mode (MODE).` and what follows, of vcrpy 4 to 8.5.
pub(super) fn read_old(message: &Message<'_>) -> Option<Miss> {
    let (path, rest) = printed_path(message.after())?;
    let mut miss = Miss { cassette: Some(path), ..Miss::default() };
    let mode = rest.split("record mode (").nth(1).and_then(|mode| mode.split(").").next());
    miss.record_mode = mode.and_then(|mode| {
        let name = mode.trim_end_matches('>').rsplit(' ').next()?;
        shared(name.trim_matches(['\'', '"', ')']))
    });
    // Wrapped errors and some loggers print the whole text in one line.
    let lines = [rest].into_iter().chain(message.rest.iter().copied());
    let lines = lines.flat_map(|line| line.split("\\n")).collect::<Vec<_>>();
    let requests = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, line.split_once("No match for the request (")?.1)));
    // A list of failed tests may have only the first line.
    let Some((request_line, request)) = requests.into_iter().next() else { return Some(miss) };
    miss.request = request_in(request);
    let mut is_found = false;
    let mut is_consumed = false;
    let mut matchers = &lines[request_line..];
    while let [line, rest @ ..] = matchers {
        matchers = rest;
        if line.contains("No similar requests, that have not been played, found") {
            miss.kind = MissKind::NothingSimilar;
            break;
        }
        if line.contains("but they have already been consumed") {
            is_consumed = true;
            miss.matching = number_after(line, "Found ");
            miss.client = Some("vcrpy 8.2 to 8.5");
            break;
        }
        if let Some((_, rest)) = line.split_once("similar requests with ") {
            // Up to 8.1 a request whose call was played differs in nothing.
            is_consumed = rest.starts_with("0 ");
            miss.matching = number_after(line, "Found ").filter(|_| is_consumed);
            is_found = true;
            continue;
        }
        let text = line.trim();
        if let Some(request) = numbered(text, " - (").filter(|_| is_found).and_then(request_in) {
            let PrintedRequest { method, url, .. } = request;
            miss.candidates.push(PrintedCandidate { method, url, failed: Vec::new() });
        } else if let Some(name) = text.strip_suffix(" - assertion failure :") {
            let values = rest.first().and_then(|values| values.trim().split_once(" != "));
            let values = values.map(|(sent, recorded)| (recorded.into(), sent.into()));
            let failed = FailedMatcher { name: name.into(), values, ..FailedMatcher::default() };
            miss.candidates.last_mut()?.failed.push(failed);
        }
    }
    if is_consumed {
        miss.kind = MissKind::Consumed;
    }
    Some(miss)
}

/// `Can't play back this request: HEADLINE` and what follows, since vcrpy 9.0.
pub(super) fn read_new(message: &Message<'_>) -> Option<Miss> {
    let headline = message.after();
    let matching = number_after(headline, "it matches ");
    let mut miss = Miss { kind: kind_of(headline), matching, ..Miss::default() };
    if let Some((_, mode)) = headline.split_once("record_mode '") {
        miss.record_mode = mode.split('\'').next().and_then(shared);
    }
    let mut candidate = None;
    let mut is_in_body = false;
    for line in &message.rest {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.starts_with("How to fix:") {
            break;
        }
        if let Some(path) = line.strip_prefix("Cassette: ") {
            miss.cassette = shared(path.trim());
            is_in_body = false;
        } else if let Some(mode) = line.strip_prefix("  record_mode: ") {
            miss.record_mode = shared(mode.trim());
        } else if let Some(names) = line.strip_prefix("  match_on: ") {
            miss.match_on = names.split(',').filter_map(|name| shared(name.trim())).collect();
        } else if let Some(counts) = line.strip_prefix("  interactions: ") {
            miss.counts = counts_in(counts);
        } else if let Some(body) = line.strip_prefix("  body: ").filter(|_| miss.cassette.is_none())
        {
            let request = miss.request.get_or_insert_default();
            request.body = Some(body_of(body));
            is_in_body = true;
        } else if miss.request.is_none() && indent == 2 {
            miss.request = address(text);
        } else if is_in_body && miss.cassette.is_none() {
            extend_body(&mut miss, line);
        } else if let Some(request) = numbered(text, ". ").filter(|_| indent == 2).and_then(address)
        {
            let PrintedRequest { method, url, .. } = request;
            candidate = Some(miss.candidates.len());
            miss.candidates.push(PrintedCandidate { method, url, failed: Vec::new() });
        } else if let Some(candidate) = candidate.and_then(|at| miss.candidates.get_mut(at)) {
            read_difference(candidate, line, indent);
        }
    }
    Some(miss)
}

fn kind_of(headline: &str) -> MissKind {
    const KINDS: [(&str, MissKind); 4] = [
        ("already been played back", MissKind::Consumed),
        ("they have all been played back", MissKind::Consumed),
        ("nothing similar to it", MissKind::NothingSimilar),
        ("the cassette doesn't exist", MissKind::NoCassette),
    ];
    if headline.contains("the cassette file couldn't be loaded") {
        return MissKind::NotLoaded("the cassette file couldn't be loaded".into());
    }
    let kind = KINDS.into_iter().find(|(text, _)| headline.contains(text));
    kind.map_or(MissKind::NoMatch, |(_, kind)| kind)
}

fn number_after(text: &str, mark: &str) -> Option<usize> {
    text.split_once(mark)?.1.split(' ').next()?.parse().ok()
}

/// Number of blanks before the lines of the difference of two bodies.
const DIFF_INDENT: &str = "       ";

/// Reads a line below a closest request: `path differs: /a != /b`, or a line of the difference of two bodies.
fn read_difference(candidate: &mut PrintedCandidate, line: &str, indent: usize) {
    if let Some((name, values)) =
        line.trim().split_once(" differs:").filter(|(name, _)| indent == 5 && !name.contains(' '))
    {
        let values = values.trim().split_once(" != ");
        let values = values.map(|(sent, recorded)| (recorded.into(), sent.into()));
        candidate.failed.push(FailedMatcher {
            name: name.into(),
            values,
            ..FailedMatcher::default()
        });
    } else if let Some(text) = line.strip_prefix(DIFF_INDENT)
        && !text.starts_with("---")
        && !text.starts_with("+++")
    {
        candidate.failed.last_mut().into_iter().for_each(|failed| failed.diff.push(text.into()));
    }
}

/// `1 recorded, 0 played`
fn counts_in(text: &str) -> Option<(usize, usize)> {
    let (recorded, played) = text.split_once(" recorded, ")?;
    Some((recorded.trim().parse().ok()?, played.split(' ').next()?.parse().ok()?))
}

/// Reads the body in a line, which is cut after 300 letters: `… (1200 characters)`.
fn body_of(text: &str) -> PrintedBody {
    // A request of aiohttp has a value in place of a body.
    if text.starts_with("{'")
        && let Some((value, "")) = python_literal::value(text)
    {
        return PrintedBody::Whole(value.to_string().into());
    }
    let cut = text.rsplit_once("… (").filter(|(_, end)| end.trim_end().ends_with(" characters)"));
    match cut {
        Some((start, _)) => PrintedBody::Cut(start.into(), Arc::default()),
        None => PrintedBody::Whole(text.into()),
    }
}

/// Adds a line to a body of several.
fn extend_body(miss: &mut Miss, line: &str) {
    let body = miss.request.as_mut().and_then(|request| request.body.as_mut());
    if let Some(PrintedBody::Whole(text)) = body.filter(|_| !line.trim().is_empty()) {
        let whole = format!("{text}\n{}", line.strip_prefix("  ").unwrap_or(line));
        *text = whole.as_str().into();
        if let cut @ PrintedBody::Cut(..) = body_of(&whole)
            && let Some(request) = &mut miss.request
        {
            request.body = Some(cut);
        }
    }
}

/// Reads the error of a cassette that does not contain the request.
pub(super) fn read_unhandled(message: &Message<'_>) -> Option<Miss> {
    let (_, path) = message.before.rsplit_once("The cassette (")?;
    let (path, _) = printed_path(path)?;
    let request = request_in(message.after());
    Some(Miss { cassette: Some(path), request, ..Miss::default() })
}

/// Reads a path as Python prints it: `'a.yaml'`, `"it's.yaml"` or `PosixPath('a.yaml')`, and returns what follows it.
fn printed_path(text: &str) -> Option<(Arc<str>, &str)> {
    let text = match text.split_once("Path(") {
        Some((class, rest)) if ["Posix", "Windows", "Pure"].contains(&class) => rest,
        _ => text,
    };
    // A log inside of a text has its quotes escaped.
    let (path, is_whole, rest) = python_literal::string(text.trim_start_matches('\\'))?;
    (is_whole && !path.is_empty()).then(|| (path.trim_end_matches('\\').into(), rest))
}

/// Parses `<Request (POST) https://…>)`.
fn request_in(text: &str) -> Option<PrintedRequest> {
    let (_, rest) = text.split_once("<Request (")?;
    let (method, url) = rest.split_once(") ")?;
    let url = url.rsplit_once(">)").map_or(url, |(url, _)| url);
    Some(PrintedRequest {
        method: method.into(),
        url: url.trim_end_matches('>').into(),
        body: None,
    })
}

/// Returns what follows a number and a sign.
fn numbered<'t>(text: &'t str, sign: &str) -> Option<&'t str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then(|| rest.strip_prefix(sign)).flatten()
}
