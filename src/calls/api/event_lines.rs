//! Assembles server-sent events from their lines.

/// One event that has data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SseEvent {
    /// The lines of its data, joined.
    pub(crate) data: String,
    /// When its last line arrived, in nanoseconds.
    pub(crate) at_nanos: Option<f64>,
}

/// Returns the lines of a text, which end with `\n`, `\r\n` or `\r`.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    // Splitting at `\n` first keeps `\r\n` one end; the standard of server-sent events also allows `\r` alone.
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Assembles events from their lines.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    events: Vec<SseEvent>,
    data: Option<String>,
    at_nanos: Option<f64>,
}

impl SseReader {
    pub(crate) fn line(&mut self, line: &str, at_nanos: Option<f64>) {
        if line.is_empty() {
            self.dispatch();
            return;
        }
        // By the standard, a line without a colon is a field without a value.
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        // A comment has an empty name; other fields say nothing of the answer.
        if field != "data" {
            return;
        }
        // One space after the colon is not part of the value; some servers write none.
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        self.at_nanos = at_nanos;
    }

    fn dispatch(&mut self) {
        self.events.extend(self.data.take().map(|data| SseEvent { data, at_nanos: self.at_nanos }));
    }

    /// Takes the complete events.
    pub(crate) fn take(&mut self) -> Vec<SseEvent> {
        std::mem::take(&mut self.events)
    }

    /// Returns the data of the incomplete event.
    pub(crate) fn unfinished(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// Returns the events, including one at the end without its empty line: files are often saved without it.
    pub(crate) fn finish(mut self) -> Vec<SseEvent> {
        self.dispatch();
        self.events
    }
}
