//! Reads a pattern by Python's grammar, and writes it for the engine.

use super::class::{CaseMatching, LetterSet, PatternEscape, class, escape, literal, set, set_of};
use super::{Parsed, invalid, unsupported};

/// Number of characters that a piece of a pattern may match: the fewest and the most; `None`: without end.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Width {
    least: usize,
    most: Option<usize>,
}

impl Width {
    const NONE: Self = Self { least: 0, most: Some(0) };
    const ONE: Self = Self { least: 1, most: Some(1) };

    fn followed_by(self, next: Self) -> Self {
        let most = self.most.zip(next.most).and_then(|(a, b)| a.checked_add(b));
        Self { least: self.least.saturating_add(next.least), most }
    }

    fn or(self, other: Self) -> Self {
        let most = self.most.zip(other.most).map(|(a, b)| a.max(b));
        Self { least: self.least.min(other.least), most }
    }

    fn times(self, least: usize, most: Option<usize>) -> Self {
        let most = match (self.most, most) {
            (Some(0), _) => Some(0),
            (Some(width), Some(times)) => width.checked_mul(times),
            _ => None,
        };
        Self { least: self.least.saturating_mul(least), most }
    }
}

/// Kind of a piece of a pattern, which decides what may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternPiece {
    /// Something that can be repeated.
    Item(Width),
    /// A place, which cannot.
    Place,
    /// Nothing at all: a comment, flags.
    Nothing,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    multiline: bool,
    verbose: bool,
    ascii: bool,
    ignore_case: bool,
}

struct CaptureGroup {
    name: Option<String>,
    /// `None` while it is open.
    width: Option<Width>,
}

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

pub(super) struct Parser<'p> {
    pattern: &'p str,
    at: usize,
    written: String,
    flags: Flags,
    groups: Vec<CaptureGroup>,
    depth: usize,
    /// Whether a reference to a group ignores case.
    folds_references: bool,
}

/// A pattern as the engine reads it.
pub(super) struct Translated {
    pub(super) pattern: String,
    /// Whether a reference to a group ignores case, which the engine does for ASCII letters alone.
    pub(super) folds_references: bool,
}

impl<'p> Parser<'p> {
    /// Translates a pattern for the engine.
    pub(super) fn translate(pattern: &'p str) -> Parsed<Translated> {
        let mut parser = Self {
            pattern,
            at: 0,
            // Flakestorm searches with `re.DOTALL`.
            written: "(?s)".to_owned(),
            flags: Flags::default(),
            groups: Vec::new(),
            depth: 0,
            folds_references: false,
        };
        parser.leading_flags()?;
        parser.alternatives()?;
        if parser.rest().is_empty() {
            Ok(Translated { pattern: parser.written, folds_references: parser.folds_references })
        } else {
            invalid("unbalanced parenthesis")
        }
    }

    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn letters(&self) -> LetterSet {
        if self.flags.ascii { LetterSet::Ascii } else { LetterSet::Unicode }
    }

    fn case(&self) -> CaseMatching {
        match (self.flags.ignore_case, self.flags.ascii) {
            (false, _) => CaseMatching::Exact,
            (true, true) => CaseMatching::Ascii,
            (true, false) => CaseMatching::Unicode,
        }
    }

    /// Reads the flags at the start, which apply to the whole pattern.
    fn leading_flags(&mut self) -> Parsed<()> {
        while let Some(rest) = self.rest().strip_prefix("(?") {
            let len = rest.bytes().take_while(|byte| b"aiLmsux".contains(byte)).count();
            if len == 0 || !rest[len..].starts_with(')') {
                break;
            }
            for flag in rest[..len].chars() {
                match flag {
                    'i' => self.flags.ignore_case = true,
                    'm' => self.flags.multiline = true,
                    'x' => self.flags.verbose = true,
                    'a' => self.flags.ascii = true,
                    'L' => {
                        return invalid("bad inline flags: cannot use 'L' flag with a str pattern");
                    }
                    // `s` and `u` are in effect anyway.
                    _ => {}
                }
            }
            self.at += 2 + len + 1;
        }
        if self.case() == CaseMatching::Unicode {
            self.written.push_str("(?i)");
        }
        Ok(())
    }

