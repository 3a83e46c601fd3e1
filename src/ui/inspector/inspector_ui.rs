//! Paints the inspector: head, tabs, and the side of the item that is chosen.

use std::sync::Arc;

use egui::{Align, Frame, Label, Layout, Margin, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::data::{Content, InspectorData, ProblemLine, Ready};
use super::sections_ui::{SectionsState, sections_ui};
use super::tree::ValueTree;
use super::tree_ui::tree_ui;
use super::{paint, turn_ui};
use crate::text::Span;
use crate::ui::code::{CodeState, Focus, code_ui, tone};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::workbench::{Action, Tab};

/// What the inspector remembers between frames: scrolling, what is unfolded, the tree.
#[derive(Default)]
pub struct InspectorState {
    sections: SectionsState,
    code: CodeState,
    tree: Option<ValueTree>,
}

/// Paints the inspector of one item. `reveal` is a place to show in its text.
pub fn inspector_ui(
    ui: &mut Ui,
    data: &InspectorData,
    tab: Tab,
    reveal: Option<Span>,
    state: &mut InspectorState,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing = vec2(theme::ICON_GAP, 0.0);
    head_ui(ui, data, actions);
    tabs_ui(ui, data, tab, state, actions);
    if tab == Tab::Problems {
        problems_ui(ui, data, actions);
        return;
    }
    let ready = match &data.content {
        Content::Ready(ready) => ready,
        Content::Reading => return skeleton_ui(ui),
        Content::Failed(reason) => return failed_ui(ui, reason),
    };
    match tab {
        Tab::Conversation => sections_ui(ui, data, ready, &mut state.sections, actions),
        Tab::Text => text_ui(ui, data, ready, reveal, state),
        Tab::Tree => {
            let current = state.tree.take().filter(|tree| Arc::ptr_eq(tree.document(), &ready.document));
            let tree = state.tree.insert(current.unwrap_or_else(|| ValueTree::new(ready.document.clone())));
            tree_ui(ui, data, ready, tree, actions);
        }
        Tab::Problems => {}
    }
}

fn head_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(10.0);
        let more = paint::icon_button(ui, icons::ELLIPSIS, "More");
        egui::Popup::menu(&more).show(|ui| menu_ui(ui, data, actions));
        if paint::icon_button(ui, icons::COPY, "Copy the id").clicked() {
            actions.push(Action::Copy(data.label.clone()));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add_space(theme::PADDING);
            ui.spacing_mut().item_spacing.x = theme::GAP;
            paint::icon(ui, icons::kind(data.kind), theme::ICON_HEADING, tokens.muted).on_hover_text(data.kind.as_str());
            let (sign, word, tone) = data.look();
            let tag_width = 30.0 + 7.0 * word.chars().count() as f32;
            let label = RichText::new(&data.label).font(theme::mono_bold(theme::BODY)).color(tokens.text_strong);
            let width = (ui.available_width() - tag_width).max(60.0);
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.add(Label::new(label).truncate()).on_hover_text(&data.shown_path);
            });
            paint::tag(ui, sign, word, tone);
        });
    });
    paint::hairline(ui);
}

fn menu_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Vec<Action>) {
    let mut entry = |ui: &mut Ui, name: &str, action: Action| {
        if ui.button(name).clicked() {
            actions.push(action);
            ui.close();
        }
    };
    entry(ui, "Copy the path", Action::Copy(data.path.to_string()));
    let Content::Ready(ready) = &data.content else {
        return;
    };
    ui.separator();
    if let Some(root) = ready.document.tree.root() {
        turn_ui::copy_items(ui, root.id(), data, ready, actions);
    }
}

impl InspectorData {
    /// The icon, word and tone of how the item stands.
    fn look(&self) -> (&'static str, &'static str, Tone) {
        (icons::CHECK, self.status.word(), Tone::Plain)
    }
}

