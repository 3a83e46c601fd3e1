//! What recordings cover of machines, counted a second time from the texts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::project::{Project, RandomNumbers, recording_offering};

/// Counts by the names of nodes, and by those of the ends of edges.
type Counts = BTreeMap<String, u64>;

/// A machine whose tasks have at least two ways, with recordings; what they cover.
fn generated(seed: u64) -> (Project, Counts, Counts) {
    let mut numbers = RandomNumbers(seed);
    let tasks = 2 + numbers.below(7);
    let (mut nodes, mut edges) = (Counts::new(), Counts::new());
    let mut text = "context Notes {}\nstate end;\n".to_owned();
    let mut ways: Vec<Vec<String>> = Vec::new();
    for task in 0..tasks {
        let mut to = vec!["end".to_owned()];
        for other in 0..tasks {
            if numbers.below(3) == 0 || other == (task + 1) % tasks {
                to.push(format!("task{other}"));
            }
        }
        text.push_str(&format!("task task{task} {{ prompt: \"Do {task}\"; }}\n"));
        for way in &to {
            text.push_str(&format!("task{task} -> {way};\n"));
            edges.insert(format!("task{task} {way}"), 0);
        }
        if numbers.below(2) == 0 {
            text.push_str(&format!("Notes -> task{task};\n"));
            edges.insert(format!("Notes task{task}"), 0);
            to.push("Notes".to_owned());
        }
        nodes.insert(format!("task{task}"), 0);
        ways.push(to);
    }
    let project = Project::new(&[("retake.toml", ""), ("m/a.dygram", &text)]);
    for number in 0..numbers.below(20) + 1 {
        let task = numbers.below(tasks);
        let tool = |way: &String| match &**way {
            "Notes" => "read_Notes".to_owned(),
            way => format!("transition_to_{way}"),
        };
        let mut offered: Vec<String> = ways[task].iter().map(tool).collect();
        offered.sort();
        let names: Vec<&str> = offered.iter().map(String::as_str).collect();
        let mut value = recording_offering(&format!("r{number}"), &names);
        value["request"]["messages"][0]["content"] = json!(format!("- **Node**: task{task}\n"));
        value["sourceMetadata"] =
            json!({"sourceFile": "m/a.dygram", "contentHash": "0".repeat(64)});
        let called = &ways[task][numbers.below(ways[task].len())];
        value["response"]["response"]["content"][0]["name"] = json!(tool(called));
        let edge = match &**called {
            "Notes" => format!("Notes task{task}"),
            way => format!("task{task} {way}"),
        };
        *edges.get_mut(&edge).unwrap() += 1;
        *nodes.get_mut(&format!("task{task}")).unwrap() += 1;
        project.write(&format!("set/r{number}.json"), value.to_string());
    }
    (project, nodes, edges)
}

#[test]
fn coverage_is_what_a_second_count_finds() {
    for seed in 0..25 {
        let (project, nodes, edges) = generated(seed);
        let document = project.run(&["list", "set", "--coverage", "--json"]).json();
        let [machine] = document["coverage"].as_array().unwrap().as_slice() else {
            panic!("one machine: {document}");
        };
        let count = |rows: &Value, name: &dyn Fn(&Value) -> String, count: &str| -> Counts {
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| (name(row), row[count].as_u64().unwrap())).collect()
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let found = count(&machine["nodes"], &|row| text(&row["node"]), "recordings");
        assert_eq!(found, nodes, "seed {seed}");
        let ends = |row: &Value| format!("{} {}", text(&row["from"]), text(&row["to"]));
        assert_eq!(count(&machine["links"], &ends, "uses"), edges, "seed {seed}");
        for (share, counts) in [("tasks", &nodes), ("edges", &edges)] {
            let covered = counts.values().filter(|count| **count > 0).count();
            let expected = json!({"covered": covered, "total": counts.len()});
            assert_eq!(machine[share], expected, "seed {seed}");
        }
        let check = ["check", "set", "--rule", "node-uncovered=error", "--json"];
        let problems = project.run(&check).json();
        let problems = problems["problems"].as_array().unwrap();
        let reported = problems.iter().filter(|it| it["rule"] == "node-uncovered");
        let is_covered = nodes.values().all(|count| *count > 0);
        assert_eq!(reported.count(), usize::from(!is_covered), "seed {seed}");
    }
}

#[test]
fn what_is_not_covered_is_named() {
    let project = Project::new(&[("retake.toml", "")]);
    crate::project::copy(
        &crate::samples::checkout().join("sample-recordings"),
        &project.path("sample-recordings"),
    );
    let run = project.run(&["list", "sample-recordings/recordings/triage-ticket", "--coverage"]);
    let (_, coverage) = run.stdout.rsplit_once("\n\n").unwrap();
    insta::assert_snapshot!(coverage, @"
    sample-recordings/machines/triage-ticket.dygram: 4 of 4 tasks, 7 of 12 edges
      no recording of edge classify to Ticket (writes)
      no recording of edge classify to reply (known issue)
      no recording of edge classify to refund (wants money back)
      no recording of edge Ticket to escalate
      no recording of edge escalate to intake (more needed)
    ");
    // These are at the node that has another name by now.
    for number in ["6480-4", "7914-5"] {
        let file = format!("sample-recordings/recordings/triage-ticket/req-177332412{number}.json");
        std::fs::remove_file(project.path(&file)).unwrap();
    }
    let check = ["check", "sample-recordings/recordings/triage-ticket", "--format", "text"];
    assert!(!project.run(&check).stdout.contains("node-uncovered"));
    let on = [&check[..], &["--rule", "node-uncovered=warning"]].concat();
    let stdout = project.run(&on).stdout;
    let lines: Vec<&str> = stdout.lines().filter(|line| line.contains("node-uncovered")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"sample-recordings/recordings/triage-ticket/req-1773324121806-1.json:91:19: warning[node-uncovered] `reply` of sample-recordings/machines/triage-ticket.dygram has no recording: 3 of 4 tasks are covered");
}
