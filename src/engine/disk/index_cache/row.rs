//! Stores a row: all that depends on the bytes of its file alone, and on what a cache is for.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::TextCollector;
use super::bytes::{ByteReader, ByteWriter};
use crate::disk::reader::FileListing;
use calls::cassette_config::{
    CassetteFacts, ConfigFilter, ConfigOrigin, ConfigTexts, FilterEntry, MaxAge, TestPlace,
};
use calls::secret::{HashKey, HashedSecrets, Mask};
use calls::source::{SourceFinding, SourceState};
use calls::{CallRow, HttpLine, Item, ItemFacts, ItemSummary, Pool, Rare, RareFacts, SeedKey};
use check::ContractFacts;
use document::ValueMark;
use document::call::CallFailure;
use document::cassette::CassetteClient;
use document::foreign::{Foreign, ForeignFormat};
use document::recording::RecordingVersion;
use document::signature::{Signature, SignatureText};
use document::text::{Place, Span};
use document::{FileKind, NodeId, Problem, ProblemCalls, RuleId, Severity};

/// Row of a file as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredRow {
    /// Whether the file is listed, as far as its bytes decide that.
    pub(crate) listing: FileListing,
    /// The item without its paths. Its problems have the severities of their rules. The state of its source is [`SourceFinding::Unstamped`]:
    /// it depends on other files.
    pub(crate) item: Item,
    pub(crate) extras: RowExtras,
}

/// What is stored beside an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowExtras {
    /// The node that a recording of a source names, which decides whether a change of its source affects it.
    pub(crate) node: Option<Arc<str>>,
    /// The contracts that a session or a configuration refers to, as it spells them.
    pub(crate) references: Vec<Box<str>>,
    /// What was known of these; the row is valid only while that is the same.
    pub(crate) contracts: Option<ContractFacts>,
}

/// Writes one row.
pub(super) struct RowWriter<'a> {
    pub(super) bytes: &'a mut ByteWriter,
    pub(super) texts: &'a mut TextCollector,
}

/// Reads one row.
pub(super) struct RowReader<'a> {
    pub(super) bytes: ByteReader<'a>,
    pub(super) texts: &'a [Arc<str>],
    /// The key of the hashes of secrets.
    pub(super) mask_key: HashKey,
    pub(super) pool: &'a Pool,
}

impl StoredRow {
    /// Writes the row of an item, of whose secrets only the hashes are stored.
    pub(super) fn write(
        listing: FileListing,
        item: &Item,
        (extras, secrets): (&RowExtras, &HashedSecrets),
        writer: &mut RowWriter<'_>,
    ) {
        listing.write(writer);
        write_fields(item, writer);
        item.problems.write(writer);
        write_own(item.id.as_deref(), writer);
        write_own(item.recorded_at.as_deref(), writer);
        secrets.write(writer);
        item.source.is_some().write(writer);
        if let Some(source) = &item.source {
            source.file.write(writer);
            source.recorded_hash.write(writer);
            source.file_mark.write(writer);
            source.hash_mark.write(writer);
        }
        extras.write(writer);
    }

    /// Reads a row; `None` if it is not one.
    pub(super) fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let listing = FileListing::read(reader)?;
        let mut facts = ItemFacts::default();
        read_fields(&mut facts, reader)?;
        let problems = Stored::read(reader)?;
        facts.id = read_own(reader)?;
        facts.recorded_at = read_own(reader)?;
        let secrets = HashedSecrets::read(reader)?;
        // Only the hashes of secrets were stored; they are enough to hide the secrets in texts. Those of the row are hidden already.
        if !secrets.is_empty() {
            facts.rare.edit().secrets = Some(Arc::new(Mask::of_hashes(reader.mask_key, secrets)));
        }
        if bool::read(reader)? {
            let (file, hash) = (Stored::read(reader)?, Stored::read(reader)?);
            let (file_mark, hash_mark) = (Stored::read(reader)?, Stored::read(reader)?);
            facts.source = Some(reader.pool.source(SourceState {
                file_mark,
                hash_mark,
                ..SourceState::new(file, hash, SourceFinding::Unstamped)
            }));
        }
        let mut item = Item::from(facts);
        item.problems = problems;
        Some(Self { listing, item, extras: Stored::read(reader)? })
    }
}

/// Writes and reads fields of an item.
macro_rules! stored_fields {
    ($($field:ident)*) => {
        fn write_fields(facts: &ItemFacts, writer: &mut RowWriter<'_>) {
            $(facts.$field.write(writer);)*
        }

        fn read_fields(facts: &mut ItemFacts, reader: &mut RowReader<'_>) -> Option<()> {
            $(facts.$field = Stored::read(reader)?;)*
            Some(())
        }
    };
}

