//! Buttons: primary, secondary, and ghost buttons, which have a background only under the pointer.

use std::sync::Arc;

use egui::{
    Color32, Galley, Rect, Response, Role, Sense, StrokeKind, Ui, Widget, WidgetInfo, pos2, vec2,
};

use super::keys::Caps;
use super::{Line, focus_ring, hint, keep_clear, styled_text, tip};
use crate::theme::{self, Tokens, tokens};
use crate::{icons, keymap};
use document::text::upper_first;
use workbench::{Action, Actions, Command};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ButtonLook {
    Primary,
    #[default]
    Secondary,
    Ghost,
}

/// A button. Its text ends in `…` where the layout leaves too little room.
#[must_use = "add it to a layout with `ui.add`"]
#[derive(Default)]
pub struct Button<'a> {
    look: ButtonLook,
    icon: Option<&'a str>,
    text: &'a str,
    trailing: Option<&'a str>,
    caps: Vec<String>,
    /// The command whose keys are shown, if none are given.
    command: Option<Command>,
    show_caps: bool,
    is_left: bool,
    name: Option<&'a str>,
    tooltip: Option<&'a str>,
    reason: Option<&'a str>,
    on: Option<bool>,
    height: f32,
    width: Option<f32>,
}

impl<'a> Button<'a> {
    fn new(look: ButtonLook, icon: Option<&'a str>, text: &'a str) -> Self {
        Self { look, icon, text, height: theme::CONTROL, ..Self::default() }
    }

    /// Creates a button for the main action of a view.
    pub fn primary(text: &'a str) -> Self {
        Self::new(ButtonLook::Primary, None, text)
    }

    /// Creates a button for another action.
    pub fn secondary(text: &'a str) -> Self {
        Self::new(ButtonLook::Secondary, None, text)
    }

    /// Creates a button without a background until the pointer is on it.
    pub fn ghost(text: &'a str) -> Self {
        Self::new(ButtonLook::Ghost, None, text)
    }

    /// Creates a button with only an icon. `name` is the tooltip and the name for screen readers.
    pub fn icon_only(icon: &'a str, name: &'a str) -> Self {
        Self::new(ButtonLook::Ghost, Some(icon), "").tooltip(name)
    }

    /// Leaves only the icon, with the text as its tooltip, where there is no room for the text.
    pub fn icon_only_if(self, is_narrow: bool) -> Self {
        if is_narrow { Self::icon_only(self.icon.unwrap_or_default(), self.text) } else { self }
    }

    /// Takes text, tooltip and keys from a command. For an icon button, the name is the tooltip. `enabled` is the
    /// result of [`Command::enabled`].
    pub fn command(mut self, command: Command, enabled: Result<(), &'a str>) -> Self {
        self.command = Some(command);
        // An icon has no other name than its tooltip.
        let icon_only = self.text.is_empty() && self.tooltip.is_some();
        self.tooltip = Some(if icon_only { command.name() } else { command.tooltip() });
        self.reason = enabled.err();
        self
    }

    /// Adds an icon before the text.
    pub fn icon(self, icon: &'a str) -> Self {
        Self { icon: Some(icon), ..self }
    }

    /// Begins the text at the left edge.
    pub fn aligned_left(self) -> Self {
        Self { is_left: true, ..self }
    }