    fn alternatives(&mut self) -> Parsed<Width> {
        self.depth += 1;
        // Each level of nesting is a level of recursion here.
        if self.depth > MAX_DEPTH {
            return unsupported("The pattern is nested very deeply");
        }
        let mut width = self.sequence()?;
        while self.take("|") {
            self.written.push('|');
            width = width.or(self.sequence()?);
        }
        self.depth -= 1;
        Ok(width)
    }

    fn sequence(&mut self) -> Parsed<Width> {
        let mut all = Width::NONE;
        loop {
            if self.flags.verbose {
                self.skip_blanks();
            }
            if self.rest().is_empty() || self.rest().starts_with(['|', ')']) {
                return Ok(all);
            }
            let start = self.written.len();
            let piece = self.piece()?;
            if self.flags.verbose {
                self.skip_blanks();
            }
            all = all.followed_by(self.parse_repetition(piece, start)?);
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = self.rest().trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
            self.at = self.pattern.len() - blank.len();
            if !blank.starts_with('#') {
                return;
            }
            self.at += blank.find('\n').unwrap_or(blank.len());
        }
    }

    fn piece(&mut self) -> Parsed<PatternPiece> {
        let Some(first) = self.rest().chars().next() else { return Ok(PatternPiece::Nothing) };
        self.at += first.len_utf8();
        match first {
            '(' => return self.group(),
            '[' => {
                let (rest, letters, case) = (self.rest(), self.letters(), self.case());
                self.at += class(rest, letters, case, &mut self.written)?;
            }
            '\\' => return self.escaped(),
            '.' => self.written.push('.'),
            '^' | '$' => {
                self.place(first);
                return Ok(PatternPiece::Place);
            }
            '*' | '+' | '?' => return invalid("nothing to repeat"),
            _ if first == '{' && self.bounds_at(self.at).is_some() => {
                return invalid("nothing to repeat");
            }
            _ => {
                let case = self.case();
                literal(&mut self.written, first, case);
            }
        }
        Ok(PatternPiece::Item(Width::ONE))
    }

    fn place(&mut self, place: char) {
        // The word boundaries of the engine follow from its own `\w`.
        let word = set('w', self.letters())
            .map_or_else(|| r"\w".to_owned(), |(inside, _)| set_of(inside, false, self.case()));
        let regex = match place {
            '^' if self.flags.multiline => r"(?:(?<=\n)|(?<![\s\S]))".to_owned(),
            '^' | 'A' => r"\A".to_owned(),
            '$' if self.flags.multiline => r"(?=\n|\z)".to_owned(),
            // Python's `$` also matches before a last line end.
            '$' => r"(?=\n?\z)".to_owned(),
            'Z' => r"\z".to_owned(),
            'b' => format!("(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"),
            _ => format!("(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"),
        };
        self.written.push_str(&regex);
    }

    fn escaped(&mut self) -> Parsed<PatternPiece> {
        let (escape, len) = escape(self.rest(), self.letters(), false)?;
        self.at += len;
        let case = self.case();
        match escape {
            PatternEscape::Char(character) => literal(&mut self.written, character, case),
            PatternEscape::Set(inside, negated) => {
                self.written.push_str(&set_of(inside, negated, case));
            }
            PatternEscape::Place(place) => {
                self.place(place);
                return Ok(PatternPiece::Place);
            }
            PatternEscape::Group(number) => return self.back_reference(number),
        }
        Ok(PatternPiece::Item(Width::ONE))
    }

    fn back_reference(&mut self, number: usize) -> Parsed<PatternPiece> {
        let group = number.checked_sub(1).and_then(|index| self.groups.get(index));
        let Some(group) = group else {
            return invalid(format!("invalid group reference {number}"));
        };
        let Some(width) = group.width else { return invalid("cannot refer to an open group") };
        let opening = if self.flags.ignore_case { "(?i:" } else { "(?:" };
        self.folds_references |= self.flags.ignore_case;
        self.written.push_str(&format!("{opening}\\{number})"));
        Ok(PatternPiece::Item(width))
    }

