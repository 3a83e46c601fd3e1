//! Reads one file below a folder's handle: only a regular file of a bounded size, and without ever blocking on it.

use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::ReadRefusal;
use crate::disk::file_stamp::FileStamp;
use document::body::{gunzip, is_gzip};
use document::eval_archive;

/// The largest file that is opened: 256 MiB.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Reads a file below `dir` that may be of any type: its type is checked before it is opened.
pub(crate) fn read_file(dir: &Dir, path: &Path) -> Result<Vec<u8>, ReadRefusal> {
    check_regular(dir, path)?;
    read_regular(dir, path)
}

/// Fails unless a path is a regular file that can be read.
pub(crate) fn check_regular(dir: &Dir, path: &Path) -> Result<(), ReadRefusal> {
    let metadata = uninterrupted(|| dir.metadata(path)).map_err(|e| ReadRefusal::from_error(&e))?;
    check_kind_and_size(metadata.file_type(), metadata.len())
}

/// Reads a file beneath `dir` that was a regular one a moment ago.
///
/// Never waits (the file may have become a FIFO) and never reads more than [`MAX_FILE_BYTES`] (it may grow meanwhile).
pub(crate) fn read_regular(dir: &Dir, path: &Path) -> Result<Vec<u8>, ReadRefusal> {
    read_and_keep(dir, path).map(|(_, bytes)| bytes)
}

/// As [`read_regular`], and keeps the file open.
pub(crate) fn read_and_keep(dir: &Dir, path: &Path) -> Result<(File, Vec<u8>), ReadRefusal> {
    let mut file = RegularFile::open(dir, path)?;
    let bytes = file.read()?;
    Ok((file.file, bytes))
}

/// A regular file that is open for reading.
#[derive(Debug)]
pub(crate) struct RegularFile {
    file: File,
    /// Its size when it was opened.
    pub(crate) bytes: u64,
    /// Its stamp when it was opened.
    pub(crate) stamp: Option<FileStamp>,
    /// Whether its name says that it is packed; such a file is read as its content.
    is_packed: bool,
}

impl RegularFile {
    /// Opens a file beneath `dir` that was a regular one a moment ago. Never waits.
    pub(crate) fn open(dir: &Dir, path: &Path) -> Result<Self, ReadRefusal> {
        let refusal = |error: io::Error| ReadRefusal::from_error(&error);
        let file = uninterrupted(|| dir.open_with(path, &options())).map_err(refusal)?;
        let metadata = uninterrupted(|| file.metadata()).map_err(refusal)?;
        // The size is checked where everything is read: only the beginning of a large file may be requested.
        check_kind_and_size(metadata.file_type(), 0)?;
        Ok(Self {
            file,
            bytes: metadata.len(),
            stamp: FileStamp::exact(&metadata),
            is_packed: is_packed(path),
        })
    }

    /// Reads the beginning.
    pub(crate) fn read_head(&mut self, max_bytes: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(max_bytes.min(8 << 10));
        let mut head = (&mut self.file).take(max_bytes as u64);
        head.read_to_end(&mut bytes)?;
        self.file.rewind()?;
        Ok(bytes)
    }

    /// Reads the end.
    pub(crate) fn read_tail(&mut self, max_bytes: usize) -> io::Result<Vec<u8>> {
        let start = self.bytes.saturating_sub(max_bytes as u64);
        self.file.seek(io::SeekFrom::Start(start))?;
        self.read_head(max_bytes)
    }

    /// Returns the open file.
    pub(crate) fn into_std(self) -> std::fs::File {
        self.file.into_std()
    }

    /// Reads everything, but never more than [`MAX_FILE_BYTES`].
    pub(crate) fn read(&mut self) -> Result<Vec<u8>, ReadRefusal> {
        check_size(self.bytes)?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0));
        // As much as it had when it was opened: looking for more is a system call for each file. Some file systems do not know the size.
        let max_bytes = if self.bytes == 0 { MAX_FILE_BYTES + 1 } else { self.bytes };
        let mut file = (&mut self.file).take(max_bytes);
        file.read_to_end(&mut bytes).map_err(|error| ReadRefusal::from_error(&error))?;
        check_size(bytes.len() as u64)?;
        if self.is_packed { unpacked(bytes) } else { Ok(bytes) }
    }
}

/// Returns whether the name of a file, or of a temporary one in its place, says that it is compressed with gzip or an archive of Inspect.
pub(crate) fn is_packed(path: &Path) -> bool {
    is_compressed(path) || path.extension().is_some_and(|ending| ending == "eval")
}

/// Returns whether the name says that it is compressed with gzip.
pub(crate) fn is_compressed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".gz") || name.contains(".gz.retake-")
}

/// Returns the content of a file that is compressed with gzip, and the lines of an archive of Inspect.
pub(crate) fn unpacked(bytes: Vec<u8>) -> Result<Vec<u8>, ReadRefusal> {
    let refusal =
        |fault: String| ReadRefusal::Unreadable(format!("it cannot be unpacked: {fault}").into());
    if eval_archive::is_archive(&bytes) {
        return eval_archive::lines(&bytes, MAX_FILE_BYTES as usize).map_err(refusal);
    }
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    gunzip(&bytes, MAX_FILE_BYTES as usize).map_err(|fault| refusal(fault.to_string()))
}

/// Retries an operation for as long as a signal interrupts it.
pub(crate) fn uninterrupted<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
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
        // Opening a FIFO must not wait for its writer, and a terminal must not become the one of this process.
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
    check_size(bytes)
}

fn check_size(bytes: u64) -> Result<(), ReadRefusal> {
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

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn a_file_of_which_the_beginning_was_read_is_read_from_the_beginning() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("a.json"), "{\"a\": 1}").unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let mut file = RegularFile::open(&dir, Path::new("a.json")).unwrap();
        assert_eq!(file.bytes, 8);
        assert_eq!(file.read_head(3).unwrap(), b"{\"a");
        assert_eq!(file.read().unwrap(), b"{\"a\": 1}");
    }
}
