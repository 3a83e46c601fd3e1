//! JSON as JavaScript writes it.

/// A number as `JSON.stringify` writes it: the shortest digits that read the same; what is not finite is `null`.
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Where the point stands among the digits.
    let (count, point) = (digits.len() as i32, exponent + 1);
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    match point {
        _ if count <= point && point <= 21 => format!("{sign}{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{sign}{whole}.{fraction}")
        }
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let plus = if exponent > 0 { "+" } else { "" };
            format!("{sign}{first}{point}{rest}e{plus}{exponent}")
        }
    }
}

/// JSON with everything beyond ASCII as escapes.
pub(super) fn ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        match c.is_ascii() {
            true => ascii.push(c),
            false => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| push_escape(&mut ascii, *unit)),
        }
    }
    ascii
}

fn push_escape(json: &mut String, unit: u16) {
    json.push_str(&format!("\\u{unit:04x}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_does() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            150e6,
            8e6,
            1e20,
            1e21,
            1.5e21,
            123456789012345680000.0,
            0.1,
            0.000001,
            1.5e-7,
            1e-7,
            f64::MAX,
            5e-324,
            1e400,
            2.0 / 3.0,
        ];
        let written = numbers.map(number).join(" ");
        insta::assert_snapshot!(written, @"0 0 1 -1.5 150000000 8000000 100000000000000000000 1e+21 1.5e+21 123456789012345680000 0.1 0.000001 1.5e-7 1e-7 1.7976931348623157e+308 5e-324 null 0.6666666666666666");
    }
}
