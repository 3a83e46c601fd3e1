//! Numbers with units: the unit of a field, derived from its key, and parsing of typed numbers.

use crate::edit::JsonValue;
use crate::text::named_enum;

named_enum! {
    /// The unit of the numbers in a field.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Unit {
        /// Billionths of a second.
        Nanoseconds = "ns",
        /// Thousandths of a second.
        Milliseconds = "ms",
        Seconds = "s",
        Bytes = "bytes",
    }

    /// Returns the name shown after the number.
    pub fn name;
}

/// Suffixes of keys that name their unit. A key may also be only the suffix.
const KEY_SUFFIXES: [(&[&str], Unit); 4] = [
    (&["Ns", "_ns", "Nanos", "_nanos"], Unit::Nanoseconds),
    (&["Ms", "_ms", "Millis", "_millis"], Unit::Milliseconds),
    (&["Seconds", "_seconds", "Secs", "_secs"], Unit::Seconds),
    (&["Bytes", "_bytes", "fileSize", "file_size"], Unit::Bytes),
];

/// Unit names after a time, with their nanoseconds.
const TIME_UNITS: &[(&[&str], i128)] = &[
    (&["ns"], 1),
    // The micro sign and the Greek letter look the same, and keyboards have either.
    (&["µs", "μs", "us"], 1_000),
    (&["ms"], 1_000_000),
    (&["seconds", "second", "secs", "sec", "s"], 1_000_000_000),
    (&["minutes", "minute", "min"], 60_000_000_000),
    (&["hours", "hour", "h"], 3_600_000_000_000),
];

/// Unit names after a size, with their bytes.
const SIZE_UNITS: &[(&[&str], i128)] = &[
    (&["bytes", "byte", "B"], 1),
    (&["kB", "KB"], 1_000),
    (&["MB"], 1_000_000),
    (&["GB"], 1_000_000_000),
    (&["KiB"], 1 << 10),
    (&["MiB"], 1 << 20),
    (&["GiB"], 1 << 30),
];

impl Unit {
    /// Returns the unit that a key names, if any.
    pub fn of_key(key: &str) -> Option<Self> {
        let is_whole = |end: &str| key == end.trim_start_matches('_');
        let is_unit = |ends: &[&str]| ends.iter().any(|end| key.ends_with(end) || is_whole(end));
        KEY_SUFFIXES.iter().find(|(ends, _)| is_unit(ends)).map(|(_, unit)| *unit)
    }

    /// Returns the power of ten of its size, relative to the smallest unit of its kind.
    fn exponent(self) -> i32 {
        match self {
            Self::Nanoseconds | Self::Bytes => 0,
            Self::Milliseconds => 6,
            Self::Seconds => 9,
        }
    }
}

/// Parses a typed number for the file. A valid JSON number stays as typed (`1.50`, `8e6`); a number with a unit (`1.24
/// s`) is converted to the unit of the field.
///
/// # Errors
///
/// The reason why it is not a number, as a sentence without a full stop.
pub fn parse_number(text: &str, unit: Option<Unit>) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("No number given".to_owned());
    }
    if is_json_number(text) {
        return Ok(text.to_owned());
    }
    if let Some(decimal) = Decimal::parse(text) {
        return Ok(decimal.to_json());
    }
    let digits_end = text.rfind(|c: char| c.is_ascii_digit() || c == '.');
    let (number, word) = text.split_at(digits_end.map_or(0, |i| i + 1));
    let (number, word) = (number.trim_end(), word.trim_start());
    let Some(decimal) = Decimal::parse(number) else {
        return Err("This is not a number".to_owned());
    };
    let Some(unit) = unit else {
        return Err(format!("This field has no unit; remove “{word}”"));
    };
    let units = if unit == Unit::Bytes { SIZE_UNITS } else { TIME_UNITS };
    let entry = units.iter().find(|(names, _)| names.contains(&word));
    let Some((_, size)) = entry else {
        let examples = match unit {
            Unit::Bytes => "such as bytes, kB or MiB",
            _ => "such as ns, ms, s or min",
        };
        return Err(format!("“{word}” is not a unit of this field; use one {examples}"));
    };
    let result = decimal
        .scale(*size, -unit.exponent())
        .ok_or("This number is too long to convert to another unit")?;
    Ok(result.to_json())
}

fn is_json_number(text: &str) -> bool {
    // `JsonValue::parse` accepts any JSON.
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && JsonValue::parse(text).is_ok()
}

