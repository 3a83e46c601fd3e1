//! JSON as Python's `json.loads` accepts it: `NaN` and `Infinity` are numbers, and a byte order mark is none of it.

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonError {
    /// The error is at this byte.
    At(usize),
    /// It is nested too deeply to be checked here; Python stops near a depth of a thousand.
    TooDeep,
}

const MAX_DEPTH: usize = 400;

/// Checks a whole text.
pub(super) fn check(text: &str) -> Result<(), JsonError> {
    let mut reader = JsonChecker { text, at: 0 };
    reader.space();
    reader.value(0)?;
    reader.space();
    if reader.at == text.len() {
        Ok(())
    } else {
        reader.fault()
    }
}

struct JsonChecker<'a> {
    text: &'a str,
    at: usize,
}

impl JsonChecker<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fault<T>(&self) -> Result<T, JsonError> {
        Err(JsonError::At(self.at))
    }

    fn space(&mut self) {
        self.at = self.text.len()
            - self
                .rest()
                .trim_start_matches([' ', '\t', '\n', '\r'])
                .len();
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.rest().starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError::TooDeep);
        }
        const WORDS: [&str; 6] = ["null", "true", "false", "NaN", "Infinity", "-Infinity"];
        if WORDS.iter().any(|word| self.take(word)) {
            return Ok(());
        }
        match self.rest().as_bytes().first() {
            Some(b'"') => self.string(),
            Some(b'{') => self.parts('}', depth, true),
            Some(b'[') => self.parts(']', depth, false),
            _ => self.number(),
        }
    }

    /// Reads the contents of brackets.
    fn parts(&mut self, close: char, depth: usize, has_keys: bool) -> Result<(), JsonError> {
        let mut end = [0; 1];
        let end: &str = close.encode_utf8(&mut end);
        self.at += 1;
        self.space();
        if self.take(end) {
            return Ok(());
        }
        loop {
            if has_keys {
                self.string()?;
                self.space();
                if !self.take(":") {
                    return self.fault();
                }
                self.space();
            }
            self.value(depth + 1)?;
            self.space();
            if self.take(end) {
                return Ok(());
            }
            if !self.take(",") {
                return self.fault();
            }
            self.space();
        }
    }

    fn string(&mut self) -> Result<(), JsonError> {
        if !self.take("\"") {
            return self.fault();
        }
        loop {
            let bytes = self.rest().as_bytes();
            let step = match bytes.first() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => match bytes.get(1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                    Some(b'u')
                        if bytes
                            .get(2..6)
                            .is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)) =>
                    {
                        6
                    }
                    _ => return self.fault(),
                },
                Some(0..=0x1f) | None => return self.fault(),
                Some(_) => self.rest().chars().next().map_or(1, char::len_utf8),
            };
            self.at += step;
        }
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.take("-");
        if !self.take("0") && self.digits() == 0 {
            return self.fault();
        }
        let start = self.at;
        if self.take(".") && self.digits() == 0 {
            self.at = start;
            return self.fault();
        }
        let start = self.at;
        if self.take("e") || self.take("E") {
            let _ = self.take("+") || self.take("-");
            if self.digits() == 0 {
                self.at = start;
                return self.fault();
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }
}
