//! Paints the details of the selected source: its change, its present place, the edit, and its recordings.

use egui::{Align, Color32, Frame, Layout, Margin, ScrollArea, Sense, Ui, pos2, vec2};

use super::describe;
use super::sources_data::{PathRewrite, SourceDetail, SourcePlace, SourcesView};
use crate::terminal::regenerate_ui;
use calls::ItemStatus;
use calls::source::RequestFit;
use document::text::{thousands, visible};
use protocol::{Desk, DocId, SourceRow};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText, icons};
use workbench::{Action, Actions, ProblemsAction, SourceAction};

/// The row of a recording.
const RECORDING_ROW: RowShape = RowShape { height: 24.0, lines: &[12.0], ..RowShape::ONE_LINE };
/// The height of a row with a file to choose.
const PLACE_HEIGHT: f32 = 48.0;

/// Draws the selected source.
pub(super) fn detail_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let (Some(detail), Some(row)) = (view.detail, view.desk.selected()) else {
        return widgets::empty_sentence(ui, "Select a source to see what happened to it.");
    };
    head_ui(ui, detail);
    let (icon, tone) = widgets::status_look(detail.status);
    let (heading, body) = &detail.explanation;
    widgets::banner(ui, tone, icon, heading, body);
    // By source, so that another one starts at its top.
    ScrollArea::vertical().id_salt(("source", &detail.name)).auto_shrink(false).show(ui, |ui| {
        places_ui(ui, detail, actions);
        if let Some(rewrite) = &detail.rewrite {
            rewrite_ui(ui, detail, rewrite, actions);
        }
        fixes_ui(ui, detail, actions);
        recordings_ui(ui, view, detail, row, actions);
    });
}

fn head_ui(ui: &mut Ui, detail: &SourceDetail) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let (folder, file) = &detail.path;
    response.on_hover_text(format!("{folder}{file}"));
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let center = inner.left_center() + vec2(theme::ICON_HEADING / 2.0, 0.0);
    widgets::paint_icon(ui.painter(), center, icons::FILE_CODE, theme::ICON_HEADING, colors.muted);
    let inner = inner.with_min_x(inner.left() + theme::ICON_HEADING + theme::GAP);
    widgets::place_left(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let font = theme::semibold(theme::BODY);
        // The tag keeps its place beside a long name.
        let room = (ui.available_width() - 120.0).max(60.0);
        let name = StyledText::new().with(file, font, colors.text_strong).galley(ui, room);
        let (name_rect, response) = ui.allocate_exact_size(name.size(), Sense::hover());
        widgets::describe(&response, egui::Role::Heading, file);
        ui.painter().galley(name_rect.min, name, Color32::PLACEHOLDER);
        widgets::status_tag(ui, detail.status);
    });
}

/// Adds a region with a line above it.
fn region_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    widgets::padded(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        content(ui);
    });
    widgets::hair_line(ui);
}

fn places_ui(ui: &mut Ui, detail: &SourceDetail, actions: &mut Actions) {
    if detail.places.is_empty() {
        return;
    }
    region_ui(ui, |ui| {
        widgets::heading(ui, "", "Current location", "");
        ui.add_space(6.0);
        let frame = Frame::new()
            .stroke((1.0, tokens(ui).line))
            .corner_radius(theme::RADIUS_CARD)
            .inner_margin(Margin::same(1));
        frame.show(ui, |ui| {
            for (index, place) in detail.places.iter().enumerate() {
                if index > 0 {
                    widgets::hair_line(ui);
                }
                if place_ui(ui, place) {
                    actions.push(Action::from(ProblemsAction::Sources(SourceAction::Choose(
                        detail.name.clone(),
                        place.path.clone(),
                    ))));
                }
            }
        });
    });
}

/// Paints a file that may be the source now. Returns whether it was chosen.
fn place_ui(ui: &mut Ui, place: &SourcePlace) -> bool {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, PLACE_HEIGHT, Sense::click());
    let path = visible(&place.path);
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::Role::RadioButton, true, place.chosen, &*path)
    });
    let fill = match (place.chosen, response.hovered()) {
        (true, _) => colors.selected,
        (false, true) => colors.hover,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, f32::from(theme::RADIUS_CARD) - 1.0, fill);
    let center = pos2(rect.left() + 18.0, rect.top() + 16.0);
    let (ring, width) = if place.chosen { (colors.accent, 4.5) } else { (colors.strong, 1.0) };
    ui.painter().circle_stroke(center, 7.0 - width / 2.0, (width, ring));
    let left = rect.left() + 34.0;
    let room = rect.right() - 8.0 - left;
    let line = widgets::line(ui, &path, theme::mono(theme::LABEL), colors.text_strong, room);
    let is_elided = line.elided;
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 16.0), line);
    let words = widgets::line(ui, &place.detail, theme::regular(theme::LABEL), colors.muted, room);
    widgets::paint_line(ui.painter(), pos2(left, rect.bottom() - 14.0), words);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, theme::RADIUS_CONTROL);
    }
    let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
    // A click on the chosen one changes nothing, and must not become an action.
    let is_chosen = response.clicked() && !place.chosen;
    if is_elided {
        response.on_hover_text(&*path);
    }
    is_chosen
}

