//! Reads one file and builds its item. Its text is not kept.

mod budget;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use self::budget::MemoryBudget;
use self::budget::MemoryShare;
use crate::disk::file_names::{is_of_another_tool, may_be_cassette};
use crate::disk::file_stamp::FileStamp;
use crate::disk::formats::format_faults;
use crate::disk::guard::catch;
use crate::disk::index_cache::{IndexCache, RowExtras};
use crate::disk::project::{Project, SourceLookup};
use crate::disk::root::{
    OpenedPath, ReadRefusal, RegularFile, check_regular, is_packed, parent_folder, to_sentence,
};
use crate::disk::walk::{EntryKind, WalkEntry};
use ::calls::reading;
use ::calls::secret::CustomPatterns;
use ::calls::source::SourceState;
use ::calls::{Item, ItemFacts, summarise};
use check::settings;
use check::{
    CheckFacts, CheckedDocument, ContractFacts, contract_references, judge_document,
    needs_other_files,
};
use document::cassette::begins_as_cassette;
use document::files::file_name;
use document::foreign::{Foreign, HEAD_BYTES, detect_head};
use document::text::{Source, has_ending};
use document::{Document, DocumentBody, FileKind, Problem, RuleId, Severity, Syntax, code};
use machine::RecordingFacts;

/// Endings of files with several values one after the other.
const LINE_ENDINGS: &[&str] = &[".jsonl", ".ndjson", ".responses", ".sse", ".chunks.txt"];

/// Endings of files with a JSON value a line.
const JSON_LINES_ENDINGS: &[&str] = &[".jsonl", ".ndjson"];

/// Number of bytes read of a file that is a cassette only by its content.
const SNIFFED_BYTES: usize = 4096;

/// Whether a file that was read is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileListing {
    Listed,
    /// It is listed only if it is beside files of a known kind; see [`KnownFolders`].
    Deferred,
    /// As `Deferred`; it could not be understood at all.
    Broken,
    /// It is not listed: it is not a file for Retake.
    Ignored,
    /// It is neither listed nor counted: it is code without seeds.
    Uncounted,
}

/// Kinds of files in a folder, on which depends whether files of no known kind are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FolderKinds {
    /// Whether there is a file of a known kind.
    pub(crate) is_known: bool,
    /// Whether there is a recording, a tape, a session or another file that tests play.
    pub(crate) has_fixtures: bool,
}

impl FolderKinds {
    /// Notes a listed item of the folder.
    pub(crate) fn add(&mut self, item: &Item) {
        match item.kind {
            FileKind::Machine
            | FileKind::Har
            | FileKind::Runs
            | FileKind::Foreign
            | FileKind::Unknown => return,
            FileKind::Recording
            | FileKind::Request
            | FileKind::Session
            | FileKind::Tape
            | FileKind::Cassette
            | FileKind::Seeds => self.has_fixtures = true,
            FileKind::Config | FileKind::Contract | FileKind::Report => {}
        }
        self.is_known = true;
    }
}

/// Returns whether a file of an unknown kind is listed, given what is in each folder. One that does not parse may be a broken fixture,
/// but only in a folder of fixtures, or of their name, or below one: elsewhere it belongs to another program, which may read comments or
/// a syntax of its own.
pub(crate) fn is_listed_beside(item: &Item, kinds: impl Fn(&str) -> FolderKinds) -> bool {
    let folder = item.folder();
    if !KnownFolders::may_be_listed_elsewhere(item) {
        return kinds(folder).is_known;
    }
    let ends = folder.match_indices('/').map(|(end, _)| end);
    let mut folders = ends.chain([folder.len()]).map(|end| &folder[..end]);
    folder.split('/').any(is_fixture_folder) || folders.any(|folder| kinds(folder).has_fixtures)
}

/// Returns whether a folder is named after the fixtures that recorders write into it, so that it is one even if none can be read.
fn is_fixture_folder(name: &str) -> bool {
    matches!(name, "cassettes" | "recordings" | "tapes") || name.ends_with("_cassettes")
}

/// The folders in which files of no known kind are listed.
#[derive(Debug, Default)]
pub(crate) struct KnownFolders(HashMap<String, FolderKinds>);