fn tabs_ui(ui: &mut Ui, data: &InspectorData, chosen: Tab, state: &mut InspectorState, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), 36.0);
    let row = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.add_space(theme::PADDING);
        ui.spacing_mut().item_spacing.x = 18.0;
        let first = match data.content {
            Content::Ready(ref ready) => first_tab(ready),
            _ => "Conversation",
        };
        for (tab, name) in [
            (Tab::Conversation, first),
            (Tab::Text, "Text"),
            (Tab::Tree, "JSON"),
            (Tab::Problems, "Problems"),
        ] {
            let color = if tab == chosen { tokens.text_strong } else { tokens.muted };
            let text = RichText::new(name).font(theme::medium(theme::ROW)).color(color);
            let response = ui.add(Label::new(text).selectable(false).sense(Sense::click()));
            response.widget_info(|| {
                WidgetInfo::selected(egui::accesskit::Role::Tab, true, tab == chosen, name)
            });
            let mut right = response.rect.right();
            if let (Tab::Problems, Some(worst)) = (tab, data.worst) {
                ui.spacing_mut().item_spacing.x = 6.0;
                let count = data.problems.len().to_string();
                let tone = tone(worst);
                let badge = Frame::new()
                    .fill(tokens.tint_of(tone))
                    .corner_radius(theme::RADIUS_TAG)
                    .inner_margin(Margin::symmetric(5, 1));
                let badge = badge.show(ui, |ui| {
                    let count = RichText::new(count).font(theme::regular(theme::LABEL)).color(tokens.tone(tone));
                    ui.add(Label::new(count).selectable(false));
                });
                right = badge.response.rect.right();
            }
            if tab == chosen {
                let y = ui.max_rect().bottom() - 1.0;
                ui.painter().hline(response.rect.left()..=right, y, Stroke::new(2.0, tokens.accent));
            }
            if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                actions.push(Action::ShowTab(tab));
            }
        }
        if chosen == Tab::Conversation {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(10.0);
                let (sign, name) = match state.sections.as_written {
                    true => (icons::TYPE, "Show texts as Markdown"),
                    false => (icons::TEXT, "Show texts as written"),
                };
                if paint::icon_button(ui, sign, name).clicked() {
                    state.sections.as_written = !state.sections.as_written;
                }
            });
        }
    });
    let rect = row.response.rect;
    ui.painter().hline(ui.max_rect().x_range(), rect.bottom(), Stroke::new(1.0, tokens.hair));
    ui.add_space(1.0);
}

/// What the first tab is called: only recordings and tapes hold a conversation.
fn first_tab(ready: &Ready) -> &'static str {
    use crate::format::Kind;
    match ready.document.kind() {
        Kind::Recording | Kind::Request | Kind::Tape => "Conversation",
        _ => "Content",
    }
}

fn text_ui(ui: &mut Ui, data: &InspectorData, ready: &Ready, reveal: Option<Span>, state: &mut InspectorState) {
    let tokens = tokens(ui);
    let foot = egui::Panel::bottom("inspector-facts")
        .exact_size(theme::ROW_HEIGHT)
        .frame(Frame::new().inner_margin(Margin::symmetric(16, 4)))
        .show_separator_line(false);
    foot.show(ui, |ui| {
        ui.horizontal_centered(|ui| {
            let facts = &ready.code.facts;
            let words = format!("{}   {}", facts.syntax, facts.encoding);
            ui.label(RichText::new(words).font(theme::regular(theme::LABEL)).color(tokens.muted));
        });
    });
    Frame::new().fill(tokens.input).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        let problem = data.problems.iter().find(|problem| Some(problem.span) == reveal);
        let focus = Focus {
            span: reveal,
            message: problem.map(|problem| problem.message.as_str()),
            severity: problem.map(|problem| problem.severity),
        };
        code_ui(ui, &ready.code, focus, &mut state.code);
    });
}

