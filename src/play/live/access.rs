//! Decides which requests a server on a loopback address answers.
//!
//! Every page that a browser on this computer shows can send requests to a loopback port, and a page whose name resolves to
//! 127.0.0.1 (DNS rebinding) can read the answers. `Host` says which name was resolved, `Origin` and `Sec-Fetch-Site` which
//! page sends; pages cannot change these headers. Programs other than browsers send neither of the last two.

use std::net::{IpAddr, SocketAddr};

use document::text::quoted;

/// The headers of a request that say where it comes from, each value as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Each `Host`, and the host in the request's target where the target is a whole URL.
    pub hosts: Vec<String>,
    /// Each `Origin`.
    pub origins: Vec<String>,
    /// Each `Sec-Fetch-Site`.
    pub fetch_sites: Vec<String>,
}

/// Returns why a server on the loopback address `listening` does not answer a request, and what to do; `None` when it does.
/// A sentence without a full stop.
///
/// An `Origin` decides where there is one: browsers call a page at `localhost` that uses 127.0.0.1 `cross-site` too.
pub fn refusal(listening: SocketAddr, claims: &Claims) -> Option<String> {
    let base = format!("http://{listening}");
    // HTTP/1.1 requires the header, and without it DNS rebinding cannot be excluded.
    if claims.hosts.is_empty() {
        return Some(format!(
            "The request has no `Host` header, so it is not answered; use {base} as the base URL"
        ));
    }
    if let Some(host) = claims.hosts.iter().find(|host| !is_loopback(host)) {
        return Some(format!(
            "The request was sent to the host {}, but only requests to this computer's loopback addresses are answered; use \
             {base} as the base URL, or allow other hosts with --open-to-network",
            quoted(without_secrets(host))
        ));
    }
    let foreign = claims.origins.iter().find(|origin| {
        // `null`, the origin of sandboxed frames and of files, has no host, and is refused.
        let host = origin.split_once("://").map(|(_, host)| host);
        !host.is_some_and(is_loopback)
    });
    if let Some(origin) = foreign {
        return Some(format!(
            "The request is from a web page of the origin {}, but only pages from this computer (such as \
             http://localhost:3000) are answered; serve the page from localhost, or allow other pages with --open-to-network",
            quoted(without_secrets(origin))
        ));
    }
    let is_cross_site = |site: &String| site.trim().eq_ignore_ascii_case("cross-site");
    if claims.origins.is_empty() && claims.fetch_sites.iter().any(is_cross_site) {
        return Some(
            "The request is from a web page of another site (`Sec-Fetch-Site: cross-site`), and only pages from this \
             computer are answered; serve the page from localhost, or allow other pages with --open-to-network"
                .to_owned(),
        );
    }
    None
}

/// Returns the part of a host or an origin that may be shown: not its user, its password and its query.
fn without_secrets(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default().rsplit('@').next().unwrap_or_default()
}

/// Returns whether a host, with a port or without one, is this computer as browsers see it: `localhost` and names below it, and
/// the loopback addresses.
fn is_loopback(host: &str) -> bool {
    let host = host.trim();
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) => (host, port),
            None => return false,
        },
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    if !port.strip_prefix(':').unwrap_or(port).bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    match host.parse::<IpAddr>() {
        // `::ffff:127.0.0.1` is a loopback address, too.
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            // A final dot makes a name absolute, and browsers keep it in `Host`.
            let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(host: &str, origin: Option<&str>, fetch_site: Option<&str>) -> Option<String> {
        let all = |value: Option<&str>| value.map(str::to_owned).into_iter().collect();
        let claims =
            Claims { hosts: all(Some(host)), origins: all(origin), fetch_sites: all(fetch_site) };
        refusal("127.0.0.1:8020".parse().unwrap(), &claims)
    }

    #[test]
    fn only_loopback_hosts_are_answered() {
        for host in [
            "localhost",
            "LocalHost:1",
            "localhost.:8020",
            "app.localhost:8020",
            "127.0.0.1",
            "127.0.0.1:8020",
            "127.8.9.10:80",
            "[::1]",
            "[::1]:8020",
            "[::ffff:127.0.0.1]:8020",
        ] {
            assert_eq!(refused(host, None, None), None, "{host}");
        }
        for host in [
            "",
            ":8020",
            "rebind.evil.example:8020",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example",
            "127.0.0.1@evil.example",
            "localhost:8020@evil.example",
            "192.168.0.7:8020",
            "0.0.0.0:8020",
            "[::]:8020",
            "[::1",
            "[::1]evil.example",
        ] {
            assert!(refused(host, None, None).is_some(), "{host}");
        }
        insta::assert_snapshot!(refused("evil.example", None, None).unwrap(), @"The request was sent to the host `evil.example`, but only requests to this computer's loopback addresses are answered; use http://127.0.0.1:8020 as the base URL, or allow other hosts with --open-to-network");
    }

    #[test]
    fn pages_of_this_computer_are_answered_and_others_are_not() {
        let at = "127.0.0.1:8020";
        for origin in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "http://[::1]:5173",
            "http://app.localhost",
            "tauri://localhost",
        ] {
            assert_eq!(refused(at, Some(origin), None), None, "{origin}");
            // localhost and 127.0.0.1 are two sites.
            assert_eq!(refused(at, Some(origin), Some("cross-site")), None, "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://evil.example/http://localhost",
            "localhost:3000",
            "file://",
            "http://192.168.0.7",
        ] {
            assert!(refused(at, Some(origin), None).is_some(), "{origin}");
            let same_site = refused(at, Some(origin), Some("same-origin"));
            assert!(same_site.is_some(), "{origin}");
        }
        for site in ["same-origin", "same-site", "none"] {
            assert_eq!(refused(at, None, Some(site)), None, "{site}");
        }
        assert!(refused(at, None, Some("cross-site")).is_some());
        insta::assert_snapshot!(refused(at, Some("null"), None).unwrap(), @"The request is from a web page of the origin `null`, but only pages from this computer (such as http://localhost:3000) are answered; serve the page from localhost, or allow other pages with --open-to-network");
    }

    #[test]
    fn each_of_several_values_has_to_be_loopback() {
        let mut claims = Claims {
            hosts: vec!["localhost".to_owned(), "evil.example".to_owned()],
            ..Claims::default()
        };
        let at = "127.0.0.1:8020".parse().unwrap();
        assert!(refusal(at, &claims).is_some());
        claims.hosts.clear();
        assert!(refusal(at, &claims).is_some());
    }
}
