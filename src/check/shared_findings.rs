//! Findings about what several cassettes share: their settings, or the tests of their folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::cassette_orphan::missing_message;
use super::unknown_format;
use calls::cassette_config::ConfigOrigin;
use calls::{Item, ItemFacts};
use document::foreign::ForeignFormat;
use document::text::{Place, Span, counted, listed};
use document::{Problem, ProblemCalls, RuleId, Severity};
use play::client::RecorderClient;

/// A problem of another file than the one that it was found in.
#[derive(Clone, Debug)]
pub struct SharedFinding {
    /// The file that it is about, with this problem.
    pub item: Item,
    /// The position of the first item in which it was found.
    pub first: usize,
}

/// Takes the problems about tests without a cassette from the cassettes beside which they were found.
pub fn tests_without_cassette(items: &mut [Arc<Item>]) -> Vec<SharedFinding> {
    let mut findings = Vec::new();
    for (first, item) in items.iter_mut().enumerate() {
        let tests = item.cassette.iter().flat_map(|facts| facts.missing.clone());
        for test in tests.collect::<Vec<_>>() {
            let text = missing_message(&test);
            let is_same = |p: &Problem| p.rule == RuleId::CassetteOrphan && *p.message == *text;
            let Some(index) = item.problems.iter().position(is_same) else { continue };
            let dir = item.folder().to_owned();
            // Other holders of the item keep the problem.
            let item_mut = Arc::make_mut(item);
            let severity = item_mut.problems[index].severity;
            item_mut.change_problems(|problems| {
                problems.remove(index);
            });
            let text = format!("{} is marked with vcr and has no cassette in {dir}", test.name);
            let problem = Problem::whole_file(RuleId::CassetteOrphan, text).with_severity(severity);
            findings.push(SharedFinding::new(item, first, (&test.origin, 1), problem));
        }
    }
    findings
}

/// The settings of cassettes: where what is compared is set, the program, and what is before paths from their project root.
pub type SettingsKey = (String, Option<(Arc<str>, u32)>, &'static str, Severity);

/// Returns the settings of a cassette with calls that cannot be distinguished. Several with the same settings have one finding.
pub fn ambiguous_settings_of(item: &Item) -> Option<SettingsKey> {
    let first = item.problems.iter().find(|problem| problem.rule == RuleId::CallAmbiguous)?;
    let origin = origin(item).map(|o| (Arc::clone(&o.path), o.line));
    let folder = item.path.strip_suffix(item.root_path()).unwrap_or_default().to_owned();
    Some((folder, origin, item.client()?.as_str(), first.severity))
}

/// Takes the problems of calls that cannot be distinguished from cassettes that are played with the same settings, if there are several.
pub fn ambiguous_settings(items: &mut [Arc<Item>]) -> Vec<SharedFinding> {
    // Sorted, so that each report has the same order.
    let mut groups: BTreeMap<SettingsKey, Vec<usize>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(settings) = ambiguous_settings_of(item) {
            groups.entry(settings).or_default().push(index);
        }
    }
    let groups = groups.into_values().filter(|positions| positions.len() > 1);
    groups.filter_map(|positions| share(items, &positions)).collect()
}

/// Takes the notes about files of other recorders whose calls are not read, of each kind of which there are several.
pub fn unread_recordings(items: &mut [Arc<Item>]) -> Vec<SharedFinding> {
    let is_note = |problem: &Problem| problem.rule == RuleId::UnknownFormat;
    let mut groups: BTreeMap<(ForeignFormat, Severity), Vec<usize>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let note = item.problems.iter().find(|problem| is_note(problem));
        if let (Some(foreign), Some(note)) = (item.foreign, note) {
            groups.entry((foreign.format, note.severity)).or_default().push(index);
        }
    }
    let share = |((format, severity), positions): ((ForeignFormat, Severity), Vec<usize>)| {
        let (index, _) = (*positions.first()?, positions.get(1)?);
        let first = Arc::clone(items.get(index)?);
        let mut files = Vec::new();
        for index in positions {
            let item = items.get_mut(index)?;
            files.push(Arc::clone(&item.path));
            Arc::make_mut(item).change_problems(|problems| problems.retain(|p| !is_note(p)));
        }
        let message = format!(
            "{} files, each {}, are not checked: Retake does not read them yet",
            files.len(),
            format.name()
        );
        let problem = Problem::whole_file(RuleId::UnknownFormat, message);
        let calls = ProblemCalls { files: files.into(), ..ProblemCalls::default() };
        let problem = Problem {
            calls: Some(Box::new(calls)),
            ..problem.with_severity(severity).with_help(unknown_format::MANY_HELP)
        };
        let path = first.root_path().into();
        let origin = ConfigOrigin { path, line: 1 };
        Some(SharedFinding::new(&first, index, (&origin, 1), problem))
    };
    groups.into_iter().filter_map(share).collect()
}

