//! `yaml-typing`: found by the readers of each format.

rule! {
    /// In YAML 1.1, which PyYAML reads, the type of a value without quotes may be a surprise: `no` and `on` are booleans,
    /// `12:30` is the number 750, `1_000` is a number and `2026-02-15` is a date. On the other hand, `1e3` and `0o17` are
    /// strings.
    ///
    /// The tool that reads the file expects another type and rejects the file, or uses the wrong value.
    YamlTyping {
        title: "YAML 1.1 reads the value as another type",
        fix: "Put strings in quotes; write numbers only with digits and a decimal point.",
        before: "The boolean false" => "contract: no",
        after: "The string \"no\"" => "contract: \"no\"",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn what_reads_otherwise_than_it_looks_is_reported_in_both_directions() {
        let text = "id: 12:30\ninput: '12:30'\ncontract: no\ntool_responses:\n  - { tool: t, latency_ms: 1e3, status: '200' }\n";
        insta::assert_snapshot!(found(RuleId::YamlTyping, "a.yaml", text).join("\n"), @"
        error 1:5 /id `id` is the number 750 to YAML 1.1, which PyYAML reads; a string is expected
        error 3:11 /contract `contract` is the boolean false to YAML 1.1, which PyYAML reads; a string is expected
        error 5:28 /tool_responses/0/latency_ms `latency_ms` is the text `1e3` to YAML 1.1, which PyYAML reads; a whole number is expected
        ");
        assert_eq!(found(RuleId::WrongType, "a.yaml", text).len(), 1);
    }
}
