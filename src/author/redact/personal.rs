//! Personal data that has a form: phone numbers, card numbers, bank accounts, street addresses, public addresses of computers, and the
//! names in a project's list.
//!
//! E-mail addresses are among the [secrets](calls::secret). As there, a form that ordinary data has as well, such as a date
//! or an id, is not enough: numbers need their check digits or a separator, and nothing may be a part of a longer word.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::labelled::{PHONE, find_labelled, is_named, kind_of_value};
use calls::decoded_view::{TextName, plain_name};
use calls::secret::{FoundSecret, SecretClass, SecretKind};
use document::text::{self, remove_overlapping};

const CARD: SecretKind = personal("a card number", "card");
const ACCOUNT: SecretKind = personal("a bank account", "account");
const STREET: SecretKind = personal("a street address", "street");
const IP: SecretKind = personal("a public IP address", "ip");
const NAME: SecretKind = personal("a name of the project's list", "name");
const FIELD_NAME: SecretKind = personal("the name of a person", "name");

/// The longest value that a field such as `customer_name` or `address` has; what is longer is prose.
const MAX_FIELD_BYTES: usize = 200;

pub(super) const fn personal(name: &'static str, label: &'static str) -> SecretKind {
    SecretKind { name, label, class: SecretClass::Personal }
}

/// Numbers that payment services publish for tests.
const TEST_CARDS: [&str; 5] = [
    "4242424242424242",
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "4000056655665556",
];

/// With a country's prefix, as in North America, or with the prefix of an area and a separator. A bracket without the other one
/// belongs to the sentence.
static PHONES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"\+[1-9](?:[ ./-]?(?:\([0-9]{1,5}\)|[0-9]{1,5})){2,7}",
        r"(?:\([2-9][0-9]{2}\)|[2-9][0-9]{2})[ .-][2-9][0-9]{2}[ .-][0-9]{4}",
        r"(?:\(0[1-9][0-9]{1,4}\)|0[1-9][0-9]{1,4})[ /-][1-9][0-9](?:[ -]?[0-9]{2,4}){1,3}(?-u:\b)",
        // French and Israeli numbers.
        r"0[1-9](?:[ .][0-9]{2}){4}",
        r"05[0-9]-[0-9]{3}-?[0-9]{4}",
    ])
});

static CARDS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| compile(&[r"[2-6][0-9]{3}(?:[ -]?[0-9]){8,15}"]));

/// Numbers of cards that are issued, by their first digits and lengths, as the networks publish them (ISO/IEC 7812).
static ISSUED_CARDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        // Visa, Mastercard, American Express.
        r"^4(?:[0-9]{15}|[0-9]{18})$",
        r"^(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}$",
        r"^3[47][0-9]{13}$",
        // Diners Club, Discover, JCB, UnionPay.
        r"^(?:30[0-5][0-9]|3095|3[689][0-9]{2})[0-9]{10}$",
        r"^(?:6011|64[4-9][0-9]|65[0-9]{2})(?:[0-9]{12}|[0-9]{15})$",
        r"^35(?:2[89]|[3-8][0-9])[0-9]{12}$",
        r"^62[0-9]{14,17}$",
        // Maestro.
        r"^(?:5018|5020|5038|5893|6304|6759|676[1-3]|6768|6771)[0-9]{8,15}$",
    ])
});

