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
  rect,
  repeat,
  ridge,
  scatter,
  scrim,
  stroke,
} from './drawing.ts';
import { logo } from './titles.ts';

/** A ringed giant, its moons, and a hauler on its way. */
export const orbit: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const bands = repeat(9, (index) =>
    rect(
      280,
      220 + index * 50,
      640,
      random.between(12, 34),
      fill(mix(light, deep, random.between(0.1, 0.8)), 0.55),
    ),
  );
  const ring = (half: string) =>
    group(
      `transform="rotate(-16 600 450)" fill="none"`,
      path(d`M215 450A385 76 0 0 ${half} 985 450`, stroke(accent, 20, 0.9)),
      path(d`M175 450A425 92 0 0 ${half} 1025 450`, stroke(light, 6, 0.7)),
    );
  const hauler = group(
    'transform="translate(196 392) rotate(-14)"',
    polygon('-150,-4 0,-12 0,12 -150,4', fill(accent, 0.35)),
    rect(0, -14, 22, 28, fill(light)),
    repeat(3, (index) =>
      rect(26 + index * 34, -20, 30, 40, `rx="3" fill="${mix(accent, base, index * 0.4)}"`),
    ),
    polygon('128,-18 158,-8 168,6 158,14 128,18', fill(paper)),
  );
  return (
    backdrop([night, deep, mix(base, deep, 0.4)], true) +
    scatter(random, 130, { y: [0, 600] }, fill(paper)) +
    glow(600, 450, 400, base, 0.8) +
    ring('1') +
    `<clipPath id="giant">${circle(600, 450, 236, '')}</clipPath>` +
    linear('body', [light, base, night], true) +
    circle(600, 450, 236, 'fill="url(#body)"') +
    group(
      'clip-path="url(#giant)"',
      group('transform="rotate(-16 600 450)"', bands),
      path('M690 230A236 236 0 0 1 836 450A236 236 0 0 1 430 614A300 300 0 0 0 690 230Z', fill(night, 0.42)),
    ) +
    ring('0') +
    circle(300, 300, 17, fill(mix(light, paper, 0.4))) +
    circle(420, 256, 8, fill(accent)) +
    hauler +
    logo(art, { top: 60, largest: 74, style: { tracking: 0.1 } })
  );
};

/** Stars that come down over a spire, and three who watch. */
export const starfall: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const falling = repeat(13, (index) => {
    const [x, y] = [60 + index * 62 + random.between(-24, 24), random.between(30, 330)];
    const length = random.between(70, 210);
    const tail = path(d`M${x} ${y}l${length * 0.62} ${-length}l5 2Z`, fill(accent, random.between(0.3, 0.8)));
    return tail + circle(x, y, random.between(2.5, 5), fill(paper));
  });
  const spire = polygon(
    '354,520 372,360 364,356 384,300 392,180 400,120 408,180 416,300 436,356 428,360 446,520',
    fill(mix(deep, night, 0.5)),
  );
  const watcher = (x: number, tall: number) =>
    circle(x, 436 - tall, 8, '') + path(d`M${x - 15} 446L${x - 6} ${444 - tall}h12L${x + 16} 446Z`, '');
  return (
    backdrop([night, deep, base, mix(light, accent, 0.35)]) +
    scatter(random, 90, { y: [0, 380] }, fill(paper)) +
    glow(400, 200, 300, light, 0.7) +
    falling +
    ridge(random, 380, 60, fill(mix(base, deep, 0.5))) +
    spire +
    circle(400, 172, 7, fill(accent)) +
    glow(400, 172, 70, accent, 0.9) +
    ridge(random, 448, 22, fill(mix(deep, night, 0.55))) +
    group(fill(night), watcher(222, 44), watcher(256, 54), watcher(288, 38)) +
    scrim(night, 220, 0.98) +
    logo(art, { bottom: 552, largest: 62, style: { font: 'serif', weight: 700, tracking: 0.05 } })
  );
};

