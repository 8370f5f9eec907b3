import {
  around,
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
  stroke,
} from './drawing.ts';
import { ball, shade, studio } from './studio.ts';

/** A small lamplighter in a hooded cloak, lantern held out, on a round stand. */
export const figurine: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const stand = (y: number, reach: number, colour: string) =>
    `<ellipse cx="400" cy="${y}" rx="${reach}" ry="${reach * 0.2}" fill="${colour}"/>`;
  return (
    studio(art, { dark: true, floor: 440, shadow: 280 }) +
    scatter(art.random, 26, { x: [120, 680], y: [40, 330], radius: [1.5, 4] }, fill(accent)) +
    glow(536, 252, 210, accent, 0.95) +
    rect(236, 480, 328, 34, fill(mix(night, deep, 0.3))) +
    stand(514, 164, mix(night, deep, 0.3)) +
    stand(480, 164, mix(deep, base, 0.35)) +
    stand(474, 138, mix(deep, night, 0.25)) +
    linear('cloak', [mix(base, light, 0.25), deep]) +
    path('M348 470v-34h40v34ZM414 470v-34h40v34Z', fill(night)) +
    path(
      'M400 96C336 96 318 150 322 206C326 250 268 330 256 446Q400 486 544 446C532 330 474 250 478 206C482 150 464 96 400 96Z',
      'fill="url(#cloak)"',
    ) +
    path(
      'M400 96C336 96 318 150 322 206C326 250 268 330 256 446Q300 458 346 462C330 380 372 300 356 220C346 160 366 110 400 96Z',
      fill(night, 0.28),
    ) +
    path(
      'M400 134C358 134 346 168 350 202Q400 246 450 202C454 168 442 134 400 134Z',
      fill(mix(night, '#000000', 0.3)),
    ) +
    circle(382, 190, 9, fill(accent)) +
    circle(420, 190, 9, fill(accent)) +
    path('M324 222Q400 278 476 222L470 258Q400 306 330 258Z', fill(accent)) +
    path('M436 262l46 22l-18 96l-44 -26Z', fill(mix(accent, '#b5342f', 0.3))) +
    path('M452 300Q510 300 530 226', `${stroke(mix(base, deep, 0.3), 34)} stroke-linecap="round"`) +
    circle(532, 216, 19, fill('#f0c9a0')) +
    path('M536 462L528 120', `${stroke('#6b4a2e', 11)} stroke-linecap="round"`) +
    path('M528 124q4 -30 44 -22', `${stroke('#6b4a2e', 8)} stroke-linecap="round"`) +
    path(
      'M572 102v26M546 132h52l-8 84h-36Z',
      `fill="${mix(accent, paper, 0.5)}" stroke="${night}" stroke-width="7" stroke-linejoin="round"`,
    ) +
    path('M572 196q-20 -18 0 -48q20 30 0 48Z', fill('#ff8a3c'))
  );
};

/** A plush tapir of the Malay forest: black, with its white blanket. */
export const plush: Motif = (art) => {
  const { night, light, accent, paper } = art.colours;
  const coat = mix('#22252c', night, 0.3);
  const soft = mix(coat, '#ffffff', 0.1);
  const ear = (x: number, lean: number) =>
    `<ellipse cx="${x}" cy="118" rx="32" ry="44" fill="${coat}" transform="rotate(${lean} ${x} 118)"/>` +
    `<ellipse cx="${x}" cy="104" rx="18" ry="20" fill="${paper}" transform="rotate(${lean} ${x} 118)"/>`;
  const foot = (x: number) =>
    `<ellipse cx="${x}" cy="474" rx="62" ry="52" fill="${coat}"/><ellipse cx="${x}" cy="484" rx="38" ry="32" fill="${mix(accent, light, 0.4)}"/>` +
    [-24, 0, 24]
      .map((offset) => circle(x + offset, 446 + Math.abs(offset) / 4, 8, fill(mix(accent, light, 0.4))))
      .join('');
  return (
    studio(art, { floor: 436, shadow: 260 }) +
    `<ellipse cx="400" cy="398" rx="172" ry="134" fill="${coat}"/>` +
    path(
      'M238 360C250 270 550 270 562 360C578 440 500 500 400 500C300 500 222 440 238 360Z',
      fill('#fbf9f4'),
    ) +
    path('M262 408Q400 520 538 408Q520 500 400 500Q280 500 262 408Z', fill('#000000', 0.06)) +
    `<ellipse cx="248" cy="372" rx="42" ry="84" fill="${soft}" transform="rotate(24 248 372)"/>` +
    `<ellipse cx="552" cy="372" rx="42" ry="84" fill="${soft}" transform="rotate(-24 552 372)"/>` +
    foot(310) +
    foot(490) +
    ear(288, -22) +
    ear(512, 22) +
    path(
      'M400 86C300 86 262 150 262 214C262 290 330 326 400 326C470 326 538 290 538 214C538 150 500 86 400 86Z',
      fill(coat),
    ) +
    path('M300 130Q340 100 400 100Q350 118 318 160Z', fill('#ffffff', 0.1)) +
    path('M346 216C340 270 358 372 400 372C442 372 460 270 454 216C440 190 360 190 346 216Z', fill(soft)) +
    repeat(3, (index) =>
      path(
        d`M${364 - index * -4} ${262 + index * 26}Q400 ${276 + index * 26} ${436 - index * 4} ${262 + index * 26}`,
        `${stroke(coat, 5)} stroke-linecap="round"`,
      ),
    ) +
    circle(386, 352, 7, fill(night)) +
    circle(414, 352, 7, fill(night)) +
    [318, 482]
      .map(
        (x) =>
          circle(x, 214, 20, fill('#0a0a0c')) +
          circle(x - 6, 206, 7, fill('#ffffff')) +
          circle(x + 7, 221, 3, fill('#ffffff', 0.8)),
      )
      .join('') +
    [292, 508].map((x) => `<ellipse cx="${x}" cy="256" rx="22" ry="13" ${fill(accent, 0.55)}/>`).join('') +
    path('M300 322Q400 376 500 322L510 352Q400 408 290 352Z', fill(accent)) +
    path('M452 352l58 20l-10 74l-52 -20Z', fill(mix(accent, night, 0.2)))
  );
};

