//! Replaces values in one document.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::replace::with_parts;
use calls::Pool;
use calls::decoded_view::{
    FoundParts, Part, SecretSearch, Spot, TextName, TextSearch, replace_in_text, search_document,
    search_tree,
};
use calls::reading::listed_calls;
use calls::secret::{CustomPatterns, Redaction, RedactionFinder};
use calls::tape::edits::{self, TapeEdit};
use document::edit::{self, Edit, EditRefusal, JsonValue, NewValue};
use document::signature::Signature;
use document::text::{Place, Source, quoted, remove_overlapping, with_replaced};
use document::{Document, DocumentBody, Tree};
use play::playback::SetRecording;

/// Replaces the values of a redaction.
#[derive(Debug)]
pub struct Redactor {
    find: RedactionFinder,
    pool: Pool,
}

/// A document after its values were replaced.
#[derive(Clone, Debug)]
pub struct RedactedDocument {
    /// The text after.
    pub after: Source,
    /// Number of places that changed.
    pub places: usize,
}

impl Redactor {
    /// Creates a redactor for all values of a redaction.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many values, or one occurs in the placeholders.
    pub fn new(redaction: &Redaction) -> Result<Self, String> {
        let find = redaction.finder()?;
        find.check_placeholders()?;
        Ok(Self { find, pool: Pool::default() })
    }

    fn search<'d>(&self, document: &'d Document, own: &CustomPatterns) -> Vec<FoundParts<'d>> {
        let secrets = SecretSearch::of_document(document, own);
        let mut search = ValueSearch { find: &self.find, secrets };
        search_document(document, &listed_calls(document), &mut search)
    }

    /// Returns a name, such as that of a file, without values; `None` if it has none.
    pub fn rename(&self, name: &str) -> Option<String> {
        let words = self.find.find(name).into_iter();
        let plain: Vec<_> = words.map(|(range, word)| (range, plain(word))).collect();
        (!plain.is_empty()).then(|| with_replaced(name, &plain))
    }

    /// Returns whether a text has a value.
    pub fn finds(&self, text: &str) -> bool {
        !self.find.find(text).is_empty()
    }
}

/// Returns a placeholder for a name: brackets and @ would have to be quoted in a shell.
fn plain(word: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.');
    word.chars().filter(is_plain).collect()
}

/// Returns the facts that decide which recording, seed or session is chosen, as text.
fn matching(document: &Document, pool: &Pool) -> BTreeSet<String> {
    let describe = |what: &str, signature: &Signature| {
        let names = signature.tool_names.join("\n");
        let keys = signature.context_keys.join("\n");
        format!("{what}\n{names}\n{}\n{keys}", signature.message_count)
    };
    let mut facts = BTreeSet::new();
    match &document.body {
        DocumentBody::Recording(_) => {
            let path: Arc<str> = "recording.json".into();
            if let Ok(read) = SetRecording::read(path, document, pool) {
                facts.insert(describe("computed", &read.matching.computed));
                facts.extend(read.matching.stored.iter().map(|s| describe("stored", s)));
                facts.insert(format!("{:?} {}", read.response, read.calls.join("\n")));
            }
        }
        DocumentBody::Seeds(_) => {
            facts.extend(document.tree.nodes().filter_map(|node| node.key()).map(str::to_owned));
        }
        _ => {}
    }
    facts
}

/// Returns a text without the values of a redaction, also within its escapes and layers.
pub fn redact_text(text: &str, find: &RedactionFinder) -> String {
    let own = CustomPatterns::default();
    let secrets = SecretSearch::new(&own);
    replace_in_text(text, &mut ValueSearch { find, secrets })
}

/// Returns the pointer of a value in which one of a redaction is, or of a member whose key has one.
pub fn remaining_place(tree: &Tree, find: &RedactionFinder) -> Option<String> {
    let own = CustomPatterns::default();
    let mut search = ValueSearch { find, secrets: SecretSearch::new(&own) };
    let parts = search_tree(tree, &mut search).into_iter().next()?;
    Some(match parts.spot {
        Spot::Value(node) | Spot::Key(node) => node.bounded_pointer(),
        Spot::Outside | Spot::Chunks => "/".to_owned(),
    })
}

