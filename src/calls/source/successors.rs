//! Finds the new sources that continue removed ones.

use std::cmp::Reverse;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt as _};

use document::files::file_name;

/// The text of an added or removed source. Line endings are ignored.
#[derive(Clone, Debug)]
pub struct SourceText {
    path: Box<str>,
    /// The hash of the whole text.
    whole: u64,
    /// Every line as its hash and its length, in order of the hashes.
    lines: Vec<(u64, usize)>,
    /// The length of all lines.
    length: usize,
}

/// Percentage of the longer of two texts that must be in the other to treat one as the successor of the other; git has the same for
/// renames.
const MIN_SIMILARITY: usize = 50;

/// More pairs than these are not compared line by line, unless the file's name stayed the same.
const MAX_PAIRS: usize = 40_000;

/// Similarity of equal texts, in percent.
const FULL_SIMILARITY: usize = 100;

impl SourceText {
    /// Returns a source at a path.
    pub fn new(path: &str, bytes: &[u8]) -> Self {
        let hasher = FixedState::default();
        let mut lines: Vec<_> = bytes
            .split(|byte| *byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            // With the line end, so that empty lines count as well.
            .map(|line| (hasher.hash_one(line), line.len() + 1))
            .collect();
        // Before the lines are sorted: the order of lines is a part of the text.
        let whole = hasher.hash_one(&lines);
        lines.sort_unstable();
        Self { path: path.into(), whole, length: lines.iter().map(|(_, n)| n).sum(), lines }
    }

    /// Returns how much of the longer text is in the other, in percent.
    fn similarity(&self, other: &Self) -> usize {
        let (mut ours, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut shared_length = 0;
        while let (Some(our), Some(their)) = (ours.peek(), theirs.peek()) {
            match our.cmp(their) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared_length += our.1;
                    ours.next();
                    theirs.next();
                }
            }
        }
        shared_length * FULL_SIMILARITY / self.length.max(other.length).max(1)
    }
}

/// Returns for each removed source the indices of the added sources that continue it, the most similar first.
///
/// Each added source continues the removed source that it is most similar to; of several, one with the same name. If
/// a file has the same text, files that are only similar are not considered.
pub fn successors(old_sources: &[SourceText], new_sources: &[SourceText]) -> Vec<Vec<usize>> {
    let mut origins_by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    for (origin, text) in old_sources.iter().enumerate() {
        origins_by_hash.entry(text.whole).or_default().push(origin);
    }
    let all_origins: Vec<usize> = (0..old_sources.len()).collect();
    let are_few = old_sources.len() * new_sources.len() <= MAX_PAIRS;
    let mut matches: Vec<Vec<(usize, usize)>> = vec![Vec::new(); old_sources.len()];
    for (index, text) in new_sources.iter().enumerate() {
        let origins = origins_by_hash.get(&text.whole);
        let similarity = |origin: &usize| {
            let source = &old_sources[*origin];
            let keeps_name = file_name(&source.path) == file_name(&text.path);
            let similarity = match origins {
                Some(_) => FULL_SIMILARITY,
                // The same lines in another order are similar, but not the same text.
                None if are_few || keeps_name => source.similarity(text).min(FULL_SIMILARITY - 1),
                None => 0,
            };
            (similarity, keeps_name)
        };
        let candidates = origins.unwrap_or(&all_origins);
        let Some(best) = candidates.iter().map(similarity).max() else { continue };
        if best.0 >= MIN_SIMILARITY {
            let origins = candidates.iter().filter(|origin| similarity(origin) == best);
            origins.for_each(|origin| matches[*origin].push((best.0, index)));
        }
    }
    matches.into_iter().map(likeliest_first).collect()
}

fn likeliest_first(mut matches: Vec<(usize, usize)>) -> Vec<usize> {
    matches.sort_by_key(|(similarity, _)| Reverse(*similarity));
    if matches.first().map(|(similarity, _)| *similarity) == Some(FULL_SIMILARITY) {
        matches.retain(|(similarity, _)| *similarity == FULL_SIMILARITY);
    }
    matches.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists the successors of each removed source, by path.
    fn describe_successors(old_sources: &[(&str, &str)], new_sources: &[(&str, &str)]) -> String {
        let texts = |pairs: &[(&str, &str)]| -> Vec<SourceText> {
            pairs.iter().map(|(path, text)| SourceText::new(path, text.as_bytes())).collect()
        };
        let indices = successors(&texts(old_sources), &texts(new_sources));
        let line = |(index, successors): (usize, &Vec<usize>)| {
            let names: Vec<&str> = successors.iter().map(|i| new_sources[*i].0).collect();
            format!("{}: {}", old_sources[index].0, names.join(", "))
        };
        indices.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_same_text_goes_before_what_resembles_it_whatever_its_line_ends() {
        insta::assert_snapshot!(
            describe_successors(&[("a", "1\n2\n3\n")], &[("b", "1\n2\n3\n4\n"), ("c", "1\r\n2\r\n3\r\n"), ("d", "1\n2\n3\n")]),
            @"a: c, d"
        );
    }

    #[test]
    fn what_resembles_it_is_offered_with_the_likeliest_first_and_the_rest_is_not() {
        insta::assert_snapshot!(
            describe_successors(
                &[("a", "1\n2\n3\n4\n")],
                &[("half", "1\n2\nx\ny\n"), ("most", "0\n1\n2\n3\n4\n"), ("little", "1\nx\ny\nz\n")]
            ),
            @"a: most, half"
        );
        insta::assert_snapshot!(describe_successors(&[("empty", "")], &[("b", "1\n")]), @"empty: ");
        insta::assert_snapshot!(describe_successors(&[("a", "1\n")], &[]), @"a: ");
    }

    #[test]
    fn when_many_move_each_goes_on_with_its_own() {
        let texts = |folder: &str, last: &str| -> Vec<(String, String)> {
            let text = |n: usize| format!("machine\nmodel\ntools\nnode {n}\n{last}");
            let path = |n: usize| format!("{folder}/m{n}");
            (0..4).map(|n| (path(n), text(n))).collect()
        };
        let (old, new) = (texts("old", ""), texts("new", "more\n"));
        let of = |texts: &[(String, String)]| -> Vec<(String, String)> { texts.to_vec() };
        let (old, new) = (of(&old), of(&new));
        let view = |texts: &[(String, String)]| -> Vec<(&'static str, &'static str)> {
            texts
                .iter()
                .map(|(path, text)| (&*path.clone().leak(), &*text.clone().leak()))
                .collect()
        };
        insta::assert_snapshot!(describe_successors(&view(&old), &view(&new)), @"
        old/m0: new/m0
        old/m1: new/m1
        old/m2: new/m2
        old/m3: new/m3
        ");
        // Equal texts are distinguished by their names.
        insta::assert_snapshot!(
            describe_successors(&[("old/x", "same\n"), ("old/y", "same\n")], &[("new/y", "same\n"), ("new/x", "same\n")]),
            @"
        old/x: new/x
        old/y: new/y
        "
        );
    }
}
