//! Similarity of two tapes, to find other takes of the same call.

use crate::format::{Document, DocumentBody};
use crate::ops::javascript::stringify;

/// Similarity to another tape, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TapeSimilarity {
    /// It answers the same request.
    SameRequest,
    /// It has the same label.
    SameLabel,
    /// The same model answered.
    SameModel,
    /// Nothing known in common.
    Other,
}

impl TapeSimilarity {
    /// Describes the similarity; empty if there is none.
    pub fn describe(self) -> &'static str {
        match self {
            Self::SameRequest => "same request",
            Self::SameLabel => "same label",
            Self::SameModel => "same model",
            Self::Other => "",
        }
    }
}

/// The compared properties of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeSimilarityKey {
    request: Option<String>,
    label: Option<String>,
    model: Option<String>,
}

impl TapeSimilarityKey {
    /// Reads the compared properties; `None` if the document is not a tape.
    pub fn from_document(document: &Document) -> Option<Self> {
        let DocumentBody::Tape(tape) = &document.body else {
            return None;
        };
        let request = tape.request.map(|id| stringify(document.node(id)));
        let model = tape.model.as_ref().or(tape.request_model.as_ref());
        Some(Self {
            request,
            label: tape.label.as_ref().map(|label| label.value.clone()),
            model: model.map(|model| model.value.clone()),
        })
    }

    /// Compares with another tape.
    pub fn compare(&self, other: &Self) -> TapeSimilarity {
        let is_same = |ours: &Option<String>, theirs| ours.is_some() && ours == theirs;
        if is_same(&self.request, &other.request) {
            TapeSimilarity::SameRequest
        } else if is_same(&self.label, &other.label) {
            TapeSimilarity::SameLabel
        } else if is_same(&self.model, &other.model) {
            TapeSimilarity::SameModel
        } else {
            TapeSimilarity::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::document;
    use super::*;

    #[test]
    fn the_same_request_is_nearer_than_the_same_label_and_that_than_the_same_model() {
        let similarity_key = |label: &str, model: &str, request: &str| {
            let text = format!(
                r#"{{"meta": {{"label": "{label}", "model": "{model}", "recordedAt": "t"}}, "request": {request}, "stream": []}}"#
            );
            TapeSimilarityKey::from_document(&document(&text)).unwrap()
        };
        let ours = similarity_key("a", "m", r#"{"model": "m", "contents": "c"}"#);
        let others = [
            similarity_key("b", "n", r#"{ "model":"m", "contents":"\u0063" }"#),
            similarity_key("a", "n", "{}"),
            similarity_key("b", "m", "{}"),
            similarity_key("b", "n", "{}"),
        ];
        let found = others.map(|other| ours.compare(&other).describe());
        assert_eq!(found, ["same request", "same label", "same model", ""]);
        assert_eq!(TapeSimilarityKey::from_document(&document("{}")), None);
    }
}
