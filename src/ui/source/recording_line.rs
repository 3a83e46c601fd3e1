//! The line of a recording in a list: the tool that it calls, and its first words.

use calls::ItemSummary;
use document::text::visible;
use widgets::icons;

/// Returns the icon of what a recording calls, its name and its first words; each may be empty.
pub(crate) fn called(summary: Option<&ItemSummary>) -> (&'static str, String, String) {
    let Some(summary) = summary else { return (icons::FILE_PLAY, String::new(), String::new()) };
    let words = match &*summary.quote {
        "" => visible(&summary.note).into_owned(),
        quote => format!("“{}”", visible(quote)),
    };
    match summary.tool.as_deref() {
        Some(tool) => (icons::tool(tool), visible(machine::short_tool(tool)).into_owned(), words),
        None => (icons::FILE_PLAY, String::new(), words),
    }
}

/// Returns why a recording matches or breaks, in fewer words than a report: `classify now offers reply in place of respond`.
pub(crate) fn reason(because: &str) -> String {
    let text = match because.strip_prefix("A request made at ") {
        Some(rest) if rest.contains(" today offers the same") => rest.replacen(" today", "", 1),
        Some(rest) => rest.replacen(" today", " now", 1),
        None => because.to_owned(),
    };
    // Each tool that leads to a node is named after it.
    let text = text.replace("`transition_to_", "`").replace("``", "`");
    visible(&text.replace('`', "")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_reason_names_the_node_and_its_tools() {
        for (because, expected) in [
            (
                "A request made at `intake` today offers the same tools",
                "intake offers the same tools",
            ),
            (
                "A request made at `classify` today offers `transition_to_reply` in place of `transition_to_respond`",
                "classify now offers reply in place of respond",
            ),
            (
                "Node `a` is gone, so no request is made there today",
                "Node a is gone, so no request is made there today",
            ),
        ] {
            assert_eq!(reason(because), expected);
        }
    }
}
