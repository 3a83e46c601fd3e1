use std::fmt::Write as _;

use super::*;

/// Describes the failed tests of a log, a line each.
fn describe(text: &str) -> String {
    read(text).iter().fold(String::new(), |mut lines, failed| {
        let FailedTest { line, test, phase, miss } = failed;
        let _ = write!(lines, "{line}: {test}");
        if *phase != TestPhase::Call {
            let _ = write!(lines, " ({phase:?})");
        }
        let _ = write!(lines, " | {} {:?}", miss.client.unwrap_or("-"), miss.kind);
        if let Some(cassette) = &miss.cassette {
            let _ = write!(lines, " in {cassette}");
        }
        if let Some(request) = &miss.request {
            let _ = write!(lines, " | {} {}", request.method, request.url);
            match &request.body {
                Some(PrintedBody::Whole(body)) => drop(write!(lines, " {body}")),
                Some(PrintedBody::Cut(start, end)) => drop(write!(lines, " {start}…{end}")),
                None => {}
            }
        }
        for candidate in &miss.candidates {
            let failed = candidate.failed.iter().map(|failed| {
                let FailedMatcher { name, values, .. } = failed;
                let ([old, new], first_line) = (failed.changed_lines(), failed.first_line());
                format!("{name} {values:?} {old:?} {new:?} at {first_line}")
            });
            let _ = write!(
                lines,
                " | near {}: {}",
                candidate.url,
                failed.collect::<Vec<_>>().join(", ")
            );
        }
        let settings =
            [miss.record_mode.as_deref().unwrap_or_default(), &miss.match_on.join(" ")].join(" ");
        if !settings.trim().is_empty() {
            let _ = write!(lines, " | {}", settings.trim());
        }
        if let Some((recorded, played)) = miss.counts {
            let _ = write!(lines, " {played}/{recorded}");
        }
        let _ = writeln!(lines, " | {}", miss.error.chars().take(48).collect::<String>());
        lines
    })
}

