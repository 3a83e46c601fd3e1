//! Paints the inspector: its tabs, and the selected tab of the item.

use std::sync::Arc;

use egui::{
    Align, Color32, Frame, Label, Layout, Margin, RichText, Sense, TextFormat, Ui, UiBuilder, vec2,
};

use super::decoded_ui::DecodedView;
use super::inspector_data::{InspectorContent, InspectorData};
use super::problems_ui::problems_ui;
use super::sections_ui::{SectionsState, sections_ui};
use super::tree::ValueTree;
use super::tree_ui::{TreeContext, tree_ui};
use super::turn_ui;
use calls::media::Medium;
use document::text::{Span, counted};
use document::{FileKind, Syntax};
use protocol::MediaKey;
use widgets::code::CodeFocus;
use widgets::editor::{EditorData, EditorState, editor_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, icons, on_click};
use workbench::{
    Action, Actions, Command, FindRequest, InspectorPlacement, InspectorTab, ValueDrafts,
};

/// State of the inspector between frames: scrolling, unfolded parts, the tree.
#[derive(Default)]
pub struct InspectorState {
    pub(super) sections: SectionsState,
    pub(super) decoded: DecodedView,
    editor: EditorState,
    tree: Option<(Arc<str>, ValueTree)>,
}

/// Settings with which an item is shown.
#[derive(Clone, Copy, Debug)]
pub struct InspectorView<'a> {
    /// Whether the inspector is beside or over the desk.
    pub room: InspectorPlacement,
    /// The selected tab.
    pub tab: InspectorTab,
    /// Its text, once it was read.
    pub text: Option<&'a EditorData>,
    /// The values being edited.
    pub drafts: &'a ValueDrafts,
    /// A place to show in its text.
    pub reveal: Option<Span>,
    /// Whether prompts of nodes are shown as text instead of as a card.
    pub full_prompt: bool,
    /// The find request of a command.
    pub find: Option<FindRequest>,
    /// The media of its call, once they were decoded.
    pub media: Option<(MediaKey, &'a Arc<[Medium]>)>,
}

/// Paints the inspector of one item.
pub fn inspector_ui(
    ui: &mut Ui,
    data: &InspectorData,
    view: &InspectorView<'_>,
    state: &mut InspectorState,
    actions: &mut Actions,
) {
    let InspectorView { room, tab, drafts, .. } = *view;
    ui.spacing_mut().item_spacing = vec2(theme::ICON_GAP, 0.0);
    head_ui(ui, data, room, &mut state.sections, actions);
    tabs_ui(ui, data, tab, actions);
    conflict_ui(ui, data, actions);
    // Problems are known from the scan, even while the file is being read or cannot be read.
    if tab == InspectorTab::Problems {
        problems_ui(ui, data, actions);
        return;
    }
    let ready = match &data.content {
        InspectorContent::Ready(ready) => ready,
        InspectorContent::Reading => return widgets::skeleton_rows(ui, 6, theme::ROW_HEIGHT),
        InspectorContent::Failed(reason) => return failed_ui(ui, reason),
    };
    state.sections.drafts.load(drafts, data.id);
    state.sections.full_prompt = view.full_prompt;
    // Those of another call stay until the next ones are decoded.
    let media = view.media.filter(|(key, _)| key.call.is_none() || key.call == data.call);
    state.sections.media.show(media);
    match tab {
        InspectorTab::Conversation => {
            foot_ui(ui, data, actions);
            sections_ui(ui, data, ready, &mut state.sections, actions);
        }
        InspectorTab::Text => text_ui(ui, data, view, &mut state.editor, actions),
        InspectorTab::Tree => {
            // Unfolded values of one file mean nothing in another.
            let old_tree = state.tree.take().filter(|(path, _)| *path == data.path);
            let document = &ready.document;
            let tree = match old_tree {
                Some((_, tree)) if Arc::ptr_eq(&tree.document, document) => tree,
                Some((_, tree)) => tree.carry_over(document.clone()),
                None => ValueTree::new(document.clone()),
            };
            let (_, tree) = state.tree.insert((data.path.clone(), tree));
            let drafts = &mut state.sections.drafts;
            tree_ui(ui, tree, &mut TreeContext { data, ready, drafts, actions });
        }
        InspectorTab::Problems => {}
    }
    state.sections.drafts.report(drafts, data.id, actions);
}

