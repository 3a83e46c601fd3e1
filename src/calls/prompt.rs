//! The prompts that DyGram writes for a node, read by their headings.

/// Facts of a prompt about the node it is for. Borrows from the text of the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodePrompt<'a> {
    pub node: &'a str,
    /// The node's type: `task`.
    pub kind: Option<&'a str>,
    pub objective: Option<&'a str>,
    /// Number of nodes that were visited before.
    pub visited: Option<u64>,
    pub transitions: Vec<PromptEntry<'a>>,
    /// The context nodes that may be accessed.
    pub context: Vec<PromptEntry<'a>>,
    /// The sections whose headings are not known, which are the user's own words.
    pub own: Vec<PromptSection<'a>>,
}

/// A transition or a context node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptEntry<'a> {
    pub name: &'a str,
    /// The description of a transition, or the permissions of a context node.
    pub note: Option<&'a str>,
}

/// A section of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptSection<'a> {
    pub heading: &'a str,
    /// The text below the heading, as written.
    pub text: &'a str,
}

impl<'a> NodePrompt<'a> {
    /// Parses a prompt. Returns `None` unless it names its node under `# Current Position`. A known heading has its meaning
    /// only once: what follows its second occurrence belongs to the user.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut prompt = Self::default();
        let mut headings: Vec<&str> = Vec::new();
        for section in sections(text) {
            let heading = section.heading;
            let is_first = !headings.contains(&heading);
            match heading {
                "Role" | "Instructions" if is_first => {}
                "Current Position" if is_first => {
                    for line in section.text.lines() {
                        match field(line) {
                            Some(("Node", value)) => prompt.node = value,
                            Some(("Type", value)) => prompt.kind = Some(value),
                            Some(("Objective", value)) => prompt.objective = Some(value),
                            Some(("Visited Nodes", value)) => prompt.visited = value.parse().ok(),
                            _ => {}
                        }
                    }
                }
                "Available Transitions" if is_first => {
                    prompt.transitions = entries(section.text, "Description");
                }
                "Available Context" if is_first => {
                    prompt.context = entries(section.text, "Permissions");
                }
                // An empty section has no words of the user to show.
                _ if section.text.trim().is_empty() => {}
                _ => {
                    prompt.own.push(section);
                    continue;
                }
            }
            headings.push(heading);
        }
        (!prompt.node.is_empty()).then_some(prompt)
    }
}

/// Divides a text at its headings of the first level. Text before the first heading is a section without one.
fn sections(text: &str) -> Vec<PromptSection<'_>> {
    let mut sections = Vec::new();
    let (mut heading, mut start, mut end, mut is_code) = ("", 0, 0, false);
    let mut push = |heading, start: usize, end: usize| {
        let text = text.get(start..end).unwrap_or_default();
        sections.push(PromptSection { heading, text });
    };
    for line in text.split_inclusive('\n') {
        // A comment in code may begin like a heading.
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if let Some(name) = line.strip_prefix("# ").filter(|_| !is_code) {
            push(heading, start, end);
            heading = name.trim();
            start = end + line.len();
        }
        end += line.len();
    }
    push(heading, start, end);
    sections
}

/// Returns the name and the value of a line `- **Name**: value`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix("- **")?.split_once("**:")?;
    let value = value.trim();
    (!value.is_empty()).then_some((name, value))
}

/// Returns the headings of the second level, each with the value of a field below it.
fn entries<'a>(text: &'a str, note: &str) -> Vec<PromptEntry<'a>> {
    let mut entries: Vec<PromptEntry<'a>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            let name = name.trim();
            entries.push(PromptEntry { name, note: None });
        } else if let (Some(entry), Some((name, value))) = (entries.last_mut(), field(line))
            && name == note
        {
            entry.note = Some(value);
        }
    }
    entries
}

