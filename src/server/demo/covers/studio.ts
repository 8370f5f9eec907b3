import { type Art, backdrop, circle, fill, glow, HEIGHT, linear, mix, rect, WIDTH } from './drawing.ts';

/** The photographer's table on which goods stand: a wall, a floor, a light behind, a shadow beneath. */
export function studio(
  { colours: { night, deep, base, light, paper } }: Art,
  { dark = false, floor = 430, shadow = 230 }: { dark?: boolean; floor?: number; shadow?: number } = {},
): string {
  const [far, near] = dark ? [deep, night] : [mix(paper, light, 0.18), mix(paper, light, 0.55)];
  const table = dark ? [mix(night, base, 0.3), night] : [mix(light, base, 0.12), mix(paper, light, 0.7)];
  return (
    backdrop([far, near]) +
    glow(400, 250, 400, dark ? base : '#ffffff', dark ? 0.9 : 0.85) +
    linear('table', table) +
    rect(0, floor, WIDTH, HEIGHT - floor, 'fill="url(#table)"') +
    shade(400, floor + 68, shadow, dark ? '#000000' : night)
  );
}

/** Where something stands: darker in the middle. */
export const shade = (x: number, y: number, reach: number, colour: string): string =>
  [1, 0.8, 0.6]
    .map(
      (share) =>
        `<ellipse cx="${x}" cy="${y}" rx="${reach * share}" ry="${reach * share * 0.12}" ${fill(colour, 0.16)}/>`,
    )
    .join('');

/** A ball lit from the upper left. */
export const ball = (x: number, y: number, radius: number, colour: string): string =>
  circle(x, y, radius, fill(mix(colour, '#000000', 0.25))) +
  circle(x - radius * 0.07, y - radius * 0.09, radius * 0.88, fill(colour)) +
  circle(x - radius * 0.32, y - radius * 0.36, radius * 0.24, fill('#ffffff', 0.5));