fn rewrite_ui(ui: &mut Ui, detail: &SourceDetail, rewrite: &PathRewrite, actions: &mut Actions) {
    region_ui(ui, |ui| {
        let text = match rewrite.count {
            1 => "Update the path…".to_owned(),
            count => format!("Update the path in {}…", thousands(count)),
        };
        let button = Button::primary(&text)
            .icon(icons::FILE_SYMLINK)
            .tooltip(
                "Writes the new path into these recordings. You see the change before it is saved.",
            )
            .disabled((!rewrite.is_chosen).then_some("choose its current place first"))
            .width(ui.available_width());
        if ui.add(button).clicked() {
            let name = detail.name.clone();
            actions.push(Action::from(ProblemsAction::Sources(SourceAction::Repath(name))));
        }
        note_ui(ui, "Hash and signature stay unchanged. One undo step.");
    });
}

/// Adds a note below a button.
fn note_ui(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(theme::text(text, theme::regular(theme::LABEL), tokens(ui).muted));
}

/// Paints the other fixes: compare side by side, and restamp.
fn fixes_ui(ui: &mut Ui, detail: &SourceDetail, actions: &mut Actions) {
    let count = detail.restampable;
    // An empty region would only be a line.
    if !detail.is_changed && count == 0 {
        return;
    }
    let action_of =
        |action: fn(_) -> _| Action::from(ProblemsAction::Sources(action(detail.name.clone())));
    region_ui(ui, |ui| {
        if detail.is_changed {
            let button = Button::primary("Compare source versions").icon(icons::COLUMNS_2);
            let response = ui.add(button.width(ui.available_width()));
            widgets::on_click(&response, action_of(SourceAction::Compare), actions);
            ui.add_space(theme::GAP);
        }
        // One primary button at most: comparing comes before recording again.
        regenerate_ui(ui, &detail.breaking, !detail.is_changed, actions);
        if count == 0 {
            return;
        }
        if !detail.breaking.is_empty() {
            ui.add_space(theme::GAP);
        }
        // Shown when it is only a part: recordings that break must not be stamped as if they matched.
        let text = match (count, detail.recordings.len() == count) {
            (1, _) => "Restamp 1…".to_owned(),
            (count, true) => format!("Restamp {}…", thousands(count)),
            (count, false) => format!("Restamp the {} that still match…", thousands(count)),
        };
        let button = if detail.is_changed { Button::secondary } else { Button::primary };
        let button = button(&text).icon(icons::STAMP).width(ui.available_width());
        let tip =
            "Updates what they store about their source. You see the change before it is saved.";
        widgets::on_click(&ui.add(button.tooltip(tip)), action_of(SourceAction::Restamp), actions);
        note_ui(ui, "Updates hash, size and date of the source. One undo step.");
    });
}

fn recordings_ui(
    ui: &mut Ui,
    view: &SourcesView<'_>,
    detail: &SourceDetail,
    row: &SourceRow,
    actions: &mut Actions,
) {
    Frame::new().inner_margin(Margin { left: 16, right: 16, top: 12, bottom: 6 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            let count = thousands(detail.recordings.len());
            widgets::title_note(ui, ("Recordings", theme::BODY), (&count, theme::ROW));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if widgets::link(ui, "Open in Library").clicked() {
                    actions.push(Action::SetFilter(detail.filter.clone()));
                    // A status chosen earlier would hide some of these recordings.
                    actions.push(Action::ShowVerdict(None));
                    actions.push(Action::Go(Desk::Library));
                }
            });
        });
    });
    List::new("Recordings of the source", &RECORDING_ROW, detail.recordings.len()).show_inside(
        ui,
        |slot| {
            recording_ui(slot, view, row, detail.recordings[slot.index], actions);
        },
    );
    ui.add_space(theme::GAP);
}

fn recording_ui(
    slot: &mut RowSlot<'_>,
    view: &SourcesView<'_>,
    row: &SourceRow,
    doc: DocId,
    actions: &mut Actions,
) {
    let item = view.library.get(doc);
    let Some((item, source)) = item.and_then(|item| Some((item, item.source.as_ref()?))) else {
        return;
    };
    let colors = tokens(slot.ui);
    let (word, icon, tone) = match (source.fit(), source.status()) {
        // Whether a request still matches counts more than whether the text is the same.
        (RequestFit::Breaks, _) => ("breaks", icons::TRIANGLE_ALERT, Tone::Warning),
        (RequestFit::Unknown, _) => ("unknown", icons::CIRCLE_QUESTION_MARK, Tone::Plain),
        (RequestFit::Matches, ItemStatus::Fresh) => ("fresh", icons::CIRCLE_CHECK, Tone::Good),
        (RequestFit::Matches, _) => ("still matches", icons::CIRCLE_CHECK, Tone::Good),
    };
    let (label, set) = (visible(item.label()), visible(item.set()));
    let font = || theme::regular(theme::LABEL);
    let words = StyledText::new()
        .with(&label, theme::mono(theme::LABEL), colors.text_strong)
        .after(theme::GAP, &set, font(), colors.muted);
    let line = Line::from(words)
        .icon(icons::kind(item.kind), colors.muted)
        .right(StyledText::new().with(word, font(), colors.text))
        .right_icon(icon, colors.tone(tone));
    let response = slot.show(Row::new(format!("{label}, {set}, {word}")).line(line));
    if response.clicked() {
        actions.push(Action::Select(doc));
        actions.push(Action::Go(Desk::Library));
    }
    let why = describe::fit_reason(row, source);
    widgets::tip(response, &format!("{why}."), &[] as &[&str]);
}
