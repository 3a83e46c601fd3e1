//! `retake stabilize`, and files that become stable when they are saved.

use insta::assert_snapshot;

use crate::project::{Project, recording};

const CASSETTE: &str = "interactions:
- request:
    body: '{\"model\": \"m\", \"messages\": []}'
    headers:
      User-Agent: [client/1]
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: '{\"id\": \"chatcmpl-0123456789abcdef\", \"created\": 1773306847}'
    headers:
      Date: ['Thu, 12 Mar 2026 09:14:07 GMT']
      content-length: ['58']
    status: {code: 200, message: OK}
version: 1
";

fn project(settings: &str) -> Project {
    Project::new(&[
        ("retake.toml", settings),
        ("set/turn-1.json", &recording("req-1780281201443-1", "")),
        ("cassettes/a.yaml", CASSETTE),
        ("notes.yaml", "created: 1773306847\n"),
    ])
}

#[test]
fn files_become_stable_once_and_can_be_restored() {
    let project = project("");
    let before = project.read("set/turn-1.json");
    let check = project.run(&["stabilize", "--check"]);
    assert_eq!(project.read("cassettes/a.yaml"), CASSETTE);
    let run = project.run(&["stabilize"]);
    let stable = project.read("cassettes/a.yaml");
    let again = project.run(&["stabilize", "--check", "--json"]);
    let undo = project.run(&["undo"]);
    assert_eq!(project.read("cassettes/a.yaml"), CASSETTE);
    assert_eq!(project.read("set/turn-1.json"), before);
    let runs = [check, run, again, undo].map(|run| run.printed());
    assert_snapshot!(runs.join("\n====\n"), @r#"
        1
        ./cassettes/a.yaml: 1 ID, 1 time and 2 headers
        ./set/turn-1.json: 1 ID and 3 times
        ---
        2 files: 2 not stable, 0 stable already
        Played 1 cassette by the rules of the client, before and after: it still chooses the same answers

        ====
        0
        ./cassettes/a.yaml: 1 ID, 1 time and 2 headers
        ./set/turn-1.json: 1 ID and 3 times
        ---
        2 files: 2 made stable, 0 stable already
        Played 1 cassette by the rules of the client, before and after: it still chooses the same answers

        ====
        0
        {"schema_version":1,"dry_run":true,"files":[{"path":"./cassettes/a.yaml","outcome":"unchanged","reason":null},{"path":"./set/turn-1.json","outcome":"unchanged","reason":null}],"summary":{"written":0,"unchanged":2,"skipped":0,"failed":0}}
        ---

        ====
        0
        cassettes/a.yaml: restored
        set/turn-1.json: restored
        ---
        Undone: retake stabilize (2 files)
        "#);
    assert_snapshot!(stable, @r#"
        interactions:
        - request:
            body: '{"model": "m", "messages": []}'
            headers: {}
            method: POST
            uri: https://api.openai.com/v1/chat/completions
          response:
            body:
              string: '{"id": "chatcmpl-a400abab45a419c5", "created": 0}'
            headers:
              content-length: ['49']
            status: {code: 200, message: OK}
        version: 1
        "#);
}

#[test]
fn a_dry_run_shows_the_differences() {
    let project = project("[stable]\nkeep = [\"date\"]\n");
    let run = project.run(&["stabilize", "cassettes", "--dry-run"]);
    assert_eq!(project.read("cassettes/a.yaml"), CASSETTE);
    assert_snapshot!(run.printed(), @r#"
        0
        --- cassettes/a.yaml
        +++ cassettes/a.yaml
        @@ -1,15 +1,14 @@
         interactions:
         - request:
             body: '{"model": "m", "messages": []}'
        -    headers:
        -      User-Agent: [client/1]
        +    headers: {}
             method: POST
             uri: https://api.openai.com/v1/chat/completions
           response:
             body:
        -      string: '{"id": "chatcmpl-0123456789abcdef", "created": 1773306847}'
        +      string: '{"id": "chatcmpl-a400abab45a419c5", "created": 0}'
             headers:
               Date: ['Thu, 12 Mar 2026 09:14:07 GMT']
        -      content-length: ['58']
        +      content-length: ['49']
             status: {code: 200, message: OK}
         version: 1
        ---
        1 file: 1 not stable, 0 stable already
        Played 1 cassette by the rules of the client, before and after: it still chooses the same answers
        "#);
}

#[test]
fn a_command_that_writes_makes_files_stable_if_the_settings_say_so() {
    let edit = |settings: &str| {
        let project = project(settings);
        let status = "/interactions/0/response/status/code=201";
        let run = project.run(&["edit", "cassettes/a.yaml", "--set", status]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let after = project.read("cassettes/a.yaml");
        assert_eq!(project.run(&["undo"]).code, Some(0));
        assert_eq!(project.read("cassettes/a.yaml"), CASSETTE);
        after
    };
    let edited = CASSETTE.replace("200", "201");
    assert_eq!(edit(""), edited);
    let project = Project::new(&[("a.yaml", &edited)]);
    assert_eq!(project.run(&["stabilize", "a.yaml"]).code, Some(0));
    assert_eq!(edit("[stable]\non_save = true\n"), project.read("a.yaml"));
}

#[test]
fn what_cannot_be_read_is_reported() {
    let project = project("");
    project.write("cassettes/b.yaml", format!("{CASSETTE}- x\n"));
    let run = project.run(&["stabilize", "cassettes"]);
    assert_snapshot!(run.printed(), @"
        2
        cassettes/a.yaml: 1 ID, 1 time and 2 headers
        ---
        retake: cassettes/b.yaml: The file cannot be read completely: A key is expected here, at the indentation of the keys before it (line 16, column 3)
        2 files: 1 made stable, 0 stable already, 1 not as a whole
        Played 1 cassette by the rules of the client, before and after: it still chooses the same answers
        ");
    assert_ne!(project.read("cassettes/a.yaml"), CASSETTE);
    project.write("notes/note.json", "{}");
    let none = |path: &str| {
        let run = project.run(&["stabilize", path]);
        (run.code, run.stderr)
    };
    let message = |path: &str| {
        format!("retake: Expected recordings, cassettes or tapes, found none in {path}\n")
    };
    let file = "notes/note.json";
    assert_eq!(none(file), (Some(2), message(file)));
    assert_eq!(none("notes"), (Some(0), message("notes")));
}
