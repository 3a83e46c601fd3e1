//! Paints the problems desk: rules at the left, the chosen rule and its places in the middle, the place at the right.

use std::collections::HashSet;

use egui::{Frame, Panel, Rect, Stroke, Ui, UiBuilder, pos2, vec2};

use super::data::{FileRow, ListRow, Preview, PreviewText, ProblemsData};
use super::detail_ui;
use crate::format::{RuleId, Severity};
use crate::ops::diff::thousands;
use crate::text::visible;
use crate::ui::code::{CodeState, Focus, code_ui};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Chosen, Segment, Words};
use crate::workbench::{Action, By, Command, FoundRule, Library, ProblemId};

/// What the problems desk remembers between frames.
#[derive(Default)]
pub struct ProblemsState {
    folded_levels: HashSet<Severity>,
    pub(super) folded_folders: HashSet<String>,
    pub(super) rows: Vec<PlaceRow>,
    /// The positions of folders among the rows.
    pub(super) folder_rows: Vec<usize>,
    /// Of which places and folds the rows are.
    pub(super) rows_key: (u64, usize),
    /// The rule that was last scrolled to.
    shown_rule: Option<RuleId>,
    /// The place that was last scrolled to.
    pub(super) scrolled_to: Option<ProblemId>,
    code: CodeState,
}

/// A visible row of the list of places: a folder, or a place in it, by their positions in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceRow {
    Folder(usize),
    Place(usize),
}

/// The levels in the order in which they are shown.
const LEVELS: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// From this width of the desk the list of rules is as wide as it likes.
const LIST_WIDE_FROM: f32 = 1100.0;
/// Below this width of the desk the list of rules is a menu above the rule.
const LIST_FROM: f32 = 928.0;
/// How wide rule and preview together must at least be, for the preview to be there.
const PREVIEW_FROM: f32 = 680.0;

/// Paints the desk. What stands at the places is read from `library`.
pub fn problems_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    level: Option<Severity>,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let width = ui.available_width();
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let side = |color| Frame::new().fill(color);
    let list = if width >= LIST_WIDE_FROM {
        296.0
    } else {
        240.0
    };
    if width >= LIST_FROM {
        Panel::left("problem-rules")
            .exact_size(list)
            .resizable(false)
            .frame(side(tokens.panel))
            .show(ui, |ui| list_ui(ui, data, library, level, state, actions));
    } else {
        Panel::top("problem-rules-above")
            .exact_size(theme::TOOL_ROW_SEGMENTS)
            .frame(side(tokens.panel))
            .show(ui, |ui| above_ui(ui, data, library, level, state, actions));
    }
    let left = ui.available_width();
    if left >= PREVIEW_FROM {
        Panel::right("problem-preview")
            .default_size((left * 0.48).min(440.0))
            .size_range(320.0..=720.0)
            .resizable(true)
            .frame(side(tokens.panel))
            .show(ui, |ui| preview_ui(ui, data, state, actions));
    }
    Frame::new().fill(tokens.desk).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        detail_ui::detail_ui(ui, data, library, state, actions);
    });
}

fn list_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    level: Option<Severity>,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    strip(ui, theme::DESK_HEADER, |ui| {
        Words::new()
            .with(
                "Problems",
                theme::semibold(theme::TITLE),
                tokens.text_strong,
            )
            .show(ui);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            by_ui(ui, data.by, actions);
        });
    });
    strip(ui, theme::TOOL_ROW, |ui| {
        levels_ui(ui, data, level, actions);
    });
    widgets::hair_line(ui);
    match data.by {
        By::Files => files_ui(ui, data, library, actions),
        By::Rules | By::Sources => rules_ui(ui, data, state, actions),
    }
}

/// What the desk can list.
pub fn by_ui(ui: &mut Ui, by: By, actions: &mut Vec<Action>) {
    let choices = [By::Rules, By::Files, By::Sources];
    let segments = ["Rules", "Files", "Sources"].map(Segment::text);
    let chosen = choices.iter().position(|choice| *choice == by);
    if let Some(pressed) = widgets::segmented(ui, &segments, chosen.unwrap_or(0)) {
        actions.push(Action::ListBy(choices[pressed]));
    }
}