/** A torn ring of light that somebody has just run through. */
export const rift: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const torn = (radius: number, jag: number) =>
    Array.from({ length: 56 }, (_, index): Point => {
      const [x, y] = around([400, 250], (index / 56) * Math.PI * 2, radius + random.between(-jag, jag));
      return [x + (x - 400) * 0.12, y];
    });
  const shards = repeat(22, () => {
    const [x, y] = around([400, 250], random.between(0, Math.PI * 2), random.between(250, 430));
    const size = random.between(6, 26);
    const look = fill(random.pick([accent, light, base]), random.between(0.4, 0.9));
    return path(d`M${x} ${y}l${size * 0.7} ${size * 1.2}l${size * -0.9} ${size * 0.8}Z`, look);
  });
  const runner = path(
    'M420 214a17 17 0 1 1 34 0a17 17 0 1 1 -34 0ZM424 238l-44 26l-30 -14l-8 12l38 22l26 -12l-8 44l-52 36l-6 44l18 2l6 -34l58 -34l22 30l42 24l10 -14l-38 -24l-24 -48l10 -38l26 22l36 -12l-4 -14l-30 8l-28 -26Z',
    fill(night),
  );
  return (
    backdrop([deep, night], true) +
    glow(400, 250, 460, base, 0.9) +
    shards +
    polygon(torn(236, 30), fill(light)) +
    polygon(torn(206, 20), fill(accent)) +
    polygon(torn(180, 12), fill(paper)) +
    runner +
    scrim(night, 280, 0.98) +
    logo(art, { bottom: 552, largest: 78, style: { tracking: 0.04, attributes: 'font-style="italic"' } })
  );
};

/** A striped sun, a grid to the horizon, two rear lights. */
export const speedway: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const rays = repeat(23, (index) => path(d`M400 372L${(index - 11) * 150 + 400} 600`, ''));
  const rows = repeat(10, (index) => path(d`M0 ${372 + Math.round(228 * ((index + 1) / 10) ** 2)}H800`, ''));
  const stripes = repeat(7, (index) =>
    rect(220, 284 + index * 17, 360, 2 + index * 2, fill(mix(base, light, index * 0.09))),
  );
  const car =
    path('M286 548q-4 -34 22 -40l34 -8l22 -36q36 -10 72 0l22 36l34 8q26 6 22 40Z', fill(night)) +
    path('M352 500l18 -28q30 -7 60 0l18 28Z', fill(mix(accent, deep, 0.45))) +
    rect(298, 518, 62, 9, `rx="4" fill="${light}"`) +
    rect(440, 518, 62, 9, `rx="4" fill="${light}"`) +
    rect(300, 544, 44, 22, 'rx="6" fill="#05020c"') +
    rect(456, 544, 44, 22, 'rx="6" fill="#05020c"') +
    glow(328, 522, 62, light, 0.8) +
    glow(472, 522, 62, light, 0.8);
  return (
    backdrop([night, deep, base, light]) +
    scatter(random, 70, { y: [0, 260] }, fill(paper)) +
    glow(400, 260, 300, light, 0.7) +
    linear('sun', ['#ffe27a', '#ff9a5a', light]) +
    circle(400, 284, 128, 'fill="url(#sun)"') +
    `<clipPath id="disc">${circle(400, 284, 128, '')}</clipPath>` +
    group('clip-path="url(#disc)"', stripes) +
    ridge(random, 350, 40, fill(mix(deep, night, 0.4))) +
    linear('road', [base, night]) +
    rect(0, 372, 800, 228, 'fill="url(#road)"') +
    group(stroke(accent, 2, 0.75), rays, rows, path('M0 372H800', '')) +
    car +
    logo(art, {
      top: 48,
      largest: 80,
      style: {
        tracking: 0.02,
        attributes: `font-style="italic" stroke="${light}" stroke-width="5" paint-order="stroke"`,
      },
    })
  );
};
