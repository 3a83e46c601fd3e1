//! Plants defects in cassettes, and writes the tests that use them.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::files::{FileBody, FileCall, Shape, gzip, write};

/// A finding that a check must have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Planted {
    pub(super) path: String,
    /// The index of the call; `None`: the whole file.
    pub(super) call: Option<usize>,
    pub(super) rule: String,
    pub(super) severity: String,
}

impl Planted {
    /// Returns it without its call, if one finding may be about several files.
    pub(super) fn of_file(self) -> Self {
        let call = self.call.filter(|_| self.rule != "call-ambiguous");
        Self { call, ..self }
    }
}

/// What is wrong with a cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// Two calls that are equal to the program, with different answers.
    Ambiguous,
    /// Equal calls with equal answers, which is none.
    Twice,
    /// The test compares the body, which differs: none.
    ComparedBodies,
    /// The test compares the body, which is the same JSON.
    EqualBodies,
    Repeats,
    RepeatsOff,
    Status,
    ExpectedStatus,
    ErrorBody,
    Orphan,
    /// A stream of an API, and whether it has its end.
    Stream(StreamApi, bool),
    Length,
    /// A header names an encoding that the body does not have.
    EncodingOfText,
    /// The body has an encoding that no header names.
    EncodingWithoutHeader,
    CutGzip,
    InvalidBase64,
    IgnoredHost,
    Expired,
    Secret(SecretPlace),
    RefusedTag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamApi {
    Chat,
    Responses,
    Anthropic,
    Gemini,
    Converse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SecretPlace {
    Bearer,
    Login,
    NamedHeader,
    Base64Header,
    Query,
    EscapedQuery,
    EscapedForm,
    Session,
    /// A cookie that gives no access.
    Cookie,
    Organization,
    AwsAccount,
    GoogleProject,
    Body,
    Base64InBody,
    CompressedBody,
    /// Texts that only stand for secrets.
    Placeholders,
}

const DEFECTS: [Defect; 46] = {
    use Defect::*;
    use StreamApi::*;
    [
        Ambiguous,
        Twice,
        ComparedBodies,
        EqualBodies,
        Repeats,
        RepeatsOff,
        Status,
        ExpectedStatus,
        ErrorBody,
        Orphan,
        Stream(Chat, true),
        Stream(Chat, false),
        Stream(Responses, true),
        Stream(Responses, false),
        Stream(Anthropic, true),
        Stream(Anthropic, false),
        Stream(Gemini, true),
        Stream(Gemini, false),
        Stream(Converse, true),
        Stream(Converse, false),
        Length,
        EncodingOfText,
        EncodingWithoutHeader,
        CutGzip,
        InvalidBase64,
        IgnoredHost,
        Expired,
        Secret(SecretPlace::Bearer),
        Secret(SecretPlace::Login),
        Secret(SecretPlace::NamedHeader),
        Secret(SecretPlace::Base64Header),
        Secret(SecretPlace::Query),
        Secret(SecretPlace::EscapedQuery),
        Secret(SecretPlace::EscapedForm),
        Secret(SecretPlace::Session),
        Secret(SecretPlace::Cookie),
        Secret(SecretPlace::Organization),
        Secret(SecretPlace::AwsAccount),
        Secret(SecretPlace::GoogleProject),
        Secret(SecretPlace::Body),
        Secret(SecretPlace::Base64InBody),
        Secret(SecretPlace::CompressedBody),
        Secret(SecretPlace::Placeholders),
        RefusedTag,
        Ambiguous,
        Status,
    ]
};

impl Defect {
    /// Whether a file of this shape can have it.
    fn fits(self, shape: Shape) -> bool {
        let has_bytes = !matches!(shape, Shape::VcrpyJson);
        match self {
            Self::ComparedBodies | Self::EqualBodies | Self::Repeats | Self::RepeatsOff => {
                shape.is_vcrpy()
            }
            Self::Orphan | Self::IgnoredHost => shape.is_python(),
            Self::EncodingOfText => shape.is_vcrpy() || shape == Shape::RubyVcr,
            Self::EncodingWithoutHeader => {
                has_bytes && (shape.is_vcrpy() || shape == Shape::RubyVcr)
            }
            Self::CutGzip | Self::Stream(StreamApi::Converse, _) => has_bytes,
            Self::InvalidBase64 => matches!(
                shape,
                Shape::Vcrpy | Shape::VcrpyBinary | Shape::ParsedBody | Shape::RubyVcr
            ),
            Self::RefusedTag => matches!(shape, Shape::Vcrpy | Shape::VcrpyBinary),
            Self::Secret(SecretPlace::CompressedBody) => has_bytes,
            _ => true,
        }
    }

    /// Whether a second one can be in the same file.
    fn is_of_call(self) -> bool {
        matches!(
            self,
            Self::Status
                | Self::ErrorBody
                | Self::Stream(..)
                | Self::Length
                | Self::EncodingOfText
                | Self::EncodingWithoutHeader
                | Self::CutGzip
                | Self::InvalidBase64
                | Self::IgnoredHost
                | Self::Secret(_)
        )
    }
}

/// A generator of numbers that are the same in every run.
struct NumberGenerator(u64);

impl NumberGenerator {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// A cassette while it is made.
struct Draft {
    shape: Shape,
    calls: Vec<FileCall>,
    found: Vec<(&'static str, &'static str, Option<usize>)>,
    /// Arguments of the test's mark.
    mark: &'static str,
}

const TOKEN_LETTERS: &str = "Zk3vQ8rT1mXw7LpBy5Nc";

/// A key in its issuer's format, assembled at run time so that this file contains no complete key.
fn token() -> String {
    format!("ghp_{}", TOKEN_LETTERS.repeat(2))
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Returns a stream of an API, with its end or without.
fn stream(api: StreamApi, has_end: bool) -> (&'static str, String) {
    let events = |start: &str, end: &str| {
        let end = if has_end { end } else { "" };
        format!("{start}{end}")
    };
    match api {
        StreamApi::Chat => (
            "https://api.openai.com/v1/chat/completions",
            events(
                "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes\"},\"finish_reason\":null}]}\n\n",
                "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ),
        ),
        StreamApi::Responses => (
            "https://api.openai.com/v1/responses",
            events(
                "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Yes\"}\n\n",
                "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}\n\n",
            ),
        ),
        StreamApi::Anthropic => (
            "https://api.anthropic.com/v1/messages",
            events(
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Yes\"}}\n\n",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
        ),
        StreamApi::Gemini => (
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:streamGenerateContent",
            events(
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Yes\"}],\"role\":\"model\"}}],\"modelVersion\":\"gemini-2.0-flash\"}\r\n\r\n",
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\".\"}],\"role\":\"model\"},\"finishReason\":\"STOP\"}],\"modelVersion\":\"gemini-2.0-flash\"}\r\n\r\n",
            ),
        ),
        StreamApi::Converse => (
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova/converse-stream",
            String::new(),
        ),
    }
}

/// Returns a stream of Converse: messages with a prelude, headers, a payload and a checksum.
fn converse(has_end: bool) -> Vec<u8> {
    let message = |kind: &str, payload: &str| {
        let mut headers = vec![11];
        headers.extend(b":event-type\x07");
        headers.extend((kind.len() as u16).to_be_bytes());
        headers.extend(kind.as_bytes());
        let total = 16 + headers.len() + payload.len();
        let mut bytes = (total as u32).to_be_bytes().to_vec();
        bytes.extend((headers.len() as u32).to_be_bytes());
        let checksum = |bytes: &[u8]| {
            let mut sum = flate2::Crc::new();
            sum.update(bytes);
            sum.sum().to_be_bytes()
        };
        bytes.extend(checksum(&bytes));
        bytes.extend(headers);
        bytes.extend(payload.as_bytes());
        bytes.extend(checksum(&bytes));
        bytes
    };
    let mut bytes = message("messageStart", "{\"role\":\"assistant\"}");
    bytes.extend(message(
        "contentBlockDelta",
        "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"Yes\"}}",
    ));
    if has_end {
        bytes.extend(message("messageStop", "{\"stopReason\":\"end_turn\"}"));
    }
    bytes
}

impl Draft {
    /// Adds a call of a model that has nothing wrong, and that differs from all others.
    fn call(&mut self) -> &mut FileCall {
        let number = self.calls.len();
        let sent = format!(
            r#"{{"model":"gpt-4.1-mini","messages":[{{"role":"user","content":"Question {number}?"}}]}}"#
        );
        let recorded_at = match self.shape {
            Shape::RubyVcr => Some("Tue, 01 Jan 2999 09:00:00 GMT"),
            Shape::Cassetter | Shape::CassetterToml => Some("2999-01-01T09:00:00Z"),
            _ => None,
        };
        self.calls.push(FileCall {
            method: "POST",
            uri: format!("https://api.openai.com/v1/chat/completions?call={number}"),
            sent_headers: vec![header("content-type", "application/json")],
            sent: FileBody::Text(sent),
            status: 200,
            headers: Vec::new(),
            received: FileBody::None,
            recorded_at: recorded_at.map(str::to_owned),
        });
        let answer = format!(
            r#"{{"id":"c-{number}","object":"chat.completion","model":"gpt-4.1-mini","choices":[{{"index":0,"message":{{"role":"assistant","content":"Answer {number}."}},"finish_reason":"stop"}}]}}"#
        );
        self.answer(&answer, "application/json");
        self.last()
    }

    fn last(&mut self) -> &mut FileCall {
        self.calls.last_mut().unwrap()
    }

    /// Sets the answer of the last call, in the encoding of the file.
    fn answer(&mut self, text: &str, content_type: &str) {
        let is_binary = self.shape == Shape::VcrpyBinary;
        let call = self.last();
        call.headers = vec![header("content-type", content_type)];
        if is_binary {
            call.headers.push(header("content-encoding", "gzip"));
            call.received = FileBody::Bytes(gzip(text));
        } else {
            call.received = FileBody::Text(text.to_owned());
        }
    }

    fn finds(&mut self, rule: &'static str, severity: &'static str) {
        let last = self.calls.len() - 1;
        self.found.push((rule, severity, Some(last)));
    }

    /// Adds a call that is equal to the last one for the program, with an answer.
    fn repeat(&mut self, sent: Option<&str>, answer: &str) {
        let call = self.last().clone();
        self.calls.push(call);
        // go-vcr compares the body as well.
        if let Some(sent) = sent.filter(|_| self.shape != Shape::GoVcr) {
            self.last().sent = FileBody::Text(sent.to_owned());
        }
        self.answer(answer, "application/json");
    }

    fn plant(&mut self, defect: Defect) {
        const OTHER: &str =
            r#"{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Another?"}]}"#;
        const REORDERED: &str =
            r#"{"messages": [{"content": "Another?", "role": "user"}], "model": "gpt-4.1-mini"}"#;
        const ANSWER: &str = r#"{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Another."},"finish_reason":"stop"}]}"#;
        const BODIES: &str = "match_on=[\"method\", \"uri\", \"body\"]";
        self.call();
        match defect {
            Defect::Ambiguous => {
                self.finds("call-ambiguous", "warning");
                self.repeat(Some(OTHER), ANSWER);
            }
            Defect::Twice => {
                let call = self.last().clone();
                self.calls.push(call);
            }
            Defect::ComparedBodies => {
                self.mark = BODIES;
                self.repeat(Some(OTHER), ANSWER);
            }
            Defect::EqualBodies => {
                self.mark = BODIES;
                self.last().sent = FileBody::Text(OTHER.to_owned());
                self.finds("call-ambiguous", "warning");
                self.repeat(Some(REORDERED), ANSWER);
            }
            Defect::Repeats => {
                self.mark = "allow_playback_repeats=True";
                self.repeat(Some(OTHER), ANSWER);
                self.finds("repeat-unreachable", "warning");
                self.repeat(Some(REORDERED), ANSWER);
                self.finds("repeat-unreachable", "warning");
            }
            Defect::RepeatsOff => {
                self.mark = "allow_playback_repeats=False";
                self.finds("call-ambiguous", "warning");
                self.repeat(Some(OTHER), ANSWER);
            }
            Defect::Status | Defect::ExpectedStatus => {
                self.answer(
                    r#"{"error":{"message":"Slow down","type":"tokens"}}"#,
                    "application/json",
                );
                self.last().status = 429;
                if defect == Defect::Status {
                    self.finds("recorded-error", "warning");
                }
            }
            Defect::ErrorBody => {
                self.answer(
                    r#"{"error":{"message":"Slow down","type":"tokens"}}"#,
                    "application/json",
                );
                self.finds("recorded-error", "warning");
            }
            Defect::Orphan => self.found.push(("cassette-orphan", "warning", None)),
            Defect::Stream(api, has_end) => self.plant_stream(api, has_end),
            Defect::Length => {
                // The bytes of a tree are not known.
                if self.shape == Shape::ParsedBody {
                    self.answer("Answer.", "text/plain");
                }
                self.last().headers.push(header("content-length", "70"));
                self.finds("length-mismatch", "warning");
            }
            Defect::EncodingOfText => {
                let call = self.last();
                call.headers = vec![header("Content-Encoding", "gzip")];
                call.received = FileBody::Text("readable".to_owned());
                self.finds("encoding-mismatch", "warning");
            }
            Defect::EncodingWithoutHeader => {
                let call = self.last();
                call.headers = vec![header("content-type", "application/json")];
                call.received = FileBody::Bytes(gzip(ANSWER));
                self.finds("encoding-mismatch", "warning");
            }
            Defect::CutGzip => {
                let call = self.last();
                call.headers = vec![header("content-encoding", "gzip")];
                let mut bytes = gzip(ANSWER);
                bytes.truncate(bytes.len() - 20);
                call.received = FileBody::Bytes(bytes);
                self.finds("body-not-decodable", "warning");
            }
            Defect::InvalidBase64 => {
                let tag = if self.shape == Shape::RubyVcr { "!binary" } else { "!!binary" };
                self.last().received = FileBody::Raw(format!("{tag} 'H4s*'"));
                self.finds("body-not-decodable", "warning");
            }
            Defect::IgnoredHost => {
                let last = self.last();
                last.uri = last.uri.replace("api.openai.com", "Ignored.example:8443");
                self.finds("never-loads", "warning");
            }
            Defect::Expired => {
                let shape = self.shape;
                let call = self.last();
                match shape {
                    Shape::RubyVcr => {
                        call.recorded_at = Some("Sat, 06 Jan 2001 09:00:00 GMT".to_owned());
                    }
                    Shape::Cassetter | Shape::CassetterToml => {
                        call.recorded_at = Some("2001-01-06T09:00:00+00:00".to_owned());
                    }
                    _ => call.headers.push(header("Date", "Sat, 06 Jan 2001 09:00:00 GMT")),
                }
                self.finds("expired", "warning");
            }
            Defect::Secret(place) => self.plant_secret(place),
            Defect::RefusedTag => {
                self.last().sent = FileBody::Raw("!binary aGVsbG8=".to_owned());
                self.finds("never-loads", "error");
            }
        }
    }

    fn plant_stream(&mut self, api: StreamApi, has_end: bool) {
        let (uri, text) = stream(api, has_end);
        let number = self.calls.len() - 1;
        self.last().uri = format!("{uri}?call={number}");
        if api == StreamApi::Converse {
            let call = self.last();
            call.uri = uri.replace("nova", &format!("nova-{number}"));
            call.headers = vec![header("content-type", "application/vnd.amazon.eventstream")];
            call.received = FileBody::Bytes(converse(has_end));
            call.sent = FileBody::Text(
                r#"{"messages":[{"role":"user","content":[{"text":"Question?"}]}]}"#.to_owned(),
            );
        } else {
            self.answer(&text, "text/event-stream; charset=utf-8");
        }
        if !has_end {
            self.finds("stream-truncated", "warning");
        }
    }

    fn plant_secret(&mut self, place: SecretPlace) {
        let token = token();
        let encoded = |text: &str| BASE64_STANDARD.encode(text);
        let message = |content: &str| {
            format!(
                r#"{{"model":"gpt-4.1-mini","messages":[{{"role":"user","content":"{content}"}}]}}"#
            )
        };
        let call = self.last();
        let mut severity = "warning";
        match place {
            SecretPlace::Bearer => {
                call.sent_headers.push(header("Authorization", &format!("Bearer {token}")));
            }
            SecretPlace::Login => {
                let login = format!("Basic {}", encoded("ada:c0rrect-horse"));
                call.sent_headers.push(header("authorization", &login));
            }
            SecretPlace::NamedHeader => {
                call.sent_headers.push(header("x-api-key", "8f3e9d1c7b5a4e2f0a6d"));
            }
            SecretPlace::Base64Header => {
                let inner = encoded(&format!(r#"{{"login": {{"key": "{token}"}}}}"#));
                call.headers.push(header("x-config", &inner));
            }
            SecretPlace::Query => call.uri.push_str("&key=9f8e7d6c5b4a39281706f5e4"),
            SecretPlace::EscapedQuery => {
                call.uri.push_str(&format!("&state=%67hp%5F{}", TOKEN_LETTERS.repeat(2)));
            }
            SecretPlace::EscapedForm => {
                call.sent_headers =
                    vec![header("content-type", "application/x-www-form-urlencoded")];
                call.sent = FileBody::Text(format!("a=b&code=%67hp_{}", TOKEN_LETTERS.repeat(2)));
            }
            SecretPlace::Session => {
                call.sent_headers.push(header("Cookie", "lang=en; sessionid=38afes7a8d91c0b2e4f6"));
            }
            SecretPlace::Cookie => {
                severity = "note";
                call.headers
                    .push(header("Set-Cookie", "__cf_bm=jQ2l1nB3xK.9s0aPq7; path=/; HttpOnly"));
            }
            SecretPlace::Organization => {
                severity = "note";
                call.headers.push(header("openai-organization", "user-ab3kq91mzx"));
            }
            SecretPlace::AwsAccount => {
                severity = "note";
                call.sent = FileBody::Text(message("arn:aws:iam::380917264509:role/mail"));
            }
            SecretPlace::GoogleProject => {
                severity = "note";
                call.uri = call.uri.replace("/v1/", "/v1/projects/748392016534/");
            }
            SecretPlace::Body => {
                call.sent = FileBody::Text(message(&format!("use {token} for it")));
            }
            SecretPlace::Base64InBody => {
                let inner = encoded(&format!("the key is {token}"));
                call.sent = FileBody::Text(message(&inner));
            }
            SecretPlace::CompressedBody => {
                call.headers = vec![header("content-encoding", "gzip")];
                let answer = format!(
                    r#"{{"id":"c","object":"chat.completion","choices":[],"note":"{token}"}}"#
                );
                call.received = FileBody::Bytes(gzip(&answer));
            }
            SecretPlace::Placeholders => {
                let login = format!("Basic {}", encoded("ada:REDACTED"));
                call.sent_headers.extend([
                    header("authorization", "Bearer scrubbed"),
                    header("proxy-authorization", &login),
                    header("x-api-key", "DUMMY-KEY-0123456789"),
                    header("cookie", "session=REDACTED"),
                    header("openai-organization", "scrubbed"),
                ]);
                call.headers.push(header("set-cookie", "<COOKIE>"));
                call.sent = FileBody::Text(message("arn:aws:iam::123456789012:role/mail"));
                return;
            }
        }
        self.finds("secret", severity);
    }
}

/// A number in letters, so that no name of a file has the number of a status in it.
fn lettered(number: usize) -> String {
    let digits = format!("{number:03}");
    digits.bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
}

/// Writes cassettes, the tests that use them and what these configure. Returns all that is wrong.
pub(super) fn plan(count: usize, mut write_file: impl FnMut(&str, String)) -> Vec<Planted> {
    const PER_GROUP: usize = 20;
    let mut numbers = NumberGenerator(7);
    let mut planted = Vec::new();
    let mut groups: BTreeMap<usize, String> = BTreeMap::new();
    for number in 0..count {
        let shape = Shape::ALL[number % Shape::ALL.len()];
        let fitting: Vec<Defect> = DEFECTS.into_iter().filter(|it| it.fits(shape)).collect();
        let defect = fitting[number / Shape::ALL.len() % fitting.len()];
        let mut draft = Draft { shape, calls: Vec::new(), found: Vec::new(), mark: "" };
        for _ in 0..numbers.below(3) {
            draft.call();
        }
        draft.plant(defect);
        for _ in 0..numbers.below(3) {
            draft.call();
        }
        let second = fitting[numbers.below(fitting.len())];
        let is_other = std::mem::discriminant(&second) != std::mem::discriminant(&defect);
        if defect.is_of_call() && second.is_of_call() && is_other {
            draft.plant(second);
        }
        let name = match defect {
            Defect::ExpectedStatus => format!("test_rate_limit_{}", lettered(number)),
            _ => format!("test_case_{}", lettered(number)),
        };
        let group = number / PER_GROUP;
        let folder = match shape {
            Shape::RubyVcr => "spec/cassettes".to_owned(),
            Shape::GoVcr => "mailer/testdata".to_owned(),
            _ => format!("tests/cassettes/test_group_{}", lettered(group)),
        };
        let path = format!("{folder}/{name}.{}", shape.ending());
        write_file(&path, write(shape, &draft.calls));
        let found = draft.found.into_iter();
        planted.extend(found.map(|(rule, severity, call)| Planted {
            path: path.clone(),
            call,
            rule: rule.to_owned(),
            severity: severity.to_owned(),
        }));
        if shape.is_python() {
            let tests = groups.entry(group).or_default();
            if defect != Defect::Orphan {
                tests.push_str(&format!(
                    "@pytest.mark.vcr({})\ndef {name}():\n    ...\n\n\n",
                    draft.mark
                ));
            }
        }
    }
    for (group, mut tests) in groups {
        let file = format!("tests/test_group_{}.py", lettered(group));
        // A test whose cassette is lost is reported at its own place.
        if group % 3 == 0 {
            tests.push_str("@pytest.mark.vcr\ndef test_lost():\n    ...\n");
            planted.push(Planted {
                path: file.clone(),
                call: None,
                rule: "cassette-orphan".to_owned(),
                severity: "warning".to_owned(),
            });
        }
        write_file(&file, format!("import pytest\n\n\n{tests}"));
    }
    write_file(
        "tests/conftest.py",
        "import pytest\n\n\n@pytest.fixture(scope=\"module\")\ndef vcr_config():\n    return {\"ignore_hosts\": [\"ignored.example\"]}\n".to_owned(),
    );
    write_file("retake.toml", "[cassettes]\nmax_age_days = 365\n".to_owned());
    planted
}
