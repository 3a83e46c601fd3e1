//! Resolves plain scalars: JSON numbers as JavaScript reads them, YAML 1.1 scalars as PyYAML does.
//!
//! PyYAML's behaviour is the reference here, not a specification: `1e3` and `0o17` are strings, `12:30` is the number
//! 750, and `2026-02-30` makes it refuse the whole file.

/// The type that PyYAML gives to a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// `~`, `null` or nothing.
    Null,
    Bool,
    Number,
    Timestamp,
    /// `<<`, which merges another mapping as a key, and is refused as a value.
    Merge,
    /// `=`, which is refused.
    Default,
    Text,
}

/// Resolves a plain scalar as PyYAML does.
pub fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Plain::Null,
        "<<" => Plain::Merge,
        "=" => Plain::Default,
        _ if is_boolean(text) => Plain::Bool,
        // No number or date begins with anything else; PyYAML, too, chooses its patterns by the first character.
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => Plain::Text,
        _ if is_float(text) || is_int(text) => Plain::Number,
        _ if Timestamp::read(text).is_some() => Plain::Timestamp,
        _ => Plain::Text,
    }
}

/// Returns whether PyYAML can construct the value of a resolved scalar. It fails for impossible dates.
pub(super) fn is_accepted(text: &str, plain: Plain) -> bool {
    match plain {
        Plain::Null | Plain::Bool | Plain::Text => true,
        Plain::Number => number(text).is_some(),
        Plain::Timestamp => Timestamp::read(text).is_some_and(|time| time.is_valid()),
        Plain::Merge | Plain::Default => false,
    }
}

/// Parses a JSON or YAML number: decimal, or as in YAML 1.1 binary, octal (`0777`), hexadecimal,
/// with underscores or in base 60 (`12:30`). Numbers out of range are infinite.
pub fn number(text: &str) -> Option<f64> {
    if text.contains('_') {
        return number(&text.replace('_', ""));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match digits.as_bytes() {
        [b'0', b'b', ..] => radix(&digits[2..], 2)?,
        [b'0', b'x', ..] => radix(&digits[2..], 16)?,
        [b'0', rest @ ..] if is_octal(rest) => radix(&digits[1..], 8)?,
        [b'.', b'i' | b'I', ..] => f64::INFINITY,
        [b'.', b'n' | b'N', ..] => f64::NAN,
        [b'0'..=b'9' | b'.', ..] if digits.contains(':') => base_60(digits)?,
        [b'0'..=b'9' | b'.', ..] => digits.parse().ok()?,
        _ => return None,
    };
    Some(sign * magnitude)
}

fn is_octal(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(|digit| matches!(digit, b'0'..=b'7'))
}

fn radix(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |value, digit| {
        Some(value * f64::from(radix) + f64::from(digit.to_digit(radix)?))
    })
}

fn base_60(digits: &str) -> Option<f64> {
    digits.split(':').try_fold(0.0, |value, part| Some(value * 60.0 + part.parse::<f64>().ok()?))
}

/// Parses a JSON or YAML 1.1 boolean.
pub fn boolean(text: &str) -> Option<bool> {
    let is_word = |word: &&str| text.eq_ignore_ascii_case(word);
    if ["true", "yes", "on"].iter().any(is_word) {
        return Some(true);
    }
    ["false", "no", "off"].iter().any(is_word).then_some(false)
}

/// Lower case, upper case or capitalised: `yEs` is a string.
fn is_boolean(text: &str) -> bool {
    let is_lower = text.get(1..).unwrap_or_default().bytes().all(|byte| byte.is_ascii_lowercase());
    let is_upper = text.bytes().all(|byte| byte.is_ascii_uppercase());
    boolean(text).is_some() && (is_lower || is_upper)
}

pub(super) fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_all = |text: &str, is_digit: fn(u8) -> bool| {
        !text.is_empty() && text.bytes().all(|byte| byte == b'_' || is_digit(byte))
    };
    match digits.as_bytes() {
        b"0" => true,
        [b'0', b'b', ..] => is_all(&digits[2..], |byte| matches!(byte, b'0' | b'1')),
        [b'0', b'x', ..] => is_all(&digits[2..], |byte| byte.is_ascii_hexdigit()),
        [b'0', ..] => is_all(&digits[1..], |byte| matches!(byte, b'0'..=b'7')),
        [b'1'..=b'9', ..] => {
            let (first, rest) = digits.split_once(':').unwrap_or((digits, ""));
            let rest_fits = digits.len() == first.len() || rest.split(':').all(is_sixtieth);
            is_all(first, |byte| byte.is_ascii_digit()) && rest_fits
        }
        _ => false,
    }
}

fn is_float(text: &str) -> bool {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let is_signed = text.starts_with(['+', '-']);
    let digits = if is_signed { &text[1..] } else { text };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let is_digits = |text: &str| text.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let starts_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    // `1e3` is a string to PyYAML, whose numbers with a fraction have a point.
    let Some((whole, fraction)) = digits.split_once('.') else { return false };
    if let Some((first, rest)) = whole.split_once(':') {
        let is_whole = starts_with_digit(first) && is_digits(first);
        return is_whole && rest.split(':').all(is_sixtieth) && is_digits(fraction);
    }
    let (fraction, exponent) = match fraction.split_once(['e', 'E']) {
        Some((fraction, exponent)) => (fraction, Some(exponent)),
        None => (fraction, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        // `1.0e3` is a string to PyYAML, which requires the sign.
        let digits = exponent.strip_prefix(['+', '-']);
        digits.is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    });
    let starts = match whole {
        // `.5` is a number to PyYAML, and `-.5` a string.
        "" => !is_signed && starts_with_digit(fraction),
        _ => starts_with_digit(whole),
    };
    starts && is_digits(whole) && is_digits(fraction) && exponent_fits
}

