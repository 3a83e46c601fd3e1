//! Five hundred cassettes with planted defects, and the tests around them: a check finds exactly what was planted.
//!
//! What is planted is counted here, by the client's rules as they are documented, and never computed by the program.

mod files;
mod plan;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::Project;
use plan::{Planted, plan};

/// The number of cassettes.
const CASSETTES: usize = 500;

/// How often each rule reports each call of each file.
type Counts = BTreeMap<Planted, usize>;

fn counted(found: impl IntoIterator<Item = Planted>) -> Counts {
    let mut counts = Counts::new();
    for one in found {
        *counts.entry(one).or_default() += 1;
    }
    counts
}

/// Reads the findings of a report.
fn reported(report: &Value) -> Counts {
    let problems = report["problems"].as_array().unwrap();
    counted(problems.iter().map(|problem| {
        let text = |key: &str| problem[key].as_str().unwrap().to_owned();
        let pointer = text("pointer");
        let mut parts = pointer.split('/').skip(1);
        let is_list = parts
            .next()
            .is_some_and(|key| key.ends_with("interactions"));
        let call = parts.next().filter(|_| is_list);
        Planted {
            path: text("path"),
            call: call.map(|call| call.parse().unwrap()),
            rule: text("rule"),
            severity: text("severity"),
        }
    }))
}

#[test]
fn a_check_of_five_hundred_cassettes_finds_exactly_what_was_planted() {
    let project = Project::new(&[]);
    let planted = plan(CASSETTES, |path, text| project.write(path, text));
    let expected = counted(planted);
    let rules: std::collections::BTreeSet<&str> =
        expected.keys().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules.len(), 11, "{rules:?}");

    let found = reported(
        &project
            .run(&["check", "tests", "spec", "mailer", "--json"])
            .json(),
    );
    let minus = |left: &Counts, right: &Counts| {
        let differing = left
            .iter()
            .filter(|(key, count)| right.get(key) != Some(count));
        let lines = differing.map(|(key, count)| format!("{count} × {key:?}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (missing, more) = (minus(&expected, &found), minus(&found, &expected));
    assert!(
        missing.is_empty() && more.is_empty(),
        "planted:\n{missing}\nfound:\n{more}"
    );
}