/// The error of vcrpy 9 for a body that differs.
const NEW: &str = "\
vcr.errors.CannotOverwriteExistingCassetteException: Can't play back this request: no recorded interaction matches it (the closest differ in body).
record_mode 'none' doesn't record new requests.

  POST https://api.example/v1/chat
  body: {\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"two\"}]}

Cassette: /ci/shop/tests/cassettes/test_a/test_x.yaml
  record_mode: none
  match_on: method, uri, body
  interactions: 3 recorded, 1 played

Closest recorded requests:
  1. POST https://api.example/v1/chat
     body differs:
       --- recorded
       +++ this request
       @@ -2,4 +2,4 @@
          \"messages\": [
            {
       -      \"content\": \"three\",
       +      \"content\": \"two\",
              \"role\": \"user\"
  …and 2 more that also differ in body.

How to fix:
  * If the request changed on purpose, record it again";

/// The error of vcrpy 8 for a path that differs.
const OLD: &str = "\
vcr.errors.CannotOverwriteExistingCassetteException: Can't overwrite existing cassette ('e:\\\\shop\\\\tests\\\\cassettes\\\\test_a\\\\test_x.yaml') in your current record mode (<RecordMode.NONE: 'none'>).
No match for the request (<Request (POST) https://api.example/v1/b>) was found.
Found 2 similar requests with 1 different matcher(s) :

1 - (<Request (POST) https://api.example/v1/a>).
Matchers succeeded : ['method', 'scheme']
Matchers failed :
path - assertion failure :
/v1/b != /v1/a


2 - (<Request (POST) https://api.example/v1/b>).
Matchers succeeded : ['method', 'scheme']
Matchers failed :
body - assertion failure :
";

/// Marks the lines of an error as pytest does.
fn marked(error: &str) -> String {
    error.lines().map(|line| format!("E   {line}\n")).collect()
}

fn section(heading: &str, body: &str) -> String {
    format!(
        "=== FAILURES ===\n_____ {heading} _____\ntests/test_a.py:9: in x\n    chat('hi')\n{body}"
    )
}

#[test]
fn errors_of_vcrpy_are_read_with_request_settings_and_differences() {
    let summary = "=== short test summary info ===\nFAILED tests/test_a.py::test_x - vcr.err...\n1 failed in 1s\n";
    insta::assert_snapshot!(describe(&(section("test_x", &marked(NEW)) + summary)), @r#"5: tests/test_a.py::test_x | vcrpy 9 NoMatch in /ci/shop/tests/cassettes/test_a/test_x.yaml | POST https://api.example/v1/chat {"model":"m","messages":[{"role":"user","content":"two"}]} | near https://api.example/v1/chat: body None ["\"content\": \"three\","] ["\"content\": \"two\","] at 4 | none method uri body 1/3 | vcr.errors.CannotOverwriteExistingCassetteExcept"#);
    insta::assert_snapshot!(describe(&section("TestB.test_x[a-b]", &marked(OLD))), @r#"5: tests/test_a.py::TestB::test_x[a-b] | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b | near https://api.example/v1/a: path Some(("/v1/a", "/v1/b")) [] [] at 0 | near https://api.example/v1/b: body None [] [] at 0 | none | vcr.errors.CannotOverwriteExistingCassetteExcept"#);
    let consumed = |text: &str| {
        let start = OLD.split("Found").next().unwrap();
        describe(&section("test_x", &marked(&format!("{start}{text}"))))
    };
    insta::assert_snapshot!(consumed("Found 1 recorded request(s) matching (<Request (POST) https://x>) but they have already been consumed."), @r"5: tests/test_a.py::test_x | vcrpy 8.2 to 8.5 Consumed in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b | none | vcr.errors.CannotOverwriteExistingCassetteExcept");
    insta::assert_snapshot!(consumed("Found 1 similar requests with 0 different matcher(s) :\n\n1 - (<Request (POST) https://api.example/v1/b>).\nMatchers succeeded : ['method']\nMatchers failed :"), @r"5: tests/test_a.py::test_x | vcrpy Consumed in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b | near https://api.example/v1/b:  | none | vcr.errors.CannotOverwriteExistingCassetteExcept");
    let matching = |text: &str| {
        let start = OLD.split("Found").next().unwrap();
        read(&section("test_x", &marked(&format!("{start}{text}"))))[0].miss.matching
    };
    let (consumed_calls, differing_calls) = (
        "Found 3 recorded request(s) matching (<Request (POST) https://x>) but they have already been consumed.",
        "Found 3 similar requests with 1 different matcher(s) :",
    );
    assert_eq!([consumed_calls, differing_calls].map(matching), [Some(3), None]);
    assert_eq!(matching("Found 2 similar requests with 0 different matcher(s) :"), Some(2));
    insta::assert_snapshot!(consumed("No similar requests, that have not been played, found."), @r"5: tests/test_a.py::test_x | vcrpy NothingSimilar in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b | none | vcr.errors.CannotOverwriteExistingCassetteExcept");
}

#[test]
fn headlines_say_what_is_wrong() {
    let kind = |headline: &str| {
        let text = format!("E   x.Error: Can't play back this request: {headline}");
        let miss = &read(&section("test_x", &text))[0].miss;
        let matching = miss.matching.map_or_else(String::new, |count| format!(" {count}"));
        format!("{:?}{matching}", miss.kind)
    };
    for (headline, expected) in [
        ("it matches 1 recorded interaction, but that has already been played back.", "Consumed 1"),
        ("it matches 2 recorded interactions, but they have all been played back.", "Consumed 2"),
        ("the cassette has nothing similar to it.", "NothingSimilar"),
        (
            "the cassette doesn't exist, and record_mode 'none' doesn't record new ones.",
            "NoCassette",
        ),
        (
            "the cassette file couldn't be loaded, and record_mode 'none' doesn't record new ones.",
            "NotLoaded(\"the cassette file couldn't be loaded\")",
        ),
        ("no recorded interaction matches it (the closest differ in host).", "NoMatch"),
    ] {
        assert_eq!(kind(headline), expected, "{headline}");
    }
}

#[test]
fn what_a_service_prints_around_lines_does_not_matter() {
    let log = section("test_x", &marked(NEW));
    let expected = describe(&log);
    let each = |change: &dyn Fn(&str) -> String| -> String {
        log.lines().map(|line| change(line) + "\n").collect()
    };
    for text in [
        each(&|line| format!("2026-11-28T10:31:45.1234567Z {line}")),
        each(&|line| format!("test\tRun tests\t2026-11-28T10:31:45.1234567Z {line}")),
        each(&|line| format!("2026-11-28T10:31:45.123456Z 00O {line}")),
        each(&|line| format!("\u{1b}[1m\u{1b}[31m{line}\u{1b}[0m\r")),
        format!("\u{feff}{log}"),
    ] {
        assert_eq!(describe(&text), expected, "{text}");
    }
    // The default style indents the message as the code.
    let indented = log.replace("E   ", "E           ");
    assert_eq!(describe(&indented), expected);
}

#[test]
fn an_error_that_another_one_wraps_is_found_and_a_logged_one_is_not_the_reason() {
    let wrapped = format!(
        "{}\nThe above exception was the direct cause of the following exception:\ntests/test_a.py:9: in test_x\n    chat()\nE   openai.APIConnectionError: Connection error.\n",
        marked(NEW)
    );
    insta::assert_snapshot!(describe(&section("test_x", &wrapped)), @r#"5: tests/test_a.py::test_x | vcrpy 9 NoMatch in /ci/shop/tests/cassettes/test_a/test_x.yaml | POST https://api.example/v1/chat {"model":"m","messages":[{"role":"user","content":"two"}]} | near https://api.example/v1/chat: body None ["\"content\": \"three\","] ["\"content\": \"two\","] at 4 | none method uri body 1/3 | openai.APIConnectionError: Connection error."#);
    let logged = |error: &str| {
        let output = format!("E   {error}\n---- Captured log call ----\nWARNING prices: {OLD}");
        describe(&section("test_x", &output))
    };
    insta::assert_snapshot!(logged("AssertionError: assert 'a' in 'b'"), @"5: tests/test_a.py::test_x | - Other | AssertionError: assert 'a' in 'b'");
    insta::assert_snapshot!(logged("app.Error: Connection error."), @r#"7: tests/test_a.py::test_x | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b | near https://api.example/v1/a: path Some(("/v1/a", "/v1/b")) [] [] at 0 | near https://api.example/v1/b: body None [] [] at 0 | none | app.Error: Connection error."#);
    insta::assert_snapshot!(describe(&section("test_x", "E   httpx.ConnectError: refused")), @"5: tests/test_a.py::test_x | - Hidden | httpx.ConnectError: refused");
}

#[test]
fn tests_without_tracebacks_are_read_from_the_lists_at_the_end() {
    // With `CI` set, the list has whole messages.
    let whole = format!(
        "=== short test summary info ===\nFAILED tests/test_a.py::test_x[a - b] - {NEW}\nFAILED tests/test_a.py::TestB::test_y - openai.APIConnectionError: Connection error.\nERROR tests/test_a.py::test_z - yaml.scanner.ScannerError: found a tab\n=== 3 failed in 1s ===\n"
    );
    insta::assert_snapshot!(describe(&whole), @r#"
    2: tests/test_a.py::test_x[a - b] | vcrpy 9 NoMatch in /ci/shop/tests/cassettes/test_a/test_x.yaml | POST https://api.example/v1/chat {"model":"m","messages":[{"role":"user","content":"two"}]} | near https://api.example/v1/chat: body None ["\"content\": \"three\","] ["\"content\": \"two\","] at 4 | none method uri body 1/3 | vcr.errors.CannotOverwriteExistingCassetteExcept
    28: tests/test_a.py::TestB::test_y | - Hidden | openai.APIConnectionError: Connection error.
    29: tests/test_a.py::test_z (Setup) | vcrpy NotLoaded("yaml.scanner.ScannerError: found a tab") | yaml.scanner.ScannerError: found a tab
    "#);
    let line = format!(
        "=== FAILURES ===\n/v/vcr/stubs.py:95: {}/v/a.py:9: AssertionError: no\n=== short test summary info ===\nFAILED tests/test_a.py::test_x - vcr.errors.Ca...\nFAILED tests/test_a.py::test_y - AssertionError: no\n",
        OLD.lines().next().unwrap().to_owned() + "\n"
    );
    insta::assert_snapshot!(describe(&line), @r"
    2: tests/test_a.py::test_x | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | none | /v/vcr/stubs.py:95: vcr.errors.CannotOverwriteEx
    3: tests/test_a.py::test_y | - Other | /v/a.py:9: AssertionError: no
    ");
}

#[test]
fn arguments_of_frames_have_what_the_error_does_not() {
    let old = OLD.split("Found").next().unwrap();
    let with = |line: &str| describe(&section("test_x", &format!("{line}\n{}", marked(old))));
    insta::assert_snapshot!(with(r#"real_request_body = b'{"a":"caf\xc3\xa9"}'"#), @r#"6: tests/test_a.py::test_x | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b {"a":"café"} | none | vcr.errors.CannotOverwriteExistingCassetteExcept"#);
    insta::assert_snapshot!(with("kwargs = {'json': {'a': [1, True, None]}, 'timeout': 5}"), @r#"6: tests/test_a.py::test_x | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b {"a":[1,true,null]} | none | vcr.errors.CannotOverwriteExistingCassetteExcept"#);
    insta::assert_snapshot!(with("options = FinalRequestOptions(method='post', json_data={'a': 'b'}, c=1)"), @r#"6: tests/test_a.py::test_x | vcrpy NoMatch in e:\shop\tests\cassettes\test_a\test_x.yaml | POST https://api.example/v1/b {"a":"b"} | none | vcr.errors.CannotOverwriteExistingCassetteExcept"#);
    assert_eq!(
        read(&section("test_x", &format!("    chat('Write a short poem')\n{}", marked(old))))[0]
            .miss
            .code
            .texts
            .len(),
        1
    );
}

#[test]
fn clients_of_other_languages_and_plugins_are_read() {
    insta::assert_snapshot!(describe("\
Failures:

  1) Chat streams
     Failure/Error: chat.send(\"Hi\")

     VCR::Errors::UnhandledHTTPRequestError:
       An HTTP request has been made that VCR does not know how to handle:
         POST https://api.example/v1/chat

       VCR is currently using the following cassette:
         - /app/spec/cassettes/chat_streams.yml
           - :record => :none
           - :match_requests_on => [:method, :uri, :body]

       Under the current configuration VCR can not find a suitable HTTP interaction
     # ./spec/chat_spec.rb:12:in `block'

Finished in 0.5 seconds
"), @"7: Chat streams | VCR for Ruby NoMatch in /app/spec/cassettes/chat_streams.yml | POST https://api.example/v1/chat | none method uri body | An HTTP request has been made that VCR does not ");
    insta::assert_snapshot!(describe("
  1) Error:
ChatTest#test_sends [test/chat_test.rb:4]:
VCR::Errors::UnhandledHTTPRequestError: An HTTP request has been made that VCR does not know how to handle:
  GET https://api.example/v1/models
There is currently no cassette in use.
"), @"4: test/chat_test.rb > ChatTest.test_sends | VCR for Ruby NoCassette | GET https://api.example/v1/models | VCR::Errors::UnhandledHTTPRequestError: An HTTP ");
    insta::assert_snapshot!(describe("\
── Error ('test-chat.R:12:3'): can chat ─────
Error in `req_perform(req)`: Failed to find matching request in active cassette, \"chat-tool\".
"), @"2: test-chat.R > can chat | vcr for R NoMatch in chat-tool | Error in `req_perform(req)`: Failed to find matc");
    insta::assert_snapshot!(describe("\
=== RUN   TestChat/plain
    chat_test.go:31: Post \"http://127.0.0.1:4/v1/chat\": requested interaction not found
--- FAIL: TestChat/plain (0.02s)
FAIL
"), @r#"2: TestChat/plain | go-vcr NoMatch | POST http://127.0.0.1:4/v1/chat | chat_test.go:31: Post "http://127.0.0.1:4/v1/cha"#);
    insta::assert_snapshot!(describe("\
---- chat::sends stdout ----
thread 'chat::sends' panicked at src/chat.rs:4: status 404: {\"message\":\"Request did not match any route or mock\"}

failures:
    chat::sends
"), @"2: chat::sends | httpmock NoMatch | thread 'chat::sends' panicked at src/chat.rs:4:");
    insta::assert_snapshot!(describe("
        FAIL [   0.004s] chat chat::sends
  stdout ───
    thread panicked: Request did not match any route or mock
"), @"4: chat::sends | httpmock NoMatch | thread panicked: Request did not match any route");
    insta::assert_snapshot!(describe("
 FAIL  test/chat.test.ts > chat > sends
Error: 404 No fixture matched
 ❯ test/chat.test.ts:9:3
⎯⎯⎯⎯⎯[1/1]⎯
"), @"3: test/chat.test.ts > chat > sends | aimock NoMatch | Error: 404 No fixture matched");
    insta::assert_snapshot!(describe("\
FAIL test/chat.test.js
  ● chat › sends

    NotFoundError: 404 No fixture matched
"), @"4: test/chat.test.js > chat > sends | aimock NoMatch | NotFoundError: 404 No fixture matched");
}

#[test]
fn clients_and_plugins_of_python_besides_vcrpy_are_read() {
    insta::assert_snapshot!(describe("\
======================================================================
ERROR: test_x (tests.test_mail.TestMail.test_x)
----------------------------------------------------------------------
Traceback (most recent call last):
  File \"/ci/tests/test_mail.py\", line 9, in test_x
cassetter.cassette.NoMatchError: no matching interaction for POST https://api.example/v1/chat

----------------------------------------------------------------------
Ran 1 test in 0.1s
"), @"6: tests/test_mail.py::TestMail::test_x | cassetter NoMatch | POST https://api.example/v1/chat | cassetter.cassette.NoMatchError: no matching int");
    insta::assert_snapshot!(describe(&section("ERROR at teardown of test_x", "E   AssertionError: Cassette tests/cassettes/a.yaml did not play all interactions: played 1/3; unused indexes: [1, 2]")), @"5: tests/test_a.py::test_x (Teardown) | pydantic-ai NotAllPlayed([1, 2]) in tests/cassettes/a.yaml 1/3 | AssertionError: Cassette tests/cassettes/a.yaml ");
    insta::assert_snapshot!(describe(&section("test_x", "E   RuntimeError: Network is disabled for host '127.0.0.1'")), @r#"5: tests/test_a.py::test_x | pytest-recording NetworkBlocked("127.0.0.1") | RuntimeError: Network is disabled for host '127."#);
    insta::assert_snapshot!(describe(&section("ERROR at setup of test_x", "v/vcr/serialize.py:54: in deserialize\nE   KeyError: 'interactions'")), @r#"6: tests/test_a.py::test_x (Setup) | vcrpy NotLoaded("KeyError: 'interactions'") | KeyError: 'interactions'"#);
}

#[test]
fn a_text_that_breaks_off_anywhere_is_read() {
    let log = section("test_x", &(marked(NEW) + &marked(OLD)));
    for end in (0..log.len()).filter(|end| log.is_char_boundary(*end)) {
        read(&log[..end]);
        read(&log[end..]);
    }
    assert!(read("an ordinary text\n").is_empty());
    assert_eq!(read(OLD).len(), 1, "an error without a test");
}
