//! Markdown text, parsed into blocks.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A Markdown text as a list of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markdown {
    pub blocks: Vec<MarkdownBlock>,
}

/// A paragraph or another block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownBlock {
    pub kind: BlockKind,
    /// Number of lists that contain it.
    pub indent: usize,
    /// Number of quotes that contain it.
    pub quotes: usize,
    /// The list marker before it.
    pub lead: Lead,
    /// Whether it is an item of the same list as the block above.
    pub close: bool,
    /// Its text, without Markdown syntax.
    pub text: String,
    /// The styled parts of the text, in order, without overlap. All other text is plain.
    pub spans: Vec<MarkdownSpan>,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockKind {
    #[default]
    Paragraph,
    /// A heading; 1 is the highest.
    Heading(u8),
    /// Lines of code, or the rows of a table with their columns aligned.
    Code,
    /// A line between what is above and what is below.
    Rule,
}

/// The list marker before a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Nothing.
    #[default]
    None,
    Bullet,
    Number(u64),
    /// A checked box.
    Done,
    /// An empty box.
    ToDo,
}

/// A styled part of a block's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownSpan {
    /// Its byte range.
    pub range: Range<usize>,
    pub style: InlineStyle,
    /// The target, if it is a link.
    pub link: Option<String>,
}

/// The style of a part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlineStyle {
    /// Bold.
    pub strong: bool,
    /// Italic.
    pub emphasized: bool,
    /// Struck through.
    pub struck: bool,
    pub code: bool,
}

impl Markdown {
    /// Parses a text. Text that is not Markdown stays unchanged, and line ends are kept.
    pub fn new(text: &str) -> Self {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut reader = MarkdownReader::default();
        for event in Parser::new_ext(text, options) {
            reader.on_event(event);
        }
        reader.end();
        Self { blocks: reader.blocks }
    }
}

#[derive(Default)]
struct MarkdownReader {
    blocks: Vec<MarkdownBlock>,
    block: MarkdownBlock,
    /// The enclosing lists, each with the number of its next item if it is numbered.
    lists: Vec<Option<u64>>,
    quotes: usize,
    lead: Lead,
    /// Whether the next block continues the list of the one above.
    close: bool,
    style: InlineStyle,
    link: Option<String>,
    /// The cells of the table that is read, row by row.
    table: Option<Vec<Vec<String>>>,
}