static ACCOUNTS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| compile(&[r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"]));

static STREETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"[0-9]{1,5}[a-z]? (?:[A-Z][\p{L}'.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Terrace|Way|Place|Pl)\b",
        r"\p{Lu}[\p{L}-]+(?:straße|strasse|str\.|weg|platz|gasse|allee|damm|ufer) [0-9]{1,4}[a-z]?\b",
        r"\p{Lu}\p{L}+ (?:Straße|Str\.|Weg|Platz|Allee|Damm|Ufer) [0-9]{1,4}[a-z]?\b",
        // The Polish form includes the flat, the postcode and the town.
        r"(?:[Uu]l|[Aa]l|[Pp]l|[Oo]s)\. ?[\p{Lu}0-9][\p{L}0-9.-]*(?: [\p{Lu}0-9][\p{L}0-9.-]*){0,3} [0-9]{1,4}[A-Za-z]?(?:(?: ?/ ?| m\. ?)[0-9]{1,4}[A-Za-z]?)?(?:, ?[0-9]{2}-[0-9]{3} \p{Lu}\p{L}+)?",
        // French, Spanish, Italian and Dutch.
        r"[0-9]{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|allée|impasse|quai|chemin) (?:(?:de|du|des|la|le|les) |d['’]|l['’]){0,3}\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,3}",
        r"(?:[Cc]alle|[Aa]venida|Avda\.|[Pp]laza|[Pp]aseo) (?:(?:de|del|la|las|los|el) ){0,3}\p{Lu}[\p{L}'-]+(?: (?:(?:de|del|la) )?\p{Lu}[\p{L}'-]+){0,3},? (?:n[.º°] ?)?[0-9]{1,4}\b",
        r"(?:Via|Viale|Piazza|Corso|Largo) (?:(?:di|del|della|dei|delle) )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,3},? [0-9]{1,4}(?:/?[a-zA-Z])?\b",
        r"\p{Lu}\p{L}+(?:straat|laan|plein|gracht|kade|dijk|singel) [0-9]{1,4}(?:-?[a-zA-Z0-9]{1,3})?\b",
    ])
});

static ADDRESSES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}", r"2[0-9a-fA-F]{3}:[0-9a-fA-F:]{4,34}"])
});

fn compile(forms: &[&str]) -> Vec<Regex> {
    forms.iter().flat_map(|form| Regex::new(form)).collect()
}

/// The names of persons and companies that a project wants to have replaced.
#[derive(Clone, Debug, Default)]
pub struct NameList(Option<AhoCorasick>);

impl NameList {
    /// Reads a list with a name on each line. Case does not count; empty lines and those that begin with `#` are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many names.
    pub fn parse(list: &str) -> Result<Self, String> {
        let lines = list.trim_start_matches('\u{feff}').lines().map(str::trim);
        let names = lines.filter(|l| !l.starts_with('#') && l.contains(char::is_alphanumeric));
        // The search ignores the case of ASCII letters only.
        let cases = |name: &str| [name.to_owned(), name.to_lowercase(), name.to_uppercase()];
        let names: BTreeSet<String> = names.flat_map(cases).collect();
        if names.is_empty() {
            return Ok(Self::default());
        }
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(names);
        finder.map(|finder| Self(Some(finder))).map_err(|error| error.to_string())
    }
}

/// Finds personal data in a text, in order; of what overlaps, the longer one.
pub(super) fn find_personal(text: &str, names: &NameList) -> Vec<FoundSecret> {
    let mut secrets = Vec::new();
    if let Some(names) = &names.0 {
        // Overlapping, because one name may be the beginning of another.
        let all = names.find_overlapping_iter(text).map(|range| range.range());
        let ranges = all.filter(|range| !text::is_part_of_word(text, range));
        secrets.extend(ranges.map(|range| FoundSecret { kind: NAME, range }));
    }
    // Every other form has digits.
    if text.bytes().filter(u8::is_ascii_digit).take(2).count() > 0 {
        type Check = fn(&str) -> Option<usize>;
        let forms: [(SecretKind, &[Regex], Check); 5] = [
            (PHONE, &PHONES, |text| is_phone(text).then_some(text.len())),
            (CARD, &CARDS, card_end),
            (ACCOUNT, &ACCOUNTS, account_end),
            (STREET, &STREETS, |text| Some(text.len())),
            (IP, &ADDRESSES, |text| is_public(text).then_some(text.len())),
        ];
        for (kind, forms, end) in forms {
            let ranges = forms
                .iter()
                .flat_map(|form| form.find_iter(text))
                .filter_map(|range| Some(range.start()..range.start() + end(range.as_str())?))
                .filter(|range| !is_part_of_word(text, range));
            secrets.extend(ranges.map(|range| FoundSecret { kind, range }));
        }
        let labelled = find_labelled(text).into_iter();
        secrets.extend(labelled.filter(|secret| !text::is_part_of_word(text, &secret.range)));
    }
    let is_other = |secret: &FoundSecret| match secret.kind {
        CARD => is_id(text, &secret.range),
        IP => is_version(&text[..secret.range.start]) || text[secret.range.end..].starts_with('.'),
        _ => false,
    };
    secrets.retain(|secret| !is_other(secret));
    secrets.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    remove_overlapping(&mut secrets, |secret| &secret.range);
    secrets
}

