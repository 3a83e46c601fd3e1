//! Unified diffs of files.

use similar::{ChangeTag, TextDiff};

use super::output::{Output, OutputStyle, shown, shown_path};

/// Writes a unified diff with hidden characters made visible.
pub(super) fn difference(
    output: &mut Output,
    path: &str,
    old_text: &str,
    new_text: &str,
) -> std::io::Result<()> {
    let diff = TextDiff::from_lines(old_text, new_text);
    let mut unified_diff = diff.unified_diff();
    // Three lines, as `diff -u` and git have; a diff without hunks has no heading either.
    for (index, hunk) in unified_diff.context_radius(3).iter_hunks().enumerate() {
        if index == 0 {
            let path = shown_path(path);
            for sign in ["---", "+++"] {
                let line = format!("{sign} {path}");
                output.line(&output.styled(OutputStyle::Strong, &line))?;
            }
        }
        let line = hunk.header().to_string();
        output.line(&output.styled(OutputStyle::Quiet, &line))?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', OutputStyle::Plain),
                ChangeTag::Delete => ('-', OutputStyle::Removed),
                ChangeTag::Insert => ('+', OutputStyle::Added),
            };
            let text = change.value();
            let line = format!("{sign}{}", shown_line(text));
            output.line(&output.styled(style, &line))?;
            if !text.ends_with(['\n', '\r']) {
                // `diff` and git write this line, too, and `patch` expects it.
                output.line("\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// A line of a diff. Tabs and a carriage return at its end remain, so that the diff can be applied.
fn shown_line(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "\r"));
    let pieces: Vec<_> = line.split('\t').map(shown).collect();
    format!("{}{end}", pieces.join("\t"))
}
