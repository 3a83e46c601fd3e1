//! The project root: the folder beneath which files may be read, and the one way to read them.
//!
//! A [`Root`] is a handle, not a path: whatever a file points to is opened beneath that handle, and the system refuses
//! what leads out of it, links included. No path is ever compared with another to decide whether it may be read.

use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::configured::Configured;
use super::staged::{Index, Staged};
use super::walk::{Identity, identity};
use crate::ops::settings::FILE_NAME;

/// The largest file that is opened: 256 MiB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing is there.
    Missing,
    /// The path leads out of the folder it has to stay in; the reason in words.
    Outside(Arc<str>),
    /// It is there and cannot be read; the reason in words.
    Unreadable(Arc<str>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Outside(reason) | Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

impl Refusal {
    /// Says in words what the system answered.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            // The handle's own refusal carries no number of the system.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::Outside("a link on the way leads out".into())
            }
            io::ErrorKind::PermissionDenied => {
                Self::Unreadable("it may not be read: permission denied".into())
            }
            io::ErrorKind::InvalidInput => {
                Self::Unreadable("its name is not one that a file can have".into())
            }
            _ if is_link_loop(error) => {
                Self::Unreadable("it is a link that leads back to itself".into())
            }
            _ => Self::Unreadable(format!("it cannot be read: {}", words(error)).into()),
        }
    }
}

/// The system's words for an error, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}

/// Takes a path as a file writes it and makes it one beneath the root: parts joined by `/`, `.` left out.
///
/// # Errors
///
/// [`Refusal::Outside`] for what could lead out on any system: `..`, an absolute path, a drive letter, a backslash, an
/// empty part, a zero byte. The path is judged alike everywhere, so that a check gives one answer on every machine.
pub fn beneath(path: &str) -> Result<String, Refusal> {
    let refuse = |reason: &str| Err(Refusal::Outside(reason.into()));
    is_relative(path)?;
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" => return refuse("the path has an empty part"),
            ".." => return refuse("the path goes up with `..`"),
            "." => {}
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return refuse("the path names no file");
    }
    Ok(parts.join("/"))
}

fn is_relative(path: &str) -> Result<(), Refusal> {
    let mut letters = path.chars();
    let drive = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    let reason = if path.is_empty() {
        "the path is empty"
    } else if drive {
        "the path starts with a drive letter"
    } else if path.contains('\\') {
        "the path has a backslash in it"
    } else if path.starts_with('/') {
        "the path is absolute"
    } else if path.contains('\0') {
        "the path has a zero byte in it"
    } else {
        return Ok(());
    };
    Err(Refusal::Outside(reason.into()))
}

/// The folder that bounds all reading.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    configured: Configured,
    /// Where files are read from the index of git in place of the folder.
    staged: Option<Staged>,
}

impl Root {
    /// Opens a folder as root.
    ///
    /// # Errors
    ///
    /// When it does not exist, is no folder, or may not be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = std::fs::canonicalize(path)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self {
            configured: Configured::of(read(&dir, Path::new(FILE_NAME))),
            dir,
            path,
            staged: None,
        })
    }

    /// Opens a folder as root of what is staged in it.
    ///
    /// # Errors
    ///
    /// As [`Root::open`].
    pub(super) fn of_staged(path: &Path, mut staged: Staged) -> io::Result<Self> {
        let configured = Configured::of(staged.read(FILE_NAME));
        staged.find(&configured);
        Ok(Self {
            configured,
            staged: Some(staged),
            ..Self::open(path)?
        })
    }

    /// What is staged, where that is what is read.
    pub(super) fn staged(&self) -> Option<&Staged> {
        self.staged.as_ref()
    }

    /// Where it lies, as an absolute path without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// What its `retake.toml` said when it was opened.
    pub(super) fn configured(&self) -> &Configured {
        &self.configured
    }

    /// Whether its `retake.toml` is another one by now.
    pub(super) fn has_other_settings(&self) -> bool {
        self.configured
            .is_outdated(&read(&self.dir, Path::new(FILE_NAME)))
    }

    /// Reads a file that another file names, by a path from the root.
    ///
    /// # Errors
    ///
    /// As [`beneath`] says, and whatever keeps the file from being read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let path = beneath(path)?;
        match &self.staged {
            Some(staged) => staged.read(&path),
            None => read(&self.dir, Path::new(&path)),
        }
    }

    /// The absolute path of a folder beneath the root and what tells it from others; `None` where there is none.
    pub(super) fn folder(&self, beneath: &Path) -> Option<(PathBuf, Option<Identity>)> {
        let metadata = match beneath.as_os_str().is_empty() {
            true => self.dir.dir_metadata(),
            false => self.dir.metadata(beneath),
        };
        let metadata = metadata.ok().filter(Metadata::is_dir)?;
        Some((self.path.join(beneath), identity(&metadata)))
    }

    /// Whether there is a file at a path that another file writes, taken from `folder` (from the root). It is not read.
    /// Such a path may go up with `..`: the handle sees to it that it stays beneath the root.
    ///
    /// # Errors
    ///
    /// What would keep the file from being read.
    pub fn probe_from(&self, folder: &str, path: &str) -> Result<(), Refusal> {
        is_relative(path)?;
        let metadata = self.dir.metadata(Path::new(folder).join(path));
        let metadata = metadata.map_err(|error| Refusal::of(&error))?;
        regular(metadata.file_type(), metadata.len())
    }
}

