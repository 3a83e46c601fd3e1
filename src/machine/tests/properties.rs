//! Properties that hold for any text.

use proptest::prelude::*;

use super::super::testing::machine;
use super::super::{Affected, Graph, Machine, MachineDiff, RecordingFacts, affected};
use super::{ALL, NOW, THEN};
use document::text::{Source, Span};

/// Every span of a machine.
fn spans(machine: &Machine) -> Vec<Span> {
    let text = format!("{machine:?}");
    let mut spans = Vec::new();
    for part in text.split("Span { start: ").skip(1) {
        let numbers: Vec<usize> = part
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .take(2)
            .map(|digits| digits.parse().unwrap())
            .collect();
        spans.push(Span::new(numbers[0], numbers[1]));
    }
    spans
}

fn check_whole(text: &str) {
    let source = Source::new(text);
    let machine = Machine::read(&source);
    for span in spans(&machine) {
        assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
    }
    let graph = Graph::new(&machine);
    for id in graph.ids() {
        let _ = graph.offer(id);
    }
    let diff = MachineDiff::new(&machine, &machine);
    assert_eq!(diff.describe(), "only the layout changed", "{text:?}");
}

/// Pieces that sources are made of.
fn soup() -> impl Strategy<Value = String> {
    let pieces: Vec<&str> = "task ~state ~a~b~c.d~context ~{~}~{{~}}~[~]~(~)~;~,~:~->~-->~=>~<-->~<|--~*-->~o-->~<--x-->~-~--~=~\"t\"~\"~'~@~@auto~@meta~<~>~?~#x~12~1.5e-3~\n~ ~// c\n~/*~*/~machine ~import ~from ~note for ~when: ~é~😀~\\~\r\n~.~as ~prompt: ".split('~').collect();
    prop::collection::vec(prop::sample::select(pieces), 0..60).prop_map(|pieces| pieces.concat())
}

/// One of our sources with a few stretches taken out, put twice, or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, soup()), 1..4);
    (prop::sample::select(vec![ALL, THEN, NOW]), edits).prop_map(|(text, edits)| {
        let mut text = text.to_owned();
        for (at, length, new) in edits {
            let mut chars = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
            chars.push(text.len());
            let at = at.index(chars.len());
            let end = (at + length).min(chars.len() - 1);
            text.replace_range(chars[at]..chars[end], &new);
        }
        text
    })
}

/// White space and comments between all pieces of a text.
fn spread(text: &str, fill: &[&str]) -> String {
    let (tokens, comments) = super::super::token::tokens(text, 0);
    assert!(comments.is_empty());
    let mut spread = String::new();
    for (index, token) in tokens.iter().enumerate() {
        spread.push_str(&text[token.span.range()]);
        spread.push_str(fill[index % fill.len()]);
    }
    spread
}

fn without_comments(text: &str) -> String {
    let mut new_text = text.to_owned();
    for comment in super::super::token::tokens(text, 0).1.iter().rev() {
        new_text.replace_range(comment.span.range(), " ");
    }
    new_text
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn any_text_is_read_and_every_place_is_inside_it(text in any::<String>()) {
        check_whole(&text);
    }

    #[test]
    fn any_soup_of_pieces_is_read(text in soup()) {
        check_whole(&text);
    }

    #[test]
    fn sources_with_faults_are_read(text in mutated()) {
        check_whole(&text);
    }

    #[test]
    fn white_space_and_comments_change_nothing(
        text in prop::sample::select(vec![ALL, THEN, NOW]),
        fill in prop::collection::vec(prop::sample::select(vec![" ", "\n", "\t", "\r\n", " /* c */ ", "// c\n", "\n\n  "]), 1..20),
    ) {
        let text = without_comments(text);
        let diff = MachineDiff::new(&machine(&text), &machine(&spread(&text, &fill)));
        let changes: Vec<String> = diff.changes.iter().map(ToString::to_string).collect();
        prop_assert!(changes.is_empty(), "{changes:?}");
    }

    #[test]
    fn a_node_that_offers_something_else_is_named_by_a_change(then in mutated(), now in mutated()) {
        let (then, now) = (machine(&then), machine(&now));
        let diff = MachineDiff::new(&then, &now);
        // Where parts could not be read, the result says that there may be more changes.
        if diff.remark.is_some() {
            return Ok(());
        }
        let names: std::collections::HashSet<&str> =
            diff.changes.iter().flat_map(|change| &change.offers).map(|name| &**name).collect();
        let (old_graph, new_graph) = (Graph::new(&then), Graph::new(&now));
        let pairs = super::super::rename::NodePairs::new(&old_graph, &new_graph);
        for id in new_graph.ids() {
            if let Some(old_id) = pairs.then[id] {
                let differs = old_graph.offer(old_id).tools != new_graph.offer(id).tools;
                prop_assert!(!differs || names.contains(new_graph.qualified(id)), "{} of {names:?}", new_graph.qualified(id));
            }
        }
    }

    #[test]
    fn an_unchanged_source_affects_no_recording(text in mutated()) {
        let machine = machine(&text);
        let graph = Graph::new(&machine);
        for id in graph.ids() {
            let offer = graph.offer(id);
            let tools = offer.tools.iter().map(|tool| &**tool).collect();
            let facts = RecordingFacts { tools, current_node: Some(graph.qualified(id)), texts: Vec::new() };
            let verdict = affected(&facts, Some(&machine), &machine);
            prop_assert!(matches!(verdict, Affected::No { .. }), "{verdict}");
        }
    }
}
