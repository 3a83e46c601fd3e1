//! Paints each chunk as its consumer reads it: parsed separately.

use egui::{ScrollArea, Ui, pos2};

use super::data::{describe_reading, one_line};
use super::tapes_ui::TapeProps;
use crate::ops::tape::consumer::ChunkReading;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, RowSelection};

/// Draws one row per chunk.
pub(super) fn json_ui(ui: &mut Ui, props: TapeProps<'_>, followed: &mut Option<usize>) {
    let at = props.desk.transport().chunk();
    let mut area = ScrollArea::vertical()
        .id_salt(("json", props.doc))
        .auto_shrink(false);
    if *followed != at {
        *followed = at;
        let middle = ui.available_height() / 2.0;
        let top = at.unwrap_or_default() as f32 * theme::ROW_HEIGHT - middle;
        area = area.vertical_scroll_offset(top.max(0.0));
    }
    let readings = props.tape.readings();
    area.show_rows(ui, theme::ROW_HEIGHT, readings.len(), |ui, rows| {
        for chunk in rows {
            if let Some(of) = readings.get(chunk) {
                row_ui(ui, props, chunk, *of);
            }
        }
    });
}

fn row_ui(ui: &mut Ui, props: TapeProps<'_>, chunk: usize, of: ChunkReading) {
    let tokens = tokens(ui);
    let text = props
        .tape
        .chunks()
        .get(chunk)
        .map_or("", |chunk| &chunk.text);
    let (words, tone) = describe_reading(of);
    let text = one_line(text);
    let is_here = props.desk.transport().chunk() == Some(chunk);
    let chosen = if is_here {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let name = format!("Chunk {} as JSON: {words}. {text}", chunk + 1);
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, name.trim_end());
    let (rect, middle) = (response.rect, response.rect.center().y);
    let painter = ui.painter();
    let number = widgets::line(
        ui,
        &(chunk + 1).to_string(),
        theme::mono(theme::LABEL),
        tokens.muted,
        56.0,
    );
    widgets::paint_line(painter, pos2(rect.left() + theme::PADDING, middle), number);
    let icon = match tone {
        Tone::Good => icons::CHECK,
        Tone::Error => icons::OCTAGON_X,
        _ if of == ChunkReading::Empty => icons::CIRCLE,
        _ => icons::CORNER_DOWN_RIGHT,
    };
    let left = rect.left() + theme::PADDING + 52.0;
    let color = tokens.tone(tone);
    widgets::paint_icon(painter, pos2(left + 7.0, middle), icon, theme::ICON, color);
    let word = match tone {
        Tone::Good => tokens.text,
        _ => color,
    };
    let words = widgets::line(ui, &words, theme::regular(theme::ROW), word, 160.0);
    widgets::paint_line(painter, pos2(left + theme::INDENT, middle), words);
    let left = left + theme::INDENT + 152.0;
    let room = rect.right() - theme::PADDING - left;
    let text = widgets::line(ui, &text, theme::mono(theme::LABEL), tokens.text, room);
    widgets::paint_line(painter, pos2(left, middle), text);
}
