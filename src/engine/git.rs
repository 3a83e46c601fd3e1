//! Finds the git repository inside the project root and opens its object store, and nothing else of it.
//!
//! No configuration is read and no program is started, so a hostile repository can do nothing but be wrong. Before the
//! store is opened by its path, everything in it is looked at through the root's handle: what leads out of the root (a
//! `.git` file, a link, an alternate store) is not read, and what would block (a FIFO) is not opened.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use super::root::{self, Refusal, Root, name_of, words};

/// The most an object may claim to need: no source and no tree is larger.
pub(crate) const MAX_OBJECT_BYTES: usize = 64 << 20;

/// How deep alternates may name further alternates; git itself stops at five.
const MAX_ALTERNATES: usize = 5;

/// A repository inside the project root.
pub(crate) struct Repository {
    /// The object store.
    pub(crate) objects: gix::odb::Handle,
    /// Where its branches and tags point.
    pub(crate) refs: gix::refs::file::Store,
    /// Path of its work tree from the project root; empty for the root itself.
    pub(crate) work_tree: String,
    /// True when its history was cut off by a shallow clone.
    pub(crate) shallow: bool,
}

/// Why there is no repository to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoRepository {
    /// There is none.
    Absent,
    /// It, or a part of it, lies outside the project root; the reason in words.
    OutsideRoot(Arc<str>),
    /// It cannot be read; the reason in words.
    Broken(Arc<str>),
}

fn outside(reason: impl Into<Arc<str>>) -> NoRepository {
    NoRepository::OutsideRoot(reason.into())
}

fn broken(reason: impl Into<Arc<str>>) -> NoRepository {
    NoRepository::Broken(reason.into())
}

/// Opens the repository that encloses `folder` (a path from the root), looked for upwards as far as the root.
pub(crate) fn open(root: &Root, folder: &str) -> Result<Repository, NoRepository> {
    let (work_tree, git_dir) = git_dir(root, folder)?;
    let common = common_dir(root, &git_dir)?;
    let objects = common.join("objects");
    let mut stores = vec![objects.clone()];
    let mut depth = 0;
    while let Some(store) = stores.pop() {
        depth += 1;
        if depth > MAX_ALTERNATES {
            return Err(broken("its alternate object stores form a chain"));
        }
        vet(root.dir(), &store)?;
        stores.extend(alternates(root, &objects, &store)?);
    }
    if root.dir().metadata(common.join("reftable")).is_ok() {
        return Err(broken(
            "its branches are kept in a reftable, which is not understood",
        ));
    }
    vet(root.dir(), &common.join("refs"))?;
    if git_dir != common && root.dir().metadata(git_dir.join("refs")).is_ok() {
        vet(root.dir(), &git_dir.join("refs"))?;
    }
    for file in ["HEAD", "packed-refs", "shallow"] {
        vet_file(root.dir(), &common.join(file))?;
        vet_file(root.dir(), &git_dir.join(file))?;
    }
    let shallow = root
        .dir()
        .metadata(common.join("shallow"))
        .is_ok_and(|file| file.len() > 0);

    let options = gix::odb::store::init::Options {
        alloc_limit_bytes: Some(MAX_OBJECT_BYTES),
        ..Default::default()
    };
    let hash = gix::hash::Kind::Sha1;
    let mut objects = gix::odb::at_opts(root.path().join(objects), hash, None, options)
        .map_err(|error| broken(words(&error)))?;
    objects.refresh_never();
    objects.set_pack_cache(|| {
        const CACHED_BYTES: usize = 64 << 20;
        Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(
            CACHED_BYTES,
        ))
    });
    let (git_dir, common) = (root.path().join(git_dir), root.path().join(common));
    let refs = if git_dir == common {
        gix::refs::file::Store::at(git_dir, hash)
    } else {
        gix::refs::file::Store::for_linked_worktree(git_dir, common, hash)
    };
    Ok(Repository {
        objects,
        refs,
        work_tree,
        shallow,
    })
}

/// The branch that is checked out in the repository at the root, if there is one.
pub(crate) fn branch(root: &Root) -> Option<String> {
    let (_, git_dir) = git_dir(root, "").ok()?;
    let head = root::read(root.dir(), &git_dir.join("HEAD")).ok()?;
    let head = String::from_utf8(head).ok()?;
    let name = head.trim().strip_prefix("ref: refs/heads/")?;
    Some(name.to_owned())
}

/// The file that says which branch is checked out at the root, from the root.
pub(crate) fn head(root: &Root) -> Option<PathBuf> {
    let (_, git_dir) = git_dir(root, "").ok()?;
    Some(git_dir.join("HEAD"))
}