/// A decimal number, exact: `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// Parses `1.5`, `.5`, `+3`, `8e6` and `30,000`.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            // Exponents of 16 bits cannot overflow when they are added below.
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
            None => (text, 0),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let integer = remove_commas(integer)?;
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = format!("{integer}{fraction}").parse().ok()?;
        let places = i32::try_from(fraction.len()).ok()?;
        Some(Self { digits, exponent: i32::from(exponent) - places })
    }

    fn scale(self, factor: i128, tens: i32) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(factor)?, exponent: self.exponent + tens })
    }

    /// Formats the number as JSON, in the shortest readable form.
    fn to_json(mut self) -> String {
        while self.digits != 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.exponent += 1;
        }
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs().to_string();
        match self.exponent {
            _ if self.digits == 0 => "0".to_owned(),
            0..=18 => format!("{sign}{digits}{}", "0".repeat(self.exponent as usize)),
            -18..0 => {
                let places = self.exponent.unsigned_abs() as usize;
                let digits = format!("{digits:0>width$}", width = places + 1);
                let (integer, fraction) = digits.split_at(digits.len() - places);
                format!("{sign}{integer}.{fraction}")
            }
            tens => format!("{sign}{digits}e{tens}"),
        }
    }
}

/// Removes the commas between thousands. Returns `None` if there are commas elsewhere: `1,5` may mean one and a half.
fn remove_commas(integer: &str) -> Option<String> {
    let (first, rest) = match integer.split_once(',') {
        None => return Some(integer.to_owned()),
        Some(parts) => parts,
    };
    let is_group = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
    let unsigned = first.trim_start_matches(['+', '-']);
    let is_valid = (1..=3).contains(&unsigned.len()) && rest.split(',').all(is_group);
    is_valid.then(|| integer.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_follows_from_the_key() {
        let unit = |key| Unit::of_key(key).map(Unit::name);
        assert_eq!(unit("delayNs"), Some("ns"));
        assert_eq!(unit("latency_ms"), Some("ms"));
        assert_eq!(unit("durationMs"), Some("ms"));
        assert_eq!(unit("ms"), Some("ms"));
        assert_eq!(unit("timeout_seconds"), Some("s"));
        assert_eq!(unit("fileSize"), Some("bytes"));
        for key in ["status", "items", "lens", "columns", "messageCount", "ness"] {
            assert_eq!(unit(key), None, "{key}");
        }
    }

    fn typed(text: &str, unit: Unit) -> String {
        parse_number(text, Some(unit)).unwrap_or_else(|fault| format!("! {fault}"))
    }

    #[test]
    fn numbers_of_json_stay_as_they_were_typed() {
        for text in ["1.50", "8e6", "-0", "1e400", "504"] {
            assert_eq!(typed(text, Unit::Nanoseconds), text);
            assert_eq!(parse_number(text, None).as_deref(), Ok(text));
        }
    }

    #[test]
    fn units_are_counted_in_the_unit_of_the_field() {
        let listing = |unit: Unit, texts: &[&str]| {
            texts.iter().map(|text| format!("{text} = {}\n", typed(text, unit))).collect::<String>()
        };
        let times = ["1.24 s", "8 ms", "8e6ns", "2 min", "0.5 µs", "30,000 ms"];
        insta::assert_snapshot!(listing(Unit::Nanoseconds, &times), @"
        1.24 s = 1240000000
        8 ms = 8000000
        8e6ns = 8000000
        2 min = 120000000000
        0.5 µs = 500
        30,000 ms = 30000000000
        ");
        insta::assert_snapshot!(listing(Unit::Milliseconds, &times), @"
        1.24 s = 1240
        8 ms = 8
        8e6ns = 8
        2 min = 120000
        0.5 µs = 0.0005
        30,000 ms = 30000
        ");
        insta::assert_snapshot!(listing(Unit::Bytes, &["1.5 KiB", "2 MB", "12 B"]), @"
        1.5 KiB = 1536
        2 MB = 2000000
        12 B = 12
        ");
    }

    #[test]
    fn human_number_formats_become_json_and_the_rest_is_refused() {
        insta::assert_snapshot!(["+5", ".5", "007", "30,000", "1,5", "", "fast", "5 apples", "--1"]
            .map(|text| format!("{text} = {}\n", typed(text, Unit::Seconds))).concat(), @"
        +5 = 5
        .5 = 0.5
        007 = 7
        30,000 = 30000
        1,5 = ! This is not a number
         = ! No number given
        fast = ! This is not a number
        5 apples = ! “apples” is not a unit of this field; use one such as ns, ms, s or min
        --1 = ! This is not a number
        ");
        insta::assert_snapshot!(parse_number("5 ms", None).unwrap_err(), @"This field has no unit; remove “ms”");
    }
}
