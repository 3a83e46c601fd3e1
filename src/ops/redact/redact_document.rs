//! Replaces values in one document.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::format::{self, Document, DocumentBody, Tree};
use crate::ops::Pool;
use crate::ops::edit::{self, Edit, EditRefusal};
use crate::ops::playback::SetRecording;
use crate::ops::replace::{self, Replacement, TextPattern};
use crate::ops::secret::Redaction;
use crate::ops::signature::Signature;
use crate::ops::tape::edits::{self, Fill, RedactTarget, TapeEdit};
use crate::ops::tape::text::TapeText;
use crate::text::{Place, PlaceFinder, Source, quoted};

/// Replaces the values of a redaction.
#[derive(Debug)]
pub struct Redactor {
    find: TextPattern,
    pool: Pool,
}

/// A document after its values were replaced.
#[derive(Clone, Debug)]
pub struct RedactedDocument {
    /// The text after.
    pub after: Source,
    /// How many places changed.
    pub places: usize,
}

impl Redactor {
    /// Creates a redactor for all values of a redaction.
    ///
    /// # Errors
    ///
    /// When there are too many values.
    pub fn new(redaction: &Redaction) -> Result<Self, String> {
        Ok(Self {
            find: TextPattern::each(redaction.placeholders())?,
            pool: Pool::default(),
        })
    }

    /// Returns whether a document has a value.
    fn finds_any(&self, document: &Document) -> bool {
        let has = |text: &str| !self.find.find(text).is_empty();
        let is_in_tape = || match &document.body {
            DocumentBody::Tape(tape) => has(TapeText::new(tape).text()),
            _ => false,
        };
        let mut nodes = document.tree.nodes();
        has(document.source().text())
            || nodes.any(|node| node.as_str().is_some_and(has) || node.key().is_some_and(has))
            || is_in_tape()
    }

    /// Returns a name, such as that of a file, without values; `None` if it has none.
    pub fn rename(&self, name: &str) -> Option<String> {
        let found = self.find.find(name);
        let (mut new, mut end) = (String::new(), 0);
        for (range, word) in &found {
            new.push_str(&name[end..range.start]);
            // Brackets and @ would have to be quoted in a shell.
            let is_plain = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.');
            new.extend(word.chars().filter(is_plain));
            end = range.end;
        }
        new.push_str(&name[end..]);
        (!found.is_empty()).then_some(new)
    }
}

/// What decides which recording, seed or session is chosen, as text.
fn matching(document: &Document, pool: &Pool) -> BTreeSet<String> {
    let describe = |what: &str, it: &Signature| {
        let names = it.tool_names.join("\n");
        let keys = it.context_keys.join("\n");
        format!("{what}\n{names}\n{}\n{keys}", it.message_count)
    };
    let mut facts = BTreeSet::new();
    match &document.body {
        DocumentBody::Recording(_) => {
            let path: Arc<str> = "recording.json".into();
            if let Ok(read) = SetRecording::read(path, document, pool) {
                facts.insert(describe("computed", &read.matching.computed));
                facts.extend(read.matching.stored.iter().map(|it| describe("stored", it)));
                facts.insert(format!("{:?} {}", read.response, read.calls.join("\n")));
            }
        }
        DocumentBody::Seeds(_) => {
            let keys = document.tree.nodes().filter_map(|node| node.key());
            facts.extend(keys.map(str::to_owned));
        }
        _ => {}
    }
    facts
}

/// Replaces all values in a document named `name`; `None` if it has none.
///
/// # Errors
///
/// What cannot be replaced, with its place; nothing is changed then.
pub fn redact(
    document: &Document,
    name: &str,
    redactor: &Redactor,
) -> Result<Option<RedactedDocument>, Vec<EditRefusal>> {
    if !redactor.finds_any(document) {
        return Ok(None);
    }
    let before = matching(document, &redactor.pool);
    let mut places = 0;
    let mut changed = redact_tape(document, name, redactor, &mut places)?;
    let current = changed.as_ref().unwrap_or(document);
    let replacement = Replacement::Text {
        find: redactor.find.clone(),
        at: None,
    };
    let plan = replace::plan(current, &[replacement], &|_| false);
    if !plan.refused.is_empty() {
        return Err(plan.refused);
    }
    places += plan.places.len();
    if let Some(edit) = plan.edit {
        let mut text = current.source().text().to_owned();
        edit.apply(&mut text);
        changed = Some(format::read(Source::new(text), name));
    }
    for _ in 0..count_keys(changed.as_ref().unwrap_or(document)) {
        let current = changed.as_ref().unwrap_or(document);
        let Some(renamed) = rename_key(current, name, redactor)? else {
            break;
        };
        places += 1;
        changed = Some(renamed);
    }
    let current = changed.as_ref().unwrap_or(document);
    if let Some((text, count)) = redact_comments(&current.tree, name, redactor)? {
        places += count;
        changed = Some(format::read(Source::new(text), name));
    }
    let Some(changed) = changed else {
        return Ok(None);
    };
    let after = matching(&changed, &redactor.pool);
    if let Some(fact) = before.difference(&after).next() {
        let fact = fact
            .lines()
            .find(|line| !redactor.find.find(line).is_empty());
        let what = quoted(fact.unwrap_or("a name"));
        return Err(vec![EditRefusal {
            reason: format!("Which recording answers a request depends on {what}; rename it first"),
            place: Place { line: 1, column: 1 },
        }]);
    }
    Ok(Some(RedactedDocument {
        after: changed.source().clone(),
        places,
    }))
}

