//! Makes a recording, a cassette or a tape *stable*: what differs in every recording of the same calls is replaced, so that the next
//! one differs only where it must.
//!
//! - **Ids** that services and clients generate become a hash of their call, of the same length and with the same prefix, the same one
//!   wherever the file has the id: in addresses, in decoded bodies, in the events of a stream.
//!   So does the boundary between the parts of a form.
//! - **Times** become zero, or 1970-01-01 in the form they have.
//! - **Headers** that do not matter for playback are removed.
//! - The file ends with a line end, and lines of JSON have no blanks at their ends.
//!
//! A stable file stays as it is. What a model wrote or was given, such as the arguments of tools, is never changed, and what the player
//! compares stays equal wherever it was: an id that the tested program chose itself stays if it is in an address, and everything that
//! it wrote into a body stays if bodies are compared.

mod collect;
mod format;
mod headers;
mod ids;
mod times;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::cassette_config::CassetteFacts;
use collect::{FoundTexts, StableText, TextPart};
use document::body::{pack, with_payloads};
use document::call::BodyLayer;
use document::edit::{
    EditRefusal, JsonValue, NewValue, length_value, readable, remove_members, replace_values,
};
use document::format::RecordingFormat;
use document::text::{Source, remove_overlapping, with_replaced};
use document::{Document, DocumentBody, FileKind, NodeId, read_as};
use ids::StableIds;

pub use collect::is_content;

/// The table `[stable]` of `retake.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StableSettings {
    /// Whether files are made stable whenever they are saved.
    pub on_save: bool,
    /// More headers to remove, in lower case; one that ends with `*` is the start of names.
    pub headers: Vec<Box<str>>,
    /// Headers and keys of values that stay.
    pub keep: Vec<Box<str>>,
}

/// Settings by which one file is made stable when it is saved.
#[derive(Clone, Debug)]
pub struct StableSave {
    /// The name of the file.
    pub name: Box<str>,
    pub settings: StableSettings,
    /// Configuration of a cassette.
    pub facts: Option<CassetteFacts>,
    /// The description of its format.
    pub format: Option<Arc<RecordingFormat>>,
}

impl StableSave {
    /// Makes a document stable; see [`stabilize`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn plan(&self, document: &Document) -> Result<StablePlan, EditRefusal> {
        stabilize(document, &self.name, &self.settings, self.facts.as_ref())
    }

    /// Returns the text to save in place of one; `None` if it is stable, or cannot be read.
    pub fn text(&self, bytes: &[u8]) -> Option<Source> {
        let source = Source::from_bytes(bytes.to_vec());
        self.plan(&read_as(source, &self.name, self.format.as_ref())).ok()?.after
    }
}

/// A file made stable.
#[derive(Clone, Debug, Default)]
pub struct StablePlan {
    /// The text afterwards; `None` if the file is stable.
    pub after: Option<Source>,
    /// Number of different ids that change.
    pub ids: usize,
    /// Number of times that change.
    pub times: usize,
    /// Number of headers that are removed.
    pub headers: usize,
    /// Values that cannot be changed, with the reason; the place is in the file as it was.
    pub refused: Vec<EditRefusal>,
}

/// Returns whether a file can be made stable.
pub fn can_be_stable(kind: FileKind) -> bool {
    matches!(kind, FileKind::Recording | FileKind::Cassette | FileKind::Tape)
}