    /// Sets the name for screen readers, for a text that is not enough without its place.
    pub fn name_for_readers(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Adds an icon at the right edge. The text then begins at the left edge.
    pub fn trailing(self, icon: &'a str) -> Self {
        Self { trailing: Some(icon), ..self }
    }

    /// Sets the keys of the shortcut, for the tooltip.
    pub fn keys(self, caps: Vec<String>) -> Self {
        Self { caps, ..self }
    }

    /// Takes the keys of a command.
    pub fn keys_of(self, command: Command) -> Self {
        Self { command: Some(command), ..self }
    }

    /// Shows that Enter clicks the button, which does that itself while it has the focus.
    pub fn enter(self) -> Self {
        self.keys(vec!["Enter".to_owned()]).show_keys()
    }

    /// Shows the keys on the button itself, not only in the tooltip.
    pub fn show_keys(self) -> Self {
        Self { show_caps: true, ..self }
    }

    /// Sets the tooltip.
    pub fn tooltip(self, text: &'a str) -> Self {
        Self { tooltip: Some(text), ..self }
    }

    /// Disables the button if there is a reason, which the tooltip shows.
    pub fn disabled(self, reason: Option<&'a str>) -> Self {
        Self { reason, ..self }
    }

    /// Makes it a toggle that is on or off.
    pub fn on(self, is_on: bool) -> Self {
        Self { on: Some(is_on), ..self }
    }

    /// Makes it as tall as buttons of the start page.
    pub fn large(self) -> Self {
        Self { height: theme::CONTROL_LARGE, ..self }
    }

    /// Sets a fixed width.
    pub fn width(self, width: f32) -> Self {
        Self { width: Some(width), ..self }
    }

    fn name(&self) -> &'a str {
        if let Some(name) = self.name {
            name
        } else if self.text.is_empty() {
            self.tooltip.unwrap_or_default()
        } else {
            self.text
        }
    }

    fn padding(&self) -> f32 {
        match (self.look, self.height > theme::CONTROL) {
            (_, true) => 14.0,
            (ButtonLook::Ghost, _) => 10.0,
            _ => 12.0,
        }
    }

    fn colors(&self, tokens: &Tokens, response: &Response, enabled: bool) -> ButtonColors {
        let (is_pressed, is_hovered) = (response.is_pointer_button_down_on(), response.hovered());
        let transparent = Color32::TRANSPARENT;
        if !enabled {
            let stroke = if self.look == ButtonLook::Ghost { transparent } else { tokens.line };
            return [transparent, stroke, tokens.disabled, tokens.disabled];
        }
        if self.on == Some(true) {
            return [tokens.selected, tokens.line, tokens.text_strong, tokens.accent];
        }
        match self.look {
            ButtonLook::Primary if is_hovered || is_pressed => {
                [tokens.fill_hover, transparent, tokens.on_fill, tokens.on_fill]
            }
            ButtonLook::Primary => [tokens.fill, transparent, tokens.on_fill, tokens.on_fill],
            _ if is_pressed => {
                [tokens.selected, tokens.strong, tokens.text_strong, tokens.text_strong]
            }
            _ if is_hovered => [tokens.quiet, tokens.strong, tokens.text_strong, tokens.text],
            ButtonLook::Secondary => [tokens.raised, tokens.line, tokens.text_strong, tokens.muted],
            ButtonLook::Ghost => [transparent, transparent, tokens.text_strong, tokens.muted],
        }
    }
}

/// Colours of the ground, the border, the text and the icon.
type ButtonColors = [Color32; 4];