/// Replaces the problems of these items by one.
fn share(items: &mut [Arc<Item>], positions: &[usize]) -> Option<SharedFinding> {
    let cassettes: Vec<&Item> = positions.iter().map(|index| &*items[*index]).collect();
    let problem = ambiguous_problem(&cassettes)?;
    let index = *positions.first()?;
    for index in positions {
        Arc::make_mut(&mut items[*index])
            .change_problems(|problems| problems.retain(|p| p.rule != RuleId::CallAmbiguous));
    }
    let Place { line, column } = problem.place;
    let (origin, column) = match origin(&items[index]) {
        Some(origin) => (origin.clone(), 1),
        None => {
            let path = items[index].root_path().into();
            (ConfigOrigin { path, line }, column)
        }
    };
    Some(SharedFinding::new(&items[index], index, (&origin, column), problem))
}

/// Returns the problem of cassettes with the same settings, at the first call that cannot be distinguished.
pub fn ambiguous_problem(items: &[&Item]) -> Option<Problem> {
    let is_ambiguous = |problem: &&Problem| problem.rule == RuleId::CallAmbiguous;
    let first = *items.first()?;
    let example = first.problems.iter().find(is_ambiguous)?;
    let mut settled_counts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for item in items {
        let matchers =
            item.problems.iter().filter(is_ambiguous).map(|p| p.calls.as_ref()?.settled_by.clone());
        if let Some(matchers) = matchers.collect::<Option<BTreeSet<_>>>() {
            let matchers: Vec<Arc<str>> = matchers.into_iter().collect();
            *settled_counts.entry(listed(&matchers).into()).or_default() += 1;
        }
    }
    let files: Box<[Arc<str>]> = items.iter().map(|item| Arc::clone(&item.path)).collect();
    let client = first.client()?;
    let facts = first.cassette.as_deref();
    let comparison = match facts.and_then(|facts| facts.match_on.as_ref()?.texts.as_deref()) {
        Some(names) => listed(names),
        None if client.has_read_settings() => {
            format!("{} by default", RecorderClient::from(client).compared())
        }
        None => RecorderClient::from(client).compared().to_owned(),
    };
    let suggestions = settled_counts
        .iter()
        .map(|(matcher, files)| format!("comparing {matcher} as well would settle {files}"));
    let remark = match suggestions.collect::<Vec<_>>() {
        suggestions if suggestions.is_empty() => "comparing more would settle none".to_owned(),
        suggestions => listed(&suggestions),
    };
    let message = format!(
        "{} depend on the order of their calls: {} compares {comparison}; {remark}",
        counted(files.len(), "cassette", "cassettes"),
        client.as_str()
    );
    let help = "Compare what distinguishes the requests; where they are equal, keep their order. A check of one file names its calls. If the order is checked elsewhere, turn the rule off in retake.toml.";
    let problem = Problem::whole_file(RuleId::CallAmbiguous, message).with_help(help);
    let calls = ProblemCalls { files, ..ProblemCalls::default() };
    Some(Problem {
        severity: example.severity,
        span: example.span,
        place: example.place,
        calls: Some(Box::new(calls)),
        ..problem
    })
}

/// Returns where it is set what is compared.
fn origin(item: &Item) -> Option<&ConfigOrigin> {
    Some(&item.cassette.as_ref()?.match_on.as_ref()?.origin)
}

impl SharedFinding {
    fn new(
        cassette: &Item,
        first: usize,
        (origin, column): (&ConfigOrigin, u32),
        problem: Problem,
    ) -> Self {
        let place = Place { line: origin.line, column };
        let path = path_beside(cassette, &origin.path).into();
        let item = Item::from(ItemFacts::at(path, &origin.path));
        // The span is one in the cassette, not in the file of the settings.
        let problem = Problem { place, span: Span::default(), ..problem };
        Self { item: item.with_problems(vec![problem]), first }
    }
}

