import {
  type Art,
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
  stroke,
} from './drawing.ts';
import { logo } from './titles.ts';
import { fit, lines, widthOf, words } from './typeset.ts';

const CARD = { x: 120, y: 122, width: 560, height: 356 } as const;

/** A plastic card, leaning, with its amount; `picture` fills its face, `table` lies beneath it. */
function giftCard(art: Art, table: string, picture: string, ink: string): string {
  const { x, y, width, height } = CARD;
  const face = rect(x, y, width, height, 'rx="30"');
  const title = fit(art.title, { width: width - 110 - widthOf(art.detail, 84), lines: 2, largest: 46 });
  return (
    table +
    group(
      'transform="rotate(-7 400 300)"',
      rect(x + 4, y + 22, width, height, 'rx="30" fill="#000" opacity=".28"'),
      `<clipPath id="card">${face}</clipPath>`,
      group('clip-path="url(#card)"', picture),
      rect(
        x + 1.5,
        y + 1.5,
        width - 3,
        height - 3,
        'rx="29" fill="none" stroke="#fff" stroke-width="3" opacity=".35"',
      ),
      words('GIFT CARD', {
        x: x + 42,
        y: y + 58,
        size: 20,
        ink: ink,
        weight: 700,
        tracking: 0.2,
        attributes: 'opacity=".8"',
      }),
      lines(title, {
        x: x + 40,
        y: y + height - 46 - (title.lines.length - 1) * title.size * 1.08,
        ink: ink,
        tracking: -0.01,
      }),
      words(art.detail, {
        x: x + width - 40,
        y: y + height - 44,
        size: 84,
        ink: ink,
        weight: 900,
        anchor: 'end',
        tracking: -0.03,
      }),
    )
  );
}

const face = (colours: readonly string[]) =>
  linear('face', colours, true) + rect(CARD.x, CARD.y, CARD.width, CARD.height, 'fill="url(#face)"');

/** For a game store: falling blocks and a comet of pixels. */
export const arcadeCard: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const size = 28;
  const blocks = repeat(40, () => {
    const column = random.whole(6, 20);
    const row = random.whole(0, Math.min(7, column - 6));
    return rect(
      CARD.x + column * size,
      CARD.y + row * size,
      size - 4,
      size - 4,
      `rx="5" fill="${random.pick([accent, light, paper, '#ffd84a'])}" opacity="${random.whole(4, 10) / 10}"`,
    );
  });
  const table =
    backdrop([mix(paper, light, 0.5), mix(paper, accent, 0.45)], true) + glow(640, 110, 320, paper, 0.9);
  return giftCard(art, table, face([base, deep, night]) + blocks, paper);
};

/** For journeys: a route over contour lines. */
export const voyageCard: Motif = (art) => {
  const { random } = art;
  const { night, base, light, accent, paper } = art.colours;
  const contours = repeat(
    9,
    (index) =>
      `<ellipse cx="560" cy="214" rx="${36 + index * 44}" ry="${22 + index * 30}" transform="rotate(${random.between(-24, -8)} 560 214)"/>`,
  );
  const route = path(
    'M268 236Q330 160 392 196T486 262T612 186',
    `fill="none" stroke="${paper}" stroke-width="6" stroke-dasharray="2 14" stroke-linecap="round"`,
  );
  const pin =
    path(
      'M612 190c-30 -38 -36 -50 -36 -64a36 36 0 0 1 72 0c0 14 -6 26 -36 64Z',
      fill(mix(light, '#ff7a4a', 0.75)),
    ) + circle(612, 126, 13, fill(paper));
  const journey = group(
    'transform="translate(-8 54)"',
    route,
    circle(268, 236, 9, fill(paper)),
    circle(392, 196, 9, fill(paper)),
    circle(486, 262, 9, fill(paper)),
    pin,
  );
  const table =
    backdrop([paper, light], true) +
    repeat(12, (index) =>
      path(d`M-20 ${index * 56}q210 ${random.whole(-50, 50)} 420 0t420 0`, stroke(base, 2, 0.22)),
    );
  const picture = face([accent, mix(accent, night, 0.5)]) + group(stroke(light, 2, 0.4), contours) + journey;
  return giftCard(art, table, picture, paper);
};

/** For breakfast: a cup from above, and the sun that comes with it. */
export const breakfastCard: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const ray = (angle: number) =>
    polygon([[520, 236], around([520, 236], angle, 520), around([520, 236], angle + 0.175, 520)], '');
  const rays = repeat(18, (index) => ray(index * 0.349));
  const cup =
    rect(
      596,
      208,
      84,
      44,
      `rx="22" fill="none" stroke="${paper}" stroke-width="15" transform="rotate(-32 520 226)"`,
    ) +
    circle(520, 226, 104, fill(paper)) +
    circle(520, 226, 84, fill(deep)) +
    circle(520, 226, 84, stroke(base, 7)) +
    path('M520 268c-62 -38 -52 -86 -22 -84q16 2 22 20q6 -18 22 -20c30 -2 40 46 -22 84Z', fill(light)) +
    path('M520 250c-36 -24 -30 -50 -13 -50q9 1 13 14q4 -13 13 -14c17 0 23 26 -13 50Z', fill(paper));
  const table =
    backdrop([mix(paper, accent, 0.25), mix(accent, light, 0.55)], true) +
    circle(90, 520, 120, stroke(base, 10, 0.16));
  const picture = face([light, mix(light, base, 0.75)]) + group(fill(accent, 0.34), rays) + cup;
  return giftCard(art, table, picture, night);
};

/** A hero's arms: shield, laurel, rank. */
export const crest: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const [x, y] = [400, 216];
  const beams = repeat(24, (index) =>
    polygon([[x, y], around([x, y], index * 0.2618, 620), around([x, y], index * 0.2618 + 0.12, 620)], ''),
  );
  const branch = repeat(8, (index) => {
    const turn = 24 + index * 17;
    return `<ellipse cx="${x + 186}" cy="${y}" rx="9" ry="28" transform="rotate(${88 - turn} ${x} ${y}) rotate(26 ${x + 186} ${y})"/>`;
  });
  const star = (sx: number, sy: number, size: number) =>
    polygon(
      Array.from({ length: 10 }, (_, index): Point => {
        const reach = index % 2 === 0 ? size : size * 0.45;
        return around([sx, sy], (index * 2 - 5) * 0.31416, reach);
      }),
      fill(accent),
    );
  const charge =
    random.next() < 0.5
      ? path('M392 130h16v118h34v16h-34v50h-16v-50h-34v-16h34ZM400 92l12 38h-24Z', fill(paper))
      : path('M424 112l-72 104h40l-16 92l76 -112h-42Z', fill(paper));
  const shieldPath = 'M400 66q64 36 128 32q8 168 -128 250q-136 -82 -128 -250q64 4 128 -32Z';
  return (
    backdrop([base, deep, night]) +
    group(fill(light, 0.13), beams) +
    glow(x, y, 330, light, 0.75) +
    group(fill(accent), branch, group('transform="translate(800) scale(-1 1)"', branch)) +
    linear('field', [mix(base, light, 0.35), deep]) +
    path(shieldPath, `fill="url(#field)" stroke="${accent}" stroke-width="13" stroke-linejoin="round"`) +
    path('M400 66q64 36 128 32q8 168 -128 250Z', fill(night, 0.22)) +
    charge +
    star(346, 394, 18) +
    star(400, 400, 27) +
    star(454, 394, 18) +
    logo(art, { bottom: 556, largest: 66, style: { tracking: 0.06 } })
  );
};
