//! Tests of the nodes and edges that recordings cover.

use std::sync::Arc;

use super::super::map_picture::draw_map;
use super::super::testing::machine;
use super::super::{
    CallAtNode, Graph, Machine, MachineCoverage, MachineMap, MachineVersion, SourceVersions,
};
use crate::picture::PictureTheme;

/// A recording as `node: offered tools > called tools`; a recording that names no node begins with the colon.
fn call(text: &str) -> CallAtNode {
    let (node, tools) = text.split_once(':').unwrap();
    let (offered, called) = tools.split_once('>').unwrap();
    let names = |text: &str| text.split_whitespace().map(Box::from).collect();
    CallAtNode {
        node: (!node.is_empty()).then(|| node.into()),
        tools: names(offered),
        called: names(called),
    }
}

/// Lists the tasks with the number of their recordings, the edges with their uses, and both shares.
fn describe(then: Option<&str>, now: &str, calls: &[&str]) -> String {
    let (then, now): (Option<Machine>, Machine) = (then.map(machine), machine(now));
    let versions = SourceVersions::new(then.as_ref(), &now);
    let placed: Vec<_> = calls.iter().map(|text| versions.place(&call(text))).collect();
    let coverage = MachineCoverage::new(&versions, &placed);
    let graph = Graph::new(&now);
    let mut lines = Vec::new();
    for (id, node) in coverage.nodes.iter().enumerate() {
        if node.is_task || !node.recordings.is_empty() {
            lines.push(format!("{}: {}", graph.qualified(id), node.recordings.len()));
        }
    }
    for (link, covered) in graph.links.iter().zip(&coverage.links) {
        if covered.is_offered {
            let [from, to] = [link.source, link.target].map(|id| graph.qualified(id));
            lines.push(format!("{from} to {to}: {}", covered.uses));
        }
    }
    for (share, name) in [(coverage.tasks(), "tasks"), (coverage.edges(), "edges")] {
        lines.push(format!("{} of {} {name}", share.covered, share.total));
    }
    lines.join("\n")
}

#[test]
fn a_loop_from_a_node_to_itself_is_covered_by_a_call_of_its_tool() {
    let machine =
        r#"task ask { prompt: "x"; } state close; ask -"more needed"-> ask; ask -> close;"#;
    let calls = ["ask: transition_to_ask transition_to_close > transition_to_ask"];
    insta::assert_snapshot!(describe(None, machine, &calls), @"
    ask: 1
    ask to ask: 1
    ask to close: 0
    1 of 1 tasks
    1 of 2 edges
    ");
}

const TRIAGE: &str = r#"context Ticket {} task intake { prompt: "x"; } task classify { prompt: "y"; } task reply { prompt: "z"; } state close;
    intake -writes-> Ticket; intake -> classify; Ticket -> classify; classify -> reply; classify -> close; reply -> close; reply -> classify;"#;

#[test]
fn nodes_and_edges_count_the_recordings_that_use_them() {
    let calls = [
        "intake: transition_to_classify write_Ticket > write_Ticket transition_to_classify",
        "classify: read_Ticket transition_to_close transition_to_reply > read_Ticket",
        "classify: read_Ticket transition_to_close transition_to_reply > transition_to_reply",
        "gone: transition_to_gone > transition_to_gone",
    ];
    insta::assert_snapshot!(describe(None, TRIAGE, &calls), @"
    intake: 1
    classify: 2
    reply: 0
    intake to Ticket: 1
    intake to classify: 1
    Ticket to classify: 1
    classify to reply: 1
    classify to close: 0
    reply to close: 0
    reply to classify: 0
    2 of 3 tasks
    4 of 7 edges
    ");
}

#[test]
fn a_recording_whose_node_is_gone_is_counted_where_the_same_tools_are_offered() {
    let calls = [
        "answer: transition_to_classify transition_to_close > transition_to_close",
        "answer: transition_to_archive > transition_to_archive",
    ];
    insta::assert_snapshot!(describe(None, TRIAGE, &calls), @"
    intake: 0
    classify: 0
    reply: 1
    intake to Ticket: 0
    intake to classify: 0
    Ticket to classify: 0
    classify to reply: 0
    classify to close: 0
    reply to close: 1
    reply to classify: 0
    1 of 3 tasks
    1 of 7 edges
    ");
}

#[test]
fn recordings_of_an_earlier_version_are_counted_at_the_renamed_nodes() {
    let then = TRIAGE.replace("reply", "respond");
    let calls = [
        "respond: transition_to_classify transition_to_close > transition_to_close",
        "classify: read_Ticket transition_to_close transition_to_respond > transition_to_respond",
        ": read_Ticket transition_to_close transition_to_respond > transition_to_close",
    ];
    insta::assert_snapshot!(describe(Some(&then), TRIAGE, &calls), @"
    intake: 0
    classify: 2
    reply: 1
    intake to Ticket: 0
    intake to classify: 0
    Ticket to classify: 0
    classify to reply: 1
    classify to close: 1
    reply to close: 1
    reply to classify: 0
    2 of 3 tasks
    3 of 7 edges
    ");
}

/// The machine goes on without a model where there is nothing to choose.
#[test]
fn edges_that_no_model_chooses_are_not_counted() {
    let now = r#"init start; task a { prompt: "x"; } task quiet { prompt: "y"; } state end; start -> a; a -> quiet; a -> b; quiet -> end;"#;
    let calls = ["a: transition_to_b transition_to_quiet > transition_to_b"];
    insta::assert_snapshot!(describe(None, now, &calls), @"
    a: 1
    a to quiet: 0
    a to b: 1
    1 of 1 tasks
    1 of 2 edges
    ");
}

#[test]
fn a_picture_of_a_map_has_a_mark_for_each_node_and_the_labels_of_the_edges() {
    let text = r#"context Ticket {} task intake { prompt: "x"; } task other { prompt: "z"; } task team { task reply { prompt: "y"; } } state close;
        intake -writes-> Ticket; intake -> reply; reply -> close; reply -known issue-> intake;"#;
    let versions =
        [MachineVersion { commit: None, machine: Arc::new(machine(text)), older: Vec::new() }];
    let calls = [
        "intake: transition_to_reply write_Ticket > write_Ticket transition_to_reply",
        "reply: transition_to_close > transition_to_close",
    ];
    let calls: Vec<_> = calls.iter().map(|c| (call(c), None)).collect();
    let map = MachineMap::new(&versions, &calls).unwrap();
    let picture = draw_map(&map, 0, ("triage.dygram", PictureTheme::Light)).unwrap();
    let svg = picture.svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = |tag: &str| {
        let texts = document.descendants().filter(|n| n.has_tag_name(tag));
        let texts = texts.filter_map(|n| n.text().map(str::to_owned));
        texts.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(texts("title"), @"
    The machine triage.dygram
    Ticket
    intake, 1 recording
    other, no recording
    team
    team.reply, 1 recording, 1 breaks
    close
    ");
    insta::assert_snapshot!(texts("desc"), @"Tasks 2 of 3, edges 3 of 4, 1 recording matches, 1 breaks");
    let words = texts("text");
    let has_line = |word: &str| words.lines().any(|line| line == word);
    assert!(
        ["writes", "known issue", "No recording", "1 breaks"].into_iter().all(has_line),
        "{words}"
    );
    assert_eq!(draw_map(&map, 1, ("", PictureTheme::Dark)), None);
}
