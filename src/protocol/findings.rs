//! Findings: problems of a project and decisions that wait, in the order of what they break.

use std::sync::Arc;

use crate::{DocId, Items, SourceList, SourceRow};
use calls::{Item, ItemStatus};
use check::AccountNotes;
use check::change::{FIXES, RuleFix, fix_at};
use document::{Problem, RuleId, Severity};

/// A finding: a sentence with one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// The highest of what it is about.
    pub severity: Severity,
    /// Number of recordings, files, runs or requests that it is about.
    pub count: usize,
    /// The folder, the source or the report in which they are, if there is only one.
    pub place: Option<Arc<str>>,
}

/// Subject of a finding, and so of its action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// Recordings that their changed source breaks: requests at these nodes no longer match. The action shows both versions, from
    /// the recording that shows most of the changes.
    Breaks { nodes: Vec<Arc<str>>, first: DocId },
    /// A rule reports them, and has a fix.
    Fixable(RuleId),
    /// Files of this status, which have no fix. The action lists them.
    Listed(ItemStatus),
    /// Cassettes whose program cannot distinguish calls with different answers. The action lists them.
    OrderDecides {
        /// Number of those that it could distinguish by their bodies.
        settled: usize,
        /// Whether settings that are not read may compare more.
        is_assumed: bool,
    },
    /// Other errors and warnings. The action shows the list of problems.
    Others,
    /// Runs of a report that failed. The action makes sessions of them.
    FailedRuns(DocId),
    /// Requests that wait for an answer.
    Waiting,
    /// Re-recorded files that are not decided.
    Undecided,
}

impl Finding {
    /// Returns a finding that another desk knows; `None` for a count of 0.
    pub fn note(kind: FindingKind, count: usize) -> Option<Self> {
        (count > 0).then_some(Self { kind, severity: Severity::Note, count, place: None })
    }

    fn about<'a>(
        kind: FindingKind,
        severity: Severity,
        items: impl Iterator<Item = &'a Item>,
    ) -> Option<Self> {
        let folders: Vec<&str> = items.map(Item::folder).collect();
        let first = folders.first()?;
        let is_one = folders.iter().all(|folder| folder == first);
        Some(Self { kind, severity, count: folders.len(), place: is_one.then(|| (*first).into()) })
    }

    fn breaks(row: &SourceRow) -> Option<Self> {
        (row.breaks > 0).then(|| Self {
            kind: FindingKind::Breaks {
                nodes: row.breaks_at.keys().cloned().collect(),
                first: row.first,
            },
            severity: Severity::Warning,
            count: row.breaks,
            place: Some(Arc::clone(&row.name.file)),
        })
    }

    fn fixable(all_items: &Items, items: &[(DocId, &Item)], fix: &RuleFix) -> Option<Self> {
        let docs = fix.targets(items, |_, _| true);
        let targets = || docs.iter().filter_map(|doc| Some(&**all_items.get(*doc)?));
        let problems =
            targets().flat_map(|item| item.problems.iter()).filter(|flaw| flaw.rule == fix.rule);
        let severity = problems.map(|flaw| flaw.severity).max().unwrap_or(fix.rule.default_level());
        Self::about(FindingKind::Fixable(fix.rule), severity, targets())
    }

    fn failed(doc: DocId, item: &Item) -> Option<Self> {
        (item.failed_runs > 0).then(|| Self {
            kind: FindingKind::FailedRuns(doc),
            severity: Severity::Error,
            count: item.failed_runs as usize,
            place: Some(item.label().into()),
        })
    }

    /// Whether another finding, of other items, has the same subject.
    pub(crate) fn has_subject_of(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (FindingKind::Breaks { .. }, FindingKind::Breaks { .. }) => self.place == other.place,
            (FindingKind::OrderDecides { .. }, FindingKind::OrderDecides { .. }) => true,
            (kind, other) => kind == other,
        }
    }

    /// Its place among others: what a program waits for, what breaks, what is wrong, what could be better.
    pub fn rank(&self) -> u8 {
        match (&self.kind, self.severity) {
            (FindingKind::Waiting, _) => 0,
            (FindingKind::Breaks { .. }, _) => 1,
            (FindingKind::Fixable(_), Severity::Error) => 2,
            (FindingKind::Listed(ItemStatus::SourceGone), _) => 6,
            (FindingKind::Listed(_), _) => 3,
            (FindingKind::FailedRuns(_), _) => 4,
            (FindingKind::Others, Severity::Error) => 5,
            (FindingKind::OrderDecides { .. }, _) => 7,
            (FindingKind::Undecided, _) => 8,
            (FindingKind::Fixable(_) | FindingKind::Others, Severity::Warning) => 9,
            (FindingKind::Fixable(_) | FindingKind::Others, Severity::Note) => 10,
        }
    }
}