    /// Parses a group after its opening parenthesis.
    fn group(&mut self) -> Parsed<PatternPiece> {
        if !self.take("?") {
            return self.capture(None);
        }
        for (sign, is_behind) in [("=", false), ("!", false), ("<=", true), ("<!", true)] {
            if self.take(sign) {
                return self.look(sign, is_behind);
            }
        }
        if self.take(":") {
            self.inside("(?:")
        } else if self.take(">") {
            self.inside("(?>")
        } else if self.take("#") {
            self.comment()
        } else if self.take("P<") {
            let name = self.name('>')?;
            self.capture(Some(name))
        } else if self.take("P=") {
            let name = self.name(')')?;
            match self.number_of(&name) {
                Some(number) => self.back_reference(number),
                None => invalid(format!("unknown group name '{name}'")),
            }
        } else if self.take("(") {
            self.conditional()
        } else {
            self.scoped_flags()
        }
    }

    fn capture(&mut self, name: Option<String>) -> Parsed<PatternPiece> {
        if name.is_some() && self.groups.iter().any(|group| group.name == name) {
            return invalid("redefinition of group name");
        }
        // Numbered where it opens, before the groups inside; its width is known where it closes.
        self.groups.push(CaptureGroup { name, width: None });
        let index = self.groups.len() - 1;
        let piece = self.inside("(")?;
        if let PatternPiece::Item(width) = piece {
            self.groups[index].width = Some(width);
        }
        Ok(piece)
    }

    /// Returns the rest of a group, up to its closing parenthesis.
    fn inside(&mut self, opening: &str) -> Parsed<PatternPiece> {
        self.written.push_str(opening);
        let width = self.alternatives()?;
        self.close()?;
        Ok(PatternPiece::Item(width))
    }

    fn close(&mut self) -> Parsed<()> {
        if !self.take(")") {
            return invalid("missing ), unterminated subpattern");
        }
        self.written.push(')');
        Ok(())
    }

    fn look(&mut self, sign: &str, is_behind: bool) -> Parsed<PatternPiece> {
        match self.inside(&format!("(?{sign}"))? {
            PatternPiece::Item(width) if is_behind && width.most != Some(width.least) => {
                invalid("look-behind requires fixed-width pattern")
            }
            _ => Ok(PatternPiece::Item(Width::NONE)),
        }
    }

    fn comment(&mut self) -> Parsed<PatternPiece> {
        let Some(end) = self.rest().find(')') else {
            return invalid("missing ), unterminated comment");
        };
        self.at += end + 1;
        Ok(PatternPiece::Nothing)
    }

    fn name(&mut self, end: char) -> Parsed<String> {
        let rest = self.rest();
        let Some(len) = rest.find(end) else { return invalid("missing the end of a group name") };
        let name = &rest[..len];
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !starts || !letters.all(|c| c.is_alphanumeric() || c == '_') {
            return invalid(format!("bad character in group name '{name}'"));
        }
        self.at += len + 1;
        Ok(name.to_owned())
    }

    fn number_of(&self, name: &str) -> Option<usize> {
        let index = self.groups.iter().position(|group| group.name.as_deref() == Some(name));
        index.map(|index| index + 1)
    }

    /// `(?(1)yes|no)`
    fn conditional(&mut self) -> Parsed<PatternPiece> {
        let rest = self.rest();
        let len = rest.find(')').unwrap_or(rest.len());
        let number = match rest[..len].parse::<usize>() {
            Ok(number) => {
                self.at += len + 1;
                number
            }
            Err(_) => {
                let name = self.name(')')?;
                let Some(number) = self.number_of(&name) else {
                    return invalid(format!("unknown group name '{name}'"));
                };
                number
            }
        };
        if number == 0 || self.at > self.pattern.len() {
            return invalid("bad group number");
        }
        if self.groups.get(number - 1).is_none_or(|group| group.width.is_none()) {
            return unsupported("A condition on a later group is not supported here");
        }
        self.written.push_str(&format!("(?({number})"));
        let yes = self.sequence()?;
        let mut width = yes.or(Width::NONE);
        if self.take("|") {
            self.written.push('|');
            width = yes.or(self.sequence()?);
        }
        if self.rest().starts_with('|') {
            return invalid("conditional backref with more than two branches");
        }
        self.close()?;
        Ok(PatternPiece::Item(width))
    }

