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
const MOST_PAIRS: usize = 40_000;

/// Similarity of equal texts, in percent.
const SAME: usize = 100;

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
        Self {
            path: path.into(),
            whole,
            length: lines.iter().map(|(_, length)| length).sum(),
            lines,
        }
    }

    /// Returns how much of the longer text is in the other, in percent.
    fn similarity(&self, other: &Self) -> usize {
        let (mut ours, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut shared = 0;
        while let (Some(our), Some(their)) = (ours.peek(), theirs.peek()) {
            match our.cmp(their) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += our.1;
                    ours.next();
                    theirs.next();
                }
            }
        }
        shared * SAME / self.length.max(other.length).max(1)
    }
}

/// Returns for each removed source the indices of the added sources that continue it, the most similar first.
///
/// Each added source continues the removed source that it is most similar to; of several, one with the same name. If
/// a file has the same text, files that are only similar are not considered.
pub fn successors(went: &[SourceText], came: &[SourceText]) -> Vec<Vec<usize>> {
    let mut same: HashMap<u64, Vec<usize>> = HashMap::new();
    for (origin, text) in went.iter().enumerate() {
        same.entry(text.whole).or_default().push(origin);
    }
    let all: Vec<usize> = (0..went.len()).collect();
    let are_few = went.len() * came.len() <= MOST_PAIRS;
    let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new(); went.len()];
    for (index, text) in came.iter().enumerate() {
        let origins = same.get(&text.whole);
        let similarity = |origin: &usize| {
            let went = &went[*origin];
            let keeps_name = file_name(&went.path) == file_name(&text.path);
            let similarity = match origins {
                Some(_) => SAME,
                // The same lines in another order are similar, but not the same text.
                None if are_few || keeps_name => went.similarity(text).min(SAME - 1),
                None => 0,
            };
            (similarity, keeps_name)
        };
        let candidates = origins.unwrap_or(&all);
        let Some(most) = candidates.iter().map(similarity).max() else { continue };
        if most.0 >= MIN_SIMILARITY {
            let origins = candidates.iter().filter(|origin| similarity(origin) == most);
            origins.for_each(|origin| found[*origin].push((most.0, index)));
        }
    }
    found.into_iter().map(likeliest_first).collect()
}

fn likeliest_first(mut found: Vec<(usize, usize)>) -> Vec<usize> {
    found.sort_by_key(|(similarity, _)| Reverse(*similarity));
    if found.first().map(|(similarity, _)| *similarity) == Some(SAME) {
        found.retain(|(similarity, _)| *similarity == SAME);
    }
    found.into_iter().map(|(_, index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists the successors of each removed source, by path.
    fn describe_successors(went: &[(&str, &str)], came: &[(&str, &str)]) -> String {
        let texts = |of: &[(&str, &str)]| -> Vec<SourceText> {
            of.iter().map(|(path, text)| SourceText::new(path, text.as_bytes())).collect()
        };
        let found = successors(&texts(went), &texts(came));
        let line = |(index, found): (usize, &Vec<usize>)| {
            let names: Vec<&str> = found.iter().map(|found| came[*found].0).collect();
            format!("{}: {}", went[index].0, names.join(", "))
        };
        found.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
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
