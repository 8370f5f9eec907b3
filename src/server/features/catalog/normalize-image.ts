import type { Sharp } from 'sharp';
import { AppError } from '../../../shared/errors.ts';
import { createLimiter } from '../../platform/limiter.ts';

const LONGEST_SIDE = 1600;
// What large phones take (48 megapixels); decoding one takes up to 170 MB, so it is one at a time.
const MOST_PIXELS = 50_000_000;
const QUALITY = 82;
const TIMEOUT_SECONDS = 20;

// Only these may be decoded at all: every other decoder, with whatever faults it has, is out of a file's reach.
const LOADERS = ['Png', 'Jpeg', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`);

const limited = createLimiter(1, 8);

export interface NormalImage {
  content: Buffer;
  width: number;
  height: number;
}

/**
 * Makes of a PNG, JPEG or WebP, known by its bytes and not by what it is called, a WebP of our own: upright, at most
 * 1600 pixels wide and high, and with none of what else was in the file (the place where it was taken, comments, code).
 * Throws IMAGE_REFUSED for anything else, also when it is cut off or would need too much memory; BUSY when too many wait.
 */
export async function normalizeImage(file: Buffer): Promise<NormalImage> {
  if (!startsLikeAnImage(file)) throw refused('The file must be a PNG, JPEG or WebP image');
  return limited(async () => {
    const open = await loadSharp();
    const { data, info } = await readable(
      open(file)
        .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
        .webp({ quality: QUALITY })
        .timeout({ seconds: TIMEOUT_SECONDS })
        .toBuffer({ resolveWithObject: true }),
    );
    return { content: data, width: info.width, height: info.height };
  });
}

const refused = (message: string) => new AppError('IMAGE_REFUSED', message);

function startsLikeAnImage(file: Buffer): boolean {
  const starts = (hex: string, at = 0) => file.subarray(at, at + hex.length / 2).toString('hex') === hex;
  const isPng = starts('89504e470d0a1a0a');
  const isJpeg = starts('ffd8ff');
  const isWebp = starts('52494646') && starts('57454250', 8);
  return isPng || isJpeg || isWebp;
}

async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && error.message.includes('pixel limit'))
      throw refused('The image must have at most 50 million pixels');
    throw refused('The image could not be read. It may be damaged or incomplete.');
  }
}

let loaded: Promise<(file: Buffer) => Sharp> | undefined;

/** Sharp with its library takes memory and time, so it is only loaded when the first picture comes. */
function loadSharp(): Promise<(file: Buffer) => Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    sharp.cache(false);
    sharp.concurrency(1);
    return (file) => sharp(file, { autoOrient: true, failOn: 'warning', limitInputPixels: MOST_PIXELS });
  });
  return loaded;
}
