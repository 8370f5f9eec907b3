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
  rect,
  repeat,
  scatter,
  stroke,
} from './drawing.ts';
import { plan } from './titles.ts';
import { widthOf, words } from './typeset.ts';

/** Good mornings of several languages, answering one another. */
export const phrases: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const say = (
    text: string,
    x: number,
    y: number,
    size: number,
    colour: string,
    ink: string,
    left: boolean,
  ) => {
    const width = widthOf(text, size) + size * 1.6;
    const height = size * 2.1;
    const tail = left
      ? `M${x + 34} ${y + height - 6}l-16 ${size}l50 -${size}Z`
      : `M${x + width - 34} ${y + height - 6}l16 ${size}l-50 -${size}Z`;
    return (
      rect(x, y, width, height, `rx="${height / 2}" ${fill(colour)}`) +
      path(tail, fill(colour)) +
      words(text, { x: x + width / 2, y: y + height * 0.66, size, ink, anchor: 'middle', weight: 700 })
    );
  };
  return (
    backdrop([paper, mix(paper, light, 0.7)], true) +
    circle(660, 190, 250, fill(light, 0.55)) +
    circle(120, 60, 150, fill(base, 0.16)) +
    say('Selamat pagi', 366, 50, 42, deep, paper, true) +
    say('Bonjour', 120, 128, 36, '#ffffff', night, false) +
    say('Hola', 500, 180, 50, accent, '#ffffff', false) +
    say('Ciao', 298, 232, 34, base, night, true) +
    say('Guten Morgen', 470, 318, 32, '#ffffff', night, true) +
    say('Merhaba', 90, 268, 26, mix(deep, base, 0.5), paper, true) +
    plan(art, {
      ink: night,
      pill: accent,
      pillInk: '#ffffff',
      width: 600,
      largest: 66,
      maxLines: 1,
    })
  );
};

/** Stones on still water at first light. */
export const stones: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent, paper } = art.colours;
  const stone = (y: number, half: number, tall: number, share: number) =>
    `<ellipse cx="${556 + random.between(-7, 7)}" cy="${y}" rx="${half}" ry="${tall}" fill="${mix(deep, night, share)}"/>` +
    `<ellipse cx="${546 + random.between(-4, 4)}" cy="${y - tall * 0.34}" rx="${half * 0.7}" ry="${tall * 0.4}" fill="#fff" opacity=".12"/>`;
  const ripples = repeat(
    6,
    (index) =>
      `<ellipse cx="556" cy="430" rx="${140 + index * 62}" ry="${20 + index * 15}" fill="none" stroke="${paper}" stroke-width="2.4" opacity="${(7 - index) / 12}"/>`,
  );
  return (
    backdrop([mix(accent, paper, 0.25), mix(paper, accent, 0.25), light]) +
    glow(556, 196, 330, paper, 0.95) +
    circle(556, 196, 120, fill(accent, 0.85)) +
    path('M0 330Q150 262 300 318T620 300T800 322V600H0Z', fill(mix(light, base, 0.45))) +
    linear('pond', [mix(base, light, 0.35), deep]) +
    rect(0, 362, 800, 238, 'fill="url(#pond)"') +
    ripples +
    stone(412, 124, 36, 0.55) +
    stone(348, 92, 31, 0.2) +
    stone(292, 66, 27, 0.7) +
    stone(244, 44, 22, 0.35) +
    stone(206, 25, 16, 0.6) +
    plan(art, { width: 400, largest: 58 })
  );
};

/** A closed curve that touches the middle of every side of the shape. */
function roundedThrough(shape: Point[]): string {
  const middles = shape.map(([x, y], index): Point => {
    const [nextX, nextY] = shape[(index + 1) % shape.length] ?? [x, y];
    return [(x + nextX) / 2, (y + nextY) / 2];
  });
  const [startX, startY] = middles.at(-1) ?? [0, 0];
  const curves = shape.map(
    ([x, y], index) => d`Q${x} ${y} ${middles[index]?.[0] ?? x} ${middles[index]?.[1] ?? y}`,
  );
  return d`M${startX} ${startY}${curves.join('')}Z`;
}

