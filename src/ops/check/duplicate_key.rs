//! `duplicate-key`: found by the readers of JSON and YAML.

rule! {
    /// An object has one key twice. Readers take the last value and never tell of the first, so what a person sees first in
    /// the file is not what is played.
    ///
    /// It is mostly the mark of a merge or of an edit by hand.
    DuplicateKey {
        title: "A key stands twice in one object",
        fix: "Remove the one that is not wanted; today the last one counts.",
        before: "Two is played" => "{ \"text\": \"one\", \"text\": \"two\" }",
        after: "One is played" => "{ \"text\": \"one\" }",
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn each_repetition_is_told() {
        let text = r#"{ "seeds": [], "seeds": [] }"#;
        let problems = found(RuleId::DuplicateKey, "a.seeds.json", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
