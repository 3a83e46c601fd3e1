//! The upstream server to which calls are passed on.

use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::{Request, Response, Uri, Version};

use super::body::ResponseBody;
use super::http_client::{Connections, HttpClient, root_cause};
use calls::api::Provider;
use play::live::record::supported_encodings;

/// The server to which calls are passed on.
pub(super) struct UpstreamServer {
    scheme: Scheme,
    authority: Authority,
    /// The prefix of each call's path, without a trailing slash.
    path: String,
    client: HttpClient,
}

impl UpstreamServer {
    /// Parses an address such as `https://api.openai.com`, without a user and a query.
    pub(super) fn new(address: &str) -> Result<Self, String> {
        // The address is not repeated in a message: whatever it is, it may hold a password.
        let reason = || {
            "Expected the URL of the model's API, with `http://` or `https://` and its host, such as https://api.anthropic.com"
                .to_owned()
        };
        if address.split(['?', '#']).next().unwrap_or_default().contains('@') {
            return Err("The address has a user or password, which the recorder does not send; remove them; the \
                        recorder passes on the client's own `Authorization` header"
                .to_owned());
        }
        if address.contains(['?', '#']) {
            return Err("The address ends with a query, which the recorder does not send; remove it; the recorder passes on \
                        the queries of the client's calls"
                .to_owned());
        }
        let uri: Uri = address.parse().map_err(|_| reason())?;
        let parts = uri.clone().into_parts();
        let scheme = parts.scheme.ok_or_else(reason)?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(reason());
        }
        let path = parts.path_and_query.as_ref().map_or("", PathAndQuery::path);
        Ok(Self {
            scheme,
            authority: parts.authority.ok_or_else(reason)?,
            path: path.trim_end_matches('/').to_owned(),
            // A call that is lost on a kept connection could not be sent again.
            client: HttpClient::new(&uri, Connections::PerCall)?,
        })
    }

    /// The host and the port, for people.
    pub(super) fn label(&self) -> &str {
        self.authority.as_str().rsplit('@').next().unwrap_or_default()
    }

    /// Returns the name of the provider that answers calls at this path.
    pub(super) fn provider(&self, path: &str) -> Option<&'static str> {
        Provider::at(self.label(), &format!("{}{path}", self.path)).map(|provider| provider.name)
    }

    /// Returns the request as it is passed on.
    pub(super) fn request(
        &self,
        mut head: Parts,
        body: ResponseBody,
    ) -> Result<Request<ResponseBody>, String> {
        let target = head.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let uri = Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{target}", self.path))
            .build();
        head.uri = uri.map_err(|_| "The address of the call cannot be passed on".to_owned())?;
        // A client may speak HTTP/1.0, which has no chunked bodies.
        head.version = Version::HTTP_11;
        strip_hop_headers(&mut head.headers);
        // The proxy has answered `expect` itself, by reading the body.
        head.headers.remove(EXPECT);
        let host = HeaderValue::from_str(self.label()).map_err(|error| error.to_string())?;
        head.headers.insert(HOST, host);
        let client_encodings = head.headers.get(ACCEPT_ENCODING).and_then(|v| v.to_str().ok());
        if let Some(encodings) = client_encodings.and_then(supported_encodings)
            && let Ok(encodings) = HeaderValue::from_str(&encodings)
        {
            head.headers.insert(ACCEPT_ENCODING, encodings);
        }
        Ok(Request::from_parts(head, body))
    }

    /// Sends a request; the error is a message without a full stop.
    pub(super) async fn send(
        &self,
        request: Request<ResponseBody>,
    ) -> Result<Response<Incoming>, String> {
        let result = self.client.send(request).await;
        result.map_err(|error| {
            let server = self.label();
            if error.is_connect() {
                format!("{server} cannot be reached: {}", root_cause(&error))
            } else {
                format!("{server} closed the connection before it answered: {}", root_cause(&error))
            }
        })
    }
}

/// Removes the headers that apply to one connection. When a body is chunked, its length header does not count
/// (RFC 9112, 6.3) and must not be passed on.
pub(super) fn strip_hop_headers(headers: &mut HeaderMap) {
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    let named_headers: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let hop_headers = [
        CONNECTION,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    for name in named_headers.into_iter().chain(hop_headers) {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    headers.remove("proxy-connection");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_go_no_further() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Own"),
            ("x-own", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("content-length", "7"),
            ("authorization", "kept"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        strip_hop_headers(&mut headers);
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["authorization"]);
    }

    #[test]
    fn an_address_names_the_provider_of_its_calls() {
        let provider = |address: &str| UpstreamServer::new(address).unwrap().provider("/v1/models");
        assert_eq!(provider("https://api.groq.com/openai"), Some("Groq"));
        assert_eq!(provider("https://openrouter.ai/api"), Some("OpenRouter"));
        assert_eq!(provider("http://localhost:11434"), Some("Ollama"));
        assert_eq!(provider("http://localhost:8123"), None);
    }

    #[test]
    fn an_address_that_is_none_is_reported() {
        for address in ["api.openai.com", "ftp://x", "http://", ""] {
            assert!(UpstreamServer::new(address).is_err(), "{address}");
        }
    }

    #[test]
    fn an_address_with_credentials_is_refused_and_not_repeated() {
        for address in [
            "https://user:s3cret@host/v1",
            "https://s3cret@host",
            "user:s3cret@host",
            "https://host/v1?key=s3cret",
            "https://host#s3cret",
            "//user:s3cret@host",
            "https:/user:s3cret@host",
            "https://[s3cret",
            "user:s3cret",
            "ftp://s3cret",
        ] {
            let reason = UpstreamServer::new(address).err().unwrap();
            assert!(!reason.contains("s3cret"), "{reason}");
            assert!(!address.contains(['@', '?', '#']) || reason.contains("remove"), "{reason}");
        }
    }
}
