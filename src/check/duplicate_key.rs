//! `duplicate-key`: found by the readers of JSON and YAML.

rule! {
    /// An object has the same key twice. Readers use the last value and ignore the first without a warning, so the value
    /// that a person sees first in the file is not the one that is played.
    ///
    /// The usual cause is a merge or an edit by hand.
    DuplicateKey {
        title: "The object has the same key twice",
        fix: "Remove one of the two members; readers use the last one.",
        before: "Two is played" => "{ \"text\": \"one\", \"text\": \"two\" }",
        after: "One is played" => "{ \"text\": \"one\" }",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn each_repetition_is_reported() {
        let text = r#"{ "seeds": [], "seeds": [] }"#;
        let problems = found(RuleId::DuplicateKey, "a.seeds.json", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
