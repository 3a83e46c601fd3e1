//! The fonts of the window: Inter for text, JetBrains Mono for data, Lucide for icons, Noto Emoji for emoji. For characters
//! that none of them has, eframe adds fonts of the system (its feature `system_fonts`).

use std::sync::Arc;

use egui::{Color32, FontData, FontDefinitions, FontFamily, FontId, RichText};

/// The desk title, a verdict, a clock.
pub const TITLE: f32 = 15.0;
/// Sentences and section headings.
pub const BODY: f32 = 13.0;
/// Rows, buttons and source text.
pub const ROW: f32 = 12.5;
/// Labels, help, monospaced data.
pub const LABEL: f32 = 12.0;
/// The rail, pointers, axes.
pub const SMALL: f32 = 11.0;
/// Only the badge of the rail.
pub const BADGE: f32 = 10.0;

/// Icons in rows and buttons.
pub const ICON: f32 = 14.0;
pub const ICON_HEADING: f32 = 16.0;
/// Of the empty state of a desk.
pub const ICON_EMPTY: f32 = 20.0;
pub const ICON_RAIL: f32 = 20.0;
pub const ICON_TAG: f32 = 12.0;

const MEDIUM: &str = "medium";
const SEMIBOLD: &str = "semibold";
const MONO_BOLD: &str = "mono-bold";
const ICONS: &str = "icons";

/// Returns a text in a font and a colour.
pub fn text(text: impl Into<String>, font: FontId, color: Color32) -> RichText {
    RichText::new(text).font(font).color(color)
}

/// Returns the regular text font.
pub fn regular(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Returns the font of buttons and labels.
pub fn medium(size: f32) -> FontId {
    named(size, MEDIUM)
}

/// Returns the font of headings and names.
pub fn semibold(size: f32) -> FontId {
    named(size, SEMIBOLD)
}

/// Returns the font of ids, hashes, times, file text and numbers in columns: size [`LABEL`] in rows, size [`ROW`] in
/// sentences of size [`BODY`], so that their baselines meet.
pub fn mono(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// Returns the font of emphasized data.
pub fn mono_bold(size: f32) -> FontId {
    named(size, MONO_BOLD)
}

/// Returns the icon font. Text fonts also contain the icons, for use within a line.
pub fn icon(size: f32) -> FontId {
    named(size, ICONS)
}

fn named(size: f32, family: &str) -> FontId {
    FontId::new(size, FontFamily::Name(family.into()))
}

/// Returns all fonts and families. Each family falls back to the other text fonts, then to the icons and the emoji.
pub(super) fn definitions() -> FontDefinitions {
    macro_rules! font {
        ($file:literal) => {
            FontData::from_static(include_bytes!(concat!("../../../assets/fonts/", $file)))
        };
    }
    let fonts = [
        ("inter", font!("Inter-Regular.otf")),
        ("inter-medium", font!("Inter-Medium.otf")),
        ("inter-semibold", font!("Inter-SemiBold.otf")),
        ("jetbrains-mono", font!("JetBrainsMono-Regular.ttf")),
        ("jetbrains-mono-bold", font!("JetBrainsMono-Bold.ttf")),
        ("lucide", font!("Lucide.ttf")),
        ("emoji", font!("NotoEmoji-Regular.ttf")),
    ];
    let families = [
        (FontFamily::Proportional, &["inter", "jetbrains-mono", "lucide", "emoji"][..]),
        (FontFamily::Name(MEDIUM.into()), &["inter-medium", "jetbrains-mono", "lucide", "emoji"]),
        (
            FontFamily::Name(SEMIBOLD.into()),
            &["inter-semibold", "jetbrains-mono-bold", "lucide", "emoji"],
        ),
        (FontFamily::Monospace, &["jetbrains-mono", "inter", "lucide", "emoji"]),
        (
            FontFamily::Name(MONO_BOLD.into()),
            &["jetbrains-mono-bold", "inter-semibold", "lucide", "emoji"],
        ),
        (FontFamily::Name(ICONS.into()), &["lucide"]),
    ];
    FontDefinitions {
        font_data: fonts
            .into_iter()
            .map(|(name, data)| (name.to_owned(), Arc::new(data)))
            .collect(),
        families: families
            .into_iter()
            .map(|(family, names)| (family, names.iter().map(|&name| name.to_owned()).collect()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use egui::Color32;
    use egui::epaint::text::{Fonts, TextOptions};

    use super::*;
    use crate::icons;

    fn signs(text: &str, font: FontId) -> usize {
        let mut fonts = Fonts::new(TextOptions::default(), definitions());
        let galley =
            fonts.with_pixels_per_point(1.0).layout_no_wrap(text.to_owned(), font, Color32::WHITE);
        galley
            .rows
            .iter()
            .flat_map(|row| &row.glyphs)
            .filter(|glyph| glyph.uv_rect.size.x > 0.0)
            .count()
    }

    #[test]
    fn an_arrow_of_two_characters_is_drawn_as_two() {
        for text in ["->", ">=", "!="] {
            for font in [regular(13.0), medium(13.0), semibold(13.0), mono(12.0), mono_bold(12.0)] {
                assert_eq!(signs(text, font.clone()), 2, "{text} in {font:?}");
            }
        }
        assert_eq!(signs("===", mono(12.0)), 3);
    }

    #[test]
    fn every_icon_is_in_the_font() {
        let mut fonts = Fonts::new(TextOptions::default(), definitions());
        let mut view = fonts.with_pixels_per_point(1.0);
        for (name, sign) in icons::ALL {
            assert!(view.has_glyphs(&icon(14.0), sign), "{name}");
            assert!(view.has_glyphs(&regular(13.0), sign), "{name} within words");
        }
    }

    #[test]
    fn emoji_are_drawn_in_text_and_data() {
        for font in [regular(13.0), medium(13.0), semibold(13.0), mono(12.0), mono_bold(12.0)] {
            assert_eq!(signs("🙂🚀✅❌⚠🔥🤖", font.clone()), 7, "{font:?}");
        }
    }
}