/// Statuses of items that are findings unless all of them have a fix.
const LISTED_STATUSES: [ItemStatus; 3] =
    [ItemStatus::Unreadable, ItemStatus::Incomplete, ItemStatus::SourceGone];

/// Finds what is wrong in these items, the worst first.
pub(crate) fn in_items(
    all_items: &Items,
    ids: impl Iterator<Item = DocId>,
    sources: &SourceList,
) -> Vec<Finding> {
    let items: Vec<(DocId, &Item)> =
        ids.filter_map(|id| Some((id, &**all_items.get(id)?))).collect();
    let mut findings: Vec<Finding> = sources.rows.iter().filter_map(Finding::breaks).collect();
    findings.extend((FIXES.iter()).filter_map(|fix| Finding::fixable(all_items, &items, fix)));
    let mut listed_items: [(Vec<&Item>, bool); LISTED_STATUSES.len()] = Default::default();
    let (mut other_items, mut ambiguous_items) = (Vec::new(), Vec::new());
    for (doc, item) in items {
        findings.extend(Finding::failed(doc, item));
        let is_ambiguous = |problem: &&Problem| problem.rule == RuleId::CallAmbiguous;
        if let Some(problem) = item.problems.iter().find(is_ambiguous) {
            ambiguous_items.push((problem.severity, item));
        }
        // Calls that cannot be distinguished are one finding of all cassettes, below.
        let problems = item.problems.iter().filter(|p| !is_ambiguous(p));
        // A session with personal data is not called healthy.
        let is_personal =
            |problem: &Problem| problem.rule == RuleId::Secret && !AccountNotes::is_one(problem);
        let mut severe_problems = problems
            .filter(|problem| problem.severity >= Severity::Warning || is_personal(problem));
        let has_no_fix = |problem: &&Problem| fix_at(problem, item).is_none();
        let status = item.status();
        // The list that the finding opens has all items of the status, also those with a fix.
        for (listed_status, (items, _)) in LISTED_STATUSES.iter().zip(&mut listed_items) {
            if item.has_status(*listed_status) {
                items.push(item);
            }
        }
        if let Some(index) = LISTED_STATUSES.iter().position(|other| *other == status) {
            listed_items[index].1 |= severe_problems.all(|problem| has_no_fix(&problem));
        // Breaking recordings are in the findings of their sources.
        } else if status != ItemStatus::StaleBreaks {
            other_items.extend(severe_problems.filter(has_no_fix).map(|p| (p.severity, item)));
        }
    }
    let listed_items = LISTED_STATUSES
        .into_iter()
        .zip(listed_items)
        // Items that all have a fix are in the findings of their fixes.
        .filter(|(_, (_, has_no_fix))| *has_no_fix)
        .filter_map(|(status, (items, _))| {
            let severity =
                items.iter().filter_map(|item| item.worst()).max().unwrap_or(Severity::Error);
            Finding::about(FindingKind::Listed(status), severity, items.into_iter())
        });
    findings.extend(listed_items);
    if let Some(severity) = ambiguous_items.iter().map(|(severity, _)| *severity).max() {
        let items = ambiguous_items.into_iter().map(|(_, item)| item);
        let is_assumed = items.clone().any(has_unread_settings);
        let settled = items.clone().filter(|item| is_settled_by_body(item)).count();
        let kind = FindingKind::OrderDecides { settled, is_assumed };
        findings.extend(Finding::about(kind, severity, items));
    }
    if let Some(severity) = other_items.iter().map(|(severity, _)| *severity).max() {
        let items = other_items.into_iter().map(|(_, item)| item);
        findings.extend(Finding::about(FindingKind::Others, severity, items));
    }
    // Stable: findings of one rank stay in the order of their sources and rules.
    findings.sort_by_key(Finding::rank);
    findings
}

/// Returns whether a comparison of bodies would distinguish all calls.
fn is_settled_by_body(cassette: &Item) -> bool {
    let mut problems = cassette.problems.iter().filter(|p| p.rule == RuleId::CallAmbiguous);
    let matcher = |problem: &Problem| problem.calls.as_ref()?.settled_by.clone();
    problems.all(|problem| matcher(problem).as_deref() == Some("body"))
}

