//! Says of a text that nothing is made of what it is, and why.

use document::text::{Source, visible};
use document::{DocumentBody, FileKind};

/// Number of characters of a text that are quoted.
const EXCERPT_CHARS: usize = 60;

/// Describes a text that is neither a run, nor a request, nor an incident.
pub fn describe_unread_text(text: &str) -> String {
    // A pasted text has no name, so its content alone decides the format.
    let doc = document::read(Source::new(text), "");
    match &doc.body {
        DocumentBody::Foreign(foreign) => {
            let help = foreign.format.help().replace('`', "");
            format!("It is {}. {help}", foreign.describe())
        }
        _ if doc.kind() != FileKind::Unknown => {
            format!("It is a {}: save it as a file of the project to see it.", doc.kind().as_str())
        }
        _ => {
            let first = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
            let begins: String = first.chars().take(EXCERPT_CHARS).collect();
            format!(
                "Expected a playback log, a report of a run or a request as JSON. The text begins with “{}”.",
                visible(&begins)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_read_is_called_what_it_is() {
        let otlp = r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "b", "name": "c"}]}]}]}"#;
        let texts = [otlp, "interactions: []\nversion: 1\n", "\n  Please refund my order\n"];
        let described: Vec<String> = texts.iter().map(|text| describe_unread_text(text)).collect();
        insta::assert_snapshot!(described.join("\n"), @"
        It is OpenTelemetry traces (OTLP). retake import turns it into replay sessions.
        It is a VCR cassette of 0 calls. retake import turns it into replay sessions.
        Expected a playback log, a report of a run or a request as JSON. The text begins with “Please refund my order”.
        ");
    }
}
