//! Problems: from one to the next, by rule, and to the exact place.

use std::collections::BTreeSet;

use super::*;

/// What is selected: a rule, and a place where it applies.
fn selected(window: &Window) -> String {
    let rows = window.rows();
    let selected: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.strip_prefix('>'))
        .collect();
    selected.join(": ")
}

#[test]
fn f8_goes_from_problem_to_problem_wherever_one_is() {
    let project = samples();
    let mut window = open_samples(&project);
    let mut visited = Vec::new();
    for modifiers in [Modifiers::NONE, Modifiers::NONE, Modifiers::SHIFT] {
        window.press_with(modifiers, Key::F8);
        visited.push(selected(&window));
    }
    insta::assert_snapshot!(visited.join("\n"), @"
    warning signature-unmatchable, 1: req-1780281204339-3.json, line 95, column 20
    warning source-unstamped, 2: turn-1.json, line 1, column 1
    warning signature-unmatchable, 1: req-1780281204339-3.json, line 95, column 20
    ");
}

#[test]
fn a_rule_leads_to_its_places_and_a_place_to_its_line_in_the_file() {
    let project = samples();
    let mut window = open_samples(&project);
    let report = project
        .run(&["check", "sample-recordings", "--json"])
        .json();
    let problems = report["problems"].as_array().unwrap();
    let known = |rule: &str| problems.iter().filter(|it| it["rule"] == rule).count();

    window.click(Role::Tab, "Problems, 15");
    let rows = window.rows();
    let rules: Vec<&str> = rows
        .iter()
        .map(|row| row.trim_start_matches('>'))
        .filter(|row| {
            ["error ", "warning ", "note "]
                .iter()
                .any(|level| row.starts_with(level))
        })
        .collect();
    let found: BTreeSet<&str> = problems
        .iter()
        .filter_map(|problem| problem["rule"].as_str())
        .collect();
    assert_eq!(rules.len(), found.len(), "{rules:#?}");
    for rule in &rules {
        let (rule, count) = rule.rsplit_once(", ").unwrap();
        let (_, rule) = rule.split_once(' ').unwrap();
        assert_eq!(count, known(rule).to_string(), "{rule}");
    }

    window.click(Role::ListBoxOption, "error response-not-wrapped, 1");
    window.click(Role::ListBoxOption, "turn-1.json, line 39, column 15");
    let line = "  \"response\": {";
    window.wait_for(line);
    assert_eq!(
        selected(&window),
        "error response-not-wrapped, 1: turn-1.json, line 39, column 15"
    );
    window.click(Role::Button, "Show in Library");
    window.wait_for("Text of turn-1.json");
    assert_eq!(
        window.selected().unwrap(),
        "turn-1.json, recording, Incomplete"
    );
    assert!(is_on(&window.find(Role::Tab, "Text")));
}

#[test]
fn a_place_is_copied_as_editors_take_it() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::F8);
    window.wait_for("Copy as path:line:column");
    window.click(Role::Button, "Copy as path:line:column");
    let copied = window.copied.unwrap();
    assert!(
        copied.ends_with("recordings/close-ticket/req-1780281204339-3.json:95:20"),
        "{copied}"
    );
}

#[test]
fn keys_go_through_what_is_listed_and_enter_opens_the_place() {
    let project = samples();
    let mut window = open_samples(&project);
    window.press(Key::End);
    let in_library = window.selected();
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.wait_for("Copy as path:line:column");
    let mut visited = vec![selected(&window)];
    for key in [Key::J, Key::J, Key::K, Key::PageDown, Key::End, Key::Home] {
        window.press(key);
        visited.push(selected(&window));
    }
    insta::assert_snapshot!(visited.join("\n"), @"
    error response-not-wrapped, 1: turn-1.json, line 39, column 15
    warning source-stale, 7: req-1773324121806-1.json, line 92, column 20
    warning source-stale, 7: req-1773324123377-2.json, line 109, column 20
    warning source-stale, 7: req-1773324121806-1.json, line 92, column 20
    warning source-renamed, 2: turn-1.json, line 104, column 19
    warning source-renamed, 2: turn-2.json, line 93, column 19
    warning source-renamed, 2: turn-1.json, line 104, column 19
    ");

    window.press_with(Modifiers::COMMAND, Key::Num1);
    assert_eq!(
        window.selected(),
        in_library,
        "the other list stayed as it was"
    );
    window.press_with(Modifiers::COMMAND, Key::Num7);
    window.press(Key::Enter);
    assert_eq!(
        window.selected().unwrap(),
        "req-ticket-routing-turn-1, recording, Renamed"
    );
    assert!(is_on(&window.find(Role::Tab, "Text")));
}
