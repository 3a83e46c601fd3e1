//! `yaml-typing`: found by the readers of each format.

rule! {
    /// A value without quotes is to YAML 1.1, which PyYAML reads, something else than it looks like: `no` and `on` are
    /// booleans, `12:30` is the number 750, `1_000` a number and `2026-02-15` a date. The other way round, `1e3` and `0o17`
    /// are texts.
    ///
    /// The owner wants another type there and refuses the file, or takes what it was given.
    YamlTyping {
        title: "YAML 1.1 reads the value otherwise",
        fix: "Put what has to be text in quotes; write numbers with digits and a point only.",
        before: "The boolean false" => "contract: no",
        after: "A text" => "contract: \"no\"",
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn what_reads_otherwise_than_it_looks_is_told_in_both_directions() {
        let text = "id: 12:30\ninput: '12:30'\ncontract: no\ntool_responses:\n  - { tool: t, latency_ms: 1e3, status: '200' }\n";
        insta::assert_snapshot!(found(RuleId::YamlTyping, "a.yaml", text).join("\n"), @"
        error 1:5 /id `id` is the number 750 to YAML 1.1, which PyYAML reads; a string is expected
        error 3:11 /contract `contract` is the boolean false to YAML 1.1, which PyYAML reads; a string is expected
        error 5:28 /tool_responses/0/latency_ms `latency_ms` is the text `1e3` to YAML 1.1, which PyYAML reads; a whole number is expected
        ");
        assert_eq!(found(RuleId::WrongType, "a.yaml", text).len(), 1);
    }
}
