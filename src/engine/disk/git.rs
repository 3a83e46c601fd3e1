//! Finds the git repository inside the project root and opens its object store, and nothing else of it.
//!
//! No configuration is read and no program is started, so a hostile repository can only give wrong data. Before the
//! store is opened by its path, everything in it is checked through a handle: what leads out of the root (a `.git` file,
//! a link, an alternate store) is not read, and what would block (a FIFO) is not opened.
//!
//! Two things outside the root are read. One is the repository of a linked work tree, if it lists this work tree itself, which the
//! author of the work tree's `.git` file cannot forge. The other are the object stores of repositories from which this one borrows, as
//! after `git clone --shared`: of these only objects, which are found by the hash of their content.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use crate::disk::git_files::is_git_dir;
use crate::disk::guard::catch;
use crate::disk::history::NotFound;
use crate::disk::root::{
    self, MAX_FILE_BYTES, OpenedPath, ReadRefusal, Root, check_regular, describe_error, kind_name,
};
use document::text::visible;

/// The largest object that is read: no source and no tree is larger.
pub(crate) const MAX_OBJECT_BYTES: usize = 64 << 20;

/// The file of ignored patterns in a git directory.
const EXCLUDE_PATH: &str = "info/exclude";

/// Number of object stores that are read, each of which may name further ones. Each is an open file as long as it is checked.
const MAX_STORES: usize = 5;

/// A repository inside the project root.
pub(crate) struct Repository {
    /// The object store.
    pub(crate) objects: gix::odb::Handle,
    /// Its branches and tags.
    pub(crate) refs: gix::refs::file::Store,
    /// Path of its work tree from the project root; empty for the root itself.
    pub(crate) work_tree: String,
    /// True when its history was cut off by a shallow clone.
    pub(crate) shallow: bool,
}

fn outside(reason: impl Into<Arc<str>>) -> NotFound {
    NotFound::OutsideRoot(reason.into())
}

fn broken(reason: impl Into<Arc<str>>) -> NotFound {
    NotFound::Broken(reason.into())
}

/// Place of a repository, and the handle below which all of it must be.
struct GitDir {
    /// Path of its work tree from the project root.
    work_tree: String,
    bounds: GitBounds,
    /// The git directory of this work tree, relative to the bounds.
    own: PathBuf,
    /// The git directory that all work trees share, relative to the bounds.
    common: PathBuf,
}

/// A folder out of which no path may lead: the project root, or the repository of a linked work tree.
struct GitBounds {
    dir: Dir,
    path: PathBuf,
}

/// Opens the repository that encloses `folder` (a path from the root), looked for upwards as far as the root.
pub(crate) fn open(root: &Root, folder: &str) -> Result<Repository, NotFound> {
    let git_dir = GitDir::find(root, folder)?;
    let (dir, common) = (&git_dir.bounds.dir, &git_dir.common);
    let objects = common.join("objects");
    let mut stores = vec![(None, objects.clone())];
    let mut store_count = 0;
    while let Some((own_dir, store)) = stores.pop() {
        store_count += 1;
        let dir = own_dir.as_ref().unwrap_or(dir);
        vet(dir, &store)?;
        for alternate in alternates(dir, &store)? {
            if store_count + stores.len() >= MAX_STORES {
                let reason = format!("it borrows objects from {MAX_STORES} stores or more");
                return Err(broken(reason));
            }
            // A store inside the bounds is read through their handle; only a borrowed one needs a handle of its own.
            stores.push(match git_dir.bounds.resolve_inside(&objects, &alternate) {
                Some(path) => (None, path),
                None => {
                    let base = git_dir.bounds.path.join(&objects);
                    (Some(borrowed_store(&base, &alternate)?), PathBuf::from("."))
                }
            });
        }
    }
    // With a reftable, `refs` and `HEAD` are stubs, so the repository would seem to have no branches.
    if dir.metadata(common.join("reftable")).is_ok() {
        return Err(broken(
            "its branches are in a reftable, a format that Retake does not support",
        ));
    }
    vet(dir, &common.join("refs"))?;
    if git_dir.own != *common && dir.metadata(git_dir.own.join("refs")).is_ok() {
        vet(dir, &git_dir.own.join("refs"))?;
    }
    // The store of references opens these files by path, without the checks of the handle.
    for file in ["HEAD", "packed-refs", "shallow"] {
        vet_file(dir, &common.join(file))?;
        vet_file(dir, &git_dir.own.join(file))?;
    }
    let shallow = dir.metadata(common.join("shallow")).is_ok_and(|file| file.len() > 0);
    Ok(Repository {
        objects: store(&git_dir.bounds.path.join(objects))?,
        refs: git_dir.refs(),
        work_tree: git_dir.work_tree,
        shallow,
    })
}

