//! Edits of a value in a text that is JSON: a pointer into the document, `#`, and a pointer into the JSON.
//!
//! The text is written in its own style. If it is a body of a cassette, its layers are removed before and put around it again,
//! and its `content-length` stays right if it was. With nothing after the `#`, a text replaces all of the content of such a body, which need
//! not be JSON then.

use super::together::plan_part;
use super::{
    Edit, EditRefusal, JsonValue, NewValue, pointer, read_again, readable, replace_values,
};
use crate::body::{BodyHeaders, pack, read_body};
use crate::call::{BodyContent, HttpBody};
use crate::cassette::{Interaction, StoredBody, interactions};
use crate::json::quote;
use crate::text::{Source, TextEdit};
use crate::{Node, NodeKind, Syntax, Tree, json, recorded};

/// Plans an edit whose pointer leads into a text; `None` for another one.
pub(super) fn plan(tree: &Tree, edit: &Edit) -> Option<Result<TextEdit, EditRefusal>> {
    let (outer_pointer, inner_pointer) = edit.pointer().split_once('#')?;
    // A key may contain `#` as well.
    if pointer::find(tree, edit.pointer()).is_ok() {
        return None;
    }
    let node = pointer::find(tree, outer_pointer).ok()?;
    if matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
        // The body is stored as a tree, as in `parsed_body`, so the same pointer without `#` leads to the value.
        return Some(super::plan(tree, &edit.at(format!("{outer_pointer}{inner_pointer}"))));
    }
    node.as_str()?;
    Some(plan_text(tree, node, outer_pointer, &edit.at(inner_pointer.to_owned())))
}

fn plan_text(
    tree: &Tree,
    node: Node<'_>,
    base: &str,
    inner: &Edit,
) -> Result<TextEdit, EditRefusal> {
    let body = body_at(node);
    let text = body.as_ref().map_or_else(|| node.as_str(), |body| body.text());
    let text = text.ok_or_else(|| EditRefusal::at(node, "The decoded body is not text"))?;
    if let (Edit::Set { value, .. }, "", Some(body)) = (inner, inner.pointer(), &body)
        && let Some(content) = value.root().as_str()
    {
        return plan_body(tree, node, base, body, content.to_owned());
    }
    let (inner_tree, problems) = json::parse(&Source::new(text));
    if inner_tree.is_empty() || !problems.is_empty() {
        return Err(EditRefusal::at(node, "The text before the `#` is not JSON"));
    }
    let mut new_text = text.to_owned();
    let inner_edit =
        super::plan(&inner_tree, inner).map_err(|refusal| EditRefusal::at(node, refusal.reason))?;
    inner_edit.apply(&mut new_text);
    // The smallest part may begin within an escape; then the whole value is tried.
    let smallest_edit = TextEdit::between(text, &new_text).unwrap_or_else(|| inner_edit.clone());
    let parts = [smallest_edit, inner_edit].map(|part| (part.range, part.new));
    // Only the edited part is written again where the syntax allows it, so that the rest of the text keeps its spelling.
    let in_place = || match tree.syntax() {
        Syntax::Toml | Syntax::Code => {
            super::plan(tree, &set(base.to_owned(), JsonValue::text(&new_text)))
        }
        _ => plan_part(tree, node, &JsonValue::text(&new_text), &parts),
    };
    let Some(body) = body else { return in_place() };
    if !body.layers.is_empty() {
        return plan_body(tree, node, base, &body, new_text);
    }
    readable(tree)?;
    Ok(with_lengths(tree, in_place()?))
}

fn set(pointer: String, value: JsonValue) -> Edit {
    Edit::Set { pointer, value }
}

/// Plans to put another content into a body, in the same layers.
fn plan_body(
    tree: &Tree,
    node: Node<'_>,
    pointer: &str,
    body: &HttpBody,
    content: String,
) -> Result<TextEdit, EditRefusal> {
    let old = node.scalar_text().unwrap_or_default();
    let (stored_text, _) = pack(content.into_bytes(), &body.layers, old).ok_or_else(|| {
        EditRefusal::at(node, "A body in this encoding can be read, but not written")
    })?;
    let edit = super::plan(tree, &set(pointer.to_owned(), JsonValue::text(&stored_text)))?;
    if tree.source().text().get(edit.range.clone()) == Some(&*edit.new) {
        return Err(EditRefusal::at(node, "The body already contains this"));
    }
    Ok(with_lengths(tree, edit))
}

