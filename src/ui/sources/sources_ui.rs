//! Paints the list of sources with its tools, and the details of the selected one.

use egui::{Align, Frame, Layout, Panel, Sense, Ui, UiBuilder, pos2, vec2};

use super::detail_ui::detail_ui;
use super::list_ui::{fit_colors, list_ui};
use super::sources_data::{SourcesData, SourcesView};
use crate::problems::grouping_ui;
use document::text::thousands;
use protocol::Desk;
use widgets::theme::{self, Tone, tokens};
use widgets::{Segment, SidePanel, StyledText, TextField, fields, icons, keymap};
use workbench::{
    Action, Actions, Command, ProblemsAction, ProblemsView, SourceAction, SourceFilter,
    SourcesDesk, Workbench,
};

/// From this width on the details are beside the list, otherwise below it.
const SIDE_PANEL_MIN_WIDTH: f32 = 860.0;
/// From this width of the list on, the tool row has labels.
const LABELS_MIN_WIDTH: f32 = 640.0;

/// View state of the list between frames.
#[derive(Debug, Default)]
pub struct SourcesState {
    /// The filter input.
    draft: String,
}

/// Draws the sources. User input becomes [`Action`](workbench::Action)s.
pub fn sources_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &SourcesData,
    state: &mut SourcesState,
    actions: &mut Actions,
) {
    let view = SourcesView {
        desk: &workbench.problems.sources,
        library: &workbench.core.library,
        detail: data.detail.as_ref(),
    };
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let frame = Frame::new().fill(tokens(ui).panel);
    let (width, height) = (ui.available_width(), ui.available_height());
    if width >= SIDE_PANEL_MIN_WIDTH {
        SidePanel::right("source", 384.0, 280.0..=640.0)
            .show(ui, |ui| detail_ui(ui, &view, actions));
    } else {
        Panel::bottom("source below")
            // The list keeps the larger half.
            .exact_size((height * 0.45).round())
            .resizable(false)
            .frame(frame)
            .show(ui, |ui| detail_ui(ui, &view, actions));
    }
    Panel::bottom("sources foot")
        .exact_size(theme::TOOL_ROW)
        .frame(frame)
        .show_separator_line(false)
        .show(ui, |ui| foot_ui(ui, &view, actions));
    Frame::new().fill(tokens(ui).desk).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        head_ui(ui, &view, state, actions);
        tools_ui(ui, &view, actions);
        list_ui(ui, &view, actions);
    });
}

fn head_ui(ui: &mut Ui, view: &SourcesView<'_>, state: &mut SourcesState, actions: &mut Actions) {
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with("Problems", title, tokens(ui).text_strong).show(ui);
        grouping_ui(ui, ProblemsView::Sources, actions);
        filter_ui(ui, view, state, actions);
    });
    widgets::line_below(ui, rect);
}

fn filter_ui(ui: &mut Ui, view: &SourcesView<'_>, state: &mut SourcesState, actions: &mut Actions) {
    let id = fields::sources();
    let is_focused = ui.memory(|memory| memory.has_focus(id));
    // While the user types, the desk is one frame behind the field.
    if !is_focused {
        view.desk.typed.clone_into(&mut state.draft);
    }
    let width = ui.available_width();
    let caps = keymap::caps(ui, Command::FocusFilter);
    let mut is_cleared = false;
    // Read before the field, which borrows the text.
    let is_empty = state.draft.is_empty();
    let field = TextField::search(id, "Filter sources", &mut state.draft).hint("Path or node");
    let response = field.show(
        ui,
        width,
        |_| {},
        |ui| {
            if is_empty {
                widgets::key_caps(ui, &caps);
            } else {
                is_cleared = widgets::icon_button(ui, icons::X, "Clear filter").clicked();
            }
        },
    );
    if is_cleared {
        state.draft.clear();
    }
    if response.changed() || is_cleared {
        let text = state.draft.clone();
        actions.push(Action::from(ProblemsAction::Sources(SourceAction::Type(text))));
    }
}

/// Returns the label, icon and tone of a filter.
fn filter_look(filter: SourceFilter) -> (&'static str, Option<(&'static str, Tone)>) {
    match filter {
        SourceFilter::All => ("All", None),
        SourceFilter::Stale => ("Stale", Some((icons::CLOCK_ALERT, Tone::Warning))),
        SourceFilter::Gone => ("Missing", Some((icons::FILE_X, Tone::Error))),
        SourceFilter::Renamed => ("Renamed", Some((icons::FILE_SYMLINK, Tone::Note))),
        SourceFilter::LineEnds => ("Line endings", Some((icons::WRAP_TEXT, Tone::Note))),
        SourceFilter::Outside => ("Outside", Some((icons::SHIELD_BAN, Tone::Error))),
        SourceFilter::Unchanged => ("Fresh", Some((icons::CIRCLE_CHECK, Tone::Good))),
    }
}

