//! `nesting-too-deep`: found by the readers of JSON and YAML.

rule! {
    /// Lists and objects are nested deeper than any recording needs. Values below the limit are not read.
    ///
    /// Such files are usually made to crash a parser. Real recordings are about ten levels deep.
    NestingTooDeep {
        title: "The values are nested too deeply",
        fix: "Check the origin of the file; record it again if it is your own.",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn ten_thousand_nested_lists_are_reported_once() {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(found(RuleId::NestingTooDeep, "deep.json", &text).len(), 1);
    }
}
