//! Differences that reviews ignore: `[[review.ignore]]` in `retake.toml`.

use regex::Regex;

use document::toml_text;

/// Differences that are ignored: their place and kind.
#[derive(Clone, Debug)]
pub struct IgnoreRule {
    /// The places. `*` matches anything within one step of a JSON Pointer, `**` any number of steps; without a
    /// slash in front it is the name of a member anywhere.
    pub at: PointerPattern,
    /// Only texts that are the same except for what this matches.
    pub text: Option<Regex>,
    /// Only numbers that differ by at most this much.
    pub tolerance: Option<f64>,
}

/// A pattern of JSON Pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerPattern {
    written: Box<str>,
    steps: Box<[Box<str>]>,
}

impl PointerPattern {
    /// Reads a pattern such as `/request/*/usage`, `/**/runId` or `runId`.
    ///
    /// # Errors
    ///
    /// Returns an error if `pattern` is empty.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let steps: Vec<Box<str>> = match pattern.strip_prefix('/') {
            _ if pattern.is_empty() => return Err("The pattern is empty".to_owned()),
            Some(steps) => steps.split('/').map(Box::from).collect(),
            None => vec!["**".into(), pattern.into()],
        };
        Ok(Self { written: pattern.into(), steps: steps.into() })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns whether it refers to this place or one that contains it.
    pub fn matches(&self, pointer: &str) -> bool {
        steps_match(&self.steps, &pointer.split('/').skip(1).collect::<Vec<_>>())
    }
}

fn steps_match(steps: &[Box<str>], pointer: &[&str]) -> bool {
    match steps.split_first() {
        None => true,
        Some((step, rest)) if &**step == "**" => {
            (0..=pointer.len()).any(|skipped| steps_match(rest, &pointer[skipped..]))
        }
        Some((step, rest)) => match pointer.split_first() {
            Some((name, pointer)) => {
                // A step contains no slash, so git's mode for slashes has nothing to do.
                let mode = gix::glob::wildmatch::Mode::empty();
                let is_same =
                    gix::glob::wildmatch(step.as_bytes().into(), name.as_bytes().into(), mode);
                is_same && steps_match(rest, pointer)
            }
            None => false,
        },
    }
}

// `Regex` has no equality: two rules are equal if their patterns are written alike.
impl PartialEq for IgnoreRule {
    fn eq(&self, other: &Self) -> bool {
        let text = |rule: &Self| rule.text.as_ref().map(|text| text.as_str().to_owned());
        self.at == other.at && text(self) == text(other) && self.tolerance == other.tolerance
    }
}

impl Eq for IgnoreRule {}

impl IgnoreRule {
    /// Every difference at a place.
    ///
    /// # Errors
    ///
    /// Returns an error if `pattern` is not valid.
    pub fn at(pattern: &str) -> Result<Self, String> {
        Ok(Self { at: PointerPattern::parse(pattern)?, text: None, tolerance: None })
    }

    /// Returns the rule as TOML for `retake.toml`.
    pub fn toml(&self) -> String {
        let mut toml = format!("[[review.ignore]]\nat = {}\n", toml_text::quote(self.at.as_str()));
        if let Some(text) = &self.text {
            toml += &format!("text = {}\n", toml_text::quote(text.as_str()));
        }
        if let Some(tolerance) = self.tolerance {
            // `Debug` keeps the `.0` of a whole number, so that TOML reads a float again.
            toml += &format!("tolerance = {tolerance:?}\n");
        }
        toml
    }

    /// Returns true if it ignores a difference between two values, as JSON, at a place.
    pub fn ignores(&self, pointer: &str, old: Option<&str>, new: Option<&str>) -> bool {
        if !self.at.matches(pointer) {
            return false;
        }
        // A value that one take lacks has no text and no number to compare with.
        let (Some(old), Some(new)) = (old, new) else {
            return self.text.is_none() && self.tolerance.is_none();
        };
        let text = |json: &str| serde_json::from_str::<String>(json).ok();
        let number = |json: &str| serde_json::from_str::<f64>(json).ok();
        let same_text = self.text.as_ref().is_none_or(|pattern| {
            let masked_text = |json| Some(pattern.replace_all(&text(json)?, "").into_owned());
            // Values that are no texts are both `None`, which does not make them equal.
            masked_text(old).is_some() && masked_text(old) == masked_text(new)
        });
        let near = self.tolerance.is_none_or(|most| {
            let distance = number(old).zip(number(new)).map(|(a, b)| (a - b).abs());
            distance.is_some_and(|d| d <= most)
        });
        same_text && near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_places_and_all_below_them() {
        let matches =
            |pattern: &str, pointer: &str| PointerPattern::parse(pattern).unwrap().matches(pointer);
        assert!(
            matches("/a/*/c", "/a/0/c") && matches("/a/*", "/a/0/c") && !matches("/a/*/c", "/a/c")
        );
        assert!(
            matches("/**/c", "/c") && matches("/**/c", "/a/b/c/0") && !matches("/**/c", "/a/cc")
        );
        assert!(matches("usage", "/x/usage/tokens") && matches("*_ms", "/x/took_ms"));
        assert!(PointerPattern::parse("").is_err());
    }

    #[test]
    fn a_rule_silences_what_it_says_and_no_more() {
        let rule = |text: Option<&str>, tolerance| IgnoreRule {
            text: text.map(|text| Regex::new(text).unwrap()),
            tolerance,
            ..IgnoreRule::at("/x").unwrap()
        };
        let build = rule(Some(r"build \d+"), None);
        assert!(build.ignores("/x", Some("\"of build 1.\""), Some("\"of build 22.\"")));
        assert!(!build.ignores("/x", Some("\"of build 1.\""), Some("\"build 22.\"")));
        assert!(
            !build.ignores("/x", None, Some("\"build 22\""))
                && !build.ignores("/x", Some("1"), Some("2"))
        );
        let near = rule(None, Some(0.5));
        assert!(
            near.ignores("/x", Some("1"), Some("1.5")) && !near.ignores("/x", Some("1"), Some("2"))
        );
        assert!(rule(None, None).ignores("/x/y", Some("1"), None));
        insta::assert_snapshot!(rule(Some(r"it's \d"), Some(0.5)).toml(), @r#"
        [[review.ignore]]
        at = '/x'
        text = "it's \\d"
        tolerance = 0.5
        "#);
    }
}