/// Paints the link to what belongs to the item at the foot of the inspector.
fn foot_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let Some(foot) = &data.foot else { return };
    let panel = egui::Panel::bottom("inspector-foot")
        .exact_size(theme::TOOL_ROW)
        .frame(Frame::new().inner_margin(Margin::symmetric(16, 0)))
        .show_separator_line(false);
    panel.show(ui, |ui| {
        widgets::line_above(ui, ui.max_rect().expand2(vec2(theme::PADDING, 0.0)));
        widgets::at_left(ui, |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            widgets::icon(ui, foot.icon, theme::ICON, tokens(ui).muted);
            let link = widgets::mono_link(ui, &foot.label);
            if widgets::hint(link, &foot.tip).clicked() {
                actions.extend(foot.actions.iter().cloned());
            }
        });
    });
}

/// The tabs in their order on screen.
const TABS: [InspectorTab; 4] =
    [InspectorTab::Conversation, InspectorTab::Text, InspectorTab::Tree, InspectorTab::Problems];

fn tabs_ui(ui: &mut Ui, data: &InspectorData, current_tab: InspectorTab, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, widgets::TABS, Sense::hover());
    let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(theme::PADDING, 0.0)));
    ui.scope_builder(builder, |ui| {
        let (first, tree) = tab_labels(data);
        let count = data.problems.len().to_string();
        let badge = data.worst.map(|worst| (count.as_str(), widgets::severity_tone(worst)));
        let names = [(first, None), ("Text", None), (tree, None), ("Problems", badge)];
        let tabs = names.map(|(text, badge)| widgets::TabLabel { text, badge });
        let index = TABS.iter().position(|tab| *tab == current_tab).unwrap_or_default();
        let pressed_tab = widgets::tabs(ui, &tabs, index).and_then(|index| TABS.get(index));
        actions.extend(pressed_tab.map(|tab| Action::ShowTab(*tab)));
    });
    widgets::line_below(ui, rect);
}

/// Returns the labels of the first tab, since only calls have a conversation, and of the tree, which is named after the file format.
fn tab_labels(data: &InspectorData) -> (&'static str, &'static str) {
    let InspectorContent::Ready(ready) = &data.content else { return ("Conversation", "JSON") };
    let first = match ready.document.kind() {
        _ if data.call.is_some() => "Conversation",
        FileKind::Recording | FileKind::Request | FileKind::Tape => "Conversation",
        _ => "Content",
    };
    let tree = match ready.document.syntax {
        Syntax::Json => "JSON",
        Syntax::Yaml => "YAML",
        Syntax::Toml => "TOML",
        Syntax::Code => "Calls",
        Syntax::Machine => "Values",
    };
    (first, tree)
}

fn text_ui(
    ui: &mut Ui,
    data: &InspectorData,
    view: &InspectorView<'_>,
    state: &mut EditorState,
    actions: &mut Actions,
) {
    let Some(text) = view.text else { return };
    let foot = egui::Panel::bottom("inspector-facts")
        .exact_size(theme::ROW_HEIGHT)
        .frame(Frame::new().inner_margin(Margin::symmetric(16, 4)))
        .show_separator_line(false);
    foot.show(ui, |ui| {
        let facts = &text.code.facts;
        let words = format!("{}   {}", facts.syntax, facts.encoding);
        let hint = state.hint(ui.ctx()).unwrap_or_default();
        let line = |text: &str| {
            Label::new(theme::text(text, theme::regular(theme::LABEL), tokens(ui).muted)).truncate()
        };
        let (words, hint) = (line(&words), line(hint));
        // From the right: the hint has its room first, and the facts are cut.
        widgets::at_right(ui, |ui| {
            ui.add(hint.selectable(false));
            widgets::at_left(ui, |ui| ui.add(words));
        });
    });
    Frame::new().fill(tokens(ui).input).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        let reveal = view.reveal;
        // A place may also be shown without a problem, for example from the tree.
        let mut problems = data.problems.iter();
        let problem = problems.find(|line| Some(line.problem.span) == reveal);
        let focus = CodeFocus {
            span: reveal,
            message: problem.map(|line| line.message.as_str()),
            severity: problem.map(|line| line.problem.severity),
        };
        let requests = editor_ui(ui, text, focus, view.find, state);
        let (doc, base) = (text.doc, text.revision);
        actions.extend(requests.into_iter().map(|request| request.action(doc, base)));
    });
}

fn failed_ui(ui: &mut Ui, reason: &str) {
    let tokens = tokens(ui);
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            widgets::icon(ui, icons::OCTAGON_X, theme::ICON, tokens.error);
            ui.label(RichText::new(reason).color(tokens.text));
        });
    });
}

