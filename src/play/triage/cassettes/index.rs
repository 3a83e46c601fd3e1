//! Finds the cassette of a failed test among those of a project.

use std::collections::HashMap;
use std::sync::Arc;

use crate::run_log::{FailedTest, MissKind, TestName};
use calls::Item;
use calls::cassette_config::{CassetteFacts, ConfigOrigin, cassette_name};
use document::FileKind;
use document::text::{quoted, some};

/// Endings of the files of cassettes.
const ENDINGS: [&str; 6] = [".yaml", ".yml", ".json", ".toml", ".yaml.gz", ".httprr"];
/// Number of cassettes that are named if none is certain.
const MAX_NAMED_CASSETTES: usize = 3;
/// The least part of the words of two names of tests that are equal, if one became the other.
const MIN_SHARED_WORDS: f64 = 0.5;

/// The cassettes of a project by their names.
#[derive(Debug, Default)]
pub struct CassetteIndex {
    cassettes: Vec<IndexedCassette>,
    /// Positions by the file name without its ending.
    by_stem: HashMap<Arc<str>, Vec<usize>>,
}

/// A cassette of a project.
#[derive(Clone, Debug)]
pub(super) struct IndexedCassette {
    /// From the project root.
    pub(super) path: Arc<str>,
    pub(super) facts: Box<CassetteFacts>,
}

/// The cassette of a failed test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FoundCassette {
    /// Its position among the cassettes.
    At(usize),
    /// The project has none at this path from its root, or as printed.
    Missing(Arc<str>),
    /// The log does not show which it is: the reason, as a sentence without a full stop.
    Unknown(String),
}

