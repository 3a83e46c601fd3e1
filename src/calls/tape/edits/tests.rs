use super::super::testing::{document, stream, tape_of, text};
use super::super::text::TapeText;
use super::super::timing::{TapePace, TapeSchedule};
use super::*;
use document::Document;
use proptest::prelude::*;

fn cut(stream: &str, edit: TapeEdit) -> Result<String, String> {
    let document = document(&text(stream));
    let text_plan = plan(&document, &edit).map_err(|refusal| refusal.to_string())?;
    Ok(made(&document, text_plan))
}

/// Returns the stream afterwards.
fn made(old_document: &Document, text_plan: Option<TextPlan>) -> String {
    let mut text = old_document.source().text().to_owned();
    if let Some(text_plan) = text_plan {
        text_plan.edit.apply(&mut text).expect("the edit is one of the text");
    }
    let new_document = document(&text);
    assert!(new_document.tree.is_well_formed(), "{text}");
    let stream = new_document.tree.at_pointer("/stream").expect("the stream stays");
    stream.raw().to_owned()
}

fn describe(stream: &str, edit: TapeEdit) -> String {
    cut(stream, edit).unwrap_or_else(|refusal| refusal)
}

const STREAM: &str = r#"[
    {"delayNs": 8e6,  "text":"It goes"},
    { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
    {"delayNs": 1.5, "usage": null, "text": "\ude00."}
  ]"#;

