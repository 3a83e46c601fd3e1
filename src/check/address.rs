//! The parts of an address, as vcrpy compares them.

use document::body::decode_escapes;

/// The parts of an address that vcrpy compares.
#[derive(Debug)]
pub(super) struct AddressParts {
    /// In lower case.
    pub(super) scheme: String,
    /// In lower case, without user and password.
    pub(super) host: String,
    /// That of the scheme if none is written.
    pub(super) port: String,
    /// Without the parameters of its last segment.
    pub(super) path: String,
    /// Sorted fields, without those that are blank.
    pub(super) query: String,
}

impl AddressParts {
    /// Splits an address.
    pub(super) fn parse(uri: &str) -> Self {
        let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
        let scheme = scheme.to_ascii_lowercase();
        let rest = rest.split('#').next().unwrap_or(rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or(authority).to_ascii_lowercase();
        let (host, port) = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
            _ => (&*host, ""),
        };
        let port = match (port, &*scheme) {
            ("", "https") => "443",
            ("", "http") => "80",
            (port, _) => port,
        };
        // The parameters of the last segment are no part of the path.
        let (folders, last) = path.split_at(path.rfind('/').map_or(0, |index| index + 1));
        let last = last.split(';').next().unwrap_or(last);
        // An empty path and `/` are equal for vcrpy since 8.4.
        let path = if path.is_empty() { "/" } else { folders };
        let mut fields: Vec<String> = query
            .split('&')
            // Python's `parse_qsl` drops blank values.
            .filter(|field| field.split_once('=').is_some_and(|(_, value)| !value.is_empty()))
            .map(decode_escapes)
            .collect();
        fields.sort_unstable();
        Self {
            // Python's `hostname` has no brackets around an IPv6 address.
            host: host.trim_matches(['[', ']']).to_owned(),
            port: port.to_owned(),
            path: format!("{path}{last}"),
            query: fields.join("&"),
            scheme,
        }
    }

    /// Returns a text that is equal for addresses with equal parts.
    pub(super) fn all(&self) -> String {
        let Self { scheme, host, port, path, query } = self;
        format!("{scheme} {host} {port} {path} {query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_as_vcrpy_compares_them() {
        let is_same =
            |a: &str, b: &str| AddressParts::parse(a).all() == AddressParts::parse(b).all();
        assert!(is_same("https://A.example", "https://a.example:443/"));
        assert!(is_same("http://me:pw@a.example/x", "http://a.example/x#y"));
        assert!(is_same("http://a.example/x?a=1&b=2", "http://a.example/x?b=2&a=1"));
        assert!(is_same("http://a.example/x?a=1&b=", "http://a.example/x?a=1"));
        assert!(is_same("http://a.example/x;p", "http://a.example/x"));
        assert!(is_same("http://a.example/x?a=%62+c", "http://a.example/x?a=b%20c"));
        assert!(!is_same("http://a.example/x", "http://a.example/x/"));
        assert!(!is_same("http://a.example/x", "https://a.example/x"));
        assert!(!is_same("http://a.example/x?a=1&a=1", "http://a.example/x?a=1"));
    }
}
