//! The values to replace, from all files.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::machine::{self, MachineSearch};
use super::personal::{NameList, find_personal_in};
use calls::decoded_view::{
    DocumentTexts, MarkedSecret, Part, SecretSearch, TextName, TextSearch, marked_tree,
    search_document,
};
use calls::reading::listed_calls;
use calls::secret::{
    CustomPatterns, FoundSecret, Mask, Redaction, RedactionKey, SecretClass, SecretKind,
    find_placeholders, is_redacted,
};
use document::text::remove_overlapping;
use document::{Document, Tree};

/// Secrets shorter than this are too common to be replaced wherever they occur.
const MIN_CHARS: usize = 4;

/// Kinds of values that are looked for, and those that are not, as a sentence without a full stop.
pub const CHECKED_FOR: &str = "Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public \
     IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of \
     fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples \
     (RFC 2606), such as `.example`, are harmless";

/// The same of names of machines.
pub const CHECKED_FOR_MACHINE: &str = "Checked for users in paths, temporary folders, names of computers, and ids of processes and shells; not for \
     users that many machines have, such as `/home/runner`, and not for names of users elsewhere than in a path";

/// Kind of value that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// Keys, tokens and passwords.
    Secret,
    Email,
    Cookie,
    /// Ids of accounts, organizations and projects.
    Id,
    /// Other personal data, by its label.
    Personal(&'static str),
}

impl ValueKind {
    pub(crate) fn of(kind: SecretKind) -> Self {
        match kind.class {
            _ if kind.label.ends_with("cookie") => Self::Cookie,
            SecretClass::Personal => Self::Personal(kind.label),
            SecretClass::Address => Self::Email,
            SecretClass::Key => Self::Secret,
            SecretClass::Account => Self::Id,
        }
    }

    /// All, in the order of their names on the command line.
    pub const ALL: [Self; 14] = [
        Self::Secret,
        Self::Email,
        Self::Cookie,
        Self::Id,
        Self::Personal("phone"),
        Self::Personal("street"),
        Self::Personal("card"),
        Self::Personal("account"),
        Self::Personal("name"),
        Self::Personal("identity"),
        Self::Personal("customer"),
        Self::Personal("birthdate"),
        Self::Personal("ip"),
        Self::MACHINE,
    ];

    /// Names of one machine, which are looked for only on request.
    pub const MACHINE: Self = Self::Personal(machine::LABEL);

    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Email => "email",
            Self::Cookie => "cookie",
            Self::Id => "id",
            Self::Personal(label) => label,
        }
    }
}

/// The personal data and secrets of all files.
#[derive(Clone, Debug, Default)]
pub struct PersonalValues {
    /// By value.
    found: BTreeMap<String, SecretKind>,
}

impl PersonalValues {
    /// Adds the values in all texts of a document, in comments and numbers, and in what cannot be parsed.
    pub fn add(&mut self, document: &Document, own: &CustomPatterns, names: &NameList) {
        let secrets = SecretSearch::of_document(document, own);
        self.add_found(document, &mut PersonalSearch { own, names, secrets });
    }

    /// Adds what names a machine.
    pub fn add_machine(&mut self, document: &Document, own: &CustomPatterns) {
        self.add_found(document, &mut MachineSearch { own });
    }

    fn add_found(&mut self, document: &Document, search: &mut dyn TextSearch) {
        for parts in search_document(document, &listed_calls(document), search) {
            for found in parts.parts.into_iter().flat_map(|part| part.found) {
                self.insert(found.kind, &found.text);
            }
        }
    }

    /// Adds the values in a name, such as that of a file.
    pub fn add_text(&mut self, text: &str, own: &CustomPatterns, names: &NameList) {
        for found in personal_values(text, TextName::None, own, names) {
            self.insert(found.kind, &text[found.range]);
        }
    }

    fn insert(&mut self, kind: SecretKind, value: &str) {
        // Personal data has a form or is in a list, so even a short name counts.
        let is_listed = kind.class == SecretClass::Personal;
        let is_long = is_listed || value.chars().count() >= MIN_CHARS;
        // The first kind stays, so that one value has one placeholder everywhere.
        if is_long && !is_redacted(value) && !self.found.contains_key(value) {
            self.found.insert(value.to_owned(), kind);
        }
    }

    /// Removes the values that are not of these kinds.
    pub fn retain(&mut self, kinds: &[ValueKind]) {
        self.found.retain(|_, kind| kinds.contains(&ValueKind::of(*kind)));
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns how many values of each kind there are.
    pub fn counts(&self) -> BTreeMap<ValueKind, usize> {
        let mut counts = BTreeMap::new();
        for kind in self.found.values() {
            *counts.entry(ValueKind::of(*kind)).or_default() += 1;
        }
        counts
    }

    /// Returns a mask that hides the values.
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::default();
        for (value, kind) in &self.found {
            mask.add(*kind, value);
        }
        mask
    }

    /// Returns the placeholders of all values.
    pub fn redaction(&self, key: RedactionKey) -> Redaction {
        let mut redaction = Redaction::with_key(key);
        for (value, kind) in &self.found {
            redaction.add(*kind, value);
        }
        redaction
    }
}

/// Finds all secrets and personal data of a document and the names of a list, in the order of the text.
pub fn scan_personal<'t>(
    texts: &DocumentTexts<'t, '_>,
    own: &CustomPatterns,
    names: &NameList,
) -> Vec<MarkedSecret<'t>> {
    let secrets = SecretSearch::of_document(texts.document(), own);
    texts.marked(&mut PersonalSearch { own, names, secrets })
}

/// Finds all secrets and personal data of the values of a tree, as [`scan_personal`] does.
pub fn find_personal_data<'t>(
    tree: &'t Tree,
    own: &CustomPatterns,
    names: &NameList,
) -> Vec<MarkedSecret<'t>> {
    let secrets = SecretSearch::new(own);
    marked_tree(tree, &mut PersonalSearch { own, names, secrets })
}

/// Looks for secrets and for personal data.
struct PersonalSearch<'a> {
    own: &'a CustomPatterns,
    names: &'a NameList,
    secrets: SecretSearch<'a>,
}

impl TextSearch for PersonalSearch<'_> {
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part> {
        let mut secrets = self.secrets.find(text, name);
        secrets.extend(personal_values(text, name, self.own, self.names));
        // The longer of two that begin together comes first, because the later one is dropped.
        secrets.sort_by_key(|value| (value.range.start, Reverse(value.range.end)));
        remove_overlapping(&mut secrets, |value| &value.range);
        secrets.into_iter().map(|value| Part::new(value, text)).collect()
    }

    fn marks(&self, _: &str) -> Option<Vec<usize>> {
        None
    }
}

/// Finds personal data outside of placeholders.
fn personal_values(
    text: &str,
    name: TextName<'_>,
    own: &CustomPatterns,
    names: &NameList,
) -> Vec<FoundSecret> {
    let mut secrets = find_personal_in(text, name, names);
    if !secrets.is_empty() {
        let placeholders = find_placeholders(text);
        let is_known = |at: usize| placeholders.iter().any(|range| range.contains(&at));
        secrets.retain(|v| !own.allows(&text[v.range.clone()]) && !is_known(v.range.start));
    }
    secrets
}
