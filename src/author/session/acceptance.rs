//! Judges which tool responses Flakestorm accepts, and fixes others.

use document::edit::{self, Edit, EditRefusal, JsonValue};
use document::text::TextEdit;
use document::{NodeKind, Tree};

/// Whether the owner accepts a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// A text, an object or null.
    Accepted,
    /// Anything else, named with its article: "a list".
    Refused(&'static str),
}

/// Fix of a response that is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResponseFix {
    /// Its JSON, or in YAML its very letters, become a text.
    AsText,
    /// It is put into an object, under `result`.
    Wrapped,
}

/// The key of a wrapped response.
const WRAP_KEY: &str = "result";

/// Judges the response of a tool.
pub fn acceptance(kind: NodeKind) -> Acceptance {
    match kind {
        NodeKind::String | NodeKind::Object | NodeKind::Null => Acceptance::Accepted,
        other => Acceptance::Refused(other.name()),
    }
}

impl ResponseFix {
    /// Makes a value acceptable; one that is accepted stays.
    pub fn apply(self, value: &JsonValue) -> JsonValue {
        match (acceptance(value.root().kind()), self) {
            (Acceptance::Accepted, _) => value.clone(),
            (_, Self::AsText) => JsonValue::text(value.json()),
            (_, Self::Wrapped) => value.in_object(WRAP_KEY),
        }
    }

    /// Returns the edit that fixes the tool response at `pointer`; `None` if nothing needs to be fixed.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such response, or the edit is refused.
    pub fn plan(self, tree: &Tree, pointer: &str) -> Result<Option<TextEdit>, EditRefusal> {
        let pointer = format!("{pointer}/response");
        let node = edit::at(tree, &pointer)?;
        if acceptance(node.kind()) == Acceptance::Accepted {
            return Ok(None);
        }
        let value = match self {
            // `no` was meant as the word, `12:30` as the time.
            Self::AsText => match node.scalar_text() {
                Some(word) => JsonValue::text(word),
                None => self.apply(&JsonValue::from_node(node)),
            },
            Self::Wrapped => self.apply(&JsonValue::from_node(node)),
        };
        edit::plan_all(tree, &[Edit::Set { pointer, value }])
    }
}

/// Returns the beginning of a text, up to this many characters.
pub(super) fn shortened(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    #[test]
    fn what_is_refused_becomes_a_text_or_is_wrapped() {
        let text = "id: a\ninput: b\ntool_responses:\n  - {tool: t, response: [berlin, {n: 1}]}  # two\n  - tool: t\n    response: no\n  - {tool: t, response: fine}\n";
        let document = read(Source::new(text), "a.yaml");
        let fixed_response = |index, fix: ResponseFix| {
            let mut text = text.to_owned();
            let edit = fix.plan(&document.tree, &format!("/tool_responses/{index}")).unwrap()?;
            edit.apply(&mut text);
            let line = text.lines().filter(|line| line.contains("response:")).nth(index)?;
            Some(line.trim().to_owned())
        };
        let texts = [0, 1].map(|index| {
            [ResponseFix::AsText, ResponseFix::Wrapped]
                .map(|fix| fixed_response(index, fix).unwrap())
        });
        insta::assert_snapshot!(texts.concat().join("\n"), @r#"
        - {tool: t, response: "[\"berlin\", {\"n\": 1}]"}  # two
        - {tool: t, response: {result: [berlin, {"n": 1}]}}  # two
        response: "no"
        response:
        "#);
        assert_eq!(fixed_response(2, ResponseFix::AsText), None);
    }
}
