//! Any pasted text, which becomes the input.

use super::session_draft::SessionDraft;
use super::{ImportInput, Imported};

/// The longest text that is accepted as an input.
const MAX_INPUT_BYTES: usize = 1 << 20;

pub(super) fn drafts(input: ImportInput<'_>) -> Result<Imported, String> {
    let source = input.document.source();
    // The content starts after a byte order mark.
    let text = source.text()[source.content_start()..].trim();
    match text.len() {
        0 => return Err("There is no text to import".to_owned()),
        len if len > MAX_INPUT_BYTES => {
            return Err("The text is longer than 1 MiB and of an unknown kind".to_owned());
        }
        _ => {}
    }
    let mut draft = SessionDraft::default();
    draft.session.input = text.to_owned();
    draft.mark_generated("/input", "All of the text");
    draft.identify("text", &[text]);
    draft.set_source("manual", "For entry by hand");
    Ok(Imported { drafts: vec![draft], ..Imported::default() })
}
