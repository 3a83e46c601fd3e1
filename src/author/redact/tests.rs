//! Documents with personal data in, documents without it out.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use calls::secret::testing::sample_key;
use calls::secret::{CustomPatterns, FoundSecret, Redaction, RedactionKey, find, is_redacted};
use document::Document;
use document::text::Source;
use play::playback::testing::{recording, stored};

fn key() -> RedactionKey {
    RedactionKey::from_random(b"a key for tests")
}

fn read(name: &str, text: &str) -> Document {
    document::read(Source::new(text), name)
}

/// Redacts files with one list of values, as the command does.
fn redact_all(files: &[(&str, &str)]) -> Vec<Result<Option<String>, Vec<String>>> {
    redact_named("Ilse Maier", files)
}

fn redact_named(names: &str, files: &[(&str, &str)]) -> Vec<Result<Option<String>, Vec<String>>> {
    let names = NameList::parse(names).unwrap();
    let mut values = PersonalValues::default();
    for (name, text) in files {
        values.add(&read(name, text), &CustomPatterns::default(), &names);
    }
    let redactor = Redactor::new(&values.redaction(key())).unwrap();
    let redact_one = |(name, text): &(&str, &str)| {
        let results = redact(&read(name, text), name, &redactor, &CustomPatterns::default());
        let results = results.map(|results| results.map(|file| file.after.text().to_owned()));
        results.map_err(|all| all.iter().map(ToString::to_string).collect())
    };
    files.iter().map(redact_one).collect()
}

#[test]
fn a_value_has_the_same_placeholder_in_every_file_and_all_other_bytes_stay() {
    let mut first = recording("req-1", "a", "look_up", 1);
    first["request"]["messages"][0]["content"] =
        json!("Ilse Maier <ilse@maier.org>, +49 30 1234567, wrote");
    let first = serde_json::to_string_pretty(&first).unwrap().replace("\": ", "\"  : ");
    // The phone number is written in another way, and the address is escaped.
    let second = "id: s1\r\ninput: \"from ilse\\u0040maier.org\" # ilse@maier.org\r\ncontext: { by: 'ILSE MAIER', tel: +49-30-1234567 }\r\n";
    let results = redact_all(&[("turn-1.json", &first), ("s.yaml", second)]);
    let [Ok(Some(first_done)), Ok(Some(second_done))] = &results[..] else {
        panic!("{results:?}");
    };
    let word = |text: &str, mark: &str| {
        let at = text.find(mark).unwrap_or_else(|| panic!("{mark} in {text}"));
        text[at..at + mark.len() + 12].to_owned()
    };
    let address = |text: &str| {
        let at = text.find("@example.com").unwrap();
        format!("{}@example.com", &text[at - "redacted-".len() - 12..at])
    };
    assert_eq!(address(first_done), address(second_done));
    for mark in ["[redacted-name-", "[redacted-phone-"] {
        assert_eq!(word(first_done, mark), word(second_done, mark), "{mark}");
    }
    let mut expected = first;
    for (value, word) in [
        ("Ilse Maier", word(first_done, "[redacted-name-") + "]"),
        ("+49 30 1234567", word(first_done, "[redacted-phone-") + "]"),
        ("ilse@maier.org", address(first_done)),
    ] {
        expected = expected.replace(value, &word);
    }
    assert_eq!(*first_done, expected);
    for value in ["ilse", "ILSE", "1234567"] {
        assert!(!second_done.contains(value), "{value} in {second_done}");
    }
    assert!(second_done.contains("\r\n") && second_done.starts_with("id: s1\r\n"));
    assert_eq!(redact_all(&[("turn-1.json", first_done)]), [Ok(None)]);
}

