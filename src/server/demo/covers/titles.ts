import { type Art, fill, HEIGHT, rect, WIDTH } from './drawing.ts';
import { fit, heightOf, lines, type Style, widthOf, words } from './typeset.ts';

const MARGIN = 56;
const CAP_HEIGHT = 0.72;
const EDITION_SIZE = 22;
const EDITION_HEIGHT = 46;
const PILL_SIZE = 28;
const PILL_HEIGHT = 56;

/** A name as a cover says it: what stands before a colon, comma or bracket, and the rest. */
export function titleOf(name: string): { title: string; detail: string } {
  const found = /^(.+?)(?:: |, | \()(.+)$/.exec(name);
  if (!found) return { title: name, detail: '' };
  const [, title = name, rest = ''] = found;
  return { title, detail: rest.replace(/\)$/, '').replace(/ \(|, /g, ' · ') };
}

interface LogoOptions {
  ink?: string;
  detailInk?: string;
  largest?: number;
  maxLines?: number;
  style?: Partial<Style>;
}

/** A game's logo: capitals in the middle, the edition between two rules; from `top` down or from `bottom` up. */
export function logo(art: Art, options: LogoOptions & ({ top: number } | { bottom: number })): string {
  const { ink = art.colours.paper, detailInk = art.colours.accent } = options;
  const { largest = 92, maxLines = 1, style = {} } = options;
  const tracking = style.tracking ?? 0.03;
  const block = fit(art.title.toUpperCase(), { width: 670, lines: maxLines, largest, tracking });
  const below = heightOf(block) - block.size;
  const y =
    'top' in options ? options.top + block.size * CAP_HEIGHT : options.bottom - EDITION_HEIGHT - below;
  return (
    lines(block, { x: WIDTH / 2, y, ink, anchor: 'middle', weight: 900, ...style, tracking }) +
    edition(art.detail.toUpperCase(), y + below + EDITION_HEIGHT, detailInk)
  );
}

function edition(text: string, y: number, ink: string): string {
  const middle = WIDTH / 2;
  if (text === '') return rect(middle - 40, y - 8, 80, 3, fill(ink, 0.8));
  const style = { size: EDITION_SIZE, weight: 700, tracking: 0.22 };
  const half = widthOf(text, style.size, style.tracking) / 2 + 18;
  const rule = (x: number) => rect(x, y - EDITION_SIZE / 2 + 3, 60, 2, fill(ink, 0.7));
  return (
    words(text, { x: middle + 2, y, ink, anchor: 'middle', ...style }) +
    rule(middle - half - 60) +
    rule(middle + half)
  );
}

interface PlanOptions {
  ink?: string;
  pill?: string;
  pillInk?: string;
  width?: number;
  largest?: number;
  maxLines?: number;
  labelled?: boolean;
}

/** A label in small capitals over a title at the lower left, and the duration or edition as a pill beneath. */
export function plan(art: Art, options: PlanOptions): string {
  const { ink = art.colours.paper, pill = art.colours.accent, pillInk = art.colours.night } = options;
  const { width = 430, largest = 66, maxLines = 3, labelled = true } = options;
  const block = fit(art.title, { width, lines: maxLines, largest });
  const bottom = HEIGHT - MARGIN - (art.detail === '' ? 4 : PILL_HEIGHT + 28);
  const y = bottom - heightOf(block) + block.size;
  const label = labelled && !art.title.startsWith(art.category) ? art.category.toUpperCase() : '';
  const labelStyle = { size: 19, weight: 700, tracking: 0.16, attributes: 'opacity=".75"' };
  return (
    words(label, { x: MARGIN, y: y - block.size - 6, ink, ...labelStyle }) +
    lines(block, { x: MARGIN - 2, y, ink, tracking: -0.015 }) +
    pillOf(art.detail, pill, pillInk)
  );
}

function pillOf(text: string, colour: string, ink: string): string {
  if (text === '') return '';
  const [width, y] = [widthOf(text, PILL_SIZE) + PILL_SIZE * 1.5, HEIGHT - MARGIN - PILL_HEIGHT];
  const style = { size: PILL_SIZE, ink, anchor: 'middle', weight: 700 } as const;
  return (
    rect(MARGIN, y, width, PILL_HEIGHT, `rx="${PILL_HEIGHT / 2}" ${fill(colour)}`) +
    words(text, { x: MARGIN + width / 2, y: y + PILL_HEIGHT / 2 + PILL_SIZE * 0.36, ...style })
  );
}