impl KnownFolders {
    /// Returns the folders of items of known kinds.
    pub(crate) fn from_items<'a>(items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut folders = HashMap::<String, FolderKinds>::new();
        for item in items {
            let mut kinds = FolderKinds::default();
            kinds.add(item);
            if !kinds.is_known {
                continue;
            }
            // `entry` would copy the name of the folder for each of its files.
            match folders.get_mut(item.folder()) {
                Some(folder_kinds) => folder_kinds.add(item),
                None => drop(folders.insert(item.folder().to_owned(), kinds)),
            }
        }
        Self(folders)
    }

    /// Returns whether a file of an unknown kind is listed.
    pub(crate) fn lists(&self, item: &Item) -> bool {
        is_listed_beside(item, |folder| self.0.get(folder).copied().unwrap_or_default())
    }

    /// Returns whether there is no file of a known kind.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a file of an unknown kind may be a broken fixture: then a folder above its own decides whether it is listed.
    fn may_be_listed_elsewhere(item: &Item) -> bool {
        // YAML with only comments, or with one value, may be a broken session as well.
        let has_no_mapping = item.problems.iter().any(|p| p.rule == RuleId::WrongType);
        is_unread(item) || has_no_mapping
    }
}

/// Returns whether the content of a file could not be understood.
pub(crate) fn is_unread(item: &Item) -> bool {
    let mut rules = item.problems.iter().map(|problem| problem.rule);
    rules.any(|rule| rule == RuleId::Syntax || rule.hides_content())
}

/// Reads a file, unless the cache knows it. Never panics: an internal error becomes a problem of the file that caused it.
pub(crate) fn read_row(
    project: &Project,
    entry: &WalkEntry,
    lookup: SourceLookup,
    cache: Option<&IndexCache>,
) -> (Item, FileListing) {
    if let EntryKind::Refused(severity, reason) = &entry.kind {
        return (refused_row(project, entry, *severity, reason), FileListing::Listed);
    }
    let read_entry = || {
        let cached_row = cache.and_then(|cache| known_row(project, entry, lookup, cache));
        cached_row.unwrap_or_else(|| read_and_judge(project, entry, lookup, cache))
    };
    catch(read_entry).unwrap_or_else(|_| {
        let reason = "it caused an internal error; please report it";
        (refused_row(project, entry, Severity::Error, reason), FileListing::Listed)
    })
}

/// Returns the row of a file that has not changed since it was stored.
fn known_row(
    project: &Project,
    entry: &WalkEntry,
    lookup: SourceLookup,
    cache: &IndexCache,
) -> Option<(Item, FileListing)> {
    let row = cache.row(entry.beneath.to_str()?, entry.stamp.as_ref()?, &project.pool)?;
    let mut item = row.item;
    item.set_paths(Arc::clone(&entry.path), &entry.root_path);
    // The problems of a cassette depend on what is configured about it.
    if item.kind == FileKind::Cassette && project.has_other_cassette_facts(entry.opened, &item) {
        return None;
    }
    // Those of a session depend on the configuration above it.
    let RowExtras { node, references, contracts } = &row.extras;
    let configs = &project.root_contexts[entry.opened].contract_configs;
    if configs.facts(item.root_path(), item.kind, references) != *contracts {
        return None;
    }
    // Without a lookup, reading the file gives no source, either.
    if lookup == SourceLookup::LeaveAlone {
        item.source = None;
    }
    if let Some(source) = item.source.clone() {
        let sources = &project.root_contexts[entry.opened].sources;
        let folder = parent_folder(&entry.root_path);
        let signature = item.signature.as_deref();
        let facts = || RecordingFacts {
            tools: signature.map_or_else(Vec::new, |c| c.tool_names.iter().map(|n| &**n).collect()),
            current_node: node.as_deref(),
            texts: Vec::new(),
        };
        let (file, hash) = (source.file.clone(), source.recorded_hash.clone());
        let state = sources.state_of(folder, file, hash, facts);
        item.source = Some(project.pool.source(SourceState {
            because: state.because.map(|because| project.pool.text(&because)),
            breaks_at: state.breaks_at.map(|node| project.pool.text(&node)),
            file_mark: source.file_mark,
            hash_mark: source.hash_mark,
            ..state
        }));
    }
    project.set_levels(entry.opened, &mut item);
    Some((item, row.listing.for_name(entry)))
}

