import type { SeededRandom } from '../seeded-random.ts';
import type { Palette } from './palettes.ts';

export const WIDTH = 800;
export const HEIGHT = 600;

/** What a motif draws from: a product's own words, its colours, and chance that is the same every time. */
export interface Art {
  title: string;
  /** The part of the name after the title: an edition, a duration, an amount; may be empty. */
  detail: string;
  category: string;
  colours: Palette;
  random: SeededRandom;
}

export type Motif = (art: Art) => string;
export type Point = readonly [x: number, y: number];

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (found) => entities[found] ?? found);

/** A point at a distance from another; the angle in radians, clockwise from the right. */
export const around = ([x, y]: Point, angle: number, reach: number): Point => [
  x + Math.cos(angle) * reach,
  y + Math.sin(angle) * reach,
];

/** A coordinate as short as the eye allows. */
export const short = (value: number): number => Math.round(value * 10) / 10;

/** `share` 0 is the first colour, 1 the second; both as #rrggbb. */
export function mix(first: string, second: string, share: number): string {
  const channel = (from: number) => {
    const [a, b] = [first, second].map((colour) => Number.parseInt(colour.slice(from, from + 2), 16));
    return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** `corners` are numbers to be computed with, or an SVG list of points as it stands. */
export function polygon(corners: readonly Point[] | string, attributes: string): string {
  const list =
    typeof corners === 'string' ? corners : corners.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
  return `<polygon points="${list}" ${attributes}/>`;
}

export const circle = (x: number, y: number, radius: number, attributes: string): string =>
  `<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" ${attributes}/>`;

export const rect = (x: number, y: number, width: number, height: number, attributes: string): string =>
  `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${attributes}/>`;

export const path = (commands: string, attributes: string): string => `<path d="${commands}" ${attributes}/>`;

export const group = (attributes: string, ...parts: string[]): string =>
  `<g ${attributes}>${parts.join('')}</g>`;

export const fill = (colour: string, opacity = 1): string =>
  `fill="${colour}"${opacity === 1 ? '' : ` opacity="${short(opacity * 100) / 100}"`}`;

export const stroke = (colour: string, width: number, opacity = 1): string =>
  `fill="none" stroke="${colour}" stroke-width="${width}"${opacity === 1 ? '' : ` opacity="${short(opacity * 100) / 100}"`}`;

/** The commands of a path, their numbers no longer than the eye can tell apart. */
export const d = (strings: TemplateStringsArray, ...values: (number | string)[]): string =>
  String.raw({ raw: strings }, ...values.map((value) => (typeof value === 'number' ? short(value) : value)));

/** `count` drawings, each told its place in the row. */
export const repeat = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('');

const stop = (colour: string, offset: number, opacity = 1) =>
  `<stop offset="${short(offset * 100)}%" stop-color="${colour}"${opacity === 1 ? '' : ` stop-opacity="${opacity}"`}/>`;

/** A gradient to be used as `url(#id)`; the colours spread evenly, from the top unless `across`. */
export function linear(id: string, colours: readonly string[], across = false): string {
  const stops = colours.map((colour, index) => stop(colour, index / (colours.length - 1))).join('');
  return `<linearGradient id="${id}" x1="0" y1="0" ${across ? 'x2="1" y2="1"' : 'x2="0" y2="1"'}>${stops}</linearGradient>`;
}

export const backdrop = (colours: readonly string[], across = false): string =>
  `${linear('backdrop', colours, across)}${rect(0, 0, WIDTH, HEIGHT, 'fill="url(#backdrop)"')}`;

/** A soft light. */
export function glow(x: number, y: number, radius: number, colour: string, opacity: number): string {
  const id = `glow${Math.round(x)}-${Math.round(y)}-${Math.round(radius)}`;
  return (
    `<radialGradient id="${id}">${stop(colour, 0, opacity)}${stop(colour, 0.45, short(opacity * 4) / 10)}${stop(colour, 1, 0)}</radialGradient>` +
    circle(x, y, radius, `fill="url(#${id})"`)
  );
}

/** Darkens towards the bottom (or, with `top`, the top) so that words over a picture can be read. */
export function scrim(colour: string, height: number, opacity: number, top = false): string {
  const stops = top
    ? stop(colour, 0, opacity) + stop(colour, 1, 0)
    : stop(colour, 0, 0) + stop(colour, 1, opacity);
  return (
    `<linearGradient id="scrim" x1="0" y1="0" x2="0" y2="1">${stops}</linearGradient>` +
    rect(0, top ? 0 : HEIGHT - height, WIDTH, height, 'fill="url(#scrim)"')
  );
}

/** Dots strewn over a part of the picture, some brighter than others. */
export const scatter = (
  random: SeededRandom,
  count: number,
  where: {
    x?: [low: number, high: number];
    y: [low: number, high: number];
    radius?: [low: number, high: number];
  },
  attributes: string,
): string => {
  const { x = [0, WIDTH], y, radius = [0.7, 2.4] } = where;
  const dot = () =>
    circle(
      random.between(...x),
      random.between(...y),
      random.between(...radius),
      `opacity="${random.whole(25, 95) / 100}"`,
    );
  return group(attributes, repeat(count, dot));
};

/** A jagged skyline down to the bottom edge: summits and passes in turn, then midpoint displacement. */
export function ridge(random: SeededRandom, y: number, roughness: number, attributes: string): string {
  const first = random.whole(0, 1);
  const summits = random.whole(6, 9);
  let heights = Array.from(
    { length: summits },
    (_, index) => y + ((index + first) % 2 === 0 ? 1 : -1) * random.between(0.1, 0.8) * roughness,
  );
  for (let spread = roughness * 0.3; heights.length < 40; spread *= 0.5) {
    heights = heights.flatMap((height, index) => {
      const next = heights[index + 1];
      return next === undefined ? [height] : [height, (height + next) / 2 + random.between(-1, 1) * spread];
    });
  }
  const top = heights.map((height, index): Point => [(index / (heights.length - 1)) * WIDTH, height]);
  return polygon([...top, [WIDTH, HEIGHT], [0, HEIGHT]], attributes);
}

/** A rolling skyline down to the bottom edge: one long wave from `left` to `right`. */
export const hill = (left: number, crest: number, right: number, attributes: string): string =>
  path(`M0 ${left}C220 ${crest} 460 ${crest + 10} 800 ${right}V600H0Z`, attributes);
