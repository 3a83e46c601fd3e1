//! Paints the list of differences, relevant ones first.

use egui::{ScrollArea, Ui, pos2, vec2};

use super::data::describe_place;
use crate::ops::tape::verify::{DifferenceKind, RequestDifference};
use crate::text::counted;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText};
use crate::workbench::{Action, DocId, TapesAction, Verification, Verified, VerifyAction};

/// Height of a row: a message of two lines and its position. Longer messages are shown on hover.
const ROW: f32 = 68.0;

/// State of the list that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct DifferencesState {
    /// Counter of the last difference that was scrolled into view.
    followed: u64,
}

/// Draws the list. A click shows the position in both requests.
pub(super) fn differences_ui(
    ui: &mut Ui,
    doc: DocId,
    verified: &Verified,
    verifying: &Verification,
    state: &mut DifferencesState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let (counting, ignored) = (
        verified.verdict.differences.len(),
        verified.verdict.ignored.len(),
    );
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let (title, detail_font) = (theme::semibold(theme::BODY), theme::regular(theme::ROW));
        let mut words = counted(counting, "difference", "differences");
        if ignored > 0 {
            words = format!("{words}, {ignored} ignored");
        }
        StyledText::new()
            .with("Differences", title, colors.text_strong)
            .after(theme::GAP, &words, detail_font, colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
    let mut area = ScrollArea::vertical()
        .id_salt("differences")
        .auto_shrink(false);
    if state.followed != verifying.shown() {
        state.followed = verifying.shown();
        let top = verifying.at() as f32 * ROW;
        area = area.vertical_scroll_offset((top - ui.available_height() / 3.0).max(0.0));
    }
    area.show_rows(ui, ROW, verified.len(), |ui, rows| {
        for index in rows {
            if let Some(one) = verified.differences().nth(index) {
                let is_here = index == verifying.at();
                row_ui(ui, doc, (index, one), (index >= counting, is_here), actions);
            }
        }
    });
}

fn row_ui(
    ui: &mut Ui,
    doc: DocId,
    (index, one): (usize, &RequestDifference),
    (is_ignored, is_here): (bool, bool),
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let chosen = if is_here {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let (message, place) = (visible(&one.message), describe_place(one));
    let prefix = if is_ignored { "Ignored: " } else { "" };
    let name = format!("{prefix}{message}; {place}");
    let response = widgets::row(ui, ROW, chosen, &name);
    let rect = response.rect;
    let (icon, color) = sign_style(one.kind, is_ignored, colors);
    let left = rect.left() + theme::PADDING;
    let center = pos2(left + 7.0, rect.top() + 17.0);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON, color);
    let words = rect
        .with_min_x(left + theme::INDENT)
        .with_max_x(rect.right() - 40.0);
    let color = if is_ignored {
        colors.text
    } else {
        colors.text_strong
    };
    let (text, font) = (format!("{prefix}{message}"), theme::regular(theme::ROW));
    let mut job = egui::text::LayoutJob::simple(text, font, color, words.width());
    job.wrap.max_rows = 2;
    let galley = ui.painter().layout_job(job);
    let below = words.top() + 9.0 + galley.size().y + 10.0;
    ui.painter()
        .galley(words.min + vec2(0.0, 9.0), galley, color);
    let small = theme::mono(theme::SMALL);
    let line = widgets::line(ui, &place, small, colors.muted, words.width());
    widgets::paint_line(ui.painter(), pos2(words.left(), below), line);
    let hair = egui::Stroke::new(1.0, colors.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let corner = rect
        .with_min_x(rect.right() - 40.0)
        .with_max_y(rect.top() + 36.0);
    let name = format!("Show difference {} in the tape's file", index + 1);
    let ((), _) = widgets::place_right(ui, corner.shrink2(vec2(6.0, 0.0)), |ui| {
        if ui
            .add(Button::icon_only(icons::EXTERNAL_LINK, &name))
            .clicked()
        {
            actions.push(Action::Reveal(doc, one.tape));
        }
    });
    if response.on_hover_text(message).clicked() {
        let show = VerifyAction::Show(index);
        actions.push(Action::Tapes(TapesAction::Verify(show)));
    }
}

/// Returns the icon and the colour of a difference.
fn sign_style(
    kind: DifferenceKind,
    is_ignored: bool,
    colors: &Tokens,
) -> (&'static str, egui::Color32) {
    let (icon, color) = match kind {
        DifferenceKind::Value => (icons::EQUAL_NOT, colors.error),
        DifferenceKind::Missing => (icons::MINUS, colors.error),
        DifferenceKind::Extra => (icons::PLUS, colors.error),
        DifferenceKind::Bytes => (icons::BRACES, colors.warning),
        DifferenceKind::Id => (icons::HASH, colors.note),
        DifferenceKind::Date => (icons::CALENDAR, colors.note),
    };
    (icon, if is_ignored { colors.muted } else { color })
}