#[test]
fn values_in_a_tape_are_replaced_across_chunks_and_keys_are_renamed() {
    let tape = json!({
        "meta": { "model": "m", "recordedAt": "2026-01-01T00:00:00Z" },
        "request": { "model": "m", "contents": "x", "config": { "by ilse@maier.org": 1 } },
        "stream": [
            { "delayNs": 1, "text": "to il" },
            { "delayNs": 2, "text": "se@mai" },
            { "delayNs": 3, "text": "er.org!" },
        ],
    });
    let result = redact_all(&[("tape.json", &tape.to_string())]).swap_remove(0);
    let json: serde_json::Value = serde_json::from_str(&result.unwrap().unwrap()).unwrap();
    let chunks = json["stream"].as_array().unwrap().iter();
    let text: String = chunks.map(|chunk| chunk["text"].as_str().unwrap()).collect();
    let word = text.strip_prefix("to ").and_then(|rest| rest.strip_suffix('!')).unwrap();
    assert!(word.ends_with("@example.com") && word.starts_with("redacted-"), "{text}");
    assert_eq!(json["stream"].as_array().unwrap().len(), 3);
    let config = json["request"]["config"].as_object().unwrap();
    assert!(config.keys().all(|key| !key.contains("maier")), "{config:?}");
}

#[test]
fn a_file_whose_matching_depends_on_a_value_is_refused() {
    let keyed = stored(recording("req-1", "a", "look_up", 1), &["by Ilse Maier"]);
    let results = redact_all(&[("turn-1.json", &keyed.to_string())]);
    let [Err(refusals)] = &results[..] else { panic!("{results:?}") };
    // The value is not shown.
    let reason = "Which recording answers a request depends on `by [redacted-name-";
    assert!(refusals[0].starts_with(reason), "{refusals:?}");
}

#[test]
fn another_key_gives_other_numbers_and_its_text_is_read_again() {
    let mut values = PersonalValues::default();
    values.add_text("+49 30 1234567", &CustomPatterns::default(), &NameList::default());
    let word = |key: RedactionKey| -> String {
        let redaction = values.redaction(key);
        redaction.placeholder("+49 30 1234567").unwrap().to_owned()
    };
    let other = RedactionKey::from_random(b"another");
    assert_ne!(word(key()), word(other));
    assert_eq!(RedactionKey::parse(&key().to_text()), Some(key()));
    assert_eq!(RedactionKey::parse("no key"), None);
}

#[test]
fn names_of_any_length_are_replaced_as_whole_words_also_across_chunks() {
    let tape = json!({
        "meta": { "model": "m", "recordedAt": "2026-01-01T00:00:00Z" },
        "request": { "model": "m", "contents": "x", "config": {} },
        "stream": [{ "delayNs": 1, "text": "Ann" }, { "delayNs": 2, "text": "ouncement by An" }, { "delayNs": 3, "text": "n, Bob and Ann" }],
    });
    let session = "id: s\ninput: \"Ann\\u00e9 and Ann\" # Ann, +49 30 1234567\n";
    let files = [("tape.json", &*tape.to_string()), ("s.yaml", session)];
    let results = redact_named("ann\nbob", &files);
    let results: Vec<&String> = results.iter().flatten().flatten().collect();
    let [tape, session] = results[..] else { panic!("{results:?}") };
    let tape: serde_json::Value = serde_json::from_str(tape).unwrap();
    let chunks = tape["stream"].as_array().unwrap().iter();
    let text: String = chunks.map(|chunk| chunk["text"].as_str().unwrap()).collect();
    assert!(text.starts_with("Announcement by [redacted-name-"), "{text}");
    assert!(!text.contains("Bob") && text.matches("[redacted-name-").count() == 3);
    assert!(session.contains(" and [redacted-name-"), "{session}");
    assert!(session.contains("# [redacted-name-"), "{session}");
    assert!(session.contains(", [redacted-phone-"), "{session}");
    let again = redact_named("ann\nbob", &[("s.yaml", session)]);
    assert_eq!(again, [Ok(None)]);
}