#[test]
fn a_delay_changes_only_its_digits() {
    insta::assert_snapshot!(describe(STREAM, TapeEdit::SetDelay { chunk: 0, delay_nanos: 0.0 }), @r#"
    [
        {"delayNs": 0,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    assert_eq!(describe(STREAM, TapeEdit::SetDelay { chunk: 0, delay_nanos: 8_000_000.0 }), STREAM);
    insta::assert_snapshot!(describe(STREAM, TapeEdit::SetDelay { chunk: 3, delay_nanos: 0.0 }), @"There is no chunk 4; the tape has 3 chunks (line 4, column 13)");
    insta::assert_snapshot!(describe(STREAM, TapeEdit::SetDelay { chunk: 0, delay_nanos: f64::NAN }), @"A delay must be a number of nanoseconds, 0 or more (line 4, column 13)");
}

#[test]
fn what_a_chunk_lacks_is_added() {
    insta::assert_snapshot!(describe(r#"[{"text":"a"}, {}, {"delayNs": "1", "text": 3}]"#, TapeEdit::Steady { chunks: 0..3, delay_nanos: 5.0 }), @r#"[{"text":"a","delayNs":5}, { "delayNs": 5 }, {"delayNs": 5, "text": 3}]"#);
    insta::assert_snapshot!(describe(r#"[{"delayNs": -1}]"#, TapeEdit::SetText { chunk: 0, text: "é".to_owned() }), @r#"[{"delayNs": -1, "text": "é"}]"#);
}

#[test]
fn a_text_keeps_the_spelling_of_what_stays() {
    let set =
        |chunk, text: &str| describe(STREAM, TapeEdit::SetText { chunk, text: text.to_owned() });
    insta::assert_snapshot!(set(1, "über\"all\n \\ud83d"), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\"all\n \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(set(1, "x\\ud83"), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "x\\ud83", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(set(2, "\\ude00!"), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00!"}
      ]
    "#);
    insta::assert_snapshot!(describe(r#"[{"text": "\u00e9"}]"#, TapeEdit::SetText { chunk: 0, text: "😀é".to_owned() }), @r#"[{"text": "\ud83d\ude00\u00e9"}]"#);
}

#[test]
fn a_new_chunk_is_written_like_those_beside_it() {
    let insert = |stream: &str, before| {
        describe(stream, TapeEdit::Insert { before, delay_nanos: 2.0, text: "n".to_owned() })
    };
    insta::assert_snapshot!(insert(STREAM, 0), @r#"
    [
        {"delayNs": 2,  "text": "n"},
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(insert(STREAM, 2), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        { "text": "n", "delayNs": 2 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(insert(STREAM, 3), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."},
        {"delayNs": 2, "text": "n"}
      ]
    "#);
    insta::assert_snapshot!(insert("[]", 0), @r#"
    [
        {
          "delayNs": 2,
          "text": "n"
        }
      ]
    "#);
    insta::assert_snapshot!(insert(r#"[{"delayNs":1,"text":"a"}]"#, 1), @r#"[{"delayNs":1,"text":"a"},{"delayNs":2,"text":"n"}]"#);
    insta::assert_snapshot!(insert("[\n    {\n      \"delayNs\": 1,\n      \"text\": \"a\"\n    }\n  ]", 0), @r#"
    [
        {
          "delayNs": 2,
          "text": "n"
        },
        {
          "delayNs": 1,
          "text": "a"
        }
      ]
    "#);
}

#[test]
fn deleted_chunks_go_with_what_separates_them() {
    let delete = |stream: &str, chunks| describe(stream, TapeEdit::Delete { chunks });
    insta::assert_snapshot!(delete(STREAM, 0..1), @r#"
    [
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(delete(STREAM, 1..3), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"}
      ]
    "#);
    insta::assert_snapshot!(delete(STREAM, 0..3), @"[]");
    insta::assert_snapshot!(delete(r#"[{"text": "a"}, 7, {"text": "b"}, {"text": "c"}]"#, 0..2), @r#"[7, {"text": "c"}]"#);
    insta::assert_snapshot!(describe(STREAM, TapeEdit::Trim { keep: 1..2 }), @r#"
    [
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 }
      ]
    "#);
    insta::assert_snapshot!(delete(STREAM, 2..2), @"No chunks are selected (line 4, column 13)");
}

#[test]
fn a_chunk_is_split_between_characters_only() {
    let split = |chunk, at| describe(STREAM, TapeEdit::Split { chunk, at });
    insta::assert_snapshot!(split(0, 2), @r#"
    [
        {"delayNs": 8e6,  "text":"It"},
        {"delayNs": 0,  "text": " goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(split(1, 5), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber", "delayNs": 5000000 },
        { "text": "\/all \ud83d", "delayNs": 0 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    insta::assert_snapshot!(split(2, 6), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "\ude00"},
        {"delayNs": 0, "text": "."}
      ]
    "#);
    for (chunk, at) in [(1, 1), (2, 3), (0, 0), (0, 7)] {
        assert!(!split(chunk, at).starts_with('['), "{chunk} {at}");
    }
    insta::assert_snapshot!(split(2, 3), @"A chunk cannot be split inside an escape sequence (line 7, column 5)");
    insta::assert_snapshot!(split(0, 7), @"The chunk already ends there (line 5, column 5)");
}

#[test]
fn merged_chunks_are_one_with_all_their_text_and_time() {
    insta::assert_snapshot!(describe(STREAM, TapeEdit::Merge { chunks: 0..2 }), @r#"
    [
        {"delayNs": 13000000,  "text":"It goes\u00fcber\/all \ud83d"},
        {"delayNs": 1.5, "usage": null, "text": "\ude00."}
      ]
    "#);
    let document = document(&text(STREAM));
    let planned = plan(&document, &TapeEdit::Merge { chunks: 1..3 }).unwrap().unwrap();
    insta::assert_snapshot!(planned.remark.clone().unwrap_or_default(), @"Other members of merged chunks than delay and text are deleted");
    insta::assert_snapshot!(made(&document, Some(planned)), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all \ud83d\ude00.", "delayNs": 5000001.5 }
      ]
    "#);
}

/// Returns the delays of a tape with these delays after an edit.
fn delays(old_delays: &[f64], edit: TapeEdit) -> String {
    let chunks: Vec<(f64, &str)> = old_delays.iter().map(|delay| (*delay, "four")).collect();
    let old_document = document(&text(&stream(&chunks)));
    let text_plan = match plan(&old_document, &edit) {
        Ok(text_plan) => text_plan,
        Err(refusal) => return refusal.reason,
    };
    let mut text = old_document.source().text().to_owned();
    text_plan.and_then(|text_plan| text_plan.edit.apply(&mut text));
    let delays = tape_of(&document(&text))
        .chunks
        .iter()
        .map(|chunk| chunk.delay_nanos.to_string())
        .collect::<Vec<_>>();
    delays.join(" ")
}

#[test]
fn times_are_scaled_and_shifted() {
    let scale = |chunks, factor| delays(&[10.0, 5.0, 5.0, 5.0], TapeEdit::Scale { chunks, factor });
    assert_eq!(scale(0..4, 2.0), "20 10 10 10");
    assert_eq!(scale(1..4, 0.5), "10 3 2 3");
    assert_eq!(scale(1..4, 0.0), "The factor must be a number above 0");
    assert_eq!(delays(&[1.5, 1.0], TapeEdit::Scale { chunks: 0..2, factor: 0.5 }), "0.75 0.5");
    let shift = |chunks, nanos, rest| {
        delays(&[10.0, 5.0, 5.0, 5.0], TapeEdit::Shift { chunks, nanos, rest })
    };
    assert_eq!(shift(1..3, 3.0, FollowingChunks::Follows), "10 8 5 5");
    assert_eq!(shift(1..3, 3.0, FollowingChunks::Stays), "10 8 5 2");
    assert_eq!(shift(1..4, -5.0, FollowingChunks::Stays), "10 0 5 5");
    insta::assert_snapshot!(shift(1..3, -6e6, FollowingChunks::Follows), @"Chunk 2 waits 5 ns; it cannot move earlier by more than that");
    insta::assert_snapshot!(shift(1..3, 6.0, FollowingChunks::Stays), @"Chunk 4 arrives 5 ns later; the chunks before it cannot move later by more than that");
}

#[test]
fn shapes_change_delays_alone() {
    let shape = |shape| delays(&[10.0, 5.0, 5.0, 5.0], TapeEdit::Shape { chunks: 0..4, shape });
    assert_eq!(shape(DelayShape::SlowStart { first_nanos: 99.0 }), "99 5 5 5");
    assert_eq!(shape(DelayShape::Stall { nanos: 7.0 }), "17 5 5 5");
    assert_eq!(shape(DelayShape::Burst { chunks: 3 }), "20 0 0 5");
    assert_eq!(shape(DelayShape::Burst { chunks: 1 }), "A burst needs at least two chunks");
}

/// Redacts all occurrences of a phrase.
fn redaction(tape: &document::tape::Tape, phrase: &str, new: &str) -> TapeEdit {
    let text = tape.joined();
    let found = text.match_indices(phrase);
    TapeEdit::Redact {
        parts: found.map(|(at, _)| (at..at + phrase.len(), new.to_owned())).collect(),
    }
}

fn redacted(stream: &str, phrase: &str, new: &str) -> String {
    describe(stream, redaction(&tape_of(&document(&text(stream))), phrase, new))
}

#[test]
fn words_are_redacted_across_chunks() {
    let stream = r#"[{"delayNs": 1e3, "text": "key sk-\u0031"}, {"delayNs": 2, "text": ""}, {"delayNs": 3, "text": "234"}, {"delayNs": 4, "text": "5, \"sk-12345\""}]"#;
    insta::assert_snapshot!(redacted(stream, "sk-12345", "KEY"), @r#"[{"delayNs": 1e3, "text": "key KE"}, {"delayNs": 2, "text": ""}, {"delayNs": 3, "text": "Y"}, {"delayNs": 4, "text": ", \"KEY\""}]"#);
    insta::assert_snapshot!(redacted(stream, "sk-1234", ""), @r#"[{"delayNs": 1e3, "text": "key "}, {"delayNs": 2, "text": ""}, {"delayNs": 3, "text": ""}, {"delayNs": 4, "text": "5, \"5\""}]"#);
    insta::assert_snapshot!(redacted(STREAM, "😀", "x"), @r#"
    [
        {"delayNs": 8e6,  "text":"It goes"},
        { "text": "\u00fcber\/all ", "delayNs": 5000000 },
        {"delayNs": 1.5, "usage": null, "text": "x."}
      ]
    "#);
    insta::assert_snapshot!(describe(STREAM, TapeEdit::Redact { parts: vec![(3..3, "x".to_owned()), (4..5, "x".to_owned())] }), @"The parts to redact are not parts of the text in ascending order (line 4, column 13)");
}

#[test]
fn what_is_no_tape_or_no_json_is_refused() {
    let refused = |text: &str| {
        let document = document::read(document::text::Source::new(text), "tape.json");
        plan(&document, &TapeEdit::Delete { chunks: 0..1 }).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused("{}"), @"The file is not a tape (line 1, column 1)");
    insta::assert_snapshot!(refused(&text("[{\"text\": \"a\"}")), @"The file cannot be read completely: `]` is expected before `}`: the list that starts at line 4 is not closed (line 5, column 1)");
    insta::assert_snapshot!(refused(&text("{}")), @"The stream is not a list (line 4, column 13)");
}

#[test]
fn an_edit_has_a_name_for_the_history() {
    let edits = [
        TapeEdit::SetDelay { chunk: 13, delay_nanos: 80e6 },
        TapeEdit::Delete { chunks: 0..1 },
        TapeEdit::Merge { chunks: 3..6 },
        TapeEdit::Shift { chunks: 3..6, nanos: -1.5e9, rest: FollowingChunks::Stays },
        TapeEdit::Steady { chunks: 3..6, delay_nanos: 40e6 },
        TapeEdit::Shape { chunks: 3..4, shape: DelayShape::Stall { nanos: 7e9 } },
    ];
    let names: Vec<String> = edits.iter().map(TapeEdit::name).collect();
    insta::assert_snapshot!(names.join("\n"), @"
    Set the delay of chunk 14 to 80 ms
    Delete chunk 1
    Merge chunks 4 to 6
    Move chunks 4 to 6 1.5 s earlier
    Set the delays of chunks 4 to 6 to 40 ms
    Stall at chunk 4
    ");
}

/// Chunks of all sorts, as a stream.
fn any_stream() -> impl Strategy<Value = String> {
    let text = "(\\\\ude00)?([aé \"\n😀]|\\\\u00e9|\\\\n|\\\\ud83d\\\\ude00){0,4}(\\\\ud83d)?";
    let chunk = (0u32..1_000_000, text).prop_map(|(delay, text)| {
        let text = text.replace('"', "\\\"").replace('\n', "\\n");
        format!(r#"{{ "delayNs": {delay}, "text": "{text}" }}"#)
    });
    prop::collection::vec(chunk, 1..8)
        .prop_map(|chunks| format!("[\n  {}\n]", chunks.join(",\n  ")))
}

/// Returns the document after an edit, which must be possible.
fn after(old_document: &Document, edit: &TapeEdit) -> Document {
    let mut text = old_document.source().text().to_owned();
    if let Some(text_plan) = plan(old_document, edit).unwrap() {
        text_plan.edit.apply(&mut text).unwrap();
    }
    document(&text)
}

fn total(document: &Document) -> f64 {
    TapeSchedule::from_tape(&tape_of(document), TapePace::Recorded).total_nanos()
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn split_then_merge_gives_the_same_text_and_time(stream in any_stream(), chunk in 0usize..8, at in 0usize..30) {
        let before = document(&text(&stream));
        let tape = tape_of(&before);
        let chunk = chunk % tape.chunks.len();
        let split = TapeEdit::Split { chunk, at };
        if plan(&before, &split).is_ok() {
            let parted = after(&before, &split);
            prop_assert_eq!(tape_of(&parted).chunks.len(), tape.chunks.len() + 1);
            prop_assert_eq!(tape_of(&parted).joined(), tape.joined());
            let merged = after(&parted, &TapeEdit::Merge { chunks: chunk..chunk + 2 });
            prop_assert_eq!(merged.source().text(), before.source().text());
        }
    }

    #[test]
    fn scaling_back_gives_the_same_time(stream in any_stream(), factor in 0.1f64..10.0) {
        let before = document(&text(&stream));
        let tape = tape_of(&before);
        let chunks = 0..tape.chunks.len();
        let scaled = after(&before, &TapeEdit::Scale { chunks: chunks.clone(), factor });
        prop_assert!((total(&scaled) - total(&before) * factor).abs() <= 0.5);
        let back = after(&scaled, &TapeEdit::Scale { chunks, factor: 1.0 / factor });
        prop_assert!((total(&back) - total(&before)).abs() <= 0.5 / factor + 0.5);
        prop_assert_eq!(tape_of(&back).joined(), tape.joined());
    }

    #[test]
    fn redaction_keeps_chunks_and_delays(stream in any_stream(), phrase in "[aé \"😀]{1,3}") {
        let before = document(&text(&stream));
        let tape = tape_of(&before);
        let redact = redaction(&tape, &phrase, "xy");
        if tape.joined().contains(&phrase) {
            let redacted = tape_of(&after(&before, &redact));
            let delays = |tape: &document::tape::Tape| tape.chunks.iter().map(|chunk| chunk.delay_nanos).collect::<Vec<_>>();
            prop_assert_eq!(delays(&redacted), delays(&tape));
            prop_assert_eq!(redacted.joined(), tape.joined().replace(&phrase, "xy"));
        }
    }

    #[test]
    fn what_is_put_in_can_be_taken_out(stream in any_stream(), before_chunk in 0usize..8, text_in in "\\PC{0,5}") {
        let before = document(&text(&stream));
        let tape = tape_of(&before);
        let at = before_chunk % (tape.chunks.len() + 1);
        let inserted = after(&before, &TapeEdit::Insert { before: at, delay_nanos: 5.0, text: text_in.clone() });
        prop_assert_eq!(tape_of(&inserted).chunks.len(), tape.chunks.len() + 1);
        prop_assert_eq!(&tape_of(&inserted).chunks[at].text, &text_in);
        let back = after(&inserted, &TapeEdit::Delete { chunks: at..at + 1 });
        prop_assert_eq!(back.source().text(), before.source().text());
    }

    #[test]
    fn a_text_becomes_the_requested_text(stream in any_stream(), chunk in 0usize..8, new in "[aé\"\\\\😀]{0,5}") {
        let before = document(&text(&stream));
        let chunk = chunk % tape_of(&before).chunks.len();
        let set = after(&before, &TapeEdit::SetText { chunk, text: new.clone() });
        prop_assert_eq!(&tape_of(&set).chunks[chunk].text, &new);
        let text = TapeText::new(&tape_of(&set));
        prop_assert_eq!(text.chunks(), tape_of(&before).chunks.len());
    }
}

/// A tape with an answer as received before the member at this position, and the same tape without it.
fn any_tape_with_received() -> impl Strategy<Value = [String; 2]> {
    let gap = prop::sample::select(vec!["", " ", "\n  ", "\r\n\t"]);
    (any_stream(), 0usize..4, gap).prop_map(|(stream, position, gap)| {
        let members = [
            r#""meta": { "model": "m", "recordedAt": "2026-01-01T00:00:00Z" }"#.to_owned(),
            r#""request": {"model": "m", "contents": "received"}"#.to_owned(),
            format!("\"stream\": {stream}"),
        ];
        let tape =
            |members: &[String]| format!("{{{gap}{}{gap}}}\n", members.join(&format!(",{gap}")));
        let mut all_members = members.to_vec();
        all_members.insert(position, r#""received": "data: {\"a\": [1]}""#.to_owned());
        [tape(&all_members), tape(&members)]
    })
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn the_answer_as_received_is_deleted_wherever_it_is([with, without] in any_tape_with_received(), chunk in 0usize..8) {
        let chunks = tape_of(&document(&with)).chunks.len();
        let edits = [
            TapeEdit::SetText { chunk: chunk % chunks, text: "received".to_owned() },
            TapeEdit::Delete { chunks: 0..chunk % chunks + 1 },
            TapeEdit::Insert { before: chunk % (chunks + 1), delay_nanos: 5.0, text: "{".to_owned() },
        ];
        for edit in edits {
            let [with, without] = [&with, &without].map(|tape| after(&document(tape), &edit));
            prop_assert_eq!(with.source().text(), without.source().text());
        }
    }
}

#[test]
fn a_tape_with_two_answers_as_received_is_refused() {
    let tape = text("[{\"text\": \"a\"}]");
    let tape = tape.replacen('{', "{\"received\": \"a\", \"received\": \"b\",", 1);
    let plan_result =
        |edit| plan(&document(&tape), &edit).map(|_| ()).map_err(|refusal| refusal.to_string());
    let delay = TapeEdit::SetDelay { chunk: 0, delay_nanos: 1.0 };
    assert_eq!(plan_result(delay), Ok(()));
    insta::assert_snapshot!(plan_result(TapeEdit::Delete { chunks: 0..1 }).unwrap_err(), @"The key `received` also occurs at line 1 and would become effective; edit the text itself (line 1, column 31)");
}

#[test]
fn an_edit_of_texts_deletes_the_answer_as_received_and_one_of_delays_keeps_it() {
    let tape = text(STREAM);
    let end = tape.rfind('}').unwrap();
    let tape =
        format!("{},\n  \"received\": \"data: It\"\n{}", tape[..end].trim_end(), &tape[end..]);
    let before = document(&tape);
    let set_text = |text: &str| TapeEdit::SetText { chunk: 0, text: text.to_owned() };
    let parts = vec![(0..2, "x".to_owned()), (3..5, "y".to_owned())];
    for (edit, is_kept) in [
        (set_text("It went"), false),
        (set_text("It goes"), true),
        (TapeEdit::Merge { chunks: 0..2 }, false),
        (TapeEdit::Delete { chunks: 0..1 }, false),
        (TapeEdit::Redact { parts }, true),
        (TapeEdit::SetDelay { chunk: 0, delay_nanos: 1.0 }, true),
    ] {
        let mut new_tape = tape.clone();
        if let Some(text_plan) = plan(&before, &edit).unwrap() {
            text_plan.edit.apply(&mut new_tape).unwrap();
        }
        assert!(document(&new_tape).tree.is_well_formed(), "{new_tape}");
        assert_eq!(new_tape.contains("\"received\""), is_kept, "{edit:?}\n{new_tape}");
    }
}