/// The levels to choose from, with their counts.
fn levels_ui(ui: &mut Ui, data: &ProblemsData, level: Option<Severity>, actions: &mut Vec<Action>) {
    let counts = data.counts.map(thousands);
    let mut segments = vec![Segment::text("All")];
    for (severity, count) in LEVELS.iter().zip(&counts) {
        let tone = widgets::severity_tone(*severity);
        let segment = Segment::default().count(count).name(level_name(*severity));
        segments.push(segment.icon(icons::severity(*severity), Some(tone)));
    }
    let chosen = level.map_or(0, |level| 1 + position(level));
    if let Some(pressed) = widgets::segmented(ui, &segments, chosen) {
        let level = pressed.checked_sub(1).and_then(|index| LEVELS.get(index));
        actions.push(Action::FilterProblems(level.copied()));
    }
}

/// The list of rules as a menu, for a narrow window.
fn above_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    level: Option<Severity>,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        by_ui(ui, data.by, actions);
        levels_ui(ui, data, level, actions);
        let rule = data.rule.as_ref().map_or("", |detail| detail.rule.as_str());
        let button = Button::ghost(rule)
            .trailing(icons::CHEVRON_DOWN)
            .tooltip("Choose another rule");
        let button = ui.add_enabled(!data.rules.is_empty(), button);
        let menu = egui::Popup::menu(&button).width(296.0);
        let menu = menu.close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| {
            let asked = actions.len();
            ui.set_max_height(360.0);
            match data.by {
                By::Files => files_ui(ui, data, library, actions),
                By::Rules | By::Sources => rules_ui(ui, data, state, actions),
            }
            if actions.len() > asked {
                ui.close();
            }
        });
    });
}

/// A row of tools with the padding of its region.
fn strip(ui: &mut Ui, height: f32, add: impl FnOnce(&mut Ui)) {
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), egui::Sense::hover());
    let builder = UiBuilder::new()
        .max_rect(rect.shrink2(vec2(theme::PADDING, 0.0)))
        .layout(egui::Layout::left_to_right(egui::Align::Center));
    ui.scope_builder(builder, add);
}

fn rules_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
) {
    if data.rules.is_empty() {
        let words = if data.items == 0 {
            "Nothing is open."
        } else {
            "Nothing is wrong."
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
    let (name, aside) = match severity {
        Severity::Error => ("Errors", ""),
        Severity::Warning => ("Warnings", ""),
        Severity::Note => ("Notes", "not in the count at the left"),
    };
    let folded = state.folded_levels.contains(&severity);
    let response = group_row(
        ui,
        name,
        aside,
        &thousands(count),
        folded,
        None,
        tokens.raised,
    );
    if response.clicked() && !state.folded_levels.remove(&severity) {
        state.folded_levels.insert(severity);
    }
}

/// A heading that folds what stands under it.
pub(super) fn group_row(
    ui: &mut Ui,
    name: &str,
    aside: &str,
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
    let words = Words::new()
        .with(name, font, tokens.text)
        .after(
            theme::GAP,
            aside,
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
        Chosen::Selected
    } else {
        Chosen::No
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

fn files_ui(ui: &mut Ui, data: &ProblemsData, library: &Library, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let files = data.files(library);
    if files.is_empty() {
        widgets::empty_state(ui, "Nothing is wrong in any file.", None);
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
                Chosen::Selected
            } else {
                Chosen::No
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

fn preview_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Vec<Action>,
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
        PreviewText::Reading => {
            widgets::skeleton_rows(ui, 8, theme::TEXT_LINE);
            return;
        }
    };
    let foot = Panel::bottom("preview-facts")
        .exact_size(theme::ROW_HEIGHT)
        .frame(Frame::new())
        .show_separator_line(false);
    foot.show(ui, |ui| {
        let rect = ui.max_rect();
        ui.painter().hline(
            rect.x_range(),
            rect.top() + 0.5,
            Stroke::new(1.0, tokens.hair),
        );
        let font = theme::regular(theme::LABEL);
        let place = widgets::line(ui, &preview.place, font.clone(), tokens.muted, rect.width());
        let room = rect.width() - 2.0 * theme::PADDING - place.size().x - theme::GAP;
        let facts = Words::new()
            .with(code.facts.syntax, font.clone(), tokens.muted)
            .after(theme::PADDING, &code.facts.encoding, font, tokens.muted)
            .galley(ui, room);
        let middle = rect.center().y;
        widgets::paint_line(
            ui.painter(),
            pos2(rect.left() + theme::PADDING, middle),
            facts,
        );
        widgets::paint_line_right(
            ui.painter(),
            pos2(rect.right() - theme::PADDING, middle),
            place,
        );
    });
    Frame::new().fill(tokens.input).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        let marks = code.marks.iter().filter(|mark| mark.span == preview.span);
        let focus = Focus {
            span: Some(preview.span),
            message: Some(&preview.message),
            severity: marks.map(|mark| mark.severity).max(),
        };
        code_ui(ui, code, focus, &mut state.code);
    });
}

fn preview_head_ui(ui: &mut Ui, preview: &Preview, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    response.on_hover_text(&preview.root_path);
    let middle = rect.center().y;
    let left = rect.left() + theme::PADDING;
    widgets::paint_icon(
        ui.painter(),
        pos2(left + 8.0, middle),
        icons::kind(preview.kind),
        theme::ICON_HEADING,
        tokens.muted,
    );
    let buttons = Rect::from_min_max(pos2(rect.right() - 76.0, rect.top()), rect.max);
    let font = theme::mono(theme::LABEL);
    let name = Words::new()
        .with(&preview.path.0, font.clone(), tokens.muted)
        .with(&preview.path.1, font, tokens.text_strong)
        .galley(ui, buttons.left() - left - 32.0);
    widgets::paint_line(ui.painter(), pos2(left + 26.0, middle), name);
    let builder = UiBuilder::new()
        .max_rect(buttons)
        .layout(egui::Layout::left_to_right(egui::Align::Center));
    ui.scope_builder(builder, |ui| {
        if widgets::icon_button(ui, icons::COPY, "Copy as path:line:column").clicked() {
            actions.push(Action::Copy(preview.path_line.clone()));
        }
        if widgets::icon_button(ui, icons::EXTERNAL_LINK, "Show in the library").clicked() {
            actions.push(Action::Reveal(preview.id.doc, preview.span));
        }
    });
    ui.painter()
        .hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, tokens.hair));
    ui.add_space(1.0);
}