/// A folder or file that the user opened, with its root.
#[derive(Clone, Debug)]
pub struct Opened {
    /// As it was given, with `/` between its parts and none at its end.
    pub given: Arc<str>,
    /// What bounds reading for all that lies in it.
    pub root: Arc<Root>,
    /// The folder, or the folder the file lies in.
    pub dir: Arc<Dir>,
    /// Where `dir` lies, as an absolute path without links.
    pub folder: Arc<Path>,
    /// Path of `dir` from the root, empty for the root itself; `None` when it lies outside a root given by the user.
    pub prefix: Option<Arc<str>>,
    /// The name of the file, when a file was opened.
    pub file: Option<PathBuf>,
}

impl Opened {
    /// The `retake.toml` of its root, as if that had been named as well; `None` where the root cannot be opened again.
    pub(super) fn settings_file(&self) -> Option<Self> {
        let root = &self.root;
        let below = match (&self.prefix, &self.file) {
            (Some(prefix), Some(file)) => joined(prefix, &file.to_string_lossy()),
            (Some(prefix), None) => prefix.to_string(),
            (None, _) => String::new(),
        };
        let given = match (self.given.strip_suffix(&*below), &self.prefix) {
            (Some(above), Some(_)) if above.is_empty() || above.ends_with('/') => above.to_owned(),
            (Some(above), Some(_)) if below.is_empty() => format!("{above}/"),
            _ => format!("{}/", shown(&root.path)),
        };
        Some(Self {
            given: format!("{given}{FILE_NAME}").into(),
            root: Arc::clone(root),
            dir: Arc::new(root.dir.try_clone().ok()?),
            folder: root.path.as_path().into(),
            prefix: Some("".into()),
            file: Some(FILE_NAME.into()),
        })
    }
}

