//! The colours of pictures, which are also those of the window.

/// Color theme of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PictureTheme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

macro_rules! colors {
    ($($(#[$doc:meta])* $name:ident $dark:literal $light:literal,)*) => {
        /// A colour by its use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PictureColor {
            $($(#[$doc])* $name,)*
        }

        impl PictureTheme {
            /// Returns the definitions of the variables that inline pictures use, as CSS.
            pub(super) fn variables(self) -> String {
                let mut css = String::new();
                for (name, color) in [$((stringify!($name), self.rgb(PictureColor::$name))),*] {
                    // The prefix keeps these names apart from the variables of the page.
                    css.push_str(&format!("--p-{name}:#{color:06x};"));
                }
                css
            }

            /// Returns a colour, `0xRRGGBB`.
            pub const fn rgb(self, color: PictureColor) -> u32 {
                match (self, color) {
                    $((Self::Dark, PictureColor::$name) => $dark,
                    (Self::Light, PictureColor::$name) => $light,)*
                }
            }
        }
    };
}

colors! {
    /// Behind everything.
    Desk 0x14171C 0xFFFFFF,
    /// Groups, data.
    Panel 0x171A20 0xF8F9FB,
    /// Boxes.
    Raised 0x1D2128 0xF1F3F6,
    /// Behind the element under the pointer.
    Hover 0x1E232B 0xF2F4F8,
    /// Behind a selected element.
    Selected 0x28304F 0xDFE5FF,
    /// Lines between regions.
    Hair 0x23272F 0xE6E9EE,
    /// Lines around boxes.
    Line 0x2E343F 0xD6DBE3,
    /// Marks that must be seen: edges.
    Strong 0x69738A 0x828C9D,
    /// Names, values, headings.
    TextStrong 0xF1F3F6 0x12151A,
    /// Sentences.
    Text 0xCFD4DC 0x323945,
    /// Labels, counts.
    Muted 0x9AA2B1 0x596170,
    /// Active elements.
    Accent 0xA3B0FF 0x3C49CF,
    /// Around what is selected.
    Ring 0x8A99FF 0x5969F0,
    /// Below accent text.
    Tint 0x242A47 0xE7EAFF,
    /// Passed.
    Good 0x62CD96 0x0F6F45,
    /// Blocks of strips that pass: fills, which need less contrast than text.
    GoodMark 0x62CD96 0x2F9E6C,
    /// Behind `Good`.
    GoodTint 0x15291F 0xE0F4E9,
    /// By file order, silence.
    Warning 0xEAB454 0x855600,
    /// Blocks of strips that need attention.
    WarningMark 0xEAB454 0xBC7F0A,
    /// Behind `Warning`.
    WarningTint 0x2D2617 0xFCF0D6,
    /// Wrong, fails.
    Error 0xFF918C 0xB42E36,
    /// Behind `Error`.
    ErrorTint 0x351F22 0xFDE7E7,
    /// Renamed, first.
    Note 0x74BDF5 0x0F6199,
    /// Behind `Note`.
    NoteTint 0x162A39 0xE2F0FB,
}
