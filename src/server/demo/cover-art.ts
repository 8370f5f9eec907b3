import { cookbook, novel } from './covers/books.ts';
import { arcadeCard, breakfastCard, crest, voyageCard } from './covers/cards.ts';
import { compactKeyboard, deskMat, keyboard, mouse } from './covers/desk-gear.ts';
import { type Art, escapeXml, HEIGHT, type Motif, WIDTH } from './covers/drawing.ts';
import { figurine, mug, plush, shirt } from './covers/keepsakes.ts';
import { lantern, orchard, peaks, waves } from './covers/landscapes.ts';
import { chart, phrases, stones, watercolour } from './covers/lessons.ts';
import { blocks, iconSheet } from './covers/makers.ts';
import { hexes, leviathan, skyline } from './covers/maps.ts';
import { poster, sleeve } from './covers/media.ts';
import { globe, signal, tunnel } from './covers/networks.ts';
import { type PaletteName, palettes } from './covers/palettes.ts';
import { bubbles, dpad, gamepad } from './covers/platforms.ts';
import { arcadeStick, controller, earbuds, headset } from './covers/play-gear.ts';
import { orbit, rift, speedway, starfall } from './covers/skies.ts';
import { aperture, sheet, shield } from './covers/software.ts';
import { cinema, equalizer, player } from './covers/streaming.ts';
import { titleOf } from './covers/titles.ts';
import { seededRandom } from './seeded-random.ts';

const motifs = {
  cookbook,
  novel,
  arcadeCard,
  voyageCard,
  breakfastCard,
  crest,
  peaks,
  orchard,
  lantern,
  waves,
  phrases,
  stones,
  watercolour,
  chart,
  iconSheet,
  blocks,
  hexes,
  skyline,
  leviathan,
  sleeve,
  poster,
  globe,
  tunnel,
  signal,
  gamepad,
  dpad,
  bubbles,
  orbit,
  starfall,
  rift,
  speedway,
  sheet,
  aperture,
  shield,
  cinema,
  equalizer,
  player,
  keyboard,
  compactKeyboard,
  mouse,
  deskMat,
  controller,
  arcadeStick,
  headset,
  earbuds,
  figurine,
  plush,
  mug,
  shirt,
} as const satisfies Record<string, Motif>;

/** What a product's picture shows, and in which colours. */
export interface Cover {
  motif: keyof typeof motifs;
  palette: PaletteName;
}

/** A product's picture as an SVG document of 800 x 600; the same for the same product everywhere. */
export function coverArt(product: { slug: string; name: string; category: string; cover: Cover }): string {
  const { slug, name, category, cover } = product;
  const art: Art = {
    ...titleOf(name),
    category,
    colours: palettes[cover.palette],
    random: seededRandom(`cover of ${slug}`),
  };
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(name)}">` +
    `${motifs[cover.motif](art)}</svg>`
  );
}
