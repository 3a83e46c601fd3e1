//! A replacement as it is typed in a form, and the change that it becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{PlacePattern, RenameKind, Replacement, TextPattern, plan};
use document::Document;
use document::edit::JsonValue;
use document::text::{Place, TextEdit, counted, quoted};

/// Kind of text or value that is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplaceKind {
    /// Exactly this text, inside string values.
    #[default]
    Text,
    /// The matches of a regular expression inside string values.
    Regex,
    /// The values at a JSON Pointer.
    Pointer,
    Rename(RenameKind),
}

impl ReplaceKind {
    /// Every kind, in the order of the form.
    pub const ALL: [Self; 6] = [
        Self::Text,
        Self::Regex,
        Self::Pointer,
        Self::Rename(RenameKind::Tool),
        Self::Rename(RenameKind::Node),
        Self::Rename(RenameKind::Model),
    ];

    /// Whether it is searched inside string values, which can be limited to a place.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Regex)
    }
}

/// The input of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReplaceForm {
    pub kind: ReplaceKind,
    /// The text, the regular expression, the JSON Pointer or the name.
    pub old: String,
    /// The text or the name; for a JSON Pointer, a value as JSON.
    pub new: String,
    /// A JSON Pointer, which limits where text is searched; empty for everywhere.
    pub at: String,
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceField {
    Old,
    New,
    At,
}

/// Input that is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceFault {
    pub field: ReplaceField,
    /// A sentence without a full stop.
    pub reason: String,
}

impl ReplaceForm {
    /// Returns the replacement; `None` while a field that is required is empty.
    ///
    /// # Errors
    ///
    /// The invalid field, with the reason.
    pub fn replacement(&self) -> Result<Option<Replacement>, ReplaceFault> {
        let fault = |field| move |reason| ReplaceFault { field, reason };
        if self.old.is_empty() {
            return Ok(None);
        }
        if let ReplaceKind::Rename(kind) = self.kind {
            let is_complete = !self.new.is_empty() && self.new != self.old;
            let (from, to) = (self.old.clone(), self.new.clone());
            return Ok(is_complete.then_some(Replacement::Rename { kind, from, to }));
        }
        if self.kind == ReplaceKind::Pointer {
            let at = PlacePattern::parse(&self.old).map_err(fault(ReplaceField::Old))?;
            // The form is not finished: an empty text is typed as `""`.
            if self.new.trim().is_empty() {
                return Ok(None);
            }
            let value = JsonValue::parse(&self.new).map_err(fault(ReplaceField::New))?;
            return Ok(Some(Replacement::Set { at, value }));
        }
        let find = match self.kind {
            ReplaceKind::Regex => TextPattern::regex(&self.old, &self.new),
            _ => TextPattern::exact(&self.old, &self.new),
        };
        let find = find.map_err(fault(ReplaceField::Old))?;
        let at = match self.at.as_str() {
            "" => None,
            at => Some(PlacePattern::parse(at).map_err(fault(ReplaceField::At))?),
        };
        Ok(Some(Replacement::Text { find, at }))
    }

    /// Returns the name of the step that makes it in some files, in the imperative.
    pub(crate) fn step_name(&self, files: usize) -> String {
        let (old, new) = (quoted(&self.old), quoted(&self.new));
        let files = counted(files, "file", "files");
        match self.kind {
            ReplaceKind::Pointer => format!("Set {old} to {new} in {files}"),
            ReplaceKind::Text | ReplaceKind::Regex if self.new.is_empty() => {
                format!("Remove {old} in {files}")
            }
            ReplaceKind::Text | ReplaceKind::Regex => format!("Replace {old} by {new} in {files}"),
            ReplaceKind::Rename(_) => format!("Rename {old} to {new} in {files}"),
        }
    }
}

/// The places of a file that stay as they are, by its path from the project root.
pub type SkippedPlaces = BTreeMap<Arc<str>, BTreeSet<Place>>;

