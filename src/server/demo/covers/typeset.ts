import { escapeXml, short } from './drawing.ts';

// Widths of Helvetica Bold in thousandths of the size (Adobe's font metrics), with an allowance for wider families. Which
// of them a machine has is unknown, so each line says how wide it is, and the browser squeezes or spreads it to that.
const ALLOWANCE = 1.05;
const DEFAULT_WIDTH = 667;
const widths = new Map<string, number>();
for (const [width, letters] of [
  [278, " ,./Iijl:;’'"],
  [333, 'ft-()!'],
  [389, 'r'],
  [500, 'z'],
  [556, '0123456789$JTsaceckvxy'],
  [611, 'bdghnopquFLZ'],
  [722, 'ABCDHKNRU&'],
  [778, 'GOQw'],
  [833, 'M'],
  [889, 'm'],
  [944, 'W'],
] as const) {
  for (const letter of letters) widths.set(letter, width);
}

export const fonts = {
  sans: "Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif",
  serif: "Georgia,'Times New Roman','Liberation Serif',serif",
  mono: "ui-monospace,Menlo,Consolas,'Liberation Mono',monospace",
} as const;

export interface Style {
  x: number;
  y: number;
  size: number;
  ink: string;
  font?: keyof typeof fonts;
  weight?: number;
  anchor?: 'start' | 'middle' | 'end';
  /** Space between letters as a share of the size. */
  tracking?: number;
  attributes?: string;
}

/** How wide a line of text is set. */
export function widthOf(text: string, size: number, tracking = 0): number {
  const ems = [...text].reduce(
    (sum, letter) => sum + (widths.get(letter) ?? DEFAULT_WIDTH) / 1000 + tracking,
    0,
  );
  return ems * size * ALLOWANCE;
}

export function words(text: string, style: Style): string {
  if (text === '') return '';
  const { x, y, size, ink, font = 'sans', weight = 800 } = style;
  const { anchor = 'start', tracking = 0, attributes = '' } = style;
  return (
    `<text x="${short(x)}" y="${short(y)}" font-family="${fonts[font]}" font-size="${short(size)}" ` +
    `font-weight="${weight}" fill="${ink}" text-anchor="${anchor}" letter-spacing="${short(tracking * size)}" ` +
    `textLength="${short(widthOf(text, size, tracking))}" lengthAdjust="spacingAndGlyphs" ` +
    `${attributes}>${escapeXml(text)}</text>`
  );
}

function wrap(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && fits(line)) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

export interface Block {
  lines: string[];
  size: number;
}

/** The largest size at which a text fits into a width and a number of lines, with lines of about equal length. */
export function fit(
  text: string,
  box: { width: number; lines: number; largest: number; smallest?: number; tracking?: number },
): Block {
  const { width, largest, smallest = 22, tracking = 0 } = box;
  const linesIn = (limit: number, size: number) =>
    wrap(text, (line) => widthOf(line, size, tracking) <= limit);
  let size = largest;
  const tooMuch = () => {
    const lines = linesIn(width, size);
    return lines.length > box.lines || lines.some((line) => widthOf(line, size, tracking) > width);
  };
  while (size > smallest && tooMuch()) size -= 2;
  let lines = linesIn(width, size);
  for (let limit = width; limit > width / 3; limit -= width / 40) {
    const narrower = linesIn(limit, size);
    if (narrower.length > lines.length) break;
    if (narrower.every((line) => widthOf(line, size, tracking) <= limit)) lines = narrower;
  }
  return { lines, size };
}

const LEADING = 1.08;

/** Lines of a block, the first one's baseline at `style.y`. */
export const lines = (block: Block, style: Omit<Style, 'size'>): string =>
  block.lines
    .map((line, index) =>
      words(line, { ...style, size: block.size, y: style.y + index * block.size * LEADING }),
    )
    .join('');

export const heightOf = (block: Block): number => block.size * (1 + (block.lines.length - 1) * LEADING);