impl CassetteIndex {
    /// Gathers the cassettes among these items.
    pub fn new<'i>(items: impl Iterator<Item = &'i Item>) -> Self {
        let mut index = Self::default();
        for item in items.filter(|item| item.kind == FileKind::Cassette) {
            let at = index.cassettes.len();
            let stem = stem(item.file_name());
            index.by_stem.entry(stem.into()).or_default().push(at);
            let path = item.root_path().into();
            let facts = item.cassette.clone().unwrap_or_default();
            index.cassettes.push(IndexedCassette { path, facts });
        }
        index
    }

    /// Returns the path from the project root of a cassette that a log names, with what the project configures about it.
    ///
    /// # Errors
    ///
    /// Returns why it is not known which it is, as a sentence without a full stop.
    pub fn named(&self, name: &str) -> Result<(&Arc<str>, &CassetteFacts), String> {
        let path = name.replace('\\', "/");
        let found = match self.at_path(&path) {
            Some(cassette) => Some(cassette),
            None => match self.find_printed(&path, true) {
                FoundCassette::At(at) => self.get(at),
                FoundCassette::Missing(_) => None,
                FoundCassette::Unknown(reason) => return Err(reason),
            },
        };
        let found =
            found.ok_or_else(|| format!("{name} is no cassette among the files that were read"))?;
        Ok((&found.path, &found.facts))
    }

    pub(super) fn get(&self, at: usize) -> Option<&IndexedCassette> {
        self.cassettes.get(at)
    }

    pub(super) fn at_path(&self, path: &str) -> Option<&IndexedCassette> {
        let named = self.by_stem.get(stem(split(path).1))?;
        named.iter().map(|at| &self.cassettes[*at]).find(|cassette| *cassette.path == *path)
    }

    /// Returns the cassettes whose matchers are set at a place.
    pub(super) fn with_match_on(
        &self,
        origin: &ConfigOrigin,
    ) -> impl Iterator<Item = &IndexedCassette> {
        self.cassettes.iter().filter(move |cassette| {
            cassette.facts.match_on.as_ref().is_some_and(|setting| setting.origin == *origin)
        })
    }

    /// Returns the cassettes of a folder.
    pub(super) fn in_folder(&self, path: &str) -> impl Iterator<Item = &IndexedCassette> {
        let folder = split(path).0.to_owned();
        self.cassettes.iter().filter(move |cassette| split(&cassette.path).0 == folder)
    }

    /// Returns the paths of the cassettes whose content is needed to find the causes of some failures.
    pub fn needed<'f>(&self, failed: impl Iterator<Item = &'f FailedTest>) -> Vec<Arc<str>> {
        let mut paths: Vec<Arc<str>> = Vec::new();
        for test in failed {
            match self.find(test) {
                FoundCassette::At(at) => {
                    let cassette = &self.cassettes[at];
                    paths.push(Arc::clone(&cassette.path));
                    // If the order decides, all that a stricter setting changes is counted.
                    let is_own_error = test.miss.kind == MissKind::Other;
                    let setting = cassette.facts.match_on.as_ref().filter(|_| is_own_error);
                    let others = setting.into_iter().flat_map(|s| self.with_match_on(&s.origin));
                    paths.extend(others.map(|cassette| Arc::clone(&cassette.path)));
                }
                FoundCassette::Missing(path) => {
                    let orphans =
                        self.in_folder(&path).filter(|cassette| cassette.facts.orphan.is_some());
                    paths.extend(orphans.map(|cassette| Arc::clone(&cassette.path)));
                }
                FoundCassette::Unknown(_) => {}
            }
        }
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Finds the cassette of a failed test: as the log names it, else by the name of the test.
    pub(super) fn find(&self, failed: &FailedTest) -> FoundCassette {
        if let Some(printed) = &failed.miss.cassette {
            let existed = !matches!(failed.miss.kind, MissKind::NoCassette);
            return self.find_printed(&printed.replace('\\', "/"), existed);
        }
        self.find_by_test(&failed.test)
    }

    /// Finds a cassette by a path of the machine that ran, or a name. `existed` is whether there was one when the test ran.
    fn find_printed(&self, printed: &str, existed: bool) -> FoundCassette {
        let (folder, name) = split(printed);
        let named = self.by_stem.get(stem(name)).map_or(&[][..], Vec::as_slice);
        if folder.is_empty() {
            return match named {
                [at] => FoundCassette::At(*at),
                [] => FoundCassette::Missing(printed.into()),
                several => self.ambiguous(several),
            };
        }
        let length = |at: &usize| common_end(&self.cassettes[*at].path, printed);
        let has_ending = stem(name) != name;
        let is_same_name = |at: &&usize| !has_ending || split(&self.cassettes[**at].path).1 == name;
        let best = named.iter().filter(is_same_name).map(length).max().unwrap_or_default();
        let fitting = named.iter().filter(|at| is_same_name(at) && length(at) == best).copied();
        let fitting: Vec<usize> = fitting.collect();
        match fitting[..] {
            // Of a path from the root of the same project, all must be equal; of another root, more than the name.
            [at] if self.is_whole(at, best)
                || existed && best > 1 && self.may_be_elsewhere(printed, best) =>
            {
                FoundCassette::At(at)
            }
            [_, _, ..] if best > 1 => self.ambiguous(&fitting),
            _ => FoundCassette::Missing(self.place_of_missing(printed)),
        }
    }

    fn is_whole(&self, at: usize, count: usize) -> bool {
        self.cassettes[at].path.split('/').count() == count
    }

    /// Returns whether no cassette of the project is at a whole path that the printed one ends with up to its folder: the project is then
    /// opened at another folder than the one in which the tests ran.
    fn may_be_elsewhere(&self, printed: &str, best: usize) -> bool {
        let (folder, _) = split(printed);
        let is_same_root = |cassette: &IndexedCassette| {
            let own = split(&cassette.path).0;
            !own.is_empty() && common_end(own, folder) == own.split('/').count()
        };
        // One part of the path is the name.
        !self
            .cassettes
            .iter()
            .any(|c| is_same_root(c) && split(&c.path).0.split('/').count() >= best)
    }

    /// Returns the path from the root of a cassette that does not exist: its folder may have others.
    fn place_of_missing(&self, printed: &str) -> Arc<str> {
        let (folder, name) = split(printed);
        let length = |cassette: &&IndexedCassette| common_end(split(&cassette.path).0, folder);
        let nearest = self.cassettes.iter().max_by_key(length);
        let nearest = nearest.filter(|cassette| {
            let own = split(&cassette.path).0;
            let all = own.split('/').count();
            !own.is_empty() && (length(cassette) == all || length(cassette) > 1)
        });
        match nearest.map(|cassette| split(&cassette.path).0) {
            Some(folder) => format!("{folder}/{name}").into(),
            None => {
                // Without the folders of the machine that ran.
                let parts: Vec<&str> = printed.split('/').collect();
                let known = parts.iter().rposition(|part| *part == "cassettes");
                let start = known.map_or(parts.len().saturating_sub(3), |at| at.saturating_sub(1));
                parts[start..].join("/").into()
            }
        }
    }

    /// Finds the cassette of a test by the rules of pytest-recording and pytest-vcr, and by what the code around the cassettes says.
    fn find_by_test(&self, test: &TestName) -> FoundCassette {
        let full_name = test.with_class();
        if let Some(file) = test.file.as_deref().filter(|file| file.ends_with(".py")) {
            let (folder, module) = split(file);
            let module = module.trim_end_matches(".py");
            let name = cassette_name(&full_name);
            let at = |path: String| {
                let named = self.by_stem.get(stem(split(&path).1)).into_iter().flatten();
                let count = path.split('/').count();
                let mut fitting = named.filter(|at| {
                    let own = &self.cassettes[**at].path;
                    // The project may be opened below the folder in which the tests ran.
                    let equal = common_end(own, &path);
                    equal >= count.min(own.split('/').count())
                });
                fitting.next().copied().filter(|_| fitting.next().is_none())
            };
            let joined = |end: String| match folder {
                "" => end,
                folder => format!("{}/{end}", relative(folder)),
            };
            let found = ENDINGS.iter().take(4).find_map(|ending| {
                at(joined(format!("cassettes/{module}/{name}{ending}")))
                    .or_else(|| at(joined(format!("cassettes/{full_name}{ending}"))))
            });
            if let Some(at) = found.or_else(|| self.find_shortened(&name, module)) {
                return FoundCassette::At(at);
            }
            let bare_name = full_name.split('[').next().unwrap_or(&full_name);
            let of_test = |cassette: &IndexedCassette| {
                cassette.facts.test.as_ref().is_some_and(|test| {
                    let path = &test.origin.path;
                    *test.name == *bare_name
                        && common_end(path, file) >= path.split('/').count().min(2)
                })
            };
            let mut used = (0..self.cassettes.len()).filter(|at| of_test(&self.cassettes[*at]));
            if let Some(at) = used.next().filter(|_| used.next().is_none())
                // Of a test with parameters, another cassette is of other parameters.
                && (!full_name.contains('[') || !self.cassettes[at].path.contains('['))
            {
                return FoundCassette::At(at);
            }
            let path = joined(format!("cassettes/{module}/{name}.yaml"));
            return FoundCassette::Missing(self.place_of_missing(&path));
        }
        let letters = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = letters(&full_name);
        let named =
            self.by_stem.iter().filter(|(stem, _)| !wanted.is_empty() && letters(stem) == wanted);
        let named: Vec<usize> = named.flat_map(|(_, all)| all).copied().collect();
        match named[..] {
            [at] => FoundCassette::At(at),
            [] => FoundCassette::Unknown("Nothing in the log names its cassette".to_owned()),
            _ => self.ambiguous(&named),
        }
    }

    /// Finds a cassette whose name was too long, so that its end is a hash.
    fn find_shortened(&self, name: &str, module: &str) -> Option<usize> {
        let is_fitting = |at: &usize| {
            let (folder, file) = split(&self.cassettes[*at].path);
            let start = stem(file).rsplit_once("...").filter(|(_, hash)| hash.len() == 32);
            split(folder).1 == module && start.is_some_and(|(start, _)| name.starts_with(start))
        };
        let mut fitting = (0..self.cassettes.len()).filter(is_fitting);
        fitting.next().filter(|_| name.len() > 200 && fitting.next().is_none())
    }

    fn ambiguous(&self, several: &[usize]) -> FoundCassette {
        let names = several.iter().map(|at| quoted(&self.cassettes[*at].path));
        FoundCassette::Unknown(format!("It may play any of {}", some(names, MAX_NAMED_CASSETTES)))
    }

    /// Returns the cassette in the folder of a missing one whose test is gone and whose name is nearest to it, if one is. `is_equal` is
    /// whether it has recorded the request that was sent.
    pub(super) fn renamed(
        &self,
        missing: &str,
        is_equal: impl Fn(&IndexedCassette) -> bool,
    ) -> Option<&IndexedCassette> {
        let orphans = self.in_folder(missing).filter(|cassette| cassette.facts.orphan.is_some());
        let name = stem(split(missing).1);
        let score = |cassette: &IndexedCassette| {
            let words = shared_words(stem(split(&cassette.path).1), name);
            // The same request is a stronger sign than a name.
            words + if is_equal(cassette) { 1.0 } else { 0.0 }
        };
        let mut scored: Vec<(f64, &IndexedCassette)> =
            orphans.map(|cassette| (score(cassette), cassette)).collect();
        scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        match scored[..] {
            [(first, _), (second, _), ..] if first == second => None,
            [(first, cassette), ..] if first >= MIN_SHARED_WORDS => Some(cassette),
            _ => None,
        }
    }
}

/// Returns which part of the words of two names are equal.
fn shared_words(a: &str, b: &str) -> f64 {
    let words = |name: &str| -> Vec<String> {
        let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        parts.filter(|word| *word != "test").map(str::to_lowercase).collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.iter().filter(|word| b.contains(word)).count();
    // Of both names, so that words that were added count half.
    let all = (a.len() + b.len()).max(1);
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    2.0 * number(shared) / number(all)
}

/// Returns a folder without the part that only the machine that ran has.
fn relative(folder: &str) -> &str {
    folder.trim_start_matches('/').trim_start_matches("./")
}

/// Splits a path into its folder, which is empty without one, and its name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns a file name without the ending of a cassette.
pub(super) fn stem(name: &str) -> &str {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Counts the parts at the end of two paths that are equal.
pub(super) fn common_end(a: &str, b: &str) -> usize {
    // A name without an ending is that of a file with any.
    let is_equal = |(at, (a, b)): &(usize, (&str, &str))| a == b || *at == 0 && stem(a) == stem(b);
    a.rsplit('/').zip(b.rsplit('/')).enumerate().take_while(is_equal).count()
}
