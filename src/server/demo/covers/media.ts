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
  scatter,
  scrim,
  stroke,
} from './drawing.ts';
import { fit, lines, words } from './typeset.ts';

/** A record half out of its sleeve; on the sleeve, rain before a moon. */
export const sleeve: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const rain = repeat(70, () => {
    const [x, y] = [random.between(80, 560), random.between(70, 520)];
    return path(d`M${x} ${y}l-12 40`, '');
  });
  const grooves = repeat(11, (index) =>
    circle(566, 300, 74 + index * 13, stroke(mix('#10151b', base, 0.5), 1.4)),
  );
  const title = fit(art.title, { width: 370, lines: 2, largest: 62 });
  return (
    backdrop([mix(paper, light, 0.35), mix(paper, light, 0.75)], true) +
    circle(570, 312, 222, fill('#000', 0.18)) +
    circle(566, 300, 220, fill('#10151b')) +
    grooves +
    path('M566 300L720 146A218 218 0 0 1 772 228Z', fill('#fff', 0.1)) +
    path('M566 300L412 454A218 218 0 0 0 490 506Z', fill('#fff', 0.06)) +
    circle(566, 300, 62, fill(accent)) +
    circle(566, 300, 9, fill(paper)) +
    rect(78, 76, 464, 464, 'rx="6" fill="#000" opacity=".25"') +
    `<clipPath id="sleeve">${rect(70, 64, 464, 464, 'rx="6"')}</clipPath>` +
    linear('night', [night, deep, base]) +
    group(
      'clip-path="url(#sleeve)"',
      rect(70, 64, 464, 464, 'fill="url(#night)"'),
      glow(330, 236, 220, accent, 0.7),
      circle(330, 236, 96, fill(mix(accent, paper, 0.45))),
      path('M70 330q60 -30 120 -4t130 -14t120 8t100 -16v240H70Z', fill(mix(base, deep, 0.5))),
      path('M70 372q110 -34 220 -2t250 -16v180H70Z', fill(deep)),
      path('M70 418q130 -26 240 2t230 -10v120H70Z', fill(night)),
      group(`stroke="${paper}" stroke-width="2" stroke-linecap="round" opacity=".5"`, rain),
    ) +
    lines(title, {
      x: 104,
      y: 462 - (title.lines.length - 1) * title.size * 1.08,
      ink: paper,
      tracking: -0.01,
    }) +
    words(art.detail.toUpperCase(), {
      x: 106,
      y: 502,
      size: 17,
      ink: accent,
      weight: 700,
      tracking: 0.18,
    })
  );
};

/** A film's poster: one boat, a setting sun, its path on the water. */
export const poster: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const glitter = repeat(40, (index) => {
    const y = 372 + index * 5;
    const half = random.between(14, 40 + index * 3.4);
    return rect(
      400 - half + random.between(-26, 26),
      y,
      half * 2,
      2.6,
      `rx="1.3" fill="${accent}" opacity="${random.whole(3, 8) / 10}"`,
    );
  });
  const ferry =
    polygon('232,356 500,356 470,396 262,396', fill(night)) +
    rect(276, 322, 186, 36, fill(mix(night, deep, 0.6))) +
    rect(306, 292, 120, 32, fill(night)) +
    polygon('374,292 382,236 414,236 408,292', fill(deep)) +
    rect(380, 246, 33, 10, fill(accent)) +
    repeat(7, (index) => circle(292 + index * 26, 340, 6, fill(accent))) +
    path(
      'M396 232q26 -30 10 -58t22 -60',
      `fill="none" stroke="${night}" stroke-width="16" stroke-linecap="round" opacity=".35"`,
    ) +
    path('M318 292v-54M318 240l-40 46', stroke(night, 4));
  return (
    backdrop([night, deep, base, light]) +
    scatter(random, 40, { y: [34, 170] }, fill(paper)) +
    glow(400, 360, 360, accent, 0.85) +
    circle(400, 356, 138, fill(accent)) +
    linear('water', [mix(base, deep, 0.35), night]) +
    rect(0, 372, 800, 228, 'fill="url(#water)"') +
    glitter +
    ferry +
    scrim(night, 210, 0.9) +
    words(art.title.toUpperCase(), {
      x: 400,
      y: 526,
      size: fit(art.title.toUpperCase(), { width: 640, lines: 1, largest: 64, tracking: 0.14 }).size,
      ink: paper,
      font: 'serif',
      anchor: 'middle',
      weight: 700,
      tracking: 0.14,
    }) +
    words(art.detail.toUpperCase(), {
      x: 400,
      y: 566,
      size: 19,
      ink: accent,
      anchor: 'middle',
      weight: 700,
      tracking: 0.4,
    }) +
    rect(0, 0, 800, 34, fill('#000'))
  );
};
