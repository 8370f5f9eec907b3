import {
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
import { ball, shade, studio } from './studio.ts';

/** A controller seen from the front, its sticks one above the other. */
export const controller: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const grip =
    'M-128 -112C-208 -118 -238 -70 -262 12C-290 108 -298 196 -252 208C-202 220 -178 128 -128 100C-84 80 84 80 128 100C178 128 202 220 252 208C298 196 290 108 262 12C238 -70 208 -118 128 -112Z';
  const stick = (x: number, y: number) =>
    circle(x, y, 52, fill(mix(night, deep, 0.4))) +
    circle(x, y, 52, stroke(accent, 4)) +
    circle(x, y + 4, 38, fill('#000000', 0.35)) +
    circle(x, y, 36, fill(mix(deep, base, 0.25))) +
    circle(x, y, 25, fill(mix(deep, night, 0.2)));
  return (
    studio(art, { dark: true, floor: 440, shadow: 300 }) +
    group(
      'transform="translate(400 264) scale(1.12)"',
      linear('shell', [mix(paper, light, 0.2), mix(light, base, 0.55)]),
      path('M-196 -98q20 -44 92 -40l10 30ZM196 -98q-20 -44 -92 -40l-10 30Z', fill(mix(deep, night, 0.3))),
      path(grip, 'fill="url(#shell)"'),
      path(
        'M-262 12C-290 108 -298 196 -252 208C-214 216 -192 160 -160 124Q-224 100 -262 12ZM262 12C290 108 298 196 252 208C214 216 192 160 160 124Q224 100 262 12Z',
        fill(mix(base, deep, 0.45)),
      ),
      path(
        'M-128 -112C-196 -117 -228 -80 -250 -20C-210 -82 -170 -92 -128 -92H128C170 -92 210 -82 250 -20C228 -80 196 -117 128 -112Z',
        fill('#ffffff', 0.35),
      ),
      stick(-148, -30) + stick(76, 48),
      rect(-92, 24, 26, 78, `rx="7" fill="${night}"`) + rect(-118, 50, 78, 26, `rx="7" fill="${night}"`),
      ball(148, -66, 19, accent) +
        ball(148, 6, 19, light) +
        ball(112, -30, 19, paper) +
        ball(184, -30, 19, mix(base, accent, 0.5)),
      circle(0, -58, 22, fill(night)) + circle(0, -58, 13, fill(accent)),
      rect(-54, -34, 22, 10, `rx="5" fill="${night}"`) + rect(32, -34, 22, 10, `rx="5" fill="${night}"`),
    )
  );
};

/** A box for fighting games: a lever with a ball, eight buttons in two arcs, a flower on its lid. */
export const arcadeStick: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const button = (x: number, y: number, colour: string) =>
    `<ellipse cx="${x}" cy="${y + 9}" rx="37" ry="27" ${fill('#000000', 0.35)}/>` +
    `<ellipse cx="${x}" cy="${y}" rx="37" ry="27" fill="${mix(colour, night, 0.35)}"/>` +
    `<ellipse cx="${x}" cy="${y - 6}" rx="31" ry="22" fill="${colour}"/>` +
    `<ellipse cx="${x - 8}" cy="${y - 13}" rx="13" ry="6" ${fill('#ffffff', 0.4)}/>`;
  const bloom = repeat(
    5,
    (index) =>
      `<ellipse cx="0" cy="-74" rx="44" ry="74" fill="${accent}" opacity=".75" transform="rotate(${index * 72})"/>`,
  );
  return (
    studio(art, { floor: 380, shadow: 0 }) +
    shade(400, 536, 390, night) +
    linear('lid', [mix(base, light, 0.2), deep]) +
    polygon('60,470 740,470 728,540 72,540', fill(night)) +
    polygon('138,196 662,196 740,470 60,470', 'fill="url(#lid)"') +
    `<clipPath id="top">${polygon('138,196 662,196 740,470 60,470', '')}</clipPath>` +
    group(
      'clip-path="url(#top)"',
      group('transform="translate(566 440) scale(1.5 1)"', bloom, circle(0, 0, 26, fill(paper, 0.9))),
      repeat(6, (index) =>
        path(d`M${-40 + index * 30} 480L${150 + index * 30} 190`, stroke(light, 10, 0.28)),
      ),
    ) +
    polygon('146,204 654,204 728,462 72,462', `${stroke(paper, 3, 0.55)}`) +
    rect(332, 212, 136, 16, `rx="8" fill="${night}"`) +
    [0, 1, 2].map((index) => circle(352 + index * 22, 220, 4, fill(accent))).join('') +
    `<ellipse cx="236" cy="346" rx="66" ry="44" fill="${night}"/><ellipse cx="236" cy="342" rx="50" ry="32" fill="${mix(deep, night, 0.3)}"/>` +
    path('M236 342L226 190', `${stroke('#d9dde4', 17)} stroke-linecap="round"`) +
    path('M232 342L222 190', stroke('#ffffff', 5, 0.7)) +
    ball(224, 156, 58, accent) +
    [
      [384, 296, paper],
      [462, 268, accent],
      [544, 268, paper],
      [624, 286, light],
      [372, 388, light],
      [456, 360, paper],
      [546, 360, accent],
      [636, 380, paper],
    ]
      .map(([x, y, colour]) => button(Number(x), Number(y), String(colour)))
      .join('')
  );
};

