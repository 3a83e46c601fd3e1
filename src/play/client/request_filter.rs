//! What a client takes out of a request, or replaces in it, before it compares it with others.

use std::borrow::Cow;

use super::address::{AddressParts, decode_percent};
use super::http_request::{HttpRequest, RequestBody};
use super::json_form::{dumps, python_text};
use super::matcher::is_json_type;
use super::rules::{ClientRules, RecorderClient};
use document::edit::JsonValue;
use document::text::Source;
use document::{Node, NodeKind, json};

/// A name with the value that replaces it; `None` removes it.
pub type Replacement = (Box<str>, Option<Box<str>>);

/// What is replaced in a request. Names of headers have no case, and later replacements of a name count.
#[derive(Clone, Debug, Default)]
pub struct RequestFilters {
    pub headers: Vec<Replacement>,
    pub query: Vec<Replacement>,
    pub post_data: Vec<Replacement>,
    /// Whether `post_data` applies to objects in objects.
    pub is_nested: bool,
}

/// Replaced members of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replacements<'a> {
    list: &'a [Replacement],
    pub(super) is_nested: bool,
}

impl<'a> Replacements<'a> {
    /// Returns the position of a name and its replacement.
    pub(super) fn find(&self, name: &str) -> Option<(usize, Option<&'a str>)> {
        // `dict` takes the last value of a name, at its first place.
        let position = self.list.iter().position(|(other, _)| **other == *name)?;
        let (_, value) = self.list.iter().rfind(|(other, _)| **other == *name)?;
        Some((position, value.as_deref()))
    }
}

/// What becomes of a request before it is compared.
#[derive(Debug)]
pub(super) enum Filtered {
    Request(HttpRequest),
    /// The client does not play or record it.
    Ignored,
    /// The client fails with this exception.
    Raises(&'static str),
}

impl ClientRules {
    /// Filters a request as the client does before it compares it.
    pub(super) fn filter(&self, request: &HttpRequest) -> Filtered {
        let mut request = request.clone();
        if let Some(headers) = &mut request.headers {
            replace_headers(headers, &self.filters.headers);
        }
        if let Some(url) = &mut request.url {
            *url = self.filter_url(url);
        }
        if self.client == RecorderClient::Cassetter {
            self.scrub_body(&mut request);
        } else if !self.filters.post_data.is_empty()
            && let Err(error) = self.replace_body(&mut request)
        {
            return Filtered::Raises(error);
        }
        if self.drops(&request) { Filtered::Ignored } else { Filtered::Request(request) }
    }

    /// Returns an address as the client compares and stores it.
    pub(crate) fn filter_url(&self, url: &str) -> String {
        if self.filters.query.is_empty() {
            return url.to_owned();
        }
        if self.client != RecorderClient::Cassetter {
            return replace_query(url, &self.filters.query);
        }
        // cassetter replaces values in their places.
        let Some((address, query)) = url.split_once('?') else { return url.to_owned() };
        let (query, fragment) = query.split_at(query.find('#').unwrap_or(query.len()));
        let field = |field: &str| {
            let (name, _) = field.split_once('=')?;
            // Here `+` is no blank.
            let own_name = decode_percent(name);
            let is_own = |item: &&Replacement| item.0.eq_ignore_ascii_case(&own_name);
            let value = self.filters.query.iter().find(is_own)?.1.as_ref()?;
            Some(format!("{name}={value}"))
        };
        let fields: Vec<Cow<'_, str>> = query
            .split('&')
            .map(|text| field(text).map_or(Cow::Borrowed(text), Cow::Owned))
            .collect();
        format!("{address}?{}{fragment}", fields.join("&"))
    }