#[test]
fn a_name_that_occurs_in_placeholders_is_refused_and_placeholders_are_not_searched() {
    let names = NameList::parse("example.com").unwrap();
    let redactor = |text: &str| {
        let mut values = PersonalValues::default();
        let document = read("s.yaml", text);
        values.add(&document, &CustomPatterns::default(), &names);
        Redactor::new(&values.redaction(key())).map(|_| ())
    };
    let text = "input: jun@private.dev at example.com\n";
    let reason = "`example.com` occurs in the placeholders; remove it from the list of names, or from the project's own patterns";
    assert_eq!(redactor(text), Err(reason.to_owned()));
    let text = "input: redacted-000000000001@example.com, authorization Bearer [redacted-key-000000000002]\n";
    assert_eq!(redact_named("example.com\nkey", &[("s.yaml", text)]), [Ok(None)]);
}

#[test]
fn a_body_of_a_cassette_fits_its_length_afterwards() {
    let cassette = "interactions:
- request: {method: GET, uri: 'https://a.example/', headers: {}, body: null}
  response:
    headers: {content-length: ['17']}
    body: {string: 'Hello Ilse Maier!'}
    status: {code: 200, message: OK}
- request: {method: GET, uri: 'https://a.example/', headers: {}, body: null}
  response:
    headers: {content-length: ['99']}
    body: {string: 'Hello Ilse Maier!'}
    status: {code: 200, message: OK}
";
    let results = redact_all(&[("a.yaml", cassette)]);
    let [Ok(Some(after))] = &results[..] else {
        panic!("{results:?}");
    };
    let tree = read("a.yaml", after).tree;
    let text = |pointer: &str| {
        let node = tree.at_pointer(pointer).unwrap();
        node.as_str().unwrap().to_owned()
    };
    let body = text("/interactions/0/response/body/string");
    assert!(body.starts_with("Hello ") && body.len() != 17, "{body}");
    let expected = cassette.replace("Hello Ilse Maier!", &body);
    let length = format!("'{}'", body.len());
    assert_eq!(*after, expected.replace("'17'", &length));
}

/// Adds all secrets that were found in a text.
fn add_all(redaction: &mut Redaction, text: &str, secrets: &[FoundSecret]) {
    for secret in secrets {
        redaction.add(secret.kind, &text[secret.range.clone()]);
    }
}

