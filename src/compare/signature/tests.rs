use std::sync::Arc;

use super::*;
use document::signature::Signature;

fn signature(tools: &[&str], messages: u64, keys: &[&str]) -> Signature {
    let all = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
    Signature { tool_names: all(tools), message_count: messages, context_keys: all(keys) }
}

fn party(kind: MatchingSideKind, stored: Option<Signature>, computed: Signature) -> MatchingSide {
    MatchingSide { kind, stored, computed }
}

fn recorded(signature: Signature) -> MatchingSide {
    party(MatchingSideKind::Recording, Some(signature.clone()), signature)
}

fn describe(left: MatchingSide, right: MatchingSide) -> String {
    let diff = SignatureDiff::new(left, right);
    let mut text = String::new();
    for row in &diff.tools {
        let [l, r] = Side::BOTH.map(|side| row.name(side).unwrap_or("none"));
        let sign = match row {
            NameRow::Both(_) => "=",
            NameRow::Only(Side::Left, _) => "-",
            NameRow::Only(Side::Right, _) => "+",
            NameRow::Instead(..) => "≠",
        };
        text.push_str(&format!("{l:<24}{sign} {r}\n"));
    }
    text.push_str(&format!("{}\n{}\n{}\n", diff.counts(), diff.shipped.title, diff.shipped.detail));
    text.extend(diff.clients_differ());
    text
}

#[test]
fn other_tools_are_named() {
    let left = signature(
        &["read_Ticket", "transition_to_escalate", "transition_to_respond", "write_Ticket"],
        1,
        &[],
    );
    let right = signature(
        &[
            "read_Ticket",
            "transition_to_escalate",
            "transition_to_refund",
            "transition_to_reply",
            "write_Ticket",
        ],
        1,
        &[],
    );
    insta::assert_snapshot!(describe(recorded(left), recorded(right)), @r"
    read_Ticket             = read_Ticket
    transition_to_escalate  = transition_to_escalate
    none                    + transition_to_refund
    none                    + transition_to_reply
    transition_to_respond   - none
    write_Ticket            = write_Ticket
    3 names in both, 1 only left, 2 only right
    Neither can answer the other's request: the offered tools differ.
    The left side lacks refund and reply, the right side lacks respond. Messages and context keys are equal.
    ");
}

#[test]
fn stored_context_keys_match_only_as_documented() {
    let same = signature(&["transition_to_a"], 1, &["currentNode"]);
    insta::assert_snapshot!(describe(recorded(same.clone()), party(MatchingSideKind::Request, None, same)), @r"
    transition_to_a         = transition_to_a
    1 name in both
    The recording cannot answer this request: the stored context keys are compared with none.
    Tools and messages are equal.
    The documented client would match: unlike the shipped client, it computes context keys for a live request.
    ");
}

#[test]
fn a_recording_may_answer_for_one_that_does_not_answer_for_it() {
    let plain = signature(&["a"], 1, &[]);
    let outdated =
        party(MatchingSideKind::Recording, Some(signature(&["b"], 2, &[])), plain.clone());
    insta::assert_snapshot!(describe(recorded(plain), outdated), @r"
    a                       ≠ b
    1 only left, 1 only right
    Only the left side can answer the right side's request: the offered tools differ and the message counts differ.
    The left side lacks b, the right side lacks a. The left side has 1 message, the right side 2. Context keys are equal.
    ");
}

#[test]
fn a_client_that_computes_no_context_keys_compares_only_stored_ones() {
    let with = |keys: &[&str]| signature(&["a"], 1, keys);
    let request = party(MatchingSideKind::Request, None, with(&["node", "time"]));
    let computed = party(MatchingSideKind::Recording, None, with(&["node"]));
    let stored = recorded(with(&["node", "title"]));
    let no_keys = party(MatchingSideKind::Recording, Some(with(&[])), with(&["node"]));
    let mut all = String::new();
    for (left, right) in [
        (&request, &computed),
        (&request, &stored),
        (&request, &no_keys),
        (&stored, &computed),
        (&computed, &computed),
    ] {
        let diff = SignatureDiff::new(left.clone(), right.clone());
        for client in [MatchingClient::Shipped, MatchingClient::Documented] {
            let rows = diff.context_keys.iter().map(|row| {
                let names = Side::BOTH.map(|side| row.name(side).unwrap_or("none"));
                format!("{} {}{}", names[0], names[1], diff.key_comparison(row, client).remark())
            });
            let rows: Vec<String> = rows.collect();
            all.push_str(&format!("{client:?}: {}\n", rows.join("; ")));
        }
        all.push_str(&format!("{}\n", diff.shipped.detail));
    }
    insta::assert_snapshot!(all, @"
    Shipped: node node, not compared; time none, not compared
    Documented: node node; time none
    Tools and messages are equal. Context keys differ, but the shipped client ignores them.
    Shipped: node node, compared with none; time title, compared with none
    Documented: node node; time title
    Tools and messages are equal. Context keys differ.
    Shipped: node none, not compared; time none, not compared
    Documented: node none; time none
    Tools and messages are equal. Context keys differ, but the shipped client ignores them.
    Shipped: node node, compared with none; title none, compared with none
    Documented: node node; title none
    Tools and messages are equal. Context keys differ.
    Shipped: node node, not compared
    Documented: node node
    Tools and messages are equal. Context keys are not compared: the shipped client computes none.
    ");
}

#[test]
fn equal_signatures_match() {
    let same = signature(&["a"], 1, &[]);
    insta::assert_snapshot!(describe(recorded(same.clone()), recorded(same)), @r"
    a                       = a
    1 name in both
    The signatures match: each recording can answer the other's request.
    Tools, messages and context keys are equal.
    ");
}
