//! The theme of the window: colours, fonts and sizes, dark and light.

mod fonts;
mod missing_fonts;
mod roles;
mod tokens;

use egui::{
    Context, CornerRadius, FontId, Margin, Rect, Shadow, Stroke, Style, TextStyle, Theme,
    ThemePreference, Visuals, style, vec2,
};

pub use fonts::{
    BADGE, BODY, ICON, ICON_EMPTY, ICON_HEADING, ICON_RAIL, ICON_TAG, LABEL, ROW, SMALL, TITLE,
    icon, medium, mono, mono_bold, regular, semibold, text,
};
pub use missing_fonts::MissingFonts;
pub use roles::TextRole;
pub use tokens::{DARK, LIGHT, Tokens, Tone, tokens};

/// The height of the top bar.
pub const TOP_BAR: f32 = 40.0;
/// The height of a desk's header.
pub const DESK_HEADER: f32 = 44.0;
/// The height of a row of tools.
pub const TOOL_ROW: f32 = 40.0;
/// The height of a row of tools with labelled segments.
pub const TOOL_ROW_SEGMENTS: f32 = 48.0;
/// The height of a table's heading.
pub const TABLE_HEADING: f32 = 28.0;
/// The height of a row.
pub const ROW_HEIGHT: f32 = 28.0;
/// The height of a row of two lines.
pub const ROW_TWO_LINES: f32 = 44.0;
/// The height of a line of source text.
pub const TEXT_LINE: f32 = 20.0;
/// The height of a fold.
pub const FOLD: f32 = 24.0;
/// The height of the status line.
pub const STATUS_LINE: f32 = 26.0;
/// The height of buttons and fields.
pub const CONTROL: f32 = 28.0;
/// The height of buttons on the start page.
pub const CONTROL_LARGE: f32 = 32.0;
/// The height of tags and chips.
pub const TAG: f32 = 20.0;
/// The height of a key cap.
pub const KEY: f32 = 18.0;
/// The width of the rail with labels.
pub const RAIL: f32 = 72.0;
/// The width of the rail of icons.
pub const RAIL_NARROW: f32 = 48.0;

/// The space between a region's edge and its content.
pub const PADDING: f32 = 16.0;
/// The space between controls.
pub const GAP: f32 = 8.0;
/// The space between an icon and its word.
pub const ICON_GAP: f32 = 6.0;
/// The space between sections.
pub const SECTION_GAP: f32 = 12.0;
/// Indentation of content below a heading with an icon.
pub const INDENT: f32 = 22.0;

/// The corner radius of a key cap.
pub const RADIUS_KEY: u8 = 4;
/// The corner radius of a tag or chip.
pub const RADIUS_TAG: u8 = 5;
/// The corner radius of a control.
pub const RADIUS_CONTROL: u8 = 6;
/// The corner radius of a card or menu.
pub const RADIUS_CARD: u8 = 8;
/// The corner radius of the palette.
pub const RADIUS_PALETTE: u8 = 12;

/// Time in which menus and panels appear, in seconds.
const FADE_SECONDS: f32 = 0.09;

/// Sets up fonts and both appearances, and chooses one.
pub fn install(ctx: &Context, theme: protocol::Theme) {
    ctx.set_fonts(fonts::definitions());
    ctx.set_style_of(Theme::Dark, style_of(&DARK, Visuals::dark()));
    ctx.set_style_of(Theme::Light, style_of(&LIGHT, Visuals::light()));
    choose(ctx, theme);
}

/// Chooses the appearance. If it should follow the desktop and the desktop reports none, dark is used.
pub fn choose(ctx: &Context, theme: protocol::Theme) {
    ctx.set_theme(match theme {
        protocol::Theme::System => ThemePreference::System,
        protocol::Theme::Dark => ThemePreference::Dark,
        protocol::Theme::Light => ThemePreference::Light,
    });
}

/// Sets whether menus and panels appear at once.
pub fn reduce_motion(ctx: &Context, is_reduced: bool) {
    ctx.all_styles_mut(|style| {
        style.animation_time = if is_reduced { 0.0 } else { FADE_SECONDS };
    });
}

/// Returns the distance of overlays such as the palette from the top of the window: less in a low window.
pub fn overlay_top(window: Rect) -> f32 {
    (window.height() * 0.1).min(84.0).round()
}

/// Returns the shadow of menus and notices.
pub fn shadow(tokens: &Tokens) -> Shadow {
    Shadow { offset: [0, 8], blur: 24, spread: 0, color: tokens.shadow }
}

/// Returns the shadow of the palette.
pub fn palette_shadow(tokens: &Tokens) -> Shadow {
    Shadow { offset: [0, 16], blur: 48, ..shadow(tokens) }
}