impl FileListing {
    /// Ignores what looks broken in a file whose name allows comments. Stored is only what the bytes of the file decide.
    fn for_name(self, entry: &WalkEntry) -> Self {
        if self == Self::Broken && allows_comments(&entry.path) { Self::Ignored } else { self }
    }
}

/// Cache, path and stamp with which a read file is stored.
struct Storing<'a> {
    cache: &'a IndexCache,
    path: &'a str,
    stamp: FileStamp,
}

impl<'a> Storing<'a> {
    /// `None` for a file that is not stored: a named file and a link may be handled otherwise the next time.
    fn new(
        cache: Option<&'a IndexCache>,
        hit: &'a WalkEntry,
        lookup: SourceLookup,
        stamp: Option<FileStamp>,
    ) -> Option<Self> {
        let is_kept = hit.kind == EntryKind::File && !hit.is_link && lookup == SourceLookup::Look;
        Some(Self { cache: cache.filter(|_| is_kept)?, path: hit.beneath.to_str()?, stamp: stamp? })
    }

    fn store(&self, item: &Item, listing: FileListing, extras: &RowExtras) {
        self.cache.add_row(self.path, &self.stamp, listing, item, extras);
    }
}

fn read_and_judge(
    project: &Project,
    hit: &WalkEntry,
    lookup: SourceLookup,
    cache: Option<&IndexCache>,
) -> (Item, FileListing) {
    let opened = &project.opened[hit.opened];
    let content = match opened.root.staged.as_ref() {
        Some(staged) => {
            let bytes = staged.read(&hit.root_path);
            bytes.map(|bytes| (FileContent::Whole(bytes, None), None))
        }
        None => read_content(project, opened, hit),
    };
    let storing = |stamp| Storing::new(cache, hit, lookup, stamp);
    let uncounted_row = |stamp| {
        let item = unread_row(hit);
        if let Some(storing) = storing(stamp) {
            storing.store(&item, FileListing::Uncounted, &RowExtras::default());
        }
        (item, FileListing::Uncounted)
    };
    // The share of the text is kept until the document is dropped.
    let (bytes, _text, stamp) = match content {
        Ok((FileContent::Whole(bytes, share), stamp)) => (bytes, share, stamp),
        Ok((FileContent::Foreign(Some(row)), stamp)) => {
            if let Some(storing) = storing(stamp) {
                storing.store(&row, FileListing::Listed, &RowExtras::default());
            }
            return (*row, FileListing::Listed);
        }
        Ok((FileContent::Foreign(None), stamp)) => return uncounted_row(stamp),
        Err(refusal) => {
            let item = refused_row(project, hit, Severity::Error, &refusal.to_string());
            return (item, FileListing::Listed);
        }
    };
    let name = file_name(&hit.path);
    // Most code contains no seeds; this search is much faster than parsing it.
    let is_other_code = || code::is_code(name) && !code::may_seed(&bytes);
    if hit.kind == EntryKind::File && !opened.describes(&hit.beneath) && is_other_code() {
        return uncounted_row(stamp);
    }
    let _values = project.budget.reserve_values(&bytes);
    let size = bytes.len() as u64;
    let document = opened.root.parse(Source::from_bytes(bytes), &hit.root_path);
    let subject =
        FileFacts { opened: hit.opened, path: &hit.path, root_path: &hit.root_path, bytes: size };
    let extras = RowExtras::new(subject.contracts(project, &document), &document);
    let mut item = subject.judge(project, &document, extras.contracts.clone(), lookup);
    let listing = match document.kind() {
        _ if hit.opened >= project.named_paths && item.problems.is_empty() => {
            FileListing::Uncounted
        }
        // What the user names is listed, whatever it is.
        _ if hit.kind == EntryKind::Named => FileListing::Listed,
        _ if opened.describes(&hit.beneath) => FileListing::Listed,
        // The project says that it is no recording.
        FileKind::Foreign | FileKind::Unknown if document.format.is_some() => FileListing::Ignored,
        // A recording in which no call is certain would otherwise be missing without a reason.
        _ if item.problems.iter().any(|p| p.rule == RuleId::CallsUnsure) => FileListing::Listed,
        FileKind::Unknown if document.syntax == Syntax::Code => FileListing::Uncounted,
        // A recording whose lines are cut off has no call that could be found.
        FileKind::Foreign | FileKind::Unknown
            if has_ending(name, JSON_LINES_ENDINGS) && is_broken(&document, &item.problems) =>
        {
            FileListing::Broken
        }
        // Most files of lines are data of other programs, and no recordings.
        FileKind::Foreign | FileKind::Unknown if has_ending(name, LINE_ENDINGS) => {
            FileListing::Uncounted
        }
        // Most files without a suffix are not for Retake; those that are no cassettes need no mention.
        FileKind::Unknown if may_be_cassette(&hit.beneath) => FileListing::Uncounted,
        FileKind::Unknown if is_broken(&document, &item.problems) => FileListing::Broken,
        FileKind::Unknown => FileListing::Deferred,
        _ => FileListing::Listed,
    };
    if let Some(storing) = storing(stamp) {
        storing.store(&item, listing, &extras);
    }
    // After storing, since levels may also be set for one run on the command line.
    subject.apply_levels(project, &mut item);
    (item, listing.for_name(hit))
}

