//! The formatting of a tape's chunks, which new chunks adopt.

use document::{Node, NodeKind};

/// Text around and between the members of an element, and which member is first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkStyle<'a> {
    open: &'a str,
    pub(super) colon: &'a str,
    comma: String,
    close: &'a str,
    text_first: bool,
}

impl Default for ChunkStyle<'_> {
    fn default() -> Self {
        Self { open: " ", colon: ": ", comma: ", ".to_owned(), close: " ", text_first: false }
    }
}

impl<'a> ChunkStyle<'a> {
    /// Returns the style of an element that has members.
    pub(super) fn from_element(element: Node<'a>) -> Option<Self> {
        let source = element.tree().source().text();
        let slice = |start: usize, end: usize| source.get(start..end).unwrap_or_default();
        let if_blank = |text: &'a str| if text.trim().is_empty() { text } else { "" };
        let element_range = element.span().range();
        let mut members = element.items().filter(|_| element.kind() == NodeKind::Object);
        let first = members.next()?;
        let (key, value) = (first.key_span()?.range(), first.span().range());
        let open = if_blank(slice(element_range.start + 1, key.start));
        let colon = Some(slice(key.end, value.start)).filter(|colon| colon.trim() == ":");
        let next = members.next().and_then(Node::key_span).map(|key| key.range().start);
        let comma = next.map(|next| slice(value.end, next)).filter(|comma| comma.trim() == ",");
        // An element with one member has no comma to copy; its line breaks and its colon show the style.
        let own_comma = if open.contains(['\n', '\r']) {
            format!(",{open}")
        } else {
            if colon == Some(":") { ",".to_owned() } else { ", ".to_owned() }
        };
        let last = element.items().last()?.span().range().end;
        let is_text = |node: &Node<'_>| matches!(node.key(), Some("delayNs" | "text"));
        let first_member = element.items().find(is_text);
        Some(Self {
            open,
            colon: colon.unwrap_or(": "),
            comma: comma.map_or(own_comma, str::to_owned),
            close: if_blank(slice(last, element_range.end.saturating_sub(1))),
            text_first: first_member.is_some_and(|node| node.key() == Some("text")),
        })
    }

    /// Formats a new element. The text is a JSON string.
    pub(super) fn element(&self, delay: &str, text: &str) -> String {
        let Self { open, close, .. } = self;
        let members = [self.member("delayNs", delay), self.member("text", text)];
        let [first, second] = match (self.text_first, members) {
            (false, members) => members,
            (true, [delay, text]) => [text, delay],
        };
        format!("{{{open}{first}{}{second}{close}}}", self.comma)
    }

    /// Formats one more member after the last one.
    pub(super) fn next_member(&self, key: &str, value: &str) -> String {
        format!("{}{}", self.comma, self.member(key, value))
    }

    fn member(&self, key: &str, value: &str) -> String {
        format!("\"{key}\"{}{value}", self.colon)
    }
}
