//! Judges tests by their text: whether they expect a recorded error, and whether they assert on their recording.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::not_run::tests_of;
use super::{AuditInput, AuditKind, AuditPlace, Places};
use calls::Item;
use calls::cassette_config::TestPlace;
use calls::python::{PythonStatement, function_statements};
use document::RuleId;
use document::text::counted;

/// Parts of words by which a test says that it is about an error.
const ERROR_WORDS: [&str; 24] = [
    "raise",
    "error",
    "fail",
    "retry",
    "retries",
    "retried",
    "except",
    "fallback",
    "refus",
    "reject",
    "denied",
    "unauthor",
    "forbid",
    "overload",
    "unavailable",
    "throttl",
    "quota",
    "timeout",
    "invalid",
    "exceed",
    "rate_limit",
    "ratelimit",
    "rate limit",
    "status_forcelist",
];
/// Members of a cassette that are about the recording, not about an answer.
const RECORDING_MEMBERS: [&str; 6] =
    ["play_count", "play_counts", "requests", "responses", "all_played", "dirty"];

/// The functions of tests by their places.
type Functions<'m> = BTreeMap<(Arc<str>, u32), Vec<PythonStatement<'m>>>;

pub(super) fn judge(input: &AuditInput<'_>, places: &mut Places, unknown: &mut Vec<String>) {
    let mut functions = Functions::new();
    for item in &input.items {
        for test in tests_of(item) {
            let key = (Arc::clone(&test.origin.path), test.origin.line);
            if let Some(module) = input.modules.get(&test.origin.path) {
                let read = || function_statements(module, test.origin.line);
                functions.entry(key).or_insert_with(read);
            }
        }
    }
    let mut unmapped = 0;
    let mut seen = BTreeSet::new();
    for item in &input.items {
        if let Some(errors) = unexpected_errors(item, &functions, input) {
            places.entry(AuditKind::UnexpectedError).or_default().extend(errors);
        } else {
            unmapped += 1;
        }
        let new = tests_of(item)
            .into_iter()
            .filter(|test| seen.insert((&test.origin.path, test.origin.line)));
        let found = new.filter_map(|test| recording_assertions(item, test, &functions, input));
        places.entry(AuditKind::AssertsOnRecording).or_default().extend(found);
    }
    places.retain(|_, places| !places.is_empty());
    if unmapped > 0 {
        let recordings = counted(unmapped, "recording", "recordings");
        unknown.push(format!(
            "Not known: whether a test expects the errors in {recordings}, of which no test was found. \
             `retake check` lists them as recorded-error"
        ));
    }
}

/// Returns the recorded errors that the tests of a recording do not mention; `None` if it has errors and not all its tests are found.
fn unexpected_errors(
    item: &Item,
    functions: &Functions<'_>,
    input: &AuditInput<'_>,
) -> Option<Vec<AuditPlace>> {
    let is_error = |rule| rule == RuleId::RecordedError;
    let errors: Vec<_> = item.problems.iter().filter(|problem| is_error(problem.rule)).collect();
    if errors.is_empty() {
        return Some(Vec::new());
    }
    let tests = tests_of(item);
    let first = tests.first()?;
    for test in &tests {
        let statements = statements_of(test, functions)?;
        if statements.iter().any(|statement| mentions_error(statement.text)) {
            return Some(Vec::new());
        }
    }
    let places = errors.into_iter().map(|problem| {
        let call = item.calls.iter().position(|call| call.has_problem(problem));
        AuditPlace {
            call: call.map(|index| index + 1),
            test: Some(describe(first)),
            note: format!("{}; test {} ({})", problem.message, first.name, first.origin),
            ..AuditPlace::at(input.name(item), problem)
        }
    });
    Some(places.collect())
}

fn statements_of<'f, 'm>(
    test: &TestPlace,
    functions: &'f Functions<'m>,
) -> Option<&'f [PythonStatement<'m>]> {
    let key = (Arc::clone(&test.origin.path), test.origin.line);
    functions.get(&key).map(Vec::as_slice).filter(|statements| !statements.is_empty())
}

fn describe(test: &TestPlace) -> Arc<str> {
    format!("{} {}", test.origin, test.name).into()
}

fn mentions_error(text: &str) -> bool {
    let text = text.to_lowercase();
    let is_status = |number: &str| {
        number.len() == 3
            && number.starts_with(['4', '5'])
            && number.bytes().all(|b| b.is_ascii_digit())
    };
    ERROR_WORDS.iter().any(|word| text.contains(word))
        || text.split(|c: char| !c.is_alphanumeric()).any(is_status)
}

/// Returns the assertions of a test on its recording, if it has some.
fn recording_assertions(
    item: &Item,
    test: &TestPlace,
    functions: &Functions<'_>,
    input: &AuditInput<'_>,
) -> Option<AuditPlace> {
    let statements = statements_of(test, functions)?;
    let bound = statements.iter().filter(|statement| statement.text.contains("use_cassette"));
    let bound: Vec<&str> = bound.filter_map(|statement| bound_name(statement.text)).collect();
    let asserts: Vec<&PythonStatement<'_>> =
        statements.iter().filter(|statement| is_assertion(statement.text)).collect();
    let is_on_recording =
        |statement: &&&PythonStatement<'_>| reads_recording(statement.text, &bound);
    let own: Vec<_> = asserts.iter().filter(is_on_recording).collect();
    let first = own.first()?;
    let may_assert = |statement: &&PythonStatement<'_>| {
        let text = statement.text.to_lowercase();
        ["assert", "raises", "warns", "expect", "snapshot", "check", "verify", "validate"]
            .iter()
            .any(|word| text.contains(word))
    };
    // The `def` and the decorators are no assertions, whatever their names are.
    let body = statements.iter().skip_while(|statement| statement.line <= test.origin.line);
    let is_only = body.filter(may_assert).count() == own.len();
    let code = first.text.lines().next().unwrap_or_default().trim();
    let code = code.split(" #").next().unwrap_or(code);
    let only = if is_only { "; it has no other assertion" } else { "" };
    Some(AuditPlace {
        test: Some(format!("{}:{} {}", test.origin.path, first.line, test.name).into()),
        note: format!("`{code}`{only}"),
        ..AuditPlace::new(input.name(item))
    })
}

/// Returns the name that a `with` gives to a cassette.
fn bound_name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("use_cassette")?;
    let (_, name) = rest.split_once(" as ")?;
    name.split(|c: char| !is_name(c)).next()
}

fn is_assertion(text: &str) -> bool {
    let first = text.split(|c: char| !is_name(c) && c != '.').next().unwrap_or_default();
    first == "assert" || first.rsplit('.').next().is_some_and(|name| name.starts_with("assert"))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a text reads a member of a cassette, or counts its calls.
fn reads_recording(text: &str, bound: &[&str]) -> bool {
    let is_cassette = |name: &str| {
        bound.contains(&name) || name == "vcr" || name == "cassette" || name.ends_with("_cassette")
    };
    let last_name = |text: &str| {
        is_cassette(text.trim_end().rsplit(|c| !is_name(c)).next().unwrap_or_default())
    };
    let has_member = RECORDING_MEMBERS.iter().any(|member| {
        text.match_indices(&format!(".{member}")).any(|(at, part)| {
            !text[at + part.len()..].starts_with(is_name) && last_name(&text[..at])
        })
    });
    let has_length = text.match_indices("len(").any(|(at, part)| {
        let end = text[at..].find(')').map_or(text.len(), |end| at + end);
        !text[..at].ends_with(is_name) && last_name(&text[at + part.len()..end])
    });
    has_member || has_length
}
