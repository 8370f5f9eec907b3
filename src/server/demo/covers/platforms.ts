import {
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

/** A controller, leaning, over rings of light. */
export const gamepad: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const turn = random.between(-16, -8);
  const rings = repeat(6, (index) => circle(520, 206, 150 + index * 74, stroke(light, 2, (7 - index) / 14)));
  const button = (x: number, y: number, colour: string) =>
    circle(x, y, 17, fill(colour)) + circle(x - 4, y - 5, 5, fill('#fff', 0.45));
  const stick = (x: number, y: number) =>
    circle(x, y, 40, fill(night)) +
    circle(x, y, 28, fill(mix(deep, night, 0.3))) +
    circle(x, y - 3, 19, fill(mix(deep, base, 0.35)));
  const pad = group(
    `transform="translate(530 190) rotate(${turn}) scale(0.96)"`,
    path(
      'M-112 -96q-74 0 -98 76l-38 138q-16 70 34 74q28 2 50 -28l46 -62h236l46 62q22 30 50 28q50 -4 34 -74l-38 -138q-24 -76 -98 -76Z',
      'fill="url(#shell)"',
    ),
    path(
      'M-112 -96q-74 0 -98 76l-8 28q40 -66 112 -66h212q72 0 112 66l-8 -28q-24 -76 -98 -76Z',
      fill('#fff', 0.16),
    ),
    rect(-152, -40, 22, 72, `rx="6" fill="${night}"`) + rect(-177, -15, 72, 22, `rx="6" fill="${night}"`),
    button(140, -44, accent) +
      button(140, 32, light) +
      button(102, -6, paper) +
      button(178, -6, mix(light, accent, 0.5)),
    stick(-62, 52) + stick(62, 52),
    circle(0, -36, 20, fill(night)) + circle(0, -36, 12, fill(accent)),
  );
  return (
    backdrop([deep, night], true) +
    glow(520, 206, 430, base, 0.95) +
    rings +
    linear('shell', [mix(paper, light, 0.25), mix(light, base, 0.5)]) +
    `<ellipse cx="520" cy="404" rx="210" ry="20" fill="${night}" opacity=".45"/>` +
    pad +
    plan(art, { width: 690, largest: 62, maxLines: 1 })
  );
};

/** Directions, sticks and buttons as plain geometry, cropped close. */
export const dpad: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const [x, y] = [560, 204];
  const dots = repeat(9, (row) =>
    repeat(15, (column) =>
      circle(330 + column * 34, 20 + row * 50, 2.4, fill(light, random.whole(15, 60) / 100)),
    ),
  );
  const arm = (angle: number) =>
    group(
      `transform="rotate(${angle} ${x} ${y})"`,
      path(d`M${x - 42} ${y - 136}q0 -22 22 -22h40q22 0 22 22v62l-42 46l-42 -46Z`, 'fill="url(#arm)"'),
      path(d`M${x} ${y - 138}l14 24h-28Z`, fill(paper, 0.85)),
    );
  return (
    backdrop([base, deep, night], true) +
    dots +
    glow(x, y, 360, light, 0.55) +
    linear('arm', [paper, mix(light, base, 0.35)]) +
    circle(x, y, 186, fill(night, 0.35)) +
    circle(
      x,
      y,
      186,
      `fill="none" stroke="${accent}" stroke-width="5" stroke-dasharray="${random.between(240, 620)} 2000" stroke-linecap="round" transform="rotate(-90 ${x} ${y})"`,
    ) +
    [0, 90, 180, 270].map(arm).join('') +
    plan(art, { width: 690, largest: 62, maxLines: 1 })
  );
};

/** A conversation in round shapes: a wave of the hand, a gem, somebody typing. */
export const bubbles: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const bubble = (x: number, y: number, width: number, height: number, colour: string, left: boolean) =>
    rect(x, y, width, height, `rx="${height / 2.4}" ${fill(colour)}`) +
    path(
      left
        ? `M${x + 40} ${y + height - 8}q-8 40 -44 48q30 4 84 -34Z`
        : `M${x + width - 40} ${y + height - 8}q8 40 44 48q-30 4 -84 -34Z`,
      fill(colour),
    );
  const face =
    circle(506, 146, 46, fill(accent)) +
    circle(490, 136, 6, fill(night)) +
    circle(522, 136, 6, fill(night)) +
    path('M484 156q22 26 44 0Z', fill(night));
  const gem =
    polygon('640,318 676,286 724,286 760,318 700,392', fill(mix(accent, paper, 0.35))) +
    polygon('640,318 760,318 700,392', fill(accent)) +
    polygon('676,286 724,286 700,318', fill('#fff', 0.6));
  const sparkles = repeat(16, () => {
    const [x, y, size] = [random.between(300, 780), random.between(30, 420), random.between(4, 12)];
    const tip = d`q0 ${size} ${size} ${size}q${-size} 0 ${-size} ${size}q0 ${-size} ${-size} ${-size}q${size} 0 ${size} ${-size}`;
    return path(d`M${x} ${y - size}${tip}`, fill(paper, random.between(0.3, 0.8)));
  });
  return (
    backdrop([base, deep, night], true) +
    circle(720, 60, 260, fill(light, 0.16)) +
    circle(360, 20, 160, fill(light, 0.12)) +
    bubble(430, 76, 300, 140, paper, true) +
    face +
    rect(574, 122, 120, 16, `rx="8" fill="${light}"`) +
    rect(574, 152, 78, 16, `rx="8" fill="${mix(light, paper, 0.45)}"`) +
    bubble(520, 262, 236, 150, mix(base, light, 0.55), false) +
    [556, 586, 616].map((x, index) => circle(x, 337, 9, fill(paper, 0.5 + index * 0.25))).join('') +
    gem +
    sparkles +
    plan(art, { largest: 72 })
  );
};
