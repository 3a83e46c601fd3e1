//! `unreadable`: found by the engine, while it opens files.

rule! {
    /// The file could not be opened or read: access is denied, it is no ordinary file (a pipe, a socket, a device), it is
    /// larger than 256 MiB or holds more than sixteen million values, or a link leads out of what was opened.
    ///
    /// What was not read was not judged. A test that needs it will most likely fail to read it, too.
    Unreadable {
        title: "The file cannot be read",
        fix: "Look at the reason in the message; give read access, or put the file itself in place of the link.",
    }
}
