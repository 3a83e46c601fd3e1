//! Fixes of cassettes: edits that change nothing else, so that the program that owns the file still loads it.

use std::sync::Arc;

use crate::{wrong_encodings, wrong_lengths};
use calls::reading::listed_calls;
use document::edit::{Edit, plan_all, set_length};
use document::text::{Source, TextEdit};
use document::{Document, DocumentBody};

/// A fix of a cassette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CassetteFix {
    /// Writes the length of each body into its header, unless it shows that the body may be damaged.
    Lengths,
    /// Removes each `content-encoding` whose body is readable without it, and corrects the length of that body.
    Encodings,
    /// Removes the values at these pointers, in the order of the file.
    Remove(Arc<[Arc<str>]>),
}

impl CassetteFix {
    /// Plans the fix; `None` if nothing would change.
    ///
    /// # Errors
    ///
    /// Returns the reason why it cannot be made, as a sentence without a full stop.
    pub(super) fn edit(&self, document: &Document) -> Result<Option<TextEdit>, String> {
        let edits = match self {
            Self::Lengths => lengths(document, |_| true),
            Self::Remove(pointers) => {
                // Removed from the last to the first, so that the pointers of the others stay valid.
                pointers.iter().rev().map(|p| removed(p.to_string())).collect()
            }
            Self::Encodings => return self.encodings(document),
        };
        planned(document, &edits)
    }

    fn encodings(&self, document: &Document) -> Result<Option<TextEdit>, String> {
        let DocumentBody::Foreign(foreign) = &document.body else { return Ok(None) };
        let Some(client) = foreign.client else { return Ok(None) };
        let faults = wrong_encodings(document, client, &listed_calls(document));
        let pointers = faults.iter().filter_map(|fault| {
            let pointer = fault.header?.pointer();
            // The header is a value, or a list of them.
            let (parent, tail) = pointer.rsplit_once("/headers/")?;
            let name = tail.split('/').next()?;
            Some((format!("{parent}/headers"), format!("{parent}/headers/{name}")))
        });
        let (headers, pointers): (Vec<String>, Vec<String>) = pointers.unzip();
        let edits: Vec<Edit> = pointers.into_iter().map(removed).collect();
        let Some(edit) = planned(document, &edits)? else { return Ok(None) };
        let old_text = document.source().text();
        let mut text = old_text.to_owned();
        edit.apply(&mut text);
        // Without its encoding a body has another length, which only the edited text shows.
        let new_document = document::read(Source::new(text.as_str()), "");
        let is_of_these = |pointer: &str| headers.iter().any(|h| pointer.starts_with(h.as_str()));
        if let Some(edit) = planned(&new_document, &lengths(&new_document, is_of_these))? {
            edit.apply(&mut text);
        }
        Ok(TextEdit::between(old_text, &text))
    }
}

fn removed(pointer: String) -> Edit {
    Edit::Remove { pointer }
}

/// Returns the edits that correct the lengths at these pointers.
fn lengths(document: &Document, is_wanted: impl Fn(&str) -> bool) -> Vec<Edit> {
    let faults = wrong_lengths(document, &listed_calls(document))
        .into_iter()
        // For a damaged body the wrong length is the only trace of the damage.
        .filter(|fault| fault.damaged.is_none() && is_wanted(&fault.header.pointer()));
    faults.filter_map(|fault| set_length(fault.header, fault.bytes)).collect()
}

fn planned(document: &Document, edits: &[Edit]) -> Result<Option<TextEdit>, String> {
    plan_all(&document.tree, edits).map_err(|refusal| refusal.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(fix: &CassetteFix, name: &str, text: &str) -> String {
        let document = document::read(Source::new(text), name);
        let mut text = text.to_owned();
        match fix.edit(&document) {
            Ok(Some(edit)) => drop(edit.apply(&mut text)),
            Ok(None) => {}
            Err(reason) => return reason,
        }
        text
    }

    const YAML: &str = "# kept\ninteractions:\r
- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}
  response:
    body:
      string: 'caf\u{e9}'
    headers:
      Content-Length:   # kept
      -   '3'
      Content-Encoding:
      - gzip
      X-A: [b]
    status: {code: 200, message: OK}
version: 1";

    #[test]
    fn a_header_without_its_encoding_is_removed_and_the_length_is_that_of_the_body() {
        let expected =
            YAML.replace("      Content-Encoding:\n      - gzip\n", "").replace("'3'", "'5'");
        assert_eq!(fixed(&CassetteFix::Encodings, "a.yaml", YAML), expected);
        let json = r#"{"version": 1, "interactions": [{"request": {"method": "GET", "uri": "http://a.example/", "body": null, "headers": {}}, "response": {"status": {"code": 200, "message": "OK"}, "headers": {"content-encoding": ["br"]}, "body": {"string": "ok"}}}]}"#;
        assert_eq!(
            fixed(&CassetteFix::Encodings, "a.json", json),
            json.replace(r#""content-encoding": ["br"]"#, "")
        );
    }

    #[test]
    fn a_body_that_is_not_readable_keeps_its_header() {
        let packed =
            YAML.replace("'caf\u{e9}'", "!!binary |\n        H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA");
        for text in [packed.replace("gzip", "br"), packed.replace("gzip", "gzip, br"), packed] {
            assert_eq!(fixed(&CassetteFix::Encodings, "a.yaml", &text), text);
        }
        for damaged in [
            "\"caf\\uFFFD\"",
            "\"\\x1F\\x8B\\b\"",
            "b'\\x1f\\x8b\\x08'",
            "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA",
        ] {
            let text = YAML.replace("'caf\u{e9}'", damaged);
            assert_eq!(fixed(&CassetteFix::Encodings, "a.yaml", &text), text);
            assert_eq!(fixed(&CassetteFix::Lengths, "a.yaml", &text), text);
        }
    }

    #[test]
    fn lengths_are_written_as_text_or_number() {
        let text = YAML.replace("      Content-Encoding:\n      - gzip\n", "");
        let expected = text.replace("'3'", "'5'");
        assert_eq!(fixed(&CassetteFix::Lengths, "a.yaml", &text), expected);
        assert_eq!(
            fixed(&CassetteFix::Lengths, "a.yaml", &text.replace("'3'", "3")),
            expected.replace("'5'", "5")
        );
        let damaged = text.replace("caf\u{e9}", "caf\u{fffd}");
        assert_eq!(fixed(&CassetteFix::Lengths, "a.yaml", &damaged), damaged);
        // The length is that of the compressed body.
        assert_eq!(fixed(&CassetteFix::Lengths, "a.yaml", YAML), YAML);
    }

    #[test]
    fn calls_are_removed_with_all_that_is_theirs() {
        let call = |n: u32| {
            format!(
                "- request: {{method: GET, uri: 'http://a.example/{n}', body: null, headers: {{}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: ''}}}}\n"
            )
        };
        let text_of = |numbers: &[u32]| {
            let calls = numbers.iter().map(|n| call(*n));
            format!("interactions:\n{}version: 1\n", calls.collect::<String>())
        };
        let remove = |pointers: &[&str]| {
            let pointers = pointers.iter().map(|p| Arc::from(*p)).collect();
            fixed(&CassetteFix::Remove(pointers), "a.yaml", &text_of(&[1, 2, 3, 4]))
        };
        assert_eq!(remove(&["/interactions/1", "/interactions/3"]), text_of(&[1, 3]));
        assert_eq!(remove(&["/interactions/2", "/interactions/3"]), text_of(&[1, 2]));
    }
}