fn joined(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// Why a path could not be opened.
#[derive(Debug)]
pub struct OpenError {
    /// As it was given.
    pub path: PathBuf,
    /// What the system answered.
    pub error: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = crate::text::visible(&path);
        match self.error.kind() {
            io::ErrorKind::NotFound => write!(f, "there is no file or folder at {path}"),
            _ => write!(f, "{} at {path}", words(&self.error)),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens what the user named. Paths of one project share its root.
///
/// # Errors
///
/// The first path, or the root, that cannot be opened.
pub fn open_all(paths: &[PathBuf], root: Option<&Path>) -> Result<Vec<Opened>, OpenError> {
    open_each(paths, root)?.into_iter().collect()
}

/// Opens what the user named, each path by itself: one that cannot be opened does not keep the others from it.
///
/// # Errors
///
/// The root, when it cannot be opened.
pub fn open_each(
    paths: &[PathBuf],
    root: Option<&Path>,
) -> Result<Vec<Result<Opened, OpenError>>, OpenError> {
    let fail = |path: &Path, error| OpenError {
        path: path.to_owned(),
        error,
    };
    let roots = match root {
        Some(path) => {
            let root = Root::open(path).map_err(|error| fail(path, error))?;
            Roots::Given(Arc::new(root))
        }
        None => Roots::Found(Vec::new()),
    };
    let opened = paths.iter().scan(roots, |roots, path| {
        Some(open(path, roots).map_err(|error| fail(path, error)))
    });
    Ok(opened.collect())
}

/// Opens what is staged in the repository that encloses `folder`, project by project.
///
/// # Errors
///
/// Why there is none to read, in words.
pub(super) fn open_staged(folder: &Path) -> Result<Vec<Opened>, String> {
    let unopened = |error: io::Error| words(&error);
    let folder = std::fs::canonicalize(folder).map_err(unopened)?;
    let index = Arc::new(Index::open(&folder)?);
    let above = up(&folder, &index.work_tree);
    let opened = index.projects().into_iter().map(|project| {
        let place = index.work_tree.join(project);
        let root =
            Arc::new(Root::of_staged(&place, Staged::new(&index, project)).map_err(unopened)?);
        Ok(Opened {
            given: given(&above.join(project)).into(),
            dir: Arc::new(root.dir.try_clone().map_err(unopened)?),
            folder: root.path.as_path().into(),
            prefix: Some("".into()),
            file: None,
            root,
        })
    });
    opened.collect()
}

/// The way up from a folder to one above it.
pub(super) fn up(folder: &Path, above: &Path) -> PathBuf {
    let below = folder.strip_prefix(above);
    let depth = below.map_or(0, |below| below.components().count());
    std::iter::repeat_n("..", depth).collect()
}

/// Where the roots of opened paths come from.
enum Roots {
    /// From the user.
    Given(Arc<Root>),
    /// From where the paths lie; those that were found so far.
    Found(Vec<Arc<Root>>),
}

impl Roots {
    fn of(&mut self, folder: &Path) -> io::Result<Arc<Root>> {
        let found = match self {
            Self::Given(root) => return Ok(Arc::clone(root)),
            Self::Found(found) => found,
        };
        let place = enclosing(folder);
        if let Some(root) = found.iter().find(|root| root.path == place) {
            return Ok(Arc::clone(root));
        }
        let root = Arc::new(Root::open(place)?);
        found.push(Arc::clone(&root));
        Ok(root)
    }
}

fn open(path: &Path, roots: &mut Roots) -> io::Result<Opened> {
    let real = std::fs::canonicalize(path)?;
    let is_folder = real.is_dir();
    let folder = match real.parent() {
        Some(parent) if !is_folder => parent,
        _ => &real,
    };
    let root = roots.of(folder)?;
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    Ok(Opened {
        given: given(path).into(),
        prefix: folder.strip_prefix(&root.path).ok().map(shown),
        root,
        dir: Arc::new(dir),
        folder: folder.into(),
        file: (!is_folder).then(|| real.file_name().unwrap_or_default().into()),
    })
}

/// The nearest folder, `folder` or one above it, that is a project: it holds `.git` or `retake.toml`. Else `folder`.
pub fn enclosing(folder: &Path) -> &Path {
    let is_project = |folder: &&Path| {
        folder.join(".git").symlink_metadata().is_ok() || folder.join(FILE_NAME).is_file()
    };
    folder.ancestors().find(is_project).unwrap_or(folder)
}

/// A path as it is shown: parts joined with `/`, what is not UTF-8 replaced.
pub(crate) fn shown(path: &Path) -> Arc<str> {
    let parts: Vec<_> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/").into()
}

/// A path as it was given; only the platform's separator is changed, and the last one dropped.
pub(super) fn given(path: &Path) -> String {
    let mut text = path.to_string_lossy().into_owned();
    if std::path::MAIN_SEPARATOR != '/' {
        text = text.replace(std::path::MAIN_SEPARATOR, "/");
    }
    let trimmed = text.trim_end_matches('/').len();
    text.truncate(trimmed);
    text
}

/// Reads a file beneath `dir` that may be anything: its kind is looked at before it is opened.
pub(crate) fn read(dir: &Dir, path: &Path) -> Result<Vec<u8>, Refusal> {
    let metadata = uninterrupted(|| dir.metadata(path)).map_err(|error| Refusal::of(&error))?;
    regular(metadata.file_type(), metadata.len())?;
    read_regular(dir, path)
}

/// Reads a file beneath `dir` that was a regular one a moment ago.
///
/// Never waits (the file may have become a FIFO) and never reads more than [`MAX_FILE_BYTES`] (it may grow meanwhile).
pub(crate) fn read_regular(dir: &Dir, path: &Path) -> Result<Vec<u8>, Refusal> {
    read_and_keep(dir, path).map(|(_, bytes)| bytes)
}

/// As [`read_regular`], and keeps the file open.
pub(super) fn read_and_keep(dir: &Dir, path: &Path) -> Result<(File, Vec<u8>), Refusal> {
    let of = |error: io::Error| Refusal::of(&error);
    let mut file = uninterrupted(|| dir.open_with(path, &options())).map_err(of)?;
    let metadata = uninterrupted(|| file.metadata()).map_err(of)?;
    regular(metadata.file_type(), metadata.len())?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    let read = (&mut file).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(of)?;
    regular(metadata.file_type(), bytes.len() as u64)?;
    Ok((file, bytes))
}

/// Does a piece of work again for as long as a signal interrupts it.
pub(super) fn uninterrupted<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    options
}

/// Refuses what is no regular file, and what is too large.
fn regular(kind: FileType, bytes: u64) -> Result<(), Refusal> {
    if !kind.is_file() {
        let reason = format!("it is {}, not a file", name_of(kind));
        return Err(Refusal::Unreadable(reason.into()));
    }
    if bytes > MAX_FILE_BYTES {
        let mib = MAX_FILE_BYTES >> 20;
        let reason = format!("it is larger than {mib} MiB, the most that is opened");
        return Err(Refusal::Unreadable(reason.into()));
    }
    Ok(())
}

/// What kind of thing lies in a folder, with its article.
pub(crate) fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a FIFO (named pipe)";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_file() {
        "a file"
    } else if kind.is_symlink() {
        "a link"
    } else {
        "something of an unknown kind"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_could_lead_out_on_any_system_is_refused() {
        let reason = |path| match beneath(path) {
            Ok(path) => path,
            Err(refusal) => format!("refused: {refusal}"),
        };
        assert_eq!(reason("./machines/./a.dygram"), "machines/a.dygram");
        assert_eq!(reason("a..b/…"), "a..b/…");
        for (path, word) in [
            ("", "empty"),
            (".", "names no file"),
            ("/etc/passwd", "absolute"),
            ("../a", "`..`"),
            ("a/../../b", "`..`"),
            ("a//b", "empty part"),
            ("a/", "empty part"),
            ("C:/a", "drive letter"),
            ("c:a", "drive letter"),
            ("..\\a", "backslash"),
            ("\\\\host\\share", "backslash"),
            ("a\0b", "zero byte"),
        ] {
            assert!(reason(path).contains(word), "{path:?}: {}", reason(path));
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_read_through_a_link_that_leads_out() {
        use std::os::unix::fs::symlink;
        let temp = tempfile::tempdir().unwrap();
        let place = |path: &str| temp.path().join(path);
        std::fs::create_dir_all(place("root/a")).unwrap();
        std::fs::write(place("secret"), "secret").unwrap();
        std::fs::write(place("root/inside"), "inside").unwrap();
        symlink(place("secret"), place("root/absolute")).unwrap();
        symlink("../../secret", place("root/a/up")).unwrap();
        symlink("..", place("root/a/here")).unwrap();
        symlink("loop", place("root/loop")).unwrap();

        let root = Root::open(&place("root")).unwrap();
        assert_eq!(root.read("a/here/inside").unwrap(), b"inside");
        for path in ["absolute", "a/up", "a/here/absolute"] {
            assert!(
                matches!(root.read(path), Err(Refusal::Outside(_))),
                "{path}"
            );
        }
        assert_eq!(
            root.read("loop").unwrap_err().to_string(),
            "it is a link that leads back to itself"
        );
        assert_eq!(
            root.read("a").unwrap_err().to_string(),
            "it is a folder, not a file"
        );
        assert_eq!(root.read("a/none"), Err(Refusal::Missing));
        assert_eq!(root.read("inside/none"), Err(Refusal::Missing));
    }

    #[test]
    fn the_root_is_the_nearest_project_above_what_was_opened() {
        let temp = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(temp.path()).unwrap();
        std::fs::create_dir_all(base.join("work/.git")).unwrap();
        std::fs::create_dir_all(base.join("work/app/recordings")).unwrap();
        std::fs::write(base.join("work/app/retake.toml"), "").unwrap();
        std::fs::write(base.join("work/app/recordings/a.json"), "{}").unwrap();

        let file = base.join("work/app/recordings/a.json");
        let opened = open_all(std::slice::from_ref(&file), None).unwrap();
        assert_eq!(opened[0].root.path(), base.join("work/app"));
        assert_eq!(opened[0].prefix.as_deref(), Some("recordings"));

        let opened = open_all(&[base.join("work")], None).unwrap();
        assert_eq!(opened[0].root.path(), base.join("work"));
        assert_eq!(opened[0].prefix.as_deref(), Some(""));

        let opened = open_all(&[file], Some(&base.join("work/.git"))).unwrap();
        assert_eq!(opened[0].prefix, None);
    }
}