/// Finds personal data in a text: by its form, and by what names it.
pub(super) fn find_personal_in(
    text: &str,
    name: TextName<'_>,
    names: &NameList,
) -> Vec<FoundSecret> {
    let mut secrets = find_personal(text, names);
    let field = match name {
        TextName::Member(field) | TextName::NameOfPerson(field) => field,
        TextName::Header(field) => field.strip_prefix("x-").unwrap_or(field),
        TextName::None | TextName::Cookie(_) | TextName::Query => return secrets,
    };
    if text.len() > MAX_FIELD_BYTES {
        return secrets;
    }
    let range = 0..text.len();
    let field = plain_name(field);
    if is_name_of_id(&field) {
        secrets.retain(|secret| secret.kind != CARD || secret.range != range);
    }
    if secrets.is_empty() {
        let is_person = matches!(name, TextName::NameOfPerson(_));
        let kind = kind_of_field(&field, is_person, text);
        secrets.extend(kind.map(|kind| FoundSecret { kind, range }));
    }
    secrets
}

fn is_name_of_id(plain: &str) -> bool {
    ["id", "ids", "uuid", "number", "nonce", "timestamp", "seed"].iter().any(|e| plain.ends_with(e))
        && !["card", "pan", "account"].iter().any(|word| plain.contains(word))
}

/// Returns what a value is by the plain name of its field, if it looks like it.
fn kind_of_field(name: &str, is_name_of_person: bool, text: &str) -> Option<SecretKind> {
    const NAMES: &str = "firstname lastname middlename maidenname surname givenname familyname customername patientname passengername \
                         guestname contactname contactperson recipientname billingname shippingname accountholder accountholdername \
                         cardholder cardholdername vorname nachname imie imię nazwisko prenom prénom apellido apellidos";
    // Their values may also be ids or kinds.
    const PERSONS: &str = "customer passenger patient recipient traveler traveller guest";
    const STREETS: &str = "address street streetaddress shippingaddress billingaddress homeaddress addressline1 addressline2 adresse \
                           anschrift straße strasse adres ulica direccion dirección domicilio";
    let has = |is: fn(char) -> bool| text.chars().any(is);
    let is_name = text.len() <= 80
        && text.starts_with(char::is_uppercase)
        && text.chars().all(|letter| letter.is_alphabetic() || " .,'’-".contains(letter));
    let is_street = has(|letter| letter.is_ascii_digit())
        && has(char::is_alphabetic)
        && text.contains(' ')
        && !text.contains(['@', '[', '{'])
        && !text.contains("://");
    let is_person = || is_named(PERSONS, name) && text.contains(' ');
    if is_name && (name == "fullname" || is_named(NAMES, name) || is_name_of_person || is_person())
    {
        Some(FIELD_NAME)
    } else if name.contains("card") && text.bytes().all(|b| b.is_ascii_digit()) && is_card(text) {
        Some(CARD)
    } else if is_street && is_named(STREETS, name) {
        Some(STREET)
    } else {
        kind_of_value(name, text)
    }
}

/// Returns whether a number in the form of a card is an id: the value of a name such as `id`, or one of several long numbers that are
/// no cards. A card with spaces or hyphens in it is none.
fn is_id(text: &str, range: &std::ops::Range<usize>) -> bool {
    const NEAR_BYTES: usize = 64;
    if !text[range.clone()].bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let start = text.ceil_char_boundary(range.start.saturating_sub(NEAR_BYTES));
    let end = text.floor_char_boundary(range.end + NEAR_BYTES);
    let (text_before, text_after) = (&text[start..range.start], &text[range.end..end]);
    // Hardly any card has more than 16 digits, but ids of many services do.
    let names_card = || {
        let text_before = text_before.to_ascii_lowercase();
        ["card", "visa", "amex", "maestro", "unionpay", "karte"]
            .iter()
            .any(|word| text_before.contains(word))
    };
    if range.len() > 16 && !names_card() {
        return true;
    }
    // An account with its country (IBAN) is no such number.
    let is_long = |run: &&str| run.len() >= 14 && run.bytes().all(|byte| byte.is_ascii_digit());
    let runs = |text| str::split(text, |c: char| !c.is_ascii_alphanumeric()).filter(is_long);
    let is_one_of_several = || {
        let other = runs(text_before).next_back().or(runs(text_after).next());
        other.is_some_and(|run| !is_card(run)) && !names_card()
    };
    if is_one_of_several() {
        return true;
    }
    let is_quote = |letter: char| "\\\"' ".contains(letter);
    let label = text_before.trim_end_matches(is_quote).strip_suffix([':', '=']).unwrap_or_default();
    let name = label.trim_end_matches(is_quote);
    let is_sign = |letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-');
    is_name_of_id(&plain_name(name.rsplit(is_sign).next().unwrap_or_default()))
}

