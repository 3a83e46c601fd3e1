//! The panel beside the map: the selected node, or what no recording covers.

use egui::{Color32, Pos2, ScrollArea, Ui, pos2};

use document::text::{counted, thousands, visible};
use machine::map_picture::recording_mark;
use machine::{MachineMap, MapVersion, NodeState};
use widgets::graph::Placement;
use widgets::picture::paint;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, StyledText};
use widgets::{dates, icons};
use workbench::{Action, Actions, MapAction, MapDesk, Workbench};

/// A row of a recording: the mark is before its text.
const RECORDING_ROW: RowShape = RowShape { margins: (36.0, theme::PADDING), ..RowShape::ONE_LINE };

/// Paints the mark of a recording.
pub(super) fn mark(ui: &Ui, center: Pos2, matches: bool, scale: f32) {
    paint(ui, ui.painter(), Placement::IDENTITY, &[recording_mark(center.into(), matches, scale)]);
}

/// Draws the panel.
pub(super) fn panel_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    map: &MachineMap,
    version: &MapVersion,
    actions: &mut Actions,
) {
    let desk = &workbench.map;
    ui.spacing_mut().item_spacing.y = 0.0;
    let node = desk.node.and_then(|index| version.nodes[index].as_ref());
    match node {
        Some(node) => {
            head_ui(ui, node, actions);
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                broke_ui(ui, desk, version, Some(node), actions);
                objective_ui(ui, node);
                tools_ui(ui, desk, map, node);
                recordings_ui(ui, workbench, map, version, &node.recordings, actions);
            });
        }
        None => {
            widgets::strip(ui, theme::DESK_HEADER, |ui| {
                let color = tokens(ui).text_strong;
                StyledText::new().with("Coverage", theme::semibold(theme::TITLE), color).show(ui);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let placement = workbench.core.inspector.placement;
                    widgets::close_button(ui, placement, "Close the coverage", actions);
                });
            });
            widgets::hair_line(ui);
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                broke_ui(ui, desk, version, None, actions);
                uncovered_ui(ui, map, version, actions);
            });
        }
    }
}

fn head_ui(ui: &mut Ui, node: &NodeState, actions: &mut Actions) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let colors = tokens(ui);
        let font = theme::semibold(theme::TITLE);
        // Room for the tags and the button, which are drawn after the name.
        let room = ui.available_width() - 170.0;
        StyledText::new()
            .with(&visible(&node.qualified), font, colors.text_strong)
            .show_middle(ui, room.max(60.0));
        if node.is_task {
            widgets::tag(ui, "", "task", Tone::Plain);
        }
        if node.breaks > 0 {
            let text = counted(node.breaks, "breaks", "break");
            widgets::tag(ui, icons::CLOCK_ALERT, &text, Tone::Warning);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if widgets::icon_button(ui, icons::X, "Close").clicked() {
                actions.push(Action::from(MapAction::SelectNode(None)));
            }
        });
    });
    widgets::hair_line(ui);
}

/// Draws what the commit of the shown version broke: of one node, or of all.
fn broke_ui(
    ui: &mut Ui,
    desk: &MapDesk,
    version: &MapVersion,
    node: Option<&NodeState>,
    actions: &mut Actions,
) {
    // In the coverage of the whole machine, everything that a commit broke is listed.
    let is_of_node = |index: &&usize| node.is_none_or(|node| node.recordings.contains(index));
    let recordings: Vec<usize> = version.broke.iter().filter(is_of_node).copied().collect();
    let Some(&first) = recordings.first() else { return };
    let subject = match version.commit {
        Some(_) => "This commit broke",
        None => "The change on disk broke",
    };
    let heading = format!("{subject} {}.", counted(recordings.len(), "recording", "recordings"));
    let why = format!("{}.", visible(&version.calls[first].why).replace('`', ""));
    widgets::banner_with(ui, Tone::Warning, icons::CLOCK_ALERT, &heading, &why, |ui| {
        let button = Button::secondary("Then and now").icon(icons::COLUMNS_2);
        if let (true, Some(doc)) = (ui.add(button).clicked(), desk.recordings().get(first)) {
            actions.push(Action::from(MapAction::CompareSource(*doc)));
        }
        if ui.add(Button::ghost(&format!("Re-record {}…", recordings.len()))).clicked() {
            let docs = recordings.iter().filter_map(|index| desk.recordings().get(*index).copied());
            actions.push(Action::from(MapAction::Regenerate(docs.collect())));
        }
    });
}