/// A replacement in many files, without some places.
#[derive(Clone, Debug)]
pub struct ReplaceChange {
    form: ReplaceForm,
    replacement: Arc<Replacement>,
    skipped: SkippedPlaces,
}

impl PartialEq for ReplaceChange {
    fn eq(&self, other: &Self) -> bool {
        // The replacement is what the form contains.
        self.form == other.form && self.skipped == other.skipped
    }
}

impl ReplaceChange {
    /// Returns the change that a form describes; `None` if it describes none.
    pub fn new(form: &ReplaceForm, skipped: SkippedPlaces) -> Option<Self> {
        Some(Self {
            form: form.clone(),
            replacement: Arc::new(form.replacement().ok().flatten()?),
            skipped,
        })
    }

    /// Returns the name of the step, in the imperative.
    pub fn name(&self, files: usize) -> String {
        self.form.step_name(files)
    }

    /// Returns the change of one file, by its path from the project root.
    pub fn of_file(&self, path: &str) -> Self {
        let mut skipped = SkippedPlaces::new();
        if let Some((path, places)) = self.skipped.get_key_value(path) {
            skipped.insert(Arc::clone(path), places.clone());
        }
        Self { form: self.form.clone(), replacement: Arc::clone(&self.replacement), skipped }
    }

    /// Plans the edit of a document; `None` if nothing would change.
    pub fn edit(&self, document: &Document) -> Option<TextEdit> {
        let is_skipped = |place: Place| self.skipped.values().any(|places| places.contains(&place));
        plan(document, std::slice::from_ref(&*self.replacement), &is_skipped).edit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    fn form(kind: ReplaceKind, old: &str, new: &str) -> ReplaceForm {
        ReplaceForm { kind, old: old.to_owned(), new: new.to_owned(), at: String::new() }
    }

    #[test]
    fn invalid_input_is_reported_with_its_field_and_missing_input_is_not() {
        let fault = |form: &ReplaceForm| form.replacement().map_err(|fault| fault.field);
        let regex = form(ReplaceKind::Regex, "(", "x");
        assert_eq!(fault(&regex).unwrap_err(), ReplaceField::Old);
        let pointer = form(ReplaceKind::Pointer, "status", "502");
        assert_eq!(fault(&pointer).unwrap_err(), ReplaceField::Old);
        let value = form(ReplaceKind::Pointer, "/status", "50 2");
        assert_eq!(fault(&value).unwrap_err(), ReplaceField::New);
        let mut text = form(ReplaceKind::Text, "a", "");
        assert!(fault(&text).unwrap().is_some(), "text can be removed");
        text.at = "messages".to_owned();
        assert_eq!(fault(&text).unwrap_err(), ReplaceField::At);

        let tool = ReplaceKind::Rename(RenameKind::Tool);
        for (kind, old, new) in [
            (ReplaceKind::Text, "", "x"),
            (ReplaceKind::Pointer, "/status", ""),
            (tool, "a", ""),
            (tool, "a", "a"),
        ] {
            assert!(fault(&form(kind, old, new)).unwrap().is_none());
        }
    }

    #[test]
    fn a_place_is_skipped_only_in_its_own_file() {
        let form = form(ReplaceKind::Text, "a", "b");
        let place = Place { line: 1, column: 3 };
        let skipped = SkippedPlaces::from([("one.json".into(), BTreeSet::from([place]))]);
        let change = ReplaceChange::new(&form, skipped).unwrap();
        let document = document::read(Source::new(r#"["a", "a"]"#), "one.json");
        let after = |path: &str| {
            let mut text = document.source().text().to_owned();
            let edit = change.of_file(path).edit(&document).unwrap();
            edit.apply(&mut text).unwrap();
            text
        };
        assert_eq!(after("one.json"), r#"["a", "b"]"#);
        assert_eq!(after("two.json"), r#"["b", "b"]"#);
        assert_eq!(change.name(2), "Replace `a` by `b` in 2 files");
    }
}
