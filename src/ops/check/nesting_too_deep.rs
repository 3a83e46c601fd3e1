//! `nesting-too-deep`: found by the readers of JSON and YAML.

rule! {
    /// Lists and objects lie in one another deeper than any recording needs. What lies below the bound is not read.
    ///
    /// Files like this are made to bring a reader down. Real recordings are about ten levels deep.
    NestingTooDeep {
        title: "The values are nested too deep",
        fix: "Find out where the file comes from; record it again if it is yours.",
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn ten_thousand_lists_in_one_another_are_told_once() {
        let text = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(found(RuleId::NestingTooDeep, "deep.json", &text).len(), 1);
    }
}