/// Opens an object store in which everything was checked.
fn store(path: &Path) -> Result<gix::odb::Handle, NotFound> {
    let options = gix::odb::store::init::Options {
        // The size that a hostile object claims must not be allocated before its bytes are read.
        alloc_limit_bytes: Some(MAX_OBJECT_BYTES),
        ..Default::default()
    };
    let mut objects = gix::odb::at_opts(path.to_owned(), gix::hash::Kind::Sha1, None, options)
        .map_err(|error| broken(describe_error(&error)))?;
    // A pack that appears after the stores were checked must not be opened.
    objects.refresh_never();
    objects.set_pack_cache(|| {
        // Walking a history reads similar trees, which are stored as differences from each other in packs.
        const CACHED_BYTES: usize = 64 << 20;
        Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(CACHED_BYTES))
    });
    Ok(objects)
}

impl Repository {
    /// Returns the object that HEAD points to; `None` before the first commit.
    pub(crate) fn head(&self) -> Option<gix::ObjectId> {
        self.resolve("HEAD")
    }

    /// Returns what a branch, a tag or HEAD points to.
    pub(crate) fn resolve(&self, name: &str) -> Option<gix::ObjectId> {
        let mut reference = self.refs.try_find(name).ok()??;
        // Symbolic references may form a circle. Git itself follows five.
        const MAX_STEPS: usize = 8;
        for _ in 0..MAX_STEPS {
            match reference.target {
                gix::refs::Target::Object(id) => return Some(id),
                gix::refs::Target::Symbolic(name) => {
                    reference = self.refs.try_find(name.as_ref()).ok()??;
                }
            }
        }
        None
    }

    /// Reads a blob. Returns false if it is missing or no blob.
    pub(crate) fn blob(&self, id: gix::ObjectId, buffer: &mut Vec<u8>) -> bool {
        use gix::objs::{Find as _, Kind};
        // The pack reader is not hardened against hostile input.
        let kind = catch(|| self.objects.try_find(&id, buffer).ok().flatten().map(|h| h.kind));
        kind.ok().flatten() == Some(Kind::Blob)
    }
}

/// The branch that is checked out in the repository at the root, if there is one.
pub(crate) fn branch(root: &Root) -> Option<String> {
    let git_dir = GitDir::find(root, "").ok()?;
    let head = root::read_file(&git_dir.bounds.dir, &git_dir.own.join("HEAD")).ok()?;
    let head = String::from_utf8(head).ok()?;
    // A detached HEAD has the hash of a commit there.
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

/// The file that says which branch is checked out at the root.
pub(crate) fn head(root: &Root) -> Option<PathBuf> {
    let git_dir = GitDir::find(root, "").ok()?;
    Some(git_dir.bounds.path.join(git_dir.own).join("HEAD"))
}

/// The work tree that encloses `folder`, from the root.
pub(crate) fn work_tree(root: &Root, folder: &str) -> Option<String> {
    let mut folders = Path::new(folder).ancestors();
    let is_top = |folder: &&Path| root.dir.symlink_metadata(folder.join(".git")).is_ok();
    Some(root::display_path(folders.find(is_top)?).to_string())
}

/// Reads the index of the work tree that encloses `folder`; `None` if there is none, or if it cannot be read.
pub(crate) fn index(root: &Root, folder: &str) -> Option<gix::index::File> {
    let git_dir = GitDir::find(root, folder).ok()?;
    let path = git_dir.own.join("index");
    // The reader of the index opens it by path, and would wait at a FIFO.
    check_regular(&git_dir.bounds.dir, &path).ok()?;
    let options = gix::index::decode::Options {
        alloc_limit_bytes: usize::try_from(MAX_FILE_BYTES).ok(),
        ..Default::default()
    };
    let (path, hash) = (git_dir.bounds.path.join(path), gix::hash::Kind::Sha1);
    // The reader is not hardened against hostile input.
    catch(|| gix::index::File::at(path, hash, true, options)).ok()?.ok()
}

/// Finds the work tree that encloses an opened folder. One around the project root counts as well.
pub(crate) fn enclosing_work_tree(opened: &OpenedPath) -> Option<WorkTreePlace> {
    let root = &opened.root;
    if let Some(top) = work_tree(root, &opened.prefix) {
        return Some(WorkTreePlace {
            bounds: Arc::clone(root),
            top,
            root: "".into(),
            folder: Arc::clone(&opened.prefix),
        });
    }
    let mut ancestors = root.path().ancestors().skip(1);
    let top = ancestors.find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let from_top = |path: &Path| Some(root::display_path(path.strip_prefix(top).ok()?));
    Some(WorkTreePlace {
        bounds: Arc::new(Root::open(top).ok()?),
        top: String::new(),
        root: from_top(root.path())?,
        folder: from_top(&opened.folder)?,
    })
}

/// Place of an opened folder in a work tree. All paths are from the bounds.
pub(crate) struct WorkTreePlace {
    /// The project root, or the top of a work tree around it.
    pub(crate) bounds: Arc<Root>,
    /// The top of the work tree.
    pub(crate) top: String,
    /// The project root.
    pub(crate) root: Arc<str>,
    /// The opened folder.
    pub(crate) folder: Arc<str>,
}

impl WorkTreePlace {
    /// Returns a path from the top of the work tree, given the path from the bounds; `None` if it is not in the work tree.
    pub(crate) fn path_from_top<'a>(&self, path: &'a str) -> Option<&'a str> {
        root::path_below(&self.top, path)
    }
}

