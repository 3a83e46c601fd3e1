//! `missing-field`: found by the readers of each format.

rule! {
    /// A required field is missing. The rest of the file is still read and displayed.
    ///
    /// The tool that owns the format rejects such a file, or fails later because of the missing value.
    MissingField {
        title: "A required field is missing",
        fix: "Add the field that the message names, or record the file again.",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn a_tape_needs_its_model() {
        let text = r#"{ "meta": { "recordedAt": "2026-01-18T16:00:00Z" }, "request": { "model": "m", "contents": "" }, "stream": [] }"#;
        let problems = found(RuleId::MissingField, "tape.json", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("model"), "{problems:?}");
    }
}
