//! The proxy for outgoing requests, as the environment sets it: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as curl
//! reads them. The lower-case name of a variable counts first, and an empty one as not set.

use std::fmt;

use hyper::Uri;
use hyper::http::uri::Scheme;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

/// Returns the value of an environment variable.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The proxy for the requests to one server.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) intercept: Intercept,
    pub(super) protocol: ProxyProtocol,
    /// The environment variable that names it.
    variable: &'static str,
}

/// The protocol by which a proxy passes connections on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProxyProtocol {
    /// Over HTTP; connected to with TLS for `https`.
    Http,
    /// SOCKS 5: whether this computer looks up the names of servers, else the proxy does.
    Socks { looks_up_here: bool },
}

const HTTPS_VARIABLES: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
const HTTP_VARIABLES: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

impl Proxy {
    /// Returns the proxy for requests to a server; `None` if they go to it directly.
    ///
    /// # Errors
    ///
    /// Names the variable that is not the address of a proxy, as a sentence without a full stop. The address is not repeated: it may hold a
    /// password.
    pub(super) fn find(server: &Uri, environment: Environment<'_>) -> Result<Option<Self>, String> {
        let value_of = |name| environment(name).filter(|value| !value.trim().is_empty());
        let names =
            if server.scheme() == Some(&Scheme::HTTPS) { HTTPS_VARIABLES } else { HTTP_VARIABLES };
        let first = names.into_iter().find_map(|name| Some((name, value_of(name)?)));
        let Some((variable, uri)) = first else { return Ok(None) };
        // curl also separates the hosts by spaces.
        let no_proxy = value_of("no_proxy").or_else(|| value_of("NO_PROXY")).unwrap_or_default();
        let direct_hosts: Vec<&str> = no_proxy.split_whitespace().collect();
        let find =
            |hosts: String| Matcher::builder().all(uri.trim()).no(hosts).build().intercept(server);
        let fault = || {
            format!(
                "{variable} is not the address of a proxy; expected one such as http://proxy.example:8080 or socks5h://proxy.example:1080"
            )
        };
        // First without the exceptions: an invalid address and a server that is excepted give the same result.
        let intercept = find(String::new()).ok_or_else(fault)?;
        let protocol = match intercept.uri().scheme_str() {
            Some("http" | "https") => ProxyProtocol::Http,
            Some("socks5") => ProxyProtocol::Socks { looks_up_here: true },
            Some("socks5h") => ProxyProtocol::Socks { looks_up_here: false },
            _ => return Err(fault()),
        };
        Ok(find(direct_hosts.join(",")).map(|intercept| Self { intercept, protocol, variable }))
    }

    /// Returns its address, without a user and a password. SOCKS has a port of its own.
    pub(super) fn address(&self) -> Uri {
        let uri = self.intercept.uri().clone();
        if self.protocol == ProxyProtocol::Http || uri.port().is_some() {
            return uri;
        }
        let host = format!("{}:1080", uri.host().unwrap_or_default());
        let with_port = Uri::builder().scheme("socks5").authority(host).path_and_query("/").build();
        with_port.unwrap_or(uri)
    }
}

/// Shows the address without a user and a password, and the variable.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = self.intercept.uri();
        let scheme = uri.scheme_str().unwrap_or_default();
        let host = uri.authority().map_or("", |authority| authority.as_str());
        write!(f, "the proxy {scheme}://{host} of {}", self.variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(server: &str, variables: &[(&str, &str)]) -> String {
        let environment = |name: &str| {
            let mut set = variables.iter().filter(|(key, _)| *key == name);
            set.next().map(|(_, value)| (*value).to_owned())
        };
        match Proxy::find(&server.parse().unwrap(), &environment) {
            Ok(None) => "direct".to_owned(),
            Ok(Some(proxy)) => {
                let login = &proxy.intercept;
                let login = login.basic_auth().is_some() || login.raw_auth().is_some();
                format!("{proxy}, {}, login {login}", proxy.address())
            }
            Err(reason) => reason,
        }
    }

    const API: &str = "https://api.smith.langchain.com/x";

    #[test]
    fn the_variable_of_the_scheme_counts_before_that_for_all_and_lower_case_first() {
        let all = [("ALL_PROXY", "all:1"), ("HTTPS_PROXY", "upper:2"), ("https_proxy", "lower:3")];
        let lines = [
            found(API, &[]),
            found(API, &all[..1]),
            found(API, &all[..2]),
            found(API, &all),
            found(API, &[("https_proxy", ""), ("HTTPS_PROXY", "upper:2")]),
            found("http://api.test", &all),
            found("http://api.test", &[("HTTP_PROXY", "http://upper")]),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        direct
        the proxy http://all:1 of ALL_PROXY, http://all:1/, login false
        the proxy http://upper:2 of HTTPS_PROXY, http://upper:2/, login false
        the proxy http://lower:3 of https_proxy, http://lower:3/, login false
        the proxy http://upper:2 of HTTPS_PROXY, http://upper:2/, login false
        the proxy http://all:1 of ALL_PROXY, http://all:1/, login false
        the proxy http://upper of HTTP_PROXY, http://upper/, login false
        ");
    }

    #[test]
    fn servers_of_no_proxy_are_reached_directly() {
        let is_direct = |server: &str, no: &str| {
            let found = found(server, &[("ALL_PROXY", "http://p:1"), ("NO_PROXY", no)]);
            found == "direct"
        };
        assert!(is_direct(API, "langchain.com"));
        assert!(is_direct(API, "localhost, .langchain.com"));
        assert!(is_direct(API, "localhost api.smith.langchain.com"));
        assert!(is_direct(API, "*"));
        assert!(is_direct("http://127.0.0.1:8/", "localhost,127.0.0.0/8"));
        assert!(!is_direct(API, "chain.com"));
        // As curl does, a local server is no exception.
        assert!(!is_direct("http://127.0.0.1:8/", "localhost"));
        assert!(!is_direct("http://localhost:8/", ""));
    }

    #[test]
    fn a_login_is_used_and_never_shown() {
        let lines = [
            found(API, &[("HTTPS_PROXY", "http://me:s3cret@proxy:8080/")]),
            found(API, &[("HTTPS_PROXY", "socks5h://me:s3cret@proxy")]),
            found(API, &[("all_proxy", "socks5://proxy:9")]),
            found(API, &[("HTTPS_PROXY", "ftp://me:s3cret@proxy")]),
            found(API, &[("HTTPS_PROXY", "http://me:s3cret@ proxy")]),
            found(API, &[("HTTPS_PROXY", "socks4://proxy:9")]),
        ]
        .join("\n");
        assert!(!lines.contains("s3cret"), "{lines}");
        insta::assert_snapshot!(lines, @"
        the proxy http://proxy:8080 of HTTPS_PROXY, http://proxy:8080/, login true
        the proxy socks5h://proxy of HTTPS_PROXY, socks5://proxy:1080/, login true
        the proxy socks5://proxy:9 of all_proxy, socks5://proxy:9/, login false
        HTTPS_PROXY is not the address of a proxy; expected one such as http://proxy.example:8080 or socks5h://proxy.example:1080
        HTTPS_PROXY is not the address of a proxy; expected one such as http://proxy.example:8080 or socks5h://proxy.example:1080
        HTTPS_PROXY is not the address of a proxy; expected one such as http://proxy.example:8080 or socks5h://proxy.example:1080
        ");
    }
}
