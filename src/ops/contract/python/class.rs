//! Character classes and escapes, as Python has them.

use super::Fault;

/// What a set of letters is based on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// All of Unicode, which is Python's habit.
    Unicode,
    /// ASCII, with the flag `a`.
    Ascii,
}

/// What an escape stands for, in a class or outside.
pub(super) enum Escape {
    /// One character.
    Char(char),
    /// A set: what stands between the brackets, and whether all else is meant.
    Set(&'static str, bool),
    /// A place: `\b`, `\Z`.
    Place(char),
    /// What a group has matched.
    Group(usize),
}

/// The set that a letter such as `d` means, and whether its capital was given.
pub(super) fn set(letter: char, letters: Letters) -> Option<(&'static str, bool)> {
    let inside = match (letter.to_ascii_lowercase(), letters) {
        ('d', Letters::Unicode) => r"\p{Nd}",
        ('d', Letters::Ascii) => "0-9",
        ('w', Letters::Unicode) => r"\p{L}\p{N}_",
        ('w', Letters::Ascii) => "A-Za-z0-9_",
        ('s', Letters::Unicode) => r"\p{White_Space}\x1c-\x1f",
        ('s', Letters::Ascii) => r" \t\n\r\x0b\x0c",
        _ => return None,
    };
    Some((inside, letter.is_ascii_uppercase()))
}

/// Reads what stands behind a backslash; gives how many bytes it takes.
pub(super) fn escape(
    rest: &str,
    letters: Letters,
    in_class: bool,
) -> Result<(Escape, usize), Fault> {
    let invalid = |reason: String| Err(Fault::Invalid(reason));
    let Some(first) = rest.chars().next() else {
        return invalid("bad escape at the end of the pattern".to_owned());
    };
    if let Some((inside, negated)) = set(first, letters) {
        return Ok((Escape::Set(inside, negated), 1));
    }
    let plain = match first {
        'a' => Some('\x07'),
        'f' => Some('\x0c'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\x0b'),
        'b' if in_class => Some('\x08'),
        _ => None,
    };
    if let Some(plain) = plain {
        return Ok((Escape::Char(plain), 1));
    }
    match first {
        'x' => hex(rest, 2),
        'u' => hex(rest, 4),
        'U' => hex(rest, 8),
        'N' => Err(Fault::Beyond(
            "Characters by their names (`\\N{…}`) are not known here".to_owned(),
        )),
        'A' | 'b' | 'B' | 'Z' if !in_class => Ok((Escape::Place(first), 1)),
        '0'..='9' => digits(rest, in_class),
        _ if first.is_ascii_alphabetic() => invalid(format!("bad escape \\{first}")),
        _ => Ok((Escape::Char(first), first.len_utf8())),
    }
}

fn hex(rest: &str, len: usize) -> Result<(Escape, usize), Fault> {
    let digits = rest
        .get(1..=len)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match code.map(char::from_u32) {
        Some(Some(character)) => Ok((Escape::Char(character), len + 1)),
        Some(None) if len < 8 => Err(Fault::Beyond(
            "Half a surrogate pair is no character here".to_owned(),
        )),
        _ => Err(Fault::Invalid(
            "incomplete or bad escape of a character's code".to_owned(),
        )),
    }
}

/// An octal code, or outside of a class a group's number.
fn digits(rest: &str, in_class: bool) -> Result<(Escape, usize), Fault> {
    let count = |limit: usize, is_digit: fn(&u8) -> bool| {
        rest.bytes().take(limit).take_while(is_digit).count()
    };
    let octal = count(3, |byte| matches!(byte, b'0'..=b'7'));
    let is_octal = rest.starts_with('0') || octal == 3 || in_class && octal > 0;
    if is_octal {
        let code = u32::from_str_radix(&rest[..octal], 8).unwrap_or_default();
        return match char::from_u32(code).filter(|_| code <= 0o377) {
            Some(character) => Ok((Escape::Char(character), octal)),
            None => Err(Fault::Invalid(
                "octal escape value outside of range 0-0o377".to_owned(),
            )),
        };
    }
    if in_class {
        return Err(Fault::Invalid(format!("bad escape \\{}", &rest[..1])));
    }
    let len = count(2, u8::is_ascii_digit);
    Ok((Escape::Group(rest[..len].parse().unwrap_or_default()), len))
}

/// A character as the engine reads it, in a class or outside.
pub(super) fn literal(written: &mut String, character: char) {
    match character {
        c if c.is_alphanumeric() || c == '_' => written.push(c),
        c if c.is_ascii_graphic() => written.extend(['\\', c]),
        c => written.push_str(&format!("\\x{{{:x}}}", c as u32)),
    }
}

/// Reads a class behind its opening bracket and writes it; gives how many bytes it took.
pub(super) fn class(rest: &str, letters: Letters, written: &mut String) -> Result<usize, Fault> {
    let unended = || Fault::Invalid("unterminated character set".to_owned());
    let mut at = 0;
    written.push('[');
    if rest.starts_with('^') {
        written.push('^');
        at = 1;
    }
    let start = at;
    loop {
        let first = rest[at..].chars().next().ok_or_else(unended)?;
        if first == ']' && at > start {
            written.push(']');
            return Ok(at + 1);
        }
        let (from, len) = member(&rest[at..], letters)?;
        at += len;
        let is_range =
            rest[at..].starts_with('-') && !rest[at..].starts_with("-]") && rest.len() > at + 1;
        let Some(from) = from.write(written) else {
            if is_range {
                return Err(Fault::Invalid("bad character range".to_owned()));
            }
            continue;
        };
        if !is_range {
            literal(written, from);
            continue;
        }
        let (to, len) = member(&rest[at + 1..], letters)?;
        let Member::Char(to) = to else {
            return Err(Fault::Invalid("bad character range".to_owned()));
        };
        if to < from {
            return Err(Fault::Invalid("bad character range".to_owned()));
        }
        literal(written, from);
        written.push('-');
        literal(written, to);
        at += 1 + len;
    }
}

enum Member {
    Char(char),
    Set(&'static str, bool),
}

impl Member {
    /// Writes a set; gives back a character, which may begin a range.
    fn write(self, written: &mut String) -> Option<char> {
        match self {
            Self::Char(character) => return Some(character),
            Self::Set(inside, false) => written.push_str(inside),
            Self::Set(inside, true) => written.push_str(&format!("[^{inside}]")),
        }
        None
    }
}

fn member(rest: &str, letters: Letters) -> Result<(Member, usize), Fault> {
    let first = rest
        .chars()
        .next()
        .ok_or_else(|| Fault::Invalid("unterminated character set".to_owned()))?;
    if first != '\\' {
        return Ok((Member::Char(first), first.len_utf8()));
    }
    let (escape, len) = escape(&rest[1..], letters, true)?;
    let member = match escape {
        Escape::Char(character) => Member::Char(character),
        Escape::Set(inside, negated) => Member::Set(inside, negated),
        Escape::Place(letter) => return Err(Fault::Invalid(format!("bad escape \\{letter}"))),
        Escape::Group(number) => return Err(Fault::Invalid(format!("bad escape \\{number}"))),
    };
    Ok((member, len + 1))
}
