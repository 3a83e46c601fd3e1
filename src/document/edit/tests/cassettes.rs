//! Edits of cassettes, in the styles of the programs that write them.

use proptest::prelude::*;

use super::yaml::TRICKY_TEXTS;
use super::{edited, set};
use crate::json::quote;
use crate::{NodeKind, Syntax};

macro_rules! samples {
    ($($syntax:ident $path:literal)*) => {
        [$((Syntax::$syntax, include_str!(concat!("../../../../sample-recordings/cassettes/", $path)))),*]
    };
}

const SAMPLES: [(Syntax, &str); 8] = samples![
    Yaml "test_refund/test_refund_needs_approval.yaml"
    Yaml "test_refund/test_refund_rate_limit.yaml"
    Yaml "test_summary/test_summary_stream.yaml"
    Yaml "test_summary/test_summary_cut_off.yaml"
    Yaml "test_summary/test_summary_vertex.yaml"
    Json "test_summary/test_summary_plain.json"
    Yaml "mailer/TestDraftReply.yaml"
    Yaml "spec/draft_reply.yml"
];

#[test]
fn bytes_are_written_in_lines_as_long_as_before() {
    let old_text = "a:\n  string: !!binary |\n    QUJDREVG\n    R0g=\n  b: 1\n";
    let edit = set("/a/string", r#""QUJDREVGR0hJSktM""#);
    let new_text = edited(Syntax::Yaml, old_text, &edit).unwrap().1;
    assert_eq!(new_text, "a:\n  string: !!binary |\n    QUJDREVG\n    R0hJSktM\n  b: 1\n");
    let short_text = "string: !binary |-\n  QUI=\n";
    let base64 = "QUJD".repeat(20);
    let edit = set("/string", &quote(&base64));
    let new_text = edited(Syntax::Yaml, short_text, &edit).unwrap().1;
    assert_eq!(new_text, format!("string: !binary |-\n  {}\n  {}\n", &base64[..76], &base64[76..]));
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn only_the_text_of_the_edited_value_changes(
        sample in 0..SAMPLES.len(),
        position in any::<prop::sample::Index>(),
        text in prop_oneof![
            prop::sample::select(TRICKY_TEXTS).prop_map(str::to_owned),
            "[a-z {}\":,#&*!|>\\\\é😀\n-]{0,200}",
        ],
    ) {
        let (syntax, sample_text) = SAMPLES[sample];
        let tree = super::tree(syntax, sample_text);
        let is_text = |node: &crate::Node<'_>| {
            node.kind() == NodeKind::String && !crate::cassette::is_binary(*node)
        };
        let texts: Vec<_> = tree.nodes().filter(is_text).collect();
        let node = texts[position.index(texts.len())];
        let pointer = node.pointer();
        let edit = set(&pointer, &quote(&text));
        let (_, new_text) = edited(syntax, sample_text, &edit).unwrap();
        let new = super::tree(syntax, &new_text);
        prop_assert_eq!(new.at_pointer(&pointer).unwrap().as_str(), Some(text.as_str()));
        let range = node.span().range();
        // A text of several lines may begin on the line of its key, and takes the end of its line.
        let head = sample_text[..range.start].trim_end();
        let tail = sample_text[range.end..].trim_start();
        prop_assert!(new_text.starts_with(head), "{new_text}");
        prop_assert!(new_text.trim_start().ends_with(tail), "{new_text}");
        prop_assert_eq!(new.len(), tree.len());
        for (old, new_node) in tree.nodes().zip(new.nodes()) {
            if old.id() != node.id() {
                prop_assert_eq!(old.key(), new_node.key());
                prop_assert_eq!(old.scalar_text(), new_node.scalar_text());
            }
        }
    }
}
