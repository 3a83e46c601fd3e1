//! HTML pages without external resources.

use document::text::{escape_commands, visible, visible_lines};

const STYLE: &str = include_str!("page.css");

/// Returns a page with a title as its heading.
pub fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Returns a sentence as HTML: text in backquotes becomes code.
pub fn sentence_html(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate().map(|(number, part)| match number % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

/// Escapes a text on one line.
pub fn escaped(text: &str) -> String {
    signs(&markup(&visible(text)))
}

/// Escapes a text with line ends.
pub fn escaped_lines(text: &str) -> String {
    signs(&markup(&visible_lines(text)))
}

fn markup(text: &str) -> String {
    // `&` first, or the references would be escaped again.
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Writes as character references what a build log that prints the page would interpret as a command: `::` at the
/// beginning of a line, and the bracket of `##[…]`.
fn signs(text: &str) -> String {
    escape_commands(text, "&#91;").replace("::", "&#58;:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_makes_a_command_for_a_build_log() {
        let text = "a\n::error file=a::b\n  :::c\n##[error]d ##vso[e] [f] <&";
        assert_eq!(
            escaped_lines(text),
            "a\n&#58;:error file=a&#58;:b\n  &#58;::c\n##&#91;error]d ##vso&#91;e] [f] &lt;&amp;"
        );
        assert_eq!(escaped("##[x]::y"), "##&#91;x]&#58;:y");
    }
}