fn position(severity: Severity) -> usize {
    LEVELS
        .iter()
        .position(|level| *level == severity)
        .unwrap_or_default()
}

fn level_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors only",
        Severity::Warning => "Warnings only",
        Severity::Note => "Notes only",
    }
}

/// The keys that lead to the next place, as they stand on the key caps.
pub(super) fn next_keys() -> Vec<String> {
    Command::NextRow
        .shortcuts()
        .first()
        .map_or_else(Vec::new, |keys| keys.caps())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::data::tests::project;
    use super::*;
    use crate::format::RuleId::{ResponseNotWrapped, SeedEmpty};
    use crate::workbench::{DocId, Workbench};

    /// Shows the desk, lets `act` use it, and returns what was asked for.
    fn shown(workbench: &Workbench, act: impl FnOnce(&mut Harness<'_>)) -> Vec<Action> {
        let mut data = ProblemsData::default();
        data.update(workbench);
        let (mut state, actions) = (ProblemsState::default(), RefCell::new(Vec::new()));
        let mut harness = Harness::builder()
            .with_size([1368.0, 800.0])
            .build_ui(|ui| {
                theme::install(ui.ctx(), crate::workbench::Theme::Dark);
                let library = workbench.library();
                problems_ui(
                    ui,
                    &data,
                    library,
                    None,
                    &mut state,
                    &mut actions.borrow_mut(),
                );
            });
        harness.run();
        act(&mut harness);
        harness.run();
        drop(harness);
        actions.into_inner()
    }

    #[test]
    fn rules_places_and_files_are_chosen_by_name() {
        let mut workbench = project(&[
            ("set/a.json", &[ResponseNotWrapped]),
            ("set/b.json", &[SeedEmpty]),
        ]);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("warning seed-empty, 1").click();
        });
        assert_eq!(actions, [Action::SelectRule(SeedEmpty)]);
        let (doc, index) = (DocId::new(0), 0);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("a.json, line 2, column 15").click();
        });
        assert_eq!(actions, [Action::SelectProblem(ProblemId { doc, index })]);
        let actions = shown(&workbench, |harness| harness.get_by_label("Files").click());
        assert_eq!(actions, [Action::ListBy(By::Files)]);
        let effects = workbench.apply(Action::ListBy(By::Files));
        assert_eq!(effects, []);
        let actions = shown(&workbench, |harness| {
            harness.get_by_label("b.json").click();
        });
        let doc = DocId::new(1);
        assert_eq!(actions, [Action::SelectProblem(ProblemId { doc, index })]);
    }

    #[test]
    fn a_folder_folds() {
        let workbench = project(&[("set/a.json", &[ResponseNotWrapped])]);
        shown(&workbench, |harness| {
            harness.get_by_label("set, 1").click();
            harness.run();
            assert!(
                harness
                    .query_by_label("a.json, line 2, column 15")
                    .is_none()
            );
        });
    }
}
