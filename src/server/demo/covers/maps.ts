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
  type Point,
  path,
  polygon,
  repeat,
  scatter,
  scrim,
  stroke,
} from './drawing.ts';
import { logo } from './titles.ts';

const HEX = 46;
const hexCorners = (x: number, y: number, size: number): Point[] =>
  Array.from({ length: 6 }, (_, corner): Point => {
    const [cx, cy] = around([x, y], (Math.PI / 3) * corner + Math.PI / 6, size);
    return [cx, y + (cy - y) * 0.86];
  });

/** A continent in hexagons, a railway across it, its cities lit. */
export const hexes: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const height = (x: number, y: number) =>
    1.9 - Math.abs(y - 190 - Math.sin(x / 130) * 60) / 62 + random.between(-0.5, 0.5);
  const tile = (x: number, y: number) => {
    const level = height(x, y);
    const land = level > 0.1;
    const colour = land
      ? mix(base, light, Math.min(1, level / 2.4))
      : mix(night, deep, Math.max(0, 1 + level / 2.4));
    const lift = land ? 10 + level * 7 : 0;
    return (
      (land ? polygon(hexCorners(x, y, HEX - 2), fill(mix(colour, night, 0.55))) : '') +
      polygon(hexCorners(x, y - lift, HEX - 2), fill(colour))
    );
  };
  const board = repeat(12, (row) =>
    repeat(12, (column) => tile(column * HEX * 1.74 - 50 + (row % 2) * HEX * 0.87, 40 + row * HEX * 1.3)),
  );
  const city = (x: number, y: number) => glow(x, y, 44, accent, 0.9) + circle(x, y, 6, fill(paper));
  const line = 'M96 214L262 258L420 180L590 136L716 152';
  return (
    backdrop([night, deep]) +
    board +
    path(line, `fill="none" stroke="${night}" stroke-width="11" stroke-linejoin="round" opacity=".8"`) +
    path(
      line,
      `fill="none" stroke="${accent}" stroke-width="4" stroke-dasharray="14 7" stroke-linejoin="round"`,
    ) +
    city(96, 214) +
    city(262, 258) +
    city(420, 180) +
    city(590, 136) +
    city(716, 152) +
    scrim(night, 420, 1) +
    logo(art, { bottom: 540, style: { tracking: 0.07 } })
  );
};

/** Blocks of a city seen from above, at the hour when the windows light up. */
export const skyline: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const block = (x: number, y: number, floors: number) => {
    const [tall, shade] = [floors * 22, random.between(0, 0.35)];
    const top = y - tall;
    const window = (floor: number, column: number) =>
      random.next() > 0.45
        ? d`M${x + 9 + column * 15} ${top + 59 + floor * 22 - column * 8.6}l9-5v11l-9 5Z`
        : '';
    const windows = repeat(floors, (floor) => repeat(3, (column) => window(floor, column)));
    return (
      path(d`M${x - 52} ${top + 30}l52 30v${tall}l-52-30Z`, fill(mix(base, deep, 0.15 + shade))) +
      path(d`M${x + 52} ${top + 30}l-52 30v${tall}l52-30Z`, fill(mix(deep, night, 0.25))) +
      path(d`M${x} ${top}l52 30l-52 30l-52-30Z`, fill(mix(light, paper, shade))) +
      path(windows, fill(accent))
    );
  };
  const park = (x: number, y: number) =>
    path(d`M${x} ${y}l52 30l-52 30l-52-30Z`, fill(mix(base, '#8fd06a', 0.6))) +
    scatter(
      random,
      5,
      { x: [x - 26, x + 26], y: [y + 16, y + 38], radius: [6, 11] },
      fill(mix(deep, '#3f9a54', 0.5)),
    );
  const town = repeat(9, (row) =>
    repeat(8, (column) => {
      const [x, y] = [column * 132 - 60 + (row % 2) * 66, 236 + row * 40];
      const tall = Math.max(
        1,
        Math.round(9 - Math.abs(x - 420) / 62 - Math.abs(row - 3) * 0.9 + random.between(-1.6, 1.6)),
      );
      return random.next() > 0.87 ? park(x, y) : block(x, y, tall);
    }),
  );
  return (
    backdrop([mix(accent, paper, 0.35), light, base]) +
    glow(640, 150, 260, paper, 0.9) +
    linear('ground', [base, deep]) +
    polygon('0,260 400,200 800,260 800,600 0,600', 'fill="url(#ground)"') +
    town +
    logo(art, {
      top: 50,
      ink: night,
      detailInk: deep,
      largest: 62,
      style: { tracking: 0.02 },
    })
  );
};

/** What follows a small boat's lamp, far down. */
export const leviathan: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const rays = repeat(6, (index) => {
    const x = 90 + index * 120 + random.between(-30, 30);
    return path(d`M${x} -10h46L${x + 150} 420H${x - 40}Z`, fill(paper, random.between(0.04, 0.08)));
  });
  const beast =
    path(
      'M-40 452C120 300 330 262 520 300C640 324 724 380 770 452C700 470 640 474 560 462C470 540 300 560 150 530C60 520 0 500 -40 452Z',
      fill(mix(night, deep, 0.45)),
    ) +
    path('M770 452C700 470 640 474 560 462C620 440 690 436 770 452Z', fill(night)) +
    path('M330 300C340 240 380 216 420 210C402 246 404 276 424 290Z', fill(mix(night, deep, 0.45))) +
    path('M300 520C290 560 250 584 204 590C236 566 244 540 246 520Z', fill(mix(night, deep, 0.3))) +
    repeat(9, (index) =>
      path(d`M${596 + index * 18} ${458 - index * 1.5}l8 -15l7 14Z`, fill(mix(light, night, 0.45))),
    ) +
    repeat(14, (index) =>
      circle(90 + index * 32, 452 - Math.sin(index / 4.4) * 66, 3.4, fill(light, 0.35 + (index % 3) * 0.22)),
    ) +
    glow(622, 392, 52, accent, 0.9) +
    circle(622, 392, 13, fill(accent)) +
    `<ellipse cx="622" cy="392" rx="3.5" ry="11" fill="${night}"/>`;
  const boat = group(
    'transform="translate(150 214)"',
    polygon('52,4 330,-66 330,110', 'fill="url(#beam)"'),
    path('M-52 0q0 -28 30 -28h44q34 0 34 28t-34 28h-44q-30 0 -30 -28Z', fill(accent)),
    path('M-14 -28l6 -22h26l8 22Z', fill(mix(accent, base, 0.35))),
    circle(26, -2, 13, fill(night)) + circle(26, -2, 8, fill(paper)),
    path('M-52 -16l-20 -12v56l20 -12Z', fill(mix(accent, base, 0.5))),
  );
  return (
    backdrop([light, base, deep, night]) +
    rays +
    `<linearGradient id="beam"><stop offset="0" stop-color="${accent}" stop-opacity=".8"/><stop offset="1" stop-color="${accent}" stop-opacity="0"/></linearGradient>` +
    beast +
    boat +
    scatter(random, 26, { y: [140, 560], radius: [2, 8] }, stroke(paper, 1.6, 0.7)) +
    logo(art, { top: 48, ink: paper, largest: 84, style: { tracking: 0.08 } })
  );
};
