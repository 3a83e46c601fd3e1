//! Personal data that only its label shows: the name of its field, or a word in front of it in a text.

use std::sync::LazyLock;

use regex::Regex;

use super::personal::{is_phone, personal};
use calls::decoded_view::is_listed;
use calls::secret::{FoundSecret, SecretKind};

const IDENTITY: SecretKind = personal("the number of a person or a document", "identity");
const CUSTOMER: SecretKind = personal("the number of a customer", "customer");
const BIRTHDATE: SecretKind = personal("a date of birth", "birthdate");
pub(super) const PHONE: SecretKind = personal("a phone number", "phone");

/// A kind of value with its labels.
struct Label {
    kind: SecretKind,
    /// Plain names of fields. One of five bytes and more may also be the end of a name.
    fields: &'static str,
    /// The words in front of it in texts, as a regular expression in which case does not count.
    words: &'static str,
    /// The form of the value, as a regular expression.
    form: &'static str,
    /// Whether what has the form is such a value.
    is_valid: fn(&str) -> bool,
}

/// A number with separators, or letters and a number.
const NUMBER: &str = r"[A-Z]{0,5}[-_/ ]?[0-9](?:[ ./-]?[0-9]|[./-]?[A-Z]){4,19}(?-u:\b)";

static LABELS: [Label; 8] = [
    Label {
        kind: PHONE,
        fields: "phone phonenumber phoneno telephone tel mobile mobilenumber mobilephone cellphone cell telefon telefonnummer handy \
                 handynummer rufnummer fax whatsapp callbacknumber contactnumber telefono téléphone portable móvil movil komórka",
        words: "phone|telephone|tel|telefon|telefonnummer|telefonu|tel[ée]fono|t[ée]l[ée]phone|mobile|mobil|mobilnummer|cell ?phone|handy|\
                handynummer|rufnummer|whatsapp|fax|portable|m[óo]vil|kom[óo]rk[aięę]|zadzwo[nń]|\
                (?:call|reach|ring|text) (?:me |us |him |her |them )?(?:back )?(?:at|on)|\
                rufen sie mich(?: bitte)?(?: unter)?|erreichbar unter|llám[ae]me al|appelez[- ]moi au|נייד|טלפון",
        form: r"\+?\(?[0-9](?:[ \u{a0}./()-]{0,2}[0-9]){7,14}",
        is_valid: |text| is_phone(text) && !is_date(text) && !is_sequence(text),
    },
    Label {
        kind: IDENTITY,
        fields: "ssn socialsecuritynumber socialsecurity",
        words: "ssn|social security|social",
        form: r"[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}",
        is_valid: is_social_security_number,
    },
    Label {
        kind: IDENTITY,
        fields: "pesel peselnumber",
        words: "pesel",
        form: r"[0-9]{11}",
        is_valid: is_pesel,
    },
    Label {
        kind: IDENTITY,
        fields: "nationalinsurancenumber nino",
        words: "national insurance|nino|ni number",
        form: r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",
        is_valid: |_| true,
    },
    Label {
        kind: IDENTITY,
        fields: "passport passportnumber passportno reisepass passnummer ausweisnummer insurancenumber insuranceid insuranceno \
                 healthinsurancenumber versicherungsnummer versichertennummer sozialversicherungsnummer steuerid taxid \
                 taxidnumber nationalid nationalidnumber identitynumber dni nif numsecu nir driverslicense driverlicensenumber",
        words: "passport|reisepass|passnummer|personalausweis|ausweisnummer|passeport|pasaporte|paszport[ua]?|dow[oó]d(?: osobisty)?|\
                (?:health )?insurance|versicherungsnummer|versichertennummer|sozialversicherungsnummer|steuer-?id|\
                steueridentifikationsnummer|s[ée]curit[ée] sociale|dni|nif|driver'?s licen[cs]e|führerschein|תעודת זהות",
        form: NUMBER,
        is_valid: |text| (6..=16).contains(&count_digits(text)) && !is_date(text),
    },
    Label {
        kind: BIRTHDATE,
        fields: "birthdate dateofbirth dob birthday bornon geburtsdatum geburtstag dataurodzenia datenaissance datedenaissance \
                 fechanacimiento fechadenacimiento",
        words: "born(?: on)?|birth ?date|date of birth|dob|birthday|geboren(?: am)?|geb|geburtsdatum|née? le|date de naissance|\
                 nacid[oa] el|fecha de nacimiento|data urodzenia|ur|urodzon[ya](?: dnia)?",
        form: r"(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.] ?[0-9]{1,2}[-/.] ?[0-9]{4}|[0-9]{1,2}(?:\.|st|nd|rd|th)? (?:of |de )?\p{L}{3,12},? (?:de )?[0-9]{4}|\p{L}{3,9} [0-9]{1,2},? [0-9]{4})(?:T00:00[0-9:.]*Z?)?",
        is_valid: has_year,
    },
    Label {
        kind: CUSTOMER,
        fields: "customerid customernumber customerno kundennummer kundennr kundenid clientnumber clientno memberid membernumber \
                 membershipnumber membershipid patientid patientnumber policynumber policyid accountnumber accountid accountno \
                 vertragsnummer mitgliedsnummer kontonummer policennummer numerklienta numéroclient",
        words: "(?:customer|client|member(?:ship)?|patient|policy|account)[ _-]?(?:no|number|id)|\
                 (?:kunden|vertrags|mitglieds|policen|konto)-?(?:nr|nummer|id)|numer klienta|num[ée]ro (?:de )?client|n[úu]mero de cliente",
        form: NUMBER,
        is_valid: is_customer_number,
    },
    // The form of Stripe's ids of customers needs no word.
    Label {
        kind: CUSTOMER,
        fields: "customer",
        words: "",
        form: r"cus_[A-Za-z0-9]{14,24}",
        is_valid: |text| count_digits(text) > 0,
    },
];

