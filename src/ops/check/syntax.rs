//! `syntax`: found by the readers of JSON and YAML.

rule! {
    /// The text is not JSON (as `JSON.parse` takes it) or YAML (as PyYAML's `safe_load` takes it). What stands before the
    /// fault is shown.
    ///
    /// Players warn about such a recording and leave it out, so every later one of its folder is served one place earlier.
    /// Recorders write in place: a file that is being written looks like this for a moment.
    Syntax {
        title: "The text does not parse",
        fix: "Mend the text at the marked place, or record the file again when its writer was cut off.",
        before: "Left out by players" => "{ \"request\": { \"messages\": [ … ]",
        after: "Loads" => "{ \"request\": { \"messages\": [ … ] } }",
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn a_file_that_was_cut_off_is_told_at_its_end() {
        let text = "{ \"request\": {\n  \"messages\": [";
        let problems = found(RuleId::Syntax, "turn-1.json", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("error 2:16"), "{problems:?}");
    }
}