/// Returns whether a letter, a digit or a sign that joins digits is directly before or after.
fn is_part_of_word(text: &str, range: &std::ops::Range<usize>) -> bool {
    let has_digit = text[range.start..].starts_with(|letter: char| letter.is_ascii_digit());
    let joins = |letter: char| has_digit && matches!(letter, '-' | '.' | '/' | '_' | '#' | '=');
    let head = &text[..range.start];
    let char_before = head.chars().next_back();
    // The digits may be the end of a longer number, such as one of a card with a wrong check digit.
    if has_digit && head.trim_end_matches(' ').ends_with(|letter: char| letter.is_ascii_digit()) {
        return true;
    }
    let char_after = text[range.end..].chars().next();
    char_before.is_some_and(|letter| letter.is_alphanumeric() || joins(letter))
        || char_after.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Returns whether an address of a computer may be that of a person: public, and none of examples or of name servers.
fn is_public(text: &str) -> bool {
    const KNOWN: [&str; 6] = ["8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "1.2.3.4"];
    match text.parse() {
        Ok(IpAddr::V4(ip)) => {
            let [first, second, _, last] = ip.octets();
            let is_reserved =
                ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
            // Shared by networks (RFC 6598), and for benchmarks.
            let is_shared =
                first == 100 && second & 0xc0 == 64 || first == 198 && second & 0xfe == 18;
            let is_host = (1..224).contains(&first) && !matches!(last, 0 | 255);
            // Numbers of chapters and versions are shorter.
            is_host
                && !is_reserved
                && !is_shared
                && ip != Ipv4Addr::LOCALHOST
                && text.len() >= 10
                && !KNOWN.contains(&text)
        }
        Ok(IpAddr::V6(ip)) => !matches!(ip.segments()[..2], [0x2001, 0xdb8]),
        Err(_) => false,
    }
}

/// Returns whether a version, or a part of an address or a path, follows what a text ends with.
fn is_version(head: &str) -> bool {
    const NEAR_BYTES: usize = 16;
    let near = &head[head.ceil_char_boundary(head.len().saturating_sub(NEAR_BYTES))..];
    let label = near.trim_end_matches(|sign: char| " \"'=:\\".contains(sign)).to_ascii_lowercase();
    let is_path = label.ends_with(|sign: char| "/@<>~^".contains(sign));
    is_path || near.ends_with("==") || label.ends_with("version") || label.ends_with(" v")
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|letter| letter.to_digit(10)).collect()
}

/// Returns whether a number has as many digits as phone numbers have, and is none that is reserved for examples.
pub(super) fn is_phone(text: &str) -> bool {
    let digits = digits(text);
    let number: String = digits.iter().filter_map(|digit| char::from_digit(*digit, 10)).collect();
    let local = number.len().saturating_sub(7);
    // 555-0100 to 555-0199 are reserved for fiction in North America.
    let is_example = number[local..].starts_with("55501");
    // Numbers of companies in North America, which are free for callers.
    const TOLL_FREE: [&str; 7] = ["800", "833", "844", "855", "866", "877", "888"];
    let area = number.strip_prefix('1').unwrap_or(&number);
    let is_free = area.len() == 10 && TOLL_FREE.iter().any(|prefix| area.starts_with(prefix));
    // E.164 allows at most 15 digits.
    (8..=15).contains(&digits.len()) && !is_example && !is_free
}

/// Returns whether a number is in a range of card numbers, has their length and check digit (Luhn), and is none for tests.
fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let number: String = text.chars().filter(char::is_ascii_digit).collect();
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    let is_issued = ISSUED_CARDS.iter().any(|form| form.is_match(&number));
    is_issued && sum.is_multiple_of(10) && !TEST_CARDS.contains(&&*number)
}

