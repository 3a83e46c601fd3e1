//! Writes a session as YAML that every reader takes as it was meant (PyYAML's 1.1 above all), or as JSON.

use super::{NewSession, NewToolResponse};
use document::edit::{JsonValue, second_reader};
use document::json::{self, JsonLayout};
use document::text::visible;
use document::yaml::write::{self, BlockLayout, ScalarContext};
use document::{Node, NodeKind};

/// In what form a session is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionFormat {
    #[default]
    Yaml,
    /// As JSON, indented by two.
    Json,
}

/// Returns the text of a file that holds a session, or another object.
///
/// # Errors
///
/// Returns an error if another YAML reader would read the text differently: the value and what to do, as a sentence without a full
/// stop.
pub fn render(session: &JsonValue, form: SessionFormat) -> Result<String, String> {
    match form {
        SessionFormat::Yaml => confirmed(yaml_text(session), session),
        SessionFormat::Json => Ok(json_text(session)),
    }
}

/// Returns an object as YAML, without reading it again.
pub fn yaml_text(object: &JsonValue) -> String {
    let mut text = String::new();
    members(&mut text, object.root(), 0);
    text
}

/// Returns an object as JSON, indented by two.
pub fn json_text(object: &JsonValue) -> String {
    json::write(object.root(), JsonLayout::PRETTY) + "\n"
}

/// Returns the text if a second reader finds this value in it.
fn confirmed(text: String, value: &JsonValue) -> Result<String, String> {
    second_reader::check_new(&text, value).map(|_| text)
}

impl NewSession {
    /// Returns the text of its file, with the comments of its tool responses.
    ///
    /// # Errors
    ///
    /// Those of [`render`].
    pub fn render(&self, form: SessionFormat) -> Result<String, String> {
        if form == SessionFormat::Json {
            return render(&self.value_with_comments(), form);
        }
        let value = self.value();
        let mut text = String::new();
        for part in value.root().items() {
            if part.key() != Some("tool_responses") || part.is_empty() {
                member(&mut text, part, 0);
                continue;
            }
            text.push_str("tool_responses:\n");
            for (response, response_value) in self.tool_responses.iter().zip(part.items()) {
                for line in response.comment.iter().flat_map(|comment| comment.lines()) {
                    // Text of an incident may have control characters, which could end the line of a comment.
                    text.push_str(&format!("  # {}\n", visible(line).trim_end()));
                }
                element(&mut text, response_value, 2);
            }
        }
        confirmed(text, &value)
    }

    /// Returns the session as a value in which each comment of a tool response is a member `comment`.
    pub fn value_with_comments(&self) -> JsonValue {
        self.value_of(|response| response.value_and(response.comment.as_deref()))
    }

    /// Returns the session as a value, its members in the order of the owner's documents. Comments are no part of it.
    pub fn value(&self) -> JsonValue {
        self.value_of(NewToolResponse::value)
    }

    fn value_of(&self, response: fn(&NewToolResponse) -> JsonValue) -> JsonValue {
        let text = |text: &Option<String>| text.as_deref().map(JsonValue::text);
        let responses: Vec<JsonValue> = self.tool_responses.iter().map(response).collect();
        let context = (!self.context.is_empty()).then(|| JsonValue::list(&self.context));
        object([
            ("id", Some(JsonValue::text(&self.id))),
            ("name", text(&self.name)),
            ("source", text(&self.source)),
            ("captured_at", text(&self.captured_at)),
            ("input", Some(JsonValue::text(&self.input))),
            ("context", context),
            ("tool_responses", Some(JsonValue::list(&responses))),
            ("expected_failure", text(&self.expected_failure)),
            ("contract", text(&self.contract)),
        ])
    }
}

impl NewToolResponse {
    fn value(&self) -> JsonValue {
        self.value_and(None)
    }

