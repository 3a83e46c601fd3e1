//! Finds the API and the kind of call from the address of a request.

use super::Api;

/// The call that an address identifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// API and address of the call.
    pub api: Api,
    /// The model, where the address names it.
    pub model: Option<String>,
    /// Form of the answer. For APIs that give it in the body, it is only known when the body is read.
    pub form: ResponseForm,
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResponseForm {
    Whole,
    /// As server-sent events.
    Events,
    /// As one JSON list, sent element by element.
    List,
}

impl Route {
    /// Returns the call of an API whose body says the rest.
    pub fn new(api: Api) -> Self {
        Self { api, model: None, form: ResponseForm::Whole }
    }

    /// Finds the call for an address; any prefix before the API's own path, such as a version, is ignored.
    pub fn from_request(method: &str, path: &str, query: Option<&str>) -> Option<Self> {
        let path = path.trim_end_matches('/');
        // A GET of the same path lists stored completions and calls no model.
        let mut apis = Api::ALL.into_iter().filter(|_| method == "POST");
        apis.find_map(|api| api.known().route(path, query))
    }
}

/// Splits a path that ends with `…/models/MODEL:VERB`.
pub(super) fn model_and_verb(path: &str) -> Option<(&str, &str)> {
    path.rsplit('/').next()?.rsplit_once(':')
}

/// Returns a model without the escapes that the path of an address needs.
pub(crate) fn unescaped_model(model: &str) -> String {
    // Only these occur in names of models: versions and ARNs of Bedrock, `@` of Vertex AI.
    let escapes = [("%3A", ":"), ("%3a", ":"), ("%2F", "/"), ("%2f", "/"), ("%40", "@")];
    escapes.iter().fold(model.to_owned(), |model, (escape, plain)| model.replace(escape, plain))
}

impl ResponseForm {
    /// Returns the `content-type` of the answer.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream; charset=utf-8",
            Self::Whole | Self::List => "application/json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(path: &str, query: Option<&str>) -> String {
        match Route::from_request("POST", path, query) {
            Some(Route { api, model, form }) => format!("{} {model:?} {form:?}", api.as_str()),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn a_path_identifies_the_call() {
        assert_eq!(describe("/v1/messages", None), "Anthropic messages None Whole");
        assert_eq!(describe("/v1/messages/count_tokens", None), "none");
        assert_eq!(describe("/v1/threads/thread_1/messages", None), "none");
        assert_eq!(describe("/chat/completions", None), "OpenAI chat completions None Whole");
        assert_eq!(describe("/openai/v1/responses/", None), "OpenAI responses None Whole");
        assert_eq!(
            describe(
                "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
                Some("key=x&alt=sse")
            ),
            "Gemini streamGenerateContent Some(\"gemini-2.5-flash\") Events"
        );
        assert_eq!(
            describe("/v1beta/models/a:streamGenerateContent", None),
            "Gemini streamGenerateContent Some(\"a\") List"
        );
        assert_eq!(describe("/v1beta/models/a:countTokens", None), "none");
        assert_eq!(Route::from_request("GET", "/v1/messages", None), None);
    }
}