fn heading_ui(ui: &mut Ui, text: &str, note: &str) {
    let colors = tokens(ui);
    ui.add_space(theme::SECTION_GAP);
    widgets::strip(ui, theme::TEXT_LINE, |ui| {
        StyledText::new()
            .with(text, theme::semibold(theme::BODY), colors.text_strong)
            .after(theme::GAP, note, theme::regular(theme::LABEL), colors.muted)
            .show(ui);
    });
    ui.add_space(theme::GAP);
}

fn objective_ui(ui: &mut Ui, node: &NodeState) {
    let Some(objective) = &node.objective else { return };
    heading_ui(ui, "Objective", "");
    let margin = egui::Margin::symmetric(theme::PADDING as i8, 0);
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        let (font, color) = (theme::regular(theme::BODY), tokens(ui).text);
        ui.label(theme::text(visible(objective), font, color));
    });
}

/// Lists the tools that a request offers, those of the version before, and how often recordings call each.
fn tools_ui(ui: &mut Ui, desk: &MapDesk, map: &MachineMap, node: &NodeState) {
    let colors = tokens(ui);
    let version = &map.versions[desk.version()];
    // For a merge, the first parent, which is the branch that was merged into.
    let parent =
        version.older.first().and_then(|index| map.versions[*index].nodes[desk.node?].as_ref());
    // Without an earlier version no tool is new.
    let old_tools: &[Box<str>] = parent.map_or(&node.tools, |parent| &parent.tools);
    let removed_tools = old_tools.iter().filter(|tool| !node.tools.contains(tool));
    let new_tools = node.tools.iter();
    let new_tools =
        new_tools.map(|tool| (if old_tools.contains(tool) { "" } else { "+" }, &**tool));
    let rows: Vec<(&str, &str)> =
        removed_tools.map(|tool| ("−", &**tool)).chain(new_tools).collect();
    if rows.is_empty() {
        return;
    }
    let note = match (node.tools.len(), old_tools.len()) {
        (count, _) if rows.iter().all(|(sign, _)| sign.is_empty()) => thousands(count),
        (count, old_count) => format!("{count} now, {old_count} before"),
    };
    heading_ui(ui, "Tools offered", &note);
    let count = |tool: &str| {
        let names = node.recordings.iter().map(|index| &map.called[*index]);
        names.flatten().filter(|t| &***t == tool).count()
    };
    List::new("Tools offered", &RowShape::ONE_LINE, rows.len()).show_inside(ui, |slot| {
        let (sign, tool) = rows[slot.index];
        let calls = count(tool);
        let (color, ground, change) = match sign {
            "+" => (colors.good, colors.added_line, ", added"),
            "−" => (colors.error, colors.removed_line, ", removed"),
            _ => (colors.text, Color32::TRANSPARENT, ""),
        };
        let name = machine::short_tool(tool);
        let call_count = counted(calls, "call", "calls");
        let words = format!("{tool}{change}, {call_count}");
        let text = StyledText::new()
            .with(&format!("{sign:1} "), theme::mono_bold(theme::LABEL), color)
            .with(icons::tool(tool), theme::icon(theme::ICON), colors.muted)
            .after(theme::ICON_GAP, &visible(name), theme::mono(theme::LABEL), colors.text_strong);
        let (count, font) = (thousands(calls), theme::mono(theme::LABEL));
        let line = Line::from(text).right(StyledText::new().with(&count, font, colors.muted));
        slot.show(Row::new(words).line(line).fill(ground).tip(visible(tool)));
    });
}

