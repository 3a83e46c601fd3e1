//! Writes cassettes as their programs do, and the bodies of models' answers.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The shape of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Vcrpy,
    /// Responses are compressed, and written as bytes.
    VcrpyBinary,
    /// Bodies of JSON are trees.
    ParsedBody,
    VcrpyJson,
    Cassetter,
    CassetterToml,
    RubyVcr,
    GoVcr,
}

impl Shape {
    pub(super) const ALL: [Self; 8] = [
        Self::Vcrpy,
        Self::VcrpyBinary,
        Self::ParsedBody,
        Self::VcrpyJson,
        Self::Cassetter,
        Self::CassetterToml,
        Self::RubyVcr,
        Self::GoVcr,
    ];

    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::VcrpyJson => "json",
            Self::CassetterToml => "toml",
            Self::RubyVcr => "yml",
            _ => "yaml",
        }
    }

    /// Whether vcrpy plays it.
    pub(super) fn is_vcrpy(self) -> bool {
        matches!(self, Self::Vcrpy | Self::VcrpyBinary | Self::ParsedBody | Self::VcrpyJson)
    }

    /// Whether a test of Python uses it.
    pub(super) fn is_python(self) -> bool {
        !matches!(self, Self::RubyVcr | Self::GoVcr)
    }
}

/// A body of a message.
#[derive(Clone, Debug)]
pub(super) enum FileBody {
    None,
    Text(String),
    /// Bytes as the network had them.
    Bytes(Vec<u8>),
    /// What is written, whatever it is.
    Raw(String),
}

/// A recorded call.
#[derive(Clone, Debug)]
pub(super) struct FileCall {
    pub(super) method: &'static str,
    pub(super) uri: String,
    pub(super) sent_headers: Vec<(String, String)>,
    pub(super) sent: FileBody,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) received: FileBody,
    /// Where the program writes it.
    pub(super) recorded_at: Option<String>,
}

pub(super) fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Quotes a text for JSON, YAML and TOML.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn quoted_headers(headers: &[(String, String)]) -> String {
    let headers =
        headers.iter().map(|(name, value)| format!("{}: [{}]", quoted(name), quoted(value)));
    format!("{{{}}}", headers.collect::<Vec<_>>().join(", "))
}

/// Writes a file.
pub(super) fn write(shape: Shape, calls: &[FileCall]) -> String {
    let joined = |separator: &str, write: fn(usize, &FileCall) -> String| {
        let calls = calls.iter().enumerate();
        let calls = calls.map(|(number, call)| write(number, call));
        calls.collect::<Vec<_>>().join(separator)
    };
    match shape {
        Shape::Vcrpy | Shape::VcrpyBinary => {
            format!("interactions:\n{}version: 1\n", joined("", |_, call| vcrpy(call, false)))
        }
        Shape::ParsedBody => {
            format!("interactions:\n{}version: 1\n", joined("", |_, call| vcrpy(call, true)))
        }
        Shape::VcrpyJson => format!(
            "{{\n    \"version\": 1,\n    \"interactions\": [{}]\n}}\n",
            joined(",", |_, call| vcrpy_json(call))
        ),
        Shape::Cassetter => {
            format!("version: 1\ninteractions:\n{}", joined("", |_, call| cassetter(call)))
        }
        Shape::CassetterToml => {
            format!("version = 1\n{}", joined("", |_, call| cassetter_toml(call)))
        }
        Shape::RubyVcr => format!(
            "---\nhttp_interactions:\n{}recorded_with: VCR 6.4.0\n",
            joined("", |_, call| ruby(call))
        ),
        Shape::GoVcr => format!("---\nversion: 2\ninteractions:\n{}", joined("", go)),
    }
}

/// A body of vcrpy; bytes in a block at this indentation.
fn yaml_body(body: &FileBody, indent: usize, tag: &str) -> String {
    match body {
        FileBody::None => "null".to_owned(),
        FileBody::Text(text) => quoted(text),
        FileBody::Raw(text) => text.clone(),
        FileBody::Bytes(bytes) => {
            let base64 = BASE64_STANDARD.encode(bytes);
            let mut text = format!("{tag} |");
            for line in base64.as_bytes().chunks(76) {
                let line = std::str::from_utf8(line).unwrap();
                let _ = write!(text, "\n{:indent$}{line}", "");
            }
            text
        }
    }
}

fn vcrpy(call: &FileCall, is_parsed: bool) -> String {
    let tree = |body: &FileBody| match body {
        FileBody::Text(text) if is_parsed && text.starts_with('{') => Some(text.clone()),
        _ => None,
    };
    let sent = match tree(&call.sent) {
        Some(tree) => format!("    parsed_body: {tree}\n"),
        None => format!("    body: {}\n", yaml_body(&call.sent, 6, "!!binary")),
    };
    let received = match tree(&call.received) {
        Some(tree) => format!("    parsed_body: {tree}\n"),
        None => format!("    body:\n      string: {}\n", yaml_body(&call.received, 8, "!!binary")),
    };
    format!(
        "- request:\n{sent}    headers: {}\n    method: {}\n    uri: {}\n  response:\n{received}    headers: {}\n    status:\n      code: {}\n      message: X\n",
        quoted_headers(&call.sent_headers),
        call.method,
        quoted(&call.uri),
        quoted_headers(&call.headers),
        call.status
    )
}

