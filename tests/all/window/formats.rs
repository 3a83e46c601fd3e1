//! Formats that a project describes itself: a file becomes rows by a description that is typed and previewed, and a file that only has
//! the shape of a recording is excluded by one key.

use super::*;

const REQUEST: &str =
    r#"{"model": "gpt-5", "messages": [{"role": "user", "content": "Where is it?"}]}"#;
const ANSWER: &str =
    r#"{"choices": [{"message": {"role": "assistant", "content": "On its way."}}]}"#;

fn settings(project: &Project) -> String {
    std::fs::read_to_string(project.path("retake.toml")).unwrap_or_default()
}

#[test]
fn a_file_of_an_unknown_kind_is_described_and_gets_rows() {
    // Keys for training are in no recording, so the file is not opened by its shape.
    let text = format!(
        r#"{{"samples": 1, "log": [{{"sent": {REQUEST}, "got": {ANSWER}}}, {{"sent": {REQUEST}, "got": {ANSWER}}}]}}"#
    );
    let project = Project::new(&[("retake.toml", "mode = 'warn'\n"), ("a.json", &text)]);
    let mut window = Window::open(start_with(&project, "a.json"), Vec::new());
    window.wait_for("Describe this format…");
    window.click(Role::Button, "Describe this format…");
    window.wait_for("2 calls in 1 file");
    assert!(window.says("2 calls · gpt-5 · On its way."), "{:?}", window.texts());
    window.fill(Role::TextInput, "Name of the format", "acme");
    window.fill(Role::TextInput, "Pointer to the answer", "/gone");
    window.wait_until("the fault", |window| window.says("finds no answer at"));
    window.fill(Role::TextInput, "Pointer to the answer", "got");
    assert!(window.shows("The pointer got does not begin with /."), "{:?}", window.texts());
    window.press(Key::Enter);
    assert!(window.shows("The pointer got does not begin with /."), "only a valid one is saved");
    window.fill(Role::TextInput, "Pointer to the answer", "/got");
    window.wait_for("2 calls in 1 file");
    assert_eq!(settings(&project), "mode = 'warn'\n", "nothing is written before");
    window.press(Key::Enter);
    window.wait_for("Recorded by acme.");
    assert!(window.says("Request at /log/*/sent, answer at /log/*/got."), "{:?}", window.texts());
    let table = "[[format]]\nname = 'acme'\npaths = ['/*.json']\ncalls = '/log'\nrequest = '/sent'\nanswer = '/got'\n";
    assert_eq!(settings(&project), format!("mode = 'warn'\n\n{table}"));

    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("Not a known kind of file.");
    assert_eq!(settings(&project), "mode = 'warn'\n");
}

#[test]
fn the_form_takes_only_files_alike_and_esc_saves_nothing() {
    let text = format!(r#"{{"sent": {REQUEST}, "got": {ANSWER}}}"#);
    let other = r#"{"samples": 1, "names": []}"#;
    let names = ["call-1", "call-2", "call-3", "call-4"].map(|name| format!("rec/{name}.json"));
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*text)).collect();
    files.extend([("retake.toml", ""), ("rec/names.json", other)]);
    let project = Project::new(&files);
    let mut window = Window::open(start_with(&project, "rec/call-2.json"), Vec::new());
    window.wait_for("Describe this format…");
    window.click(Role::Button, "Describe this format…");
    window.wait_for("4 files; 3 calls in the first 3");
    assert!(window.shows("and 1 more") && !window.shows("rec/names.json"), "{:?}", window.texts());
    window.fill(Role::TextInput, "Name of the format", "acme");
    window.press(Key::Escape);
    window.press(Key::Escape);
    assert!(!window.shows("Describe this format"), "{:?}", window.texts());
    assert_eq!(settings(&project), "");
    window.click(Role::Button, "Describe this format…");
    window.wait_for("4 files; 3 calls in the first 3");
    window.press(Key::Enter);
    window.wait_for("Read as described in retake.toml.");
    let table = "[[format]]\npaths = ['rec/call-*.json']\nrequest = '/sent'\nanswer = '/got'\n";
    assert_eq!(settings(&project), table);
    window.click(Role::Button, "Describe this format…");
    window.wait_for("4 files; 3 calls in the first 3");
    window.fill(Role::TextInput, "Name of the format", "acme");
    window.press(Key::Enter);
    window.wait_for("Recorded by acme.");
    assert_eq!(settings(&project), table.replace("]]\n", "]]\nname = 'acme'\n"));
}

#[test]
fn a_file_that_is_no_recording_is_excluded_by_one_key() {
    let text = format!(r#"{{"sent": {REQUEST}, "got": {ANSWER}}}"#);
    let project = Project::new(&[("retake.toml", ""), ("a.json", &text)]);
    let mut window = Window::open(start_with(&project, "a.json"), Vec::new());
    window.wait_for("Recorded by your own recorder.");
    assert!(window.says("Request at /sent, answer at /got."), "{:?}", window.texts());
    window.press(Key::X);
    window.wait_for("Not a known kind of file.");
    assert_eq!(settings(&project), "[[format]]\npaths = ['/a.json']\nrecording = false\n");
    window.press_with(Modifiers::COMMAND, Key::Z);
    window.wait_for("Recorded by your own recorder.");
    assert_eq!(settings(&project), "");
}
