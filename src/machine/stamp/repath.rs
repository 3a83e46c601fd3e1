//! Names another file as the source of a recording.

use super::{member, recording_of};
use document::edit;
use document::text::TextEdit;
use document::{Document, text};

/// Finds what makes a recording name the file at `path` as its source, and nothing else; `None` when it does.
///
/// # Errors
///
/// A sentence without a full stop, when it is no recording, names no source, or cannot be read as a whole.
pub fn repath(document: &Document, path: &str) -> Result<Option<TextEdit>, String> {
    let source = recording_of(document)?.source.as_ref();
    let is_named = source.is_some_and(|source| text(&source.value.file).is_some());
    // A path alone would claim that the recording was stamped, without a hash to compare.
    if !is_named {
        return Err("The recording names no source".to_owned());
    }
    let Some(edit) = member(document, "/sourceMetadata", "sourceFile", &path.into()) else {
        return Ok(None);
    };
    Ok(Some(edit::plan(&document.tree, &edit).map_err(|refusal| refusal.to_string())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    fn repathed(text: &str, path: &str) -> String {
        let document = read(Source::new(text), "turn-1.json");
        match repath(&document, path) {
            Ok(None) => "as it is".to_owned(),
            Err(reason) => reason,
            Ok(Some(edit)) => {
                let mut text = text.to_owned();
                edit.apply(&mut text);
                text
            }
        }
    }

    #[test]
    fn only_the_path_is_another() {
        let text = r#"{ "request" : {"messages":[], "tools": []},
  "response": {"response": {"content": []}},
  "sourceMetadata": { "contentHash":"AB",  "sourceFile" : "a\/b.dygram" } }"#;
        assert_eq!(repathed(text, "a/b.dygram"), "as it is");
        let now = repathed(text, "c/\"d\".dygram");
        insta::assert_snapshot!(now, @r#"
        { "request" : {"messages":[], "tools": []},
          "response": {"response": {"content": []}},
          "sourceMetadata": { "contentHash":"AB",  "sourceFile" : "c/\"d\".dygram" } }
        "#);
    }

    #[test]
    fn what_names_no_source_is_given_none() {
        let text = r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": []}}}"#;
        assert_eq!(repathed(text, "a.dygram"), "The recording names no source");
        assert_eq!(repathed("[]", "a.dygram"), "The file is not a recording");
    }
}