    /// Replaces the values in a body that cassetter hides.
    fn scrub_body(&self, request: &mut HttpRequest) {
        let list = Replacements { list: &self.filters.post_data, is_nested: true };
        match &request.body {
            RequestBody::Tree(value) => {
                if let Ok(value) = JsonValue::parse(&dumps(value.root(), Some(&list))) {
                    request.body = RequestBody::Tree(value);
                }
            }
            RequestBody::Bytes(bytes) => {
                // Another body is text, in which nothing is replaced.
                let is_json = request.header("content-type").is_none_or(is_json_type);
                let text = std::str::from_utf8(bytes).ok().filter(|_| is_json);
                let json_text = text.filter(|text| self.client.reads_json(text));
                let tree = json_text.and_then(|text| json::parse_container(&Source::new(text)));
                if let Some(root) = tree.as_ref().and_then(|tree| tree.root()) {
                    request.body = RequestBody::Bytes(dumps(root, Some(&list)).into_bytes());
                }
            }
            RequestBody::Unknown | RequestBody::Missing => {}
        }
    }

    /// Replaces fields of a form or members of JSON.
    ///
    /// # Errors
    ///
    /// Returns the exception with which vcrpy fails.
    fn replace_body(&self, request: &mut HttpRequest) -> Result<(), &'static str> {
        let filters = &self.filters;
        let has_all_forms = self.is_since(9, 0);
        // Before 9.0 only the bodies of POST were filtered.
        if !has_all_forms && request.method.as_deref().is_some_and(|method| method != "POST") {
            return Ok(());
        }
        let list = Replacements {
            list: &filters.post_data,
            is_nested: filters.is_nested && has_all_forms,
        };
        let content_type = request.header("content-type").unwrap_or_default().to_owned();
        let bytes = match &request.body {
            RequestBody::Unknown | RequestBody::Missing => return Ok(()),
            RequestBody::Tree(value) => {
                if let Ok(value) = JsonValue::parse(&dumps(value.root(), Some(&list))) {
                    request.body = RequestBody::Tree(value);
                }
                return Ok(());
            }
            RequestBody::Bytes(bytes) if bytes.is_empty() => return Ok(()),
            RequestBody::Bytes(bytes) => bytes,
        };
        let new_bytes = if content_type == "application/json" {
            let (tree, _) = json::parse_python(&Source::new(python_text(bytes)?));
            let root = tree.root().filter(|_| tree.fault().is_none()).ok_or("JSONDecodeError")?;
            if !list.is_nested {
                list.check_members(root)?;
            }
            Some(dumps(root, Some(&list)).into_bytes())
        } else if let Some(boundary) = multipart_boundary(&content_type).filter(|_| has_all_forms) {
            Some(replace_multipart(bytes, &boundary, &list))
        } else {
            self.replace_form(bytes, &list)?
        };
        if let Some(bytes) = new_bytes {
            request.body = RequestBody::Bytes(bytes);
        }
        Ok(())
    }

    /// Replaces fields of a form; `None` if the body stays as it is.
    fn replace_form(
        &self,
        bytes: &[u8],
        list: &Replacements<'_>,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        let mut fields: Vec<Vec<u8>> = Vec::new();
        for field in bytes.split(|byte| *byte == b'&') {
            let sign = memchr::memchr(b'=', field);
            if sign.is_none() && self.is_since(8, 0) {
                fields.push(field.to_vec());
                continue;
            }
            let Ok(name) = std::str::from_utf8(&field[..sign.unwrap_or(field.len())]) else {
                let error = "UnicodeDecodeError";
                // Before 8.0 other bytes made the call fail.
                return if self.is_since(8, 0) { Ok(None) } else { Err(error) };
            };
            let decoded_name = || list.find(&decode_percent(&name.replace('+', " ")));
            match list.find(name).or_else(|| self.is_since(9, 0).then(decoded_name).flatten()) {
                None => fields.push(field.to_vec()),
                Some((_, None)) => {}
                Some((_, Some(value))) => {
                    let end = sign.map_or(field.len(), |sign| sign + 1);
                    fields.push([&field[..end], value.as_bytes()].concat());
                }
            }
        }
        Ok(Some(fields.join(&b'&')))
    }
}