/** A mug with a disk of small squares, and what is in it still hot. */
export const mug: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  // A floppy disk: 1 is the casing, 2 the shutter, 3 the label, 4 what is written on it.
  const disk = [
    '11222221.',
    '11212221.',
    '112122211',
    '111111111',
    '113333311',
    '113444311',
    '113333311',
    '113443311',
    '111111111',
  ];
  const colours: Record<string, string> = { 1: deep, 2: light, 3: '#ffffff', 4: accent };
  const pixels = disk
    .map((row, y) =>
      [...row]
        .map((cell, x) =>
          cell === '.' ? '' : rect(292 + x * 20, 262 + y * 20, 20.4, 20.4, fill(colours[cell] ?? night)),
        )
        .join(''),
    )
    .join('');
  const steam = (x: number, reach: number) =>
    path(d`M${x} 150q-26 -30 0 -58t0 ${-reach}`, `${stroke('#ffffff', 13, 0.6)} stroke-linecap="round"`);
  return (
    studio(art, { floor: 430, shadow: 240 }) +
    steam(330, 50) +
    steam(386, 62) +
    steam(442, 46) +
    path(
      'M556 256q112 -20 112 84q0 106 -122 116',
      `fill="none" stroke="${mix(base, deep, 0.2)}" stroke-width="44"`,
    ) +
    path(
      'M556 256q112 -20 112 84q0 106 -122 116',
      `fill="none" stroke="${mix(paper, light, 0.25)}" stroke-width="32"`,
    ) +
    linear('glaze', [mix(paper, light, 0.1), '#ffffff', mix(light, base, 0.4)], true) +
    path('M196 192H568V440Q568 508 500 508H264Q196 508 196 440Z', 'fill="url(#glaze)"') +
    path(
      'M196 446V440Q196 508 264 508H500Q568 508 568 440V446Q562 484 500 484H264Q202 484 196 446Z',
      fill(base, 0.25),
    ) +
    `<ellipse cx="382" cy="192" rx="186" ry="34" fill="${mix(paper, light, 0.4)}"/><ellipse cx="382" cy="196" rx="168" ry="26" fill="#5b3420"/><ellipse cx="350" cy="192" rx="90" ry="9" ${fill('#c88a52', 0.6)}/>` +
    pixels +
    rect(216, 236, 18, 214, `rx="9" ${fill('#ffffff', 0.75)}`)
  );
};

/** A T-shirt laid flat, mountains and a sun on its chest. */
export const shirt: Motif = (art) => {
  const { night, deep, base, light, accent, paper } = art.colours;
  const cut =
    'M292 84Q400 150 508 84L612 128Q668 190 700 282L594 324L568 270V548Q400 568 232 548V270L206 324L100 282Q132 190 188 128Z';
  const rays = repeat(24, (index) => {
    const [x, y] = around([400, 318], (index * Math.PI) / 12, 118);
    const [farX, farY] = around([400, 318], (index * Math.PI) / 12, index % 2 === 0 ? 152 : 138);
    return path(d`M${x} ${y}L${farX} ${farY}`, '');
  });
  return (
    studio(art, { floor: 600, shadow: 0 }) +
    shade(400, 556, 240, night) +
    group('transform="translate(8 12)"', path(cut, fill(night, 0.22))) +
    linear('cloth', [mix(deep, base, 0.12), mix(night, deep, 0.55)], true) +
    path(cut, 'fill="url(#cloth)"') +
    path('M292 84Q400 150 508 84L494 78Q400 128 306 78Z', fill(mix(night, '#000000', 0.2))) +
    path('M286 90Q400 166 514 90', stroke(mix(deep, base, 0.6), 7)) +
    path(
      'M568 270Q556 220 566 168M232 270Q244 220 234 168M286 540Q272 460 290 392M520 536Q536 470 512 410',
      `${stroke('#000000', 5, 0.22)} stroke-linecap="round"`,
    ) +
    path('M104 270L208 312M592 312L696 270', stroke(mix(deep, base, 0.5), 4)) +
    `<clipPath id="print">${circle(400, 318, 106, '')}</clipPath>` +
    group(`stroke="${accent}" stroke-width="5" stroke-linecap="round"`, rays) +
    group(
      'clip-path="url(#print)"',
      rect(290, 208, 220, 220, fill(mix(accent, paper, 0.3))),
      ball(400, 296, 46, light),
      polygon('280,400 340,290 384,350 430,268 520,400 520,440 280,440', fill(base)),
      polygon('340,290 384,350 366,346 352,362 336,340 322,330', fill(paper)),
      polygon('430,268 466,322 448,318 434,338 416,316 404,316', fill(paper)),
      polygon('280,392 330,362 392,398 450,356 520,396 520,440 280,440', fill(deep)),
    )
  );
};
