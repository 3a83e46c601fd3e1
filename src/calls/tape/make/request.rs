//! Builds the request of a new tape, in one of the two shapes that players read.

use super::TapePlan;
use crate::javascript::stringify;
use document::json::quote;
use document::tape::RequestShape;
use document::{Node, NodeKind};

impl TapePlan {
    /// Builds the request as JSON from what is known of it.
    ///
    /// In the contents shape, a conversation of one text message of a user is that text, and any other is its JSON, as
    /// clients of such tapes send it; the system prompt is `config.systemInstruction`.
    pub(crate) fn request(
        &self,
        model: &str,
        prompt: Option<Node<'_>>,
        messages: Option<Node<'_>>,
    ) -> String {
        let model = quote(model);
        let json =
            |node: Option<Node<'_>>, spare: &str| node.map_or_else(|| spare.to_owned(), stringify);
        if self.shape == RequestShape::History {
            let (prompt, history) = (json(prompt, "\"\""), json(messages, "[]"));
            return format!(
                "{{\"model\":{model},\"systemPrompt\":{prompt},\"history\":{history}}}"
            );
        }
        let contents = messages.map_or_else(|| "\"\"".to_owned(), contents);
        // A client without a prompt sends no `systemInstruction`, and `config` is compared as a text.
        let prompt = prompt.filter(|prompt| prompt.as_str() != Some(""));
        let config = prompt.map_or_else(String::new, |prompt| {
            format!("\"systemInstruction\":{}", stringify(prompt))
        });
        format!("{{\"model\":{model},\"contents\":{contents},\"config\":{{{config}}}}}")
    }
}

/// Returns a conversation as one JSON string.
fn contents(messages: Node<'_>) -> String {
    let mut items = messages.items();
    let message = items.next().filter(|_| items.next().is_none());
    let is_users = |message: &Node<'_>| message.get("role").and_then(Node::as_str) == Some("user");
    let text = message.filter(is_users).and_then(|message| message.get("content"));
    text.filter(|text| text.kind() == NodeKind::String)
        .map_or_else(|| quote(&stringify(messages)), stringify)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::make::{PieceTiming, TextSplit};
    use document::read;
    use document::text::Source;

    fn made(shape: RequestShape, request: &str) -> String {
        let plan = TapePlan {
            model: None,
            recorded_at: String::new(),
            label: None,
            split: TextSplit::Sentences,
            timing: PieceTiming::default(),
            shape,
        };
        let request = read(Source::new(request), "request.json");
        let get = |key| request.tree.root().and_then(|root| root.get(key));
        plan.request("m", get("systemPrompt"), get("messages"))
    }

    #[test]
    fn a_request_has_the_shape_that_players_load() {
        let one = r#"{"systemPrompt": "Be kind.", "messages": [{"role": "user", "content": "Hi \ud83d"}]}"#;
        let two = r#"{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": []}], "systemPrompt": ""}"#;
        let contents = |request| made(RequestShape::Contents, request);
        insta::assert_snapshot!(contents(one), @r#"{"model":"m","contents":"Hi \ud83d","config":{"systemInstruction":"Be kind."}}"#);
        insta::assert_snapshot!(contents(two), @r#"{"model":"m","contents":"[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":[]}]","config":{}}"#);
        insta::assert_snapshot!(contents("{}"), @r#"{"model":"m","contents":"","config":{}}"#);
        insta::assert_snapshot!(made(RequestShape::History, one), @r#"{"model":"m","systemPrompt":"Be kind.","history":[{"role":"user","content":"Hi \ud83d"}]}"#);
        insta::assert_snapshot!(made(RequestShape::History, "{}"), @r#"{"model":"m","systemPrompt":"","history":[]}"#);
    }
}
