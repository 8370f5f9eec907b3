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
  rect,
  repeat,
  scatter,
  stroke,
} from './drawing.ts';
import { plan } from './titles.ts';

/** The world as wires, and a lock on it. */
export const globe: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const [x, y, radius] = [584, 236, 196];
  const meridians = repeat(
    5,
    (index) => `<ellipse cx="${x}" cy="${y}" rx="${(radius * index) / 5}" ry="${radius}"/>`,
  );
  const parallels = repeat(5, (index) => {
    const height = (index - 2) * 62;
    const half = Math.sqrt(radius ** 2 - height ** 2);
    return path(d`M${x - half} ${y + height}H${x + half}`, '');
  });
  const places = Array.from({ length: 9 }, () =>
    around([x, y], random.between(0, Math.PI * 2), random.between(60, 170)),
  );
  const routes = places
    .map(([px, py]) =>
      path(d`M${x} ${y}Q${(x + px) / 2} ${Math.min(y, py) - 70} ${px} ${py}`, stroke(accent, 2.5, 0.8)),
    )
    .join('');
  return (
    backdrop([base, deep, night], true) +
    scatter(random, 50, { y: [0, 600] }, fill(paper)) +
    glow(x, y, 360, light, 0.55) +
    linear('sea', [mix(base, light, 0.3), night], true) +
    circle(x, y, radius, 'fill="url(#sea)"') +
    group(
      `fill="none" stroke="${light}" stroke-width="1.8" opacity=".7" transform="rotate(-14 ${x} ${y})"`,
      circle(x, y, radius, ''),
      meridians,
      parallels,
    ) +
    routes +
    places
      .map(([px, py]) => circle(px, py, 5, `${fill(night)} stroke="${accent}" stroke-width="4"`))
      .join('') +
    rect(x - 62, y - 28, 124, 104, `rx="20" fill="${paper}"`) +
    path(d`M${x - 36} ${y - 28}v-26a36 36 0 0 1 72 0v26`, stroke(paper, 18)) +
    circle(x, y + 16, 13, fill(deep)) +
    rect(x - 5, y + 20, 10, 28, `rx="5" fill="${deep}"`) +
    plan(art, { largest: 70 })
  );
};

/** Straight through, and nobody looks in. */
export const tunnel: Motif = (art) => {
  const { random } = art;
  const { night, deep, light, accent, paper } = art.colours;
  const arches = repeat(11, (index) => {
    const size = 470 * 0.76 ** index;
    return rect(
      520 - size,
      230 - size * 0.86,
      size * 2,
      size * 1.72,
      `rx="${size * 0.5}" fill="${mix(deep, light, index / 11)}" transform="rotate(${index * 5} 520 230)"`,
    );
  });
  const beams = repeat(18, () => {
    const angle = random.between(0, Math.PI * 2);
    const [x1, y1] = around([520, 230], angle, random.between(60, 160));
    const [x2, y2] = around([520, 230], angle, random.between(220, 480));
    const colour = random.pick([paper, accent]);
    return path(
      d`M${x1} ${y1}L${x2} ${y2}`,
      `${stroke(colour, 3, random.between(0.3, 0.9))} stroke-linecap="round"`,
    );
  });
  return (
    backdrop([night, deep], true) +
    arches +
    glow(520, 230, 170, paper, 0.95) +
    beams +
    `<linearGradient id="left"><stop offset="0" stop-color="${night}" stop-opacity=".95"/><stop offset="1" stop-color="${night}" stop-opacity="0"/></linearGradient>` +
    rect(0, 0, 560, 600, 'fill="url(#left)"') +
    plan(art, { width: 380, largest: 68 })
  );
};

/** A chip on its card, and the islands it talks to. */
export const signal: Motif = (art) => {
  const { random } = art;
  const { deep, base, light, accent, paper } = art.colours;
  const island = (x: number, y: number, size: number) =>
    `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${size * 0.34}" fill="${mix(light, accent, 0.6)}"/>` +
    path(
      d`M${x - size * 0.7} ${y}q${size * 0.3} -${size * random.between(0.5, 0.9)} ${size * 0.7} -${size * 0.5}t${size * 0.7} ${size * 0.5}Z`,
      fill(mix(base, deep, 0.35)),
    );
  const arcs = repeat(4, (index) =>
    path(
      d`M${520 - 70 - index * 46} 116a${86 + index * 58} ${86 + index * 58} 0 0 1 ${140 + index * 92} 0`,
      `fill="none" stroke="${paper}" stroke-width="11" stroke-linecap="round" opacity="${1 - index * 0.22}" transform="translate(40 ${-index * 12 + 24})"`,
    ),
  );
  const chip =
    rect(500, 196, 120, 96, `rx="14" fill="${accent}"`) +
    path('M500 228h36v32h-36M620 228h-36v32h36M536 196v96M584 196v96M536 244h48', stroke(deep, 4));
  return (
    backdrop([deep, base, light, paper]) +
    glow(560, 180, 380, accent, 0.6) +
    linear('strait', [base, deep]) +
    rect(0, 380, 800, 220, 'fill="url(#strait)"') +
    island(720, 452, 92) +
    island(560, 520, 64) +
    group(
      'transform="rotate(8 560 250)"',
      path(
        'M446 168a26 26 0 0 1 26 -26h122l80 72v166a26 26 0 0 1 -26 26h-176a26 26 0 0 1 -26 -26Z',
        fill(paper),
      ),
      chip,
      rect(482, 322, 120, 14, `rx="7" fill="${light}"`),
      rect(482, 350, 80, 14, `rx="7" fill="${mix(light, paper, 0.5)}"`),
    ) +
    arcs +
    plan(art, { width: 420, largest: 58 })
  );
};