/** A headset with its microphone, standing on nothing but its shadow. */
export const headset: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const cup = (side: 1 | -1) =>
    group(
      `transform="translate(${400 + side * 168} 350) scale(${side} 1) rotate(-7)"`,
      rect(-60, -92, 46, 184, `rx="23" fill="${mix(night, deep, 0.5)}"`),
      rect(-34, -106, 92, 212, 'rx="44" fill="url(#cup)"'),
      rect(-18, -86, 62, 172, `rx="31" ${stroke(accent, 5)}`),
      path('M13 -34l18 34l-18 34l-18 -34Z', fill(accent)),
      rect(34, -70, 9, 140, `rx="4" ${fill('#ffffff', 0.25)}`),
    );
  return (
    studio(art, { dark: true, floor: 450, shadow: 250 }) +
    glow(400, 300, 260, light, 0.5) +
    linear('cup', [mix(base, light, 0.25), deep]) +
    path('M228 330C200 60 600 60 572 330', stroke(mix(night, deep, 0.25), 46)) +
    path('M228 330C200 60 600 60 572 330', stroke(mix(base, light, 0.15), 26)) +
    path('M262 230C290 120 510 120 538 230C500 160 300 160 262 230Z', fill(mix(night, deep, 0.6))) +
    path('M290 128Q400 70 510 128', `${stroke(paper, 6, 0.55)} stroke-linecap="round"`) +
    cup(-1) +
    cup(1) +
    path('M214 436Q232 520 352 506', `${stroke(night, 13)} stroke-linecap="round"`) +
    path('M214 436Q232 520 352 506', `${stroke(mix(deep, base, 0.6), 8)} stroke-linecap="round"`) +
    rect(336, 488, 66, 30, `rx="15" fill="${night}" transform="rotate(-8 369 503)"`) +
    circle(389, 500, 5, fill(accent))
  );
};

/** Two earbuds over their open case. */
export const earbuds: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const bud = (side: 1 | -1) =>
    group(
      `transform="translate(${400 + side * 94} 208) scale(${side} 1) rotate(8)"`,
      rect(-17, 10, 38, 150, 'rx="19" fill="url(#gloss)"'),
      circle(0, 0, 58, 'fill="url(#gloss)"'),
      `<ellipse cx="-50" cy="2" rx="24" ry="34" fill="${mix(night, deep, 0.5)}" transform="rotate(-16 -50 2)"/>`,
      `<ellipse cx="-58" cy="2" rx="12" ry="20" fill="${night}" transform="rotate(-16 -58 2)"/>`,
      circle(16, -20, 12, fill('#ffffff', 0.7)),
      rect(-2, 116, 8, 26, `rx="4" fill="${accent}"`),
    );
  return (
    studio(art, { floor: 440, shadow: 270 }) +
    linear('gloss', ['#ffffff', mix(paper, light, 0.75)], true) +
    linear('inside', [mix(deep, night, 0.2), mix(base, deep, 0.4)]) +
    path('M186 372C186 230 230 168 400 168C570 168 614 230 614 372Z', fill(mix(light, base, 0.5))) +
    path('M208 372C208 250 250 190 400 190C550 190 592 250 592 372Z', 'fill="url(#inside)"') +
    bud(-1) +
    bud(1) +
    path(
      'M176 348H624C636 348 640 356 640 372C640 474 588 512 400 512C212 512 160 474 160 372C160 356 164 348 176 348Z',
      fill(mix(light, base, 0.3)),
    ) +
    path(
      'M176 348H624C636 348 640 356 640 372C640 462 588 496 400 496C212 496 160 462 160 372C160 356 164 348 176 348Z',
      'fill="url(#gloss)"',
    ) +
    path('M160 366H640', stroke(mix(light, base, 0.4), 4)) +
    circle(400, 420, 9, fill(accent)) +
    path('M204 402Q216 448 276 470', `${stroke('#ffffff', 12, 0.9)} stroke-linecap="round"`)
  );
};
