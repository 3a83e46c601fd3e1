//! The seeds desk, as a person uses it: what answers a call, and another seed.

use super::*;

/// A seed of the samples, as its cell is called.
const CRITIQUE: &str = "critique:critic:refund-2041:0: Best 1, Says sorry, and names the amount.";
const DECISION: &str =
    "decision_collapse:router:refund-2041:0: Decision ask-once-more, confidence 0.58";
const FILE: &str = "sample-recordings/seeds/refund-decision.seeds.json";

fn open_seeds(project: &Project) -> Window {
    let mut window = open_samples(project);
    window.press_with(Modifiers::COMMAND, Key::Num5);
    window.wait_for("Answer");
    window
}

#[test]
fn every_seed_shows_under_its_job_and_the_one_under_the_cursor_answers() {
    let project = samples();
    let mut window = open_seeds(&project);
    insta::assert_snapshot!(window.rows().join("\n"), @"
    closing-line-1, 3 seeds, sample-recordings/seeds/closing-line.test.ts
    >copy_proposal:writer:closing-line-1:0: 2 candidates, Have a good week, Write to us whenever you like
    critique:critic:closing-line-1:0: Empty, treated as absent
    critique:critic:closing-line-1:1: Best 0, Short, and promises nothing.
    {`closing-line-${name}`}, 1 seed
    decision_collapse:router:{`closing-line-${name}`}:0: Not a literal, JSON.stringify(reply)
    refund-2041, 5 seeds, sample-recordings/seeds/refund-decision.seeds.json
    intent_parse:router:refund-2041:0: Intent refund, amountEuro 12
    copy_proposal:writer:refund-2041:0: 2 candidates, The 12 euros are on their way back to you, We have sent the …
    critique:critic:refund-2041:0: Best 1, Says sorry, and names the amount.
    decision_collapse:router:refund-2041:0: Decision ask-once-more, confidence 0.58
    decision_collapse:router:refund-2041:1: Decision refund, confidence 0.91
    By hash, deprecated, 1 seed
    critique:critic:eoyw52: eoyw52, its test is unknown
    ");
    assert!(window.says("Step 1, Exact key: answers"));
    window.click(Role::ListBoxOption, CRITIQUE);
    assert_eq!(
        window.selected().as_deref(),
        Some("critique:critic:refund-2041:0: Best 1, Says sorry, and names the amount.")
    );
    window.press(Key::ArrowDown);
    window.press(Key::ArrowRight);
    assert!(
        window
            .selected()
            .is_some_and(|row| row.starts_with("decision_collapse:router:refund-2041:1"))
    );
    window.press(Key::Enter);
    window.wait_for("refund-decision.seeds.json");
    window.wait_until("its place", |window| window.says("Text of refund-decision.seeds.json"));
}

#[test]
fn another_jobs_seed_answers_and_becomes_one_of_this_job() {
    let project = samples();
    let before = project.read(FILE);
    let mut window = open_seeds(&project);
    window.click(Role::ListBoxOption, CRITIQUE);
    window.fill(Role::TextInput, "Job", "refund-7");
    window.wait_until("the wildcard stops at an empty seed", |window| {
        window.says("Step 2, Wildcard, test mode only: seeded empty")
    });
    assert!(window.says("Step 4, Built-in fixture: answers"));
    window.click(Role::ListBoxOption, DECISION);
    window.fill(Role::TextInput, "Job", "refund-7");
    window.wait_for(
        "The answer is from another job. Outside test mode this call gets the built-in fixture.",
    );
    assert!(window.says("Step 2, Wildcard, test mode only: answers"));
    assert!(window.shows("Keys that would match exactly"));
    window.click(Role::Button, "Seed refund-7…");
    window.click(Role::Button, "Add seed");
    window.wait_for("Added to refund-decision.seeds.json, not saved yet.");
    window.wait_until("the seed", |window| {
        window.says("decision_collapse:router:refund-7:0: Decision ask-once-more")
    });
    window.wait_until("the answer", |window| window.says("Step 1, Exact key: answers"));
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::S);
    window.wait_for("Saved 1 file.");
    let after = project.read(FILE);
    let (head, tail) = before.split_once("\n  ],").unwrap();
    assert!(after.starts_with(head) && after.ends_with(tail), "{after}");
    assert!(after.contains("\"jobId\": \"refund-7\""));
}

#[test]
fn a_filter_narrows_the_grid_and_a_form_is_given_up_by_esc() {
    let project = samples();
    let mut window = open_seeds(&project);
    window.press(Key::Slash);
    window.type_text("round:1");
    window.wait_until("two seeds and their jobs", |window| window.rows().len() == 4);
    window.press(Key::Escape);
    window.click(Role::Button, "New seed…");
    assert!(window.shows("Add seed"));
    window.press(Key::Escape);
    assert!(window.shows("Answer"));
}
