//! `wrong-type`: found by the readers of each format.

rule! {
    /// A value does not have the type that the format requires: for example a number in place of a string, or a list in
    /// place of an object. The rest of the file is still read and displayed.
    ///
    /// The tool that owns the format rejects such a file, or misinterprets the value.
    WrongType {
        title: "A value has the wrong type",
        fix: "Write a value of the type that the message names; in YAML, quote strings.",
        before: "Refused" => "input: 2026",
        after: "Accepted" => "input: \"2026\"",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn the_place_is_the_value() {
        let text = "id: a\ninput: hello\ntool_responses:\n  - tool: t\n    status: soon\n";
        let problems = found(RuleId::WrongType, "a.yaml", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("error 5:13 /tool_responses/0/status"), "{problems:?}");
    }
}