/// Draws the name on as many lines as it needs, the buttons, and the strip of the calls.
fn head_ui(
    ui: &mut Ui,
    data: &InspectorData,
    room: InspectorPlacement,
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let margin = Margin { left: 16, right: 10, top: 8, bottom: 8 };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            widgets::close_button(ui, room, "Close inspector", actions);
            let menu_button = widgets::icon_button(ui, icons::ELLIPSIS, "More");
            widgets::menu(&menu_button, |ui| menu_ui(ui, data, state, actions));
            unsaved_ui(ui, data, actions);
            ui.with_layout(Layout::left_to_right(Align::Min), |ui| title_ui(ui, data));
        });
        if data.strip.blocks.len() > 1 {
            ui.add_space(8.0);
            let chosen = ui.scope(|ui| {
                // The buttons above end closer to the edge than content does.
                ui.set_max_width(ui.available_width() - 6.0);
                widgets::call_strip(ui, &data.strip.blocks, data.strip.selected)
            });
            let target = chosen.inner.and_then(|index| data.strip.targets.get(index));
            actions.extend(target.map(|target| match *target {
                (id, Some(call)) => Action::SelectCall(id, call),
                (id, None) => Action::Select(id),
            }));
        }
    });
}

fn title_ui(ui: &mut Ui, data: &InspectorData) {
    let tokens = tokens(ui);
    let title = &data.title;
    let [before, own, after] = &title.parts;
    let mut job = egui::text::LayoutJob::default();
    let mut add = |text: &str, font: egui::FontId, color: Color32| {
        let format = TextFormat { line_height: Some(20.0), ..TextFormat::simple(font, color) };
        job.append(text, 0.0, format);
    };
    if title.icon.is_empty() {
        add(before, theme::mono(theme::LABEL), tokens.muted);
        add(own, theme::mono_bold(theme::LABEL), tokens.text_strong);
        add(after, theme::mono(theme::LABEL), tokens.muted);
    } else {
        ui.vertical(|ui| {
            ui.add_space(6.0);
            widgets::icon(ui, title.icon, theme::ICON_HEADING, tokens.muted);
        });
        add(own, theme::semibold(theme::TITLE), tokens.text_strong);
    }
    if !title.note.is_empty() {
        add(&format!("  {}", title.note), theme::regular(theme::BODY), tokens.muted);
    }
    ui.vertical(|ui| {
        // On one line with the buttons.
        ui.add_space(4.0);
        let name = ui.add(Label::new(job).wrap());
        let hover = format!("{}\n{}, {}", data.shown_path, data.kind.as_str(), data.status.label());
        name.on_hover_text(hover);
    });
}

/// Shows that there are unsaved edits. A click lists them.
fn unsaved_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let Some(unsaved_edits) = data.unsaved else { return };
    let name = format!("Unsaved, {}", counted(unsaved_edits.edits, "edit", "edits"));
    let tag = ui.vertical(|ui| {
        // In the middle of the buttons beside it.
        ui.add_space(4.0);
        widgets::tag_button(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent, &name)
            .on_hover_text(format!("{name}. Click to show the lines that would change."))
    });
    on_click(&tag.inner, Action::Run(Command::ShowUnsaved), actions);
}

/// Shows that the file also changed on disk, with the possible actions.
fn conflict_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    if !data.unsaved.is_some_and(|unsaved| unsaved.in_conflict) {
        return;
    }
    let heading = "The file changed on disk while it was edited here.";
    let body = "Both versions are kept. Nothing is written until you decide.";
    widgets::banner_with(ui, Tone::Note, icons::REFRESH_CW, heading, body, |ui| {
        let compare = ui.add(Button::primary("Compare versions"));
        on_click(&compare, Action::ShowConflict(data.id), actions);
        let revert = ui.add(Button::secondary("Use version on disk"));
        on_click(&revert, Action::Revert(data.id), actions);
    });
}

