//! Says of a text that nothing is made of what it is, and why.

use std::collections::BTreeSet;

use document::text::{Source, counted, some, visible};
use document::{DocumentBody, FileKind};

/// Texts that libraries of cassettes print when no recorded call answers a request.
const CASSETTE_MISSES: [(&str, &str); 5] = [
    ("vcrpy", "CannotOverwriteExisting"),
    ("vcrpy", "overwrite existing cassette ("),
    ("VCR for Ruby", "VCR does not know how to handle"),
    ("go-vcr", "requested interaction not found"),
    ("vcr for R", "matching request in active cassette"),
];
/// Number of cassettes of a log that are named.
const MAX_NAMED_CASSETTES: usize = 3;
/// Number of characters of a text that are quoted.
const EXCERPT_CHARS: usize = 60;

/// Describes a log of failures that a library of cassettes printed; `None` for any other text.
pub fn describe_cassette_log(text: &str) -> Option<String> {
    let (library, _) = CASSETTE_MISSES.iter().find(|(_, mark)| text.contains(mark))?;
    let cassettes = text.split("overwrite existing cassette (").skip(1).filter_map(|rest| {
        // vcrpy prints the path as Python's `repr`, in double quotes if it contains a single one.
        let quote = rest.chars().next().filter(|letter| matches!(letter, '\'' | '"'))?;
        rest[1..].split(quote).next()?.rsplit(['/', '\\']).next()
    });
    let cassettes: BTreeSet<&str> = cassettes.collect();
    let place = match cassettes.len() {
        0 => String::new(),
        count => format!(
            " in {} ({}; filter the library by a name to see its calls)",
            counted(count, "cassette", "cassettes"),
            some(cassettes.iter().map(|name| visible(name)), MAX_NAMED_CASSETTES)
        ),
    };
    Some(format!(
        "It is a log of {library}: no recorded call answers a request{place}. Retake does not read these logs yet."
    ))
}

/// Describes a text that is neither a run, nor a request, nor an incident.
pub fn describe_unread_text(text: &str) -> String {
    if let Some(log) = describe_cassette_log(text) {
        return log;
    }
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
        let vcrpy = "FFF\nE vcr.errors.CannotOverwriteExistingCassetteException: Can't overwrite existing cassette ('/a/b/test_one.yaml') in\n\
                     E vcr.errors.CannotOverwriteExistingCassetteException: Can't overwrite existing cassette ('/a/b/test_one.yaml') in\n\
                     E Can't overwrite existing cassette (\"c:\\x\\two.yaml\") in your current record mode";
        let many: String = (0..5)
            .map(|number| format!("overwrite existing cassette ('{number}.yaml')\n"))
            .collect();
        let otlp = r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "b", "name": "c"}]}]}]}"#;
        let texts = [
            vcrpy,
            &many,
            "An HTTP request has been made that VCR does not know how to handle:",
            "Post \"http://x\": requested interaction not found",
            "Failed to find matching request in active cassette, \"openai\".",
            otlp,
            "interactions: []\nversion: 1\n",
            "\n  Please refund my order\n",
        ];
        let described: Vec<String> = texts.iter().map(|text| describe_unread_text(text)).collect();
        insta::assert_snapshot!(described.join("\n"), @"
        It is a log of vcrpy: no recorded call answers a request in 2 cassettes (test_one.yaml and two.yaml; filter the library by a name to see its calls). Retake does not read these logs yet.
        It is a log of vcrpy: no recorded call answers a request in 5 cassettes (0.yaml, 1.yaml, 2.yaml and 2 more; filter the library by a name to see its calls). Retake does not read these logs yet.
        It is a log of VCR for Ruby: no recorded call answers a request. Retake does not read these logs yet.
        It is a log of go-vcr: no recorded call answers a request. Retake does not read these logs yet.
        It is a log of vcr for R: no recorded call answers a request. Retake does not read these logs yet.
        It is OpenTelemetry traces (OTLP) of 1 span. Retake does not read this format yet.
        It is a VCR cassette of 0 calls. retake import turns it into replay sessions.
        Expected a playback log, a report of a run or a request as JSON. The text begins with “Please refund my order”.
        ");
    }

    #[test]
    fn other_logs_are_none_of_cassettes() {
        assert_eq!(describe_cassette_log("[PlaybackTestClient] Loaded 7 recordings from /a"), None);
    }
}
