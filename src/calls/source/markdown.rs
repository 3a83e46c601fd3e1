//! Sources that are kept as fenced code blocks in Markdown, from which a build extracts them to files of their own.

use super::{RecordedSource, match_recorded};

/// A source in a code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownSource {
    /// The text of the extracted file.
    pub recorded: RecordedSource,
    /// The line of the fence that opens the block, from 1.
    pub line: u32,
}

/// A fenced code block, as CommonMark defines it; also one that is indented deeper, as in a list.
struct CodeBlock<'a> {
    /// The line of the fence that opens it, from 1.
    line: usize,
    /// Its lines without their line ends and without the indentation of the fence.
    lines: Vec<&'a str>,
}

/// Finds the code block of a Markdown file that a source with this hash was extracted from.
///
/// A block is compared as it is, with and without a final newline, and with the header that DyGram's extraction writes above
/// it, which names the file by `path` (from the work tree) and the lines of both fences.
pub fn find_block(markdown: &[u8], path: &str, recorded_hash: &str) -> Option<MarkdownSource> {
    let text = String::from_utf8_lossy(markdown);
    blocks(&text).into_iter().find_map(|block| {
        let content = block.lines.join("\n");
        let (first, last) = (block.line, block.line + block.lines.len() + 1);
        let header =
            format!("// do not edit, automatically extracted from {path} lines {first}-{last}.\n");
        let texts = [
            format!("{content}\n"),
            content.clone(),
            format!("{header}{content}"),
            format!("{header}{content}\n"),
        ];
        let source =
            texts.iter().find_map(|text| match_recorded(text.as_bytes(), recorded_hash))?;
        Some(MarkdownSource {
            recorded: RecordedSource {
                // Lines are split without their CR, so the match does not show it.
                line_ends_differ: source.line_ends_differ || text.contains("\r\n"),
                ..source
            },
            line: u32::try_from(first).unwrap_or(u32::MAX),
        })
    })
}

/// Returns whether a file is Markdown, by its name.
pub fn is_markdown(name: &[u8]) -> bool {
    [".md", ".mdx", ".markdown"].iter().any(|ending| {
        let start = name.len().checked_sub(ending.len());
        let end = start.and_then(|start| name.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(ending.as_bytes()))
    })
}

fn blocks(text: &str) -> Vec<CodeBlock<'_>> {
    let mut code_blocks = Vec::new();
    let mut open_block: Option<(Fence, CodeBlock<'_>)> = None;
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        open_block = match open_block {
            None => Fence::opens(line).map(|fence| {
                let lines = Vec::new();
                (fence, CodeBlock { line: number, lines })
            }),
            Some((fence, block)) if fence.is_closed_by(line) => {
                code_blocks.push(block);
                None
            }
            Some((fence, mut block)) => {
                block.lines.push(fence.dedent(line));
                Some((fence, block))
            }
        };
    }
    code_blocks
}

/// Fence that opens a block.
#[derive(Clone, Copy)]
struct Fence {
    letter: char,
    length: usize,
    indent: usize,
}

impl Fence {
    fn opens(line: &str) -> Option<Self> {
        let content = line.trim_start_matches([' ', '\t']);
        let letter = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = content.trim_start_matches(letter);
        let fence =
            Self { letter, length: content.len() - info.len(), indent: line.len() - content.len() };
        // By CommonMark, such a line is code within a paragraph.
        let is_inline = letter == '`' && info.contains('`');
        (fence.length >= 3 && !is_inline).then_some(fence)
    }

    fn is_closed_by(self, line: &str) -> bool {
        let content = line.trim_matches([' ', '\t']);
        content.len() >= self.length && content.chars().all(|letter| letter == self.letter)
    }

    /// Returns a line of the block without the indentation of its fence.
    fn dedent(self, line: &str) -> &str {
        let spaces = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        &line[spaces.count().min(self.indent)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::content_hash;

    const GUIDE: &str = "# Guide\n\n```dygram\nmachine \"A\"\na -> b;\n```\n\n1. A list:\n   ~~~~\n   machine \"B\"\n     c;\n   ~~~\n   ~~~~\n\n```\nopen to the end";

    #[test]
    fn a_block_is_found_as_it_is_and_as_it_is_extracted() {
        let found = |text: &str| {
            let found =
                find_block(GUIDE.as_bytes(), "docs/guide.md", &content_hash(text.as_bytes()))?;
            assert_eq!(found.recorded.bytes, text.as_bytes());
            Some(found.line)
        };
        assert_eq!(found("machine \"A\"\na -> b;\n"), Some(3));
        assert_eq!(found("machine \"A\"\na -> b;"), Some(3));
        assert_eq!(found("machine \"A\"\r\na -> b;\r\n"), Some(3));
        assert_eq!(found("machine \"B\"\n  c;\n~~~\n"), Some(9));
        let header = "// do not edit, automatically extracted from docs/guide.md lines 3-6.\n";
        assert_eq!(found(&format!("{header}machine \"A\"\na -> b;")), Some(3));
        assert_eq!(found("open to the end"), None);
        assert_eq!(found("machine \"A\""), None);
    }

    #[test]
    fn markdown_with_other_line_ends_holds_the_same_blocks() {
        let text = GUIDE.replace('\n', "\r\n");
        let hash = content_hash(b"machine \"A\"\na -> b;\n");
        let found = find_block(text.as_bytes(), "a.md", &hash).unwrap();
        assert!(found.recorded.line_ends_differ);
        assert!(is_markdown(b"README.MD") && is_markdown(b"a.mdx") && !is_markdown(b"md"));
    }
}
