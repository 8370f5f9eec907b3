import {
  backdrop,
  circle,
  d,
  fill,
  group,
  linear,
  type Motif,
  mix,
  path,
  polygon,
  rect,
  repeat,
  stroke,
} from './drawing.ts';
import { plan } from './titles.ts';

// Strokes on a grid of 24 units, drawn for this cover.
const icons = [
  'M12 3v18M5 10q0 -6 7 -7q7 1 7 7M5 10h14',
  'M4 12l8 -8l8 8v8H4ZM10 20v-6h4v6',
  'M12 20C2 13 4 5 9 5q2 0 3 3q1 -3 3 -3c5 0 7 8 -3 15Z',
  'M4 17q4 -4 8 0t8 0M4 12q4 -4 8 0t8 0M12 3v4',
  'M12 4l2.4 5.2l5.6 .6l-4.2 3.8l1.2 5.6l-5 -2.9l-5 2.9l1.2 -5.6l-4.2 -3.8l5.6 -.6Z',
  'M5 19C5 9 11 5 20 4C20 13 16 19 8 18M5 19q4 -6 9 -9',
  'M12 8a4 4 0 1 0 .1 0M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  'M4 8h16v11H4ZM8 8q0 -4 4 -4t4 4M9 13h6',
  'M3 12q9 -9 16 0q-7 9 -16 0ZM19 12l3 -4v8ZM8 11v.6',
  'M6 4h12v16l-6 -4l-6 4Z',
  'M7 3h10v4q0 6 -5 7q-5 -1 -5 -7ZM12 14v5M8 21h8',
  'M12 3q-2 5 -6 7q4 2 6 11q2 -9 6 -11q-4 -2 -6 -7Z',
] as const;

/** A sheet of small drawings on one grid. */
export const iconSheet: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const tiles = repeat(18, (index) => {
    const [x, y] = [70 + (index % 6) * 114, 44 + Math.floor(index / 6) * 114];
    const [fill, ink] = random.pick([
      [paper, deep],
      [mix(base, light, 0.3), paper],
      [accent, night],
      [mix(deep, base, 0.45), light],
    ]);
    const icon = icons[(index * 5) % icons.length] ?? icons[0];
    return (
      rect(x, y, 98, 98, `rx="26" fill="${fill}"`) +
      group(
        `transform="translate(${x + 19} ${y + 19}) scale(2.5)" fill="none" stroke="${ink}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"`,
        path(icon, ''),
      )
    );
  });
  return (
    backdrop([base, deep], true) +
    circle(720, 560, 260, fill(night, 0.25)) +
    tiles +
    plan(art, { width: 640, largest: 62, maxLines: 1, labelled: false })
  );
};

/** Drawers and racks that click together, layer by layer. */
export const blocks: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const box = (x: number, y: number, half: number, tall: number, tint: string) => {
    const rise = half * 0.56;
    const top = (inset: number) =>
      d`M${x} ${y - rise + inset * 0.56}l${half - inset} ${rise - inset * 0.56}l${inset - half} ${rise - inset * 0.56}l${inset - half} ${inset * 0.56 - rise}Z`;
    const layers = repeat(Math.floor(tall / 7), (layer) =>
      path(d`M${x - half} ${y + layer * 7}l${half} ${rise}l${half} ${-rise}`, stroke('#000', 1.2, 0.1)),
    );
    return (
      path(d`M${x - half} ${y}l${half} ${rise}v${tall}l${-half} ${-rise}Z`, fill(tint)) +
      path(d`M${x + half} ${y}l${-half} ${rise}v${tall}l${half} ${-rise}Z`, fill(mix(tint, night, 0.35))) +
      path(top(0), fill(mix(tint, '#ffffff', 0.4))) +
      path(top(23), fill(mix(tint, night, 0.55))) +
      layers
    );
  };
  const pen = (x: number, y: number, tall: number, colour: string, lean: number) =>
    group(
      `transform="rotate(${lean} ${x} ${y})"`,
      rect(x - 7, y - tall, 14, tall, `rx="4" fill="${colour}"`),
      path(d`M${x - 7} ${y - tall}h14l-7 -22Z`, fill('#f3dfc0')),
    );
  return (
    backdrop([paper, light], true) +
    linear('bed', [mix(light, base, 0.4), mix(light, base, 0.15)]) +
    polygon('430,150 780,316 430,486 80,316', 'fill="url(#bed)"') +
    repeat(9, (index) =>
      path(
        d`M${80 + index * 39} ${316 + index * 19}L${430 + index * 39} ${150 + index * 18.5}M${430 - index * 39} ${150 + index * 18.5}L${780 - index * 39} ${316 + index * 19}`,
        'stroke="#fff" stroke-width="1.5" opacity=".35"',
      ),
    ) +
    box(430, 190, 92, 74, accent) +
    pen(412, 196, 120, '#e4573a', -6) +
    pen(446, 190, 136, deep, 5) +
    pen(430, 204, 96, '#f0b23e', 1) +
    box(556, 266, 84, 48, base) +
    box(306, 262, 84, 104, mix(accent, '#ffffff', 0.3)) +
    box(432, 336, 92, 40, mix(base, '#e4573a', 0.55)) +
    plan(art, {
      ink: night,
      pill: accent,
      pillInk: '#ffffff',
      width: 640,
      largest: 58,
      maxLines: 1,
      labelled: false,
    })
  );
};