/// `0` to `59`, with or without a leading zero.
fn is_sixtieth(part: &str) -> bool {
    matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}

/// A date or time as YAML 1.1 writes it.
struct Timestamp {
    year: i16,
    month: i8,
    day: i8,
    /// Hour, minute, second.
    time: [u8; 3],
    /// Hours and minutes east or west of UTC.
    offset: [u8; 2],
}

impl Timestamp {
    fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut rest = bytes;
        let mut date = Self {
            // In two halves, because a `u8` holds no year.
            year: i16::from(digits(&mut rest, 2..=2)?) * 100,
            month: 0,
            day: 0,
            time: [0; 3],
            offset: [0; 2],
        };
        date.year += i16::from(digits(&mut rest, 2..=2)?);
        sign(&mut rest, b"-")?;
        date.month = digits(&mut rest, 1..=2)? as i8;
        sign(&mut rest, b"-")?;
        date.day = digits(&mut rest, 1..=2)? as i8;
        if rest.is_empty() {
            // Without a time, month and day need both digits.
            return (bytes.len() == "2026-02-15".len()).then_some(date);
        }
        if sign(&mut rest, b"Tt").is_none() {
            blanks(&mut rest, 1)?;
        }
        date.time[0] = digits(&mut rest, 1..=2)?;
        for part in 1..=2 {
            sign(&mut rest, b":")?;
            date.time[part] = digits(&mut rest, 2..=2)?;
        }
        if sign(&mut rest, b".").is_some() {
            while digits(&mut rest, 1..=1).is_some() {}
        }
        if rest.is_empty() {
            return Some(date);
        }
        blanks(&mut rest, 0)?;
        if sign(&mut rest, b"Z").is_none() {
            sign(&mut rest, b"+-")?;
            date.offset[0] = digits(&mut rest, 1..=2)?;
            if sign(&mut rest, b":").is_some() {
                date.offset[1] = digits(&mut rest, 2..=2)?;
            }
        }
        rest.is_empty().then_some(date)
    }

    /// True when Python's `datetime` takes it.
    fn is_valid(&self) -> bool {
        let [hour, minute, second] = self.time;
        let minutes_off = u32::from(self.offset[0]) * 60 + u32::from(self.offset[1]);
        // Python has no year 0.
        self.year > 0
            && jiff::civil::Date::new(self.year, self.month, self.day).is_ok()
            && hour < 24
            && minute < 60
            // Python has no leap seconds.
            && second < 60
            // `timezone` takes less than a day.
            && minutes_off < 24 * 60
    }
}

/// Takes digits, as many as `count` allows.
fn digits(rest: &mut &[u8], count: std::ops::RangeInclusive<usize>) -> Option<u8> {
    let len = rest.iter().take(*count.end()).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, tail) = rest.split_at_checked(len)?;
    if !count.contains(&len) {
        return None;
    }
    *rest = tail;
    Some(digits.iter().fold(0, |value, byte| value * 10 + (byte - b'0')))
}

/// Takes one of `signs`.
fn sign(rest: &mut &[u8], signs: &[u8]) -> Option<()> {
    let (first, tail) = rest.split_first()?;
    *rest = signs.contains(first).then_some(tail)?;
    Some(())
}

/// Takes spaces and tabs, at least `min`.
fn blanks(rest: &mut &[u8], min: usize) -> Option<()> {
    let len = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
    *rest = rest.get(len..).filter(|_| len >= min)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of PyYAML 6.0.3: text, tag, and the value as a float or boolean, or `refused`.
    const PYYAML_TABLE: &str = include_str!("scalar/pyyaml.tsv");

    #[test]
    fn plain_scalars_are_what_pyyaml_makes_of_them() {
        let mut count = 0;
        for line in PYYAML_TABLE.lines() {
            let mut columns = line.split('\t');
            let mut column = || columns.next().unwrap_or_default();
            let (text, tag, value) = (column(), column(), column());
            let expected = match tag {
                "null" => Plain::Null,
                "bool" => Plain::Bool,
                "int" | "float" => Plain::Number,
                "timestamp" => Plain::Timestamp,
                "merge" => Plain::Merge,
                "value" => Plain::Default,
                _ => Plain::Text,
            };
            assert_eq!(resolve(text), expected, "{line}");
            assert_eq!(is_accepted(text, expected), value != "refused", "{line}");
            if expected == Plain::Number && value != "refused" {
                let value: f64 = value.parse().unwrap();
                let read = number(text).unwrap();
                let is_same = read == value || read.is_nan() && value.is_nan();
                assert!(is_same, "{line}: {read}");
            }
            if expected == Plain::Bool {
                assert_eq!(boolean(text), value.parse().ok(), "{line}");
            }
            count += 1;
        }
        assert!(count > 700);
    }

    #[test]
    fn json_numbers_are_those_of_javascript() {
        assert_eq!(number("1e400"), Some(f64::INFINITY));
        assert_eq!(number("-1E5"), Some(-100_000.0));
        assert!(number("-0").is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
        assert_eq!(number("0.5e-7"), Some(0.5e-7));
    }
}