    /// `(?i:…)`, `(?-i:…)`
    fn scoped_flags(&mut self) -> Parsed<PatternPiece> {
        let rest = self.rest();
        let len = rest.bytes().take_while(|byte| b"aiLmsux-".contains(byte)).count();
        let flags = &rest[..len];
        match rest[len..].chars().next() {
            Some(':') if len > 0 && flags != "-" => {
                let outside_reach = flags.contains(['a', 'L', 'm', 'x', 'u']);
                if outside_reach {
                    return unsupported(format!(
                        "The flags `{flags}` for a part of a pattern are not supported here"
                    ));
                }
                self.at += len + 1;
                let around = self.flags;
                let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
                self.flags.ignore_case =
                    (around.ignore_case || on.contains('i')) && !off.contains('i');
                let opening = match self.case() {
                    CaseMatching::Ascii => format!("(?{}:", flags.replace('i', "")),
                    CaseMatching::Exact | CaseMatching::Unicode => format!("(?{flags}:"),
                };
                let piece = self.inside(&opening.replace("-:", ":"))?;
                self.flags = around;
                Ok(piece)
            }
            Some(')') if len > 0 => invalid("global flags not at the start of the expression"),
            Some(letter) => invalid(format!("unknown extension ?{letter}")),
            None => invalid("unexpected end of pattern"),
        }
    }

    /// Returns the bounds at `at`, after an opening brace: their values, and the number of bytes including the closing brace.
    fn bounds_at(&self, at: usize) -> Option<(usize, Option<usize>, usize)> {
        let rest = &self.pattern[at..];
        let len = rest.find('}')?;
        let (least, most) = match rest[..len].split_once(',') {
            Some((least, most)) => (least, most),
            None if len > 0 => (&rest[..len], &rest[..len]),
            None => return None,
        };
        let number = |digits: &str, otherwise: Option<usize>| match digits {
            "" => Some(otherwise),
            _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Some),
            _ => None,
        };
        let (least, most) = (number(least, Some(0))?, number(most, None)?);
        Some((least.unwrap_or(0), most, len + 1))
    }

    /// Takes what repeats a piece; `start` is where the piece begins in what is written.
    fn parse_repetition(&mut self, piece: PatternPiece, start: usize) -> Parsed<Width> {
        let (least, most, len) = match self.rest().chars().next() {
            Some('*') => (0, None, 1),
            Some('+') => (1, None, 1),
            Some('?') => (0, Some(1), 1),
            Some('{') => match self.bounds_at(self.at + 1) {
                Some((least, most, len)) => (least, most, len + 1),
                // Without valid bounds Python takes the brace for a character.
                None => return Ok(width_of(piece)),
            },
            _ => return Ok(width_of(piece)),
        };
        let width = match piece {
            PatternPiece::Item(width) => width,
            PatternPiece::Place => return invalid("nothing to repeat"),
            PatternPiece::Nothing => {
                return unsupported("A repetition after a comment is not supported here");
            }
        };
        if most.is_some_and(|most| most < least) {
            return invalid("min repeat greater than max repeat");
        }
        if least.max(most.unwrap_or(0)) > 1000 {
            return unsupported("The pattern repeats more than 1000 times");
        }
        self.at += len;
        // The piece may be written as several parts, such as a look-around, so it is repeated as a group.
        self.written.insert_str(start, "(?:");
        self.written.push(')');
        self.written.push_str(&match most {
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        });
        if let Some(sign) = self.rest().chars().next().filter(|sign| matches!(sign, '?' | '+')) {
            self.at += 1;
            match sign {
                '?' => self.written.push('?'),
                _ => {
                    // Python defines a possessive repetition as an atomic group.
                    self.written.insert_str(start, "(?>");
                    self.written.push(')');
                }
            }
        }
        if self.flags.verbose {
            self.skip_blanks();
        }
        let repeats_again = self.rest().starts_with(['*', '+', '?'])
            || self.rest().starts_with('{') && self.bounds_at(self.at + 1).is_some();
        if repeats_again { invalid("multiple repeat") } else { Ok(width.times(least, most)) }
    }
}

fn width_of(piece: PatternPiece) -> Width {
    match piece {
        PatternPiece::Item(width) => width,
        PatternPiece::Place | PatternPiece::Nothing => Width::NONE,
    }
}
