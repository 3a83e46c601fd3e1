//! Cassettes of each program, each with its own shape.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::all_calls;
use document::body::testing::event_message;
use document::call::{BodyContent, HttpBody};
use document::text::Source;
use document::{DocumentBody, read};

/// The client, and each call: what is known of it, the texts and tools of its answer, and the layers of its bodies.
fn described(name: &str, text: &str) -> String {
    let document = read(Source::new(text), name);
    let problems: Vec<String> = document.problems.iter().map(|p| p.message.to_string()).collect();
    assert_eq!(problems, [""; 0]);
    let DocumentBody::Foreign(foreign) = &document.body else { return "no cassette".to_owned() };
    let body = |body: &Option<HttpBody>| match body {
        None => "-".to_owned(),
        Some(body) => {
            let layers: Vec<&str> = body
                .layers
                .iter()
                .map(|layer| layer.as_str())
                .chain([body.form.as_str()])
                .collect();
            let size = match &body.content {
                BodyContent::Text(text) => text.text().len().to_string(),
                BodyContent::Bytes(bytes) => bytes.len().to_string(),
                BodyContent::Tree(_) => "tree".to_owned(),
            };
            format!("{}={size}", layers.join(">"))
        }
    };
    let lines = all_calls(&document).into_iter().map(|call| {
        let facts = &call.facts;
        let http = facts.http.clone().unwrap_or_default();
        let texts: Vec<&str> = call.answer().into_iter().flat_map(|a| a.texts()).collect();
        let tools: Vec<&str> = call.answer().into_iter().flat_map(|a| a.tools()).collect();
        let words = [&facts.provider, &facts.api.map(str::to_owned), &facts.model]
            .map(|t| t.as_deref().unwrap_or("-").to_owned());
        let tokens = [facts.input_tokens, facts.output_tokens]
            .map(|t| t.map_or("-".to_owned(), |count| count.to_string()));
        format!(
            "{} {} {} | {} | {} tokens | {texts:?} {tools:?} | {} {} | {} headers | {}",
            http.method,
            http.url,
            http.status,
            words.join(", "),
            tokens.join("+"),
            body(&http.request_body),
            body(&http.response_body),
            http.request_headers.len() + http.response_headers.len(),
            facts.started_at.as_deref().unwrap_or("-"),
        )
    });
    let client = foreign.client.map_or("-", |client| client.as_str());
    let lines: Vec<String> = lines.collect();
    format!("{client}\n{}", lines.join("\n"))
}

