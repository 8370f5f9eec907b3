import {
  around,
  backdrop,
  circle,
  d,
  fill,
  glow,
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

const windowFrame = (x: number, y: number, width: number, height: number, paper: string, bar: string) =>
  rect(x, y + 16, width, height, 'rx="20" fill="#000" opacity=".22"') +
  rect(x, y, width, height, `rx="20" fill="${paper}"`) +
  path(d`M${x} ${y + 44}v-24a20 20 0 0 1 20 -20h${width - 40}a20 20 0 0 1 20 20v24Z`, fill(bar)) +
  ['#ff6b5e', '#ffc24b', '#4fce6a']
    .map((colour, index) => circle(x + 28 + index * 26, y + 22, 8, fill(colour)))
    .join('');

/** A letter, a table and a slide, one over the other. */
export const sheet: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const grid = repeat(7, (row) =>
    repeat(5, (column) =>
      rect(
        356 + column * 78,
        132 + row * 34,
        74,
        30,
        fill(row === 0 ? mix(light, paper, 0.2) : column === 0 ? mix(paper, light, 0.35) : paper),
      ),
    ),
  );
  const bars = repeat(5, (index) => {
    const tall = random.between(40, 128);
    return rect(566 + index * 34, 330 - tall, 22, tall, `rx="4" fill="${index === 3 ? accent : base}"`);
  });
  const textLines = repeat(8, (index) =>
    rect(212, 196 + index * 24, index % 4 === 3 ? 96 : 172, 9, `rx="4.5" fill="${mix(light, paper, 0.35)}"`),
  );
  return (
    backdrop([base, deep, night], true) +
    circle(690, 60, 300, fill(light, 0.14)) +
    windowFrame(340, 70, 420, 306, mix(paper, light, 0.16), mix(light, paper, 0.4)) +
    grid +
    rect(546, 186, 196, 164, `rx="12" fill="#fff"`) +
    bars +
    group(
      'transform="rotate(-5 296 260)"',
      rect(184, 124, 230, 270, 'rx="10" fill="#000" opacity=".18" transform="translate(4 12)"'),
      rect(184, 118, 230, 270, 'rx="10" fill="#fff"'),
      rect(212, 148, 120, 18, `rx="9" fill="${base}"`),
      textLines,
    ) +
    plan(art, { width: 690, largest: 62, maxLines: 1, labelled: false })
  );
};

/** Light through the blades of a lens. */
export const aperture: Motif = (art) => {
  const { night, deep, base, light, accent } = art.colours;
  const [x, y] = [540, 226];
  const blades = repeat(7, (index) => {
    const at = (angle: number, reach: number) => around([x, y], angle, reach);
    const turn = (index / 7) * Math.PI * 2;
    return polygon(
      [at(turn, 74), at(turn + 0.9, 74), at(turn + 1.62, 186), at(turn + 0.98, 196), at(turn + 0.4, 190)],
      `fill="${mix('#20262f', base, 0.18 + ((index * 3) % 7) * 0.1)}" stroke="#12161c" stroke-width="2"`,
    );
  });
  return (
    backdrop([deep, night], true) +
    glow(x, y, 430, '#ff8b5c', 0.5) +
    glow(x + 120, y - 90, 300, accent, 0.5) +
    circle(x, y, 214, fill('#0a0d12')) +
    circle(x, y, 206, stroke(base, 3)) +
    circle(x, y, 196, fill('#161b23')) +
    linear('light', ['#ffd9a0', '#ff7d6b', '#8a5bff', accent], true) +
    circle(x, y, 84, 'fill="url(#light)"') +
    blades +
    repeat(40, (index) =>
      rect(
        x - 1.5,
        y - 212,
        3,
        index % 5 === 0 ? 14 : 7,
        `fill="${light}" opacity=".7" transform="rotate(${index * 9} ${x} ${y})"`,
      ),
    ) +
    circle(x - 70, y - 84, 34, fill('#fff', 0.12)) +
    plan(art, { width: 320, largest: 66 })
  );
};

/** A shield that has been checked, and what it keeps out. */
export const shield: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const [x, y] = [556, 214];
  const rings = repeat(5, (index) =>
    circle(
      x,
      y,
      110 + index * 62,
      `fill="none" stroke="${light}" stroke-width="2" stroke-dasharray="${random.whole(60, 240)} ${random.whole(14, 60)}" opacity="${(6 - index) / 11}"`,
    ),
  );
  const pests = repeat(9, () => {
    const [px, py] = around([x, y], random.between(-2.9, 1.5), random.between(190, 300));
    return group(
      `transform="translate(${px} ${py}) rotate(${random.whole(0, 90)})" fill="${accent}"`,
      rect(-11, -11, 22, 22, 'rx="7"'),
      rect(-20, -3, 40, 6, 'rx="3"'),
      rect(-3, -20, 6, 40, 'rx="3"'),
    );
  });
  return (
    backdrop([base, deep, night], true) +
    rings +
    pests +
    glow(x, y, 260, light, 0.7) +
    linear('steel', [paper, light]) +
    path('M556 70q60 40 130 38q6 160 -130 236q-136 -76 -130 -236q70 2 130 -38Z', 'fill="url(#steel)"') +
    path('M556 70q60 40 130 38q6 160 -130 236Z', fill(base, 0.28)) +
    path(
      'M500 208l42 42l76 -84',
      `fill="none" stroke="${deep}" stroke-width="26" stroke-linecap="round" stroke-linejoin="round"`,
    ) +
    plan(art, { width: 340, largest: 62 })
  );
};
