import {
  type Art,
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
import { fit, heightOf, lines, words } from './typeset.ts';

const BOOK = { x: 236, y: 52, width: 344, height: 484 } as const;

/** A book standing a little open; `front` is drawn on its cover, `title` is set by the caller. */
function book(table: string, spine: string, front: string): string {
  const { x, y, width, height } = BOOK;
  return (
    table +
    `<ellipse cx="410" cy="548" rx="250" ry="18" fill="#000" opacity=".22"/>` +
    polygon('580,58 610,72 610,534 580,536', fill('#efe6d6')) +
    repeat(5, (index) =>
      path(
        d`M${x + width + 5 + index * 5} ${y + 9 + index * 2.4}V${y + height - 1}`,
        'stroke="#cdbfa6" stroke-width="1"',
      ),
    ) +
    `<clipPath id="front">${rect(x, y, width, height, 'rx="5"')}</clipPath>` +
    group(
      'clip-path="url(#front)"',
      front,
      rect(x, y, 24, height, fill(spine)),
      rect(x + 24, y, 5, height, fill('#000', 0.18)),
    )
  );
}

const bookTitle = (art: Art, ink: string, y: number, largest: number, author: string) => {
  const centre = BOOK.x + 26 + (BOOK.width - 26) / 2;
  const title = fit(art.title, { width: BOOK.width - 80, lines: 3, largest });
  return (
    lines(title, {
      x: centre,
      y: y + title.size * 0.8,
      ink: ink,
      font: 'serif',
      anchor: 'middle',
      weight: 700,
    }) +
    words(art.detail, {
      x: centre,
      y: y + heightOf(title) + 34,
      size: 20,
      ink: ink,
      font: 'serif',
      weight: 400,
      anchor: 'middle',
      attributes: 'font-style="italic"',
    }) +
    words(author, {
      x: centre,
      y: BOOK.y + BOOK.height - 26,
      size: 15,
      ink: ink,
      anchor: 'middle',
      weight: 700,
      tracking: 0.2,
    })
  );
};

/** Rice in a banana leaf, the sun behind it. */
export const cookbook: Motif = (art) => {
  const { deep, base, light, accent, paper } = art.colours;
  const { x, y, width, height } = BOOK;
  const leaf =
    path('M262 470Q300 330 430 322T566 470Q420 520 262 470Z', fill(mix(accent, '#3c8f4a', 0.6))) +
    repeat(9, (index) =>
      path(
        d`M${300 + index * 28} ${480 - Math.abs(index - 4) * 3}L${330 + index * 20} ${352 + Math.abs(index - 4) * 7}`,
        'stroke="#fff" stroke-width="2" opacity=".22"',
      ),
    );
  const plate =
    `<ellipse cx="418" cy="410" rx="92" ry="56" fill="#fffdf6"/><ellipse cx="398" cy="396" rx="50" ry="38" fill="#fff"/><ellipse cx="398" cy="404" rx="50" ry="32" fill="#f1ead8"/>` +
    `<ellipse cx="398" cy="394" rx="46" ry="32" fill="#fffdf8"/>` +
    path('M436 412q38 -26 58 2q-22 34 -58 20Z', fill('#b3261e')) +
    circle(462, 388, 19, fill('#fff')) +
    circle(462, 388, 10, fill('#f6b53c')) +
    repeat(
      5,
      (index) =>
        `<ellipse cx="${372 + index * 15}" cy="${440 + (index % 2) * 5}" rx="7" ry="4" fill="#a8662c"/>`,
    ) +
    repeat(4, (index) =>
      circle(346 + index * 4, 398 + index * 11, 9, 'fill="#5cae5a" stroke="#d7f0c8" stroke-width="2.5"'),
    );
  const front =
    linear('dawn', [light, mix(base, light, 0.35)]) +
    rect(x, y, width, height, 'fill="url(#dawn)"') +
    circle(418, 330, 118, fill(mix(light, '#ff8a4a', 0.75))) +
    leaf +
    plate;
  const table =
    backdrop([mix(accent, paper, 0.55), mix(accent, paper, 0.3)], true) +
    circle(120, 120, 210, fill('#fff', 0.16)) +
    circle(720, 520, 190, fill('#fff', 0.12));
  return book(table, mix(base, deep, 0.35), front) + bookTitle(art, deep, y + 42, 56, '72 RECIPES');
};

/** Islands that were not on the map, and the needle that finds them. */
export const novel: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const { x, y, width, height } = BOOK;
  const isle = (cx: number, cy: number, size: number) =>
    repeat(5, (index) => {
      const reach = size * (1 - index * 0.18);
      const wobble = () => reach * random.between(0.8, 1.15);
      return path(
        d`M${cx - wobble()} ${cy}Q${cx - reach} ${cy - wobble()} ${cx} ${cy - wobble() * 0.8}T${cx + wobble()} ${cy}Q${cx + reach} ${cy + wobble()} ${cx} ${cy + wobble() * 0.7}T${cx - wobble()} ${cy}Z`,
        `fill="${index === 0 ? mix(base, night, 0.35) : 'none'}" stroke="${light}" stroke-width="1.6" opacity="${0.5 + index * 0.1}"`,
      );
    });
  const meridians = repeat(8, (index) =>
    path(d`M${x + index * 50} ${y}V${y + height}M${x} ${y + index * 70}H${x + width}`, ''),
  );
  const rose =
    circle(422, 420, 60, stroke(accent, 2)) +
    [0, 90, 180, 270]
      .map((turn) =>
        polygon(
          '422,352 433,420 411,420',
          `fill="${accent}" opacity="${turn === 0 ? 1 : 0.65}" transform="rotate(${turn} 422 420)"`,
        ),
      )
      .join('') +
    [45, 135, 225, 315]
      .map((turn) =>
        polygon(
          '422,380 428,420 416,420',
          `fill="${light}" opacity=".8" transform="rotate(${turn} 422 420)"`,
        ),
      )
      .join('');
  const front =
    linear('ink', [deep, night], true) +
    rect(x, y, width, height, 'fill="url(#ink)"') +
    group(stroke(light, 1, 0.16), meridians) +
    isle(310, 300, 62) +
    isle(520, 340, 50) +
    isle(300, 480, 40) +
    isle(540, 490, 56) +
    rose;
  const table =
    backdrop([mix(paper, light, 0.25), mix(paper, accent, 0.5)], true) +
    repeat(9, (index) => circle(400, 300, 180 + index * 44, stroke(base, 1.5, 0.1)));
  return book(table, mix(accent, deep, 0.25), front) + bookTitle(art, paper, y + 40, 50, 'OF THE STRAITS');
};
