import {
  type Art,
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
  short,
  stroke,
} from './drawing.ts';
import { shade, studio } from './studio.ts';

// Widths of keys in units, row by row, as on every board without a number pad.
const letters = [
  [...Array<number>(13).fill(1), 2],
  [1.5, ...Array<number>(12).fill(1), 1.5],
  [1.75, ...Array<number>(11).fill(1), 2.25],
  [2.25, ...Array<number>(10).fill(1), 2.75],
  [1.25, 1.25, 1.25, 6.25, 1.25, 1.25, 1.25, 1.25],
];

function keys(
  art: Art,
  rows: readonly number[][],
  at: { x: number; y: number; unit: number },
  first = 0,
): string {
  const { night, deep, base, light, accent, paper } = art.colours;
  return rows
    .map((row, rowIndex) => {
      let x = at.x;
      return row
        .map((width, index) => {
          const [left, top, wide] = [x, at.y + rowIndex * at.unit, width * at.unit];
          x += wide;
          const place = `${rowIndex + first}/${index}`;
          const special = width > 1 ? mix(base, deep, 0.3) : mix(paper, light, 0.25);
          const colour =
            ['0/0', '2/12', '5/12'].includes(place) || (row.length === 1 && width === 1) ? accent : special;
          return (
            rect(left + 2, top + 2, wide - 4, at.unit - 4, `rx="7" fill="${mix(colour, night, 0.38)}"`) +
            rect(left + 5, top + 3, wide - 10, at.unit - 12, `rx="6" fill="${colour}"`)
          );
        })
        .join('');
    })
    .join('');
}

function board(art: Art, width: number, height: number, caps: string): string {
  const { night, deep, base } = art.colours;
  return (
    linear('case', [mix(deep, base, 0.35), night]) +
    rect(-width / 2 - 4, -height / 2 + 16, width + 8, height, `rx="22" ${fill('#000000', 0.3)}`) +
    rect(-width / 2, -height / 2, width, height, 'rx="20" fill="url(#case)"') +
    rect(-width / 2 + 3, -height / 2 + 3, width - 6, height - 6, `rx="18" ${stroke('#ffffff', 2, 0.14)}`) +
    caps
  );
}

/** A board with function and arrow keys, leaning, with its cable. */
export const keyboard: Motif = (art) => {
  const { night, deep, light, accent } = art.colours;
  const functions = [[1, 1.17, 1, 1, 1, 1, 1.17, 1, 1, 1, 1, 1.33, 1.33]];
  const caps =
    keys(art, functions, { x: -337, y: -122, unit: 38 }) +
    keys(art, letters, { x: -337, y: -72, unit: 38 }, 1) +
    keys(art, [[1, 1, 1]], { x: 243, y: -122, unit: 38 }, 9) +
    keys(
      art,
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
      { x: 243, y: -72, unit: 38 },
      9,
    ) +
    keys(art, [[1]], { x: 281, y: 42, unit: 38 }, 9) +
    keys(art, [[1, 1, 1]], { x: 243, y: 80, unit: 38 }, 9);
  return (
    backdrop([mix(deep, light, 0.2), night], true) +
    glow(400, 300, 480, light, 0.35) +
    path('M470 230C520 60 420 90 470 -20', stroke(night, 12)) +
    path('M470 230C520 60 420 90 470 -20', `${stroke(accent, 12)} stroke-dasharray="7 9"`) +
    group('transform="translate(400 320) rotate(-9)"', board(art, 722, 288, caps))
  );
};

/** A small board, straight from above, a light running round it. */
export const compactKeyboard: Motif = (art) => {
  const { base, light, accent, paper } = art.colours;
  return (
    backdrop([paper, mix(light, base, 0.3)], true) +
    glow(400, 420, 430, accent, 0.6) +
    group(
      'transform="translate(400 290) rotate(6)"',
      board(art, 668, 256, keys(art, letters, { x: -315, y: -107, unit: 42 }, 1)),
    )
  );
};

