//! Tests that are skipped for a missing recording.

use std::collections::HashMap;
use std::sync::Arc;

use super::test_index::{is_of_test, same_end};
use super::test_log::{LoggedSkip, TestLog};
use super::{AuditInput, AuditKind, AuditPlace, Places};
use calls::Item;
use calls::cassette_config::cassette_name;
use document::text::some;

/// Words for a recording.
const RECORDING_WORDS: [&str; 9] = [
    "cassette",
    "cassettes",
    "recording",
    "recordings",
    "recorded",
    "fixture",
    "fixtures",
    "tape",
    "tapes",
];
/// Phrases for what is missing.
const MISSING_PHRASES: [&str; 14] = [
    "missing",
    "not found",
    "no such file",
    "does not exist",
    "doesn't exist",
    "do not exist",
    "not exist",
    "not recorded",
    "no cassette",
    "no recording",
    "no recorded",
    "no fixture",
    "no tape",
    "cannot find",
];
/// Phrases for a package that is missing, whose name may be one of these words.
const PACKAGE_PHRASES: [&str; 4] = ["no module named", "could not import", "install", "package"];
/// Endings of recordings.
const ENDINGS: [&str; 9] =
    [".yaml.gz", ".yaml", ".yml", ".jsonl", ".json", ".toml", ".har", ".httprr", ".sse"];
/// Number of files that a note names.
const MAX_NAMED_FILES: usize = 3;

pub(super) fn judge(input: &AuditInput<'_>, log: &TestLog, places: &mut Places) {
    let skips = log.skips.iter().filter(|skip| is_for_missing(&skip.reason));
    let mut skips = skips.peekable();
    if skips.peek().is_none() {
        return;
    }
    let mut by_stem: ItemsByStem<'_> = HashMap::new();
    for item in &input.items {
        by_stem.entry(plain_stem(item.file_name())).or_default().push(item);
    }
    for skip in skips {
        let (kind, place) = judge_skip(skip, &by_stem, input);
        places.entry(kind).or_default().push(place);
    }
}

/// Items by the [plain stem](plain_stem) of their name.
type ItemsByStem<'i> = HashMap<String, Vec<&'i Item>>;

fn judge_skip(
    skip: &LoggedSkip,
    by_stem: &ItemsByStem<'_>,
    input: &AuditInput<'_>,
) -> (AuditKind, AuditPlace) {
    let place = |path: Option<&str>, note: String| AuditPlace {
        path: path.map(Arc::from),
        test: Some(Arc::clone(&skip.label)),
        note: match skip.count {
            1 => note,
            count => format!("{count} tests: {note}"),
        },
        weight: skip.count,
        ..AuditPlace::default()
    };
    let missing = |note| (AuditKind::SkippedMissing, place(None, note));
    let test_name = skip.test.as_ref().map(|test| cassette_name(&test.with_class()));
    let Some(wanted) = named_path(&skip.reason).or_else(|| test_name.clone()) else {
        return missing(skip.reason.to_string());
    };
    let wanted = wanted.replace('\\', "/");
    let (folder, name) = wanted.rsplit_once('/').unwrap_or(("", &wanted));
    let named = by_stem.get(&plain_stem(name)).into_iter().flatten().copied();
    let (named, similar): (Vec<&Item>, Vec<&Item>) =
        named.partition(|item| stem(item.file_name()) == stem(name));
    let is_same_name = |item: &&Item| stem(name) == name || item.file_name() == name;
    let mut found: Vec<&Item> = named.into_iter().filter(is_same_name).collect();
    let is_there = |item: &&Item| !folder.is_empty() && same_end(item.root_path(), &wanted);
    if let Some(item) = found.iter().copied().find(is_there) {
        return (
            AuditKind::SkippedMissing,
            place(
                Some(input.name(item)),
                format!("{} exists now: run the test again", input.name(item)),
            ),
        );
    }
    // A recording of another test only has the same name.
    let is_of_skipped = |item: &Item| {
        let facts = item.cassette.as_deref();
        let mut tests = facts.into_iter().flat_map(|facts| facts.tests()).peekable();
        let is_own = |test| skip.test.as_ref().is_some_and(|name| is_of_test(name, test));
        tests.peek().is_none() || tests.any(is_own)
    };
    found.retain(|item| is_of_skipped(item));
    // In the folder where the recording is missing, a similar name is a wrong spelling, whatever the log says of the test.
    let is_in_folder = |item: &Item| !folder.is_empty() && same_end(item.folder(), folder);
    let is_misspelled = found.is_empty();
    if is_misspelled {
        found = similar;
        found.retain(|item| is_in_folder(item) || is_of_skipped(item));
    }
    let Some(first) = found.first().copied() else { return missing(skip.reason.to_string()) };
    // Whole, because the end of a path is what differs.
    let names = some(found.iter().map(|item| format!("`{}`", input.name(item))), MAX_NAMED_FILES);
    let rest = if is_misspelled { ": only `-`, `_` or capitals differ" } else { "" };
    let note = format!("`{wanted}` is missing, {names} exists{rest}");
    (AuditKind::SkippedElsewhere, place(Some(input.name(first)), note))
}

/// Returns whether a reason to skip is that a recording is missing.
fn is_for_missing(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| reason.contains(phrase));
    let mut words = reason.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_of_recording =
        words.any(|word| RECORDING_WORDS.contains(&word)) || named_path(&reason).is_some();
    is_of_recording && has(&MISSING_PHRASES) && !has(&PACKAGE_PHRASES)
}

/// Returns the path of a recording in a reason.
fn named_path(reason: &str) -> Option<String> {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '=');
    let words = reason.split(is_end).map(|word| word.trim_matches(['.', ':', '<', '>']));
    let is_path =
        |word: &&str| ENDINGS.iter().any(|end| word.len() > end.len() && word.ends_with(end));
    words.filter(is_path).max_by_key(|word| word.len()).map(str::to_owned)
}

/// Returns the stem of a name without differences that are easily overlooked.
fn plain_stem(name: &str) -> String {
    stem(name).to_lowercase().replace('-', "_")
}

fn stem(name: &str) -> &str {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_recording_is_a_reason() {
        let cases = [
            ("no cassette: tests/cassettes/a.yaml", true),
            ("Cassette not found at '/x/cassettes/a.yaml'.", true),
            ("recording fixtures/a.json does not exist; run with RECORD=1", true),
            ("not recorded yet", true),
            ("fixtures/a.json missing", true),
            ("could not import 'vcr': No module named 'vcr'", false),
            ("pytest-recording not found: install it", false),
            ("needs a network", false),
            ("OPENAI_API_KEY is missing", false),
            ("recording is slow", false),
        ];
        for (reason, expected) in cases {
            assert_eq!(is_for_missing(reason), expected, "{reason}");
        }
        assert_eq!(
            named_path("Cassette not found at '/x/a[b].yaml'.").as_deref(),
            Some("/x/a[b].yaml")
        );
    }
}
