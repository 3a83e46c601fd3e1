//! `encoding`: found by the readers, from the bytes of the file.

rule! {
    /// The file is not UTF-8: it is UTF-16, as some Windows programs write it, or contains bytes that are not valid UTF-8.
    /// It is displayed as far as possible and cannot be edited here.
    ///
    /// The tools that own these formats read UTF-8. They fail on such a file, or read wrong characters.
    Encoding {
        title: "The file is not UTF-8",
        fix: "Save the file as UTF-8 in an editor, or record it again.",
    }
}