stored_fields! {
    bytes kind version signature signature_stored summary rare
}

/// The same of the facts that few items have, if this one has any.
macro_rules! stored_rare_facts {
    ($($field:ident)*) => {
        impl Stored for Rare {
            fn write(&self, writer: &mut RowWriter<'_>) {
                let is_empty = *self == Self::default();
                is_empty.write(writer);
                if !is_empty {
                    $(self.$field.write(writer);)*
                }
            }

            fn read(reader: &mut RowReader<'_>) -> Option<Self> {
                if bool::read(reader)? {
                    return Some(Self::default());
                }
                $(let $field = Stored::read(reader)?;)*
                Some(RareFacts { $($field,)* ..RareFacts::default() }.into())
            }
        }
    };
}

stored_rare_facts! {
    model chunks duration_nanos foreign format_name failed_runs calls seed_keys cassette
}

/// Writes a text that few rows share.
fn write_own(text: Option<&str>, writer: &mut RowWriter<'_>) {
    text.is_some().write(writer);
    if let Some(text) = text {
        writer.bytes.text(text);
    }
}

fn read_own<T: for<'t> From<&'t str>>(reader: &mut RowReader<'_>) -> Option<Option<T>> {
    Some(if bool::read(reader)? { Some(reader.bytes.text()?.into()) } else { None })
}

/// A value of a row.
trait Stored: Sized {
    fn write(&self, writer: &mut RowWriter<'_>);

    /// Reads a value; `None` if it is not one.
    fn read(reader: &mut RowReader<'_>) -> Option<Self>;
}

macro_rules! stored_numbers {
    ($($number:ty)*) => {$(
        impl Stored for $number {
            fn write(&self, writer: &mut RowWriter<'_>) {
                writer.bytes.number((*self).into());
            }

            fn read(reader: &mut RowReader<'_>) -> Option<Self> {
                reader.bytes.number()?.try_into().ok()
            }
        }
    )*};
}

stored_numbers!(u16 u32 u64);

/// Writes the number of a value in the list of all.
// Positions are stable enough, since a cache is used only by the build that wrote it.
macro_rules! stored_choices {
    ($($choice:ty: $all:expr;)*) => {$(
        impl Stored for $choice {
            fn write(&self, writer: &mut RowWriter<'_>) {
                // A value that the list lacks becomes a number that is refused, so that the file is read again.
                writer.bytes.length($all.iter().position(|c| c == self).unwrap_or($all.len()));
            }

            fn read(reader: &mut RowReader<'_>) -> Option<Self> {
                $all.get(usize::try_from(reader.bytes.number()?).ok()?).copied()
            }
        }
    )*};
}

stored_choices! {
    bool: [false, true];
    FileKind: FileKind::ALL;
    RuleId: RuleId::ALL;
    Severity: [Severity::Note, Severity::Warning, Severity::Error];
    RecordingVersion: [RecordingVersion::V1, RecordingVersion::V2, RecordingVersion::V3];
    ForeignFormat: ForeignFormat::ALL;
    CassetteClient: CassetteClient::ALL;
    FileListing: [Self::Listed, Self::Deferred, Self::Broken, Self::Uncounted, Self::Ignored];
}

macro_rules! stored_structs {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Stored for $name {
            fn write(&self, writer: &mut RowWriter<'_>) {
                $(self.$field.write(writer);)*
            }

            fn read(reader: &mut RowReader<'_>) -> Option<Self> {
                $(let $field = Stored::read(reader)?;)*
                Some(Self { $($field),* })
            }
        }
    )*};
}

stored_structs! {
    Span { start, end }
    Place { line, column }
    ValueMark { span, place }
    ProblemCalls { numbers, settled_by, files }
    Problem { rule, severity, span, place, pointer, message, help, calls, call_hash }
    RowExtras { node, references, contracts }
    ContractFacts { config, names, files }
    Foreign { format, entries, client }
    HttpLine { method, url, status }
    ItemSummary { tool, quote, note }
    CallRow { node, summary, provider, api, model, started_at, tokens, http, signature, failure, mark }
    SeedKey { key, pointer, mark }
    CassetteFacts { client, match_on, record_mode, repeats, ignored, filters, ignored_paths, hooks, uses_plugin, test, other_tests, expects_error, orphan, missing, max_age, expires }
    ConfigFilter { key, entries, origin }
    FilterEntry { name, value }
    ConfigOrigin { path, line }
    ConfigTexts { key, texts, origin }
    TestPlace { name, origin }
    MaxAge { days, origin, earliest }
}

