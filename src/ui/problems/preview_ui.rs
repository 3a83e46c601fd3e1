//! Paints the text around a problem.

use egui::{Frame, Panel, Stroke, Ui, UiBuilder, pos2};

use super::folds::ProblemsState;
use super::preview::{PreviewText, ProblemPreview};
use super::problems_data::ProblemsData;
use widgets::StyledText;
use widgets::code::{CodeFocus, code_ui};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions};

/// Draws the file around the selected place.
pub(super) fn preview_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let Some(preview) = &data.preview else {
        widgets::empty_state(ui, "Choose a place to see the text around it.", None);
        return;
    };
    preview_head_ui(ui, preview, actions);
    let code = match &preview.text {
        PreviewText::Ready(code) => code,
        PreviewText::Failed(reason) => {
            widgets::empty_state(ui, reason, None);
            return;
        }
        PreviewText::Reading => return widgets::skeleton_rows(ui, 8, theme::TEXT_LINE),
    };
    let foot = Panel::bottom("preview-facts")
        .exact_size(theme::ROW_HEIGHT)
        .frame(Frame::new())
        .show_separator_line(false);
    foot.show(ui, |ui| {
        let rect = ui.max_rect();
        widgets::line_above(ui, rect);
        let font = theme::regular(theme::LABEL);
        let place = widgets::line(ui, &preview.place, font.clone(), tokens.muted, rect.width());
        let room = rect.width() - 2.0 * theme::PADDING - place.size().x - theme::GAP;
        let facts = StyledText::new()
            .with(code.facts.syntax, font.clone(), tokens.muted)
            .after(theme::PADDING, &code.facts.encoding, font, tokens.muted)
            .galley(ui, room);
        let middle = rect.center().y;
        widgets::paint_line(ui.painter(), pos2(rect.left() + theme::PADDING, middle), facts);
        widgets::paint_line_right(ui.painter(), pos2(rect.right() - theme::PADDING, middle), place);
    });
    Frame::new().fill(tokens.input).show(ui, |ui| {
        // A short text must not leave a part of the panel in another colour.
        ui.set_min_size(ui.available_size());
        let mut marks = code.marks.iter();
        // Several rules may report the same span.
        let mark = marks.find(|m| m.span == preview.span && *m.message == *preview.message);
        let focus = CodeFocus {
            span: Some(preview.span),
            message: Some(&preview.message),
            severity: mark.map(|mark| mark.severity),
        };
        code_ui(ui, code, focus, &mut state.code);
    });
}

fn preview_head_ui(ui: &mut Ui, preview: &ProblemPreview, actions: &mut Actions) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::DESK_HEADER, egui::Sense::hover());
    // The row has room for the last folder only.
    response.on_hover_text(&preview.root_path);
    let middle = rect.center().y;
    let left = rect.left() + theme::PADDING;
    let (icon, center) = (icons::kind(preview.kind), pos2(left + 8.0, middle));
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, tokens.muted);
    let buttons = rect.with_min_x(rect.right() - 76.0);
    let font = theme::mono(theme::LABEL);
    let name = StyledText::new()
        .with(&preview.path.0, font.clone(), tokens.muted)
        .with(&preview.path.1, font, tokens.text_strong)
        .galley(ui, buttons.left() - left - 32.0);
    widgets::paint_line(ui.painter(), pos2(left + 26.0, middle), name);
    let builder =
        UiBuilder::new().max_rect(buttons).layout(egui::Layout::left_to_right(egui::Align::Center));
    ui.scope_builder(builder, |ui| {
        if widgets::icon_button(ui, icons::COPY, "Copy as path:line:column").clicked() {
            actions.push(Action::Copy(preview.path_line.clone()));
        }
        if widgets::icon_button(ui, icons::EXTERNAL_LINK, "Show in Library").clicked() {
            actions.push(Action::Reveal(preview.id.doc, preview.span));
        }
    });
    ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, tokens.hair));
    ui.add_space(1.0);
}