fn json_body(body: &FileBody) -> String {
    match body {
        FileBody::None | FileBody::Bytes(_) => "null".to_owned(),
        FileBody::Text(text) => quoted(text),
        FileBody::Raw(text) => text.clone(),
    }
}

fn vcrpy_json(call: &FileCall) -> String {
    let headers = |headers: &[(String, String)]| {
        let headers =
            headers.iter().map(|(name, value)| format!("{}: [{}]", quoted(name), quoted(value)));
        headers.collect::<Vec<_>>().join(", ")
    };
    format!(
        "\n        {{\n            \"request\": {{\"method\": \"{}\", \"uri\": {}, \"body\": {}, \"headers\": {{{}}}}},\n            \"response\": {{\"status\": {{\"code\": {}, \"message\": \"X\"}}, \"headers\": {{{}}}, \"body\": {{\"string\": {}}}}}\n        }}",
        call.method,
        quoted(&call.uri),
        json_body(&call.sent),
        headers(&call.sent_headers),
        call.status,
        headers(&call.headers),
        json_body(&call.received)
    )
}

/// The type and the content of a body of cassetter.
fn typed(body: &FileBody) -> (&'static str, String) {
    match body {
        FileBody::None => ("none", "\"\"".to_owned()),
        FileBody::Text(text) => ("text", quoted(text)),
        FileBody::Raw(text) => ("binary", text.clone()),
        FileBody::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            ("binary", quoted(&hex))
        }
    }
}

fn cassetter(call: &FileCall) -> String {
    let body = |body: &FileBody| {
        let (kind, content) = typed(body);
        format!("{{type: {kind}, content: {content}}}")
    };
    let mut text = format!(
        "- request:\n    method: {}\n    uri: {}\n    headers: {}\n    body: {}\n  response:\n    status: {}\n    headers: {}\n    body: {}\n",
        call.method,
        quoted(&call.uri),
        quoted_headers(&call.sent_headers),
        body(&call.sent),
        call.status,
        quoted_headers(&call.headers),
        body(&call.received)
    );
    if let Some(at) = &call.recorded_at {
        let _ = writeln!(text, "  recorded_at: '{at}'");
    }
    text
}

fn cassetter_toml(call: &FileCall) -> String {
    let headers = |headers: &[(String, String)]| -> String {
        let headers =
            headers.iter().map(|(name, value)| format!("{} = [{}]\n", quoted(name), quoted(value)));
        headers.collect()
    };
    let body = |body: &FileBody| {
        let (kind, content) = typed(body);
        format!("body_type = \"{kind}\"\nbody_content = {content}\n")
    };
    let at = call.recorded_at.as_ref();
    let at = at.map_or_else(String::new, |at| format!("recorded_at = \"{at}\"\n"));
    format!(
        "\n[[interactions]]\n{at}\n[interactions.request]\nmethod = \"{}\"\nuri = {}\n{}\n[interactions.request.headers]\n{}\n[interactions.response]\nstatus = {}\n{}\n[interactions.response.headers]\n{}",
        call.method,
        quoted(&call.uri),
        body(&call.sent),
        headers(&call.sent_headers),
        call.status,
        body(&call.received),
        headers(&call.headers)
    )
}

fn ruby(call: &FileCall) -> String {
    let body = |body: &FileBody| {
        let text = match body {
            FileBody::None => "''".to_owned(),
            body => yaml_body(body, 8, "!binary"),
        };
        format!("      encoding: ASCII-8BIT\n      string: {text}\n")
    };
    let at = call.recorded_at.as_ref();
    let at = at.map_or_else(String::new, |at| format!("  recorded_at: {at}\n"));
    format!(
        "- request:\n    method: {}\n    uri: {}\n    body:\n{}    headers: {}\n  response:\n    status:\n      code: {}\n      message: X\n    headers: {}\n    body:\n{}{at}",
        call.method.to_ascii_lowercase(),
        quoted(&call.uri),
        body(&call.sent),
        quoted_headers(&call.sent_headers),
        call.status,
        quoted_headers(&call.headers),
        body(&call.received)
    )
}

fn go(number: usize, call: &FileCall) -> String {
    let body = |body: &FileBody| match body {
        FileBody::None => "''".to_owned(),
        body => yaml_body(body, 10, "!!binary"),
    };
    format!(
        "  - id: {number}\n    request:\n        proto: HTTP/1.1\n        body: {}\n        form: {{}}\n        headers: {}\n        url: {}\n        method: {}\n    response:\n        body: {}\n        headers: {}\n        status: {} X\n        code: {}\n        duration: 1.5s\n",
        body(&call.sent),
        quoted_headers(&call.sent_headers),
        quoted(&call.uri),
        call.method,
        body(&call.received),
        quoted_headers(&call.headers),
        call.status,
        call.status
    )
}
