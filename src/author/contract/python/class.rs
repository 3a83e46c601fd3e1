//! Character classes and escapes, as Python has them.

use super::{Parsed, invalid, unsupported};

/// Characters from which a set of letters is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LetterSet {
    /// All of Unicode, Python's default.
    Unicode,
    /// ASCII, with the flag `a`.
    Ascii,
}

/// Other cases of a letter that match it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseMatching {
    /// None.
    Exact,
    /// Those of ASCII letters, with the flags `a` and `i`. The engine is left case-sensitive.
    Ascii,
    /// All of Unicode, with the flag `i`. The engine ignores case, too.
    Unicode,
}

/// The letters that Python takes for one another, and the engine does not: to Python the lower case of `İ` is `i`, and `ı`
/// is another case of `i`. In all else the simple case folding of Unicode and Python's own table agree.
const DOTTED_AND_DOTLESS: &str = "iIİı";

/// The meaning of an escape, inside or outside of a class.
pub(super) enum PatternEscape {
    Char(char),
    /// A set: the text between the brackets, and whether it is negated.
    Set(&'static str, bool),
    /// A place: `\b`, `\Z`.
    Place(char),
    /// The text that a group has matched.
    Group(usize),
}

/// Returns the set that a letter such as `d` means, and whether its capital was given.
pub(super) fn set(letter: char, letters: LetterSet) -> Option<(&'static str, bool)> {
    let inside = match (letter.to_ascii_lowercase(), letters) {
        ('d', LetterSet::Unicode) => r"\p{Nd}",
        ('d', LetterSet::Ascii) => "0-9",
        // Python's `isalnum()` without marks, which `\w` of the engine includes.
        ('w', LetterSet::Unicode) => r"\p{L}\p{N}_",
        ('w', LetterSet::Ascii) => "A-Za-z0-9_",
        // Python's `isspace()` includes the separators of ASCII.
        ('s', LetterSet::Unicode) => r"\p{White_Space}\x1c-\x1f",
        ('s', LetterSet::Ascii) => r" \t\n\r\x0b\x0c",
        _ => return None,
    };
    Some((inside, letter.is_ascii_uppercase()))
}

/// Reads an escape after its backslash; returns how many bytes it has.
pub(super) fn escape(
    rest: &str,
    letters: LetterSet,
    in_class: bool,
) -> Parsed<(PatternEscape, usize)> {
    let Some(first) = rest.chars().next() else {
        return invalid("bad escape at the end of the pattern");
    };
    if let Some((inside, negated)) = set(first, letters) {
        return Ok((PatternEscape::Set(inside, negated), 1));
    }
    let plain = |character: char| Ok((PatternEscape::Char(character), 1));
    match first {
        'a' => plain('\x07'),
        'f' => plain('\x0c'),
        'n' => plain('\n'),
        'r' => plain('\r'),
        't' => plain('\t'),
        'v' => plain('\x0b'),
        // Outside of a class it is a word boundary.
        'b' if in_class => plain('\x08'),
        'x' => hex(rest, 2),
        'u' => hex(rest, 4),
        'U' => hex(rest, 8),
        'N' => unsupported("Named characters (`\\N{…}`) are not supported here"),
        'A' | 'b' | 'B' | 'Z' if !in_class => Ok((PatternEscape::Place(first), 1)),
        '0'..='9' => digits(rest, in_class),
        // Python reserves all other letters for escapes to come.
        _ if first.is_ascii_alphabetic() => invalid(format!("bad escape \\{first}")),
        _ => Ok((PatternEscape::Char(first), first.len_utf8())),
    }
}

fn hex(rest: &str, len: usize) -> Parsed<(PatternEscape, usize)> {
    let digits = rest.get(1..=len).filter(|d| d.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match code.map(char::from_u32) {
        Some(Some(character)) => Ok((PatternEscape::Char(character), len + 1)),
        Some(None) if len < 8 => unsupported("An unpaired surrogate is not supported here"),
        _ => invalid("incomplete or bad escape of a character's code"),
    }
}

/// Returns an octal code, or outside of a class a group's number.
fn digits(rest: &str, in_class: bool) -> Parsed<(PatternEscape, usize)> {
    let count =
        |cap: usize, is_digit: fn(&u8) -> bool| rest.bytes().take(cap).take_while(is_digit).count();
    let octal = count(3, |byte| matches!(byte, b'0'..=b'7'));
    // Three octal digits are a character, even if a group has that number.
    let is_octal = rest.starts_with('0') || octal == 3 || in_class && octal > 0;
    if is_octal {
        let code = u32::from_str_radix(&rest[..octal], 8).unwrap_or_default();
        return match char::from_u32(code).filter(|_| code <= 0o377) {
            Some(character) => Ok((PatternEscape::Char(character), octal)),
            None => invalid("octal escape value outside of range 0-0o377"),
        };
    }
    if in_class {
        return invalid(format!("bad escape \\{}", &rest[..1]));
    }
    // Python refers to at most 99 groups in this way.
    let len = count(2, u8::is_ascii_digit);
    Ok((PatternEscape::Group(rest[..len].parse().unwrap_or_default()), len))
}

/// Writes a character and its other cases, outside of a class.
pub(super) fn literal(regex: &mut String, character: char, case: CaseMatching) {
    let others = others(character, case);
    if others.is_empty() {
        return plain(regex, character);
    }
    regex.push('[');
    plain(regex, character);
    others.chars().for_each(|other| plain(regex, other));
    regex.push(']');
}

/// Returns the other cases of a character that the engine does not find by itself.
fn others(sign: char, case: CaseMatching) -> String {
    match case {
        CaseMatching::Unicode if DOTTED_AND_DOTLESS.contains(sign) => DOTTED_AND_DOTLESS.to_owned(),
        CaseMatching::Ascii if sign.is_ascii_lowercase() => sign.to_ascii_uppercase().to_string(),
        CaseMatching::Ascii if sign.is_ascii_uppercase() => sign.to_ascii_lowercase().to_string(),
        _ => String::new(),
    }
}

/// Writes a set such as that of `\w`, with all else meant where it is negated. What is no case of a letter in it stays out.
pub(super) fn set_of(inside: &str, negated: bool, case: CaseMatching) -> String {
    let not = if negated { "^" } else { "" };
    match case {
        CaseMatching::Unicode => format!("(?-i:[{not}{inside}])"),
        CaseMatching::Exact | CaseMatching::Ascii => format!("[{not}{inside}]"),
    }
}

/// Writes a character as the engine reads it, in a class or outside.
fn plain(regex: &mut String, character: char) {
    match character {
        c if c.is_alphanumeric() || c == '_' => regex.push(c),
        // Signs without a meaning are escaped, too: `&&` and `--` are operations on sets in the engine.
        c if c.is_ascii_graphic() => regex.extend(['\\', c]),
        c => regex.push_str(&format!("\\x{{{:x}}}", c as u32)),
    }
}

/// Reads a class behind its opening bracket and writes it; gives how many bytes it took.
pub(super) fn class(
    rest: &str,
    letters: LetterSet,
    case: CaseMatching,
    regex: &mut String,
) -> Parsed<usize> {
    let negated = rest.starts_with('^');
    let start = usize::from(negated);
    let mut at = start;
    let (mut sets, mut chars) = (String::new(), String::new());
    loop {
        // A bracket right at the beginning is a member of the class.
        if rest[at..].starts_with(']') && at > start {
            write_class(regex, &sets, &chars, negated, case);
            return Ok(at + 1);
        }
        let (from, len) = member(&rest[at..], letters)?;
        at += len;
        let is_range =
            rest[at..].starts_with('-') && !rest[at..].starts_with("-]") && rest.len() > at + 1;
        let from = match from {
            Member::Char(from) => from,
            Member::Set(..) if is_range => return invalid("bad character range"),
            Member::Set(inside, false) => {
                sets.push_str(inside);
                continue;
            }
            Member::Set(inside, true) => {
                sets.push_str(&format!("[^{inside}]"));
                continue;
            }
        };
        let mut to = from;
        if is_range {
            let (last, len) = member(&rest[at + 1..], letters)?;
            match last {
                Member::Char(last) if last >= from => to = last,
                _ => return invalid("bad character range"),
            }
            at += 1 + len;
        }
        range(&mut chars, from, to, case)?;
    }
}

/// Writes the characters from one to another, with their other cases.
fn range(chars: &mut String, from: char, to: char, case: CaseMatching) -> Parsed<()> {
    const LAST_OF_BMP: char = '\u{ffff}';
    let has_case = from.to_lowercase().ne([from]) || from.to_uppercase().ne([from]);
    if case == CaseMatching::Unicode
        && to > LAST_OF_BMP
        && (from <= LAST_OF_BMP || from == to && has_case)
    {
        return unsupported(
            "Letters above U+FFFF in a set are not supported here, because Python compares them differently",
        );
    }
    plain(chars, from);
    if to > from {
        chars.push('-');
        plain(chars, to);
    }
    let is_in = |c: &char| (from..=to).contains(c);
    match case {
        CaseMatching::Exact => {}
        CaseMatching::Ascii => ('A'..='Z')
            .chain('a'..='z')
            .filter(is_in)
            .for_each(|letter| chars.push_str(&others(letter, case))),
        CaseMatching::Unicode if DOTTED_AND_DOTLESS.chars().any(|c| is_in(&c)) => {
            DOTTED_AND_DOTLESS.chars().for_each(|c| plain(chars, c));
        }
        CaseMatching::Unicode => {}
    }
    Ok(())
}

/// Writes a class of sets and characters. Where the engine ignores case, sets are kept from that: to the engine a mark such
/// as U+0345 is another case of a letter.
fn write_class(regex: &mut String, sets: &str, chars: &str, negated: bool, case: CaseMatching) {
    let not = if negated { "^" } else { "" };
    let class = match (case, sets, chars) {
        (CaseMatching::Exact | CaseMatching::Ascii, ..) | (_, "", _) => {
            format!("[{not}{sets}{chars}]")
        }
        (CaseMatching::Unicode, _, "") => set_of(sets, negated, case),
        (CaseMatching::Unicode, ..) if negated => {
            format!("(?:(?!{})[^{chars}])", set_of(sets, false, case))
        }
        (CaseMatching::Unicode, ..) => format!("(?:{}|[{chars}])", set_of(sets, false, case)),
    };
    regex.push_str(&class);
}

enum Member {
    Char(char),
    Set(&'static str, bool),
}

fn member(rest: &str, letters: LetterSet) -> Parsed<(Member, usize)> {
    let Some(first) = rest.chars().next() else { return invalid("unterminated character set") };
    if first != '\\' {
        return Ok((Member::Char(first), first.len_utf8()));
    }
    let (escape, len) = escape(&rest[1..], letters, true)?;
    let member = match escape {
        PatternEscape::Char(character) => Member::Char(character),
        PatternEscape::Set(inside, negated) => Member::Set(inside, negated),
        PatternEscape::Place(letter) => return invalid(format!("bad escape \\{letter}")),
        PatternEscape::Group(number) => return invalid(format!("bad escape \\{number}")),
    };
    Ok((member, len + 1))
}