/// Adds the corrections of [`correct_lengths`] to an edit.
fn with_lengths(tree: &Tree, edit: TextEdit) -> TextEdit {
    let old_text = tree.source().text();
    let mut text = old_text.to_owned();
    edit.apply(&mut text);
    TextEdit::between(old_text, &correct_lengths(tree, text)).unwrap_or(edit)
}

/// Corrects each length of a body of a cassette that was right in `old_tree`, and is not in the edited `text`, because its body changed.
/// One that was wrong before, perhaps on purpose, or that the edit itself changed, stays.
pub fn correct_lengths(old_tree: &Tree, text: String) -> String {
    // Most files have no length to correct, and their calls need not be found.
    if memchr::memmem::find(text.as_bytes(), b"ength").is_none() {
        return text;
    }
    let old_calls = interactions(old_tree);
    if old_calls.is_empty() {
        return text;
    }
    let new_tree = read_again(old_tree, &text);
    let new_calls = interactions(&new_tree);
    // Calls are paired by their place, which an added or removed one shifts.
    if old_calls.len() != new_calls.len() {
        return text;
    }
    let mut values = Vec::new();
    for (old, new) in old_calls.into_iter().zip(new_calls) {
        // Only edited calls are decoded: most of a file stays.
        if old.node.raw() == new.node.raw() {
            continue;
        }
        for (old, new) in messages(&old).into_iter().zip(messages(&new)) {
            let Some(old_bytes) = old.sent_bytes().filter(|bytes| !old.lengths(*bytes).is_empty())
            else {
                continue;
            };
            let Some(bytes) = new.sent_bytes().filter(|bytes| *bytes != old_bytes) else {
                continue;
            };
            let new_length = |node: Node<'_>| {
                Some(NewValue {
                    node: node.id(),
                    value: length_value(node, bytes)?,
                    parts: Vec::new(),
                })
            };
            values.extend(new.lengths(old_bytes).into_iter().filter_map(new_length));
        }
    }
    // A response may be written before its request.
    values.sort_by_key(|value| value.node);
    if values.is_empty() {
        return text;
    }
    // A length that cannot be written is no reason to refuse the edit.
    replace_values(&new_tree, &values).map_or(text, |outcome| outcome.text)
}

/// A message of a call.
struct StoredMessage<'t> {
    node: Node<'t>,
    headers: Vec<(&'t str, Node<'t>)>,
    stored: StoredBody<'t>,
}

impl<'t> StoredMessage<'t> {
    fn body(&self) -> Option<HttpBody> {
        let texts: Vec<(String, String)> = self
            .headers
            .iter()
            .filter_map(|(name, value)| Some(((*name).to_owned(), value.scalar_text()?.to_owned())))
            .collect();
        read_body(self.stored.clone(), &BodyHeaders::new(&texts))
    }

    fn sent_bytes(&self) -> Option<usize> {
        self.body()?.sent_bytes
    }

    fn lengths(&self, bytes: usize) -> Vec<Node<'t>> {
        length_values(self.node, &self.headers, bytes)
    }
}

/// Returns the request and the response.
fn messages<'t>(call: &Interaction<'t>) -> Vec<StoredMessage<'t>> {
    let request = StoredMessage {
        node: call.request,
        headers: call.request_headers(),
        stored: call.request_body(),
    };
    let response = call.response.map(|node| StoredMessage {
        node,
        headers: call.response_headers(),
        stored: call.response_body(),
    });
    [Some(request), response].into_iter().flatten().collect()
}

/// Returns the values that say that the body of a message has this many bytes: its header, and the member that go-vcr writes.
pub fn length_values<'t>(
    message: Node<'t>,
    headers: &[(&str, Node<'t>)],
    bytes: usize,
) -> Vec<Node<'t>> {
    let bytes = bytes.to_string();
    let is_old_length =
        |node: &Node<'t>| node.scalar_text().is_some_and(|text| text.trim() == bytes);
    let mut lengths = headers.iter().filter(|(name, value)| {
        name.eq_ignore_ascii_case("content-length") && is_old_length(value)
    });
    let header = lengths.next().map(|(_, value)| *value);
    header.into_iter().chain(message.get("content_length").filter(is_old_length)).collect()
}

/// Returns the edit that writes a number of bytes into a header, as the text or the number that it is.
pub fn set_length(header: Node<'_>, bytes: usize) -> Option<Edit> {
    Some(Edit::Set { pointer: header.pointer(), value: length_value(header, bytes)? })
}

/// Returns a number of bytes as a value like that of a header.
pub fn length_value(header: Node<'_>, bytes: usize) -> Option<JsonValue> {
    let number = match header.kind() {
        NodeKind::Number => bytes.to_string(),
        _ => quote(&bytes.to_string()),
    };
    JsonValue::parse(&number).ok()
}

