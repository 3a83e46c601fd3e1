//! Headers that do not matter for playback.

use super::StableSettings;
use super::collect::Compared;
use crate::cassette_config::CassetteFacts;
use crate::reading::all_calls;
use document::cassette::Interaction;
use document::{Document, Node, NodeId, Syntax};

/// Headers of responses that every recording has another value of; `*` stands for any rest of a name.
const RESPONSE_HEADERS: [&str; 34] = [
    "age",
    "alt-svc",
    "anthropic-ratelimit-*",
    "apim-request-id",
    "azureml-model-session",
    "cf-*",
    "date",
    "fly-request-id",
    "nel",
    "openai-processing-ms",
    "ratelimit-*",
    "report-to",
    "request-id",
    "server",
    "server-timing",
    "set-cookie",
    "traceparent",
    "tracestate",
    "via",
    "x-amz-cf-*",
    "x-amzn-requestid",
    "x-amzn-trace-id",
    "x-b3-*",
    "x-cache*",
    "x-cloud-trace-context",
    "x-envoy-*",
    "x-goog-request-id",
    "x-ms-request-id",
    "x-ratelimit-*",
    "x-request-id",
    "x-runtime",
    "x-served-by",
    "x-timer",
    "x-vercel-id",
];

/// Headers of requests that vary with the machine and the version of a client.
const REQUEST_HEADERS: [&str; 15] = [
    "amz-sdk-invocation-id",
    "amz-sdk-request",
    "baggage",
    "cookie",
    "idempotency-key",
    "sentry-trace",
    "traceparent",
    "tracestate",
    "user-agent",
    "x-amz-date",
    "x-client-request-id",
    "x-goog-api-client",
    "x-ms-client-request-id",
    "x-request-id",
    "x-stainless-*",
];

/// Headers by which a body is read, or a client goes on: they stay whatever the settings say.
const NEEDED_HEADERS: [&str; 5] =
    ["content-*", "location", "retry-after*", "transfer-encoding", "x-should-retry"];

/// Headers to remove, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct RemovedHeaders {
    /// Number of headers to remove.
    pub(super) count: usize,
    /// Mappings that contain no others. In TOML there are none: an empty table keeps its header.
    pub(super) mappings: Vec<NodeId>,
    /// All others, one by one.
    pub(super) members: Vec<NodeId>,
}

/// Finds the headers of a cassette to remove.
pub(super) fn removed(
    document: &Document,
    settings: &StableSettings,
    facts: &CassetteFacts,
) -> RemovedHeaders {
    let comparison = Compared::by(document, facts);
    // The age of a call is read from its response.
    let has_age = |name: &str| name == "date" && facts.max_age.is_some();
    let is_removed = |header: Node<'_>, patterns: &[&str]| {
        let name = header.key().unwrap_or_default().to_ascii_lowercase();
        let is_known = patterns.iter().any(|pattern| fits(&name, pattern));
        let is_own = settings.headers.iter().any(|pattern| fits(&name, pattern));
        let is_kept = settings.keep.iter().any(|k| name == k.to_ascii_lowercase());
        let is_needed = is_kept || has_age(&name) || NEEDED_HEADERS.iter().any(|p| fits(&name, p));
        (is_known || is_own) && !is_needed
    };
    let mut removed_headers = RemovedHeaders::default();
    for call in all_calls(document) {
        let Some(interaction) = Interaction::parse(document.node(call.node)) else { continue };
        // Without a header that is compared the recording would answer no request.
        let request = (!comparison.headers).then_some((interaction.request, &REQUEST_HEADERS[..]));
        let response = interaction.response.map(|r| (r, &RESPONSE_HEADERS[..]));
        for (message, patterns) in request.into_iter().chain(response) {
            // A mapping that several calls share in YAML is changed once, where it is written.
            let Some(headers) = message.get("headers").filter(|h| !h.is_alias()) else {
                continue;
            };
            let members: Vec<NodeId> = headers
                .items()
                .filter(|header| is_removed(*header, patterns))
                .map(Node::id)
                .collect();
            removed_headers.count += members.len();
            let is_all = members.len() == headers.len() && !members.is_empty();
            // In YAML, `headers:` without any member would be null, and not an empty mapping.
            if is_all && document.syntax != Syntax::Toml {
                removed_headers.mappings.push(headers.id());
            } else {
                removed_headers.members.extend(members);
            }
        }
    }
    removed_headers.mappings.sort_unstable();
    removed_headers.members.sort_unstable();
    removed_headers
}

/// Returns whether a name in lower case is the pattern, or starts with what precedes its `*`.
fn fits(name: &str, pattern: &str) -> bool {
    pattern.strip_suffix('*').map_or_else(|| name == pattern, |start| name.starts_with(start))
}
