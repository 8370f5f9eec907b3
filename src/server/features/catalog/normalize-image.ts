import type { Sharp } from 'sharp';
import { AppError } from '../../../shared/errors.ts';
import { createFairLimiter } from '../../platform/limiter.ts';

const LONGEST_SIDE = 1600;
// Phone cameras have up to 48 megapixels. Such a picture is decoded in rows, which takes 140 MB at most. A progressive JPEG,
// an interlaced PNG and a lossless WebP are decoded as a whole, which takes up to 480 MB, hence one at a time.
const MAX_PIXELS = 50_000_000;
// The maximum of JPEG. A PNG can be longer: a row of 49 million pixels, in a file of 140 kB, took 1.3 GB to scale.
const MAX_SIDE = 65_535;
const QUALITY = 82;
const TIMEOUT_SECONDS = 20;

// All other decoders are blocked, so that an upload cannot reach their bugs.
const LOADERS = ['Png', 'Jpeg', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`);

// Each user waits in one place, so that no user takes the places of the others.
const limited = createFairLimiter({ inAll: 1, ofKey: 1 }, 8);

/**
 * Converts a PNG, JPEG or WebP, recognised by its bytes and not by its name, to a new WebP: upright, at most 1600
 * pixels wide and high, without metadata (location, comments, code). Throws IMAGE_REFUSED for other formats, and for
 * files that are damaged or need too much memory; BUSY when too many calls wait.
 */
export async function normalizeImage(
  file: Buffer,
  userId: string,
): Promise<{ content: Buffer; width: number; height: number }> {
  if (!SIGNATURES.test(file.subarray(0, 12).toString('hex')))
    throw refused('The file must be a PNG, JPEG or WebP image');
  const normalize = async () => {
    assertFewParts(file);
    const picture = await openPicture(file);
    const { width, height } = await picture.metadata().catch(refuseUnreadable);
    if (Math.max(width, height) > MAX_SIDE) throw refused('The image must have at most 65,535 pixels on each side');
    const { data, info } = await picture
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer({ resolveWithObject: true })
      .catch(refuseUnreadable);
    return { content: data, width: info.width, height: info.height };
  };
  return limited(userId, normalize);
}

const refused = (message: string) => new AppError('IMAGE_REFUSED', message);

/** The parts of a JPEG and of a WebP that an ordinary picture has few of, and the bytes that begin one. */
const repeatedParts = [
  // Apart from the few scans of several colour components.
  { name: 'scans', mark: Buffer.from('ffda000801', 'hex'), max: 100 },
  { name: 'frames', mark: Buffer.from('ANMF'), max: 1_000 },
];
/** What begins the EXIF data of a JPEG, a PNG and a WebP. */
const EXIF_MARKS = ['Exif', 'eXIf', 'EXIF'];
const MAX_EXIF_POINTERS = 100;

/**
 * The decoder walks the whole JPEG for each scan, all earlier frames of a WebP for each frame, and for each pointer in
 * EXIF data the directory that it leads to, even its own. A file of 160 kB with 900 scans took 9 seconds, one of 2 MB
 * with 30,000 frames 20, and one of 60 kB with 5,000 pointers 10, which the timeout does not end.
 */
function assertFewParts(file: Buffer): void {
  for (const { name, mark, max } of repeatedParts) {
    let parts = 0;
    for (let at = file.indexOf(mark); at !== -1; at = file.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > max) throw tooMany(name);
    }
  }
  const starts = EXIF_MARKS.map((mark) => file.indexOf(mark)).filter((at) => at !== -1);
  let pointers = 0;
  for (let at = Math.min(...starts); at + 12 <= file.length; at += 1) {
    // In a file below 16 MiB, the first byte of an offset is zero.
    const bigEndian = file[at + 8] === 0 && isExifPointer(file.readUInt16BE(at));
    if (bigEndian || (file[at + 11] === 0 && isExifPointer(file.readUInt16LE(at)))) pointers += 1;
    if (pointers > MAX_EXIF_POINTERS) throw tooMany('EXIF directories');
  }
}

/** The tags of pointers to the directories of the camera, of the place, and of interoperability. */
const isExifPointer = (tag: number) => tag === 0x8769 || tag === 0x8825 || tag === 0xa005;

const tooMany = (name: string) => refused(`The image has too many ${name}. Please save it again in a simpler form`);

const PNG_SIGNATURE_BYTES = 8;
/** Bytes of a chunk of a PNG besides its data: length, type and checksum. */
const PNG_CHUNK_BYTES = 12;

const PNG_TEXTS = new Set(['tEXt', 'zTXt', 'iTXt'].map((type) => Buffer.from(type).readUInt32BE()));

/**
 * Returns a PNG without its texts. The decoder would inflate each, to up to 50 MB, though none is kept: a file of 7 MB
 * with 150 of them took 20 seconds, which the timeout does not end. Returns other files as they are.
 */
function withoutTexts(file: Buffer): Buffer {
  if (file[0] !== 0x89) return file;
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = PNG_SIGNATURE_BYTES; at + PNG_CHUNK_BYTES <= file.length; ) {
    const end = at + PNG_CHUNK_BYTES + file.readUInt32BE(at);
    if (PNG_TEXTS.has(file.readUInt32BE(at + 4))) {
      if (at > from) kept.push(file.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return kept.length === 0 ? file : Buffer.concat([...kept, file.subarray(from)]);
}

/** PNG, JPEG or WebP. */
const SIGNATURES = /^(89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/;

function refuseUnreadable(error: unknown): never {
  const isTooLarge = error instanceof Error && error.message.includes('pixel limit');
  throw refused(
    isTooLarge
      ? 'The image must have at most 50 million pixels'
      : 'The image could not be read. It may be damaged or incomplete.',
  );
}

/** Sharp is large, so the first picture loads it. A failed load is retried: an upgrade may be installing packages. */
async function openPicture(file: Buffer): Promise<Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp(withoutTexts(file), { autoOrient: true, failOn: 'warning', limitInputPixels: MAX_PIXELS });
}