    fn value_and(&self, comment: Option<&str>) -> JsonValue {
        let number = |number: Option<i64>| JsonValue::parse(&number?.to_string()).ok();
        object([
            ("tool", Some(JsonValue::text(&self.tool))),
            ("response", Some(self.response.clone())),
            ("status", number(self.status)),
            ("latency_ms", number(self.latency_ms)),
            ("comment", comment.map(JsonValue::text)),
        ])
    }
}

fn object<const N: usize>(members: [(&str, Option<JsonValue>); N]) -> JsonValue {
    let members = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
    JsonValue::object(&members.collect::<Vec<_>>())
}

/// The widest an object on one line may be.
const MAX_LINE_CHARS: usize = 100;

/// The maximum depth of block style; deeper values are written on one line.
const MAX_DEPTH: usize = 40;

/// The longest key that PyYAML finds without a `?` before it, in bytes as written, with room to spare.
const MAX_KEY_BYTES: usize = 1000;

/// Writes the members of an object by indentation, each on lines of its own.
fn members(text: &mut String, object: Node<'_>, column: usize) {
    for part in object.items() {
        member(text, part, column);
    }
}

fn member(text: &mut String, member: Node<'_>, column: usize) {
    indent(text, column);
    let key = write::scalar(member.key().unwrap_or_default(), ScalarContext::Block);
    // PyYAML stops looking for the colon of a simple key after 1,024 characters.
    if key.len() > MAX_KEY_BYTES {
        text.push_str(&format!("? {key}\n"));
        indent(text, column);
        text.push_str(&format!(": {}\n", flow(member)));
        return;
    }
    text.push_str(&key);
    text.push(':');
    value(text, member, column);
}

/// Writes a value after a colon or a dash, up to the end of its last line.
fn value(text: &mut String, value: Node<'_>, column: usize) {
    let is_flat = || value.items().all(|part| part.is_empty());
    let fits = || column + flow(value).chars().count() <= MAX_LINE_CHARS;
    match value.kind() {
        _ if value.is_empty() || column > MAX_DEPTH => on_one_line(text, &scalar(value, column)),
        NodeKind::Object if is_flat() && fits() => on_one_line(text, &flow(value)),
        NodeKind::Object => {
            text.push('\n');
            members(text, value, column + 2);
        }
        _ => {
            text.push('\n');
            elements(text, value, column + 2);
        }
    }
}

fn on_one_line(text: &mut String, value: &str) {
    text.push(' ');
    text.push_str(value);
    text.push('\n');
}

/// Writes the elements of a list, each behind a dash.
fn elements(text: &mut String, list: Node<'_>, column: usize) {
    for part in list.items() {
        element(text, part, column);
    }
}

fn element(text: &mut String, element: Node<'_>, column: usize) {
    indent(text, column);
    text.push('-');
    match element.kind() {
        NodeKind::Object if !element.is_empty() => {
            let start = text.len();
            members(text, element, column + 2);
            // The first member is on the line of the dash.
            text.replace_range(start..start + column + 2, " ");
        }
        NodeKind::Array => on_one_line(text, &flow(element)),
        _ => value(text, element, column),
    }
}

/// Returns what is written without lines of its own: a text of several lines as a block, all else on one line.
fn scalar(node: Node<'_>, column: usize) -> String {
    if node.kind() != NodeKind::String {
        return flow(node);
    }
    let text = node.as_str().unwrap_or_default();
    let lines = BlockLayout { parent: column, indent: column + 2, newline: "\n" };
    // Not every text can be a block: where it cannot, it is quoted.
    let block = text.contains('\n').then(|| write::literal(text, lines)).flatten();
    block.unwrap_or_else(|| write::scalar(text, ScalarContext::Block))
}

