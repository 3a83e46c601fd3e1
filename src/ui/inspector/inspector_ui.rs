//! Paints the inspector: its tabs, and the selected tab of the item.

use std::sync::Arc;

use egui::{Align, Frame, Label, Layout, Margin, RichText, Sense, Ui, UiBuilder, vec2};

use super::decoded_ui::DecodedView;
use super::head_ui::{conflict_ui, head_ui};
use super::inspector_data::{InspectorContent, InspectorData, Ready};
use super::paint;
use super::problems_ui::problems_ui;
use super::sections_state::SectionsState;
use super::sections_ui::sections_ui;
use super::tree::ValueTree;
use super::tree_ui::tree_ui;
use calls::media::Medium;
use document::Syntax;
use document::text::Span;
use protocol::MediaKey;
use widgets::code::CodeFocus;
use widgets::editor::{EditorData, EditorRequest, EditorState, editor_ui};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, FindRequest, InspectorPlacement, InspectorTab, RefusedEdit};

/// State of the inspector between frames: scrolling, unfolded parts, the tree.
#[derive(Default)]
pub struct InspectorState {
    pub(super) sections: SectionsState,
    pub(super) decoded: DecodedView,
    editor: EditorState,
    tree: Option<(Arc<str>, ValueTree)>,
}

impl InspectorState {
    /// Handles a refused edit: restores the input with the reason.
    pub fn on_refused(&mut self, edit: Option<&RefusedEdit>) {
        self.sections.drafts.on_refused(edit);
    }

    /// Applies the values being edited, as far as they are valid.
    ///
    /// # Errors
    ///
    /// The value that changed in the file while it was edited, and what to do, as a sentence.
    pub fn apply_drafts(
        &mut self,
        data: &InspectorData,
        actions: &mut Actions,
    ) -> Result<(), String> {
        self.sections.drafts.apply_all(data, actions)
    }

    /// Returns whether some input is neither applied nor being applied.
    pub fn has_unapplied_drafts(&self) -> bool {
        self.sections.drafts.has_unapplied()
    }
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
    let InspectorView { room, tab, .. } = *view;
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
    state.sections.drafts.sync(data, ready);
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
            tree_ui(ui, data, ready, tree, drafts, actions);
        }
        InspectorTab::Problems => {}
    }
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
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            paint::icon(ui, foot.icon, theme::ICON, tokens(ui).muted);
            let link = widgets::mono_link(ui, &foot.label);
            if widgets::tip(link, &foot.tip, &[] as &[&str]).clicked() {
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
        let (first, tree) = match &data.content {
            InspectorContent::Ready(ready) => (first_tab_label(data, ready), tree_tab_label(ready)),
            _ => ("Conversation", "JSON"),
        };
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

/// Returns the label of the first tab: only calls have a conversation.
fn first_tab_label(data: &InspectorData, ready: &Ready) -> &'static str {
    use document::FileKind;
    match ready.document.kind() {
        _ if data.call.is_some() => "Conversation",
        FileKind::Recording | FileKind::Request | FileKind::Tape => "Conversation",
        _ => "Content",
    }
}

/// Returns the label of the tree tab, named after the file format.
fn tree_tab_label(ready: &Ready) -> &'static str {
    match ready.document.syntax {
        Syntax::Json => "JSON",
        Syntax::Yaml => "YAML",
        Syntax::Toml => "TOML",
        Syntax::Code => "Calls",
        Syntax::Machine => "Values",
    }
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
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add(hint.selectable(false));
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.add(words));
        });
    });
    Frame::new().fill(tokens(ui).input).show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        let reveal = view.reveal;
        // A place may also be shown without a problem, for example from the tree.
        let mut problems = data.problems.iter();
        let problem = problems.find(|problem| Some(problem.span) == reveal);
        let focus = CodeFocus {
            span: reveal,
            message: problem.map(|problem| problem.message.as_str()),
            severity: problem.map(|problem| problem.severity),
        };
        let requests = editor_ui(ui, text, focus, view.find, state);
        let (doc, base) = (text.doc, text.revision);
        actions.extend(requests.into_iter().map(|request| match request {
            EditorRequest::Type(edit) => Action::TypeText { doc, base, edit },
            EditorRequest::Step(edit, name) => Action::EditText { doc, base, edit, name },
            EditorRequest::EndTyping => Action::EndTyping,
        }));
    });
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
