//! Rows: what a desk describes of them, and how they are painted. [`List`](super::List) places them.

use egui::{
    Color32, FontId, Rangef, Rect, Response, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::distinct_name::{self, DistinctName};
use super::keys::Caps;
use super::place::{allocate_row, line_below};
use super::styled_text::{self, StyledText};
use super::{describe, focus_ring_inside, hint};
use crate::icons;
use crate::theme::{self, TextRole, Tokens, tokens};
use workbench::WorkingCopy;

/// Shape that the rows of a list have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowShape {
    /// The height of a row.
    pub height: f32,
    /// The middle of each line of text, from the top of the row. The text of a cell with only one line is in the middle of
    /// the row.
    pub lines: &'static [f32],
    /// The space at the left and at the right.
    pub margins: (f32, f32),
    /// Whether there is a line below each row.
    pub hair: bool,
    /// The radius of the corners of its background. A row with round corners has no bar when it is selected.
    pub radius: u8,
}

impl RowShape {
    /// A row with one line of text.
    pub const ONE_LINE: Self = Self {
        height: theme::ROW_HEIGHT,
        lines: &[theme::ROW_HEIGHT / 2.0],
        margins: (theme::PADDING, theme::PADDING),
        hair: false,
        radius: 0,
    };
    /// A row with a title and details below it.
    pub const TWO_LINES: Self = Self {
        height: theme::ROW_TWO_LINES,
        lines: &[14.0, 31.0],
        margins: (theme::PADDING, theme::PADDING),
        hair: true,
        radius: 0,
    };
}