impl Replacements<'_> {
    /// Fails as `key in data` and `data.pop(key)` do for JSON that is no object.
    fn check_members(&self, root: Node<'_>) -> Result<(), &'static str> {
        let has_name = |text: &str| self.list.iter().any(|(name, _)| text.contains(&**name));
        match root.kind() {
            NodeKind::Object => Ok(()),
            NodeKind::Array => {
                let is_name =
                    |item: Node<'_>| self.list.iter().any(|(name, _)| item.as_str() == Some(name));
                if root.items().any(is_name) { Err("TypeError") } else { Ok(()) }
            }
            NodeKind::String if root.as_str().is_some_and(has_name) => Err("AttributeError"),
            NodeKind::String => Ok(()),
            _ => Err("TypeError"),
        }
    }
}

/// Replaces headers; a replaced one is last.
fn replace_headers(headers: &mut Vec<(String, String)>, replacements: &[Replacement]) {
    for (name, value) in replacements {
        let count = headers.len();
        headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        if headers.len() < count
            && let Some(value) = value
        {
            headers.push((name.to_string(), value.to_string()));
        }
    }
}

fn replace_query(url: &str, replacements: &[Replacement]) -> String {
    let parts = AddressParts::parse(url);
    let list = Replacements { list: replacements, is_nested: false };
    let query = parts.query.iter().filter_map(|(name, value)| match list.find(name) {
        None => Some((name.clone(), value.clone())),
        Some((_, replacement)) => Some((name.clone(), replacement?.to_owned())),
    });
    parts.with_query(&query.collect::<Vec<_>>())
}

fn multipart_boundary(content_type: &str) -> Option<String> {
    let lower_type = content_type.to_ascii_lowercase();
    if !lower_type.starts_with("multipart/form-data") {
        return None;
    }
    let value = &content_type[lower_type.find("boundary=")? + "boundary=".len()..];
    let value = value.strip_prefix('"').unwrap_or(value);
    let end = value.find(['"', ';']).unwrap_or(value.len());
    Some(value[..end].to_owned()).filter(|boundary| !boundary.is_empty())
}

/// Replaces the contents of fields of a multipart form.
fn replace_multipart(bytes: &[u8], boundary: &str, list: &Replacements<'_>) -> Vec<u8> {
    let delimiter = format!("--{boundary}").into_bytes();
    let mut new_bytes = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let mut is_first = true;
    loop {
        let end = memchr::memmem::find(rest, &delimiter);
        let part = &rest[..end.unwrap_or(rest.len())];
        let new_part = if is_first { Some(part.to_vec()) } else { replace_part(part, list) };
        if let Some(new_part) = new_part {
            if !is_first {
                new_bytes.extend_from_slice(&delimiter);
            }
            new_bytes.extend(new_part);
        }
        is_first = false;
        let Some(end) = end else { return new_bytes };
        rest = &rest[end + delimiter.len()..];
    }
}

/// Replaces the content of a part; `None` removes the part.
fn replace_part(part: &[u8], list: &Replacements<'_>) -> Option<Vec<u8>> {
    const HEAD_END: &[u8] = b"\r\n\r\n";
    let Some(at) = memchr::memmem::find(part, HEAD_END) else { return Some(part.to_vec()) };
    let (head, content) = part.split_at(at + HEAD_END.len());
    let Some((_, replacement)) = part_name(&head[..at]).and_then(|name| list.find(&name)) else {
        return Some(part.to_vec());
    };
    let ending: &[u8] = if content.ends_with(b"\r\n") { b"\r\n" } else { b"" };
    Some([head, replacement?.as_bytes(), ending].concat())
}

/// Returns the name of a field: the first `;` with blanks and `name="…"` in its headers.
fn part_name(head: &[u8]) -> Option<String> {
    const NAME: &[u8] = b"name=\"";
    let starts = memchr::memchr_iter(b';', head);
    starts.into_iter().find_map(|at| {
        let name = head[at + 1..].trim_ascii_start().strip_prefix(NAME)?;
        let end = memchr::memchr(b'"', name)?;
        Some(String::from_utf8_lossy(&name[..end]).into_owned())
    })
}
