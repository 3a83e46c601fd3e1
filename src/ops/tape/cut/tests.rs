use super::super::testing::{document, stream, tape_of, text};
use super::super::text::TapeText;
use super::super::timing::{Pace, Schedule};
use super::*;
use crate::format::Document;
use proptest::prelude::*;

fn cut(stream: &str, cut: Cut) -> Result<String, String> {
    let document = document(&text(stream));
    let planned = plan(&document, &cut).map_err(|refusal| refusal.to_string())?;
    Ok(made(&document, planned))
}

/// The stream afterwards.
fn made(before: &Document, planned: Option<Planned>) -> String {
    let mut text = before.source().text().to_owned();
    if let Some(planned) = planned {
        planned
            .edit
            .apply(&mut text)
            .expect("the edit is one of the text");
    }
    let after = document(&text);
    assert!(after.tree.is_well_formed(), "{text}");
    let stream = after.tree.at_pointer("/stream").expect("the stream stays");
    stream.raw().to_owned()
}