impl<'a> PromptSection<'a> {
    /// Returns the section as it reads: a text that is entirely quoted without the signs of quotation, and the subject of a
    /// mail as heading.
    pub fn unquoted(&self) -> (&'a str, String) {
        let mut lines = Vec::new();
        for line in self.text.trim().lines() {
            match line.strip_prefix('>') {
                Some(tail) => lines.push(tail.strip_prefix(' ').unwrap_or(tail)),
                None if line.trim().is_empty() => lines.push(""),
                // A line without the sign shows that the text only contains a quotation.
                None => return (self.heading, self.text.trim().to_owned()),
            }
        }
        let subject = lines
            .first()
            .and_then(|line| line.strip_prefix("Subject:"))
            .map(str::trim)
            .filter(|subject| !subject.is_empty());
        let body = if subject.is_some() { lines.get(1..).unwrap_or_default() } else { &lines };
        (subject.unwrap_or(self.heading), body.join("\n").trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what was understood of a prompt, one item per line.
    fn parsed(text: &str) -> String {
        let Some(prompt) = NodePrompt::parse(text) else { return "not known".to_owned() };
        let mut lines = vec![format!(
            "{} | {:?} | {:?} | {:?}",
            prompt.node, prompt.kind, prompt.objective, prompt.visited
        )];
        let entry = |sign: &str, entry: &PromptEntry<'_>| {
            format!("{sign} {} {}", entry.name, entry.note.unwrap_or_default())
        };
        lines.extend(prompt.transitions.iter().map(|e| entry("->", e)));
        lines.extend(prompt.context.iter().map(|e| entry("@", e)));
        for section in &prompt.own {
            let (heading, text) = section.unquoted();
            lines.push(format!("[{heading}] {}", text.replace('\n', "\n  ")));
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    const POSITION: &str = "# Current Position\n- **Node**: classify\n";

    #[test]
    fn the_headings_of_a_prompt_give_node_transitions_and_context() {
        let text = "# Role\r\nYou carry out one step.\r\n\r\n# Current Position\r\n- **Node**: classify\r\n\
            - **Type**: task\r\n- **Objective**: Decide: who?\r\n- **Visited Nodes**: 1\r\n- **Error Count**: 0\r\n\r\n\
            # Available Context\r\nYou have access:\r\n\r\n## Ticket\r\n- **Permissions**: read, write\r\n\r\n\
            # Available Transitions\r\nChoose one:\r\n\r\n## respond\r\n- **Description**: known issue\r\n\r\n## escalate\r\n\r\n\
            # The ticket\r\n> Subject: Export stops\r\n>\r\n> Since Monday\r\n> it hangs.\r\n\r\n# Instructions\r\n1. Read.\r\n";
        insta::assert_snapshot!(parsed(text), @r#"
        classify | Some("task") | Some("Decide: who?") | Some(1)
        -> respond known issue
        -> escalate
        @ Ticket read, write
        [Export stops] Since Monday
          it hangs.
        "#);
    }

    #[test]
    fn only_a_prompt_that_names_its_node_is_known() {
        for text in [
            "",
            "#",
            "# ",
            "Hello",
            "# Role\nYou are kind.",
            "# Current Position",
            "# Current Position\n- **Node**:\n- **Type**: task",
            "> # Current Position\n> - **Node**: a",
            "```\n# Current Position\n- **Node**: a\n```",
        ] {
            assert_eq!(parsed(text), "not known", "{text:?}");
        }
        insta::assert_snapshot!(parsed(POSITION), @"classify | None | None | None");
    }

    #[test]
    fn everything_under_other_headings_is_kept_as_the_users_words() {
        let text = format!(
            "Before.\n{POSITION}- **Visited Nodes**: many\n# The ticket\n> quoted\nnot quoted\n```sh\n# a comment\n```\n\
            # Empty\n\n# Current Position\n- **Node**: other\n# Größe 📦\n## b\n"
        );
        insta::assert_snapshot!(parsed(&text), @"
        classify | None | None | None
        [] Before.
        [The ticket] > quoted
          not quoted
          ```sh
          # a comment
          ```
        [Current Position] - **Node**: other
        [Größe 📦] ## b
        ");
    }

    #[test]
    fn any_beginning_of_a_prompt_can_be_parsed() {
        let text = format!(
            "{POSITION}# Available Transitions\n## é\n- **Description**: ö\n# 📦\n> Subject:\n>x"
        );
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            parsed(&text[..end]);
        }
    }
}