impl Widget for Button<'_> {
    fn ui(mut self, ui: &mut Ui) -> Response {
        let tokens = tokens(ui);
        if let Some(command) = self.command.filter(|_| self.caps.is_empty()) {
            self.caps = keymap::caps(ui, command);
        }
        // Not `ui.add_enabled`: egui shows tooltips of `on_hover_ui` on enabled controls only, and this one has the reason.
        let enabled = self.reason.is_none() && ui.is_enabled();
        let padding = self.padding();
        let icon_only = self.text.is_empty();
        let caps = self.show_caps.then(|| match self.look {
            _ if !enabled => Caps::disabled(ui, &self.caps),
            ButtonLook::Primary => Caps::on_fill(ui, &self.caps, tokens),
            _ => Caps::new(ui, &self.caps),
        });
        let icon_width =
            self.icon.map_or(0.0, |_| theme::ICON + if icon_only { 0.0 } else { theme::ICON_GAP });
        let caps_width = caps.as_ref().map_or(0.0, |caps| caps.width() + theme::GAP);
        let trailing_width = self.trailing.map_or(0.0, |_| theme::ICON + theme::GAP);
        let extra_width = 2.0 * padding + icon_width + caps_width + trailing_width;

        let room = self.width.unwrap_or_else(|| ui.available_width());
        let font = theme::medium(theme::ROW);
        // The colour depends on the pointer, which is known after the button has its place.
        let text = styled_text::line(ui, self.text, font, Color32::PLACEHOLDER, room - extra_width);
        let width = match self.width {
            Some(width) => width,
            None if icon_only => self.height,
            None => (extra_width + text.size().x).ceil(),
        };
        let sense = if enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(vec2(width, self.height), sense);
        let name = self.name();
        response.widget_info(|| match self.on {
            Some(is_on) => WidgetInfo::selected(Role::Button, enabled, is_on, name),
            None => WidgetInfo::labeled(Role::Button, enabled, name),
        });
        // A notice must not cover the one thing to do next.
        if enabled && self.look == ButtonLook::Primary {
            keep_clear(ui, rect);
        }
        // The control exists for keys and screen readers wherever it is.
        if ui.is_rect_visible(rect) {
            self.paint(ui, rect, self.colors(tokens, &response, enabled), &text);
            if let Some(caps) = caps {
                let left = rect.right() - padding - trailing_width - caps_width + theme::GAP;
                caps.paint(ui.painter(), pos2(left, rect.center().y));
            }
            focus_ring(ui, &response, theme::RADIUS_CONTROL);
        }
        // Text that is cut is shown as a whole in the tooltip.
        let full_text = text.elided.then(|| self.text.to_owned());
        let words = full_text
            .into_iter()
            .chain(self.reason.map(upper_first).or(self.tooltip.map(str::to_owned)))
            .collect::<Vec<_>>()
            .join("\n");
        match self.reason {
            _ if words.is_empty() => response,
            Some(_) => hint(response, &words),
            None => tip(response, &words, &self.caps),
        }
    }
}

impl Button<'_> {
    fn paint(&self, ui: &Ui, rect: Rect, colors: ButtonColors, text: &Arc<Galley>) {
        let [fill, stroke, text_color, icon_color] = colors;
        let painter = ui.painter();
        painter.rect(rect, theme::RADIUS_CONTROL, fill, (1.0, stroke), StrokeKind::Inside);
        let middle = rect.center().y;
        if self.text.is_empty() {
            if let Some(icon) = self.icon {
                styled_text::paint_icon(painter, rect.center(), icon, theme::ICON, icon_color);
            }
            return;
        }
        let icon_width = self.icon.map_or(0.0, |_| theme::ICON + theme::ICON_GAP);
        let is_centered =
            // A button as wide as its text needs no centering.
            self.width.is_some() && self.trailing.is_none() && !self.show_caps && !self.is_left;
        let mut x = if is_centered {
            rect.center().x - (icon_width + text.size().x) / 2.0
        } else {
            rect.left() + self.padding()
        };
        if let Some(icon) = self.icon {
            let center = pos2(x + theme::ICON / 2.0, middle);
            styled_text::paint_icon(painter, center, icon, theme::ICON, icon_color);
            x += icon_width;
        }
        let top = (middle - text.size().y / 2.0).floor();
        painter.galley_with_override_text_color(pos2(x, top), text.clone(), text_color);
        if let Some(icon) = self.trailing {
            let center = pos2(rect.right() - self.padding() - theme::ICON / 2.0, middle);
            styled_text::paint_icon(painter, center, icon, theme::ICON, icon_color);
        }
    }
}

/// Pushes an action if a control was clicked.
pub fn on_click(response: &Response, action: impl Into<Action>, actions: &mut Actions) {
    if response.clicked() {
        actions.push(action.into());
    }
}

