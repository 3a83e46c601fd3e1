//! The colours of the window: one table for dark and one for light.
//!
//! Text has a contrast of at least 4.5 on every surface where it is used, and so has each tone on its own tint.

use egui::{Color32, Ui};

/// A severity or a state, as a colour. Never shown without an icon and a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Plain: no meaning by colour.
    Plain,
    /// The accent: links, what is active, what is unsaved.
    Accent,
    /// Fresh, passed, accepted.
    Good,
    /// Stale, by position, silence.
    Warning,
    /// Unreadable, wrong, fails.
    Error,
    /// Renamed, pending, first.
    Note,
}

/// Every colour the window uses, for one of the two appearances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    /// Rail, top bar, status line.
    pub ground: Color32,
    /// Lists, tables, text.
    pub desk: Color32,
    /// Side panels, table headings.
    pub panel: Color32,
    /// Buttons, group headings, skeletons.
    pub raised: Color32,
    /// Menus, palette, notices.
    pub overlay: Color32,
    /// Fields, raw text.
    pub input: Color32,
    /// A row under the pointer.
    pub hover: Color32,
    /// Chips; what is selected while its list has no focus.
    pub quiet: Color32,
    /// The selected row, the chosen segment.
    pub selected: Color32,
    /// Lines between regions.
    pub hair: Color32,
    /// Lines around controls and cards.
    pub line: Color32,
    /// Marks that must be seen: edges, a dashed drop zone.
    pub strong: Color32,
    /// Names, values, headings.
    pub text_strong: Color32,
    /// Sentences.
    pub text: Color32,
    /// Labels, counts, common prefixes.
    pub muted: Color32,
    /// Disabled controls.
    pub disabled: Color32,
    /// Links, active icons, the selection's bar.
    pub accent: Color32,
    /// The one primary button.
    pub fill: Color32,
    /// The primary button under the pointer, and pressed.
    pub fill_hover: Color32,
    /// Text on `fill`.
    pub on_fill: Color32,
    /// Focus and caret.
    pub ring: Color32,
    /// Behind the called tool, below accent text.
    pub tint: Color32,
    /// Fresh, passed, accepted.
    pub good: Color32,
    /// Behind `good`.
    pub good_tint: Color32,
    /// Stale, by position, silence.
    pub warning: Color32,
    /// Behind `warning`.
    pub warning_tint: Color32,
    /// Unreadable, wrong, fails.
    pub error: Color32,
    /// Behind `error`.
    pub error_tint: Color32,
    /// Renamed, pending, first.
    pub note: Color32,
    /// Behind `note`.
    pub note_tint: Color32,
    /// Fills of strips for `good`, `warning`, `error` and `note`; never text.
    marks: [Color32; 4],
    /// A line only in the new text.
    pub added_line: Color32,
    /// Words only in the new line.
    pub added_word: Color32,
    /// A line only in the old text.
    pub removed_line: Color32,
    /// Words only in the old line.
    pub removed_word: Color32,
    pub fold: Color32,
    /// Syntax: keywords.
    pub keyword: Color32,
    /// Syntax: keys.
    pub key: Color32,
    /// Syntax: strings.
    pub string: Color32,
    /// Syntax: numbers and literals.
    pub number: Color32,
    /// Syntax: comments.
    pub comment: Color32,
    /// Shadow of menus, notices and the palette.
    pub shadow: Color32,
    /// Covers everything behind the palette.
    pub veil: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    // Written as in design tools: `0xRRGGBB`.
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// Dark surfaces, light text.
pub static DARK: Tokens = Tokens {
    ground: rgb(0x0E1014),
    desk: rgb(0x14171C),
    panel: rgb(0x171A20),
    raised: rgb(0x1D2128),
    overlay: rgb(0x21252E),
    input: rgb(0x101317),
    hover: rgb(0x1E232B),
    quiet: rgb(0x242932),
    selected: rgb(0x28304F),
    hair: rgb(0x23272F),
    line: rgb(0x2E343F),
    strong: rgb(0x69738A),
    text_strong: rgb(0xF1F3F6),
    text: rgb(0xCFD4DC),
    muted: rgb(0x9AA2B1),
    disabled: rgb(0x636B79),
    accent: rgb(0xA3B0FF),
    fill: rgb(0x5362E6),
    fill_hover: rgb(0x4957D8),
    on_fill: Color32::WHITE,
    ring: rgb(0x8A99FF),
    tint: rgb(0x242A47),
    good: rgb(0x62CD96),
    good_tint: rgb(0x15291F),
    warning: rgb(0xEAB454),
    warning_tint: rgb(0x2D2617),
    error: rgb(0xFF918C),
    error_tint: rgb(0x351F22),
    note: rgb(0x74BDF5),
    note_tint: rgb(0x162A39),
    marks: [rgb(0x62CD96), rgb(0xEAB454), rgb(0xFF918C), rgb(0x74BDF5)],
    added_line: rgb(0x13261D),
    added_word: rgb(0x1E5239),
    removed_line: rgb(0x2A191D),
    removed_word: rgb(0x642C36),
    fold: rgb(0x191D24),
    keyword: rgb(0xC3B1FF),
    key: rgb(0x8CC8F5),
    string: rgb(0xA9D5A0),
    number: rgb(0xF0B888),
    comment: rgb(0x98A1B1),
    shadow: Color32::from_rgba_premultiplied(0, 0, 0, 140),
    veil: Color32::from_rgba_premultiplied(4, 5, 7, 158),
};