impl RowExtras {
    /// Returns what is stored beside the row of a document.
    fn new((references, contracts): Contracts, document: &Document) -> Self {
        let node = match &document.body {
            DocumentBody::Recording(recording) if recording.source.is_some() => {
                RecordingFacts::from_recording(recording).node().map(Arc::from)
            }
            _ => None,
        };
        Self { node, references, contracts }
    }
}

/// Part of a file that was read.
enum FileContent<'a> {
    /// All bytes, with their share of the memory.
    Whole(Vec<u8>, Option<MemoryShare<'a>>),
    /// Only the beginning, because another tool wrote it: its row, or none if the format is unknown.
    Foreign(Option<Box<Item>>),
}

/// Reads a file when there is room for it. Each one is opened once: opening takes longer than reading a small one.
fn read_content<'a>(
    project: &'a Project,
    opened: &OpenedPath,
    entry: &WalkEntry,
) -> Result<(FileContent<'a>, Option<FileStamp>), ReadRefusal> {
    if entry.kind == EntryKind::Named {
        // The walk knows the types of the entries of folders, but has not looked at what was named.
        check_regular(&opened.dir, &entry.beneath)?;
    }
    // A described file is read as a whole, whatever its name and size.
    let is_sniffed = entry.kind == EntryKind::File && !opened.describes(&entry.beneath);
    let is_theirs = is_sniffed && is_of_another_tool(&entry.beneath);
    let mut file = match RegularFile::open(&opened.dir, &entry.beneath) {
        // A file of another tool that cannot be read is not a problem of the user's fixtures.
        Err(_) if is_theirs => return Ok((FileContent::Foreign(None), None)),
        file => file?,
    };
    if is_sniffed && may_be_cassette(&entry.beneath) && !is_packed(&entry.beneath) {
        let head = file.read_head(SNIFFED_BYTES).unwrap_or_default();
        if !begins_as_cassette(&head) {
            return Ok((FileContent::Foreign(None), file.stamp));
        }
    } else if is_sniffed
        && !is_packed(&entry.beneath)
        && let Some(foreign) = read_foreign_head(&mut file, entry, is_theirs)
    {
        return Ok((FileContent::Foreign(foreign), file.stamp));
    }
    let share = project.budget.reserve_text(file.bytes);
    Ok((FileContent::Whole(file.read()?, share), file.stamp))
}

/// The row of an item whose text is edited, as if it were on disk like that; `None` when it is no longer open. What
/// depends on other items is not checked again.
pub(crate) fn row_for_document(
    project: &Project,
    index: usize,
    item: &Item,
    document: &Document,
) -> Option<Item> {
    let subject = FileFacts {
        opened: project.opened_of(index)?,
        path: &item.path,
        root_path: item.root_path(),
        bytes: document.source().text().len() as u64,
    };
    let (_, contracts) = subject.contracts(project, document);
    let mut row = subject.judge(project, document, contracts, SourceLookup::Look);
    subject.apply_levels(project, &mut row);
    let other_problems = item.problems.iter().filter(|p| needs_other_files(p.rule));
    row.change_problems(|problems| {
        for problem in other_problems {
            if !problems.contains(problem) {
                problems.push(problem.clone());
            }
        }
        problems.sort_by_key(|problem| problem.span);
    });
    Some(row)
}

