//! `wrong-type`: found by the readers of each format.

rule! {
    /// A value has another type than its format says: a number where a text belongs, a list where an object belongs. The
    /// rest of the file is read and shown all the same.
    ///
    /// The owner of the format refuses such a file, or takes the value for something else.
    WrongType {
        title: "A value has the wrong type",
        fix: "Write the value as the type that the message names; in YAML, quote what has to be text.",
        before: "Refused" => "input: 2026",
        after: "Accepted" => "input: \"2026\"",
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn the_place_is_the_value() {
        let text = "id: a\ninput: hello\ntool_responses:\n  - tool: t\n    status: soon\n";
        let problems = found(RuleId::WrongType, "a.yaml", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("error 5:13 /tool_responses/0/status"),
            "{problems:?}"
        );
    }
}