fn problems_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Vec<Action>) {
    if data.problems.is_empty() {
        let words = RichText::new("Nothing is wrong in this file.").color(tokens(ui).muted);
        Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| ui.label(words));
        return;
    }
    // Rows have one height so that a file with a hundred thousand problems scrolls like one with ten.
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = egui::ScrollArea::vertical().auto_shrink(false);
    area.show_rows(ui, PROBLEM_ROW, data.problems.len(), |ui, range| {
        for problem in data.problems.get(range).unwrap_or_default() {
            problem_ui(ui, data, problem, actions);
        }
    });
}

const PROBLEM_ROW: f32 = 78.0;

fn problem_ui(ui: &mut Ui, data: &InspectorData, problem: &ProblemLine, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), PROBLEM_ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| {
        let name = format!("{} {}, {}", problem.severity, problem.rule, problem.place);
        WidgetInfo::labeled(egui::accesskit::Role::Button, true, name)
    });
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, tokens.hover);
    }
    if response.has_focus() {
        let ring = Stroke::new(2.0, tokens.ring);
        ui.painter().rect_stroke(rect.shrink(1.0), 0.0, ring, egui::StrokeKind::Inside);
    }
    let color = tokens.tone(tone(problem.severity));
    let inner = egui::Rect::from_min_max(pos2(rect.left() + 16.0, rect.top() + 8.0), rect.max - vec2(16.0, 6.0));
    ui.scope_builder(egui::UiBuilder::new().max_rect(inner), |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 3.0);
        ui.horizontal(|ui| {
            paint::icon(ui, icons::severity(problem.severity), theme::ICON, color);
            let rule = RichText::new(problem.rule).font(theme::mono(theme::LABEL)).color(tokens.text_strong);
            ui.add(Label::new(rule).selectable(false));
            let place = RichText::new(&problem.place).font(theme::regular(theme::LABEL)).color(tokens.muted);
            ui.add(Label::new(place).truncate().selectable(false));
        });
        let mut job = egui::text::LayoutJob::simple(
            problem.message.clone(),
            theme::regular(theme::ROW),
            tokens.text,
            inner.width() - 22.0,
        );
        job.wrap.max_rows = 2;
        ui.horizontal(|ui| {
            ui.add_space(22.0 - theme::GAP);
            ui.add(Label::new(job).selectable(false));
        });
    });
    ui.painter().hline(rect.x_range(), rect.bottom(), Stroke::new(1.0, tokens.hair));
    if response.clicked() {
        actions.push(Action::Reveal(data.id, problem.span));
    }
    response.context_menu(|ui| {
        if ui.button("Copy as path:line").clicked() {
            let line = problem.place.trim_start_matches("line ").split(',').next().unwrap_or("1");
            actions.push(Action::Copy(format!("{}:{line}", data.path)));
            ui.close();
        }
        if ui.button("Copy the message").clicked() {
            actions.push(Action::Copy(problem.message.clone()));
            ui.close();
        }
    });
    let mut hover = problem.message.clone();
    if !problem.help.is_empty() {
        hover.push_str("\n\n");
        hover.push_str(&problem.help);
    }
    response.on_hover_text(hover);
}

fn skeleton_ui(ui: &mut Ui) {
    let tokens = tokens(ui);
    for width in [0.4, 0.9, 0.8, 0.6] {
        let size = vec2(ui.available_width(), 28.0);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let bar = egui::Rect::from_min_size(
            pos2(rect.left() + theme::PADDING, rect.center().y - 5.0),
            vec2((rect.width() - 2.0 * theme::PADDING) * width, 10.0),
        );
        ui.painter().rect_filled(bar, 4.0, tokens.raised);
    }
}

fn failed_ui(ui: &mut Ui, reason: &str) {
    let tokens = tokens(ui);
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            paint::icon(ui, icons::OCTAGON_X, theme::ICON, tokens.error);
            ui.label(RichText::new(reason).color(tokens.text));
        });
    });
}