/// Light surfaces, dark text.
pub static LIGHT: Tokens = Tokens {
    ground: rgb(0xEDEFF3),
    desk: rgb(0xFFFFFF),
    panel: rgb(0xF8F9FB),
    raised: rgb(0xF1F3F6),
    overlay: rgb(0xFFFFFF),
    input: rgb(0xFFFFFF),
    hover: rgb(0xF2F4F8),
    quiet: rgb(0xE9ECF1),
    selected: rgb(0xDFE5FF),
    hair: rgb(0xE6E9EE),
    line: rgb(0xD6DBE3),
    strong: rgb(0x828C9D),
    text_strong: rgb(0x12151A),
    text: rgb(0x323945),
    muted: rgb(0x596170),
    disabled: rgb(0x9CA4B1),
    accent: rgb(0x3C49CF),
    fill: rgb(0x4452DA),
    fill_hover: rgb(0x3844C2),
    on_fill: Color32::WHITE,
    ring: rgb(0x5969F0),
    tint: rgb(0xE7EAFF),
    good: rgb(0x0F6F45),
    good_tint: rgb(0xE0F4E9),
    warning: rgb(0x855600),
    warning_tint: rgb(0xFCF0D6),
    error: rgb(0xB42E36),
    error_tint: rgb(0xFDE7E7),
    note: rgb(0x0F6199),
    note_tint: rgb(0xE2F0FB),
    marks: [rgb(0x2F9E6C), rgb(0xBC7F0A), rgb(0xD0444B), rgb(0x2F87C8)],
    added_line: rgb(0xE8F7EE),
    added_word: rgb(0xB4E6CA),
    removed_line: rgb(0xFDEDED),
    removed_word: rgb(0xF8C6C6),
    fold: rgb(0xF4F6F9),
    keyword: rgb(0x5D3FC4),
    key: rgb(0x0B5F94),
    string: rgb(0x2B6B2F),
    number: rgb(0x955100),
    comment: rgb(0x5C6573),
    shadow: Color32::from_rgba_premultiplied(4, 6, 9, 46),
    veil: Color32::from_rgba_premultiplied(10, 12, 16, 87),
};

impl Tokens {
    /// Returns the colour of a tone's icon and text.
    pub fn tone(&self, tone: Tone) -> Color32 {
        match tone {
            Tone::Plain => self.text,
            Tone::Accent => self.accent,
            Tone::Good => self.good,
            Tone::Warning => self.warning,
            Tone::Error => self.error,
            Tone::Note => self.note,
        }
    }

