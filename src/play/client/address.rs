//! The parts of an address and of a query or form, as Python's `urllib.parse` splits and joins them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The parts of an address that clients compare.
#[derive(Clone, Debug, Default)]
pub struct AddressParts {
    /// In lower case.
    pub scheme: String,
    /// In lower case, without user and password.
    pub host: String,
    /// That of the scheme if none is written.
    pub port: String,
    /// As written, without the parameters of its last segment.
    pub path: String,
    /// Names and values, sorted, without those that are blank.
    pub query: Vec<(String, String)>,
    /// The user, the host and the port, as written.
    authority: String,
    /// The parameters of the last segment.
    parameters: String,
    fragment: String,
}

impl AddressParts {
    /// Splits an address.
    pub fn parse(uri: &str) -> Self {
        // Python drops these characters before it splits.
        let uri: String = uri
            .trim_start_matches(|c: char| c <= ' ')
            .chars()
            .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
            .collect();
        let is_scheme = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|first| first.is_ascii_alphabetic())
                && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        };
        let (scheme, rest) = match uri.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (scheme.to_ascii_lowercase(), rest),
            _ => (String::new(), &*uri),
        };
        let (authority, rest) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            None => ("", rest),
        };
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let last_segment = path.rfind('/').unwrap_or(0);
        let (path, parameters) = match path[last_segment..].find(';') {
            Some(at) => (&path[..last_segment + at], &path[last_segment + at + 1..]),
            None => (path, ""),
        };
        let (host, port) = split_authority(authority);
        let port = match (port, &*scheme) {
            ("", "https") => "443",
            ("", "http") => "80",
            // Python reads a number.
            (port, _) => match port.trim_start_matches('0') {
                "" if !port.is_empty() => "0",
                digits => digits,
            },
        };
        let mut fields = query_fields(query);
        fields.sort_unstable();
        Self {
            host,
            port: port.to_owned(),
            path: path.to_owned(),
            query: fields,
            authority: authority.to_owned(),
            parameters: parameters.to_owned(),
            fragment: fragment.to_owned(),
            scheme,
        }
    }

    /// Returns a text that is equal for addresses with equal parts. An empty path and `/` are the same.
    pub fn all(&self) -> String {
        let Self { scheme, host, port, query, .. } = self;
        format!("{scheme} {host} {port} {} {query:?}", self.non_empty_path())
    }

    /// Returns the path; `/` if it is empty.
    pub fn non_empty_path(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// Returns the query as text.
    pub fn query_text(&self) -> String {
        join_fields(&self.query)
    }

    /// Returns the fields of the query that another address does not have, as text.
    pub(crate) fn query_beyond(&self, other: &Self) -> String {
        let fields = self.query.iter().filter(|field| !other.query.contains(field));
        join_fields(&fields.cloned().collect::<Vec<_>>())
    }

    /// Returns the host, with the scheme and the port where they are not those of HTTPS.
    pub(crate) fn origin(&self) -> String {
        let Self { scheme, host, port, .. } = self;
        let prefix = if scheme == "http" { "http://" } else { "" };
        match (&**scheme, &**port) {
            ("http", "80") | ("https", "443") | (_, "") => format!("{prefix}{host}"),
            _ => format!("{prefix}{host}:{port}"),
        }
    }

    /// Returns the address with `/` in place of an empty path.
    pub(super) fn with_path<'u>(&self, uri: &'u str) -> Cow<'u, str> {
        let authority = format!("{}://{}", self.scheme, self.authority);
        match uri.strip_prefix(&*authority) {
            Some(rest) if self.path.is_empty() => format!("{authority}/{rest}").into(),
            _ => uri.into(),
        }
    }

    /// Returns the address with another query, as Python joins its parts.
    pub(super) fn with_query(&self, query: &[(String, String)]) -> String {
        let mut uri = String::new();
        if !self.scheme.is_empty() {
            uri = format!("{}:", self.scheme);
        }
        if !self.authority.is_empty() || matches!(&*self.scheme, "http" | "https") {
            uri += "//";
            uri += &self.authority;
            if !self.path.is_empty() && !self.path.starts_with('/') {
                uri.push('/');
            }
        }
        uri += &self.path;
        let query = join_fields(query);
        for (sign, part) in [(';', &self.parameters), ('?', &query), ('#', &self.fragment)] {
            if !part.is_empty() {
                uri.push(sign);
                uri += part;
            }
        }
        uri
    }
}