#[test]
fn the_same_secret_gets_the_same_word_everywhere() {
    let key = sample_key("ghp_", 36);
    let own = CustomPatterns::default();
    let texts = [
        format!("{key} jun@private.dev"),
        format!("again:{key}; ada@private.dev, jun@private.dev"),
    ];
    let mut redaction = Redaction::default();
    for text in &texts {
        add_all(&mut redaction, text, &find(text, &own));
    }
    let find = redaction.finder().unwrap();
    insta::assert_snapshot!(texts.map(|text| redact_text(&text, &find)).join("\n"), @"
    [redacted-github-token-1] redacted-1@example.com
    again:[redacted-github-token-1]; redacted-2@example.com, redacted-1@example.com
    ");
}

#[test]
fn a_text_that_was_redacted_is_recognised_by_its_words() {
    let mut redaction = Redaction::default();
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let text = format!("{key} or ada@private.dev");
    add_all(&mut redaction, &text, &find(&text, &CustomPatterns::default()));
    let find = redaction.finder().unwrap();
    for secret in text.split(" or ") {
        assert!(!is_redacted(secret));
        assert!(is_redacted(&format!("say {}.", redact_text(secret, &find))));
    }
    let near =
        ["[redacted-1]", "redacted-1@example.org", "[redacted-token-x]", "redacted-", "redacted-é"];
    assert!(!near.into_iter().any(is_redacted));
}

/// Puts a text into a place of a document, and reads it from there.
type Place = (&'static str, fn(&str) -> String, fn(&str) -> String);

fn at(json: &str, pointer: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    value.pointer(pointer).unwrap().as_str().unwrap().to_owned()
}

const PLACES: [Place; 6] = [
    ("a.json", |text| json!({ "input": text }).to_string(), |after| at(after, "/input")),
    (
        "a.json",
        |text| {
            json!({ "arguments": json!({ "note": format!("a\n{text}\tb") }).to_string() })
                .to_string()
        },
        |after| at(&at(after, "/arguments"), "/note"),
    ),
    (
        "a.json",
        |text| {
            json!({ "blob": BASE64_STANDARD.encode(json!({ "note": text }).to_string()) })
                .to_string()
        },
        |after| {
            let bytes = BASE64_STANDARD.decode(at(after, "/blob")).unwrap();
            at(&String::from_utf8(bytes).unwrap(), "/note")
        },
    ),
    (
        "a.json",
        |text| {
            let escaped: String =
                text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            json!({ "result": format!(r#"{{"note": "{escaped}"}}"#) }).to_string()
        },
        |after| at(&at(after, "/result"), "/note"),
    ),
    (
        "a.yaml",
        |text| format!("id: s\ninput: {}\n", json!(text)),
        |after| {
            read("a.yaml", after).tree.at_pointer("/input").unwrap().as_str().unwrap().to_owned()
        },
    ),
    (
        "a.json",
        |text| {
            let letters = text.chars().collect::<Vec<_>>();
            let events = letters.chunks(3).map(|piece| {
                let delta = json!({ "choices": [{ "index": 0, "delta": { "content": piece.iter().collect::<String>() } }] });
                format!("data: {delta}\n\n")
            });
            json!({ "body": events.collect::<String>() }).to_string()
        },
        |after| {
            let body = at(after, "/body");
            let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
            events.map(|event| at(event, "/choices/0/delta/content")).collect()
        },
    ),
];

proptest! {
    #![proptest_config(document::text::cases(24))]

    #[test]
    fn no_value_remains_in_any_place_or_spelling(digits in "[2-9][1-9]{8}") {
        let [area, middle, last] = [&digits[..3], &digits[3..6], &digits[6..]];
        // As it is recognised, and another spelling that nothing names.
        let values = [
            (format!("call +48 {area} {middle} {last}"), format!("{area}{middle}{last}")),
            (format!("Tel. {area} {middle} {last}"), format!("0048-{area}-{middle}-{last}")),
            ("to DE89 3704 0044 0532 0130 00".to_owned(), "DE89370400440532013000".to_owned()),
            ("card 4539 1488 0343 6467".to_owned(), "4539-1488-0343-6467".to_owned()),
            (format!("mail jörg.{digits}@posteo.de"), format!("Jörg.{digits}@posteo.de")),
            (format!("my customer number is KD-{digits}"), format!("kd{digits}")),
            (format!("my password for the portal is Sommer{digits}!"), format!("Sommer{digits}!")),
            (format!("the passport AB{digits} is old"), format!("AB {digits}")),
        ];
        for (value, other) in values {
            let text = format!("{value}, i.e. {other} too");
            for (name, write, read_back) in PLACES {
                let result = redact_all(&[(name, &write(&text))]).swap_remove(0);
                let after = read_back(&result.unwrap().unwrap());
                let words: Vec<&str> = after.split(|c: char| !c.is_alphanumeric()).collect();
                let is_left = |part: &&&str| part.len() > 5 && text.contains(**part);
                let left: Vec<&&str> = words.iter().filter(is_left).collect();
                let number = |word: &&str| word.len() == 12 && word.bytes().all(|b| b.is_ascii_digit());
                let numbers: Vec<&&str> = words.iter().filter(|word| number(word)).collect();
                let known = ["customer", "passport", "number", "password", "portal"];
                prop_assert!(left.iter().all(|word| known.contains(*word)), "{after}");
                // Both spellings have the same placeholder.
                prop_assert!(numbers.len() == 2 && numbers[0] == numbers[1], "{after}");
            }
        }
    }
}
