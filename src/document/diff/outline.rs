//! Finds headings in a text: Markdown headings, names of nodes, keys.

/// The kind of headings in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outline {
    /// No headings.
    Plain,
    /// Headings begin with `#`.
    Markdown,
    /// DyGram's machine language: nodes have names.
    Machine,
    /// Indented JSON: keys of objects and lists are headings.
    Json,
}

impl Outline {
    /// Returns the heading in a line: `Current Position` of `# Current Position`, `classify` of `task classify "Choose
    /// a path" {`, `tools` of `"tools": [`.
    pub fn heading(self, line: &str) -> Option<&str> {
        let name = match self {
            Self::Plain => None,
            Self::Markdown => markdown(line),
            Self::Machine => machine(line.trim()),
            Self::Json => json(line.trim()),
        }?;
        (!name.is_empty()).then_some(name)
    }

    /// Returns whether the section of a heading ends with its indentation.
    pub(super) fn nests(self) -> bool {
        matches!(self, Self::Machine | Self::Json)
    }
}

fn markdown(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    if rest.len() < line.len() && rest.starts_with(' ') {
        return Some(rest.trim());
    }
    // `- **Objective**: …` is how prompts name their parts.
    let item = line.strip_prefix("- **").or_else(|| line.strip_prefix("* **"))?;
    let (name, suffix) = item.split_once("**")?;
    (suffix.starts_with(':') || name.ends_with(':')).then(|| name.trim_end_matches(':'))
}

fn machine(line: &str) -> Option<&str> {
    let comment = line.starts_with("//") || line.starts_with("/*") || line.starts_with('*');
    if comment || line.contains("->") || line.contains("=>") {
        return None;
    }
    let (first, rest) = word(line)?;
    // An import may be spread over several lines, of which each begins with one of these.
    if matches!(first, "import" | "from" | "as") {
        return None;
    }
    let rest = rest.trim_start();
    // DyGram allows `#` before the name of a node.
    let (name, rest) = word(rest.trim_start_matches('#'))
        .map_or((first, rest), |(s, rest)| (s, rest.trim_start()));
    if name == first && name == "machine" || first == "machine" {
        return Some(first);
    }
    let opens = rest.starts_with('{') || rest.starts_with('"') || rest.starts_with('@');
    // A lone word that opens nothing may be anything; a type and a name declare a node.
    (opens || name != first && (rest.is_empty() || rest == ";")).then_some(name)
}

/// Splits the name at the start of a line from the rest.
fn word(line: &str) -> Option<(&str, &str)> {
    let end =
        // Names of nodes may be qualified, as in `a.b`.
        line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(line.len());
    line.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| line.split_at(end))
}

fn json(line: &str) -> Option<&str> {
    // Only a key whose value begins on its line and ends below contains other lines.
    let key_part = line.strip_suffix(['{', '['])?.trim_end();
    key_part.strip_suffix(':')?.trim_end().strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::Outline::{Json, Machine, Markdown};

    #[test]
    fn headings_are_named() {
        let headings: Vec<Option<&str>> = [
            (Markdown, "## Current Position "),
            (Markdown, "- **Objective**: Decide."),
            (Markdown, "#no"),
            (Machine, "machine \"Ticket triage\" {"),
            (Machine, "    task classify \"Choose a path\" {"),
            (Machine, "state #done;"),
            (Machine, "intake {"),
            (Machine, "    prompt: \"Decide\";"),
            (Machine, "limit<number>: 50;"),
            (Machine, "classify -> done;"),
            (Machine, "// task old {"),
            (Json, "  \"input_schema\": {"),
            (Json, "  \"name\": \"x\","),
        ]
        .map(|(outline, line)| outline.heading(line))
        .into();
        assert_eq!(
            headings,
            [
                Some("Current Position"),
                Some("Objective"),
                None,
                Some("machine"),
                Some("classify"),
                Some("done"),
                Some("intake"),
                None,
                None,
                None,
                None,
                Some("input_schema"),
                None
            ]
        );
    }
}