#[test]
fn vcrpy_writes_text_bytes_and_streams() {
    let yaml = "interactions:
- request:
    body: '{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Refund
      it\"}]}'
    headers:
      content-type:
      - application/json
      x-api-key:
      - !!binary |
        cGxhY2Vob2xkZXI=
    method: POST
    uri: https://api.anthropic.com/v1/messages
  response:
    body:
      string: !!binary |
        H4sIAAAAAAACA1VPXQrCMAy+iuS5EyYbwm7gGURGWaOMdc1oUlBG725aEPUp5PvLlx1mBwOs/Bhb
        MCCvDcuKzPaBCkTyBbDMM4sNotBKDr1ik7fJYcMUAkrTNb1yEwVBVQ3X/ZMl+CyuOga4HDzRcoRs
        vgIiPyYu12qXsqfaJti1CCLeU3CFDlvSkB0oOozKdN25hZxvBlhoGyNabfMfmeoj6qnmUWjBwDC0
        JwOU5Bfqc34Da8WBAw4BAAA=
    headers:
      content-encoding:
      - gzip
    status:
      code: 200
      message: OK
- request:
    body: null
    headers: {}
    method: GET
    uri: https://files.example/logo.png
  response:
    body: !!python/object/new:_io.BytesIO
      state: !!python/tuple
      - !!binary |
        iVBORw0KGgo=
      - 0
      - null
    headers: {}
    status:
      code: 404
      message: Not Found
version: 1
";
    let json = r#"{"version": 1, "interactions": [{"request": {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "body": "{\"model\":\"m\",\"messages\":[]}", "headers": {}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["text/event-stream"]}, "body": {"string": "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}}}]}"#;
    insta::assert_snapshot!(described("a.yaml", yaml), @r#"
    vcrpy
    POST https://api.anthropic.com/v1/messages 200 | Anthropic, Anthropic messages, claude-sonnet-4-5 | 12+5 tokens | ["I look."] ["refund"] | JSON=95 base64>gzip>JSON=270 | 3 headers | -
    GET https://files.example/logo.png 404 | -, -, - | -+- tokens | [] [] | - base64>bytes=8 | 0 headers | -
    "#);
    insta::assert_snapshot!(described("a.json", json), @r#"
    vcrpy
    POST https://api.openai.com/v1/chat/completions 200 | OpenAI, OpenAI chat completions, m | -+- tokens | ["Hi"] [] | JSON=27 events=118 | 1 headers | -
    "#);
}

#[test]
fn serializers_on_top_of_vcrpy_write_trees() {
    let parsed = "interactions:
- request:
    headers: {}
    method: POST
    parsed_body:
      contents:
      - parts: [{text: Hi}]
        role: user
    uri: https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent
  response:
    headers: {}
    parsed_body:
      candidates:
      - content: {parts: [{text: Hello}], role: model}
        finishReason: STOP
      usageMetadata: {promptTokenCount: 2, candidatesTokenCount: 3}
    status: {code: 200, message: OK}
- request:
    body: ''
    headers: {}
    method: POST
    uri: https://oauth2.googleapis.com/token
  response: {status_code: 200, content: '{}', headers: {}}
version: 1
";
    insta::assert_snapshot!(described("a.yaml", parsed), @r#"
    vcrpy
    POST https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent 200 | Vertex AI, Gemini generateContent, gemini-2.5-flash | 2+3 tokens | ["Hello"] [] | JSON=tree JSON=tree | 0 headers | -
    POST https://oauth2.googleapis.com/token 200 | -, -, - | -+- tokens | [] [] | empty=0 JSON=2 | 0 headers | -
    "#);
}

#[test]
fn texts_in_trees_are_values_however_they_are_written() {
    let cassette = |text: &str| {
        let yaml = r#"interactions:
- request:
    headers: {}
    method: POST
    parsed_body:
      model: m
      messages:
      - role: user
        content: @
    uri: https://api.openai.com/v1/chat/completions
  response:
    headers: {}
    parsed_body:
      object: chat.completion
      choices:
      - message:
          role: assistant
          content: @
          tool_calls:
          - id: c
            type: function
            function:
              name: look
              arguments: '{"date": "2022-01-01"}'
        finish_reason: stop
    status: {code: 200, message: OK}
version: 1
"#;
        yaml.replace('@', text)
    };
    let texts = [
        ("|-\n            # Title\n\n            text", "# Title\n\ntext"),
        (">-\n            one\n            two", "one two"),
        ("'say \"it''s\"'", "say \"it's\""),
        ("\"caf\\xe9\\\n            \\  x\"", "café  x"),
        ("'4'", "4"),
        ("plain\n            text", "plain text"),
        ("''", ""),
    ];
    for (written, expected) in texts {
        let document = read(Source::new(cassette(written)), "a.yaml");
        let calls = all_calls(&document);
        let json = calls[0].document.source().text();
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(value["request"]["messages"][0]["content"], expected, "{json}");
        let blocks = value["response"]["response"]["content"].as_array().unwrap();
        let text = blocks
            .iter()
            .find(|block| block["type"] == "text")
            .map_or("", |text| text["text"].as_str().unwrap());
        assert_eq!(text, expected, "{json}");
        let call = blocks.iter().find(|block| block["type"] == "tool_use").unwrap();
        assert_eq!(call["input"], serde_json::json!({"date": "2022-01-01"}), "{json}");
    }
}

#[test]
fn arguments_in_trees_are_values() {
    let yaml = "interactions:
- request:
    headers: {}
    method: POST
    parsed_body:
      contents:
      - parts: [{text: 'What''s on'}]
        role: user
    uri: https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent
  response:
    headers: {}
    parsed_body:
      candidates:
      - content:
          parts:
          - functionCall:
              args:
                date: '2022-01-01'
                'the key': >-
                  a

                  b
              name: look
          role: model
        finishReason: STOP
    status: {code: 200, message: OK}
version: 1
";
    let document = read(Source::new(yaml), "a.yaml");
    let calls = all_calls(&document);
    let json = calls[0].document.source().text();
    let input = r#""input":{"date":"2022-01-01","the key":"a\nb"}"#;
    assert!(json.contains(input), "{json}");
}

#[test]
fn converse_is_read_as_a_call_of_a_model() {
    let yaml = "interactions:
- request:
    body: '{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"Weather?\"}]}],\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":\"look\",\"inputSchema\":{\"json\":{}}}}]}}'
    headers: {}
    method: POST
    uri: https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-micro-v1%3A0/converse
  response:
    body:
      string: '{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":[{\"text\":\"I look.\"},{\"toolUse\":{\"toolUseId\":\"t\",\"name\":\"look\",\"input\":{}}}]}},\"stopReason\":\"tool_use\",\"usage\":{\"inputTokens\":3,\"outputTokens\":8,\"cacheWriteInputTokens\":4,\"cacheReadInputTokens\":100,\"totalTokens\":115}}'
    headers: {}
    status: {code: 200, message: OK}
version: 1
";
    insta::assert_snapshot!(described("a.yaml", yaml), @r#"
    vcrpy
    POST https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-micro-v1%3A0/converse 200 | Amazon Bedrock, Bedrock Converse, us.amazon.nova-micro-v1:0 | 107+8 tokens | ["I look."] ["look"] | JSON=142 JSON=267 | 0 headers | -
    "#);
}

/// Returns a cassette of calls with these addresses, requests, and answers in Base64.
fn cassette_of(calls: &[(&str, &str, &str)]) -> String {
    let calls = calls.iter().map(|(uri, sent, received)| {
        let is_stream = uri.ends_with("-stream");
        let kind = if is_stream { "application/vnd.amazon.eventstream" } else { "application/json" };
        serde_json::json!({
            "request": {"method": "POST", "uri": uri, "headers": {}, "body": sent},
            "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": [kind]}, "body": {"base64_string": received}},
        })
    });
    let calls: Vec<_> = calls.collect();
    serde_json::json!({"version": 1, "interactions": calls}).to_string()
}

#[test]
fn bodies_of_converse_are_read_at_any_address() {
    let nova = "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0";
    let sent = r#"{"schemaVersion":"messages-v1","messages":[{"role":"user","content":[{"text":"Story?"}]}],"inferenceConfig":{"topP":0.9}}"#;
    let received = r#"{"output":{"message":{"content":[{"text":"Once."}],"role":"assistant"}},"stopReason":"end_turn","usage":{"inputTokens":7,"outputTokens":53,"cacheReadInputTokenCount":2,"cacheWriteInputTokenCount":0}}"#;
    let events = [
        r#"{"messageStart":{"role":"assistant"}}"#,
        r#"{"contentBlockDelta":{"delta":{"text":"On"},"contentBlockIndex":0}}"#,
        r#"{"contentBlockDelta":{"delta":{"text":"ce."},"contentBlockIndex":0}}"#,
        r#"{"contentBlockStop":{"contentBlockIndex":0}}"#,
        r#"{"messageStop":{"stopReason":"end_turn"}}"#,
        r#"{"metadata":{"usage":{"inputTokens":7,"outputTokens":53}}}"#,
    ];
    let message = |event: &str| {
        event_message("chunk", &format!(r#"{{"bytes":"{}"}}"#, STANDARD.encode(event.as_bytes())))
    };
    let stream = events.map(message).concat();
    let (whole, stream) = (STANDARD.encode(received.as_bytes()), STANDARD.encode(&stream));
    let titan = STANDARD.encode(br#"{"inputTextTokenCount":5,"results":[{"outputText":"Once."}]}"#);
    let text = cassette_of(&[
        (&format!("{nova}/invoke"), sent, &whole),
        (&format!("{nova}/invoke-with-response-stream"), sent, &stream),
        ("https://llm.example.com/bedrock/converse", sent, &whole),
        (&format!("{nova}/invoke"), r#"{"inputText":"Story?"}"#, &titan),
    ]);
    insta::assert_snapshot!(described("a.yaml", &text), @r#"
    vcrpy
    POST https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/invoke 200 | Amazon Bedrock, Bedrock Converse, us.amazon.nova-lite-v1:0 | 9+53 tokens | ["Once."] [] | JSON=121 base64>JSON=199 | 1 headers | -
    POST https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/invoke-with-response-stream 200 | Amazon Bedrock, Bedrock Converse, us.amazon.nova-lite-v1:0 | 7+53 tokens | ["Once."] [] | JSON=121 base64>event stream=720 | 1 headers | -
    POST https://llm.example.com/bedrock/converse 200 | llm.example.com, Bedrock Converse, - | 9+53 tokens | ["Once."] [] | JSON=121 base64>JSON=199 | 1 headers | -
    POST https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/invoke 200 | Amazon Bedrock, Bedrock Titan, us.amazon.nova-lite-v1:0 | 5+- tokens | ["Once."] [] | JSON=22 base64>JSON=60 | 1 headers | -
    "#);
}

#[test]
fn a_model_that_only_the_address_names_is_that_of_the_call() {
    let bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com/model";
    let vertex = "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers";
    let prompt = r#"{"prompt":"Human: Hi Assistant:","max_tokens_to_sample":9}"#;
    let chat = r#"{"messages":[{"role":"user","content":"Hi"}]}"#;
    let contents = r#"{"contents":[{"parts":[{"text":"Hi"}]}]}"#;
    let text = cassette_of(&[
        (&format!("{bedrock}/anthropic.claude-v2%3A1/invoke"), prompt, ""),
        (&format!("{bedrock}/anthropic.claude-v2%3A1/invoke-with-response-stream"), prompt, ""),
        (&format!("{bedrock}/meta.llama3-70b-instruct-v1:0/invoke"), r#"{"prompt":"Hi"}"#, ""),
        (&format!("{bedrock}/us.amazon.nova-lite-v1%3A0/converse"), chat, ""),
        (
            "https://a.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=1",
            chat,
            "",
        ),
        (&format!("{vertex}/anthropic/models/claude-opus-4%4020250514:rawPredict"), chat, ""),
        (&format!("{vertex}/google/models/gemini-3-flash:generateContent"), contents, ""),
        ("https://api.anthropic.com/v1/complete", r#"{"model":"claude-2","prompt":"Hi"}"#, ""),
        ("https://shop.example.com/model/blue/invoke", r#"{"model":"red"}"#, ""),
    ]);
    let document = read(Source::new(text), "a.yaml");
    let calls = all_calls(&document);
    // The address is that of messages, the prompt is none.
    assert_eq!(calls[0].facts.api, Some("Unknown API"));
    let models = calls.iter().map(|call| call.facts.model.as_deref().unwrap_or("-"));
    insta::assert_snapshot!(models.collect::<Vec<_>>().join("\n"), @"
    anthropic.claude-v2:1
    anthropic.claude-v2:1
    meta.llama3-70b-instruct-v1:0
    us.amazon.nova-lite-v1:0
    gpt-4o
    claude-opus-4@20250514
    gemini-3-flash
    claude-2
    -
    ");
}

#[test]
fn cassetter_writes_typed_bodies_in_yaml_and_toml() {
    let yaml = "version: 1
interactions:
- request:
    method: GET
    uri: https://files.example/logo.png
    headers: {}
    body:
      type: none
  response:
    status: 200
    headers: {}
    body:
      type: binary
      content: 89504e470d0a
  recorded_at: 2026-11-27T12:53:34.770162+00:00
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions
    headers:
      content-type: [application/json]
    body:
      type: json
      content:
        model: m
        messages:
        - {role: user, content: Hi}
  response:
    status: 200
    headers: {}
    body:
      type: json
      content:
        object: chat.completion
        choices:
        - {message: {content: Hello}, finish_reason: stop}
        usage: {prompt_tokens: 1, completion_tokens: 2}
  recorded_at: 2026-11-27T12:53:34.770162+00:00
";
    let toml = "version = 1

[[interactions]]
recorded_at = \"2026-11-27T12:53:34.770162+00:00\"

[interactions.request]
method = \"POST\"
uri = \"https://api.openai.com/v1/chat/completions\"
body_type = \"json\"
body_content = '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}'

[interactions.request.headers]
accept = [\"*/*\"]

[interactions.response]
status = 200
body_type = \"json\"
body_content = '{\"object\":\"chat.completion\",\"choices\":[{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}'

[interactions.response.headers]
content-type = [\"application/json\"]
";
    insta::assert_snapshot!(described("a.yaml", yaml), @r#"
    cassetter
    GET https://files.example/logo.png 200 | -, -, - | -+- tokens | [] [] | - hex>bytes=6 | 0 headers | 2026-11-27T12:53:34.770162+00:00
    POST https://api.openai.com/v1/chat/completions 200 | OpenAI, OpenAI chat completions, m | 1+2 tokens | ["Hello"] [] | JSON=tree JSON=tree | 1 headers | 2026-11-27T12:53:34.770162+00:00
    "#);
    insta::assert_snapshot!(described("a.toml", toml), @r#"
    cassetter
    POST https://api.openai.com/v1/chat/completions 200 | OpenAI, OpenAI chat completions, m | -+- tokens | ["Hello"] [] | JSON=57 JSON=95 | 2 headers | 2026-11-27T12:53:34.770162+00:00
    "#);
}

#[test]
fn ruby_r_and_go_have_their_own_keys() {
    let ruby = "---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: UTF-8
      string: '{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"<%= name %>\"}]}'
    headers:
      Content-Type:
      - application/json
  response:
    status:
      code: 200
      message: OK
    headers: {}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        eyJvYmplY3QiOiJjaGF0LmNvbXBsZXRpb24iLCJjaG9pY2VzIjpbeyJtZXNz
        YWdlIjp7ImNvbnRlbnQiOiJIaSJ9LCJmaW5pc2hfcmVhc29uIjoic3RvcCJ9
        XX0=
  recorded_at: Tue, 12 May 2026 09:00:00 GMT
recorded_with: VCR 6.4.0
";
    let r = "http_interactions:
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    status: 200
    headers:
      content-type: application/json
    body:
      string: '{\"object\":\"chat.completion\",\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}'
  recorded_at: 2026-05-12 09:00:00
recorded_with: VCR-vcr/2.1.1
";
    let go = "---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        content_length: 24
        body: '{\"model\":\"m\",\"messages\":[]}'
        form: {}
        headers:
            Content-Type:
                - application/json
        url: https://api.mistral.ai/v1/chat/completions
        method: POST
      response:
        proto: HTTP/2.0
        uncompressed: true
        body: '{\"object\":\"chat.completion\",\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}'
        headers: {}
        status: 200 OK
        code: 200
        duration: 1.5s
";
    insta::assert_snapshot!(described("a.yml", ruby), @r#"
    ruby-vcr
    POST https://api.openai.com/v1/chat/completions 200 | OpenAI, OpenAI chat completions, m | -+- tokens | ["Hi"] [] | JSON=66 base64>JSON=92 | 1 headers | 2026-05-12T09:00:00Z
    "#);
    insta::assert_snapshot!(described("a.yml", r), @r#"
    r-vcr
    POST https://api.openai.com/v1/chat/completions 200 | OpenAI, OpenAI chat completions, - | -+- tokens | ["Hi"] [] | - JSON=92 | 1 headers | 2026-05-12 09:00:00
    "#);
    insta::assert_snapshot!(described("a.yaml", go), @r#"
    go-vcr
    POST https://api.mistral.ai/v1/chat/completions 200 | Mistral, OpenAI chat completions, m | -+- tokens | ["Hi"] [] | JSON=27 JSON=92 | 1 headers | -
    "#);
}

#[test]
fn what_is_beside_cassettes_is_named_as_what_it_is() {
    let describe_body = |text: &str| match read(Source::new(text), "a.yaml").body {
        DocumentBody::Foreign(foreign) => foreign.describe(),
        _ => "unknown".to_owned(),
    };
    insta::assert_snapshot!(describe_body("version: 1\ninteractions:\n- kind: message\n  direction: sent\n  data: {}\n"), @"a WebSocket recording of 1 message");
    insta::assert_snapshot!(describe_body("version: 1\ninteractions:\n- request_sample:\n    raw: !!binary |\n      ChI=\n  response_sample: {}\n"), @"a protocol buffers recording of 1 call");
    insta::assert_snapshot!(describe_body("version: 1\ninteractions: []\n"), @"a VCR cassette of 0 calls");
}

#[test]
fn an_answer_is_served_as_it_is_recorded() {
    let cassette = |response: &str| {
        let text = format!(
            "interactions:\n- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', body: '{{\"model\":\"m\",\"messages\":[]}}'}}\n  response:\n    status: {{code: 200}}\n    {response}\nversion: 1\n"
        );
        let document = read(Source::new(text), "c.yaml");
        let calls = super::served_calls(&"c.yaml".into(), &document);
        let served = calls.into_iter().map(|(_, call)| call.facts.served.unwrap().received);
        served.map(Option::unwrap_or_default).collect::<Vec<_>>().join("\n")
    };
    let json = r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}],"n":12345678901234567890, "x":1.0}"#;
    assert_eq!(cassette(&format!("body: {{string: '{json}'}}")), json);
    let events = r#"data: {"choices":[]}\n\ndata: [DONE]\n\n"#;
    let body =
        format!("body: {{string: \"{}\"}}", events.replace("{\"", "{\\\"").replace("\":", "\\\":"));
    assert_eq!(cassette(&body), events.replace("\\n", "\n"));
    let tree = "parsed_body: {choices: [{message: {content: 'no'}, finish_reason: stop}], n: 12345678901234567890, x: 1.0}";
    insta::assert_snapshot!(cassette(tree), @r#"{"choices": [{"message": {"content": "no"}, "finish_reason": "stop"}], "n": 12345678901234567890, "x": 1.0}"#);
}

#[test]
fn an_api_is_named_only_where_path_or_answer_show_it_and_an_unread_answer_is_one() {
    let chat =
        r#"{"messages": [{"role": "user", "content": "hi"}], "system": "Help.", "model": "m"}"#;
    let claude = r#"{"messages": [{"role": "user", "content": "hi"}], "anthropic_version": "bedrock-2023-05-31"}"#;
    let invoke = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke";
    let cases = [
        (invoke, chat, r#"{"output": {"message": {"content": [{"text": "Hi"}]}}}"#),
        (
            invoke,
            claude,
            r#"{"content": [{"type": "text", "text": "Hi"}], "role": "assistant", "type": "message"}"#,
        ),
        (invoke, claude, ""),
        (
            "https://api.cohere.com/v2/chat",
            chat,
            r#"{"message": {"content": [{"type": "text", "text": "Hi"}]}}"#,
        ),
        (
            "https://llm.example.com/answer",
            chat,
            r#"{"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]}"#,
        ),
        ("https://llm.example.com/v1/chat/completions", chat, r#"{"reply": "Hi"}"#),
    ];
    let lines = cases.map(|(uri, sent, received)| {
        let json = serde_json::json!({"version": 1, "interactions": [{
            "request": {"method": "POST", "uri": uri, "headers": {}, "body": sent},
            "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": received}},
        }]});
        let document = read(Source::new(json.to_string()), "a.yaml");
        let calls = all_calls(&document);
        let api = calls[0].facts.api.unwrap_or("-");
        format!("{api}, {:?}", calls[0].failure())
    });
    insta::assert_snapshot!(lines.join("\n"), @r"
    Unknown API, Some(UnreadAnswer)
    Anthropic messages, None
    Anthropic messages, Some(NoAnswer)
    Cohere chat, Some(UnreadAnswer)
    OpenAI chat completions, None
    OpenAI chat completions, Some(UnreadAnswer)
    ");
}