    /// Returns the colour of a block of a tone. As a block, the amber of light text would be brown.
    pub fn mark(&self, tone: Tone) -> Color32 {
        let [good, warning, error, note] = self.marks;
        match tone {
            Tone::Good => good,
            Tone::Warning => warning,
            Tone::Error => error,
            Tone::Note => note,
            Tone::Plain | Tone::Accent => self.tone(tone),
        }
    }

    /// Returns the colour of a tone, and the given one where there is nothing to stress.
    pub fn tone_or(&self, tone: Tone, plain_color: Color32) -> Color32 {
        if tone == Tone::Plain { plain_color } else { self.tone(tone) }
    }

    /// Returns the background of a tone's icon and text.
    pub fn tint_of(&self, tone: Tone) -> Color32 {
        match tone {
            Tone::Plain => self.quiet,
            Tone::Accent => self.tint,
            Tone::Good => self.good_tint,
            Tone::Warning => self.warning_tint,
            Tone::Error => self.error_tint,
            Tone::Note => self.note_tint,
        }
    }
}

/// Returns the colours of the appearance of this [`Ui`].
pub fn tokens(ui: &Ui) -> &'static Tokens {
    // Read from egui and not from the settings, which may say that the desktop decides.
    if ui.visuals().dark_mode { &DARK } else { &LIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contrast ratio of two opaque colours, as defined by WCAG 2.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |color: Color32| {
            let linear = egui::Rgba::from(color);
            0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b()
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn surfaces(tokens: &Tokens) -> [Color32; 9] {
        [
            tokens.ground,
            tokens.desk,
            tokens.panel,
            tokens.raised,
            tokens.overlay,
            tokens.input,
            tokens.hover,
            tokens.quiet,
            tokens.selected,
        ]
    }

    #[test]
    fn text_is_readable_on_every_surface() {
        for tokens in [&DARK, &LIGHT] {
            let texts = [
                tokens.text_strong,
                tokens.text,
                tokens.muted,
                tokens.accent,
                tokens.good,
                tokens.warning,
                tokens.error,
                tokens.note,
            ];
            for (text, surface) in
                texts.into_iter().flat_map(|text| surfaces(tokens).map(|surface| (text, surface)))
            {
                let ratio = contrast(text, surface);
                assert!(ratio >= 4.5, "{text:?} on {surface:?} has only {ratio:.2}");
            }
        }
    }

    #[test]
    fn words_are_readable_on_their_tints_and_on_the_primary_button() {
        for tokens in [&DARK, &LIGHT] {
            for tone in [Tone::Accent, Tone::Good, Tone::Warning, Tone::Error, Tone::Note] {
                assert!(contrast(tokens.tone(tone), tokens.tint_of(tone)) >= 4.5, "{tone:?}");
            }
            for fill in [tokens.fill, tokens.fill_hover] {
                assert!(contrast(tokens.on_fill, fill) >= 4.5);
            }
        }
    }

    #[test]
    fn source_text_is_readable_on_changed_lines() {
        for tokens in [&DARK, &LIGHT] {
            let texts = [
                tokens.text,
                tokens.keyword,
                tokens.key,
                tokens.string,
                tokens.number,
                tokens.comment,
            ];
            let lines =
                [tokens.desk, tokens.input, tokens.added_line, tokens.removed_line, tokens.fold];
            for (text, line) in texts.into_iter().flat_map(|text| lines.map(|line| (text, line))) {
                assert!(contrast(text, line) >= 4.5, "{text:?} on {line:?}");
            }
            for word in [tokens.added_word, tokens.removed_word] {
                assert!(contrast(tokens.text_strong, word) >= 4.5);
            }
        }
    }

    #[test]
    fn focus_and_strong_marks_contrast_with_their_background() {
        for tokens in [&DARK, &LIGHT] {
            assert!(contrast(tokens.ring, tokens.desk) >= 3.0);
            assert!(contrast(tokens.strong, tokens.desk) >= 3.0);
        }
    }
}
