//! `encoding`: found by the readers, from the bytes of the file.

rule! {
    /// The bytes are not UTF-8: the file is UTF-16, as some Windows programs write it, or holds bytes that belong to no
    /// character. It is shown as well as it goes, and cannot be edited here.
    ///
    /// The owners of these formats read UTF-8. They fail on such a file, or take other characters in.
    Encoding {
        title: "The file is not UTF-8",
        fix: "Save the file as UTF-8 in an editor, or record it again.",
    }
}