impl Stored for HashedSecrets {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.short.len().write(writer);
        for (length, hints) in &self.short {
            length.write(writer);
            hints.len().write(writer);
            hints.iter().for_each(|(hash, hint)| {
                hash.write(writer);
                hint.write(writer);
            });
        }
        self.pieces.len().write(writer);
        self.pieces.iter().for_each(|piece| piece.write(writer));
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let short = Vec::<(usize, Vec<(u64, Box<str>)>)>::read(reader)?.into_iter();
        Some(Self {
            short: short.map(|(length, hints)| (length, hints.into_iter().collect())).collect(),
            pieces: Vec::read(reader)?.into_iter().collect(),
        })
    }
}

impl Stored for usize {
    fn write(&self, writer: &mut RowWriter<'_>) {
        writer.bytes.length(*self);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        reader.bytes.number()?.try_into().ok()
    }
}

impl Stored for NonZeroU32 {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.get().write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        Self::new(u32::read(reader)?)
    }
}

impl<T: Stored, U: Stored> Stored for (T, U) {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.0.write(writer);
        self.1.write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        Some((T::read(reader)?, U::read(reader)?))
    }
}

impl Stored for f64 {
    fn write(&self, writer: &mut RowWriter<'_>) {
        writer.bytes.bytes(&self.to_le_bytes());
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        reader.bytes.array().map(Self::from_le_bytes)
    }
}

impl Stored for NodeId {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.number().write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        Stored::read(reader).map(Self::from_number)
    }
}

impl Stored for CallFailure {
    fn write(&self, writer: &mut RowWriter<'_>) {
        // No status of an error is so small.
        match self {
            Self::Status(status) => Some(*status),
            Self::NoAnswer => None,
            Self::UnreadAnswer => Some(0),
            Self::Failed => Some(1),
        }
        .write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let status: Option<u16> = Stored::read(reader)?;
        Some(match status {
            None => Self::NoAnswer,
            Some(0) => Self::UnreadAnswer,
            Some(1) => Self::Failed,
            Some(status) => Self::Status(status),
        })
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.is_some().write(writer);
        if let Some(value) = self {
            value.write(writer);
        }
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        if bool::read(reader)? { T::read(reader).map(Some) } else { Some(None) }
    }
}

impl<T: Stored> Stored for Box<T> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        (**self).write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        T::read(reader).map(Self::new)
    }
}

fn write_all(values: &[impl Stored], writer: &mut RowWriter<'_>) {
    values.len().write(writer);
    values.iter().for_each(|value| value.write(writer));
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        write_all(self, writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let length = reader.bytes.length()?;
        // A damaged length must not take memory.
        let mut values = Self::with_capacity(length.min(64));
        for _ in 0..length {
            values.push(T::read(reader)?);
        }
        Some(values)
    }
}

impl<T: Stored> Stored for Box<[T]> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        write_all(self, writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        Vec::read(reader).map(Self::from)
    }
}

impl Stored for Box<str> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        writer.bytes.text(self);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        reader.bytes.text().map(Self::from)
    }
}

impl Stored for HashSet<Box<str>> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.len().write(writer);
        self.iter().for_each(|text| text.write(writer));
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        Some(Vec::read(reader)?.into_iter().collect())
    }
}

impl Stored for Arc<[Problem]> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        write_all(self, writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let problems = Vec::read(reader)?;
        // Many files have the same problems, and share them in memory as when they were read.
        Some(reader.pool.problems(problems))
    }
}

/// Stored once for all rows that share it.
impl Stored for Arc<str> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        writer.texts.number(self).write(writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        reader.texts.get(usize::read(reader)?).cloned()
    }
}

/// Stored once for all rows that share it.
impl Stored for Arc<Signature> {
    fn write(&self, writer: &mut RowWriter<'_>) {
        self.message_count.write(writer);
        write_all(&self.tool_names, writer);
        write_all(&self.context_keys, writer);
    }

    fn read(reader: &mut RowReader<'_>) -> Option<Self> {
        let message_count = u64::read(reader)?;
        let [tool_names, context_keys] = [Vec::read(reader)?, Vec::read(reader)?];
        Some(reader.pool.signature(&SignatureText {
            message_count,
            tool_names: tool_names.iter().map(|name: &Arc<str>| &**name).collect(),
            context_keys: context_keys.iter().map(|key| &**key).collect(),
        }))
    }
}
