//! Replaces values in one document.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::values::{chunk_spans, outside_texts};
use crate::format::{self, Document, DocumentBody, Tree};
use crate::ops::Pool;
use crate::ops::edit::{self, Edit, EditRefusal};
use crate::ops::playback::SetRecording;
use crate::ops::replace::{self, Replacement, TextPattern};
use crate::ops::secret::{Redaction, RedactionFinder};
use crate::ops::signature::Signature;
use crate::ops::tape::edits::{self, Fill, RedactTarget, TapeEdit};
use crate::ops::tape::text::TapeText;
use crate::text::{Place, PlaceFinder, Source, quoted, with_replaced};

/// Replaces the values of a redaction.
#[derive(Debug)]
pub struct Redactor {
    find: Arc<RedactionFinder>,
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
    /// When there are too many values, or one occurs in the placeholders.
    pub fn new(redaction: &Redaction) -> Result<Self, String> {
        let find = redaction.finder()?;
        find.check_placeholders()?;
        Ok(Self {
            find: Arc::new(find),
            pool: Pool::default(),
        })
    }

    /// Returns whether a document has a value.
    fn finds_any(&self, document: &Document) -> bool {
        let has = |text: &str| self.finds(text);
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
        // Brackets and @ would have to be quoted in a shell.
        let is_plain = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.');
        let found = self.find.find(name).into_iter();
        let plain = found.map(|(range, word)| (range, word.chars().filter(is_plain).collect()));
        let plain: Vec<(_, String)> = plain.collect();
        (!plain.is_empty()).then(|| with_replaced(name, &plain))
    }

    /// Returns whether a text has a value.
    pub fn finds(&self, text: &str) -> bool {
        !self.find.find(text).is_empty()
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
    if let Some(refusal) = refuse_matching(document, &before, redactor) {
        return Err(vec![refusal]);
    }
    let mut places = 0;
    let mut changed = redact_tape(document, name, redactor, &mut places)?;
    let current = changed.as_ref().unwrap_or(document);
    // A text without any value, such as a log, is replaced like comments.
    if !current.tree.is_empty() || current.tree.fault().is_some() {
        let replacement = Replacement::Text {
            find: TextPattern::Each(Arc::clone(&redactor.find)),
            at: None,
        };
        let mut finder = PlaceFinder::new(current.source());
        let chunks = chunk_spans(current).into_iter();
        let chunks: Vec<(Place, Place)> = chunks
            .map(|it| (finder.place_at(it.start), finder.place_at(it.end)))
            .collect();
        let is_in_chunk = |place: Place| {
            let next = chunks.partition_point(|(_, end)| *end <= place);
            chunks.get(next).is_some_and(|(start, _)| *start <= place)
        };
        let plan = replace::plan(current, &[replacement], &is_in_chunk);
        if !plan.refused.is_empty() {
            return Err(plan.refused);
        }
        places += plan.places.len();
        if let Some(edit) = plan.edit {
            let mut text = current.source().text().to_owned();
            edit.apply(&mut text);
            changed = Some(format::read(Source::new(text), name));
        }
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
    if before != after {
        return Err(vec![EditRefusal {
            reason: "Which recording answers a request would change".to_owned(),
            place: Place::START,
        }]);
    }
    Ok(Some(RedactedDocument {
        after: changed.source().clone(),
        places,
    }))
}

/// Refuses a document in which a value is a part of what decides which recording is chosen; the value itself is not shown.
fn refuse_matching(
    document: &Document,
    facts: &BTreeSet<String>,
    redactor: &Redactor,
) -> Option<EditRefusal> {
    let mut lines = facts.iter().flat_map(|fact| fact.lines());
    let fact = lines.find(|line| redactor.finds(line))?;
    let is_fact = |text: Option<&str>| text == Some(fact);
    let mut nodes = document.tree.nodes();
    let node = nodes.find(|node| is_fact(node.key()) || is_fact(node.as_str()));
    let what = quoted(&with_replaced(fact, &redactor.find.find(fact)));
    Some(EditRefusal {
        reason: format!("Which recording answers a request depends on {what}; rename it first"),
        place: node.map_or(Place::START, |node| node.place()),
    })
}

fn count_keys(document: &Document) -> usize {
    let nodes = document.tree.nodes();
    nodes.filter(|node| node.key().is_some()).count()
}

/// Replaces values in the text of a tape, also across its chunks.
fn redact_tape(
    document: &Document,
    name: &str,
    redactor: &Redactor,
    places: &mut usize,
) -> Result<Option<Document>, Vec<EditRefusal>> {
    let DocumentBody::Tape(tape) = &document.body else {
        return Ok(None);
    };
    let text = TapeText::new(tape);
    let found = redactor.find.find(text.text()).into_iter();
    let (parts, words): (Vec<_>, Vec<_>) =
        found.map(|(range, word)| (range, word.to_owned())).unzip();
    if parts.is_empty() {
        return Ok(None);
    }
    *places += parts.len();
    let edit = TapeEdit::Redact {
        target: RedactTarget::Parts(parts),
        fill: Fill::Texts(words),
    };
    let plan = edits::plan(document, &edit).map_err(|refusal| vec![refusal])?;
    Ok(plan.map(|plan| {
        let mut text = document.source().text().to_owned();
        plan.edit.apply(&mut text);
        format::read(Source::new(text), name)
    }))
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
    let found = outside_texts(tree).into_iter().flat_map(|outside| {
        let found = redactor.find.find(&text[outside.clone()]).into_iter();
        found.map(move |(it, word)| (outside.start + it.start..outside.start + it.end, word))
    });
    let found: Vec<(Range<usize>, &str)> = found.collect();
    let Some((first, _)) = found.first() else {
        return Ok(None);
    };
    let after = with_replaced(text, &found);
    let changed = format::read(Source::new(after.as_str()), name);
    let values = |tree: &Tree| -> Vec<String> {
        let nodes = tree.nodes();
        nodes
            .map(|node| format!("{:?} {:?} {:?}", node.kind(), node.key(), node.as_str()))
            .collect()
    };
    if values(&changed.tree) == values(tree) {
        return Ok(Some((after, found.len())));
    }
    let mut finder = PlaceFinder::new(tree.source());
    Err(vec![EditRefusal {
        reason: "This value cannot be replaced without changing other data".to_owned(),
        place: finder.place_at(first.start),
    }])
}