fn style_of(tokens: &Tokens, base: Visuals) -> Style {
    let mut style = Style {
        text_styles: text_styles(),
        drag_value_text_style: TextStyle::Monospace,
        visuals: visuals(tokens, base),
        animation_time: FADE_SECONDS,
        ..Style::default()
    };
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(GAP, 4.0);
    spacing.window_margin = Margin::same(12);
    spacing.menu_margin = Margin::same(6);
    spacing.button_padding = vec2(11.0, 4.0);
    spacing.indent = INDENT;
    spacing.interact_size = vec2(CONTROL, CONTROL);
    spacing.icon_width = ICON;
    spacing.icon_spacing = GAP;
    spacing.tooltip_width = 420.0;
    spacing.menu_width = 280.0;
    spacing.scroll = style::ScrollStyle {
        bar_width: 8.0,
        floating_width: 6.0,
        // Bars are painted over the content, which keeps its width when one appears.
        floating_allocated_width: 0.0,
        bar_outer_margin: 2.0,
        handle_min_length: 24.0,
        foreground_color: true,
        dormant_handle_opacity: 0.14,
        active_handle_opacity: 0.2,
        interact_handle_opacity: 0.4,
        dormant_background_opacity: 0.0,
        active_background_opacity: 0.0,
        interact_background_opacity: 0.0,
        // The rubber band would pull an offset that is set for a text back into the bounds of the previous text.
        kinetic: style::KineticScrollStyle { rubber_band: false, ..Default::default() },
        ..style::ScrollStyle::floating()
    };
    style.interaction.tooltip_delay = 0.4;
    style.interaction.selectable_labels = true;
    // A row that was chosen by key must be in view at once; keys repeat faster than an animation.
    style.scroll_animation = style::ScrollAnimation::none();
    style
}

fn text_styles() -> std::collections::BTreeMap<TextStyle, FontId> {
    [
        (TextStyle::Heading, semibold(TITLE)),
        (TextStyle::Body, regular(BODY)),
        (TextStyle::Button, medium(ROW)),
        (TextStyle::Small, regular(SMALL)),
        (TextStyle::Monospace, mono(LABEL)),
    ]
    .into()
}

fn visuals(tokens: &Tokens, base: Visuals) -> Visuals {
    let mut visuals = base;
    visuals.widgets = widgets(tokens);
    visuals.weak_text_color = Some(tokens.muted);
    visuals.selection =
        style::Selection { bg_fill: tokens.selected, stroke: Stroke::new(1.0, tokens.text_strong) };
    visuals.hyperlink_color = tokens.accent;
    visuals.faint_bg_color = tokens.panel;
    visuals.extreme_bg_color = tokens.input;
    visuals.text_edit_bg_color = Some(tokens.input);
    visuals.code_bg_color = tokens.quiet;
    visuals.warn_fg_color = tokens.warning;
    visuals.error_fg_color = tokens.error;
    visuals.panel_fill = tokens.desk;
    visuals.window_fill = tokens.overlay;
    visuals.window_stroke = Stroke::new(1.0, tokens.line);
    visuals.window_corner_radius = CornerRadius::same(RADIUS_CARD);
    visuals.window_shadow = shadow(tokens);
    visuals.window_highlight_topmost = false;
    visuals.menu_corner_radius = CornerRadius::same(RADIUS_CARD);
    visuals.popup_shadow = shadow(tokens);
    visuals.text_cursor.stroke = Stroke::new(1.0, tokens.ring);
    // A blinking caret would repaint the window as long as a field has the focus.
    visuals.text_cursor.blink = false;
    visuals.collapsing_header_frame = false;
    visuals.indent_has_left_vline = false;
    visuals
}

fn widgets(tokens: &Tokens) -> style::Widgets {
    let visuals = |fill, stroke, text| style::WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, stroke),
        fg_stroke: Stroke::new(1.0, text),
        corner_radius: CornerRadius::same(RADIUS_CONTROL),
        expansion: 0.0,
    };
    style::Widgets {
        noninteractive: visuals(tokens.desk, tokens.hair, tokens.text),
        inactive: visuals(tokens.raised, tokens.line, tokens.text),
        hovered: visuals(tokens.quiet, tokens.strong, tokens.text_strong),
        active: visuals(tokens.quiet, tokens.ring, tokens.text_strong),
        open: visuals(tokens.quiet, tokens.line, tokens.text_strong),
    }
}

#[cfg(test)]
mod tests {
    use egui::{TextStyle, Theme};

    use super::*;

    #[test]
    fn the_chosen_appearance_is_the_one_painted() {
        let ctx = Context::default();
        for (choice, theme, desk) in [
            (protocol::Theme::Dark, Theme::Dark, DARK.desk),
            (protocol::Theme::Light, Theme::Light, LIGHT.desk),
        ] {
            install(&ctx, choice);
            assert_eq!(ctx.theme(), theme);
            assert_eq!(ctx.global_style().visuals.panel_fill, desk);
            assert_eq!(TextStyle::Body.resolve(&ctx.global_style()), regular(BODY));
        }
    }
}
