//! Paints each chunk as its consumer reads it: parsed separately.

use egui::{Rangef, Ui};

use super::data::{describe_reading, one_line};
use super::tapes_ui::TapeProps;
use crate::ops::tape::consumer::ChunkReading;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{Line, List, Row, RowShape};

/// Draws one row per chunk.
pub(super) fn json_ui(ui: &mut Ui, props: TapeProps<'_>) {
    let colors = tokens(ui);
    let at = props.desk.transport.chunk();
    let (readings, chunks) = (props.tape.readings(), props.tape.chunks());
    List::new("Chunks as JSON", &RowShape::ONE_LINE, readings.len())
        .of(props.doc)
        .selection(Some(at), |at| Some(at.unwrap_or_default()))
        .show(ui, |slot| {
            let (chunk, of) = (slot.index, readings[slot.index]);
            let (words, tone) = describe_reading(of);
            let text = one_line(chunks.get(chunk).map_or("", |chunk| &chunk.text));
            let number = (chunk + 1).to_string();
            let name = format!("Chunk {number} as JSON: {words}. {text}");
            let icon = match tone {
                Tone::Good => icons::CHECK,
                Tone::Error => icons::OCTAGON_X,
                _ if of == ChunkReading::Empty => icons::CIRCLE,
                _ => icons::CORNER_DOWN_RIGHT,
            };
            let color = colors.tone(tone);
            let word = match tone {
                Tone::Good => colors.text,
                _ => color,
            };
            let left = slot.rect.left() + theme::PADDING;
            let cell = |from, to| Rangef::new(left + from, left + to);
            let rest = Rangef::new(left + 226.0, slot.rect.right() - theme::PADDING);
            let mono = |text, color| Line::new(text, theme::mono(theme::LABEL), color);
            let row = Row::new(name.trim_end())
                .selected(at == Some(chunk))
                .cell(cell(0.0, 52.0))
                .line(mono(&number, colors.muted))
                .cell(cell(52.0, 226.0))
                .line(Line::icon_word((icon, color), (&words, word)).indent(theme::INDENT))
                .cell(rest)
                .line(mono(&text, colors.text));
            slot.show(row);
        });
}
