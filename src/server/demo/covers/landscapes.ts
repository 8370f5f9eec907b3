import {
  backdrop,
  circle,
  d,
  fill,
  glow,
  group,
  hill,
  type Motif,
  mix,
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

/** Burning ranges one behind the other, and a keep on the last. */
export const peaks: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const colours = [mix(light, base, 0.45), base, mix(base, deep, 0.55), deep];
  const ranges = colours.map((colour, index) =>
    ridge(random, 345 + index * 50, 150 - index * 26, fill(colour)),
  );
  const keep = polygon(
    '560,470 560,402 566,402 566,376 576,358 586,376 586,392 598,392 598,382 606,382 606,392 616,392 616,346 628,322 640,346 640,412 652,412 652,480',
    fill(mix(deep, night, 0.75)),
  );
  const windows = rect(624, 362, 5, 12, fill(accent)) + rect(573, 388, 4, 9, fill(accent));
  return (
    backdrop([night, deep, base, light, accent]) +
    glow(590, 330, 330, accent, 0.75) +
    circle(590, 330, 92, fill(paper)) +
    ranges.join('') +
    group('transform="translate(-16 26)"', keep, windows) +
    ridge(random, 526, 30, fill(mix(deep, night, 0.75))) +
    scatter(random, 46, { y: [150, 590], radius: [0.8, 3] }, fill(accent)) +
    logo(art, { top: 64, style: { tracking: 0.06 } })
  );
};

/** Hills in stripes, apple trees and one red roof. */
export const orchard: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent } = art.colours;
  const tree = (x: number, y: number, size: number) =>
    rect(x - size * 0.08, y - size * 0.3, size * 0.16, size * 0.75, fill('#6b4a2b')) +
    circle(x, y - size * 0.55, size * 0.5, fill(mix(deep, base, 0.3))) +
    circle(x - size * 0.12, y - size * 0.68, size * 0.34, fill(mix(deep, base, 0.65))) +
    repeat(5, () => {
      const [right, up] = [random.between(-0.35, 0.35), random.between(0.18, 0.82)];
      return circle(x + right * size, y - up * size, size * 0.06, fill(accent));
    });
  const furrows = repeat(9, (index) =>
    path(
      d`M${-40 + index * 46} 610Q${210 + index * 30} 500 ${470 + index * 14} 432`,
      stroke(mix(base, deep, 0.45), 7, 0.55),
    ),
  );
  const house =
    rect(596, 372, 92, 60, fill('#fff6e6')) +
    polygon('584,376 642,326 700,376', fill(accent)) +
    rect(632, 396, 20, 36, fill('#6b4a2b')) +
    rect(606, 388, 16, 16, fill(light)) +
    rect(662, 388, 16, 16, fill(light));
  return (
    backdrop(['#9fd8e8', '#d9f1e4', light]) +
    glow(160, 300, 250, '#ffffff', 0.9) +
    circle(160, 300, 58, fill('#fffdf0')) +
    hill(380, 270, 390, fill(mix(base, '#bfe3d8', 0.55))) +
    hill(440, 340, 350, fill(mix(base, '#bfe3d8', 0.25))) +
    house +
    tree(540, 420, 74) +
    tree(744, 424, 86) +
    hill(420, 400, 470, fill(base)) +
    furrows +
    tree(80, 500, 130) +
    tree(230, 470, 96) +
    hill(560, 520, 500, fill(mix(deep, base, 0.25))) +
    tree(700, 566, 150) +
    logo(art, {
      top: 52,
      maxLines: 2,
      ink: night,
      detailInk: deep,
      largest: 78,
      style: { tracking: 0.01, font: 'serif' },
    })
  );
};

/** A drowned forest, fog between the trunks, one flame. */
export const lantern: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const shade = (layer: number) => mix(base, night, 0.3 + layer * 0.33);
  const trunk = (layer: number, x: number) => {
    const width = random.between(10, 20) * (1 + layer * 0.9);
    const top = x + random.between(-26, 26);
    const reach = random.pick([-1, 1]) * random.between(50, 100);
    const branch = d`M${(x + top) / 2} ${random.between(190, 340)}q${reach * 0.4} -10 ${reach} -60`;
    return (
      path(
        d`M${x - width} 600Q${(x + top) / 2} 300 ${top} -10h${width * 0.9}Q${x + width} 320 ${x + width * 1.5} 600Z`,
        fill(shade(layer)),
      ) + path(branch, stroke(shade(layer), width * 0.4))
    );
  };
  const trees = (layer: number) => {
    const apart = 800 / (9 - layer * 2);
    return repeat(9 - layer * 2, (index) => {
      const x = (index + random.between(0.1, 0.9)) * apart;
      const hidesLamp = layer === 2 && Math.abs(x - 400) < 190;
      return hidesLamp ? '' : trunk(layer, x);
    });
  };
  const layers = repeat(
    3,
    (layer) => trees(layer) + rect(0, 400 + layer * 60, 800, 200, fill(base, 0.16 - layer * 0.04)),
  );
  const lamp =
    path('M400 -10V128', stroke(night, 5)) +
    path('M372 150Q400 108 428 150Z', fill(night)) +
    path('M368 152h64l-8 92h-48Z', `fill="${accent}" opacity=".35" stroke="${night}" stroke-width="6"`) +
    path('M400 168q26 34 12 58q-12 14 -24 0q-14 -24 12 -58Z', fill(paper)) +
    rect(364, 242, 72, 12, `rx="4" fill="${night}"`);
  return (
    backdrop([night, base, light, deep]) +
    glow(400, 200, 420, accent, 0.55) +
    layers +
    glow(400, 205, 190, accent, 0.95) +
    lamp +
    scrim(night, 330, 0.95) +
    scatter(random, 34, { y: [60, 560], radius: [1.2, 3] }, fill(accent)) +
    logo(art, { bottom: 548, largest: 84, style: { font: 'serif', weight: 700, tracking: 0.08 } })
  );
};

/** Paper sea under a paper sun, cut once. */
export const waves: Motif = (art) => {
  const { night, deep, base, accent, paper } = art.colours;
  const scale = (x: number, y: number) =>
    repeat(4, (ring) => circle(x, y, 54 - ring * 13, fill(ring % 2 === 0 ? paper : mix(base, deep, 0.35))));
  const sea = repeat(5, (row) => repeat(9, (index) => scale(index * 108 - (row % 2) * 54, 452 + row * 34)));
  const fold = (x: number, top: number, half: number) =>
    path(d`M${x - half} 470L${x} ${top}L${x + half * 0.15} 470Z`, fill(mix(deep, night, 0.2))) +
    path(d`M${x} ${top}L${x + half} 470H${x + half * 0.15}Z`, fill(mix(deep, base, 0.35)));
  const ronin =
    path('M372 438l6 -74q-14 -6 -8 -22l18 -14h28l20 16q6 14 -8 20l10 74Z', fill(night)) +
    polygon('346,332 402,292 460,332', fill(night)) +
    path('M428 372l104 -58', `stroke="${night}" stroke-width="6" stroke-linecap="round"`);
  return (
    backdrop([mix(accent, paper, 0.5), paper, accent]) +
    circle(400, 316, 158, fill(base)) +
    fold(120, 300, 170) +
    fold(690, 270, 190) +
    ronin +
    group(`stroke="${deep}" stroke-width="2"`, sea) +
    polygon('0,404 800,172 800,178 0,407', fill(paper)) +
    logo(art, {
      top: 40,
      ink: deep,
      detailInk: deep,
      largest: 72,
      style: { tracking: 0.16 },
    })
  );
};