/// The contracts that a document refers to, as it spells them, and what is known of them.
type Contracts = (Vec<Box<str>>, Option<ContractFacts>);

/// Facts about a file besides its text.
struct FileFacts<'a> {
    opened: usize,
    path: &'a Arc<str>,
    root_path: &'a str,
    bytes: u64,
}

impl FileFacts<'_> {
    /// Returns whether it is the project's own `retake.toml`.
    fn is_settings(&self) -> bool {
        self.root_path == settings::FILE_NAME
    }

    /// Sets the levels of its problems from the project's settings. They do not apply to wrong settings.
    fn apply_levels(&self, project: &Project, item: &mut Item) {
        if !self.is_settings() {
            project.set_levels(self.opened, item);
        }
    }

    /// Returns the contracts that a session or a configuration refers to, and what is known of them.
    fn contracts(&self, project: &Project, document: &Document) -> Contracts {
        let references = contract_references(document).into_iter();
        let references: Vec<Box<str>> = references.map(String::into_boxed_str).collect();
        let configs = &project.root_contexts[self.opened].contract_configs;
        let facts = configs.facts(self.root_path, document.kind(), &references);
        (references, facts)
    }

    /// Checks the document without others, and builds its row.
    fn judge(
        &self,
        project: &Project,
        document: &Document,
        contracts: Option<ContractFacts>,
        lookup: SourceLookup,
    ) -> Item {
        let context = &project.root_contexts[self.opened];
        let path = self.root_path;
        let folder = parent_folder(path);
        let source = match &document.body {
            DocumentBody::Recording(recording) if lookup == SourceLookup::Look => {
                Some(context.sources.state(folder, recording))
            }
            _ => None,
        };
        // What is configured for one client does not apply to what another program recorded.
        let cassette = match &document.body {
            DocumentBody::Foreign(foreign) => foreign.client,
            _ => None,
        };
        let cassette = cassette.map(|client| context.cassette_configs.facts(path, Some(client)));
        let facts = CheckFacts {
            contracts,
            secrets: secrets_of(&context.root.settings.settings, path),
            file_name: path.into(),
            cassette: cassette.clone().unwrap_or_default(),
        };
        let calls = reading::listed_calls(document);
        let CheckedDocument { problems, secrets } = if self.is_settings() {
            let (settings, mut problems) = settings::parse(document.source());
            let opened = &project.opened[self.opened];
            let mut faults = format_faults(opened, &settings.formats, document.source());
            project.levels[self.opened].apply(&mut faults);
            problems.extend(faults);
            CheckedDocument { problems, ..CheckedDocument::default() }
        } else {
            judge_document(document, &calls, &facts)
        };
        summarise(
            Arc::clone(self.path),
            self.root_path,
            self.bytes,
            document,
            problems,
            source,
            &project.pool,
        )
        .with_calls(document, &calls, &project.pool)
        .with_secrets(secrets)
        .with_cassette(cassette)
    }
}

/// Returns whether a file could not be understood at all. Valid YAML that only PyYAML would refuse belongs to another program:
/// deployments have several documents in one file, and their own tags.
fn is_broken(document: &Document, problems: &[Problem]) -> bool {
    problems.iter().any(|problem| match problem.rule {
        RuleId::Syntax => !document.tree.is_well_formed(),
        rule => rule.hides_content(),
    })
}

/// Returns whether a file is JSON with comments by convention, which its owner reads although `JSON.parse` does not.
fn allows_comments(path: &str) -> bool {
    let name = file_name(path);
    let is_config = |stem: &str| name.starts_with(stem) && name.ends_with(".json");
    is_config("tsconfig")
        || is_config("jsconfig")
        || name.ends_with(".code-workspace")
        || path.rsplit('/').skip(1).any(|folder| matches!(folder, ".vscode" | ".devcontainer"))
}