/// Replaces all values in a document named `name`; `None` if it has none.
///
/// # Errors
///
/// The values that cannot be replaced, with their places; nothing is changed then.
pub fn redact(
    document: &Document,
    name: &str,
    redactor: &Redactor,
    own: &CustomPatterns,
) -> Result<Option<RedactedDocument>, Vec<EditRefusal>> {
    let first = redactor.search(document, own);
    if first.is_empty() {
        return Ok(None);
    }
    let old_matching = matching(document, &redactor.pool);
    if let Some(refusal) = refuse_matching(document, &old_matching, redactor) {
        return Err(vec![refusal]);
    }
    let mut places = 0;
    let mut copy = document.clone();
    type IsSpot = fn(&FoundParts<'_>) -> bool;
    type Step = fn(&Document, &str, &[FoundParts<'_>]) -> StepResult;
    let steps: [(IsSpot, Step); 4] = [
        (|secret| matches!(secret.spot, Spot::Chunks), replace_in_chunks),
        (|secret| matches!(secret.spot, Spot::Value(_)), replace_values),
        (|secret| matches!(secret.spot, Spot::Key(_)), rename_keys),
        (|secret| matches!(secret.spot, Spot::Outside), replace_outside),
    ];
    for (is_spot, step) in steps {
        if !first.iter().any(is_spot) {
            continue;
        }
        // Each step moves the places behind it, so they are searched again.
        if let Some((text, count)) = step(&copy, name, &redactor.search(&copy, own))? {
            places += count;
            copy = document.read_again(Source::new(text), name);
        }
    }
    // A document that still contains a value is never written.
    if let Some(value) = redactor.search(&copy, own).first() {
        let at = value.parts.first().map_or(0, |part| value.written(part).start);
        return Err(vec![refusal(&copy, at, "This value cannot be replaced here")]);
    }
    if old_matching != matching(&copy, &redactor.pool) {
        return Err(vec![refusal(document, 0, "Which recording answers a request would change")]);
    }
    let new_source = copy.source().clone();
    Ok(Some(RedactedDocument { after: new_source, places }))
}

fn refusal(document: &Document, at: usize, reason: &str) -> EditRefusal {
    EditRefusal { reason: reason.to_owned(), place: document.source().place(at) }
}

/// Refuses a document in which a value is a part of what decides which recording is chosen; the value itself is not shown.
fn refuse_matching(
    document: &Document,
    facts: &BTreeSet<String>,
    redactor: &Redactor,
) -> Option<EditRefusal> {
    let fact = facts.iter().flat_map(|fact| fact.lines()).find(|line| redactor.finds(line))?;
    let is_fact = |text: Option<&str>| text == Some(fact);
    let node = document.tree.nodes().find(|node| is_fact(node.key()) || is_fact(node.as_str()));
    let what = quoted(&with_replaced(fact, &redactor.find.find(fact)));
    Some(EditRefusal {
        reason: format!("Which recording answers a request depends on {what}; rename it first"),
        place: node.map_or(Place::START, |node| node.place()),
    })
}

/// The text after a step, and how many places it changed.
type StepResult = Result<Option<(String, usize)>, Vec<EditRefusal>>;

/// Replaces values in the text of a tape, also across its chunks.
fn replace_in_chunks(document: &Document, _: &str, secrets: &[FoundParts<'_>]) -> StepResult {
    let Some(chunk_parts) = secrets.iter().find(|s| matches!(s.spot, Spot::Chunks)) else {
        return Ok(None);
    };
    let parts = chunk_parts.parts.iter().map(|part| (part.range.clone(), part.new.clone()));
    let edit = TapeEdit::Redact { parts: parts.collect() };
    let plan = edits::plan(document, &edit).map_err(|refusal| vec![refusal])?;
    Ok(plan.map(|plan| {
        let mut text = document.source().text().to_owned();
        plan.edit.apply(&mut text);
        (text, chunk_parts.parts.len())
    }))
}

/// Replaces values in texts, also in their layers, and corrects the lengths of bodies.
fn replace_values(document: &Document, _: &str, secrets: &[FoundParts<'_>]) -> StepResult {
    let tree = &document.tree;
    let (mut values, mut places, mut refused) = (Vec::new(), 0, Vec::new());
    for secret in secrets {
        let Spot::Value(node) = secret.spot else { continue };
        places += secret.parts.iter().map(|part| part.places).sum::<usize>();
        for part in &secret.parts {
            let at = secret.written(part).start;
            refused.extend(part.fault.map(|reason| refusal(document, at, reason)));
        }
        let parts = secret.parts.iter().map(|part| (part.range.clone(), part.new.clone()));
        let parts: Vec<_> = parts.collect();
        let extent = node.scalar_text().map(|text| 0..text.len());
        let (value, parts) = match &parts[..] {
            // A value that is replaced as a whole needs no place within its spelling.
            [(range, new)] if Some(range) == extent.as_ref() => (JsonValue::text(new), Vec::new()),
            _ => (with_parts(node, &parts), parts),
        };
        values.push(NewValue { node: node.id(), value, parts });
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    if values.is_empty() {
        return Ok(None);
    }
    let result = edit::replace_values(tree, &values).map_err(|refusal| vec![refusal])?;
    if !result.refused.is_empty() {
        return Err(result.refused.into_iter().map(|(_, refusal)| refusal).collect());
    }
    Ok(Some((edit::correct_lengths(tree, result.text), places)))
}

/// Renames the keys that have values, from the last to the first, so that the pointers of the others stay.
fn rename_keys(document: &Document, name: &str, secrets: &[FoundParts<'_>]) -> StepResult {
    let (mut changed_document, mut places) = (None::<Document>, 0);
    for secret in secrets.iter().rev() {
        let Spot::Key(node) = secret.spot else { continue };
        let key = node.key().unwrap_or_default();
        let words = secret.parts.iter().map(|part| (part.range.clone(), plain(&part.new)));
        let key = with_replaced(key, &words.collect::<Vec<_>>());
        let edit = Edit::Rename { pointer: node.pointer(), key };
        let current = changed_document.as_ref().unwrap_or(document);
        let planned = edit::plan(&current.tree, &edit).map_err(|refusal| vec![refusal])?;
        let mut text = current.source().text().to_owned();
        planned.apply(&mut text);
        places += 1;
        changed_document = Some(document.read_again(Source::new(text), name));
    }
    Ok(changed_document.map(|c| (c.source().text().to_owned(), places)))
}

/// Replaces values outside of all data, as in comments, and in a text without any data, such as a log.
fn replace_outside(document: &Document, name: &str, secrets: &[FoundParts<'_>]) -> StepResult {
    let mut outside = secrets.iter().filter(|secret| matches!(secret.spot, Spot::Outside));
    let Some(first_parts) = outside.next() else { return Ok(None) };
    let parts = first_parts.parts.iter().map(|part| (part.range.clone(), &*part.new));
    let new_text = with_replaced(document.source().text(), &parts.collect::<Vec<_>>());
    let changed_document = document.read_again(Source::new(new_text.as_str()), name);
    let values = |tree: &Tree| -> Vec<String> {
        let nodes = tree.nodes();
        nodes.map(|n| format!("{:?} {:?} {:?}", n.kind(), n.key(), n.as_str())).collect()
    };
    if values(&changed_document.tree) == values(&document.tree) {
        return Ok(Some((new_text, first_parts.parts.len())));
    }
    let reason = "This value cannot be replaced without changing other data";
    Err(vec![refusal(document, first_parts.parts.first().map_or(0, |p| p.range.start), reason)])
}

/// Finds the values of a redaction; what is replaced only where it is recognised also as a secret.
struct ValueSearch<'a> {
    find: &'a RedactionFinder,
    secrets: SecretSearch<'a>,
}

impl TextSearch for ValueSearch<'_> {
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part> {
        let words = self.find.find(text).into_iter();
        let mut replacements: Vec<(Range<usize>, String)> =
            words.map(|(range, word)| (range, word.to_owned())).collect();
        if self.find.has_recognised() {
            replacements.extend(self.secrets.find(text, name).into_iter().filter_map(|secret| {
                let word = self.find.placeholder_if_recognised(&text[secret.range.clone()])?;
                Some((secret.range, word.to_owned()))
            }));
            replacements.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
            remove_overlapping(&mut replacements, |(range, _)| range);
        }
        let part = |(range, new)| Part { range, new, places: 1, ..Part::default() };
        replacements.into_iter().map(part).collect()
    }

    fn marks(&self, _: &str) -> Option<Vec<usize>> {
        None
    }
}