/// Adds a button with only the icon of a command, which it runs.
pub fn command_icon(
    ui: &mut Ui,
    icon: &str,
    command: Command,
    enabled: Result<(), &str>,
    actions: &mut Actions,
) {
    let button = Button::icon_only(icon, command.name()).command(command, enabled);
    command_button(ui, button, command, actions);
}

/// Adds a button that runs a command.
pub fn command_button(ui: &mut Ui, button: Button<'_>, command: Command, actions: &mut Actions) {
    on_click(&ui.add(button), Action::Run(command), actions);
}

/// Adds an icon button; `name` says what it does.
pub fn icon_button(ui: &mut Ui, icon: &str, name: &str) -> Response {
    ui.add(Button::icon_only(icon, name))
}

/// Adds a check box without a label at a place.
pub fn check_mark(ui: &Ui, rect: Rect, id: egui::Id, name: &str, is_on: bool) -> Response {
    let tokens = tokens(ui);
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, name));
    let (icon, color) =
        if is_on { (icons::SQUARE_CHECK, tokens.accent) } else { (icons::SQUARE, tokens.muted) };
    styled_text::paint_icon(ui.painter(), rect.center(), icon, theme::ICON_HEADING, color);
    focus_ring(ui, &response, theme::RADIUS_KEY);
    response
}

/// Adds a button with a small icon over other content, on a ground if `has_ground`. While not `is_shown`, it appears only with the
/// pointer or the focus on it.
pub fn small_button(
    ui: &Ui,
    center: egui::Pos2,
    (icon, name): (&str, &str),
    (is_shown, has_ground): (bool, bool),
) -> Response {
    let tokens = tokens(ui);
    let rect = Rect::from_center_size(center, vec2(20.0, 18.0));
    let response = ui.interact(rect, ui.auto_id_with(("small", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    let is_lit = response.hovered() || response.has_focus();
    if is_shown || is_lit {
        let ground = if response.hovered() { tokens.quiet } else { tokens.raised };
        if has_ground {
            ui.painter().rect_filled(rect, theme::RADIUS_KEY, ground);
        }
        let color = if is_lit { tokens.text_strong } else { tokens.muted };
        styled_text::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    }
    if response.has_focus() {
        super::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
    }
    response
}

/// Adds a check box with a label, and changes `is_on` when it is clicked.
pub fn check_box(ui: &mut Ui, is_on: &mut bool, text: &str) -> Response {
    let tokens = tokens(ui);
    let label = Line::title(text, tokens).indent(theme::ICON_HEADING + theme::GAP);
    let size = vec2(label.width(ui), theme::CONTROL);
    let (rect, mut response) = ui.allocate_exact_size(size, Sense::click());
    if response.clicked() {
        *is_on = !*is_on;
        // Like egui's own check boxes, so that callers can call `changed`.
        response.mark_changed();
    }
    let is_checked = *is_on;
    response
        .widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), is_checked, text));
    let (icon, color) = if is_checked {
        (icons::SQUARE_CHECK, tokens.accent)
    } else {
        (icons::SQUARE, tokens.text)
    };
    label.sign(icon, color).icon_size(theme::ICON_HEADING).show_in(ui, rect);
    focus_ring(ui, &response, theme::RADIUS_KEY);
    response
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    #[test]
    fn a_button_that_cannot_be_pressed_is_not_pressed() {
        let paint = |ui: &mut Ui, presses: &mut Vec<&str>| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let save = Button::primary("Save").disabled(Some("nothing has changed"));
            if ui.add(save).clicked() {
                presses.push("save");
            }
            if icon_button(ui, icons::COPY, "Copy path").clicked() {
                presses.push("copy");
            }
        };
        let mut harness = Harness::builder().build_ui_state(paint, Vec::new());
        for name in ["Save", "Copy path"] {
            harness.get_by_label(name).click();
            harness.run();
        }
        assert_eq!(*harness.state(), ["copy"]);
    }
}