impl MarkdownReader {
    fn on_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.on_start(tag),
            Event::End(tag) => self.on_end(tag),
            // HTML is shown as it is written, never interpreted.
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.style.code = true;
                self.text(&text);
                self.style.code = false;
            }
            // Markdown would join these lines, but prompts are written line by line.
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => {
                self.begin(BlockKind::Rule);
                self.push();
            }
            Event::TaskListMarker(done) => {
                self.block.lead = if done { Lead::Done } else { Lead::ToDo };
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
        }
    }

    fn on_start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin(BlockKind::Paragraph),
            Tag::Heading { level, .. } => self.begin(BlockKind::Heading(level as u8)),
            Tag::BlockQuote(_) => {
                self.end();
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => self.begin(BlockKind::Code),
            Tag::List(first) => {
                self.end();
                self.close = !self.lists.is_empty();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.end();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.push(Vec::new());
                }
            }
            Tag::TableCell => {
                let row = self.table.as_mut().and_then(|table| table.last_mut());
                if let Some(row) = row {
                    row.push(String::new());
                }
            }
            Tag::Emphasis => self.style.emphasized = true,
            Tag::Strong => self.style.strong = true,
            Tag::Strikethrough => self.style.struck = true,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some(dest_url.into_string());
            }
            // All other tags belong to extensions that are not enabled above.
            _ => {}
        }
    }

    fn on_end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) | TagEnd::CodeBlock => {
                self.end();
            }
            TagEnd::BlockQuote(_) => {
                self.end();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::List(_) => {
                self.end();
                self.lists.pop();
                self.close = !self.lists.is_empty();
            }
            TagEnd::Item => {
                self.end();
                self.lead = Lead::None;
                self.close = true;
            }
            TagEnd::Table => self.table(),
            TagEnd::Emphasis => self.style.emphasized = false,
            TagEnd::Strong => self.style.strong = false,
            TagEnd::Strikethrough => self.style.struck = false,
            TagEnd::Link | TagEnd::Image => self.link = None,
            _ => {}
        }
    }

    fn item(&mut self) {
        self.end();
        self.lead = match self.lists.last_mut() {
            Some(Some(next)) => {
                *next += 1;
                Lead::Number(*next - 1)
            }
            _ => Lead::Bullet,
        };
        // In a tight list the text of an item is not inside a paragraph.
        self.begin(BlockKind::Paragraph);
    }

    /// Begins a block, reusing the empty block of a list item.
    fn begin(&mut self, kind: BlockKind) {
        if !self.block.text.is_empty() {
            self.end();
        }
        let lead = match self.block.lead {
            Lead::None => std::mem::take(&mut self.lead),
            lead => lead,
        };
        self.block = MarkdownBlock {
            kind,
            indent: self.lists.len(),
            quotes: self.quotes,
            lead,
            close: std::mem::take(&mut self.close) || self.block.close,
            ..MarkdownBlock::default()
        };
    }

    fn text(&mut self, text: &str) {
        let cell = self.table.as_mut().and_then(|table| table.last_mut());
        if let Some(cell) = cell.and_then(|row| row.last_mut()) {
            cell.push_str(text);
            return;
        }
        let start = self.block.text.len();
        self.block.text.push_str(text);
        let range = start..self.block.text.len();
        if self.style == InlineStyle::default() && self.link.is_none() {
            return;
        }
        // The parser splits a text at escapes and entities, which are no borders of a style.
        match self.block.spans.last_mut() {
            Some(last)
                if last.range.end == start
                    && last.style == self.style
                    && last.link == self.link =>
            {
                last.range.end = range.end;
            }
            _ => self.block.spans.push(MarkdownSpan {
                range,
                style: self.style,
                link: self.link.clone(),
            }),
        }
    }

    /// Ends the current block, if it is not empty.
    fn end(&mut self) {
        let text_len = self.block.text.trim_end().len();
        // An item without text still has its marker.
        if text_len == 0 && self.block.lead == Lead::None {
            self.block = MarkdownBlock::default();
            return;
        }
        self.block.text.truncate(text_len);
        for span in &mut self.block.spans {
            span.range.end = span.range.end.min(text_len);
        }
        self.block.spans.retain(|span| !span.range.is_empty());
        self.push();
    }

    fn push(&mut self) {
        self.blocks.push(std::mem::take(&mut self.block));
    }

    /// Formats a table as lines with aligned columns.
    fn table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let columns = table.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = table.iter().filter_map(|row| row.get(column));
            // Columns are aligned in a monospaced font, so that characters count and not bytes.
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        self.begin(BlockKind::Code);
        for (index, row) in table.iter().enumerate() {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            self.style.strong = index == 0;
            self.text(line.trim_end());
            self.style.strong = false;
            self.text("\n");
        }
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    /// Describes each block in a line: its kind and place, its text, and its styled parts.
    fn picture(text: &str) -> String {
        let mut lines = String::new();
        for block in Markdown::new(text).blocks {
            let (indent, quotes) = ("  ".repeat(block.indent), "> ".repeat(block.quotes));
            let lead = match block.lead {
                Lead::None => String::new(),
                Lead::Number(number) => format!("{number}. "),
                lead => format!("{lead:?} "),
            };
            let close = if block.close { "" } else { "\n" };
            let _ = write!(lines, "{close}{indent}{quotes}{lead}{:?} {:?}", block.kind, block.text);
            for span in &block.spans {
                let InlineStyle { strong, emphasized: stressed, struck, code } = span.style;
                let faces = [(strong, "*"), (stressed, "/"), (struck, "-"), (code, "`")];
                let signs: String =
                    faces.iter().filter(|(is_on, _)| *is_on).map(|(_, sign)| *sign).collect();
                let link = span.link.as_deref().unwrap_or_default();
                let _ = write!(lines, " [{signs}{}{link}]", &block.text[span.range.clone()]);
            }
            lines.push('\n');
        }
        lines
    }

    #[test]
    fn blocks_are_parsed_in_document_order() {
        let text = "\
# Role
You carry out
one **step** of *it*, `read_Ticket` [here](https://example.org).

- one
  - inner
- two

3. three
4. four

> quoted

```json
{ \"a\": 1 }
```

| A | B |
|---|---|
| long | 2 |

---
- [x] done
- [ ] open
";
        insta::assert_snapshot!(picture(text), @r#"

        Heading(1) "Role"

        Paragraph "You carry out\none step of it, read_Ticket here." [*step] [/it] [`read_Ticket] [herehttps://example.org]

          Bullet Paragraph "one"
            Bullet Paragraph "inner"
          Bullet Paragraph "two"

          3. Paragraph "three"
          4. Paragraph "four"

        > Paragraph "quoted"

        Code "{ \"a\": 1 }"

        Code "A     B\nlong  2" [*A     B]

        Rule ""

          Done Paragraph "done"
          ToDo Paragraph "open"
        "#);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn any_text_is_parsed_and_spans_stay_within_it(text in "[ -~\\n#*`\\[\\]|>é日-]{0,200}") {
            for block in Markdown::new(&text).blocks {
                let mut last = 0;
                for span in &block.spans {
                    prop_assert!(last <= span.range.start);
                    prop_assert!(block.text.get(span.range.clone()).is_some());
                    last = span.range.end;
                }
            }
        }
    }
}
