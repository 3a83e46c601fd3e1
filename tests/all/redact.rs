//! `retake redact`, from outside: files with personal data in, files without it out, and the same choices of recordings.

use std::path::Path;

use serde_json::{Value, json};

use crate::project::Project;
use crate::sessions::read_by_owner;

const NAME: &str = "Ilse Maier";
const EMAIL: &str = "ilse.maier@helpdesk-customer.org";
const PHONE: &str = "+49 30 1234567";
const CARD: &str = "4539 1488 0343 6467";

fn recording(id: &str, tool: &str, content: &str, messages: usize) -> String {
    let message = json!({ "role": "user", "content": content });
    let recording = json!({
        "request": {
            "type": "llm_invocation_request",
            "requestId": id,
            "messages": vec![message; messages],
            "tools": [{ "name": tool }],
        },
        "response": { "response": {
            "content": [{ "type": "tool_use", "id": id, "name": tool, "input": { "to": EMAIL } }],
            "stop_reason": "tool_use",
        } },
        "recordedAt": "2026-03-12T14:02:04.911Z",
    });
    serde_json::to_string_pretty(&recording).unwrap() + "\n"
}

fn session() -> Value {
    json!({
        "id": "incident-1",
        "name": "Refund",
        "source": "manual",
        "input": format!("I am {NAME}, call {PHONE}"),
        "tool_responses": [],
        "contract": "none",
    })
}

fn project() -> Project {
    let tape = json!({
        "meta": { "model": "m", "recordedAt": "2026-01-01T00:00:00Z" },
        "request": { "model": "m", "contents": format!("mail {EMAIL}"), "config": {} },
        "stream": [
            { "delayNs": 1_000_000, "text": format!("To {}", &EMAIL[..7]) },
            { "delayNs": 2_000_000, "text": format!("{}.", &EMAIL[7..]) },
        ],
    });
    let project = Project::new(&[
        ("retake.toml", ""),
        ("rec/a/turn-1.json", &recording("req-1", "look_up", &format!("{NAME} <{EMAIL}>"), 1)),
        ("rec/a/turn-2.json", &recording("req-2", "look_up", &format!("card {CARD}"), 3)),
        ("rec/a/ilse maier.json", &recording("req-3", "send", "nothing", 1)),
        ("replays/incident.json", &serde_json::to_string_pretty(&session()).unwrap()),
        ("tapes/answer.json", &tape.to_string()),
    ]);
    project.write("outside/names.txt", format!("{NAME}\n\n"));
    project
}

/// All files of the project but the list of names, with their paths.
fn all_texts(project: &Project) -> Vec<(String, String)> {
    let files = project.snapshot().into_keys();
    let is_data = |path: &Path| path.is_file() && !path.to_string_lossy().contains("outside");
    files
        .filter(|path| is_data(path))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.to_string_lossy().into_owned(), text)
        })
        .collect()
}

