//! `unreadable`: found by the engine, while it opens files.

rule! {
    /// The file could not be opened or read: access is denied, it is not a regular file (but a pipe, a socket or a device), it
    /// is larger than 256 MiB, it has more than sixteen million values, or it is a link out of the opened folder.
    ///
    /// The file was not checked. A test that uses it will probably fail to read it, too.
    Unreadable {
        title: "The file cannot be read",
        fix: "Fix the cause that the message names: for example, allow read access, unpack the file, or replace the link with the file.",
    }
}