fn menu_ui(ui: &mut Ui, data: &InspectorData, state: &mut SectionsState, actions: &mut Actions) {
    if widgets::menu_switch(ui, "Texts as written", "", (state.as_written, false)) {
        state.as_written = !state.as_written;
    }
    for command in [Command::Save, Command::SaveAs, Command::Revert] {
        let availability = match (command, data.unsaved) {
            (Command::SaveAs, _) | (_, Some(_)) => Ok(()),
            _ => Err("it has no unsaved edits"),
        };
        on_click(&widgets::menu_command(ui, command, availability), Action::Run(command), actions);
    }
    for (name, text) in [("Copy name", data.label.clone()), ("Copy path", data.path.to_string())] {
        widgets::menu_choice(ui, icons::COPY, name, Action::Copy(text), actions);
    }
    let InspectorContent::Ready(ready) = &data.content else { return };
    widgets::menu_heading(ui, "The whole file");
    if let Some(root) = ready.document.tree.root() {
        turn_ui::copy_items(ui, root.id(), data, ready, actions);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use calls::Item;
    use document::text::Source;
    use protocol::{DocId, Revision};
    use workbench::OpenDocument;

    const TEXT: &str = r##"{
  "request": {
    "messages": [ { "role": "user", "content": "# Task\nSee [this](https://example.org/a)." } ],
    "tools": [ { "name": "read_Ticket", "description": "Reads it", "input_schema": { "type": "object" } } ]
  },
  "response": { "response": { "content": [ { "type": "text", "text": "Done" } ] } }
}"##;

    fn data() -> InspectorData {
        let document = document::read(Source::new(TEXT), "a.json");
        let mut item = Item::new("set/a.json");
        item.problems = check::check_document(&document, &Default::default()).into();
        InspectorData::new(
            DocId::new(0),
            &item,
            Some(&OpenDocument::Ready(Arc::new(document), Revision::default())),
            0,
            None,
        )
    }

    /// Shows a tab, runs `act` on it, and returns the actions.
    fn shown(tab: InspectorTab, act: impl FnOnce(&mut Harness<'_>)) -> Actions {
        let data = data();
        let text = match &data.content {
            InspectorContent::Ready(ready) => {
                let text = (ready.document.source(), data.revision);
                let code = ready.code.clone();
                Some(EditorData::new(data.id, &data.label, text, code, None))
            }
            InspectorContent::Reading | InspectorContent::Failed(_) => None,
        };
        let (mut state, actions) = (InspectorState::default(), RefCell::new(Vec::new()));
        let mut harness = Harness::builder().with_size([400.0, 800.0]).build_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let actions = &mut actions.borrow_mut();
            let view = InspectorView {
                room: InspectorPlacement::Docked,
                tab,
                text: text.as_ref(),
                reveal: None,
                full_prompt: false,
                drafts: &ValueDrafts::default(),
                find: None,
                media: None,
            };
            inspector_ui(ui, &data, &view, &mut state, actions);
        });
        harness.run();
        act(&mut harness);
        harness.run();
        drop(harness);
        actions.into_inner()
    }

    #[test]
    fn a_heading_leads_to_its_place_and_a_link_never_out() {
        let actions = shown(InspectorTab::Conversation, |harness| {
            harness.get_by_label("Show the place of User").click();
        });
        assert!(matches!(actions.as_slice(), [Action::Reveal(_, span)] if span.len() > 10));
        let actions = shown(InspectorTab::Conversation, |harness| {
            harness.get_by_label("this").click();
        });
        assert_eq!(actions, [Action::Copy("https://example.org/a".to_owned())]);
    }

    #[test]
    fn a_tool_opens_to_its_schema() {
        shown(InspectorTab::Conversation, |harness| {
            assert!(harness.query_by_label("Tool read_Ticket").is_none());
            harness.get_by_label("Tools, 1 offered").click();
            harness.run();
            assert!(harness.query_by_label("Reads it").is_none());
            harness.get_by_label("Tool read_Ticket").click();
            harness.run();
            harness.get_by_label("Reads it");
            harness.get_by_label("type: \"object\"");
        });
    }

    #[test]
    fn text_tree_and_problems_are_there_by_name() {
        shown(InspectorTab::Text, |harness| {
            let text = harness.get_by_label("Text of a.json");
            assert_eq!(text.value().as_deref(), Some(TEXT));
        });
        shown(InspectorTab::Tree, |harness| {
            harness.get_by_label("role: \"user\"");
            harness.get_by_label("request: { 2 members }").click();
            harness.run();
            harness.key_press(egui::Key::ArrowLeft);
            harness.run();
            assert!(harness.query_by_label("role: \"user\"").is_none());
        });
        let actions = shown(InspectorTab::Problems, |harness| {
            harness.get_by_label("note signature-missing, line 1, column 1").click();
        });
        assert!(matches!(actions.as_slice(), [Action::Reveal(..)]));
    }
}
