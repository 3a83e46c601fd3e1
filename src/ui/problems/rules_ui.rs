//! Paints the list on the left: rules grouped by level, or files.

use egui::{Stroke, Ui, pos2, vec2};

use super::data::{FileRow, ListRow, ProblemsData};
use super::problems_ui::ProblemsState;
use crate::format::Severity;
use crate::text::thousands;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, RowSelection, StyledText};
use crate::workbench::{Action, FoundRule, Library};

/// Draws the rules with problems, grouped by level.
pub(super) fn rules_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    if data.rules.is_empty() {
        let words = if data.items == 0 {
            "No folder is open."
        } else {
            "No problems found."
        };
        widgets::empty_state(ui, words, None);
        return;
    }
    let chosen = data.rule.as_ref().map(|detail| detail.rule);
    egui::ScrollArea::vertical()
        .auto_shrink([false, true])
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for row in &data.rules {
                match *row {
                    ListRow::Level { severity, count } => level_ui(ui, severity, count, state),
                    ListRow::Rule(found) if state.folded_levels.contains(&found.severity) => {}
                    ListRow::Rule(found) => {
                        let selected = chosen == Some(found.rule);
                        let row = rule_ui(ui, &found, selected, actions);
                        if selected && state.shown_rule != chosen {
                            row.scroll_to_me(None);
                            state.shown_rule = chosen;
                        }
                    }
                }
            }
        });
}

fn level_ui(ui: &mut Ui, severity: Severity, count: usize, state: &mut ProblemsState) {
    let tokens = tokens(ui);
    let (name, detail) = match severity {
        Severity::Error => ("Errors", ""),
        Severity::Warning => ("Warnings", ""),
        Severity::Note => ("Notes", "not in the badge count"),
    };
    let folded = state.folded_levels.contains(&severity);
    let response = group_row(
        ui,
        name,
        detail,
        &thousands(count),
        folded,
        None,
        tokens.raised,
    );
    if response.clicked() && !state.folded_levels.remove(&severity) {
        state.folded_levels.insert(severity);
    }
}

/// Draws a heading that folds its rows.
pub(super) fn group_row(
    ui: &mut Ui,
    name: &str,
    detail: &str,
    count: &str,
    folded: bool,
    icon: Option<&str>,
    fill: egui::Color32,
) -> egui::Response {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::ROW_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::selected(
            egui::Role::Button,
            true,
            !folded,
            format!("{name}, {count}"),
        )
    });
    let painter = ui.painter();
    painter.rect_filled(
        rect,
        0.0,
        if response.hovered() {
            tokens.hover
        } else {
            fill
        },
    );
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, tokens.hair),
    );
    let middle = rect.center().y;
    let chevron = if folded {
        icons::CHEVRON_RIGHT
    } else {
        icons::CHEVRON_DOWN
    };
    let mut left = rect.left() + theme::PADDING;
    widgets::paint_icon(
        painter,
        pos2(left + 7.0, middle),
        chevron,
        theme::ICON,
        tokens.muted,
    );
    left += theme::INDENT;
    let font = match icon {
        None => theme::medium(theme::LABEL),
        Some(icon) => {
            widgets::paint_icon(
                painter,
                pos2(left + 7.0, middle),
                icon,
                theme::ICON,
                tokens.muted,
            );
            left += theme::INDENT;
            theme::mono(theme::LABEL)
        }
    };
    let number = widgets::line(ui, count, theme::mono(theme::LABEL), tokens.text, 120.0);
    let room = rect.right() - theme::PADDING - number.size().x - theme::GAP - left;
    let words = StyledText::new()
        .with(name, font, tokens.text)
        .after(
            theme::GAP,
            detail,
            theme::regular(theme::LABEL),
            tokens.muted,
        )
        .galley(ui, room);
    widgets::paint_line(ui.painter(), pos2(left, middle), words);
    widgets::paint_line_right(
        ui.painter(),
        pos2(rect.right() - theme::PADDING, middle),
        number,
    );
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    response
}

fn rule_ui(
    ui: &mut Ui,
    found: &FoundRule,
    selected: bool,
    actions: &mut Vec<Action>,
) -> egui::Response {
    let FoundRule {
        rule,
        severity,
        count,
    } = *found;
    let tokens = tokens(ui);
    let chosen = if selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let name = format!("{severity} {rule}, {count}");
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &name);
    let rect = response.rect;
    let middle = rect.center().y;
    let color = tokens.tone(widgets::severity_tone(severity));
    let left = rect.left() + theme::PADDING;
    widgets::paint_icon(
        ui.painter(),
        pos2(left + 7.0, middle),
        icons::severity(severity),
        theme::ICON,
        color,
    );
    let font = theme::mono(theme::LABEL);
    let words = widgets::line(
        ui,
        rule.as_str(),
        font.clone(),
        tokens.text_strong,
        rect.width() - 100.0,
    );
    widgets::paint_line(ui.painter(), pos2(left + theme::INDENT, middle), words);
    let number = widgets::line(ui, &thousands(count), font, tokens.text_strong, 80.0);
    widgets::paint_line_right(
        ui.painter(),
        pos2(rect.right() - theme::PADDING, middle),
        number,
    );
    if response.clicked() {
        actions.push(Action::SelectRule(rule));
    }
    response
}

/// Draws the files with problems.
pub(super) fn files_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let files = data.files(library);
    if files.is_empty() {
        widgets::empty_state(ui, "No file has problems.", None);
        return;
    }
    let selected = data.preview.as_ref().map(|preview| preview.id.doc);
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = egui::ScrollArea::vertical().auto_shrink(false);
    area.show_rows(ui, theme::ROW_TWO_LINES, files.len(), |ui, range| {
        for FileRow {
            doc,
            first,
            worst,
            count,
        } in files.get(range).unwrap_or_default()
        {
            let Some(item) = library.get(*doc) else {
                continue;
            };
            let chosen = if selected == Some(*doc) {
                RowSelection::Selected
            } else {
                RowSelection::None
            };
            let label = visible(item.file_name());
            let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &label);
            let rect = response.rect;
            let left = rect.left() + theme::PADDING;
            let color = tokens.tone(widgets::severity_tone(*worst));
            let top = rect.top() + 14.0;
            widgets::paint_icon(
                ui.painter(),
                pos2(left + 7.0, top),
                icons::severity(*worst),
                theme::ICON,
                color,
            );
            let number = widgets::line(
                ui,
                &thousands(*count),
                theme::mono(theme::LABEL),
                tokens.text_strong,
                80.0,
            );
            let room =
                rect.width() - 2.0 * theme::PADDING - theme::INDENT - number.size().x - theme::GAP;
            let name = widgets::line(
                ui,
                &label,
                theme::mono(theme::LABEL),
                tokens.text_strong,
                room,
            );
            let folder = visible(item.folder());
            let folder = widgets::line(
                ui,
                &folder,
                theme::regular(theme::SMALL),
                tokens.muted,
                room,
            );
            widgets::paint_line(ui.painter(), pos2(left + theme::INDENT, top), name);
            widgets::paint_line(
                ui.painter(),
                pos2(left + theme::INDENT, rect.bottom() - 13.0),
                folder,
            );
            widgets::paint_line_right(
                ui.painter(),
                pos2(rect.right() - theme::PADDING, top),
                number,
            );
            if response.clicked() {
                actions.push(Action::SelectProblem(*first));
            }
        }
    });
}
