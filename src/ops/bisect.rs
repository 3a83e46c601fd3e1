//! Finds the commit after which a call stopped matching, by going back from where it does not match to where it did.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use super::commit::CommitSummary;

/// Whether a call matches in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFit {
    Matches,
    /// It does not match, for this reason: a sentence without a full stop.
    Breaks(Arc<str>),
    /// It is not known, for this reason: a sentence without a full stop.
    Unknown(Arc<str>),
}

/// The versions of a project, each with its older versions, and which calls match in them.
pub trait BisectHistory {
    type Version: Copy + Eq + Hash;

    /// Returns the version on which this one is based, for a merge several.
    fn older(&mut self, version: Self::Version) -> Vec<Self::Version>;

    /// Returns whether a call matches in a version; `None` if that version does not have it.
    fn fit(&mut self, version: Self::Version, call: usize) -> Option<CallFit>;
}

/// Since when a call does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakOrigin<V> {
    /// It matches.
    Matches,
    /// It matches in all versions that this one is based on, or in those that have it.
    Broken {
        at: V,
        why: Arc<str>,
        /// Whether it is not known for versions in between, so that one of them may be meant.
        is_uncertain: bool,
    },
    /// It never matched since this version, which added it.
    Never { since: V, why: Arc<str> },
    /// It is not known whether it matches, for this reason.
    Unknown(Arc<str>),
}

/// Finds since when a call does not match, from the newest version back.
pub fn find_break<H: BisectHistory>(
    history: &mut H,
    newest: H::Version,
    call: usize,
) -> BreakOrigin<H::Version> {
    let mut why = match history.fit(newest, call) {
        Some(CallFit::Breaks(why)) => why,
        Some(CallFit::Matches) => return BreakOrigin::Matches,
        Some(CallFit::Unknown(why)) => return BreakOrigin::Unknown(why),
        None => return BreakOrigin::Unknown("there is no such call".into()),
    };
    // The oldest version that is known not to match, and the one that is looked at.
    let (mut broken, mut at) = (newest, newest);
    let mut seen = HashSet::from([newest]);
    loop {
        let (mut unknown, mut has_matched, mut breaks) = (None, false, None);
        for older in history.older(at) {
            match history.fit(older, call) {
                Some(CallFit::Matches) => has_matched = true,
                Some(CallFit::Breaks(why)) => breaks = breaks.or(Some((older, why))),
                Some(CallFit::Unknown(_)) => unknown = unknown.or(Some(older)),
                None => {}
            }
        }
        let next = match (breaks, unknown) {
            (Some((older, older_why)), _) => {
                (broken, why) = (older, older_why);
                older
            }
            (None, Some(older)) if !has_matched => older,
            (None, _) if has_matched => {
                return BreakOrigin::Broken { at: broken, why, is_uncertain: at != broken };
            }
            (None, _) => return BreakOrigin::Never { since: broken, why },
        };
        if !seen.insert(next) {
            return BreakOrigin::Never { since: broken, why };
        }
        at = next;
    }
}

/// A call, and since when it does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BisectedCall {
    /// The path of its recording, or the name of its request.
    pub name: Arc<str>,
    /// The node where it is made, if that is known.
    pub node: Option<Arc<str>>,
    /// The commits; `None` stands for what is not committed.
    pub origin: BreakOrigin<Option<Arc<CommitSummary>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Versions from the newest on, as `name: fit > older versions`; the fit is `+`, `-`, `?` or nothing.
    struct Versions(Vec<(char, Option<CallFit>, Vec<char>)>);

    impl Versions {
        fn new(text: &str) -> Self {
            let versions = text.lines().map(|line| {
                let (name, rest) = line.trim().split_once(':').unwrap();
                let (fit, older) = rest.split_once('>').unwrap_or((rest, ""));
                let fit = match fit.trim() {
                    "+" => Some(CallFit::Matches),
                    "-" => Some(CallFit::Breaks("other tools".into())),
                    "?" => Some(CallFit::Unknown("not readable".into())),
                    _ => None,
                };
                let older = older.chars().filter(|it| it.is_alphabetic());
                (name.chars().next().unwrap(), fit, older.collect())
            });
            Self(versions.collect())
        }

        fn find(&self, version: char) -> &(char, Option<CallFit>, Vec<char>) {
            self.0.iter().find(|it| it.0 == version).unwrap()
        }
    }

    impl BisectHistory for Versions {
        type Version = char;

        fn older(&mut self, version: char) -> Vec<char> {
            self.find(version).2.clone()
        }

        fn fit(&mut self, version: char, _: usize) -> Option<CallFit> {
            self.find(version).1.clone()
        }
    }

    fn find(text: &str) -> String {
        match find_break(&mut Versions::new(text), 'a', 0) {
            BreakOrigin::Matches => "matches".to_owned(),
            BreakOrigin::Broken { at, is_uncertain, .. } => {
                format!("broken at {at}{}", if is_uncertain { "?" } else { "" })
            }
            BreakOrigin::Never { since, .. } => format!("never since {since}"),
            BreakOrigin::Unknown(why) => format!("unknown: {why}"),
        }
    }

    #[test]
    fn the_first_version_that_does_not_match_broke_the_call() {
        assert_eq!(find("a: + > b\nb: -"), "matches");
        assert_eq!(find("a: - > b\nb: - > c\nc: + > d\nd: -"), "broken at b");
        assert_eq!(find("a: - > b\nb: - > c\nc:"), "never since b");
        assert_eq!(find("a: - > b\nb: -"), "never since b");
        assert_eq!(find("a: ? > b\nb: +"), "unknown: not readable");
    }

    #[test]
    fn of_a_merge_the_side_that_does_not_match_is_followed() {
        let merge = "a: - > bc\nb: + > d\nc: - > d\nd: +";
        assert_eq!(find(merge), "broken at c");
        assert_eq!(find("a: - > bc\nb: + > d\nc: + > d\nd: +"), "broken at a");
        assert_eq!(find("a: - > bc\nb: > d\nc: + > d\nd: +"), "broken at a");
    }

    #[test]
    fn versions_that_cannot_be_judged_make_the_result_uncertain() {
        assert_eq!(find("a: - > b\nb: ? > c\nc: +"), "broken at a?");
        assert_eq!(find("a: - > b\nb: ? > c\nc: - > d\nd: +"), "broken at c");
        assert_eq!(find("a: - > b\nb: ?"), "never since a");
    }
}
