//! Names of files: their order, and the folder that they share.

use std::cmp::Ordering;

/// Compares texts with the numbers in them by value: `turn-2` is before `turn-10`. Playback uses a different order.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
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
    use super::*;

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
