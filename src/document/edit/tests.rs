//! Tests of edits: examples first, then documents of every style.

mod cassettes;
mod examples;
mod generate;
mod json;
mod second_reader;
mod yaml;
mod yaml_generator;

use super::{Edit, JsonValue, plan};
use crate::text::{Source, TextEdit};
use crate::{Syntax, Tree, json as json_reader, yaml as yaml_reader};

fn tree(syntax: Syntax, text: &str) -> Tree {
    let source = Source::new(text);
    match syntax {
        Syntax::Json => json_reader::parse(&source).0,
        Syntax::Yaml => yaml_reader::parse(&source).0,
        Syntax::Code | Syntax::Machine | Syntax::Toml => crate::code::parse(&source),
    }
}

fn set(pointer: &str, json: &str) -> Edit {
    Edit::Set { pointer: pointer.to_owned(), value: JsonValue::parse(json).unwrap() }
}

fn insert(pointer: &str, json: &str) -> Edit {
    Edit::Insert { pointer: pointer.to_owned(), value: JsonValue::parse(json).unwrap() }
}

fn remove(pointer: &str) -> Edit {
    Edit::Remove { pointer: pointer.to_owned() }
}

fn rename(pointer: &str, key: &str) -> Edit {
    Edit::Rename { pointer: pointer.to_owned(), key: key.to_owned() }
}

fn shift(pointer: &str, to: usize) -> Edit {
    Edit::Move { pointer: pointer.to_owned(), to }
}

/// Returns the text after an edit, whose inverse gives back every byte; or why it was refused.
fn edited(syntax: Syntax, text: &str, edit: &Edit) -> Result<(TextEdit, String), String> {
    let planned_edit = plan(&tree(syntax, text), edit).map_err(|refusal| refusal.to_string())?;
    let mut new_text = text.to_owned();
    let inverse = planned_edit.apply(&mut new_text).unwrap();
    let mut text_before = new_text.clone();
    inverse.apply(&mut text_before).unwrap();
    assert_eq!(text_before, text);
    Ok((planned_edit, new_text))
}