/** A light mouse, drilled like a honeycomb. */
export const mouse: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const shell =
    'M0 -190C86 -190 112 -120 108 -30C106 40 126 60 120 118C112 186 62 214 0 214C-62 214 -112 186 -120 118C-126 60 -106 40 -108 -30C-112 -120 -86 -190 0 -190Z';
  const holes = repeat(7, (row) =>
    repeat(8, (column) => {
      const [x, y] = [-122 + column * 34 + (row % 2) * 17, 4 + row * 30];
      return path(d`M${x} ${y - 13}l11 6.5v13l-11 6.5l-11 -6.5v-13Z`, fill(mix(night, deep, 0.5)));
    }),
  );
  return (
    studio(art, { shadow: 0, floor: 600 }) +
    circle(400, 300, 236, stroke(light, 3, 0.7)) +
    circle(400, 300, 276, stroke(light, 2, 0.4)) +
    group(
      'transform="translate(392 296) rotate(24)"',
      group('transform="translate(-14 26)"', path(shell, fill(night, 0.25))),
      linear('shell', [paper, mix(light, base, 0.35)], true),
      `<clipPath id="palm">${path('M-74 6Q0 -22 74 6Q96 60 88 118C82 160 44 186 0 186C-44 186 -82 160 -88 118Q-96 60 -74 6Z', '')}</clipPath>`,
      path(shell, 'fill="url(#shell)"'),
      path(
        'M-119 112C-124 60 -106 40 -107 -24Q-88 0 -92 60Q-96 110 -98 162Q-116 140 -119 112Z',
        fill(mix(base, deep, 0.3)),
      ),
      group('clip-path="url(#palm)"', holes),
      path('M0 -190V-40M-107 -30Q0 -64 107 -30', stroke(mix(base, night, 0.3), 4)),
      rect(-15, -152, 30, 84, `rx="15" fill="${night}"`) + rect(-8, -142, 16, 62, `rx="8" fill="${accent}"`),
      repeat(5, (index) => rect(-8, -134 + index * 11, 16, 3, fill(night, 0.45))),
    )
  );
};

/** A desk's mat with flowers in the manner of batik, one corner rolled up. */
export const deskMat: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const petals = (count: number, reach: number, colour: string, turn = 0) =>
    repeat(
      count,
      (index) =>
        `<path d="M0 0C${short(reach * 0.45)} ${short(-reach * 0.3)} ${short(reach * 0.35)} ${short(-reach * 0.9)} 0 ${-reach}C${short(-reach * 0.35)} ${short(-reach * 0.9)} ${short(-reach * 0.45)} ${short(-reach * 0.3)} 0 0Z" fill="${colour}" transform="rotate(${(index * 360) / count + turn})"/>`,
    );
  const flower = (x: number, y: number, scale: number) =>
    group(
      `transform="translate(${x} ${y}) scale(${scale})"`,
      petals(8, 62, mix(base, light, 0.35)),
      petals(8, 46, paper, 22.5),
      petals(8, 34, accent),
      circle(0, 0, 11, fill(night)) + circle(0, 0, 5, fill(paper)),
    );
  const border = repeat(37, (index) =>
    path(d`M${58 + index * 19} -9l8 9l-8 9l-8 -9Z`, fill(index % 2 === 0 ? light : accent)),
  );
  return (
    backdrop([mix(paper, light, 0.5), mix(light, base, 0.25)], true) +
    shade(400, 520, 380, night) +
    group(
      'transform="translate(0 -6) rotate(-5 400 300)"',
      `<clipPath id="mat">${rect(30, 110, 740, 380, 'rx="22"')}</clipPath>`,
      rect(30, 116, 740, 382, `rx="22" fill="${night}"`),
      rect(30, 110, 740, 380, `rx="22" fill="${deep}"`),
      group(
        'clip-path="url(#mat)"',
        repeat(8, (index) =>
          path(
            d`M${-40 + index * 130} 520C${60 + index * 130} 380 ${-60 + index * 130} 260 ${90 + index * 130} 80`,
            stroke(mix(base, light, 0.25), 4, 0.55),
          ),
        ),
        [
          [150, 232, 1.15],
          [332, 352, 1.45],
          [520, 222, 1.25],
          [688, 356, 1.1],
          [196, 412, 0.7],
          [650, 190, 0.6],
          [420, 190, 0.5],
          [508, 416, 0.7],
          [60, 340, 0.55],
        ]
          .map(([x = 0, y = 0, scale = 1]) => flower(x, y, scale))
          .join(''),
      ),
      group('transform="translate(0 136)"', border) + group('transform="translate(0 464)"', border),
      rect(38, 118, 724, 364, `rx="16" ${stroke(accent, 2.5, 0.9)} stroke-dasharray="9 6"`),
    )
  );
};
