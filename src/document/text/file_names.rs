//! Names of files: their order, and the folder that they share.

use std::cmp::Ordering;

/// Compares texts with the numbers in them by value: `turn-2` is before `turn-10`. Playback uses a different order.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let start = equal_start(a, b);
    let (mut left, mut right) = (&a[start..], &b[start..]);
    loop {
        match (left.chars().next(), right.chars().next()) {
            // Equal up to leading zeros, as `a01` and `a1`: the order must still distinguish them.
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left_number, left_rest) = leading_number(left);
                let (right_number, right_rest) = leading_number(right);
                // By length, then digit by digit: a number in a name may be too large for every integer type.
                let order = left_number
                    .len()
                    .cmp(&right_number.len())
                    .then_with(|| left_number.cmp(right_number));
                if order != Ordering::Equal {
                    return order;
                }
                (left, right) = (left_rest, right_rest);
            }
            (Some(x), Some(y)) if x != y => return x.cmp(&y),
            (Some(x), Some(_)) => (left, right) = (&left[x.len_utf8()..], &right[x.len_utf8()..]),
        }
    }
}

/// Returns the length of the beginning that two texts share, up to the number or the character in which they differ: names in one folder
/// differ only near their ends.
fn equal_start(a: &str, b: &str) -> usize {
    let equal_len = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let number_start = a.as_bytes()[..equal_len].iter().rposition(|byte| !byte.is_ascii_digit());
    a.floor_char_boundary(number_start.map_or(0, |at| at + 1))
}

/// Splits off the digits that a text starts with, without leading zeros.
fn leading_number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

/// Returns the length in bytes of the common folder of all paths, with its trailing `/`; 0 if there is none.
pub fn common_folder(paths: &[impl AsRef<str>]) -> usize {
    let Some((first, rest)) = paths.split_first() else { return 0 };
    let first = first.as_ref();
    let shared_with =
        |path: &str| first.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    let len = rest.iter().map(|path| shared_with(path.as_ref())).min().unwrap_or(first.len());
    // Equal bytes may end inside a name: `runs/a1` and `runs/a2` share only `runs/`.
    first.as_bytes()[..len].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
}

/// Returns whether a file name has one of these endings, in upper or lower case.
pub fn has_ending(file_name: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| {
        let start = file_name.len().checked_sub(ending.len());
        let end = start.and_then(|start| file_name.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::cases;

    /// Compares texts piece by piece from their beginnings: numbers, and characters between them.
    fn plain_order(a: &str, b: &str) -> Ordering {
        fn pieces(text: &str) -> Vec<(char, usize, &str)> {
            let mut rest = text;
            let mut pieces = Vec::new();
            while let Some(first) = rest.chars().next() {
                let (number, tail) = leading_number(rest);
                let is_number = first.is_ascii_digit();
                pieces.push((first, if is_number { number.len() } else { 0 }, number));
                rest = if is_number { tail } else { &rest[first.len_utf8()..] };
            }
            pieces
        }
        let order = |(x, y): (&(char, usize, &str), &(char, usize, &str))| {
            let are_numbers = x.0.is_ascii_digit() && y.0.is_ascii_digit();
            if are_numbers { (x.1, x.2).cmp(&(y.1, y.2)) } else { x.0.cmp(&y.0) }
        };
        let (left, right) = (pieces(a), pieces(b));
        let first_difference = left.iter().zip(&right).map(order).find(|order| order.is_ne());
        first_difference.unwrap_or(left.len().cmp(&right.len()).then_with(|| a.cmp(b)))
    }

    proptest! {
        #![proptest_config(cases(2000))]

        #[test]
        fn a_shared_beginning_does_not_change_the_order(
            start in "[a0-2é/è]{0,5}", a in "[a0-2é/è😀]{0,5}", b in "[a0-2é/è😀]{0,5}",
        ) {
            let (a, b) = (format!("{start}{a}"), format!("{start}{b}"));
            prop_assert_eq!(natural_order(&a, &b), plain_order(&a, &b), "{} {}", a, b);
        }
    }

    #[test]
    fn the_folder_that_all_paths_are_in_is_found() {
        let folder = |paths: &[&str]| paths[0][..common_folder(paths)].to_owned();
        assert_eq!(folder(&["a/b/run-1/x", "a/b/run-2/x"]), "a/b/");
        assert_eq!(folder(&["a/b/x", "a/b/xy"]), "a/b/");
        assert_eq!(folder(&["a/x"]), "a/");
        assert_eq!(folder(&["x", "a/x"]), "");
        assert_eq!(common_folder(&[""; 0]), 0);
    }
}