/// Splits the host in lower case from the port as written.
fn split_authority(authority: &str) -> (String, &str) {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = match host.split_once('[') {
        // An IPv6 address.
        Some((_, host)) => {
            let (name, rest) = host.split_once(']').unwrap_or((host, ""));
            (name, rest.split_once(':').map_or("", |(_, port)| port))
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    // The zone of an IPv6 address is kept as written.
    let name = match name.split_once('%') {
        Some((name, zone)) => format!("{}%{zone}", name.to_lowercase()),
        None => name.to_lowercase(),
    };
    (name, port)
}

/// Returns the decoded fields of a query or a form, without those that are blank, as `parse_qsl` does.
pub(super) fn query_fields(query: &str) -> Vec<(String, String)> {
    let fields = query.split('&').filter_map(|field| field.split_once('='));
    let decode = |text: &str| decode_percent(&text.replace('+', " "));
    fields.filter(|(_, v)| !v.is_empty()).map(|(name, v)| (decode(name), decode(v))).collect()
}

/// Removes percent encoding, as `unquote` does: each run of ASCII is decoded on its own, and what is not UTF-8 becomes U+FFFD.
pub(super) fn decode_percent(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut decoded = String::with_capacity(text.len());
    for run in text.as_bytes().chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        let mut bytes = Vec::with_capacity(run.len());
        let mut rest = run;
        while let Some((&first, tail)) = rest.split_first() {
            let is_hex = |digits: &&[u8]| digits.iter().all(u8::is_ascii_hexdigit);
            let digits = tail.get(..2).filter(is_hex).filter(|_| first == b'%');
            let byte =
                digits.and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
            bytes.push(byte.unwrap_or(first));
            rest = if byte.is_some() { &tail[2..] } else { tail };
        }
        decoded += &String::from_utf8_lossy(&bytes);
    }
    decoded
}

/// Joins fields to a query, as `urlencode` does.
fn join_fields(fields: &[(String, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    fields.join("&")
}

fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'_' | b'.' | b'-' | b'~' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            byte => _ = write!(encoded, "%{byte:02X}"),
        }
    }
    encoded
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
        assert!(is_same("http://[::1]:80/", "http://[::1]/"));
        assert!(!is_same("http://a.example/x?a=1%26b%3D2", "http://a.example/x?a=1&b=2"));
        assert!(!is_same("http://a.example/x", "http://a.example/x/"));
        assert!(!is_same("http://a.example/x", "https://a.example/x"));
        assert!(!is_same("http://a.example/x?a=1&a=1", "http://a.example/x?a=1"));
    }

    #[test]
    fn addresses_are_joined_as_python_joins_them() {
        for (uri, expected) in [
            ("HTTPS://A.dev/x;p?b=2&a=%20é&c=#f", "https://A.dev/x;p?a=+%C3%A9&b=2#f"),
            ("http://a.dev?a=1", "http://a.dev?a=1"),
            ("http://a.dev/x?", "http://a.dev/x"),
        ] {
            let parts = AddressParts::parse(uri);
            assert_eq!(parts.with_query(&parts.query), expected);
        }
        assert_eq!(decode_percent("%C3%A9é%zz%ff"), "éé%zz\u{fffd}");
        assert_eq!(AddressParts::parse("http://a?b").with_path("http://a?b"), "http://a/?b");
    }
}