/** Three washes that run into each other, and the brush that made them. */
export const watercolour: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, paper } = art.colours;
  const wash = (x: number, y: number, size: number, colour: string) =>
    repeat(4, (layer) => {
      const rim = Array.from({ length: 14 }, (_, index): Point => {
        const [px, py] = around(
          [x, y],
          index * 0.4488,
          size * (1 - layer * 0.09) * random.between(0.78, 1.16),
        );
        return [px, y + (py - y) * 0.86];
      });
      return path(roundedThrough(rim), fill(colour, 0.3));
    });
  const brush = group(
    'transform="translate(628 246) rotate(38)"',
    rect(-11, -330, 22, 250, `rx="11" fill="${mix('#8a5a34', night, 0.2)}"`),
    rect(-14, -92, 28, 62, 'rx="4" fill="#c9ced6"'),
    path('M-14 -32h28q8 46 -14 92q-22 -46 -14 -92Z', fill(mix(base, deep, 0.35))),
  );
  return (
    backdrop(['#fffdf8', mix(paper, light, 0.2)], true) +
    wash(390, 170, 150, '#3f8fd6') +
    wash(560, 260, 170, base) +
    wash(650, 130, 118, '#f2a93b') +
    wash(300, 290, 90, '#54b08c') +
    scatter(random, 20, { x: [250, 780], y: [30, 440], radius: [1.5, 8] }, fill(base, 0.5)) +
    scatter(random, 10, { x: [250, 780], y: [30, 440], radius: [1.5, 8] }, fill('#f2a93b', 0.5)) +
    brush +
    plan(art, {
      ink: night,
      pill: base,
      pillInk: '#ffffff',
      width: 600,
      largest: 62,
      maxLines: 2,
    })
  );
};

/** Numbers in a notebook turning into a line that goes up. */
export const chart: Motif = (art) => {
  const { random } = art;
  const { night, deep, base, light, accent } = art.colours;
  const code = repeat(7, (row) => {
    let x = 84;
    return repeat(random.whole(2, 4), (index) => {
      const width = random.between(26, 82);
      const piece = rect(
        x + (row % 3 === 1 ? 26 : 0),
        104 + row * 34,
        width,
        13,
        `rx="6.5" fill="${[accent, light, '#ffb45e', '#7ee0a1'][(index + row) % 4]}" opacity=".85"`,
      );
      x += width + 14;
      return piece;
    });
  });
  const values = Array.from({ length: 9 }, (_, index) => 344 - index * 22 - random.between(-26, 30));
  const bars = values
    .map((value, index) =>
      rect(
        414 + index * 36,
        value + 30,
        22,
        372 - value - 30,
        `rx="5" fill="${base}" opacity="${0.45 + index * 0.05}"`,
      ),
    )
    .join('');
  const line = values
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${425 + index * 36} ${value}`)
    .join('');
  return (
    backdrop([mix(deep, night, 0.3), night], true) +
    glow(600, 180, 360, accent, 0.35) +
    rect(48, 60, 704, 334, `rx="22" fill="${mix(deep, night, 0.1)}" stroke="${base}" stroke-width="2"`) +
    path('M378 60V394', stroke(base, 2)) +
    code +
    repeat(5, (index) => path(d`M404 ${132 + index * 60}H736`, stroke(base, 1, 0.5))) +
    bars +
    path(
      line,
      `fill="none" stroke="${accent}" stroke-width="6" stroke-linejoin="round" stroke-linecap="round"`,
    ) +
    values
      .map((value, index) =>
        circle(425 + index * 36, value, 7, `fill="${night}" stroke="${accent}" stroke-width="4"`),
      )
      .join('') +
    plan(art, { width: 690, largest: 56, maxLines: 1, labelled: false })
  );
};