/// Reads the patterns that the repository of the work tree that encloses `folder` ignores besides those of `.gitignore` files.
pub(crate) fn exclude(root: &Root, folder: &str) -> Option<Vec<u8>> {
    let git_dir = GitDir::find(root, folder).ok()?;
    root::read_file(&git_dir.bounds.dir, &git_dir.common.join(EXCLUDE_PATH)).ok()
}

/// Returns the path of the file of [`exclude`], if the repository has a place for it.
pub(crate) fn exclude_path(root: &Root, folder: &str) -> Option<PathBuf> {
    let git_dir = GitDir::find(root, folder).ok()?;
    Some(git_dir.bounds.path.join(git_dir.common).join(EXCLUDE_PATH))
}

impl GitDir {
    /// Finds the repository of the work tree that contains `folder`, from the root.
    fn find(root: &Root, folder: &str) -> Result<Self, NotFound> {
        for folder in Path::new(folder).ancestors() {
            let place = folder.join(".git");
            let reason = "its .git is a link to a place outside the project root";
            // A folder without one may be part of a work tree further up.
            let Some(metadata) = metadata(&root.dir, &place, reason)? else { continue };
            let work_tree = root::display_path(folder).to_string();
            if metadata.is_dir() {
                return Self::beneath(GitBounds::from_root(root)?, work_tree, place);
            }
            let text = read_text(&root.dir, &place)?;
            let Some(target) = text.trim_end().strip_prefix("gitdir: ") else {
                return Err(broken("its .git is a file that names no git directory"));
            };
            let target = Path::new(target);
            let bounds = GitBounds::from_root(root)?;
            return match bounds.resolve_inside(folder, target) {
                Some(git_dir) => Self::beneath(bounds, work_tree, git_dir),
                None => Self::linked(work_tree, &root.path().join(place), target),
            };
        }
        Err(NotFound::NoRepository)
    }

    fn beneath(bounds: GitBounds, work_tree: String, own: PathBuf) -> Result<Self, NotFound> {
        let common = match common_dir(&bounds.dir, &own)? {
            None => own.clone(),
            Some(common) => bounds
                .resolve_inside(&own, &common)
                .ok_or_else(|| outside("its git directory points outside the project root"))?,
        };
        Ok(Self { work_tree, bounds, own, common })
    }