/// Returns a value on one line, in brackets.
fn flow(node: Node<'_>) -> String {
    let member = |part: Node<'_>| {
        let key = write::scalar(part.key().unwrap_or_default(), ScalarContext::Flow);
        if key.len() > MAX_KEY_BYTES {
            format!("? {key} : {}", flow(part))
        } else {
            format!("{key}: {}", flow(part))
        }
    };
    match node.kind() {
        NodeKind::Object => {
            format!("{{{}}}", node.items().map(member).collect::<Vec<_>>().join(", "))
        }
        NodeKind::Array => format!("[{}]", node.items().map(flow).collect::<Vec<_>>().join(", ")),
        NodeKind::String => write::scalar(node.as_str().unwrap_or_default(), ScalarContext::Flow),
        // Some numbers of JSON, such as `1e3`, are texts in YAML 1.1.
        NodeKind::Number => write::number(&json::text(node)),
        NodeKind::Bool | NodeKind::Null | NodeKind::Timestamp | NodeKind::Expression => {
            json::text(node).into_owned()
        }
    }
}

fn indent(text: &mut String, column: usize) {
    text.extend(std::iter::repeat_n(' ', column));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use document::text::Source;
    use document::{DocumentBody, read};

    fn session() -> NewSession {
        NewSession {
            id: "mail-504".to_owned(),
            name: Some("no".to_owned()),
            source: Some("langsmith".to_owned()),
            captured_at: Some("2026-02-15".to_owned()),
            input: "Send it.\nNow: please\n".to_owned(),
            context: vec![JsonValue::parse(r#"{"role": "user", "content": "Hi"}"#).unwrap()],
            tool_responses: vec![
                NewToolResponse {
                    tool: "mail".to_owned(),
                    response: JsonValue::parse(
                        r#"{"sent": false, "to": ["a", {"b": 1e3}], "on": "12:30"}"#,
                    )
                    .unwrap(),
                    status: Some(504),
                    latency_ms: Some(30_000),
                    comment: None,
                },
                NewToolResponse {
                    tool: "log".to_owned(),
                    response: JsonValue::parse(r#"{"ok": true, "id": "0o17"}"#).unwrap(),
                    status: None,
                    latency_ms: None,
                    comment: None,
                },
            ],
            expected_failure: Some("Says: sent".to_owned()),
            contract: Some("default".to_owned()),
        }
    }

    #[test]
    fn a_session_is_written_for_people_and_for_yaml_1_1() {
        insta::assert_snapshot!(render(&session().value(), SessionFormat::Yaml).unwrap(), @r#"
        id: mail-504
        name: "no"
        source: langsmith
        captured_at: "2026-02-15"
        input: |
          Send it.
          Now: please
        context:
          - role: user
            content: Hi
        tool_responses:
          - tool: mail
            response:
              sent: false
              to:
                - a
                - b: 1.0e+3
              "on": "12:30"
            status: 504
            latency_ms: 30000
          - tool: log
            response: {ok: true, id: "0o17"}
        expected_failure: "Says: sent"
        contract: default
        "#);
        insta::assert_snapshot!(render(&session().value(), SessionFormat::Json).unwrap(), @r#"
        {
          "id": "mail-504",
          "name": "no",
          "source": "langsmith",
          "captured_at": "2026-02-15",
          "input": "Send it.\nNow: please\n",
          "context": [
            {
              "role": "user",
              "content": "Hi"
            }
          ],
          "tool_responses": [
            {
              "tool": "mail",
              "response": {
                "sent": false,
                "to": [
                  "a",
                  {
                    "b": 1e3
                  }
                ],
                "on": "12:30"
              },
              "status": 504,
              "latency_ms": 30000
            },
            {
              "tool": "log",
              "response": {
                "ok": true,
                "id": "0o17"
              }
            }
          ],
          "expected_failure": "Says: sent",
          "contract": "default"
        }
        "#);
        let bare =
            NewSession { id: "a".to_owned(), input: "b".to_owned(), ..NewSession::default() };
        insta::assert_snapshot!(render(&bare.value(), SessionFormat::Yaml).unwrap(), @"
        id: a
        input: b
        tool_responses: []
        ");
    }

    #[test]
    fn comments_are_comments_in_yaml_and_members_in_json() {
        let mut session =
            NewSession { tool_responses: session().tool_responses, ..NewSession::default() };
        session.tool_responses[1].comment = Some("Nested in mail\nError: a\u{1b}b".to_owned());
        insta::assert_snapshot!(session.render(SessionFormat::Yaml).unwrap(), @r#"
        id: ""
        input: ""
        tool_responses:
          - tool: mail
            response:
              sent: false
              to:
                - a
                - b: 1.0e+3
              "on": "12:30"
            status: 504
            latency_ms: 30000
          # Nested in mail
          # Error: a\u{1b}b
          - tool: log
            response: {ok: true, id: "0o17"}
        "#);
        let json = session.render(SessionFormat::Json).unwrap();
        assert!(json.contains(r#""comment": "Nested in mail\nError: a\u001bb""#), "{json}");
        assert!(!session.value().json().contains("Nested"));
    }

    /// Returns all values of a text as JSON, read like PyYAML or `JSON.parse`; numbers by their value.
    fn meaning(node: Node<'_>) -> serde_json::Value {
        match node.kind() {
            NodeKind::Object => {
                let members = node
                    .items()
                    .map(|member| (member.key().unwrap_or_default().to_owned(), meaning(member)));
                serde_json::Value::Object(members.collect())
            }
            NodeKind::Array => node.items().map(meaning).collect(),
            NodeKind::String | NodeKind::Timestamp | NodeKind::Expression => {
                node.scalar_text().unwrap_or_default().into()
            }
            NodeKind::Number => {
                node.as_f64().map_or(serde_json::Value::Null, |number| number.to_string().into())
            }
            NodeKind::Bool => node.as_bool().into(),
            NodeKind::Null => serde_json::Value::Null,
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[-?:,\\[\\]{}&*!|>'\"%@` #a0-9eoxn.~=<\n\t\r\u{85}\u{2028}\u{feff}😀\u{1b}]{0,12}",
            "[a ]{0,3}(\n[a ]{0,3}){0,4}",
            "(no|on|yes|y|null|~|12:30|0o17|1_000|2026-02-15|1e3|0x1f|=|<<|---|\\.\\.\\.)",
        ]
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            hostile().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            any::<f64>().prop_map(serde_json::Value::from),
            any::<bool>().prop_map(serde_json::Value::from),
            Just(serde_json::Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                proptest::collection::btree_map(hostile(), inner, 0..4)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn what_is_written_reads_as_it_was_meant(
            texts in [hostile(), hostile(), hostile()],
            responses in proptest::collection::vec((hostile(), json_value()), 0..3),
            comment in hostile(),
        ) {
            let [id, input, name] = texts;
            let tool_responses = responses.into_iter().map(|(tool, response)| NewToolResponse {
                tool,
                response: JsonValue::parse(&response.to_string()).unwrap(),
                status: Some(0),
                latency_ms: None,
                comment: (!comment.is_empty()).then(|| comment.clone()),
            });
            let context = vec![JsonValue::parse(&serde_json::json!({ name.clone(): input.clone() }).to_string()).unwrap()];
            let new = NewSession { id, input, name: Some(name), context, tool_responses: tool_responses.collect(), ..NewSession::default() };
            for (form, file) in [(SessionFormat::Yaml, "a.yaml"), (SessionFormat::Json, "a.json")] {
                let text = new.render(form).unwrap();
                let document = read(Source::new(text.as_str()), file);
                prop_assert!(matches!(document.body, DocumentBody::Session(_)), "{}", text);
                prop_assert!(document.tree.fault().is_none(), "{}\n{:?}", text, document.problems);
                let meant = match form {
                    SessionFormat::Yaml => new.value(),
                    SessionFormat::Json => new.value_with_comments(),
                };
                prop_assert_eq!(meaning(document.tree.root().unwrap()), meaning(meant.root()), "{}", text);
            }
        }
    }
}