/// Returns where the card number ends that a text begins with: another number may follow it after a space.
fn card_end(text: &str) -> Option<usize> {
    let separators = text.rmatch_indices(' ').map(|(at, _)| at);
    std::iter::once(text.len()).chain(separators).find(|end| is_card(&text[..*end]))
}

/// Returns where the account number (IBAN) ends that a text begins with: the longest part with a valid check number.
fn account_end(text: &str) -> Option<usize> {
    let ends: Vec<usize> = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).collect();
    ends.into_iter().rev().find(|end| is_account(&text[..*end]))
}

fn is_account(text: &str) -> bool {
    let letters: Vec<char> = text.chars().filter(|letter| *letter != ' ').collect();
    // The shortest IBAN is Norway's with 15 characters; the standard allows 34.
    if !(15..=34).contains(&letters.len()) || text.ends_with(' ') {
        return false;
    }
    // ISO 7064: with country and check digits at the end, letters as numbers from 10 on, the remainder by 97 is 1.
    let letters_moved = letters[4..].iter().chain(&letters[..4]);
    let remainder = letters_moved.filter_map(|l| l.to_digit(36)).fold(0, |rest, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (rest * shift + value) % 97
    });
    remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::secret::CustomPatterns;

    fn found(text: &str) -> Vec<String> {
        let names = NameList::parse(
            "\u{feff}Ilse Maier\r\n# Bob\r\nAcme Ltd\r\n \r\nAnn\r\nAnn Marie\r\nöz gür\r\n山田",
        )
        .unwrap();
        let found = find_personal(text, &names).into_iter();
        found.map(|secret| format!("{}: {}", secret.kind.label, &text[secret.range])).collect()
    }

    #[test]
    fn personal_data_is_found_by_form_and_check_digits() {
        for (text, expected) in [
            (
                "Call +49 30 1234567 or (212) 736-5000.",
                vec!["phone: +49 30 1234567", "phone: (212) 736-5000"],
            ),
            (
                "(ann@x.dev, +48 601 555 014) +49 (0)30 1234567 (212 736-5000)",
                vec![
                    "name: ann",
                    "phone: +48 601 555 014",
                    "phone: +49 (0)30 1234567",
                    "phone: 212 736-5000",
                ],
            ),
            (
                "Tel. 030/9018 20, 089-1234 5678, here 030/6444872",
                vec!["phone: 030/9018 20", "phone: 089-1234 5678", "phone: 030/6444872"],
            ),
            (
                "card 4539 1488 0343 6467, amex 371449635398431",
                vec!["card: 4539 1488 0343 6467", "card: 371449635398431"],
            ),
            (
                "\"pan\": \"4539148803436467\", 5425-2334-3010-9903, 6759 6498 2643 8453",
                vec![
                    "card: 4539148803436467",
                    "card: 5425-2334-3010-9903",
                    "card: 6759 6498 2643 8453",
                ],
            ),
            (
                "ul. Floriańska 12/3, 31-021 Kraków; al. Jana Pawła II 4 m. 7",
                vec![
                    "street: ul. Floriańska 12/3, 31-021 Kraków",
                    "street: al. Jana Pawła II 4 m. 7",
                ],
            ),
            (
                "12 bis, rue de la République ou Calle de Alcalá 48, Via Giuseppe Verdi 7/a, Keizersgracht 123",
                vec![
                    "street: 12 bis, rue de la République",
                    "street: Calle de Alcalá 48",
                    "street: Via Giuseppe Verdi 7/a",
                    "street: Keizersgracht 123",
                ],
            ),
            (
                "PL61109010140000071219812874, card 4539148803436467 for 20260312140204911",
                vec!["account: PL61109010140000071219812874", "card: 4539148803436467"],
            ),
            ("Berliner Str. 12b", vec!["street: Berliner Str. 12b"]),
            (
                "DE89 3704 0044 0532 0130 00 and GB29NWBK60161331926819 ok",
                vec!["account: DE89 3704 0044 0532 0130 00", "account: GB29NWBK60161331926819"],
            ),
            (
                "at 221b Baker Street, or Hauptstraße 12a.",
                vec!["street: 221b Baker Street", "street: Hauptstraße 12a"],
            ),
            ("ILSE MAIER of Acme Ltd wrote", vec!["name: ILSE MAIER", "name: Acme Ltd"]),
            (
                "Announcement by Ann Mariette, ann_marie, ÖZ GÜR and 山田さん; Bob left",
                vec!["name: Ann", "name: ann", "name: ÖZ GÜR", "name: 山田"],
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn fields_say_what_their_values_are() {
        let found = |json: &str| {
            let (tree, _) = document::json::parse(&document::text::Source::new(json));
            let own = CustomPatterns::default();
            let found = super::super::find_personal_data(&tree, &own, &NameList::default())
                .into_iter()
                .map(|secret| format!("{}: {}", secret.kind.label, secret.text));
            found.collect::<Vec<_>>().join(", ")
        };
        for (json, expected) in [
            (r#"{"full_name": "Anna Kowalska"}"#, "name: Anna Kowalska"),
            (r#"{"customer": {"name": "Anna"}}"#, "name: Anna"),
            (
                r#"{"name": "Ann O'Hara-Lee", "phone": "601234567"}"#,
                "name: Ann O'Hara-Lee, phone: 601234567",
            ),
            (r#"{"shippingAddress": "Rynek 4, 31-042 Kraków"}"#, "street: Rynek 4, 31-042 Kraków"),
            (r#"{"name": "get_weather", "email": null}"#, ""),
            (r#"{"name": "Get Weather", "type": "function"}"#, ""),
            (r#"{"first_name": "string", "phone": "none"}"#, ""),
            (r#"{"address": "10.0.0.1", "street": "[redacted-street-1]"}"#, ""),
            (r#"{"customer_phone": 601234567}"#, "phone: 601234567"),
            (
                r#"{"patientName": "Anna Kowalska", "birthDate": "1984-03-12"}"#,
                "name: Anna Kowalska, birthdate: 1984-03-12",
            ),
            (r#"{"serviceFullName": "Amazon Data", "client_name": "Helper"}"#, ""),
            (r#"{"passenger": "Anna Kowalska", "customer": "gold"}"#, "name: Anna Kowalska"),
            (
                r#"{"customer_id": "KD-48213", "accountNumber": 4821377}"#,
                "customer: KD-48213, customer: 4821377",
            ),
            (r#"{"customer_id": "1", "account_id": "550e8400-e29b-41d4-a716-446655440000"}"#, ""),
            (
                r#"{"insurance_number": "A123456780", "pesel": "44051401358"}"#,
                "identity: A123456780",
            ),
            (r#"{"mot_de_passe": "Sommer2024!"}"#, "password: Sommer2024!"),
            (r#"{"id": "4539148803436467"}"#, ""),
            (r#"{"card": "4539148803436467"}"#, "card: 4539148803436467"),
            (r#"{"cardNumber": "4000000000000000006"}"#, "card: 4000000000000000006"),
        ] {
            assert_eq!(found(json), expected, "{json}");
        }
    }

    #[test]
    fn dates_ids_and_numbers_for_tests_are_no_personal_data() {
        for text in [
            "2026-03-12T14:02:04.911Z",
            "req-1773324121806-1",
            "550e8400-e29b-41d4-a716-446655440000",
            "4242 4242 4242 4242",
            "4539 1488 0343 6468",
            "DE88 3704 0044 0532 0130 00",
            "10.0.0.1:8080",
            "+1 415 555 0123",
            "sha256:0123456789012345678901234567890123456789",
            "version 1.2.3-4567 of 12 files",
            "Ilse Maierhofer",
            "1 Way",
            // Ids that pass the check digit: not in a range, by their names, or among others.
            "see 4571736401902765434 there",
            "62123456789012651",
            "6665572787456633019",
            "9999999999999995",
            "\"conversation_id\": 4539148803436467",
            r#"{\"messageId\": \"4539148803436467\"}"#,
            "[4539148803436460, 4539148803436467]",
            "avenue for 3 more, via Zoom 5, the place 12",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
