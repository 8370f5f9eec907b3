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

/** A dark hall, a bright screen, and the heads in front of it. */
export const cinema: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const folds = (left: number) =>
    repeat(7, (index) =>
      rect(left + index * 22, 0, 24, 600, fill(mix(base, deep, index % 2 === 0 ? 0.15 : 0.7))),
    );
  const scene =
    `<clipPath id="screen">${rect(190, 62, 470, 264, 'rx="6"')}</clipPath>` +
    linear('picture', [accent, light, base]) +
    group(
      'clip-path="url(#screen)"',
      rect(190, 62, 470, 264, 'fill="url(#picture)"'),
      circle(520, 210, 70, fill(paper)),
      path('M190 270Q300 190 400 262T660 236V340H190Z', fill(base)),
      path('M190 300Q330 246 470 300T660 282V340H190Z', fill(deep)),
      path('M300 300l16 -44l6 -2l4 -12a9 9 0 1 1 10 0l4 12l8 4l12 42Z', fill(night)),
    );
  const row = (y: number, size: number, shift: number, colour: string) =>
    group(
      fill(colour),
      repeat(
        10,
        (index) =>
          circle(shift + index * size * 2.5, y - size * (0.6 + random.between(0, 0.25)), size * 0.62, '') +
          rect(shift + index * size * 2.5 - size, y, size * 2, 400, `rx="${size * 0.5}"`),
      ),
    );
  return (
    backdrop([deep, night]) +
    folds(0) +
    folds(650) +
    rect(154, 0, 496, 600, fill(night)) +
    glow(425, 200, 430, light, 0.55) +
    scene +
    row(400, 34, 20, mix(deep, night, 0.45)) +
    row(462, 44, -20, mix(deep, night, 0.75)) +
    rect(0, 486, 800, 114, fill(night, 0.82)) +
    plan(art, { ink: paper, pill: base, pillInk: paper, width: 640, largest: 60 })
  );
};

/** A song as bars around a turning disc. */
export const equalizer: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent } = art.colours;
  const [x, y] = [570, 236];
  const bars = repeat(60, (index) => {
    const loud =
      26 +
      Math.abs(Math.sin(index * 0.42) * 52) +
      Math.abs(Math.sin(index * 1.3)) * 34 +
      random.between(0, 22);
    return rect(
      x - 5,
      y - 152 - loud,
      10,
      loud,
      `rx="5" transform="rotate(${index * 6} ${x} ${y})" fill="${mix(light, accent, index / 60)}"`,
    );
  });
  const grooves = repeat(6, (index) => circle(x, y, 62 + index * 14, stroke(base, 1.5, 0.55)));
  return (
    backdrop([base, deep, night], true) +
    glow(x, y, 400, light, 0.5) +
    bars +
    circle(x, y, 140, fill(night)) +
    grooves +
    path(
      d`M${x - 128} ${y - 40}A134 134 0 0 1 ${x - 40} ${y - 128}L${x - 14} ${y - 46}A48 48 0 0 0 ${x - 46} ${y - 14}Z`,
      fill('#fff', 0.1),
    ) +
    circle(x, y, 52, fill(light)) +
    path(
      d`M${x - 13} ${y - 22}v44l38 -22Z`,
      `fill="${night}" stroke="${night}" stroke-width="6" stroke-linejoin="round"`,
    ) +
    plan(art, { width: 400, largest: 60 })
  );
};

/** A video in its window, and the ones that come next. */
export const player: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const next = repeat(3, (index) => {
    const y = 92 + index * 104;
    return (
      rect(632, y, 140, 82, `rx="12" fill="${[light, accent, base][index]}"`) +
      path(
        d`M632 ${y + 66}q40 -${random.between(20, 46)} 70 -8t70 -14v26a12 12 0 0 1 -12 12h-116a12 12 0 0 1 -12 -12Z`,
        fill(deep, 0.45),
      ) +
      path(d`M694 ${y + 28}v26l22 -13Z`, fill('#fff'))
    );
  });
  return (
    backdrop([paper, mix(paper, light, 0.45)], true) +
    circle(110, 90, 180, fill(light, 0.25)) +
    rect(92, 74, 520, 312, `rx="26" fill="${night}" opacity=".16" transform="translate(0 14)"`) +
    linear('video', [accent, light, base]) +
    rect(92, 74, 520, 312, 'rx="26" fill="url(#video)"') +
    circle(470, 168, 46, fill(paper, 0.9)) +
    path(
      'M92 330Q200 210 300 300T470 270T612 310V360a26 26 0 0 1 -26 26H118a26 26 0 0 1 -26 -26Z',
      fill(deep),
    ) +
    circle(352, 214, 66, fill(paper)) +
    polygon(
      '334,182 334,246 388,214',
      `fill="${base}" stroke="${base}" stroke-width="10" stroke-linejoin="round"`,
    ) +
    rect(122, 350, 460, 8, 'rx="4" fill="#fff" opacity=".35"') +
    rect(122, 350, 214, 8, `rx="4" fill="${paper}"`) +
    circle(336, 354, 11, fill(paper)) +
    next +
    plan(art, { ink: night, pill: base, pillInk: paper, width: 660, largest: 62 })
  );
};