fn count_keys(document: &Document) -> usize {
    document
        .tree
        .nodes()
        .filter(|node| node.key().is_some())
        .count()
}

/// Replaces values in the text of a tape, also across its chunks.
fn redact_tape(
    document: &Document,
    name: &str,
    redactor: &Redactor,
    places: &mut usize,
) -> Result<Option<Document>, Vec<EditRefusal>> {
    let mut changed: Option<Document> = None;
    loop {
        let current = changed.as_ref().unwrap_or(document);
        let DocumentBody::Tape(tape) = &current.body else {
            return Ok(changed);
        };
        let text = TapeText::new(tape);
        let found = redactor.find.find(text.text());
        let Some((range, word)) = found.into_iter().next() else {
            return Ok(changed);
        };
        let value = &text.text()[range.clone()];
        let parts = text
            .text()
            .match_indices(value)
            .map(|(at, _)| at..at + value.len());
        let parts: Vec<_> = parts.collect();
        *places += parts.len();
        let edit = TapeEdit::Redact {
            target: RedactTarget::Parts(parts),
            fill: Fill::Text(word),
        };
        let plan = edits::plan(current, &edit).map_err(|refusal| vec![refusal])?;
        let Some(plan) = plan else {
            return Ok(changed);
        };
        let mut text = current.source().text().to_owned();
        plan.edit.apply(&mut text);
        changed = Some(format::read(Source::new(text), name));
    }
}

/// Renames the first key that contains a value.
fn rename_key(
    document: &Document,
    name: &str,
    redactor: &Redactor,
) -> Result<Option<Document>, Vec<EditRefusal>> {
    let mut nodes = document.tree.nodes();
    let found = nodes.find_map(|node| Some((node.pointer(), redactor.rename(node.key()?)?)));
    let Some((pointer, key)) = found else {
        return Ok(None);
    };
    let planned = edit::plan(&document.tree, &Edit::Rename { pointer, key });
    let planned = planned.map_err(|refusal| vec![refusal])?;
    let mut text = document.source().text().to_owned();
    planned.apply(&mut text);
    Ok(Some(format::read(Source::new(text), name)))
}

/// Replaces values outside of all data, as in comments. Returns the text and the number of places; `None` if there are none.
fn redact_comments(
    tree: &Tree,
    name: &str,
    redactor: &Redactor,
) -> Result<Option<(String, usize)>, Vec<EditRefusal>> {
    let text = tree.source().text();
    let found = redactor.find.find(text);
    if found.is_empty() {
        return Ok(None);
    }
    let (mut after, mut end) = (String::with_capacity(text.len()), 0);
    let places = found.len();
    let first = found[0].0.start;
    for (range, word) in found {
        after.push_str(&text[end..range.start]);
        after.push_str(&word);
        end = range.end;
    }
    after.push_str(&text[end..]);
    let changed = format::read(Source::new(after.as_str()), name);
    let values = |tree: &Tree| -> Vec<String> {
        let nodes = tree.nodes();
        nodes
            .map(|node| format!("{:?} {:?} {:?}", node.kind(), node.key(), node.as_str()))
            .collect()
    };
    if values(&changed.tree) == values(tree) {
        return Ok(Some((after, places)));
    }
    let mut finder = PlaceFinder::new(tree.source());
    Err(vec![EditRefusal {
        reason: "This value cannot be replaced without changing other data".to_owned(),
        place: finder.place_at(first),
    }])
}