/// One line of text in a row or cell. What does not fit ends in `…`, except the text at the right.
#[must_use]
#[derive(Default)]
pub struct Line {
    text: StyledText,
    /// The parts of a [`DistinctName`] in place of the text, and whether it is selected.
    distinct: Option<([String; 3], bool)>,
    icon: Option<(&'static str, Color32)>,
    /// Another size of the icon than that of rows.
    icon_size: Option<f32>,
    /// From the left edge of the line, where the icon is, to the text.
    indent: f32,
    right: Option<StyledText>,
    right_share: Option<f32>,
    right_icon: Option<(&'static str, Color32)>,
    /// Keys at the right edge.
    caps: Option<Caps>,
    is_middle_elided: bool,
}

impl From<StyledText> for Line {
    fn from(text: StyledText) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Line {
    /// Creates a line in one font and colour.
    pub fn new(text: &str, font: FontId, color: Color32) -> Self {
        StyledText::new().with(text, font, color).into()
    }

    /// Creates a line in a role.
    pub fn of(text: &str, role: TextRole) -> Self {
        StyledText::of(text, role).into()
    }

    /// Creates the first line of a row of two lines.
    pub fn title(text: &str, colors: &Tokens) -> Self {
        Self::new(text, theme::regular(theme::BODY), colors.text_strong)
    }

    /// Creates the line below a title.
    pub fn detail(text: &str, colors: &Tokens) -> Self {
        Self::of(text, colors.label())
    }

    /// Creates the name of a document, with a mark at the right if it has unsaved changes.
    pub fn document(name: &str, copy: Option<&WorkingCopy>, colors: &Tokens) -> Self {
        let is_unsaved = copy.is_some_and(WorkingCopy::is_unsaved);
        let line = Self::title(name, colors);
        if is_unsaved { line.right_icon(icons::CIRCLE_DOT, colors.accent) } else { line }
    }

    /// Creates a name beside similar names.
    pub fn distinct(name: &DistinctName<'_>, is_selected: bool) -> Self {
        let distinct = Some((name.parts().map(str::to_owned), is_selected));
        Self { distinct, ..Self::default() }
    }

    /// Creates a number or other text at the right edge of its cell.
    pub fn number(text: &str, font: FontId, color: Color32) -> Self {
        Self::default().right(StyledText::new().with(text, font, color))
    }

    /// Creates a word with its icon.
    pub fn icon_word(
        (icon, icon_color): (&'static str, Color32),
        (word, color): (&str, Color32),
    ) -> Self {
        Self::new(word, theme::regular(theme::ROW), color)
            .icon(icon, icon_color)
            .indent(theme::ICON + theme::ICON_GAP)
    }

    /// Adds an icon before the text, which moves to the right.
    pub fn icon(self, icon: &'static str, color: Color32) -> Self {
        self.sign(icon, color).indent(theme::INDENT)
    }

    /// Adds an icon where the text already leaves room for one.
    pub fn sign(self, icon: &'static str, color: Color32) -> Self {
        Self { icon: Some((icon, color)), ..self }
    }

    /// Changes the size of the icon; the text begins after it.
    pub fn icon_size(self, size: f32) -> Self {
        Self { icon_size: Some(size), indent: size + theme::GAP, ..self }
    }

    /// Changes the distance from the left edge, where the icon is, to the text.
    pub fn indent(self, indent: f32) -> Self {
        Self { indent, ..self }
    }

    /// Aligns the text with that of a line above, which has an icon.
    pub fn under_icon(self) -> Self {
        self.icon("", Color32::TRANSPARENT)
    }

    /// Leaves out the middle of a text in one font that does not fit, in place of its end.
    pub fn elide_middle(self) -> Self {
        Self { is_middle_elided: true, ..self }
    }

    /// Adds a text at the right, which gets its room before the text at the left.
    pub fn right(self, text: StyledText) -> Self {
        Self { right: Some(text), ..self }
    }

    /// Adds an icon at the right, before the text there.
    pub fn right_icon(self, icon: &'static str, color: Color32) -> Self {
        Self { right_icon: Some((icon, color)), ..self }
    }

    /// Limits the text at the right to a share of the width.
    pub fn right_share(self, share: f32) -> Self {
        Self { right_share: Some(share), ..self }
    }

    /// Adds the caps of keys at the right edge, which get their room before all else.
    pub fn caps(self, caps: Caps) -> Self {
        Self { caps: Some(caps), ..self }
    }

    /// Returns the width of the indent and the text, as far as the layout has room, in whole points, so that rounding cuts no letter.
    pub fn width(&self, ui: &Ui) -> f32 {
        let text = self.text.clone().galley(ui, ui.available_width() - self.indent);
        (self.indent + text.size().x + 0.5).ceil()
    }

    /// Adds a row of this height, as wide as the layout. `name` is its name for screen readers.
    pub fn show_named(self, ui: &mut Ui, height: f32, name: &str) -> Response {
        self.show_wrapped(ui, height, 0.0, name)
    }

    /// The same for a text with more rows, which need further height below the first one.
    pub fn show_wrapped(self, ui: &mut Ui, height: f32, below: f32, name: &str) -> Response {
        let (rect, response) = allocate_row(ui, height + below, Sense::hover());
        describe(&response, Role::Label, name);
        self.show_in(ui, rect.with_max_y(rect.top() + height));
        response
    }

    /// Paints the line along the middle of a place. Its control has the name for screen readers.
    pub fn show_in(self, ui: &Ui, place: Rect) {
        self.paint(ui, place.x_range(), place.center().y);
    }

    /// Adds the line to a layout as a row of a region, with its padding. Screen readers get no name.
    pub fn show(self, ui: &mut Ui, height: f32) -> Response {
        let (rect, response) = allocate_row(ui, height, Sense::hover());
        self.show_in(ui, rect.shrink2(vec2(theme::PADDING, 0.0)));
        response
    }

    /// Paints the line between `x`, vertically centered on `y`. Returns the height of what is wrapped below it.
    fn paint(self, ui: &Ui, mut x: Rangef, y: f32) -> f32 {
        // A share of the whole line, before the icon takes its part.
        let most_right = x.span() * self.right_share.unwrap_or(1.0);
        let painter = ui.painter();
        if let Some((icon, color)) = self.icon {
            let size = self.icon_size.unwrap_or(theme::ICON);
            styled_text::paint_icon(painter, pos2(x.min + size / 2.0, y), icon, size, color);
        }
        x.min += self.indent;
        if let Some(caps) = self.caps.filter(|caps| caps.width() > 0.0) {
            x.max -= caps.width();
            caps.paint(painter, pos2(x.max, y));
            x.max -= theme::GAP;
        }
        // First: numbers and statuses are short and must not be cut in favour of a name.
        if let Some(right) = self.right {
            let line = right.galley(ui, most_right);
            let width = line.size().x;
            styled_text::paint_line_right(painter, pos2(x.max, y), line);
            let gap = self.right_icon.map_or(theme::GAP, |_| theme::ICON_GAP);
            x.max -= width + gap;
        }
        if let Some((icon, color)) = self.right_icon {
            let center = pos2(x.max - theme::ICON / 2.0, y);
            styled_text::paint_icon(painter, center, icon, theme::ICON, color);
            x.max -= theme::ICON + theme::ICON_GAP;
        }
        let text = if let Some((parts, is_selected)) = &self.distinct {
            distinct_name::galley(ui, parts.each_ref().map(String::as_str), x.span(), *is_selected)
        } else if self.is_middle_elided {
            let (line, full_text) = self.text.middle(ui, x.span());
            if let Some(full_text) = full_text {
                let place = Rect::from_x_y_ranges(x, Rangef::point(y).expand(line.size().y / 2.0));
                styled_text::remember_elided(painter, place, &full_text);
            }
            line
        } else {
            self.text.galley(ui, x.span())
        };
        let height_below = text.size().y - styled_text::row_height(&text);
        styled_text::paint_line(painter, pos2(x.min, y), text);
        height_below
    }
}

/// Lines between two edges; without edges, between the margins of the row.
#[derive(Default)]
struct Cell {
    x: Option<Rangef>,
    lines: Vec<Line>,
}

/// The content of a row.
#[must_use]
#[derive(Default)]
pub struct Row {
    pub(super) name: String,
    pub(super) selection: RowSelection,
    pub(super) expanded: Option<bool>,
    pub(super) unfolds: Option<bool>,
    pub(super) checked: Option<bool>,
    pub(super) is_disabled: bool,
    fill: Option<Color32>,
    border: Option<Color32>,
    cells: Vec<Cell>,
    pub(super) tip: String,
}

impl Row {
    /// Creates an empty row. `name` is its name for screen readers.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets whether it is selected.
    pub fn selected(self, is_selected: bool) -> Self {
        self.selection(if is_selected { RowSelection::Selected } else { RowSelection::None })
    }

    /// Sets the state of the selection.
    pub fn selection(self, selection: RowSelection) -> Self {
        Self { selection, ..self }
    }

    /// Makes it a row that unfolds, with a chevron before its first line.
    pub fn expanded(self, is_expanded: bool) -> Self {
        Self { expanded: Some(is_expanded), ..self }
    }

    /// Makes it a row that unfolds besides being selected; the desk paints the chevron. [`RowSlot::is_toggled`] says whether
    /// the user pressed the key for it.
    ///
    /// [`RowSlot::is_toggled`]: super::RowSlot::is_toggled
    pub fn unfolds(self, is_unfolded: bool) -> Self {
        Self { unfolds: Some(is_unfolded), ..self }
    }

    /// Makes it a check box, with its icon before the first line.
    pub fn checked(self, is_checked: bool) -> Self {
        Self { checked: Some(is_checked), ..self }
    }

    /// Sets whether a click has no effect. Screen readers get to know; the colours are the desk's.
    pub fn disabled(self, is_disabled: bool) -> Self {
        Self { is_disabled, ..self }
    }

    /// Sets the background of a row that is neither selected, while its list has the keyboard focus, nor hovered.
    pub fn fill(self, color: Color32) -> Self {
        Self { fill: Some(color), ..self }
    }

    /// Draws a border around the row.
    pub fn border(self, color: Color32) -> Self {
        Self { border: Some(color), ..self }
    }

    /// Adds a line to the row, or to its last cell.
    pub fn line(mut self, line: impl Into<Line>) -> Self {
        if self.cells.is_empty() {
            self.cells.push(Cell::default());
        }
        if let Some(cell) = self.cells.last_mut() {
            cell.lines.push(line.into());
        }
        self
    }

    /// Begins a cell between two edges, such as those of a column.
    pub fn cell(mut self, x: Rangef) -> Self {
        self.cells.push(Cell { x: Some(x), lines: Vec::new() });
        self
    }

    /// Sets a tooltip for the whole row.
    pub fn tip(self, text: impl Into<String>) -> Self {
        Self { tip: text.into(), ..self }
    }

    /// Returns whether it is selected, with or without the keyboard focus.
    pub(super) fn is_selected(&self) -> bool {
        matches!(self.selection, RowSelection::Selected | RowSelection::SelectedAway)
    }

    /// Adds the row to a layout outside of a list, as a button; disabled, as a label.
    pub fn show(self, ui: &mut Ui, shape: &RowShape) -> Response {
        let sense = if self.is_disabled { Sense::hover() } else { Sense::click() };
        let (rect, response) = allocate_row(ui, shape.height, sense);
        self.show_as(ui, shape, rect, response)
    }

    /// Shows the row at a place outside of a list, as the button or label of this response.
    pub fn show_as(
        mut self,
        ui: &Ui,
        shape: &RowShape,
        rect: Rect,
        response: Response,
    ) -> Response {
        response.widget_info(|| match self.expanded {
            _ if self.is_disabled => WidgetInfo::labeled(Role::Label, true, &self.name),
            Some(is_open) => {
                WidgetInfo::selected(Role::Button, ui.is_enabled(), is_open, &self.name)
            }
            None => WidgetInfo::labeled(Role::Button, ui.is_enabled(), &self.name),
        });
        let (tip, is_lit) =
            (std::mem::take(&mut self.tip), response.hovered() && !self.is_disabled);
        self.paint(ui, shape, rect, is_lit);
        if response.has_focus() {
            focus_ring_inside(ui, rect, shape.radius);
        }
        if tip.is_empty() { response } else { hint(response, &tip) }
    }

    /// Paints the row at a place where it is no control, such as the heading of a table.
    pub fn show_at(self, ui: &Ui, shape: &RowShape, rect: Rect) {
        self.paint(ui, shape, rect, false);
    }

    pub(super) fn paint(self, ui: &Ui, shape: &RowShape, rect: Rect, is_hovered: bool) {
        let tokens = tokens(ui);
        let fill = match self.selection {
            RowSelection::Selected => tokens.selected,
            RowSelection::SelectedAway => self.fill.unwrap_or(tokens.quiet),
            _ if is_hovered => tokens.hover,
            _ => self.fill.unwrap_or(Color32::TRANSPARENT),
        };
        let border = (1.0, self.border.unwrap_or(Color32::TRANSPARENT));
        ui.painter().rect(rect, shape.radius, fill, border, StrokeKind::Inside);
        match self.selection {
            RowSelection::Selected if shape.radius == 0 => accent_bar(ui, rect),
            _ => {}
        }
        let (left, right) = shape.margins;
        let sign = match (self.expanded, self.checked) {
            (Some(true), _) => Some((icons::CHEVRON_DOWN, tokens.muted)),
            (Some(false), _) => Some((icons::CHEVRON_RIGHT, tokens.muted)),
            (None, Some(true)) => Some((icons::SQUARE_CHECK, tokens.accent)),
            (None, Some(false)) => Some((icons::SQUARE, tokens.text)),
            (None, None) => None,
        };
        let sign_width = sign.map(|(icon, color)| {
            let center = pos2(rect.left() + left + theme::ICON / 2.0, rect.center().y);
            styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, color);
            theme::INDENT
        });
        let left = rect.left() + left + sign_width.unwrap_or_default();
        for cell in self.cells {
            let x = cell.x.unwrap_or_else(|| Rangef::new(left, rect.right() - right));
            let middle = [rect.height() / 2.0];
            let lines = match cell.lines.len() {
                // In a table of two lines, a single value belongs to both.
                0 | 1 if shape.lines.len() > 1 && cell.x.is_some() => &middle,
                _ => shape.lines,
            };
            let mut top = rect.top();
            for (line, y) in cell.lines.into_iter().zip(lines) {
                // A wrapped line moves the ones after it.
                top += line.paint(ui, x, top + y);
            }
        }
        if shape.hair {
            line_below(ui, rect);
        }
    }
}

/// The selection state of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSelection {
    /// Not selected.
    #[default]
    None,
    /// Selected, and its list has the keyboard focus.
    Selected,
    /// Selected, and the keyboard focus is elsewhere.
    SelectedAway,
}

/// Paints the bar, 3 points wide, at the left edge of a selected or focused row.
pub fn accent_bar(ui: &Ui, rect: Rect) {
    let bar = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
    ui.painter().rect_filled(bar, 0.0, tokens(ui).accent);
}

/// Adds a row with a name, and at the right the keys of each alternative.
pub fn keys_row(ui: &mut Ui, name: &str, keys: &[Vec<String>]) -> Response {
    let tokens = tokens(ui);
    let (rect, response) = allocate_row(ui, theme::ROW_HEIGHT, Sense::hover());
    let labels: Vec<String> = keys.iter().map(|caps| caps.join("+")).collect();
    let label = if labels.is_empty() { "no key".to_owned() } else { labels.join(" or ") };
    crate::describe(&response, egui::Role::Label, &format!("{name}: {label}"));
    let (painter, middle, mut right) = (ui.painter(), rect.center().y, rect.right());
    // Painted from the right edge to the left, so in reverse.
    for (index, caps) in keys.iter().enumerate().rev() {
        let caps = Caps::new(ui, caps);
        right -= caps.width();
        caps.paint(painter, pos2(right, middle));
        if index > 0 {
            let font = theme::regular(theme::SMALL);
            let separator = styled_text::line(ui, "or", font, tokens.muted, f32::INFINITY);
            right -= theme::GAP + separator.size().x;
            styled_text::paint_line(painter, pos2(right, middle), separator);
            right -= theme::GAP;
        }
    }
    let line = Line::new(name, theme::regular(theme::ROW), tokens.text_strong);
    let place = rect.with_min_x(rect.left() + theme::INDENT);
    line.show_in(ui, place.with_max_x(right - theme::SECTION_GAP));
    response
}