/// Returns a path from the project root as a path of the same command as that of an item.
fn path_beside(item: &Item, path: &str) -> String {
    if let Some(folder) = item.path.strip_suffix(item.root_path()) {
        return format!("{folder}{path}");
    }
    // The command was started in a folder of the project.
    let parent_folder = item.root_path().strip_suffix(&*item.path).unwrap_or_default();
    match Path::new(path).strip_prefix(parent_folder) {
        Ok(relative_path) => relative_path.to_string_lossy().replace('\\', "/"),
        Err(_) => format!("{}{path}", "../".repeat(parent_folder.matches('/').count())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::RareFacts;
    use calls::cassette_config::{CassetteFacts, ConfigTexts, TestPlace};
    use document::cassette::CassetteClient;
    use document::foreign::Foreign;

    fn origin(path: &str, line: u32) -> ConfigOrigin {
        ConfigOrigin { path: path.into(), line }
    }

    /// A cassette with calls that are ambiguous unless one of these matchers is compared.
    fn ambiguous(path: &str, set_at: Option<u32>, settled_by: &[Option<&str>]) -> Arc<Item> {
        let problem = |matcher: &Option<&str>| {
            let problem = Problem::whole_file(RuleId::CallAmbiguous, "vcrpy cannot");
            let calls =
                ProblemCalls { settled_by: matcher.map(Arc::from), ..ProblemCalls::default() };
            Problem { calls: Some(Box::new(calls)), ..problem }
        };
        let match_on = set_at.map(|line| ConfigTexts {
            key: "match_on".into(),
            texts: Some(vec!["method".into(), "path".into()]),
            origin: origin("tests/conftest.py", line),
        });
        let facts = CassetteFacts {
            client: Some((CassetteClient::Vcrpy, origin("a.py", 1))),
            match_on,
            ..CassetteFacts::default()
        };
        let foreign = Foreign {
            format: ForeignFormat::VcrCassette,
            entries: None,
            client: Some(CassetteClient::Vcrpy),
        };
        let item = ItemFacts {
            rare: RareFacts { foreign: Some(foreign), ..RareFacts::default() }.into(),
            ..ItemFacts::at(path.into(), path.strip_prefix("../").unwrap_or(path))
        };
        let item = Item::from(item).with_cassette(Some(facts));
        Arc::new(item.with_problems(settled_by.iter().map(problem).collect()))
    }

    fn shown(shared: &[SharedFinding]) -> String {
        let line = |finding: &SharedFinding| {
            let problem = &finding.item.problems[0];
            let files = problem
                .calls
                .as_ref()
                .map_or(String::new(), |calls| format!(" [{}]", calls.files.join(" ")));
            format!(
                "{} {} {}:{} {}{files}",
                finding.first,
                finding.item.path,
                finding.item.root_path(),
                problem.place,
                problem.message
            )
        };
        shared.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn cassettes_of_the_same_settings_have_one_finding() {
        let mut items = [
            ambiguous("tests/a.yaml", Some(7), &[Some("body")]),
            ambiguous("tests/b.yaml", Some(7), &[Some("body"), None]),
            ambiguous("tests/c.yaml", Some(9), &[Some("body")]),
            ambiguous("tests/d.yaml", Some(7), &[Some("body"), Some("query")]),
            ambiguous("tests/e.yaml", None, &[None]),
            ambiguous("tests/f.yaml", None, &[None]),
            ambiguous("../tests/g.yaml", Some(7), &[Some("body")]),
            ambiguous("../tests/h.yaml", Some(7), &[Some("body")]),
        ];
        insta::assert_snapshot!(shown(&ambiguous_settings(&mut items)), @"
        4 tests/e.yaml tests/e.yaml:1:1 2 cassettes depend on the order of their calls: vcrpy compares method, scheme, host, port, path and query by default; comparing more would settle none [tests/e.yaml tests/f.yaml]
        0 tests/conftest.py tests/conftest.py:7:1 3 cassettes depend on the order of their calls: vcrpy compares method and path; comparing body as well would settle 1 and comparing body and query as well would settle 1 [tests/a.yaml tests/b.yaml tests/d.yaml]
        6 ../tests/conftest.py tests/conftest.py:7:1 2 cassettes depend on the order of their calls: vcrpy compares method and path; comparing body as well would settle 2 [../tests/g.yaml ../tests/h.yaml]
        ");
        let counts: Vec<usize> = items.iter().map(|item| item.problems.len()).collect();
        assert_eq!(counts, [0, 0, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_test_without_a_cassette_is_a_finding_at_the_test() {
        let test = |name: &str, line| TestPlace {
            name: name.into(),
            origin: origin("tests/test_a.py", line),
        };
        let facts = CassetteFacts {
            missing: vec![test("test_b", 4), test("test_c", 9), test("test_d", 20)],
            ..CassetteFacts::default()
        };
        let problems = facts
            .missing
            .iter()
            .take(2)
            .map(missing_message)
            .map(|m| Problem::whole_file(RuleId::CassetteOrphan, m));
        let item = ItemFacts::at(
            "cassettes/test_a/test_z.yaml".into(),
            "tests/cassettes/test_a/test_z.yaml",
        );
        let item =
            Item::from(item).with_cassette(Some(facts.clone())).with_problems(problems.collect());
        let mut items = [Arc::new(item)];
        insta::assert_snapshot!(shown(&tests_without_cassette(&mut items)), @"
        0 test_a.py tests/test_a.py:4:1 test_b is marked with vcr and has no cassette in tests/cassettes/test_a
        0 test_a.py tests/test_a.py:9:1 test_c is marked with vcr and has no cassette in tests/cassettes/test_a
        ");
        assert!(items[0].problems.is_empty());
    }

    #[test]
    fn paths_are_those_of_the_command() {
        let path_of = |path: &str, root_path: &str| {
            let item = ItemFacts::at(path.into(), root_path);
            path_beside(&Item::from(item), "tests/conftest.py")
        };
        assert_eq!(path_of("./tests/a.yaml", "tests/a.yaml"), "./tests/conftest.py");
        assert_eq!(path_of("/p/tests/a.yaml", "tests/a.yaml"), "/p/tests/conftest.py");
        assert_eq!(path_of("cassettes/a.yaml", "tests/cassettes/a.yaml"), "conftest.py");
        assert_eq!(path_of("a.yaml", "tests/cassettes/a.yaml"), "../../tests/conftest.py");
    }
}
