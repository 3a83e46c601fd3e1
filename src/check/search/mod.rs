#![doc = include_str!("help.md")]

mod body;
mod complete;
mod filter_key;
mod pattern;
mod query;
mod token;

pub use complete::{Completion, complete};
pub use filter_key::FilterKey;
pub use query::{BodyQuery, FilterError, FilterQuery, Term};

#[cfg(test)]
mod testing {
    //! Rows to filter.

    use std::sync::Arc;

    use calls::source::SourceFinding;
    use calls::{Item, ItemFacts, RareFacts};
    use document::recording::RecordingVersion;
    use document::signature::Signature;
    use document::{FileKind, Problem, RuleId};

    /// A small project: two triage recordings (one with its source gone), an old one in an archive, a tape, a request.
    pub(super) fn items() -> Vec<Item> {
        let recording = |path: &str, tools: &[&str], found| {
            Item::from(ItemFacts {
                id: Some(path.trim_end_matches(".json").replace('/', "-").into()),
                version: Some(RecordingVersion::V3),
                signature: Some(Arc::new(Signature {
                    tool_names: tools.iter().map(|tool| Arc::from(*tool)).collect(),
                    message_count: 1,
                    context_keys: Box::default(),
                })),
                ..ItemFacts::clone(&crate::testing::at_source(path, found))
            })
        };
        let mut missing_item = recording(
            "triage/turn-2.json",
            &["read_Ticket", "transition_to_reply"],
            SourceFinding::Missing(None),
        );
        missing_item.problems = vec![
            Problem::whole_file(RuleId::SourceMissing, ""),
            Problem::whole_file(RuleId::SourceMissing, ""),
            Problem::whole_file(RuleId::SignatureShared, ""),
        ]
        .into();
        let fresh_source = SourceFinding::Fresh(crate::testing::present("machines/a.dygram", true));
        let tape = Item::from(ItemFacts {
            kind: FileKind::Tape,
            version: None,
            rare: RareFacts { model: Some("gemini-2.5-flash".into()), ..RareFacts::default() }
                .into(),
            source: None,
            signature: None,
            ..ItemFacts::clone(&recording(
                "tapes/Ärger am Morgen.json",
                &[],
                SourceFinding::Unstamped,
            ))
        });
        let request = Item::from(ItemFacts {
            kind: FileKind::Request,
            version: None,
            source: None,
            ..ItemFacts::clone(&recording(
                "queue/req-1.json",
                &["transition_to_refund"],
                SourceFinding::Unstamped,
            ))
        });
        vec![
            recording(
                "triage/turn-1.json",
                &["transition_to_refund", "transition_to_reply"],
                fresh_source,
            ),
            missing_item,
            recording(
                "archive/2025/turn-1.json",
                &["transition_to_done"],
                SourceFinding::Unstamped,
            ),
            tape,
            request,
        ]
    }
}
