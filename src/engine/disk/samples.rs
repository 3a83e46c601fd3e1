//! The sample project that is part of the program, and its copies in temporary folders.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::ObjectId;
use gix::objs::Kind;
use gix::odb::loose::Store;
use gix::prelude::Write as _;
use jiff::Timestamp;

/// The folder of the samples in their project; the recordings name their sources from there.
const SAMPLE_FOLDER: &str = "sample-recordings";

/// The name of the project.
const PROJECT_FOLDER: &str = "helpdesk-agents";

/// Beginning of the name of a temporary folder.
const COPY_PREFIX: &str = "retake-samples-";

/// The file that is locked while a copy is in use.
const LOCK_NAME: &str = "lock";

/// Embeds the files at paths in a folder: their paths, and their contents.
macro_rules! files {
    ($folder:literal, $($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../../../", $folder, "/", $path)))),*]
    };
}

/// Every file of the samples.
const FILES: &[(&str, &[u8])] = files![
    "sample-recordings",
    ".dygram-test-queue/requests/req-1780410311902-1.json",
    ".gitattributes",
    "README.md",
    "cassettes/mailer/TestDraftReply.yaml",
    "cassettes/spec/draft_reply.yml",
    "cassettes/test_mail/test_mail_draft.toml",
    "cassettes/test_refund/test_refund_needs_approval.yaml",
    "cassettes/test_refund/test_refund_rate_limit.yaml",
    "cassettes/test_summary/test_summary_cut_off.yaml",
    "cassettes/test_summary/test_summary_plain.json",
    "cassettes/test_summary/test_summary_stream.yaml",
    "cassettes/test_summary/test_summary_vertex.yaml",
    "fixtures/classify_ticket.json",
    "fixtures/look_up_order.json",
    "flakestorm.yaml",
    "logs/playback-2026-06-02.log",
    "machines/close-ticket.dygram",
    "machines/ticket-routing.dygram",
    "machines/triage-ticket.dygram",
    "recordings/close-ticket/req-1780281201443-1.json",
    "recordings/close-ticket/req-1780281202377-2.json",
    "recordings/close-ticket/req-1780281204339-3.json",
    "recordings/merge-tickets/turn-1.json",
    "recordings/merge-tickets/turn-10.json",
    "recordings/merge-tickets/turn-2.json",
    "recordings/ticket-legacy/req-1764753074326-1.json",
    "recordings/ticket-legacy/req-1764864336562-1.json",
    "recordings/ticket-legacy/turn-1.json",
    "recordings/ticket-routing/turn-1.json",
    "recordings/ticket-routing/turn-2.json",
    "recordings/triage-ticket/req-1773324121806-1.json",
    "recordings/triage-ticket/req-1773324123377-2.json",
    "recordings/triage-ticket/req-1773324124911-3.json",
    "recordings/triage-ticket/req-1773324126480-4.json",
    "recordings/triage-ticket/req-1773324127914-5.json",
    "recordings/triage-ticket/req-1773409556874-1.json",
    "recordings/triage-ticket/req-1773409558302-2.json",
    "replays/refund-twice.yaml",
    "replays/ticket-loop.yaml",
    "reports/flakestorm-2026-05-28.json",
    "seeds/closing-line.test.ts",
    "seeds/refund-decision.seeds.json",
    "tapes/slow-start.json",
    "tapes/stall-mid-answer.json",
    "tapes/ticket-summary.json",
];

/// The folder of the project with pytest and vcrpy, beside the samples.
const CASSETTE_FOLDER: &str = "sample-cassettes";

/// Every file of that project.
const CASSETTE_FILES: &[(&str, &[u8])] = files![
    "sample-cassettes",
    "README.md",
    "agent.py",
    "cassettes/test_shipping/test_damaged_parcel.yaml",
    "cassettes/test_shipping/test_late_parcel.yaml",
    "cassettes/test_shipping/test_lost_parcel.yaml",
    "cassettes/test_shipping/test_unknown_parcel.yaml",
    "conftest.py",
    "recorded-again/test_shipping/test_late_parcel.yaml",
    "run.log",
    "test_shipping.py",
];

/// The machine that was changed after its recordings were made.
const CHANGED_MACHINE_PATH: &str = "machines/triage-ticket.dygram";

/// The queue.
const QUEUE_FOLDER: &str = ".dygram-test-queue/";

/// The request in the queue, without `.json`, and when it was written.
const REQUEST_ID_AND_TIME: (&str, &str) = ("req-1780410311902-1", "2026-06-02T14:25:11.902Z");

/// The files of which earlier texts are in the history.
const EARLIER_FILES: &[(&str, &[u8])] = files![
    "assets/sample-history",
    "machines/triage-ticket.dygram",
    "recordings/close-ticket/req-1780281201443-1.json",
    "recordings/close-ticket/req-1780281202377-2.json",
    "recordings/close-ticket/req-1780281204339-3.json",
];

/// A copy of the samples in a temporary folder. Dropping it deletes the folder.
#[derive(Debug)]
pub(crate) struct SampleCopy {
    folder: PathBuf,
    /// Locked until the copy is dropped or the program has ended.
    _lock: File,
}

impl SampleCopy {
    /// Writes a new copy with its git history into a folder of its own in `temp`. Deletes copies of programs that ended
    /// without deleting them.
    pub(crate) fn create(temp: &Path, now: Timestamp) -> io::Result<Self> {
        delete_unused(temp);
        let folder = create_folder(temp)?;
        let copy = Self { _lock: lock_or_delete(&folder)?, folder };
        for (path, content) in FILES {
            let (path, content) = as_of(path, content, now);
            write_new(&copy.opened().join(path), &content)?;
        }
        for (path, content) in CASSETTE_FILES {
            write_new(&copy.cassettes().join(path), content)?;
        }
        write_history(&copy.project().join(".git"), now)?;
        Ok(copy)
    }

    /// Returns the folder of the repository.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join(PROJECT_FOLDER)
    }

    /// Returns the folder to open, which all files of the samples are in.
    pub(crate) fn opened(&self) -> PathBuf {
        self.project().join(SAMPLE_FOLDER)
    }

    /// Returns the folder of the project with pytest and vcrpy.
    pub(crate) fn cassettes(&self) -> PathBuf {
        self.project().join(CASSETTE_FOLDER)
    }

    /// Makes the requests in a queue of this copy wait from `now` on: a program waits only half a minute for its answer,
    /// which is over before a new user has found the queue.
    pub(crate) fn renew(&self, queue: &Path, now: SystemTime) {
        // A queue is named by its real path, and the temporary folder may be reached by a link.
        let real_paths = fs::canonicalize(queue).ok().zip(fs::canonicalize(&self.folder).ok());
        if !real_paths.is_some_and(|(queue, folder)| queue.starts_with(folder)) {
            return;
        }
        let requests = fs::read_dir(queue.join("requests"));
        for request in requests.into_iter().flatten().flatten() {
            let request = File::options().write(true).open(request.path());
            // A request that cannot be renewed is shown as timed out.
            let _ = request.and_then(|request| request.set_modified(now));
        }
    }

    /// Returns the log of a failed run of the project with pytest.
    pub(crate) fn log(&self) -> PathBuf {
        self.cassettes().join("run.log")
    }

    /// Returns the report of which sessions are made.
    pub(crate) fn report(&self) -> PathBuf {
        self.opened().join("reports").join("flakestorm-2026-05-28.json")
    }
}