/// The work tree that encloses `folder`, and its git directory, both from the root.
fn git_dir(root: &Root, folder: &str) -> Result<(String, PathBuf), NoRepository> {
    for folder in Path::new(folder).ancestors() {
        let place = folder.join(".git");
        let metadata = match root.dir().metadata(&place) {
            Ok(metadata) => metadata,
            Err(error) => match Refusal::of(&error) {
                Refusal::Missing => continue,
                Refusal::Outside(_) => return Err(outside("its .git is a link that leads out")),
                Refusal::Unreadable(reason) => return Err(broken(reason)),
            },
        };
        let work_tree = root::shown(folder).to_string();
        if metadata.is_dir() {
            return Ok((work_tree, place));
        }
        let text = read_text(root.dir(), &place)?;
        let Some(target) = text.trim_end().strip_prefix("gitdir: ") else {
            return Err(broken("its .git is a file that names no git directory"));
        };
        let reason = "its .git is a file that points out of the project root";
        let target = inside(root, folder, Path::new(target)).ok_or_else(|| outside(reason))?;
        return Ok((work_tree, target));
    }
    Err(NoRepository::Absent)
}

/// Where a linked work tree keeps what all work trees share; else the git directory itself.
fn common_dir(root: &Root, git_dir: &Path) -> Result<PathBuf, NoRepository> {
    let file = git_dir.join("commondir");
    if root.dir().symlink_metadata(&file).is_err() {
        return Ok(git_dir.to_owned());
    }
    let text = read_text(root.dir(), &file)?;
    let reason = "its git directory points out of the project root";
    inside(root, git_dir, Path::new(text.trim_end())).ok_or_else(|| outside(reason))
}

/// The object stores that a store borrows from. Relative paths count from the first store, as the reader takes them.
fn alternates(root: &Root, first: &Path, store: &Path) -> Result<Vec<PathBuf>, NoRepository> {
    let file = store.join("info/alternates");
    if root.dir().symlink_metadata(&file).is_err() {
        return Ok(Vec::new());
    }
    let text = read_text(root.dir(), &file)?;
    let named = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    named
        .map(|line| {
            let reason = "it borrows objects from a store outside the project root";
            let path = (!line.starts_with('"')).then_some(Path::new(line));
            path.and_then(|path| inside(root, first, path))
                .ok_or_else(|| outside(reason))
        })
        .collect()
}

/// Resolves a path that git wrote, from `base`, to one from the root; `None` when it leads out.
fn inside(root: &Root, base: &Path, path: &Path) -> Option<PathBuf> {
    let relative = match path.is_absolute() {
        true => path.strip_prefix(root.path()).ok()?.to_owned(),
        false => base.join(path),
    };
    let mut inside = PathBuf::new();
    for part in relative.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                if !inside.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(inside)
}

fn read_text(dir: &Dir, path: &Path) -> Result<String, NoRepository> {
    let bytes = root::read(dir, path).map_err(|refusal| match refusal {
        Refusal::Outside(reason) => outside(reason),
        refusal => broken(format!("{} cannot be read: {refusal}", path.display())),
    })?;
    String::from_utf8(bytes).map_err(|_| broken(format!("{} is not text", path.display())))
}

/// Refuses a folder of a repository in which something leads out of the root or is neither file nor folder.
fn vet(dir: &Dir, folder: &Path) -> Result<(), NoRepository> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let unreadable = |error: std::io::Error| match Refusal::of(&error) {
            Refusal::Outside(_) => outside("a link in its git directory leads out"),
            refusal => broken(format!("{} cannot be read: {refusal}", folder.display())),
        };
        for entry in dir.read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let path = folder.join(entry.file_name());
            if kind.is_dir() {
                folders.push(path);
            } else if !kind.is_file() {
                vet_file(dir, &path)?;
            }
        }
    }
    Ok(())
}

/// Refuses a file of a repository that leads out or is no file. A link to a folder would hide what is in it.
fn vet_file(dir: &Dir, path: &Path) -> Result<(), NoRepository> {
    let kind = match dir.metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) => match Refusal::of(&error) {
            Refusal::Missing => return Ok(()),
            Refusal::Outside(_) => return Err(outside("a link in its git directory leads out")),
            Refusal::Unreadable(reason) => return Err(broken(reason)),
        },
    };
    if kind.is_file() {
        return Ok(());
    }
    let path = path.display();
    Err(broken(format!("{path} is {}, not a file", name_of(kind))))
}