    /// Finds the repository outside the root to which this linked work tree belongs: the repository must list it, too.
    fn linked(work_tree: String, dot_git: &Path, target: &Path) -> Result<Self, NotFound> {
        let is_not_ours = || {
            outside(
                "its .git is a file that points outside the project root, and the repository there does not list this work tree",
            )
        };
        let target = dot_git.with_file_name("").join(target);
        // Checked before `canonicalize`, which would already connect to the other machine.
        if leads_to_other_machine(dot_git, &target) {
            return Err(is_not_ours());
        }
        let target = std::fs::canonicalize(target).map_err(|_| is_not_ours())?;
        let own_dir =
            Dir::open_ambient_dir(&target, ambient_authority()).map_err(|_| is_not_ours())?;
        let backlink = read_text(&own_dir, Path::new("gitdir")).map_err(|_| is_not_ours())?;
        // With `worktree.useRelativePaths`, git writes a path relative to the git directory.
        let backlink = target.join(backlink.trim_end());
        let canonical = |path: &Path| std::fs::canonicalize(path).ok();
        let common = common_dir(&own_dir, Path::new(""))?.ok_or_else(is_not_ours)?;
        let common = canonical(&target.join(common)).ok_or_else(is_not_ours)?;
        let own = target.strip_prefix(&common).map_err(|_| is_not_ours())?;
        // Both paths may be missing, which must not count as equal.
        if canonical(&backlink).is_none() || canonical(&backlink) != canonical(dot_git) {
            return Err(is_not_ours());
        }
        let dir = Dir::open_ambient_dir(&common, ambient_authority());
        Ok(Self {
            work_tree,
            own: own.to_owned(),
            bounds: GitBounds { dir: dir.map_err(|e| broken(describe_error(&e)))?, path: common },
            common: PathBuf::new(),
        })
    }

    fn refs(&self) -> gix::refs::file::Store {
        let beneath = |folder: &Path| self.bounds.path.join(folder);
        let (own, common) = (beneath(&self.own), beneath(&self.common));
        let hash = gix::hash::Kind::Sha1;
        if self.own == self.common {
            gix::refs::file::Store::at(own, hash)
        } else {
            gix::refs::file::Store::for_linked_worktree(own, common, hash)
        }
    }
}

/// Returns where a linked work tree's shared git directory is, as its own git directory says.
fn common_dir(dir: &Dir, folder: &Path) -> Result<Option<PathBuf>, NotFound> {
    let file = folder.join("commondir");
    if dir.symlink_metadata(&file).is_err() {
        return Ok(None);
    }
    Ok(Some(PathBuf::from(read_text(dir, &file)?.trim_end())))
}

/// The object stores that a store borrows from. Relative paths count from the first store, as the reader takes them.
fn alternates(dir: &Dir, store: &Path) -> Result<Vec<PathBuf>, NotFound> {
    let file = store.join("info/alternates");
    if dir.symlink_metadata(&file).is_err() {
        return Ok(Vec::new());
    }
    let text = read_text(dir, &file)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            // Git unquotes a path in quotes as a C string; the object store's reader and this check could disagree about it.
            let is_plain = !line.starts_with('"');
            let reason = "the path of a store from which it borrows objects is in quotes";
            is_plain.then(|| PathBuf::from(line)).ok_or_else(|| broken(reason))
        })
        .collect()
}

/// Opens the object store of another repository, out of which no path may lead.
fn borrowed_store(base: &Path, alternate: &Path) -> Result<Dir, NotFound> {
    let path = base.join(alternate);
    let is_store =
        |path: &PathBuf| path.ends_with("objects") && path.parent().is_some_and(is_git_dir);
    // Checked before `canonicalize`, which would already connect to the other machine.
    let is_here = !leads_to_other_machine(base, &path);
    let real_path = is_here.then(|| std::fs::canonicalize(&path).ok()).flatten().filter(is_store);
    let dir = real_path.and_then(|path| Dir::open_ambient_dir(path, ambient_authority()).ok());
    dir.ok_or_else(|| {
        let path = visible(&path.to_string_lossy()).into_owned();
        outside(format!("it borrows objects from {path}, and there is no repository"))
    })
}

/// Returns whether opening a path that a repository names would connect to another machine than the one of `base`: Windows does that
/// for paths such as `\\host\share`, and signs in there.
fn leads_to_other_machine(base: &Path, path: &Path) -> bool {
    let share = |path: &Path| match path.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::Disk(_) | Prefix::VerbatimDisk(_) => None,
            Prefix::UNC(host, share) | Prefix::VerbatimUNC(host, share) => {
                Some([host.to_owned(), share.to_owned()])
            }
            _ => Some([prefix.as_os_str().to_owned(), OsString::new()]),
        },
        _ => None,
    };
    let path_share = share(path);
    path_share.is_some() && path_share != share(base)
}

