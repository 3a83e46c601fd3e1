//! The budget of a desk: what it shows at once is few enough to be read, also on a project of many cassettes.

use std::collections::BTreeSet;

use egui::accesskit::Action;

use super::*;

/// Most words and most distinct controls of a desk beside the frame.
const MAX_WORDS: usize = 250;
const MAX_CONTROLS: usize = 25;
/// A project as large as a real one.
const CASSETTE_COUNT: usize = 1_400;
/// The window of the drawings.
const SIZE: egui::Vec2 = egui::vec2(1440.0, 900.0);
/// The desk between rail, top bar and status line.
const DESK: Rect = Rect { min: egui::pos2(72.0, 40.0), max: egui::pos2(1440.0, 874.0) };

/// Visible texts beside the frame, and the names of distinct controls.
fn shown(window: &Window) -> (Vec<String>, BTreeSet<String>) {
    let (mut texts, mut controls) = (Vec::new(), BTreeSet::new());
    for node in window.nodes() {
        let role = role_of(&node);
        // Parts without a place are groups, whose content is counted by itself.
        let Some(bounds) = node.accesskit_node().bounding_box() else { continue };
        let center =
            egui::pos2((bounds.x0 + bounds.x1) as f32 / 2.0, (bounds.y0 + bounds.y1) as f32 / 2.0);
        let is_visible = DESK.contains(center);
        let is_editor = matches!(role, Role::MultilineTextInput | Role::ScrollBar | Role::Canvas);
        let Some(text) = text_of(&node).filter(|_| is_visible && !is_editor) else { continue };
        // Several lines are the text of a file, which is read and does not describe the desk.
        if text.contains('\n') {
            continue;
        }
        texts.push(text.clone());
        let accesskit = node.accesskit_node();
        let can = |action| accesskit.data().supports_action(action);
        // A list is one control, whatever the number of its rows.
        let is_row = matches!(role, Role::ListBoxOption | Role::Label);
        if !is_row && (can(Action::Click) || can(Action::Focus)) {
            controls.insert(text);
        }
    }
    (texts, controls)
}

/// Number of words of some texts: what is between blanks and has a letter or a digit.
fn count_words(texts: &[String]) -> usize {
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    words.filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Describes the desks that exceed the budget.
fn exceeding(window: &mut Window, project: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, desk) in protocol::Desk::ALL.iter().enumerate() {
        let key = Key::from_name(&(number + 1).to_string()).unwrap();
        window.press_with(Modifiers::COMMAND, key);
        let (texts, controls) = shown(window);
        let words = count_words(&texts);
        if words > MAX_WORDS || controls.len() > MAX_CONTROLS {
            let name = desk.name();
            lines.push(format!(
                "{project}, {name}: {words} words in {texts:#?}, {} controls: {controls:?}",
                controls.len()
            ));
        }
    }
    lines
}

#[test]
fn each_desk_of_the_samples_is_within_its_budget() {
    let project = samples();
    let mut window = open_samples(&project);
    window.harness.set_size(SIZE);
    window.settle();
    let lines = exceeding(&mut window, "samples");
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn each_desk_of_many_cassettes_is_within_its_budget() {
    let project = Project::new(&[]);
    let models = ["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"];
    for number in 0..CASSETTE_COUNT {
        let (module, model) = (number / 50, models[number % models.len()]);
        let calls = 1 + number % 4;
        let call = |call: usize| {
            format!(
                "- request:\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n    headers:\n      content-type: [application/json]\n    body: '{{\"model\": \"{model}\", \"messages\": [{{\"role\": \"user\", \"content\": \"Question {call} of test {number}\"}}]}}'\n  response:\n    status: {{code: 200, message: OK}}\n    headers:\n      content-type: [application/json]\n    body:\n      string: '{{\"id\": \"chatcmpl-{number}\", \"object\": \"chat.completion\", \"model\": \"{model}\", \"choices\": [{{\"index\": 0, \"finish_reason\": \"stop\", \"message\": {{\"role\": \"assistant\", \"content\": \"Answer {call}\"}}}}]}}'\n"
            )
        };
        let calls: String = (0..calls).map(call).collect();
        let path = format!(
            "tests/cassettes/test_module_{module}/test_answers_with_tools[direct-binary-audio-case_{number}].yaml"
        );
        project.write(&path, format!("interactions:\n{calls}version: 1\n"));
    }
    let mut window = Window::open(start_with(&project, "tests"), Vec::new());
    window.harness.set_size(SIZE);
    window.wait_until("all cassettes", |window| window.says("1,400"));
    let lines = exceeding(&mut window, "cassettes");
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}