fn choices(project: &Project) -> Vec<(Value, Value)> {
    let run = project.run(&["match", "--recordings", "rec/a", "--requests", "rec/a", "--json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let calls = found["calls"].as_array().unwrap().iter();
    calls.map(|call| (call["outcome"].clone(), call["index"].clone())).collect()
}

const REDACT: [&str; 7] =
    ["redact", "rec", "replays", "tapes", "--names", "outside/names.txt", "--json"];

#[test]
fn no_value_remains_in_any_file_name_or_output_and_the_same_recordings_are_chosen() {
    let project = project();
    let chosen = choices(&project);
    let run = project.run(&REDACT);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let values = json!({ "card": 1, "email": 1, "name": 2, "phone": 1 });
    assert_eq!(found["values"], values);
    let printed = [("stdout".to_owned(), run.stdout), ("stderr".to_owned(), run.stderr)];
    for (path, text) in all_texts(&project).into_iter().chain(printed) {
        // The digits of placeholders are those of a key, and may be any.
        let digits = |c: char| c.is_ascii_digit();
        let parts = text.split("[redacted-").enumerate();
        let text: String = parts
            .map(|(number, part)| match (number, part.split_once(']')) {
                (0, _) | (_, None) => part.to_owned(),
                (_, Some((name, rest))) => format!("{}]{rest}", name.trim_end_matches(digits)),
            })
            .collect();
        for value in ["ilse", "maier", "1234567", "6467"] {
            let place = path.rsplit('/').next().unwrap().to_lowercase();
            assert!(!text.to_lowercase().contains(value), "{value} in {path}: {text}");
            assert!(!place.contains(value), "{value} in the name {path}");
        }
    }
    assert_eq!(choices(&project), chosen);

    // The owner of sessions reads what is meant: the text with the placeholders.
    let written: Value = serde_json::from_str(&project.read("replays/incident.json")).unwrap();
    let input = written["input"].as_str().unwrap();
    assert!(
        input.starts_with("I am [redacted-name-") && input.contains("call [redacted-phone-"),
        "{input}"
    );
    let mut meant = session();
    meant["input"] = json!(input);
    assert_eq!(written, meant);
    read_by_owner(&project, "replays", &json!({ "incident.json": meant }));

    let again = project.run(&[
        "redact",
        "rec",
        "replays",
        "tapes",
        "--names",
        "outside/names.txt",
        "--check",
    ]);
    assert_eq!((again.code, again.stdout.trim()), (Some(0), "No personal data and no secrets"));
    project.write("cut/turn-1.json", b"\xff\xfe{\0}\0");
    let cut = project.run(&["redact", "cut", "--check"]);
    let expected = "No personal data and no secrets in the files that could be searched";
    assert_eq!((cut.code, cut.stdout.trim()), (Some(2), expected));
}

#[test]
fn a_file_that_is_added_later_and_an_import_get_the_same_placeholders() {
    let project = project();
    assert_eq!(project.run(&REDACT).code, Some(0));
    let text = project.read("rec/a/turn-1.json");
    let end = text.find("@example.com").unwrap();
    let word = format!("{}@example.com", &text[end - "redacted-".len() - 12..end]);
    project.write("rec/b/turn-1.json", recording("req-9", "look_up", EMAIL, 1));
    assert_eq!(project.run(&["redact", "rec/b"]).code, Some(0));
    assert!(project.read("rec/b/turn-1.json").contains(&word));

    project.write("incident.txt", format!("{EMAIL} asked for a refund"));
    let run = project.run(&[
        "import",
        "incident.txt",
        "--from",
        "text",
        "--to",
        "replays",
        "--redact",
        "all",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let imported = all_texts(&project);
    let is_session =
        |path: &str, text: &str| path.contains("/replays/") && text.contains("asked for");
    let imported = imported.iter().find(|(path, text)| is_session(path, text)).unwrap();
    assert!(imported.1.contains(&word), "{}", imported.1);
}

#[test]
fn without_writing_the_values_are_counted_and_a_place_that_decides_is_refused() {
    let project = project();
    let before = project.snapshot();
    let run = project.run(&["redact", "rec", "--check"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    insta::assert_snapshot!(run.printed(), @r"
    1
    rec/a/ilse maier.json: 1 place
    rec/a/turn-1.json: 2 places
    rec/a/turn-2.json: 4 places
    Found 1 card, 1 email in 7 places (3 files)
    ---
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    assert_eq!(project.snapshot(), before);

    project.write("rec/c/turn-1.json", recording("req-1", EMAIL, "x", 1));
    let run = project.run(&["redact", "rec/c"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.contains("Which recording answers a request depends on"), "{}", run.stderr);
}

#[test]
fn a_cassette_without_the_machine_is_played_by_its_client_and_a_compared_value_is_reported() {
    let call = |prompt: &str| {
        let sent = json!({"model": "m", "messages": [{"role": "user", "content": prompt}]});
        format!(
            "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{sent}'}}\n  \
             response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{{}}'}}}}\n"
        )
    };
    let cassette =
        format!("interactions:\n{}{}version: 1\n", call("Read /home/ada/a.py"), call("Read b.py"));
    let settings = |names: &str| format!("[cassettes]\nclient = \"vcrpy\"\nmatch_on = [{names}]\n");
    let project =
        Project::new(&[("a.yaml", &cassette), ("retake.toml", &settings("\"method\", \"uri\""))]);
    let arguments = ["redact", "a.yaml", "--only", "machine"];
    let checked = project.run(&[&arguments[..], &["--check"]].concat());
    assert_eq!(checked.code, Some(1));
    let same = "Played 1 cassette by the rules of the client, before and after: it still chooses the same answers\n";
    assert!(checked.stderr.contains(same), "{}", checked.stderr);
    assert!(checked.stderr.contains("Checked for users in paths, temporary folders, "));
    assert!(!checked.stderr.contains("e-mail"), "{}", checked.stderr);

    project.write("retake.toml", settings("\"uri\", \"body\""));
    let run = project.run(&arguments);
    let compared = "vcrpy compares what was replaced in call 1, so the tested program has to send the same: a.yaml\n";
    assert!(run.stderr.contains(compared), "{}", run.stderr);
    assert!(!run.stderr.contains("still chooses"), "{}", run.stderr);
    assert!(project.read("a.yaml").contains("Read /home/[redacted-machine-"));
    let again = project.run(&arguments);
    assert_eq!(again.stdout, "Nothing names a machine\n");
}

#[test]
fn the_fix_of_a_machine_does_what_redact_does() {
    let text = "interactions:\n- request: {method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {}, body: '{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"Read /home/ada/a.py\"}]}'}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '{}'}}\nversion: 1\n";
    let project = Project::new(&[("a.yaml", text)]);
    assert_eq!(project.run(&["check", "a.yaml", "--fix"]).code, Some(0));
    assert_eq!(project.read("a.yaml"), text);
    project.run(&["check", "a.yaml", "--fix=machine-bound"]);
    let fixed = project.read("a.yaml");
    assert!(fixed.contains("Read /home/[redacted-machine-"), "{fixed}");
    project.write("a.yaml", text);
    assert_eq!(project.run(&["redact", "a.yaml", "--only", "machine"]).code, Some(0));
    assert_eq!(project.read("a.yaml"), fixed);
}
