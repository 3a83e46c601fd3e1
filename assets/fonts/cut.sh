#!/usr/bin/env bash
# Cuts the fonts of this folder from their releases. Needs fonttools (`pip install fonttools brotli`), npm, and Debian's
# fonts-inter and fonts-jetbrains-mono.
set -eu
cd "$(dirname "$0")"

# Words and data: the scripts the window needs, without ligatures. egui 0.37 shapes with them on and has no switch, and
# would draw `->` as one sign.
ranges='U+0020-007E,U+00A0-024F,U+0259,U+02B0-02FF,U+0300-036F,U+0370-03FF,U+0400-052F,U+1E00-1EFF,U+2000-206F'
ranges+=',U+2070-209F,U+20A0-20BF,U+2100-214F,U+2150-218F,U+2190-21FF,U+2200-22FF,U+2300-23FF,U+2400-2426'
ranges+=',U+2500-257F,U+2580-25FF,U+2713,U+2717,U+FFFD'
cut_text() {
  pyftsubset "$1" --unicodes="$ranges" --layout-features='kern,mark,mkmk,ccmp,locl' --name-IDs='*' --notdef-outline \
    --output-file="$(basename "$1")"
}
for weight in Regular Medium SemiBold; do cut_text "/usr/share/fonts/opentype/inter/Inter-$weight.otf"; done
for weight in Regular Bold; do cut_text "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-$weight.ttf"; done

# Icons: the characters that src/widgets/icons.rs names.
signs=$(grep -o '\\u{[0-9a-f]*}' ../../src/widgets/icons.rs | sed 's/.*{\(.*\)}/U+\1/' | paste -sd,)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
fetch() {
  (cd "$folder" && rm -rf package && npm pack --silent "$1" >/dev/null && tar xzf ./*.tgz && rm ./*.tgz)
  cp "$folder/package/LICENSE" "$2"
}
fetch lucide-static@1.62.0 LICENSE-Lucide
pyftsubset "$folder/package/font/lucide.ttf" --unicodes="$signs" --layout-features='' --name-IDs='*' \
  --notdef-outline --output-file=Lucide.ttf

# Emoji, each by itself: without flags and other sequences, whose parts are drawn one after the other.
fetch @fontsource/noto-emoji@5.3.2 LICENSE-NotoEmoji
fonttools ttLib.woff2 decompress -o "$folder/emoji.ttf" "$folder/package/files/noto-emoji-emoji-400-normal.woff2"
pyftsubset "$folder/emoji.ttf" --unicodes='U+2194-1F1E5,U+1F200-1FAFF' --layout-features='' --name-IDs='*' \
  --notdef-outline --no-hinting --drop-tables+=STAT,vhea,vmtx,gasp --output-file=NotoEmoji-Regular.ttf
