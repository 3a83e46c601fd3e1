//! `signature-shared`: recordings with the same signature, which match the same requests.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::phrases::folder_name;
use super::project::{ProjectIndex, is_loaded};
use calls::Item;
use document::signature::{Signature, utf16_order};
use document::text::{count, visible};
use document::{Problem, RuleId};

rule! {
    /// Several recordings in the same folder have the same signature, as released players compare it. A request that matches
    /// one of them matches all of them: they are served in the order of their file names, each once.
    ///
    /// This is correct for a machine that visits a node several times. It fails if a test makes its calls in a different
    /// order than the file names are sorted: `turn-10` sorts before `turn-2`.
    SignatureShared {
        title: "Several recordings have the same signature",
        fix: "No change is necessary if the calls are made in the order of the file names; otherwise rename the files.",
    }
}

pub(super) fn judge_project(project: &ProjectIndex<'_>, findings: &mut Vec<(usize, Problem)>) {
    let mut numbers = SignatureNumbers::default();
    let mut groups: HashMap<(&str, usize), SignatureGroup<'_>> = HashMap::new();
    let mut members = Vec::new();
    for (index, item) in &project.items {
        let Some(signature) = item.signature.as_ref() else { continue };
        if !is_loaded(item) || project.recordings_in(item.folder()) < 2 {
            continue;
        }
        let key = (item.folder(), numbers.number(signature, item.signature_stored));
        let group = groups.entry(key).or_insert(SignatureGroup { size: 0, first: item });
        group.size += 1;
        if utf16_order(item.file_name(), group.first.file_name()).is_lt() {
            group.first = item;
        }
        members.push((index, item, key));
    }
    // Most recordings of a group follow each other and have the same message.
    let mut last: Option<((&str, usize), Arc<str>)> = None;
    // A second pass: whether a signature is shared is known only after all recordings.
    for (index, item, key) in members {
        let Some(group) = groups.get(&key).filter(|group| group.size > 1) else { continue };
        let is_first = std::ptr::eq(group.first, *item);
        let message = match &last {
            Some((last_key, message)) if *last_key == key && !is_first => Arc::clone(message),
            _ => describe(group, item, is_first).into(),
        };
        if !is_first {
            last = Some((key, Arc::clone(&message)));
        }
        findings.push((*index, Problem::whole_file(RuleId::SignatureShared, message)));
    }
}

fn describe(group: &SignatureGroup<'_>, item: &Item, is_first: bool) -> String {
    let first_name = if is_first { "this one".into() } else { visible(group.first.file_name()) };
    let other_recordings = count(group.size - 1, "other recording");
    let verb = if group.size == 2 { "has" } else { "have" };
    format!(
        "{other_recordings} in {} {verb} the same signature; {first_name} is served first",
        folder_name(item.folder())
    )
}

struct SignatureGroup<'a> {
    size: usize,
    first: &'a Item,
}

/// Assigns a number to each signature; signatures that released players treat as equal get the same number. Most equal
/// signatures are the same object in memory, so their addresses are compared first, which is faster.
#[derive(Default)]
struct SignatureNumbers<'a> {
    by_address: HashMap<(*const Signature, IsStored), usize>,
    by_value: HashMap<ComparedSignature<'a>, usize>,
}

type IsStored = bool;

/// Tool names, message count, context keys.
type ComparedSignature<'a> = (&'a [Arc<str>], u64, &'a [Arc<str>]);

impl<'a> SignatureNumbers<'a> {
    fn number(&mut self, signature: &'a Arc<Signature>, is_stored: IsStored) -> usize {
        *self.by_address.entry((Arc::as_ptr(signature), is_stored)).or_insert_with(|| {
            // If no signature is stored, players compute one without context keys.
            let keys: &[_] = if is_stored { &signature.context_keys } else { &[] };
            let key = (&*signature.tool_names, signature.message_count, keys);
            let next = self.by_value.len();
            *self.by_value.entry(key).or_insert(next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{project, recording};

    #[test]
    fn each_reports_how_many_and_which_is_served_first() {
        let recording_of = |context: &str, tool: &str| {
            recording(context, &format!(r#"[{{ "name": "{tool}" }}]"#), "[]", "")
        };
        let recording_of_tool = |tool: &str| recording_of("{}", tool);
        let files = [
            ("a/turn-2.json", recording_of_tool("go")),
            ("a/turn-10.json", recording_of_tool("go")),
            // Players compute no context keys where no signature is stored.
            ("a/turn-3.json", recording_of(r#"{ "node": "x" }"#, "go")),
            ("a/turn-1.json", recording_of_tool("stop")),
            ("b/turn-1.json", recording_of_tool("go")),
            // A player skips what is cut.
            ("a/turn-0.json", recording_of_tool("go").trim_end().trim_end_matches('}').to_owned()),
        ];
        insta::assert_snapshot!(project(RuleId::SignatureShared, &files), @"
        a/turn-2.json: note 1:1  2 other recordings in a have the same signature; turn-10.json is served first
        a/turn-10.json: note 1:1  2 other recordings in a have the same signature; this one is served first
        a/turn-3.json: note 1:1  2 other recordings in a have the same signature; turn-10.json is served first
        ");
    }
}