fn recordings_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    map: &MachineMap,
    version: &MapVersion,
    recordings: &[usize],
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    heading_ui(ui, "Recordings", &thousands(recordings.len()));
    let docs = workbench.map.recordings();
    let selected = workbench.core.list.selected;
    List::new("Recordings of the node", &RECORDING_ROW, recordings.len()).show_inside(ui, |slot| {
        let index = recordings[slot.index];
        let fit = &version.calls[index];
        let item = docs.get(index).and_then(|doc| workbench.core.library.get(*doc));
        let Some(item) = item else { return };
        let tool = map.called[index].first().map_or("", |tool| &**tool);
        let state = match fit.matches {
            Some(true) => "matches",
            Some(false) => "breaks",
            None => "not known",
        };
        let day = item.recorded_at.as_deref().map(dates::day_of_iso).unwrap_or_default();
        let (tool_name, font) = (visible(machine::short_tool(tool)), theme::regular(theme::LABEL));
        let right = StyledText::new()
            .with(&tool_name, theme::medium(theme::LABEL), colors.text_strong)
            .after(theme::GAP, &day, font, colors.muted);
        let line = Line::new(&visible(item.label()), theme::mono(theme::LABEL), colors.text)
            .elide_middle()
            .right(right)
            .right_share(0.6);
        let row = Row::new(format!("{}, {tool}, {state}", item.label()))
            .selected(docs.get(index) == selected.as_ref())
            .line(line)
            .tip(visible(&fit.why).replace('`', ""));
        let response = slot.show(row);
        let center = pos2(slot.rect.left() + 23.0, slot.rect.center().y);
        if let Some(matches) = fit.matches {
            mark(slot.ui, center, matches, 0.9);
        }
        if response.clicked()
            && let Some(doc) = docs.get(index)
        {
            actions.extend([Action::from(MapAction::ShowList), Action::Select(*doc)]);
        }
    });
}

/// Lists what no recording covers.
fn uncovered_ui(ui: &mut Ui, map: &MachineMap, version: &MapVersion, actions: &mut Actions) {
    let colors = tokens(ui);
    let nodes = version.nodes.iter().enumerate();
    let nodes: Vec<(usize, &NodeState)> = nodes
        .filter_map(|(index, node)| Some((index, node.as_ref()?)))
        // Models are called only at tasks.
        .filter(|(_, node)| node.is_task && node.recordings.is_empty())
        .collect();
    let edges = map.edges.iter().zip(&version.edges);
    let edges: Vec<_> = edges
        .filter_map(|(edge, state)| Some((edge, state.as_ref()?)))
        // An edge that no tool offers is not chosen by a model, and so cannot be recorded.
        .filter(|(_, state)| state.is_offered && state.uses == 0)
        .collect();
    if nodes.is_empty() && edges.is_empty() {
        heading_ui(ui, "Every task and edge has a recording", "");
        return;
    }
    if !nodes.is_empty() {
        heading_ui(ui, "Tasks without a recording", &thousands(nodes.len()));
        let list = List::new("Tasks without a recording", &RowShape::ONE_LINE, nodes.len());
        list.show_inside(ui, |slot| {
            let (index, node) = nodes[slot.index];
            let name = visible(&node.qualified);
            let line = Line::new(&name, theme::medium(theme::BODY), colors.text_strong);
            if slot.show(Row::new(node.describe()).line(line)).clicked() {
                actions.push(Action::from(MapAction::SelectNode(Some(index))));
            }
        });
    }
    if !edges.is_empty() {
        heading_ui(ui, "Edges without a recording", &thousands(edges.len()));
        let list = List::new("Edges without a recording", &RowShape::ONE_LINE, edges.len());
        list.show_inside(ui, |slot| {
            let (edge, state) = edges[slot.index];
            let name = |index: usize| {
                let node = version.nodes[index].as_ref();
                node.map_or_else(String::new, |node| visible(&node.name).into_owned())
            };
            let [from, to] = [name(edge.from), name(edge.to)];
            let text = StyledText::new()
                .with(&from, theme::regular(theme::BODY), colors.text)
                .with("  →  ", theme::regular(theme::BODY), colors.muted)
                .with(&to, theme::regular(theme::BODY), colors.text);
            let label = visible(&state.label);
            let right = StyledText::new().with(&label, theme::regular(theme::LABEL), colors.muted);
            let line = Line::from(text).right(right);
            if slot.show(Row::new(format!("{from} to {to}, {label}")).line(line)).clicked() {
                actions.push(Action::from(MapAction::SelectNode(Some(edge.from))));
            }
        });
    }
}
