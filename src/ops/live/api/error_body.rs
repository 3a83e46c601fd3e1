//! Error responses in the format of the client's API.

use super::{anthropic, chat, gemini};
use crate::ops::tape::sse::Api;

/// Builds the body of an error; without an API, in a generic format.
pub fn error_body(api: Option<Api>, status: u16, message: &str) -> String {
    let kind = match status {
        403 => "permission_error",
        404 => "not_found_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    let json = match api {
        Some(Api::Gemini) => {
            let word = match status {
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                400..500 => "INVALID_ARGUMENT",
                504 => "DEADLINE_EXCEEDED",
                _ => "UNAVAILABLE",
            };
            gemini::error(status.into(), word, message)
        }
        Some(Api::OpenAiChat | Api::OpenAiResponses) => chat::error(kind, message),
        Some(Api::AnthropicMessages) | None => anthropic::error(kind, message),
    };
    json.into_string()
}
