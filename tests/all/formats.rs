//! Formats that a project describes itself: their files are read by every command, wherever the calls are.

use serde_json::{Value, json};

use crate::project::Project;

/// A request of a chat, and its answer, of which only the request names the model and only the answer has tokens.
fn exchange(words: &str) -> (Value, Value) {
    let request =
        json!({"model": "gpt-5", "messages": [{"role": "user", "content": "Where is it?"}]});
    let message = json!({"role": "assistant", "content": words});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
    (request, json!({"choices": [choice], "usage": usage}))
}

#[test]
fn calls_are_read_where_the_pointers_lead_in_every_layout() {
    let (q, a) = exchange("hello");
    let record = json!({"q": q, "a": a, "other": [q, q]});
    let log = format!("{record}\n{{\"event\": \"start\"}}\n{record}\n");
    let as_text = json!({"q": q.to_string(), "a": a.to_string()});
    let cassette = json!({"interactions": [{"request": {"uri": "http://a"}, "q": q, "a": a}]});
    let plain = "request = '/q'\nanswer = '/a'\n";
    let of_list = "calls = '/calls'\nrequest = '/q'\nanswer = '/a'\n";
    let of_turns = "calls = '/s/*/turns'\nrequest = '/q'\nanswer = '/a'\n";
    let turns = json!({"s": [{"turns": [record, record]}, {"turns": [record]}]});
    let both = json!([record, record]).to_string();
    let listed = json!({"calls": [record, record]}).to_string();
    let cases = [
        (plain, "json", record.to_string(), 1),
        (plain, "json", both.clone(), 2),
        ("calls = '/*'\nrequest = '/q'\nanswer = '/a'\n", "json", both, 2),
        (plain, "jsonl", log.clone(), 2),
        (plain, "jsonl", format!("{record}\n"), 1),
        (plain, "log", log, 2),
        (
            plain,
            "toml",
            format!("q = \"\"\"{}\"\"\"\na = 'x'\n", q.to_string().replace('"', "\\\"")),
            1,
        ),
        (plain, "yaml", format!("q: {q}\na: {a}\n---\nq: {q}\na: {a}\n"), 2),
        (of_list, "json", listed.clone(), 2),
        ("request = '/calls/*/q'\nanswer = '/calls/*/a'\n", "json", listed, 2),
        (of_list, "json", json!({"calls": {"k1": record, "k2": record}}).to_string(), 2),
        (
            "request = '/sent/*'\nanswer = '/got/*'\n",
            "json",
            json!({"sent": [q, q], "got": [a, a]}).to_string(),
            2,
        ),
        (of_turns, "json", turns.to_string(), 3),
        (
            "request = '/line/q'\nanswer = '/line/a'\n",
            "json",
            json!({"line": record.to_string()}).to_string(),
            1,
        ),
        (plain, "json", as_text.to_string(), 1),
        (
            "calls = '/interactions'\nrequest = '/q'\nanswer = '/a'\n",
            "json",
            cassette.to_string(),
            1,
        ),
    ];
    let project = Project::new(&[]);
    let mut settings = String::new();
    for (number, (pointers, ending, text, _)) in cases.iter().enumerate() {
        settings += &format!("[[format]]\npaths = ['src/{number:02}.{ending}']\n{pointers}");
        project.write(&format!("src/{number:02}.{ending}"), text);
    }
    project.write("retake.toml", settings);
    let run = project.run(&["list", ".", "--json"]);
    assert_eq!(run.stderr, "");
    let items = run.json()["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), cases.len());
    for ((pointers, ending, text, count), item) in cases.into_iter().zip(items) {
        let calls = item["calls"].as_array().unwrap().iter();
        let calls = calls.map(|call| (call["model"].clone(), call["output_tokens"].clone()));
        // Of the file in TOML, the answer is only a text.
        let tokens = if ending == "toml" { Value::Null } else { json!(3) };
        let expected = vec![(json!("gpt-5"), tokens); count];
        assert_eq!(calls.collect::<Vec<_>>(), expected, "{pointers}{text}");
        assert_eq!(item["format"], "recorded", "{pointers}{text}");
    }
}

#[test]
fn a_description_that_finds_nothing_is_a_problem_that_says_how_far_it_leads() {
    let (request, answer) = exchange("hello");
    let text = json!({"log": [{"req": {"body": request}, "res": answer}]}).to_string();
    let table = "[[format]]\nname = 'acme'\npaths = ['a.json']\ncalls = '/log'\nrequest = '/req/data'\nanswer = '/res'\n";
    let project = Project::new(&[("retake.toml", table), ("a.json", &text)]);
    let check = |text: &str| {
        project.write("a.json", text);
        project.run(&["check", "."]).stdout
    };
    insta::assert_snapshot!(check(&text), @"
    ./a.json:1:16: warning[format-mismatch] The format `acme` finds no request at `/log/*/req/data`: it ends at `/log/0/req`, an object without `data`
        help: Correct the pointer in the table [[format]], or leave the file out of its paths. In the window, Describe this format… shows what is found.

    0 errors, 1 warning, 0 notes in 1 item (1 file)
    ");
    assert_eq!(check("{\"log\": []}"), "No problems in 1 item (1 file)\n");
    assert!(check("{\"log\": [\n").contains("a.json:1:10: error[syntax]"));
    project
        .write("retake.toml", "[[format]]\npaths = ['a.json']\nrequest = 'req'\nanswer = '/res'\n");
    let line = "retake.toml:3:11: error[wrong-type] The pointer `req` does not begin with `/`\n";
    assert!(check(&text).contains(line));
}

#[test]
fn a_description_that_fits_no_file_is_reported_once() {
    let (request, answer) = exchange("hello");
    let text = json!({"q": request, "a": answer, "code": 200}).to_string();
    let swapped = json!({"q": answer, "a": request}).to_string();
    let table = |paths: &str, rest: &str| {
        format!("[[format]]\npaths = ['{paths}']\nrequest = '/q'\nanswer = '/a'\n{rest}")
    };
    let tables = [
        table("gone/*.json", ""),
        table("rec/*.json", "status = '/code'\ntime = '/at'\n"),
        table("swapped/*.json", ""),
        table("late/*.json", ""),
        "[[format]]\npaths = ['late/']\nrecording = false\n".to_owned(),
        "[[format]]\npaths = ['none/']\nrecording = false\n".to_owned(),
    ];
    let project = Project::new(&[
        ("retake.toml", &tables.concat()),
        ("rec/a.json", &text),
        ("rec/b.json", &text),
        ("late/a.json", &text),
        ("swapped/a.json", &swapped),
        ("swapped/b.json", &swapped),
    ]);
    let run = project.run(&["check", "rec"]);
    let lines = run.stdout.lines().filter(|line| !line.starts_with(' '));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    retake.toml:2:9: warning[format-mismatch] None of the files that are read has one of these paths
    retake.toml:10:8: warning[format-mismatch] The format described in retake.toml finds no time at `/at`; 2 files were read
    retake.toml:13:11: warning[format-mismatch] The format described in retake.toml finds answers at `request`, and requests at `answer`: swap the two pointers
    retake.toml:16:9: warning[format-mismatch] All files of these paths are described by tables after this one
    retake.toml:23:9: warning[format-mismatch] None of the files that are read has one of these paths

    0 errors, 5 warnings, 0 notes in 3 items (3 files)
    ");
    let fitting = table("rec/*.json", "status = '/code'\n");
    project.write("retake.toml", &fitting);
    assert_eq!(project.run(&["check", "rec"]).stdout, "No problems in 2 items (2 files)\n");
    project
        .write("retake.toml", format!("{fitting}time = '/at'\n[rules]\nformat-mismatch = 'off'\n"));
    assert_eq!(project.run(&["check", "rec"]).stdout, "No problems in 2 items (2 files)\n");
}

#[test]
fn files_that_are_no_recordings_are_not_opened() {
    let (request, answer) = exchange("hello");
    let text = json!({"request": request, "answer": answer}).to_string();
    let files = [("retake.toml", ""), ("data/a.json", &text), ("data/b.json", &text)];
    let project = Project::new(&files);
    let list = || project.run(&["list", "."]).stdout;
    assert_eq!(list().matches("recorded calls (1)").count(), 2);
    project.write("retake.toml", "[[format]]\npaths = ['data/a.json']\nrecording = false\n");
    let listed = list();
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.contains("recorded calls (1)") && listed.contains("data/b.json"), "{listed}");
}

#[test]
fn what_cannot_be_paired_is_counted_where_recordings_are() {
    let (request, answer) = exchange("hello");
    let other = json!({"model": "gpt-5", "messages": [{"role": "user", "content": "And now?"}]});
    let unpaired = json!({"a": request, "b": other, "c": answer});
    let mut text = unpaired.clone();
    text["d"] = json!({"request": request, "answer": answer});
    let project = Project::new(&[
        ("retake.toml", ""),
        ("recordings/a.json", &text.to_string()),
        ("recordings/b.json", &unpaired.to_string()),
        ("src/c.json", &unpaired.to_string()),
    ]);
    let report = project.run(&["check", "."]).stdout;
    let note = "note[calls-unsure] 3 values look like requests or answers, but it is not clear which belong together";
    for file in ["a", "b"] {
        let line = format!("./recordings/{file}.json:1:6: {note}\n");
        assert!(report.contains(&line), "{report}");
    }
    assert_eq!(report.matches(note).count(), 2, "{report}");
    assert!(project.run(&["list", "."]).stdout.contains("1 note "));
}

#[test]
fn every_command_reads_by_the_description() {
    let (request, answer) = exchange("sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD");
    let record = json!({"q": request, "a": answer});
    let line = json!({"at": "2026-01-01T00:00:00Z", "log": record.to_string()});
    let table = "[[format]]\npaths = ['*.log']\nrequest = '/log/q'\nanswer = '/log/a'\n";
    let project = Project::new(&[("retake.toml", table), ("rec/a.log", &format!("{line}\n"))]);
    let passed = |arguments: &[&str]| {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
        run.stdout
    };
    assert!(passed(&["check", "."]).contains("warning[secret]"));
    passed(&["redact", "rec"]);
    assert!(!project.read("rec/a.log").contains("sk-proj"), "{}", project.read("rec/a.log"));
    assert!(passed(&["list", "."]).contains("recorded calls (1)"));
    passed(&["stabilize", "rec"]);
    assert!(passed(&["list", "."]).contains("recorded calls (1)"));
    passed(&["edit", "rec/a.log", "--set", "/at=\"x\""]);
    passed(&["import", "rec/a.log", "--to", "replays", "--dry-run"]);
    assert!(passed(&["list", "."]).contains("recorded calls (1)"));
}

#[test]
fn a_new_file_of_settings_describes_what_was_found_by_its_shape() {
    let (request, answer) = exchange("hello");
    let text = json!({"log": [{"sent": request, "received": answer, "status": 200}]}).to_string();
    let other = json!({"in": request, "out": answer}).to_string();
    let project = Project::new(&[
        ("data/a.json", &text),
        ("data/b.json", &text),
        ("mixed/call-1.json", &other),
        ("mixed/call-2.json", &other),
        ("mixed/names.json", "{\"names\": []}"),
        ("mixed/list.json", &text),
    ]);
    let run = project.run(&["init", ".", "--dry-run"]);
    let (_, rest) = run.stdout.split_once("# Found here").unwrap();
    let (found, _) = rest.split_once("# An example").unwrap();
    insta::assert_snapshot!(found, @"
    , by its shape:
    #[[format]]
    #paths = ['data/*.json']
    #calls = '/log'
    #request = '/sent'
    #answer = '/received'
    #status = '/status'
    # Found here, by its shape:
    #[[format]]
    #paths = ['mixed/call-*.json']
    #request = '/in'
    #answer = '/out'
    # Found here, by its shape:
    #[[format]]
    #paths = ['mixed/list.json']
    #calls = '/log'
    #request = '/sent'
    #answer = '/received'
    #status = '/status'
    ");
}

#[test]
fn a_damaged_file_changes_nothing_of_what_a_new_file_of_settings_describes() {
    let (request, answer) = exchange("hello");
    let text = json!({"log": [{"sent": request, "received": answer}]}).to_string();
    let project = Project::new(&[
        ("data/a.json", &text),
        ("data/b.json", &text),
        ("data/call-1.json", &text),
        ("data/z.json", &text),
    ]);
    let init = || project.run(&["init", ".", "--dry-run"]).stdout;
    let described = init();
    assert_eq!(described.matches("# Found here").count(), 1);
    assert!(described.contains("#paths = ['data/*.json']"), "{described}");
    // Without its end, without a value in it, and with nothing at all.
    for damaged in [&text[..text.len() - 3], &text.replace("\"received\":", "\"received\""), ""] {
        for path in ["data/a.json", "data/b.json", "data/z.json"] {
            project.write(path, damaged);
            assert_eq!(init(), described, "{path}: {damaged}");
            project.write(path, &text);
        }
    }
}
