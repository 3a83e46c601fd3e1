//! Five hundred cassettes with planted defects, and the tests around them: a check finds exactly what was planted.
//!
//! What is planted is counted here, by the client's rules as they are documented, and never computed by the program.

mod files;
mod plan;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::Project;
use crate::saving::save_elsewhere;
use files::Shape;
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
    reported_where(report, |_, _| true)
}

/// Reads the findings of a report that are wanted by their rule and their pointer.
fn reported_where(report: &Value, is_wanted: impl Fn(&str, &str) -> bool) -> Counts {
    let problems = report["problems"].as_array().unwrap().iter();
    let problems = problems.filter(|problem| {
        let text = |key: &str| problem[key].as_str().unwrap();
        is_wanted(text("rule"), text("pointer"))
    });
    counted(problems.flat_map(|problem| {
        let text = |key: &str| problem[key].as_str().unwrap().to_owned();
        // One finding may be about several files.
        let files = problem["files"].as_array();
        let files = files.map(|files| files.iter().map(|it| it.as_str().unwrap().to_owned()));
        let files = files.map_or_else(|| vec![text("path")], Iterator::collect);
        let pointer = text("pointer");
        let mut parts = pointer.split('/').skip(1);
        let is_list = parts.next().is_some_and(|key| key.ends_with("interactions"));
        let call = parts.next().filter(|_| is_list);
        let call = call.map(|call| call.parse().unwrap());
        let found = move |path| {
            Planted { path, call, rule: text("rule"), severity: text("severity") }.of_file()
        };
        files.into_iter().map(found)
    }))
}

#[test]
fn a_check_of_five_hundred_cassettes_finds_exactly_what_was_planted() {
    let project = Project::new(&[]);
    let planted = plan(CASSETTES, |path, text| project.write(path, text));
    let expected = counted(planted.into_iter().map(Planted::of_file));
    let rules: std::collections::BTreeSet<&str> =
        expected.keys().map(|it| it.rule.as_str()).collect();
    assert_eq!(rules.len(), 11, "{rules:?}");

    let check = ["check", "tests", "spec", "mailer", "--json"];
    let report = project.run(&check).json();
    let found = reported(&report);
    let minus = |left: &Counts, right: &Counts| {
        let differing = left.iter().filter(|(key, count)| right.get(key) != Some(count));
        let lines = differing.map(|(key, count)| format!("{count} × {key:?}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (missing, more) = (minus(&expected, &found), minus(&found, &expected));
    assert!(missing.is_empty() && more.is_empty(), "planted:\n{missing}\nfound:\n{more}");

    // Each fix removes what its rule found, and nothing else.
    let fixes = ["encoding-mismatch", "length-mismatch", "repeat-unreachable"];
    let fix = format!("--fix={}", fixes.join(","));
    let run = project.run(&[&check[..], &[&fix]].concat());
    let remaining = reported_where(&report, |rule, pointer| {
        !fixes.contains(&rule) || rule == "encoding-mismatch" && !pointer.contains("/headers/")
    });
    assert_eq!(minus(&remaining, &reported(&run.json())), "");
    assert_eq!(reported(&project.run(&check).json()), remaining);
}

/// Returns a text in which each line ends as on Windows, without a line end at its end, after a byte order mark, with ERB, or with tags
/// that no reader knows.
fn variants(path: &str, text: &str) -> Vec<(&'static str, String)> {
    let mut variants = vec![
        ("crlf", text.replace('\n', "\r\n")),
        ("open", text.trim_end_matches('\n').to_owned()),
        ("bom", format!("\u{feff}{text}")),
    ];
    if path.ends_with(".yml") {
        let erb = text.replacen("Question", "<%= name %> asks: question", 1);
        variants.push(("erb", format!("<%# recorded %>\n{erb}")));
    }
    if path.ends_with(".yaml") {
        let tagged = text.replacen("uri: ", "uri: !address ", 1);
        variants.push(("tags", tagged.replacen("url: ", "url: !address ", 1)));
    }
    variants
}

#[test]
fn what_is_opened_saved_checked_and_edited_without_a_change_keeps_its_bytes() {
    let project = Project::new(&[("retake.toml", "")]);
    let mut files = Vec::new();
    plan(Shape::ALL.len() * 3, |path, text| {
        if !path.ends_with(".py") && path.contains("case") {
            let (stem, ending) = path.rsplit_once('.').unwrap();
            for (variant, text) in variants(path, &text) {
                let path = format!("cassettes/{stem}-{variant}.{ending}");
                project.write(&path, &text);
                files.push((path, text));
            }
        }
    });
    let check_bytes = || {
        for (path, text) in &files {
            assert!(project.read(path) == *text, "{path}");
        }
    };
    let saved = save_elsewhere(&project.path("cassettes"));
    assert_eq!(saved, files.len());

    let fixes = ["length-mismatch=off", "encoding-mismatch=off"];
    let run = project.run(&["check", "cassettes", "--fix", "--rule", fixes[0], "--rule", fixes[1]]);
    assert!(!run.stdout.contains("fixed["), "{}", run.stdout);
    check_bytes();

    for (path, text) in &files {
        let (list, method) = if text.contains("http_interactions:") {
            ("http_interactions", "post")
        } else {
            ("interactions", "POST")
        };
        let edit = format!("/{list}/0/request/method=\"{method}\"");
        let run = project.run(&["edit", path, "--set", &edit]);
        // A file that begins with ERB is no YAML before Ruby has run it.
        let expected = if path.contains("-erb") { 2 } else { 0 };
        assert_eq!(run.code, Some(expected), "{path}: {}", run.stderr);
    }
    check_bytes();
}