impl Drop for SampleCopy {
    fn drop(&mut self) {
        // What cannot be deleted now is deleted when samples are opened the next time.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns a file as it is unpacked: the request in the queue was written just now, so that it waits for an answer.
fn as_of(path: &str, content: &[u8], now: Timestamp) -> (String, Vec<u8>) {
    if !path.starts_with(QUEUE_FOLDER) {
        return (path.to_owned(), content.to_vec());
    }
    let (id, time) = REQUEST_ID_AND_TIME;
    let fresh_id = format!("req-{}-1", now.as_millisecond());
    // Milliseconds, as in the timestamps of requests.
    let fresh_time = format!("{now:.3}");
    let text = String::from_utf8_lossy(content).replace(id, &fresh_id).replace(time, &fresh_time);
    (path.replace(id, &fresh_id), text.into_bytes())
}

/// Creates a folder that only this user can read.
fn create_folder(temp: &Path) -> io::Result<PathBuf> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut number = 0_u32;
    loop {
        let folder = temp.join(format!("{COPY_PREFIX}{}-{number}", std::process::id()));
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            // One program may open the samples several times, and an ended one with this id may have left its copy.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Locks a new folder, or deletes it: without the lock, no program would delete it later.
fn lock_or_delete(folder: &Path) -> io::Result<File> {
    let lock = || {
        // The lock appears under its name only when it is locked: a copy without the file is not deleted by others.
        let unlocked = folder.join("unlocked");
        let lock = File::create_new(&unlocked)?;
        lock.try_lock()?;
        fs::rename(unlocked, folder.join(LOCK_NAME))?;
        Ok(lock)
    };
    lock().inspect_err(|_| {
        let _ = fs::remove_dir_all(folder);
    })
}

/// Deletes copies of this user that no running program uses.
fn delete_unused(temp: &Path) {
    for entry in fs::read_dir(temp).into_iter().flatten().flatten() {
        let is_copy = entry.file_name().to_string_lossy().starts_with(COPY_PREFIX)
            && entry.metadata().is_ok_and(|m| m.is_dir() && is_ours(&m));
        let lock = entry.path().join(LOCK_NAME);
        // Opening a pipe would wait for its writer.
        if !is_copy || !lock.symlink_metadata().is_ok_and(|m| m.is_file()) {
            continue;
        }
        if File::open(lock).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether a folder belongs to this user; folders of others can change while they are looked at.
#[cfg(unix)]
fn is_ours(folder: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    folder.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_ours(_: &fs::Metadata) -> bool {
    true
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, content)
}

/// Returns the changed machine as it was when its recordings were made.
pub fn source_when_recorded() -> String {
    include_str!("../../../assets/sample-history/machines/triage-ticket.dygram").to_owned()
}

/// Writes a repository with two commits: all files with the machine as it was recorded, and the change of the machine.
/// The re-recorded answers are in neither.
fn write_history(git: &Path, unpacked_at: Timestamp) -> io::Result<()> {
    let objects = git.join("objects");
    fs::create_dir_all(&objects)?;
    fs::create_dir_all(git.join("refs/tags"))?;
    let store = Store::at(objects, gix::hash::Kind::Sha1);
    let committed_file = |(path, content): &(&str, &[u8])| {
        let (path, content) = as_of(path, content, unpacked_at);
        (format!("{SAMPLE_FOLDER}/{path}"), content)
    };
    let cassette_file =
        |(path, content): &(&str, &[u8])| (format!("{CASSETTE_FOLDER}/{path}"), content.to_vec());
    let sample_files = FILES.iter().chain(EARLIER_FILES).map(committed_file);
    let old_files: BTreeMap<String, Vec<u8>> =
        sample_files.chain(CASSETTE_FILES.iter().map(cassette_file)).collect();
    let mut new_files = old_files.clone();
    let machine = FILES.iter().filter(|(path, _)| *path == CHANGED_MACHINE_PATH);
    new_files.extend(machine.map(committed_file));
    let first = write_tree(&store, &old_files, "")?;
    // 2 March 2026, before the recordings of the changed machine.
    let first = commit(first, None, 1_772_445_600, "Record the help desk");
    let first = write_object(&store, Kind::Commit, first.as_bytes())?;
    let tree = write_tree(&store, &new_files, "")?;
    // 28 May 2026, after them and before the set that was recorded again.
    let second = commit(tree, Some(first), 1_779_962_400, "Let the help desk decide refunds");
    let second = write_object(&store, Kind::Commit, second.as_bytes())?;
    write_new(&git.join("refs/heads/main"), format!("{second}\n").as_bytes())?;
    write_new(&git.join("HEAD"), b"ref: refs/heads/main\n")?;
    // Without an index, git would show all files as deleted.
    write_index(git, tree).map_err(io::Error::other)
}

/// Writes the index of git, with what the last commit has.
fn write_index(git: &Path, tree: ObjectId) -> Result<(), Box<dyn Error + Send + Sync>> {
    let objects = gix::odb::at(git.join("objects"), gix::hash::Kind::Sha1)?;
    let path = git.join("index");
    let index = gix::index::File::from_state(
        gix::index::State::from_tree(&tree, &objects, Default::default())?,
        &path,
    );
    let mut bytes = Vec::new();
    index.write_to(&mut bytes, gix::index::write::Options::default())?;
    Ok(write_new(&path, &bytes)?)
}

/// Writes the files in a folder, which is empty or ends in `/`, as a tree of git.
fn write_tree(store: &Store, files: &BTreeMap<String, Vec<u8>>, dir: &str) -> io::Result<ObjectId> {
    let paths_inside = files.keys().filter_map(|path| path.strip_prefix(dir));
    // Git sorts folders by their names with the slash, too.
    let entries: BTreeSet<&str> =
        paths_inside.map(|path| path.split_inclusive('/').next().unwrap_or(path)).collect();
    let mut tree = Vec::new();
    for entry in entries {
        let path = format!("{dir}{entry}");
        let (mode, id) = match files.get(&path) {
            Some(content) => ("100644", write_object(store, Kind::Blob, content)?),
            // Git writes the mode of a folder without a leading zero.
            None => ("40000", write_tree(store, files, &path)?),
        };
        tree.extend_from_slice(format!("{mode} {}\0", entry.trim_end_matches('/')).as_bytes());
        tree.extend_from_slice(id.as_slice());
    }
    write_object(store, Kind::Tree, &tree)
}

/// Returns the text of a commit; its time is in seconds since 1970.
fn commit(tree: ObjectId, parent: Option<ObjectId>, seconds: u32, message: &str) -> String {
    let parent = parent.map_or_else(String::new, |id| format!("parent {id}\n"));
    let author = format!("Help desk <help@example.org> {seconds} +0000");
    format!("tree {tree}\n{parent}author {author}\ncommitter {author}\n\n{message}\n")
}

fn write_object(store: &Store, kind: Kind, content: &[u8]) -> io::Result<ObjectId> {
    store.write_buf(kind, content).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn now() -> Timestamp {
        "2027-01-02T03:04:05.678Z".parse().unwrap()
    }

    #[test]
    fn every_file_of_the_samples_is_in_the_program() {
        assert_embedded(SAMPLE_FOLDER, FILES);
        assert_embedded(CASSETTE_FOLDER, CASSETTE_FILES);
    }

    fn assert_embedded(folder: &str, files: &[(&str, &[u8])]) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let mut folders = vec![samples.clone()];
        let mut paths = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let path = path.strip_prefix(&samples).unwrap();
                    paths.insert(path.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
        let embedded: BTreeSet<String> = files.iter().map(|(path, _)| (*path).into()).collect();
        assert_eq!(embedded, paths, "{folder}");
    }

    #[test]
    fn each_earlier_text_differs_from_that_of_today() {
        for file in EARLIER_FILES {
            let today = FILES.iter().find(|(path, _)| *path == file.0).unwrap();
            assert_ne!(file.1, today.1, "{}", file.0);
        }
    }

    #[test]
    fn the_request_in_the_queue_was_written_when_the_samples_are_opened() {
        let temp = tempfile::tempdir().unwrap();
        let copy = SampleCopy::create(temp.path(), now()).unwrap();
        let requests = copy.opened().join(QUEUE_FOLDER).join("requests");
        let requests: Vec<_> = fs::read_dir(requests).unwrap().flatten().collect();
        let [request] = &requests[..] else {
            panic!("one request, not {}", requests.len());
        };
        assert_eq!(request.file_name(), "req-1798859045678-1.json");
        let text = fs::read_to_string(request.path()).unwrap();
        assert!(text.contains(r#""requestId": "req-1798859045678-1""#), "{text}");
        assert!(text.contains(r#""timestamp": "2027-01-02T03:04:05.678Z""#), "{text}");
    }

    #[test]
    fn a_request_waits_from_when_its_queue_is_watched() {
        let temp = tempfile::tempdir().unwrap();
        let copy = SampleCopy::create(temp.path(), now()).unwrap();
        let queue = copy.opened().join(QUEUE_FOLDER);
        let request = queue.join("requests/req-1798859045678-1.json");
        let modified = || fs::metadata(&request).unwrap().modified().unwrap();
        let first_time = modified();
        let later = first_time + Duration::from_secs(3600);
        copy.renew(&temp.path().join("another/queue"), later);
        assert_eq!(modified(), first_time);
        copy.renew(&queue, later);
        assert_eq!(modified(), later);
    }

    #[test]
    fn a_copy_is_deleted_when_it_is_dropped_or_its_program_has_ended() {
        let temp = tempfile::tempdir().unwrap();
        let count = || fs::read_dir(temp.path()).unwrap().count();
        let used_copy = SampleCopy::create(temp.path(), now()).unwrap();
        let leftover = temp.path().join(format!("{COPY_PREFIX}1-0"));
        fs::create_dir(&leftover).unwrap();
        fs::write(leftover.join(LOCK_NAME), "").unwrap();
        let other_folder = temp.path().join(format!("{COPY_PREFIX}mine"));
        fs::create_dir(&other_folder).unwrap();
        assert_eq!(count(), 3);
        let second = SampleCopy::create(temp.path(), now()).unwrap();
        assert!(!leftover.exists());
        assert!(used_copy.project().is_dir() && other_folder.is_dir());
        drop((used_copy, second));
        assert_eq!(count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_the_lock_is_not_opened() {
        let temp = tempfile::tempdir().unwrap();
        let other_folder = temp.path().join(format!("{COPY_PREFIX}1-0"));
        fs::create_dir(&other_folder).unwrap();
        let (mode, kind) = (rustix::fs::Mode::RWXU, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(rustix::fs::CWD, other_folder.join(LOCK_NAME), kind, mode, 0).unwrap();
        let _copy = SampleCopy::create(temp.path(), now()).unwrap();
        assert!(other_folder.is_dir());
    }

    #[test]
    fn a_folder_that_cannot_be_locked_is_deleted() {
        let temp = tempfile::tempdir().unwrap();
        let folder = create_folder(temp.path()).unwrap();
        fs::create_dir(folder.join("unlocked")).unwrap();
        assert!(lock_or_delete(&folder).is_err());
        assert!(!folder.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_queue_is_renewed_where_a_link_leads_to_the_temporary_folder() {
        let temp = tempfile::tempdir().unwrap();
        let (real_folder, link) = (temp.path().join("real"), temp.path().join("link"));
        fs::create_dir(&real_folder).unwrap();
        std::os::unix::fs::symlink(&real_folder, &link).unwrap();
        let copy = SampleCopy::create(&link, now()).unwrap();
        let queue = fs::canonicalize(copy.opened().join(QUEUE_FOLDER)).unwrap();
        let request = queue.join("requests/req-1798859045678-1.json");
        let modified = || fs::metadata(&request).unwrap().modified().unwrap();
        let later = modified() + Duration::from_secs(3600);
        copy.renew(&queue, later);
        assert_eq!(modified(), later);
    }

    #[test]
    fn git_reads_the_history() {
        let temp = tempfile::tempdir().unwrap();
        let copy = SampleCopy::create(temp.path(), now()).unwrap();
        let git = |arguments: &[&str]| {
            let output = std::process::Command::new("git")
                .args(arguments)
                .current_dir(copy.project())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .output()
                .unwrap();
            let failure = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "git {arguments:?}: {failure}");
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["fsck", "--strict"]);
        assert_eq!(
            git(&["log", "--format=%s"]),
            "Let the help desk decide refunds\nRecord the help desk\n"
        );
        let machine = format!("HEAD~:{SAMPLE_FOLDER}/{CHANGED_MACHINE_PATH}");
        assert_eq!(git(&["show", &machine]), source_when_recorded());
        let re_recorded: Vec<String> = FILES
            .iter()
            .filter(|(path, _)| path.starts_with("recordings/close-ticket/"))
            .map(|(path, _)| format!(" M {SAMPLE_FOLDER}/{path}"))
            .collect();
        let status = git(&["status", "--porcelain"]);
        assert_eq!(status.lines().collect::<Vec<_>>(), re_recorded);
    }
}
