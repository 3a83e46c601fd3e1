//! Properties of structural differences.

use proptest::prelude::*;

use super::structure::{ValueDifference, differences};
use super::{ChangeKind, TakeChange};
use document::Document;
use document::diff::Side;
use document::text::Source;

fn read(text: &str) -> Document {
    document::read(Source::new(text), "a.json")
}

/// Each change on a line.
fn describe_changes(old: &str, new: &str) -> String {
    let (old, new) = (read(old), read(new));
    let line = |difference: &ValueDifference<'_>| {
        let change = TakeChange::new(difference);
        let json = |at: &Option<super::TakeValue>| match at {
            Some(at) => format!("{} {}", at.pointer, at.json),
            None => "-".to_owned(),
        };
        let kind = change.kind.as_str();
        format!("{kind} {} -> {}\n", json(&change.old), json(&change.new))
    };
    differences(&old.tree, &new.tree).iter().map(line).collect()
}

#[test]
fn the_order_of_keys_white_space_and_spelling_are_no_differences() {
    assert_eq!(describe_changes(r#"{"a": 1, "b": "\u00e9"}"#, r#"{ "b":"é","a":1.0 }"#), "");
    insta::assert_snapshot!(describe_changes(r#"{"n": 9007199254740993, "s": "\ud83d"}"#, r#"{"n": 9007199254740992, "s": "\\ud83d"}"#), @r#"
    changed /n 9007199254740993 -> /n 9007199254740992
    changed /s "\ud83d" -> /s "\\ud83d"
    "#);
}

#[test]
fn elements_are_known_by_their_name_or_id_and_a_move_is_one_change() {
    let old = r#"{"tools": [{"name": "a", "d": 1}, {"name": "b", "d": 2}, {"name": "c", "d": 3}]}"#;
    let new = r#"{"tools": [{"name": "c", "d": 3}, {"name": "a", "d": 9}, {"name": "b", "d": 2}]}"#;
    insta::assert_snapshot!(describe_changes(old, new), @r#"
    moved /tools/2 {"name": "c", "d": 3} -> /tools/0 {"name": "c", "d": 3}
    changed /tools/0/d 1 -> /tools/1/d 9
    "#);
    let blocks = |id: &str, text: &str, last: &str| {
        format!(
            r#"[{{"type": "text", "text": "{text}"}}, {{"type": "tool_use", "id": "{id}", "name": "go", "input": {{}}}}{last}]"#
        )
    };
    let (old, new) =
        (blocks("t-1", "one", ""), blocks("t-2", "quite another", r#", {"type": "image"}"#));
    insta::assert_snapshot!(describe_changes(&old, &new), @r#"
    changed /0/text "one" -> /0/text "quite another"
    changed /1/id "t-1" -> /1/id "t-2"
    added - -> /2 {"type": "image"}
    "#);
}

#[test]
fn a_thing_with_another_name_became_another_only_where_it_is_alike() {
    let tool = |name: &str, text: &str| format!(r#"{{"name": "{name}", "description": "{text}"}}"#);
    let old = format!(
        "[{}, {}]",
        tool("stay", "x"),
        tool("transition_to_respond", "Goes on to the answer")
    );
    let renamed = format!(
        "[{}, {}]",
        tool("stay", "x"),
        tool("transition_to_reply", "Goes on to the answer")
    );
    let other = format!("[{}, {}]", tool("stay", "x"), tool("escalate", "Calls somebody"));
    insta::assert_snapshot!(describe_changes(&old, &renamed), @r#"changed /1/name "transition_to_respond" -> /1/name "transition_to_reply""#);
    insta::assert_snapshot!(describe_changes(&old, &other), @r#"
    added - -> /1 {"name": "escalate", "description": "Calls somebody"}
    removed /1 {"name": "transition_to_respond", "description": "Goes on to the answer"} -> -
    "#);
}

/// Makes `base` like the other at all places, by edits alone.
fn patched(old: &Document, new: &Document, base: Side) -> Document {
    let all = differences(&old.tree, &new.tree);
    let all: Vec<&ValueDifference<'_>> = all.iter().collect();
    let tree = match base {
        Side::Left => &old.tree,
        Side::Right => &new.tree,
    };
    read(&super::patch::patch(tree, &all, base, &super::old_ids::OldIds::default()).unwrap())
}

/// Returns the value of a JSON text with keys in order.
fn value(document: &Document) -> serde_json::Value {
    serde_json::from_str(document.source().text()).unwrap()
}

/// Any JSON, with lists of named things and of plain ones, in which much is alike.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[0-3]".prop_map(|number| number),
        "[ab ]{0,6}".prop_map(|text| format!("\"{text}\"")),
        Just("null".to_owned()),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..5);
        let members = prop::collection::btree_map("[abc]|name|id|type", inner, 0..5);
        prop_oneof![
            list.prop_map(|list| format!("[{}]", list.join(", "))),
            members.prop_map(|members| {
                let member = |(key, value): (String, String)| format!("\"{key}\": {value}");
                let members: Vec<_> = members.into_iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn applying_the_changes_to_the_old_gives_the_new(old in json(), new in json()) {
        let (old, new) = (read(&old), read(&new));
        prop_assert_eq!(value(&patched(&old, &new, Side::Left)), value(&new));
        prop_assert_eq!(value(&patched(&old, &new, Side::Right)), value(&old));
    }

    #[test]
    fn nothing_differs_from_itself(text in json()) {
        let (old, new) = (read(&text), read(&format!(" {text} ")));
        prop_assert!(differences(&old.tree, &new.tree).is_empty());
    }

    #[test]
    fn the_way_back_is_the_mirror_of_the_way_there(old in json(), new in json()) {
        let (old, new) = (read(&old), read(&new));
        let key = |change: TakeChange| (change.old.map(|at| at.pointer), change.new.map(|at| at.pointer));
        let kinds_there = differences(&old.tree, &new.tree).iter().map(TakeChange::new).map(key).collect::<Vec<_>>();
        let back = differences(&new.tree, &old.tree).iter().map(TakeChange::new).map(key).collect::<Vec<_>>();
        let mut back: Vec<_> = back.into_iter().map(|(old, new)| (new, old)).collect();
        let mut kinds_there = kinds_there;
        kinds_there.sort();
        back.sort();
        prop_assert_eq!(kinds_there, back);
    }

    #[test]
    fn a_moved_element_is_one_move(len in 2usize..8, from in 0usize..8, to in 0usize..8) {
        let (from, to) = (from % len, to % len);
        let mut names: Vec<String> = (0..len).map(|at| format!(r#"{{"name": "n{at}", "value": [{at}]}}"#)).collect();
        let old = format!("[{}]", names.join(","));
        let moved = names.remove(from);
        names.insert(to, moved);
        let new = format!("[{}]", names.join(","));
        let (old, new) = (read(&old), read(&new));
        let kinds: Vec<_> = differences(&old.tree, &new.tree).iter().map(|difference| difference.kind).collect();
        let expected = if from == to { vec![] } else { vec![ChangeKind::Moved] };
        prop_assert_eq!(kinds, expected);
    }
}

const OLD: &str = r#"{
  "request": {"requestId": "req-1773324123377-2", "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"name": "read_Ticket", "description": "Reads it"}, {"name": "transition_to_respond", "description": "Goes to respond"}]},
  "response": {"requestId": "req-1773324123377-2", "response": {"content": [
      {"type": "text", "text": "A known issue, so a short answer is enough.\n\nBest regards"},
      {"type": "tool_use", "id": "tool-1", "name": "transition_to_respond", "input": {"reason": "known", "amount": 1.50}}],
    "stop_reason": "tool_use"}},
  "signature": {"toolNames": ["read_Ticket", "transition_to_respond"], "messageCount": 1, "contextKeys": []},
  "sourceMetadata": {"sourceFile": "a.dygram", "contentHash": "1111111111111111111111111111111111111111111111111111111111111111"}
}"#;

fn renewed() -> String {
    OLD.replace("respond\"", "reply\"")
        .replace("req-1773324123377-2", "req-1780410308114-2")
        .replace("tool-1", "tool-9")
        .replace("1111111111", "2222222222")
        .replace("\\n\\nBest regards", "")
        .replace("1.50", "2.5, \"currency\": \"EUR\"")
}

fn pair(old: &str, new: &str) -> super::TakePair {
    let take = |text: &str| {
        Some(std::sync::Arc::new(super::Take::new("a.json", text.as_bytes().to_vec())))
    };
    super::TakePair { old: take(old), new: take(new), by: super::PairedBy::Path }
}

fn sentences(old: &str, new: &str, rules: &[super::IgnoreRule]) -> String {
    let compared = super::compare(&pair(old, new), rules);
    let line = |change: &TakeChange| {
        let ignored =
            change.ignored.map_or_else(String::new, |reason| format!(" (ignored: {reason})"));
        let follows = change
            .follows
            .as_ref()
            .map_or_else(String::new, |cause| format!(" (follows: {cause:?})"));
        format!("{}{ignored}{follows}\n", change.sentence)
    };
    let lines: String = compared.changes.iter().map(line).collect();
    format!("{}\n{lines}", compared.status.as_str())
}

#[test]
fn changes_read_as_a_conversation_and_noise_is_ignored() {
    insta::assert_snapshot!(sentences(OLD, &renewed(), &[]), @"
    changed
    Field `requestId` is `req-1780410308114-2`, was `req-1773324123377-2` (ignored: id)
    Tool `transition_to_respond` is now `transition_to_reply`
    Field `description` of tool `transition_to_reply`, 1 word replaced
    Field `requestId` is `req-1780410308114-2`, was `req-1773324123377-2` (ignored: id)
    Answer text, 2 words dropped
    Field `id` in the call of `transition_to_reply` is `tool-9`, was `tool-1` (ignored: id)
    Calls `transition_to_reply` in place of `transition_to_respond`
    Field `amount` in the call of `transition_to_reply` is `2.5`, was `1.50`
    Field `currency` in the call of `transition_to_reply` added
    Signature: element 2 of `toolNames` is `transition_to_reply`, was `transition_to_respond` (follows: OfferedTools)
    Made from another version of the source (ignored: hash)
    ");
    let rule = |at: &str| super::IgnoreRule::at(at).unwrap();
    let only =
        OLD.replace("known\"", "other\"").replace("requestId\": \"req-1", "requestId\": \"req-2");
    insta::assert_snapshot!(sentences(OLD, &only, &[rule("/response/**/reason")]), @"
    ignored-only
    Field `requestId` is `req-2773324123377-2`, was `req-1773324123377-2` (ignored: id)
    Field `requestId` is `req-2773324123377-2`, was `req-1773324123377-2` (ignored: id)
    Field `reason` in the call of `transition_to_respond` is `other`, was `known` (ignored: rule)
    ");
}

#[test]
fn an_id_that_points_elsewhere_is_no_noise() {
    let results = |a: &str, b: &str| {
        format!(
            r#"[{{"tool_use_id": "{a}", "content": 1}}, {{"tool_use_id": "{b}", "content": 2}}]"#
        )
    };
    let ignored_count =
        |old: &str, new: &str| super::compare(&pair(old, new), &[]).ignored_changes().count();
    assert_eq!(ignored_count(&results("t-1", "t-2"), &results("u-1", "u-2")), 2);
    assert_eq!(ignored_count(&results("t-1", "t-2"), &results("u-1", "u-1")), 0);
    assert_eq!(ignored_count(r#"{"jobId": "refund-7"}"#, r#"{"jobId": "refund-8"}"#), 0);
}

#[test]
fn a_part_taken_from_the_old_touches_only_its_places() {
    let new = renewed();
    let pair = pair(OLD, &new);
    let compared = super::compare(&pair, &[]);
    let keys = |is: &dyn Fn(&TakeChange) -> bool| {
        compared.changes.iter().filter(|change| is(change)).map(TakeChange::key).collect()
    };
    let patched =
        |keys| String::from_utf8(super::partial_bytes(&pair, &keys).unwrap().to_vec()).unwrap();
    assert_eq!(patched(keys(&|_| true)), OLD);
    assert_eq!(patched(keys(&|_| false)), new);
    let amount = patched(keys(&|change| change.pointer().ends_with("/amount")));
    assert_eq!(amount, new.replace("2.5", "1.50"));
    let field = patched(keys(&|change| change.pointer().ends_with("/currency")));
    assert_eq!(field, new.replace(", \"currency\": \"EUR\"", ""));
    let text = patched(keys(&|change| change.subject == super::ChangeSubject::Answer));
    assert_eq!(text, new.replace("enough.", "enough.\\n\\nBest regards"));
}

#[test]
fn what_cannot_be_read_as_values_is_compared_and_taken_as_a_whole() {
    let broken = "<<<<<<< ours\n{}\n=======\n[]\n>>>>>>> theirs\n";
    let pair = pair(OLD, broken);
    let compared = super::compare(&pair, &[]);
    let keys = compared.changes.iter().map(TakeChange::key).collect();
    insta::assert_snapshot!(super::partial_bytes(&pair, &keys).unwrap_err(), @"The new version has conflict markers: line 1; the file can only be taken as a whole");
}

/// A path with the bytes of its old and its new version, which may be missing.
type VersionBytes<'a> = (&'a str, Option<&'a [u8]>, Option<&'a [u8]>);

/// Returns the lane, the group and the reason of each pair of two versions of a file.
fn describe_unreadable(cases: &[VersionBytes<'_>]) -> String {
    let line = |(path, old, new): &VersionBytes<'_>| {
        let take = |bytes: &Option<&[u8]>| {
            let bytes = bytes.as_ref()?.to_vec();
            Some(std::sync::Arc::new(super::Take::new(path, bytes)))
        };
        let pair = super::TakePair { old: take(old), new: take(new), by: super::PairedBy::Path };
        let compared = super::compare(&pair, &[]);
        let review = super::Review::new(vec![(pair, compared)]);
        let (group, compared) = (&review.groups[0], &review.pairs[0].compared);
        let fault = compared.fault.as_ref();
        let accepted = fault.and_then(|fault| fault.of_new());
        let accepted = accepted.map_or_else(|| "-".to_owned(), |verdict| verdict.describe(path));
        let fault = fault.map_or_else(|| "-".to_owned(), ToString::to_string);
        let lane = group.lane.as_str();
        format!("{lane} | {} | {fault} | {accepted}\n", group.name)
    };
    cases.iter().map(line).collect()
}

#[test]
fn a_version_that_cannot_be_read_comes_first_with_its_fault() {
    let (readable, other) = (b"{\"a\": 1}".as_slice(), b"{\"a\": 2}".as_slice());
    let cut_bytes = b"{\n\"a\": [1,}".as_slice();
    let cases: [VersionBytes<'_>; 14] = [
        ("a.json", Some(readable), Some(other)),
        ("a.json", Some(readable), Some(cut_bytes)),
        ("a.json", Some(cut_bytes), Some(readable)),
        ("a.json", Some(cut_bytes), Some(b"{")),
        ("a.json", None, Some(cut_bytes)),
        ("a.json", Some(cut_bytes), None),
        ("a.json", None, Some(readable)),
        ("a.json", Some(readable), Some(b"")),
        ("a.json", Some(readable), Some(b"{\"a\": \"\xff\"}")),
        ("a.json", Some(readable), Some(b"{\n<<<<<<< a\n=======\n>>>>>>> b\n}")),
        ("a.yaml", Some(b"a: b\n"), Some(b"a: b\n: : :\n  - x\n")),
        ("a.yaml", Some(b"a: 1\n"), Some(b"a: 'x\n")),
        ("a.ts", Some(b"f(1)\n"), Some(b"f(2)\n")),
        ("a.toml", Some(b"a = 1\n"), Some(b"a = 2\n")),
    ];
    insta::assert_snapshot!(describe_unreadable(&cases), @"
    same-words | Field `a` changed | - | -
    unreadable | The new version cannot be read | The new version cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed | a.json cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed
    unreadable | The old version cannot be read | The old version cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed | -
    unreadable | Neither version can be read | The old version cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed; the new version cannot be read: line 1: The file ends inside the object that starts at line 1; `}` is expected | a.json cannot be read: line 1: The file ends inside the object that starts at line 1; `}` is expected
    unreadable | Files added that cannot be read | The new version cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed | a.json cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed
    calls | Files removed | The old version cannot be read: line 2: `]` is expected before `}`: the list that starts at line 2 is not closed | -
    calls | Files added | - | -
    unreadable | The new version cannot be read | The new version is empty | a.json is empty
    unreadable | The new version cannot be read | The new version is not UTF-8 text | a.json is not UTF-8 text
    unreadable | The new version cannot be read | The new version has conflict markers: line 2 | a.json has conflict markers: line 2
    unreadable | The new version cannot be read | The new version cannot be read: line 2: A key is missing before this colon | a.yaml cannot be read: line 2: A key is missing before this colon
    unreadable | The new version cannot be read | The new version cannot be read: line 1: The file ends inside quoted text | a.yaml cannot be read: line 1: The file ends inside quoted text
    unreadable | Text changed | Code is compared as text | -
    unreadable | Text changed | This kind of file is compared as text | -
    ");
    assert_eq!(super::ReviewLane::ALL.iter().min(), super::ReviewLane::ALL.first());
}

#[test]
fn a_turn_does_not_follow_from_one_that_cannot_be_read() {
    let turn = |messages: &[&str]| {
        let messages = messages.iter();
        let messages = messages.map(|text| format!(r#"{{"role": "user", "content": "{text}"}}"#));
        let messages: Vec<String> = messages.collect();
        format!(r#"{{"request": {{"messages": [{}], "tools": []}}}}"#, messages.join(", "))
    };
    let take =
        |path: &str, text: &str| Some(std::sync::Arc::new(super::Take::new(path, text.into())));
    let [first, broken] = [turn(&["one"]), turn(&["one"]) + "}"];
    let [second, reworded] =
        [turn(&["one", "what was said"]), turn(&["one", "what was then said"])];
    let pairs = [("s/1.json", &first, &broken), ("s/2.json", &second, &reworded)];
    let pairs = pairs.map(|(path, old, new)| {
        let pair = super::TakePair {
            old: take(path, old),
            new: take(path, new),
            by: super::PairedBy::Path,
        };
        let compared = super::compare(&pair, &[]);
        (pair, compared)
    });
    let review = super::Review::new(pairs.to_vec());
    assert_eq!(review.pairs[1].first_cause, None);
    let lanes: Vec<&str> = review.groups.iter().map(|group| group.lane.as_str()).collect();
    assert_eq!(lanes, ["unreadable", "sent"]);
}
