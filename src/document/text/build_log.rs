//! Commands for build logs, which CI systems carry out when a job prints them.

use std::borrow::Cow;

/// Replaces each bracket that starts a command for a build log with `bracket`.
pub fn escape_commands<'a>(text: &'a str, bracket: &str) -> Cow<'a, str> {
    let mut output = String::new();
    let mut rest = 0;
    for (at, _) in text.match_indices('[') {
        if starts_command(&text[..at]) {
            output.push_str(&text[rest..at]);
            output.push_str(bracket);
            rest = at + 1;
        }
    }
    match rest {
        // `rest` is past a bracket once one was replaced, so 0 means that none was.
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(output + &text[rest..]),
    }
}

/// Returns whether a bracket after this text starts a command for a build log: `##[…`, `##vso[…`.
pub fn starts_command(prefix: &str) -> bool {
    // Azure Pipelines has a name between the signs and the bracket, as in `##vso[…`; GitHub's runner has none.
    prefix.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).ends_with("##")
}