/// Reads only the beginning of a file that has an ending of other tools and no calls that are read, or is large and
/// begins as theirs do. Returns its row, or an inner `None` for an unknown format; `None` when the file must be read completely.
fn read_foreign_head(
    file: &mut RegularFile,
    entry: &WalkEntry,
    is_theirs: bool,
) -> Option<Option<Box<Item>>> {
    /// Larger files are not read completely to count their entries: 4 MiB.
    const LARGE_FOREIGN_BYTES: u64 = 4 << 20;
    /// The same where the calls are listed: 32 MiB.
    const LARGE_WITH_CALLS_BYTES: u64 = 32 << 20;
    let bytes = file.bytes;
    if !is_theirs && bytes <= LARGE_FOREIGN_BYTES {
        return None;
    }
    let head = file.read_head(HEAD_BYTES);
    let name = file_name(&entry.path);
    let is_whole = bytes <= HEAD_BYTES as u64;
    let foreign = head.ok().and_then(|head| detect_head(&head, name, is_whole));
    let has_calls = foreign.is_some_and(|foreign| reading::reads(foreign.format));
    // Calls that are found by their shape may be in any line.
    let may_have_calls = foreign.is_none() && has_ending(name, LINE_ENDINGS);
    if foreign.is_none() && !is_theirs
        || has_calls && bytes <= LARGE_WITH_CALLS_BYTES
        || may_have_calls && bytes <= LARGE_FOREIGN_BYTES
    {
        return None;
    }
    let row = |foreign: Foreign| {
        let mut row = unread_row(entry);
        row.kind = foreign.format.kind();
        row.rare.edit().foreign = Some(foreign);
        row.bytes = bytes;
        Box::new(row)
    };
    Some(foreign.map(row))
}

/// Returns a row of a file that was not read.
fn unread_row(entry: &WalkEntry) -> Item {
    ItemFacts::at(Arc::clone(&entry.path), &entry.root_path).into()
}

/// Returns a row of a file that was not opened.
fn refused_row(project: &Project, entry: &WalkEntry, severity: Severity, reason: &str) -> Item {
    let problem = Problem::whole_file(RuleId::Unreadable, to_sentence(reason));
    let mut problems = vec![problem.with_severity(severity)];
    project.levels[entry.opened].apply(&mut problems);
    unread_row(entry).with_problems(problems)
}