fn tools_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Actions) {
    let desk = view.desk;
    let has_words = ui.available_width() >= LABELS_MIN_WIDTH;
    // Sources outside the project are rare, so their filter is shown only if there are any.
    let is_offered = |filter: &&SourceFilter| {
        **filter != SourceFilter::Outside || desk.count(**filter) > 0 || desk.filter == **filter
    };
    let filters: Vec<SourceFilter> = SourceFilter::ALL.iter().filter(is_offered).copied().collect();
    let counts: Vec<String> = filters.iter().map(|filter| thousands(desk.count(*filter))).collect();
    let names: Vec<String> = filters
        .iter()
        .zip(&counts)
        .map(|(filter, count)| format!("{} {count}", filter_look(*filter).0))
        .collect();
    let choices = filters.iter().zip(counts.iter().zip(&names));
    let segments: Vec<Segment<'_>> = choices
        .map(|(filter, (count, name))| {
            let (word, look) = filter_look(*filter);
            let word = if has_words || look.is_none() { word } else { "" };
            let segment = Segment::text(word).count(count).name(name);
            match look {
                Some((icon, tone)) => {
                    // Colour only where there is something to see.
                    segment.icon(icon, Some(tone).filter(|_| desk.count(*filter) > 0))
                }
                None => segment,
            }
        })
        .collect();
    let position = filters.iter().position(|filter| *filter == desk.filter);
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        if let Some(index) = widgets::segmented(ui, &segments, position.unwrap_or(0)) {
            let filter = SourceAction::Filter(filters[index]);
            actions.push(Action::from(ProblemsAction::Sources(filter)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| sum_ui(ui, desk));
    });
}

/// Paints a summary of what there is to do.
fn sum_ui(ui: &mut Ui, desk: &SourcesDesk) {
    let colors = tokens(ui);
    let (regular, bold) = (theme::regular(theme::ROW), theme::semibold(theme::ROW));
    let breaks = match desk.counts.fits.breaks {
        1 => " recording breaks",
        _ => " recordings break",
    };
    let mut words = StyledText::new();
    if desk.counts.fits.breaks > 0 {
        words.push(&thousands(desk.counts.fits.breaks), bold.clone(), colors.text_strong);
        words.push(breaks, regular.clone(), colors.text);
    }
    if desk.counts.fixable > 0 {
        if desk.counts.fits.breaks > 0 {
            words.push(", ", regular.clone(), colors.text);
        }
        words.push(&thousands(desk.counts.fixable), bold, colors.text_strong);
        words.push(" can be fixed here", regular, colors.text);
    }
    words.show(ui);
}

/// Paints the number of recordings without a source, and the legend of the bars.
fn foot_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Actions) {
    let rect = ui.max_rect();
    let colors = tokens(ui);
    widgets::line_above(ui, rect);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut right = ui.new_child(UiBuilder::new().max_rect(inner).layout(layout));
    right.spacing_mut().item_spacing.x = theme::ICON_GAP;
    // Laid out from the right, so in reverse.
    for (color, word) in fit_colors(colors).into_iter().rev() {
        StyledText::new().with(word, theme::regular(theme::LABEL), colors.muted).show(&mut right);
        let (square, _) = right.allocate_exact_size(vec2(12.0, 8.0), Sense::hover());
        right.painter().rect_filled(square, 2.0, color);
        right.add_space(theme::ICON_GAP);
    }
    widgets::place_left(ui, inner.with_max_x(right.min_rect().left() - theme::GAP), |ui| {
        unstamped_ui(ui, view.desk.list.unstamped, actions);
    });
}

fn unstamped_ui(ui: &mut Ui, unstamped: usize, actions: &mut Actions) {
    let words = match unstamped {
        0 => return,
        1 => "1 recording names no source.".to_owned(),
        count => format!("{} recordings name no source.", thousands(count)),
    };
    let colors = tokens(ui);
    let (sign, _) = ui.allocate_exact_size(vec2(theme::ICON, theme::ICON), Sense::hover());
    let center = pos2(sign.center().x, sign.center().y);
    widgets::paint_icon(ui.painter(), center, icons::CIRCLE_DASHED, theme::ICON, colors.muted);
    StyledText::new().with(&words, theme::regular(theme::ROW), colors.text).show(ui);
    if widgets::link(ui, "Show").clicked() {
        // Only recordings name sources; other files would be listed, too.
        actions.push(Action::SetFilter("kind:recording -source:*".to_owned()));
        actions.push(Action::ShowVerdict(None));
        actions.push(Action::Go(Desk::Library));
    }
}
