//! Paints the list of differences, relevant ones first.

use egui::text::LayoutJob;
use egui::{Ui, vec2};

use super::data::describe_place;
use crate::ops::tape::verify::{DifferenceKind, RequestDifference};
use crate::text::{counted, visible};
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Button, Line, List, Row, RowShape, RowSlot, StyledText};
use crate::workbench::{Action, DocId, TapesAction, Verification, Verified, VerifyAction};

/// A message of up to two lines and its position. Longer messages are shown on hover.
const ROWS: RowShape = RowShape {
    height: 68.0,
    lines: &[17.0, 35.0],
    margins: (theme::PADDING, 40.0),
    hair: true,
    radius: 0,
};

/// Draws the list. A click shows the position in both requests.
pub(super) fn differences_ui(
    ui: &mut Ui,
    doc: DocId,
    verified: &Verified,
    verifying: &Verification,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let (counting, ignored) = (verified.verdict.differences.len(), verified.verdict.ignored.len());
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
    List::new("Differences of the request", &ROWS, verified.len())
        .selection(Some(verifying.shown), |_| Some(verifying.at))
        .show(ui, |slot| {
            if let Some(one) = verified.differences().nth(slot.index) {
                let is_here = slot.index == verifying.at;
                row_ui(slot, doc, one, (slot.index >= counting, is_here), actions);
            }
        });
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    doc: DocId,
    one: &RequestDifference,
    (is_ignored, is_here): (bool, bool),
    actions: &mut Vec<Action>,
) {
    let (colors, index, rect) = (tokens(slot.ui), slot.index, slot.rect);
    let place = describe_place(one);
    let (prefix, color) =
        if is_ignored { ("Ignored: ", colors.text) } else { ("", colors.text_strong) };
    let message = format!("{prefix}{}", visible(&one.message));
    let (icon, icon_color) = sign_style(one.kind, is_ignored, colors);
    let text = LayoutJob::simple(message.clone(), theme::regular(theme::ROW), color, 0.0);
    let text = Line::from(StyledText::wrapped(text, 2));
    let row = Row::new(format!("{message}; {place}"))
        .selected(is_here)
        .line(text.icon(icon, icon_color))
        .line(Line::new(&place, theme::mono(theme::SMALL), colors.muted).indent(theme::INDENT))
        .tip(message);
    if slot.show(row).clicked() {
        let show = VerifyAction::Show(index);
        actions.push(Action::from(TapesAction::Verify(show)));
    }
    let corner = rect.with_min_x(rect.right() - 40.0).with_max_y(rect.top() + 36.0);
    let name = format!("Show difference {} in the tape's file", index + 1);
    widgets::place_right(slot.ui, corner.shrink2(vec2(6.0, 0.0)), |ui| {
        let button = Button::icon_only(icons::EXTERNAL_LINK, &name);
        if ui.add(button).clicked() {
            actions.push(Action::Reveal(doc, one.tape));
        }
    });
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
