//! Reads one file below a folder's handle: only a regular file of a bounded size, and without ever blocking on it.

use std::io::{self, Read as _};
use std::path::Path;

use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::ReadRefusal;

/// The largest file that is opened: 256 MiB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Reads a file below `dir` that may be of any type: its type is checked before it is opened.
pub(crate) fn read(dir: &Dir, path: &Path) -> Result<Vec<u8>, ReadRefusal> {
    check_regular(dir, path)?;
    read_regular(dir, path)
}

/// Fails unless a path is a regular file that can be read.
pub(in crate::engine) fn check_regular(dir: &Dir, path: &Path) -> Result<(), ReadRefusal> {
    let metadata =
        uninterrupted(|| dir.metadata(path)).map_err(|error| ReadRefusal::from_error(&error))?;
    check_kind_and_size(metadata.file_type(), metadata.len())
}

/// Reads a file beneath `dir` that was a regular one a moment ago.
///
/// Never waits (the file may have become a FIFO) and never reads more than [`MAX_FILE_BYTES`] (it may grow meanwhile).
fn read_regular(dir: &Dir, path: &Path) -> Result<Vec<u8>, ReadRefusal> {
    read_and_keep(dir, path).map(|(_, bytes)| bytes)
}

/// As [`read_regular`], and keeps the file open.
pub(in crate::engine) fn read_and_keep(
    dir: &Dir,
    path: &Path,
) -> Result<(File, Vec<u8>), ReadRefusal> {
    let (file, bytes, ()) = read_admitted(dir, path, |_| ())?;
    Ok((file, bytes))
}

/// As [`read_and_keep`]; calls `admit` with the length of the file before it is read, and returns its result as well.
pub(in crate::engine) fn read_admitted<T>(
    dir: &Dir,
    path: &Path,
    admit: impl FnOnce(u64) -> T,
) -> Result<(File, Vec<u8>, T), ReadRefusal> {
    let of = |error: io::Error| ReadRefusal::from_error(&error);
    let mut file = uninterrupted(|| dir.open_with(path, &options())).map_err(of)?;
    let metadata = uninterrupted(|| file.metadata()).map_err(of)?;
    check_kind_and_size(metadata.file_type(), metadata.len())?;
    let admitted = admit(metadata.len());
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    let read = (&mut file).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(of)?;
    check_kind_and_size(metadata.file_type(), bytes.len() as u64)?;
    Ok((file, bytes, admitted))
}

/// Reads the beginning of a file beneath `dir` that was a regular one a moment ago.
pub(in crate::engine) fn read_head(
    dir: &Dir,
    path: &Path,
    most: usize,
) -> Result<Vec<u8>, ReadRefusal> {
    let of = |error: io::Error| ReadRefusal::from_error(&error);
    let file = uninterrupted(|| dir.open_with(path, &options())).map_err(of)?;
    let metadata = uninterrupted(|| file.metadata()).map_err(of)?;
    check_kind_and_size(metadata.file_type(), 0)?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes).map_err(of)?;
    Ok(bytes)
}

/// Retries an operation for as long as a signal interrupts it.
pub(in crate::engine) fn uninterrupted<T>(
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
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

/// Fails for what is not a regular file, or too large.
pub(super) fn check_kind_and_size(kind: FileType, bytes: u64) -> Result<(), ReadRefusal> {
    if !kind.is_file() {
        let reason = format!("it is {}, not a file", kind_name(kind));
        return Err(ReadRefusal::Unreadable(reason.into()));
    }
    if bytes > MAX_FILE_BYTES {
        let mib = MAX_FILE_BYTES >> 20;
        let reason = format!("it is larger than {mib} MiB, the largest size that Retake opens");
        return Err(ReadRefusal::Unreadable(reason.into()));
    }
    Ok(())
}

/// Returns the name of a file type, with its article.
pub(crate) fn kind_name(kind: FileType) -> &'static str {
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
        "a file of an unknown kind"
    }
}
