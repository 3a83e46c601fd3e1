//! The parts of an address, as they are written.

/// The parts of an address without decoding and without defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenAddress<'a> {
    /// Without its scheme, its query and its fragment.
    pub without_query: &'a str,
    /// With its port, without a login, which a recorder may keep.
    pub host: &'a str,
    /// From its first `/` on; empty without one.
    pub path: &'a str,
}

impl<'a> WrittenAddress<'a> {
    /// Splits an address, also one without a scheme.
    pub fn split(address: &'a str) -> Self {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let without_query = rest.split(['?', '#']).next().unwrap_or_default();
        let path_start = without_query.find('/').unwrap_or(without_query.len());
        let (host, path) = without_query.split_at(path_start);
        Self { without_query, host: host.rsplit('@').next().unwrap_or(host), path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_split_as_it_is_written() {
        let parts = |address| {
            let WrittenAddress { without_query, host, path } = WrittenAddress::split(address);
            format!("{without_query} {host} {path}")
        };
        for (address, expected) in [
            ("https://me:pw@A.dev:443/v1/%63?a=/b#c", "me:pw@A.dev:443/v1/%63 A.dev:443 /v1/%63"),
            ("https://a.dev?a=/b", "a.dev a.dev "),
            ("a.dev/x", "a.dev/x a.dev /x"),
            ("/v1/chat#x", "/v1/chat  /v1/chat"),
            ("", "  "),
        ] {
            assert_eq!(parts(address), expected, "{address}");
        }
    }
}