/// Makes a document stable. `name` is the name of its file, and `facts` what is configured about a cassette. A document of another
/// kind is stable.
///
/// # Errors
///
/// Returns an error if the text could not be understood as a whole.
pub fn stabilize(
    document: &Document,
    name: &str,
    settings: &StableSettings,
    facts: Option<&CassetteFacts>,
) -> Result<StablePlan, EditRefusal> {
    if !can_be_stable(document.kind()) {
        return Ok(StablePlan::default());
    }
    readable(&document.tree)?;
    let default_facts = CassetteFacts::default();
    let facts = facts.unwrap_or(&default_facts);
    let read = |text: &str| document.read_again(Source::new(text), name);
    let texts = FoundTexts::read(document, settings, facts);
    if !texts.plain_times.is_empty() {
        // A time without quotes is written as it is read, so this needs no plan.
        let text = with_replaced(document.source().text(), &texts.plain_times);
        let mut plan = stabilize(&read(&text), name, settings, Some(facts))?;
        plan.times += texts.plain_times.len();
        // Except for these times, the file may be stable.
        plan.after = plan.after.or_else(|| Some(Source::new(text)));
        return Ok(plan);
    }
    let ids = StableIds::new(&texts, name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    let mut plan = StablePlan { ids: ids.changed, times: texts.times(), ..StablePlan::default() };
    let values = new_values(document, &texts, &ids, &mut plan.refused);
    let edit = replace_values(&document.tree, &values)?;
    let refusals = edit.refused.into_iter();
    plan.refused.extend(refusals.map(|(_, refusal)| refusal));
    let mut text = edit.text;
    // After the values: their places would be others in a text without the headers.
    if matches!(document.body, DocumentBody::Foreign(_)) {
        let old_document = read(&text);
        let old_headers = headers::removed(&old_document, settings, facts);
        let header_edit = remove_members(&old_document.tree, &old_headers.members)?;
        // The mappings without headers are found again, now that they are without others.
        let edited_document = read(&header_edit.text);
        let hole = |node: &NodeId| {
            let node = edited_document.tree.at_pointer(&old_document.node(*node).pointer())?;
            Some(NewValue { node: node.id(), value: JsonValue::object(&[]), parts: Vec::new() })
        };
        let empty_mappings: Vec<NewValue> = old_headers.mappings.iter().filter_map(hole).collect();
        let mapping_edit = replace_values(&edited_document.tree, &empty_mappings)?;
        plan.headers = old_headers.count;
        for (_, refusal) in header_edit.refused.into_iter().chain(mapping_edit.refused) {
            plan.headers -= 1;
            plan.refused.push(refusal);
        }
        text = mapping_edit.text;
    }
    let text = format::fixed(text, name);
    let is_stable = text == document.source().text();
    plan.after = (!is_stable).then(|| Source::new(text));
    Ok(plan)
}

/// Returns the values of the file that change, in the order of the text.
fn new_values(
    document: &Document,
    texts: &FoundTexts<'_>,
    ids: &StableIds,
    refusals: &mut Vec<EditRefusal>,
) -> Vec<NewValue> {
    let entry = |(node, value)| (node, NewValue { node, value, parts: Vec::new() });
    let mut values: BTreeMap<NodeId, NewValue> = texts.numbers.iter().cloned().map(entry).collect();
    let mut add = |node: NodeId, new: &str, parts, lengths: &[(NodeId, usize)], size| {
        values.insert(node, NewValue { node, value: JsonValue::text(new), parts });
        values.extend(new_lengths(document, lengths, size).map(entry));
    };
    let mut messages: BTreeMap<NodeId, Payloads> = BTreeMap::new();
    for text in &texts.texts {
        let parts = changed_parts(text, ids);
        if parts.is_empty() {
            continue;
        }
        let content = with_replaced(&text.text, &parts);
        if !matches!(text.part, TextPart::Whole | TextPart::Bytes) {
            add_payload(messages.entry(text.node).or_default(), text, content);
            continue;
        }
        let (new, size, parts) = if text.layers.is_empty() {
            let size = content.len();
            (content, size, parts)
        } else {
            let node = document.node(text.node);
            let old = node.scalar_text().unwrap_or_default();
            let bytes = match text.part {
                // In such a text, each character is one byte.
                TextPart::Bytes => content.chars().map(|c| c as u8).collect(),
                _ => content.into_bytes(),
            };
            let Some((new, size)) = pack(bytes, &text.layers, old) else {
                refusals.push(EditRefusal::at(node, "The body cannot be encoded again"));
                continue;
            };
            // The parts are places in the content, not in the text that stores it.
            (new, size, Vec::new())
        };
        add(text.node, &new, parts, &text.lengths, size);
    }
    for stream in &texts.streams {
        let Some(payloads) = messages.remove(&stream.node) else { continue };
        let node = document.node(stream.node);
        let old = node.scalar_text().unwrap_or_default();
        let bytes = with_payloads(&stream.bytes, &payloads);
        let Some((new, size)) = bytes.and_then(|bytes| pack(bytes, &stream.layers, old)) else {
            refusals.push(EditRefusal::at(node, "The body cannot be encoded again"));
            continue;
        };
        add(stream.node, &new, Vec::new(), &stream.lengths, size);
    }
    values.into_values().collect()
}

/// Returns the values that say how many bytes a body has, each with what it becomes, unless it says so already.
fn new_lengths(
    document: &Document,
    lengths: &[(NodeId, usize)],
    size: usize,
) -> impl Iterator<Item = (NodeId, JsonValue)> {
    let entries = lengths.iter().filter(move |(_, bytes)| *bytes != size);
    entries.filter_map(move |(node, _)| Some((*node, length_value(document.node(*node), size)?)))
}

/// The payloads of an event stream that change, by the numbers of their messages.
type Payloads = BTreeMap<usize, String>;

/// Adds the new content of a payload, or of what it has in Base64, which follows it.
fn add_payload(payloads: &mut Payloads, old: &StableText<'_>, data: String) {
    match old.part {
        TextPart::Whole | TextPart::Bytes => {}
        TextPart::Payload(number) => drop(payloads.insert(number, data)),
        TextPart::Encoded(number) => {
            let encode = |text: &str| pack(text.as_bytes().to_vec(), &[BodyLayer::Base64], "");
            let (Some((old_base64, _)), Some((new_base64, _))) = (encode(&old.text), encode(&data))
            else {
                return;
            };
            let payload = payloads.get(&number).map_or(&*old.around, String::as_str);
            payloads.insert(number, payload.replacen(&old_base64, &new_base64, 1));
        }
    }
}

/// Returns the parts of a text that change: its times, and the ids in it.
fn changed_parts(text: &StableText<'_>, ids: &StableIds) -> Vec<(Range<usize>, String)> {
    let mut parts = text.times.clone();
    parts.extend(ids.find(&text.text));
    parts.sort_by_key(|(range, _)| range.start);
    remove_overlapping(&mut parts, |(range, _)| range);
    parts
}