/// Each label's expression for texts, whose group is the value, and for whole values.
static FORMS: LazyLock<Vec<(&Label, Regex, Regex)>> = LazyLock::new(|| {
    let compile = |label: &'static Label| {
        let Label { words, form, .. } = label;
        // What joins a word and its value: `is`, `number:`, or the quotes of an object.
        let lead = match *words {
            "" => r"(?:^|[^\p{L}\p{N}_])".to_owned(),
            words => format!(
                r#"(?i:(?:^|[^\p{{L}}\p{{N}}])(?:{words})(?:[ _-]?(?:number|numbers|nummer|nr|no|numer|num[ée]ro|n[úu]mero|id|osobisty))?(?: (?:is|was|ist|lautet|est|es|to|now|jest|of|the|le|el|pod|unter|under|au|al)(?-u:\b)){{0,2}}[\s\\"'.:=#(]{{1,6}})"#
            ),
        };
        let text = Regex::new(&format!("{lead}({form})")).ok()?;
        Some((label, text, Regex::new(&format!("^(?i:{form})$")).ok()?))
    };
    LABELS.iter().filter_map(compile).collect()
});

/// Finds what words in a text label.
pub(super) fn find_labelled(text: &str) -> Vec<FoundSecret> {
    let mut secrets = Vec::new();
    for (label, form, _) in &*FORMS {
        let values = form.captures_iter(text).filter_map(|captures| captures.get(1));
        let valid = values.filter(|value| (label.is_valid)(value.as_str()));
        secrets.extend(valid.map(|v| FoundSecret { kind: label.kind, range: v.range() }));
    }
    secrets
}

/// Returns what the value of a field is by the plain name of the field, if it has the form.
pub(super) fn kind_of_value(field: &str, text: &str) -> Option<SecretKind> {
    let is_labelled = |(label, _, form): &&(&Label, Regex, Regex)| {
        is_named(label.fields, field) && form.is_match(text) && (label.is_valid)(text)
    };
    FORMS.iter().find(is_labelled).map(|(label, ..)| label.kind)
}

/// Returns whether a plain name is in a list, or ends with a longer one of it.
pub(super) fn is_named(list: &str, name: &str) -> bool {
    const MIN_END_BYTES: usize = 5;
    let is_end = |word: &str| word.len() >= MIN_END_BYTES && name.ends_with(word);
    is_listed(list, name) || list.split_whitespace().any(is_end)
}

fn count_digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|letter| letter.to_digit(10)).collect()
}

/// Returns whether a text begins with a date, of which the year comes first or last.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).take(3).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    matches!(lengths[..], [4, 2, 2] | [1 | 2, 1 | 2, 4]) && has_year(text)
}

/// Returns whether there is a year in which a person may be born.
fn has_year(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    numbers.any(|n| n.len() == 4 && (n.starts_with("19") || n.starts_with("20")))
}