impl GitBounds {
    fn from_root(root: &Root) -> Result<Self, NotFound> {
        let dir = root.dir.try_clone();
        Ok(Self { dir: dir.map_err(|e| broken(describe_error(&e)))?, path: root.path().to_owned() })
    }

    /// Resolves a path that git wrote, from `base`, to one from these bounds; `None` when it leads out.
    fn resolve_inside(&self, base: &Path, path: &Path) -> Option<PathBuf> {
        let relative = if path.is_absolute() {
            path.strip_prefix(&self.path).ok()?.to_owned()
        } else {
            base.join(path)
        };
        // By the text alone: links are left to the handle, which refuses those that lead out.
        let mut path_inside = PathBuf::new();
        for part in relative.components() {
            match part {
                Component::Normal(part) => path_inside.push(part),
                Component::CurDir => {}
                Component::ParentDir => {
                    if !path_inside.pop() {
                        return None;
                    }
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(path_inside)
    }
}

fn read_text(dir: &Dir, path: &Path) -> Result<String, NotFound> {
    let bytes = root::read_file(dir, path).map_err(|refusal| match refusal {
        ReadRefusal::Outside(reason) => outside(reason),
        refusal => broken(format!("{} cannot be read: {refusal}", path.display())),
    })?;
    String::from_utf8(bytes).map_err(|_| broken(format!("{} is not text", path.display())))
}

/// Refuses a folder of a repository in which something leads out of the root or is neither file nor folder.
fn vet(dir: &Dir, folder: &Path) -> Result<(), NotFound> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let fault = |error: std::io::Error| match ReadRefusal::from_error(&error) {
            ReadRefusal::Outside(_) => outside(OUTSIDE_LINK_REASON),
            refusal => broken(format!("{} cannot be read: {refusal}", folder.display())),
        };
        for entry in dir.read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let kind = entry.file_type().map_err(fault)?;
            let path = folder.join(entry.file_name());
            if kind.is_dir() {
                folders.push(path);
            // Regular files need no second look, which matters in stores of many thousands of loose objects.
            } else if !kind.is_file() {
                vet_file(dir, &path)?;
            }
        }
    }
    Ok(())
}

/// Refuses a file of a repository that leads out or is no file. A link to a folder would hide what is in it.
fn vet_file(dir: &Dir, path: &Path) -> Result<(), NotFound> {
    match metadata(dir, path, OUTSIDE_LINK_REASON)?.map(|metadata| metadata.file_type()) {
        Some(kind) if !kind.is_file() => {
            let path = path.display();
            Err(broken(format!("{path} is {}, not a file", kind_name(kind))))
        }
        _ => Ok(()),
    }
}

const OUTSIDE_LINK_REASON: &str = "a link in its git directory points outside the project root";

/// Returns the metadata of what is at a path; `None` if nothing is there. `problem` is the reason to refuse a link that leads out.
fn metadata(dir: &Dir, path: &Path, problem: &str) -> Result<Option<Metadata>, NotFound> {
    match dir.metadata(path).map_err(|error| ReadRefusal::from_error(&error)) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(ReadRefusal::Missing) => Ok(None),
        Err(ReadRefusal::Outside(_)) => Err(outside(problem)),
        Err(ReadRefusal::Unreadable(reason)) => Err(broken(reason)),
    }
}

#[cfg(all(test, windows))]
mod windows_tests {
    use super::*;

    #[test]
    fn a_repository_cannot_make_windows_sign_in_elsewhere() {
        for (base, path, expected) in [
            (r"C:\a", r"C:\a\..\b", false),
            (r"C:\a", r"\\?\D:\b", false),
            (r"C:\a", r"\\host\share\objects", true),
            (r"C:\a", "//host/share/objects", true),
            (r"C:\a", r"\\?\UNC\host\share\objects", true),
            (r"C:\a", r"\\.\pipe\a", true),
            (r"\\?\UNC\host\share\a", r"\\host\share\b", false),
            (r"\\?\UNC\host\share\a", r"\\other\share\b", true),
        ] {
            let leads = leads_to_other_machine(Path::new(base), Path::new(path));
            assert_eq!(leads, expected, "{base} {path}");
        }
    }
}