fn has_unread_settings(cassette: &Item) -> bool {
    let facts = cassette.cassette.as_deref();
    facts.is_none_or(|facts| facts.match_on.is_none())
        && cassette.client().is_some_and(|c| !c.has_read_settings())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use calls::{ItemFacts, RareFacts};
    use document::FileKind;

    fn item(path: &str, problems: &[(RuleId, Severity)]) -> Arc<Item> {
        let problems = problems
            .iter()
            .map(|(rule, severity)| Problem::whole_file(*rule, "…").with_severity(*severity));
        Arc::new(
            Item::from(ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) })
                .with_problems(problems.collect()),
        )
    }

    fn found(items: Vec<Arc<Item>>) -> String {
        let mut all_items = Items::default();
        for item in items {
            all_items.push(item);
        }
        let mut text = String::new();
        let ids = all_items.iter().map(|(id, _)| id);
        for finding in in_items(&all_items, ids, &SourceList::default()) {
            let place = finding.place.as_deref().unwrap_or("several folders");
            writeln!(text, "{} {} {:?} in {place}", finding.count, finding.severity, finding.kind)
                .unwrap();
        }
        text
    }

    #[test]
    fn what_breaks_comes_first_and_each_problem_is_counted_once() {
        let report = Arc::new(Item::from(ItemFacts {
            rare: RareFacts { failed_runs: 2, ..RareFacts::default() }.into(),
            ..ItemFacts::new("reports/may.json")
        }));
        let (error, warning, note) = (Severity::Error, Severity::Warning, Severity::Note);
        insta::assert_snapshot!(found(vec![
            item("a/1.json", &[(RuleId::SeedEmpty, warning), (RuleId::DelayLost, note)]),
            item("a/2.json", &[(RuleId::Syntax, error), (RuleId::SeedEmpty, warning)]),
            item("a/3.json", &[(RuleId::ResponseNotWrapped, error)]),
            item("b/3.json", &[(RuleId::ResponseNotWrapped, error), (RuleId::SeedEmpty, warning)]),
            report,
        ]), @"
        2 error Fixable(ResponseNotWrapped) in several folders
        1 error Listed(Unreadable) in a
        2 error FailedRuns(DocId(4)) in may.json
        1 warning Others in a
        ");
    }

    #[test]
    fn cassettes_whose_answers_depend_on_file_order_are_counted_among_all_cassettes() {
        let cassette = |path: &str, problems: &[(RuleId, Severity)]| {
            let mut cassette = Item::clone(&item(path, problems));
            cassette.kind = FileKind::Cassette;
            Arc::new(cassette)
        };
        let (rule, warning) = (RuleId::CallAmbiguous, Severity::Warning);
        insta::assert_snapshot!(found(vec![
            cassette("a/1.yaml", &[(rule, warning), (rule, warning)]),
            cassette("a/2.yaml", &[(rule, warning), (RuleId::StreamTruncated, warning)]),
            cassette("a/3.yaml", &[]),
        ]), @"
        2 warning OrderDecides { settled: 0, is_assumed: false } in a
        1 warning Others in a
        ");
    }

    #[test]
    fn settings_that_are_not_read_may_compare_more() {
        use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
        use document::cassette::CassetteClient::{GoVcr, RubyVcr, Vcrpy};
        use document::foreign::{Foreign, ForeignFormat};
        let is_assumed = |client, is_set| {
            let mut cassette = Item::clone(&item("a", &[]));
            let origin = ConfigOrigin { path: "retake.toml".into(), line: 2 };
            cassette.rare.edit().cassette = Some(Box::new(CassetteFacts {
                match_on: Some(ConfigTexts {
                    key: "match_on".into(),
                    texts: None,
                    origin: origin.clone(),
                })
                .filter(|_| is_set),
                client: Some((client, origin)),
                ..CassetteFacts::default()
            }));
            cassette.rare.edit().foreign = Some(Foreign {
                format: ForeignFormat::VcrCassette,
                entries: None,
                client: Some(client),
            });
            has_unread_settings(&cassette)
        };
        let clients = [Vcrpy, RubyVcr, GoVcr];
        assert_eq!(clients.map(|c| is_assumed(c, false)), [false, true, true]);
        assert_eq!(clients.map(|c| is_assumed(c, true)), [false; 3]);
    }

    #[test]
    fn a_rule_counts_as_the_project_sets_it_and_notes_alone_are_no_finding() {
        insta::assert_snapshot!(found(vec![
            item("a/1.json", &[(RuleId::ResponseNotWrapped, Severity::Note)]),
            item("a/2.json", &[(RuleId::SeedEmpty, Severity::Note)]),
        ]), @"1 note Fixable(ResponseNotWrapped) in a");
        insta::assert_snapshot!(found(vec![item("a/1.json", &[(RuleId::Secret, Severity::Note)])]), @"1 note Others in a");
        let text_for = |severity| {
            let mut item = Item::clone(&item("a/1.yaml.gz", &[(RuleId::Unreadable, severity)]));
            item.kind = FileKind::Unknown;
            found(vec![Arc::new(item)])
        };
        insta::assert_snapshot!(text_for(Severity::Warning), @"1 warning Others in a");
        assert_eq!(text_for(Severity::Note), "");
    }
}