/// Returns what the project defines as secret in one file.
fn secrets_of(settings: &settings::Settings, path: &str) -> Arc<CustomPatterns> {
    if settings.secrets_ignore.hides(path) {
        return Arc::new(CustomPatterns::off());
    }
    Arc::clone(&settings.secrets)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::ScanStep;
    use crate::disk::scan::scan;

    /// Returns what is listed of files in one folder, with the rules that found something.
    fn listed(files: &[(&str, &str)]) -> Vec<String> {
        let temp = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(temp.path().join(name), text).unwrap();
        }
        let project = Project::open(&[temp.path().to_owned()], None).unwrap();
        let mut rows = Vec::new();
        let take = &mut |step| {
            if let ScanStep::Rows(items) = step {
                rows.extend(items);
            }
        };
        let no_cancel = AtomicBool::new(false);
        scan(&project, SourceLookup::Look, &no_cancel, take).unwrap();
        let row = |item: &Arc<Item>| {
            let rules: Vec<&str> = item.problems.iter().map(|p| p.rule.as_str()).collect();
            format!("{} {}", item.root_path(), rules.join(" "))
        };
        let mut lines: Vec<String> = rows.iter().map(row).collect();
        lines.sort();
        lines
    }

    #[test]
    fn a_yaml_file_without_a_value_is_reported_beside_sessions() {
        let session = ("a.yaml", "id: a\ninput: b\ncontract: c\n");
        let comments = ("b.yaml", "# id: b\n");
        let empty = ("c.yaml", "---\n...\n");
        insta::assert_snapshot!(listed(&[session, comments, empty]).join("\n"), @"
        a.yaml 
        b.yaml wrong-type
        c.yaml wrong-type
        ");
        assert_eq!(listed(&[comments, empty]), [""; 0]);
        let config = (
            "flakestorm.yaml",
            "agent: {endpoint: a}\ngolden_prompts: [a]\ninvariants: [{type: completes}]\n",
        );
        assert_eq!(listed(&[config, comments]), ["flakestorm.yaml "]);
    }

    #[test]
    fn code_is_listed_only_when_it_seeds() {
        let seeds = ("a.test.ts", "seedMemoryTraceResponse('critique', 'm', 'j', 0, '{');");
        let other_file =
            ("b.ts", "export const a: string = ;\n<<<<<<< ours\n=======\n>>>>>>> theirs\n");
        let names = ("c.mjs", "import { seedMemoryResponse } from './memory'");
        assert_eq!(listed(&[seeds, other_file, names]), ["a.test.ts seed-not-json"]);
    }

    #[test]
    fn yaml_that_only_pyyaml_refuses_is_reported_only_beside_our_own() {
        let deployment = ("deploy.yaml", "kind: Service\n---\nkind: Pod\n");
        let stack = ("stack.yaml", "Id: !Ref Other\n");
        let broken = ("broken.yaml", "a: [1\n");
        assert!(listed(&[deployment, stack, broken]).is_empty());
        let session = ("session.yaml", "id: a\ninput: b\ntool_responses: []\n");
        assert_eq!(
            listed(&[deployment, broken, session]),
            ["broken.yaml syntax", "deploy.yaml syntax", "session.yaml "]
        );
    }

    #[test]
    fn what_does_not_parse_is_listed_only_among_what_tests_play() {
        let editor = ("language-configuration.json", "{ // comments\n \"a\": 1 }");
        let other_file = ("package.json", "{ \"name\": \"x\" }");
        let config = (
            "flakestorm.yaml",
            "agent: {endpoint: a}\ngolden_prompts: [a]\ninvariants: [{type: completes}]\n",
        );
        assert_eq!(listed(&[editor, other_file, config]), ["flakestorm.yaml ", "package.json "]);
        let session = ("session.yaml", "id: a\ninput: b\ntool_responses: []\n");
        let half_file = ("half.json", "{\"stre");
        assert_eq!(listed(&[half_file, session]), ["half.json syntax", "session.yaml "]);
    }

    #[test]
    fn lines_that_are_cut_off_are_listed_where_there_are_calls_and_among_fixtures() {
        let request = r#"{"model": "m", "messages": [{"role": "user", "content": "a"}]}"#;
        let answer = r#"{"choices": [{"message": {"role": "assistant", "content": "b"}}]}"#;
        let call = format!(r#"{{"request": {request}, "response": {answer}}}"#);
        let (first, second) =
            (format!("{}\n{call}\n", &call[..30]), format!("{call}\n{}", &call[..30]));
        let (half, data) = (&call[..30], "{\"a\": 1}\n{\"b\n{\"c\": 1}\n");
        assert_eq!(
            listed(&[
                ("a.jsonl", &first),
                ("b.jsonl", &second),
                ("c.jsonl", half),
                ("d.jsonl", data)
            ]),
            ["a.jsonl syntax", "b.jsonl syntax", "c.jsonl syntax", "d.jsonl syntax"]
        );
        let other_file = ("package.json", "{ \"name\": \"x\" }");
        assert_eq!(listed(&[other_file, ("d.jsonl", data)]), [""; 0]);
        let session = ("session.yaml", "id: a\ninput: b\ntool_responses: []\n");
        assert_eq!(listed(&[session, ("d.jsonl", data)]), ["d.jsonl syntax", "session.yaml "]);
    }

    #[test]
    fn cassettes_are_found_by_their_content_whatever_their_suffix() {
        let cassette = "interactions:\n- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}\n  response: \
                        {status: {code: 200, message: OK}, headers: {}, body: {string: ''}}\nversion: 1\n";
        let names = ["synopsis", "a.cassette", "b.vcr", "t[gpt-4.1]", "c.yaml"];
        let files = names.map(|name| (name, cassette));
        let json = "{\"version\": 1, \"interactions\": []}";
        let other_files = [
            ("LICENSE", "Permission is granted\n"),
            ("notes", "The interactions: of both\n"),
            ("d.txt", cassette),
            ("dump", "\u{0}\u{1}"),
            ("json", json),
            ("packed.yaml.gz", "\u{1f}x"),
        ];
        let files: Vec<(&str, &str)> = files.into_iter().chain(other_files).collect();
        assert_eq!(
            listed(&files),
            ["a.cassette ", "b.vcr ", "c.yaml ", "json ", "synopsis ", "t[gpt-4.1] "]
        );
    }
}