/// Returns the body of a message of a cassette that is this value, if it is text.
fn body_at(node: Node<'_>) -> Option<HttpBody> {
    let around = || node.ancestors().find_map(Interaction::parse);
    // The record of an answer may be another one than that of its request, which names the call.
    let apart = || {
        let mut calls = recorded::find(node.tree()).calls.into_iter();
        let is_payload = |payload: recorded::Payload<'_>| payload.node.id() == node.id();
        let call = calls.find(|call| {
            call.sent.is_some_and(is_payload) || call.received.is_some_and(is_payload)
        });
        call.map(Interaction::of_recorded)
    };
    let has_body = |message: &StoredMessage<'_>| match message.stored {
        StoredBody::Text(body_node)
        | StoredBody::Base64(body_node)
        | StoredBody::Hex(body_node) => body_node.id() == node.id(),
        _ => false,
    };
    let find = |call: Interaction<'_>| messages(&call).into_iter().find(has_body)?.body();
    // Beside the request that was read, a record may have it in another form.
    let repeated = || read_body(recorded::payload(node)?.stored(), &BodyHeaders::default());
    around()
        .and_then(find)
        .or_else(|| apart().and_then(find))
        .or_else(repeated)
        .filter(|body| matches!(body.content, BodyContent::Text(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn a_text_replaces_all_of_the_content_of_a_body() {
        let text = "interactions:\n- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}\n  response:\n    status: {code: 200, message: OK}\n    headers: {content-length: ['13']}\n    body: {string: \"data: hello\\n\\n\"}\n";
        let pointer = "/interactions/0/response/body/string#";
        let new_text = edited(text, pointer, r#""data: bye\n\n""#);
        let expected = text.replace("hello", "bye").replace("'13'", "'11'");
        assert_eq!(new_text, expected);
    }

    #[test]
    fn the_length_of_go_vcr_stays_right_or_wrong() {
        for (length, expected) in [("8", "9"), ("-1", "-1")] {
            let text = format!(
                "interactions:\n- request: {{method: GET, url: 'http://a.example/'}}\n  response:\n    content_length: {length}\n    body: '{{\"a\": 1}}'\n    headers: {{Content-Length: ['8']}}\n"
            );
            let new_text = edited(&text, "/interactions/0/response/body#/a", "22");
            let fitting_text = text.replace("1}", "22}").replace("['8']", "['9']");
            let expected = format!("content_length: {expected}");
            let old = format!("content_length: {length}");
            assert_eq!(new_text, fitting_text.replace(&old, &expected));
        }
    }

    #[test]
    fn a_new_body_without_the_sign_leaves_its_length() {
        let new_text = edited(CASSETTE, "/interactions/0/request/body", r#""none""#);
        assert!(new_text.contains("body: 'none'") && new_text.contains("- '64'\n"));
    }

    fn edited(text: &str, pointer: &str, value: &str) -> String {
        let (tree, _) = yaml::parse(&Source::new(text));
        let edit =
            Edit::Set { pointer: pointer.to_owned(), value: JsonValue::parse(value).unwrap() };
        match super::super::plan(&tree, &edit) {
            Ok(edit) => {
                let mut new_text = text.to_owned();
                edit.apply(&mut new_text);
                new_text
            }
            Err(refusal) => refusal.to_string(),
        }
    }

    const CASSETTE: &str = "interactions:
- request:
    body: '{\"model\":\"m\",  \"messages\":[{\"role\":\"user\",\"content\":\"It''s me\"}]}'
    headers:
      content-length:
      - '64'
    method: POST
    uri: https://a.example/
  response:
    body:
      string: !!binary |
        H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA
    headers:
      content-encoding:
      - gzip
      content-length:
      - '27'
    status: {code: 200, message: OK}
version: 1
";

    #[test]
    fn json_in_a_text_is_edited_in_its_own_style() {
        let new_text =
            edited(CASSETTE, "/interactions/0/request/body#/messages/0/content", r#""It's 7""#);
        let expected = CASSETTE.replace("It''s me", "It''s 7");
        assert_eq!(new_text, expected.replace("'64'", "'63'"));
        let new_text =
            edited(CASSETTE, "/interactions/0/request/body#/messages/0/content", r#""Hi""#);
        insta::assert_snapshot!(new_text.lines().take(6).collect::<Vec<_>>().join("\n"), @r#"
        interactions:
        - request:
            body: '{"model":"m",  "messages":[{"role":"user","content":"Hi"}]}'
            headers:
              content-length:
              - '59'
        "#);
        let text = "a: '{\"b\":\"[1,  2]\"}'\n";
        assert_eq!(edited(text, "/a#/b#/1", "3"), "a: '{\"b\":\"[1,  3]\"}'\n");
        assert_eq!(edited("a#b: 1\n", "/a#b", "2"), "a#b: 2\n");
        assert_eq!(edited("a: {b: 1}\n", "/a#/b", "2"), "a: {b: 2}\n");
        // Not in YAML 1.2, but to PyYAML a line ends there, and the spaces are indentation.
        for end in ['\u{2028}', '\u{2029}', '\u{85}'] {
            let text = format!("a: '{{\"b\": 1, \"c\": \"x{end}    \"}}'\n");
            assert_eq!(edited(&text, "/a#/b", "2"), text.replace('1', "2"));
        }
    }

    #[test]
    fn a_body_gets_its_layers_and_its_length_again() {
        let pointer = "/interactions/0/response/body/string#/a";
        let new_text = edited(CASSETTE, pointer, r#""some longer text""#);
        let (tree, problems) = yaml::parse(&Source::new(new_text.as_str()));
        assert!(problems.is_empty());
        let node = tree.at_pointer("/interactions/0/response/body/string");
        let body = body_at(node.unwrap()).unwrap();
        assert_eq!(body.text(), Some(r#"{"a":"some longer text"}"#));
        let header = tree.at_pointer("/interactions/0/response/headers/content-length/0");
        let length = header.and_then(Node::scalar_text).unwrap();
        assert_eq!(length.parse().ok(), body.sent_bytes);
        assert_ne!(length, "27");
        let raw = CASSETTE
            .replace("[gzip]", "")
            .replace("- gzip", "- deflate")
            .replace("H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA", "q1ZKVLIyrAUA");
        let after_raw = edited(&raw, pointer, r#""some longer text""#);
        let (raw_tree, _) = yaml::parse(&Source::new(after_raw.as_str()));
        let node = raw_tree.at_pointer("/interactions/0/response/body/string");
        assert_eq!(body_at(node.unwrap()).unwrap().text(), body.text());
        // Raw deflate; in zlib, it would begin with 78.
        assert!(node.unwrap().as_str().is_some_and(|text| text.starts_with("q1")));
        // Nothing else has changed.
        let rest = |text: &str| {
            let lines = text.lines();
            let other_lines = lines.filter(|line| !line.contains("H4sI") && !line.contains("- '"));
            other_lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(rest(&new_text).len(), rest(CASSETTE).len());
        assert!(rest(&new_text).iter().all(|line| CASSETTE.contains(line)));
    }

    #[test]
    fn what_cannot_be_edited_says_why() {
        insta::assert_snapshot!(edited(CASSETTE, "/interactions/0/request/uri#/a", "1"), @"The text before the `#` is not JSON (line 8, column 10)");
        insta::assert_snapshot!(edited(CASSETTE, "/interactions/0/request/body#/messages/1", "1"), @"There is no element 1 in `/messages`, which has 1, counted from 0 (line 3, column 11)");
        insta::assert_snapshot!(edited(CASSETTE, "/interactions/0/request/nothing#/a", "1"), @"There is no key `nothing#` in `/interactions/0/request` (line 3, column 5)");
    }

    #[test]
    fn a_folded_text_keeps_its_lines() {
        let texts = [
            "a: '{\"b\": \"it''s\n  one\", \"c\":\n  \"two\", \"d\": [1,\n  2]}'\n",
            "a: \"{\\\"b\\\": \\\"one\\\",\\\n  \\ \\\"c\\\": \\\"two\\\", \\\"d\\\": [1,\\\n  \\ 2]}\"\n",
            "a: >-\n  {\"b\": \"one\",\n  \"c\": \"two\",\n  \"d\": [1, 2]}\nz: 1\n",
            "a: |-\n  {\"b\": \"one\",\n   \"c\": \"two\",\n   \"d\": [1, 2]}\nz: 1\n",
        ];
        for text in texts {
            assert_eq!(
                edited(text, "/a#/c", r#""some\tmore""#),
                text.replace(
                    "two",
                    if text.starts_with("a: \"") { r"some\\tmore" } else { r"some\tmore" }
                )
            );
            assert_eq!(edited(text, "/a#/d/1", "[]"), text.replace("2]", "[]]"));
        }
        // Of a value on several lines only the changed word is written.
        let new_text = edited(texts[0], "/a#/b", r#""it's two""#);
        assert_eq!(new_text, texts[0].replacen("one", "two", 1));
    }
}
