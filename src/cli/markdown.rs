//! Markdown for a comment on a pull request: text from files starts no element and no link, and notifies no one.

use super::output::shown;

/// A sentence: what is between backquotes is code, and what Markdown or GitHub would interpret elsewhere is escaped.
pub(super) fn inline(text: &str) -> String {
    let text = shown(text);
    let mut buffer = String::with_capacity(text.len());
    let mut rest: &str = &text;
    while let Some(index) = rest.find('`') {
        let (plain_text, code_text) = rest.split_at(index);
        push_escaped(&mut buffer, plain_text);
        // As in CommonMark: code ends at a run of as many backquotes as it began with.
        let ticks = backquotes(code_text);
        let (fence, tail) = code_text.split_at(ticks);
        rest = match code_end(tail, ticks) {
            Some(end) => {
                let (code, tail) = code_text.split_at(ticks + end + ticks);
                buffer.push_str(code);
                tail
            }
            None => {
                buffer.push_str(&fence.replace('`', "\\`"));
                tail
            }
        };
    }
    push_escaped(&mut buffer, rest);
    buffer
}

/// A cell of a table.
pub(super) fn cell(text: &str) -> String {
    // GitHub ends a cell at a bar even inside of code.
    inline(text).replace('|', "\\|")
}

/// A text of several lines as one paragraph or element of a list.
pub(super) fn lines(text: &str) -> String {
    text.lines().map(inline).collect::<Vec<_>>().join("<br>")
}

/// A text as code, also if it contains backquotes.
pub(super) fn code(text: &str) -> String {
    let text = shown(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // Markdown removes one space on each side if both are there.
    if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Lines of a difference, each with its sign, as a block of code.
pub(super) fn difference(lines: &[String], indent: &str) -> String {
    let run_length = lines.iter().map(|line| longest_run(line)).max();
    // Longer than any run inside, so that no line of a file ends the block.
    let fence = "`".repeat(run_length.map_or(3, |run_length| (run_length + 1).max(3)));
    let mut block = format!("{indent}{fence}diff\n");
    for line in lines {
        block.push_str(&format!("{indent}{}\n", shown(line)));
    }
    block.push_str(&format!("{indent}{fence}\n"));
    block
}

fn push_escaped(buffer: &mut String, text: &str) {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' => buffer.push_str("&lt;"),
            '>' => buffer.push_str("&gt;"),
            '&' => buffer.push_str("&amp;"),
            '\\' | '*' | '_' | '[' | ']' | '#' | '~' => {
                buffer.push('\\');
                buffer.push(letter);
            }
            letter => buffer.push(letter),
        }
        // Only an empty comment, and no escape, keeps GitHub from notifying a person and from linking an issue.
        let is_name = |next: &char| next.is_ascii_alphanumeric();
        if matches!(letter, '@' | '#') && letters.peek().is_some_and(is_name) {
            buffer.push_str("<!-- -->");
        }
    }
}

/// The number of backquotes that a text begins with.
fn backquotes(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Returns the start of the next run of exactly this many backquotes.
fn code_end(text: &str, ticks: usize) -> Option<usize> {
    let mut start = 0;
    loop {
        let index = start + text.get(start..)?.find('`')?;
        match backquotes(&text[index..]) {
            run if run == ticks => return Some(index),
            run => start = index + run,
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_files_starts_no_element_and_notifies_no_one() {
        insta::assert_snapshot!(inline("<b> & *a* [x](y) ~~z~~ # `<c>*d*`"), @r"&lt;b&gt; &amp; \*a\* \[x\](y) \~\~z\~\~ \# `<c>*d*`");
        // A backslash escapes itself, so that it does not undo the next escape.
        insta::assert_snapshot!(inline(r"\[x\](y)"), @r"\\\[x\\\](y)");
        insta::assert_snapshot!(inline("a@example.org, @team and o/r#12, # 1"), @r"a@<!-- -->example.org, @<!-- -->team and o/r\#<!-- -->12, \# 1");
        insta::assert_snapshot!(inline("a\nb\u{202e}"), @r"a\\nb\\u{202e}");
        insta::assert_snapshot!(cell("a|b"), @r"a\|b");
        insta::assert_snapshot!(lines("a*\nb"), @r"a\*<br>b");
    }

    #[test]
    fn only_what_ends_as_code_is_code() {
        insta::assert_snapshot!(inline("`a [x](y)"), @r"\`a \[x\](y)");
        insta::assert_snapshot!(inline("``a ` [x](y)"), @r"\`\`a \` \[x\](y)");
        insta::assert_snapshot!(inline("``a ` *b*`` *c*"), @r"``a ` *b*`` \*c\*");
        insta::assert_snapshot!(code("a"), @"`a`");
        insta::assert_snapshot!(code("`a``b"), @"``` `a``b ```");
        insta::assert_snapshot!(difference(&["- ```a".to_owned()], ""), @r"
        ````diff
        - ```a
        ````
        ");
    }
}