/// Returns whether a number is a filler such as `1234567890` or `000000000`, or a time in milliseconds.
fn is_sequence(text: &str) -> bool {
    let digits = digits(text);
    let steps = |step: u32| digits.windows(2).all(|pair| (pair[0] + step) % 10 == pair[1]);
    let is_time =
        digits.len() == 13 && digits.starts_with(&[1]) && count_digits(text) == text.len();
    steps(0) || steps(1) || is_time
}

/// Returns whether the parts of a social security number are issued, and it is none that became known from advertisements.
fn is_social_security_number(text: &str) -> bool {
    let number: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_example = ["078051120", "219099999", "123456789"].contains(&&*number);
    let is_issued = |part: &str| part.bytes().any(|byte| byte != b'0');
    let is_area = is_issued(&number[..3]) && !number.starts_with("666") && !number.starts_with('9');
    number.len() == 9
        && is_area
        && is_issued(&number[3..5])
        && is_issued(&number[5..])
        && !is_example
}

/// Returns whether a Polish number of a person has a month, a day and the check digit.
fn is_pesel(text: &str) -> bool {
    const WEIGHTS: [u32; 10] = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];
    let digits = digits(text);
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    // The century is added to the month as a multiple of 20.
    let month = (digits[2] * 10 + digits[3]) % 20;
    let day = digits[4] * 10 + digits[5];
    (1..=12).contains(&month) && (1..=31).contains(&day) && (10 - sum % 10) % 10 == digits[10]
}

/// Returns whether a number is long enough to be replaced wherever it occurs.
fn is_customer_number(text: &str) -> bool {
    let min_digits = if text.contains(char::is_alphabetic) { 4 } else { 5 };
    count_digits(text) >= min_digits && !is_sequence(text) && !is_date(text)
}

#[cfg(test)]
mod tests {
    use super::super::{NameList, personal};

    fn found(text: &str) -> String {
        let found = personal::find_personal(text, &NameList::default()).into_iter();
        let lines = found.map(|secret| format!("{}: {}", secret.kind.label, &text[secret.range]));
        lines.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_word_beside_a_number_shows_what_it_is() {
        for (text, expected) in [
            ("Tel. 601 234 567 or call me at 601234568.", "phone: 601 234 567, phone: 601234568"),
            ("meine Handynummer ist 015123456789", "phone: 015123456789"),
            (
                "mi teléfono es 612 34 56 78; mój telefon to 601-234-567",
                "phone: 612 34 56 78, phone: 601-234-567",
            ),
            (r#"{\"phone\": \"4157671234\"#, "phone: 4157671234"),
            ("06 12 34 56 78, 052-123-4567", "phone: 06 12 34 56 78, phone: 052-123-4567"),
            ("my SSN is 219-09-4711", "identity: 219-09-4711"),
            (
                "PESEL: 44051401359, NI number AB 12 34 56 C",
                "identity: 44051401359, identity: AB 12 34 56 C",
            ),
            ("passport no. C01X4711882 It is new", "identity: C01X4711882"),
            ("Versichertennummer: A123456780", "identity: A123456780"),
            (
                "born on 12 March 1984, ur. 12.03.1984",
                "birthdate: 12 March 1984, birthdate: 12.03.1984",
            ),
            ("date of birth: 1984-03-12", "birthdate: 1984-03-12"),
            ("my customer number is KD-48213 Please", "customer: KD-48213"),
            (
                "Kundennummer 4821377, cus_NffrFeUfNVHibA2",
                "customer: 4821377, customer: cus_NffrFeUfNVHibA2",
            ),
            ("card 4539148803436467 06 12", "card: 4539148803436467"),
            (
                "from 83.12.145.7, or 2a02:8109:9a40:1c3::7",
                "ip: 83.12.145.7, ip: 2a02:8109:9a40:1c3::7",
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_beside_such_words_are_none() {
        for text in [
            "mobile: 2026-03-12 14:02:04",
            "phone 1234567890, tel 000000000",
            "call 0123456789012345678, tool call 12345678",
            "the phone costs 1200 EUR in 12 months",
            "1-800-123-4567",
            "SSN 000-12-3456 or 078-05-1120",
            "pesel 44051401358",
            "insurance 2024 costs 12000",
            "customer id 1234, customer number 2024-05-01",
            "born in 12 minutes; birthday party 12",
            "Chrome/126.0.64.127 version 10.15.70.12 at http://83.12.145.7/x, pkg==1.26.180.33",
            "10.20.130.140 192.168.100.20 127.0.0.1 203.0.113.77 1.3.6.1.4.1.311.21",
            "1795511521000000000 account 2026",
        ] {
            assert_eq!(found(text), "", "{text}");
        }
    }
}
