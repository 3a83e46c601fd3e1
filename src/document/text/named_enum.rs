//! Enums whose variants have names: one table gives each variant its names, in the order of the methods that return them.

/// Declares such an enum: after its variants, `const ALL;` lists them all, and each `fn` returns the next name of a variant.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $($word:literal)+,)+
        }
        $($items:tt)+
    ) => {
        $(#[$meta])* $vis enum $name { $($(#[$about])* $variant,)+ }

        $crate::named_enum! { @of $name [$($variant [$($word)+])+] $($items)+ }
    };
    (@of $name:ident [$($variant:ident $words:tt)+]) => {};
    (
        @of $name:ident [$($variant:ident $words:tt)+]
        $(#[$about:meta])* const ALL; $($items:tt)*
    ) => {
        impl $name {
            $(#[$about])* pub const ALL: &[Self] = &[$(Self::$variant),+];
        }

        $crate::named_enum! { @of $name [$($variant $words)+] $($items)* }
    };
    (
        @of $name:ident [$($variant:ident [$word:literal $($others:literal)*])+]
        $(#[$about:meta])* $vis:vis fn $method:ident; $($items:tt)*
    ) => {
        impl $name {
            $(#[$about])* $vis fn $method(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        $crate::named_enum! { @of $name [$($variant [$($others)*])+] $($items)* }
    };
}
