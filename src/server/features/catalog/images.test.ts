import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { sql } from 'kysely';
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { countWaiting } from '../../../../test/locks.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop();
const { token } = await signedInUser(shop, { role: 'admin' });

async function upload(file: Buffer, type = 'image/png', by = token) {
  const headers = { authorization: `Bearer ${by}`, 'content-type': type };
  const body = new Uint8Array(file);
  const answer = await fetch(`${shop.url}/api/admin/images`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as { data: { url: string }; code?: string } };
}

const plain = (width: number, height: number, background = '#c33') =>
  sharp({ create: { width, height, channels: 3, background } });
const noisy = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 120, sigma: 40 } },
  });

const countImages = async () => (await shop.deps.db.selectFrom('images').select('id').execute()).length;

describe('an uploaded picture', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('may be a %s, whatever its Content-Type', async (format) => {
    const file = await plain(40, 30).toFormat(format).toBuffer();
    for (const type of ['image/png', 'image/jpeg', 'image/webp']) {
      const { status, body } = await upload(file, type);
      expect([status, body.data]).toMatchObject([201, { width: 40, height: 30 }]);
      const served = await fetch(`${shop.url}${body.data.url}`);
      expect(served.headers.get('content-type')).toBe('image/webp');
      const { format: kept } = await sharp(Buffer.from(await served.arrayBuffer())).metadata();
      expect(kept).toBe('webp');
    }
  });

  it('waits for one other picture of its user, so that no user takes the places of the others', async () => {
    const file = await plain(2000, 2000).png().toBuffer();
    const other = await signedInUser(shop, { role: 'admin' });
    const tokens = [token, other.token].flatMap((by) => Array<string>(6).fill(by));
    const answers = await Promise.all(tokens.map((by) => upload(file, 'image/png', by)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
  });

  it('is stored once under the hash of its content, and cached by browsers for a year', async () => {
    const file = await noisy(60, 60).png().toBuffer();
    const { body } = await upload(file);
    const images = await countImages();
    expect((await upload(file)).body.data.url).toBe(body.data.url);
    expect(await countImages()).toBe(images);

    const served = await fetch(`${shop.url}${body.data.url}`);
    const content = Buffer.from(await served.arrayBuffer());
    const id = createHash('sha256').update(content).digest('hex');
    expect(body.data.url).toBe(`/images/${id}.webp`);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${id}"`,
      'content-length': String(content.length),
    });
    for (const tag of [`"${id}"`, `W/"${id}"`]) {
      const again = await fetch(`${shop.url}${body.data.url}`, { headers: { 'if-none-match': tag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('is scaled down and rotated upright, and loses its metadata', async () => {
    const file = await plain(1800, 1200)
      .withExif({ IFD0: { Make: 'Spying Camera' }, IFD3: { GPSLatitude: '3/1 8/1 0/1' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Spying Software</x:xmpmeta>')
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(file.includes('Spying Camera')).toBe(true);
    expect(await sharp(file).metadata()).toMatchObject({ orientation: 6, exif: expect.any(Buffer) });
    const { body } = await upload(file, 'image/jpeg');
    expect(body.data).toMatchObject({ width: 1067, height: 1600 });
    const content = Buffer.from(await (await fetch(`${shop.url}${body.data.url}`)).arrayBuffer());
    const { exif, xmp, icc, orientation } = await sharp(content).metadata();
    expect({ exif, xmp, icc, orientation }).toEqual({});
    expect(content.includes('Spying')).toBe(false);
  });

  it('loses data appended to the file', async () => {
    const hidden = Buffer.from('<script>alert(1)</script>');
    const file = await plain(20, 20).webp().toBuffer();
    const { body } = await upload(Buffer.concat([await plain(20, 20).png().toBuffer(), hidden]));
    const content = Buffer.from(await (await fetch(`${shop.url}${body.data.url}`)).arrayBuffer());
    expect(content.includes('script')).toBe(false);
    expect(content.length).toBeLessThan(file.length * 2);
  });

  it('may be a progressive JPEG of 100 scans', async () => {
    expect((await upload(jpegOfScans(100), 'image/jpeg')).body.data).toMatchObject({ width: 8, height: 8 });
  });

  it('may be an animated WebP, of which the first frame is kept', async () => {
    const file = await webpOfFrames(1_000);
    expect((await sharp(file).metadata()).pages).toBe(1_000);
    expect((await upload(file, 'image/webp')).body.data).toMatchObject({ width: 16, height: 12 });
  });

  it.each(['LE', 'BE'] as const)('may have EXIF data with 100 pointers, in byte order %s', async (order) => {
    expect((await upload(await jpegWithPointers(100, order), 'image/jpeg')).status).toBe(201);
  });

  // Three bytes of its rows look like a pointer in EXIF data.
  it('may be an uncompressed PNG of one colour', async () => {
    const file = await plain(200, 30, '#a00500').png({ compressionLevel: 0 }).toBuffer();
    expect((await upload(file)).body.data).toMatchObject({ width: 200, height: 30 });
  });

  it('is read without inflating its texts, of which 50 kB can become 50 MB', async () => {
    const text = deflateSync(Buffer.alloc(45_000_000));
    const texts = [
      chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), text])),
      chunk('iTXt', Buffer.concat([Buffer.from('Comment\0\u0001\0\0\0'), text])),
    ];
    const pixels = await plain(20, 30).png().toBuffer();
    // The signature and the header come first, the end last.
    const [start, end] = [8 + 25, pixels.length - 12];
    const middle = Buffer.concat(Array<Buffer>(30).fill(Buffer.concat(texts)));
    const last = Buffer.concat(texts);
    const file = Buffer.concat([
      pixels.subarray(0, start),
      middle,
      pixels.subarray(start, end),
      last,
      pixels.subarray(end),
    ]);
    const before = process.cpuUsage();
    expect((await upload(file)).body.data).toMatchObject({ width: 20, height: 30 });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(3);
  });

  it('is recorded in the audit log with its size', async () => {
    const { body } = await upload(await plain(33, 44).png().toBuffer());
    const entry = await shop.deps.db
      .selectFrom('audit_log')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ action: 'image.uploaded', summary: expect.stringContaining('33 × 44') });
    expect(body.data.url).toContain(entry.subject_id);
  });
});

describe('a file that is not a valid picture', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

  it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['an SVG under the name of a PNG', () => Buffer.from(svg), /PNG, JPEG or WebP/],
    [
      'an SVG behind the signature of a PNG',
      () => Buffer.concat([pngSignature, Buffer.from(svg)]),
      /could not be read/,
    ],
    ['a GIF', () => gif, /PNG, JPEG or WebP/],
    ['a GIF that is also a script', () => Buffer.from('GIF89a=1;alert(1)//'), /PNG, JPEG or WebP/],
    ['a TIFF', () => plain(9, 9).tiff().toBuffer(), /PNG, JPEG or WebP/],
    ['an AVIF', () => plain(16, 16).avif().toBuffer(), /PNG, JPEG or WebP/],
    ['a page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), /PNG, JPEG or WebP/],
    ['nothing', () => Buffer.alloc(0), /PNG, JPEG or WebP/],
    ['the first half of a PNG', async () => firstPart(await noisy(90, 90).png().toBuffer(), 0.5), /incomplete/],
    ['most of a JPEG', async () => firstPart(await noisy(90, 90).jpeg().toBuffer(), 0.95), /incomplete/],
    ['most of a WebP', async () => firstPart(await noisy(90, 90).webp().toBuffer(), 0.95), /incomplete/],
    ['a small file of 400 million pixels', () => emptyPng(20_000, 20_000), /50 million pixels/],
    ['a small file of one very long row', () => emptyPng(700_000, 1), /65,535 pixels on each side/],
    ['a JPEG of 110 scans', () => jpegOfScans(110), /too many scans/],
    ['a JPEG with 101 pointers in its EXIF data', () => jpegWithPointers(101, 'LE'), /too many EXIF directories/],
    [
      'a JPEG with 101 pointers in EXIF data of the other byte order',
      () => jpegWithPointers(101, 'BE'),
      /too many EXIF directories/,
    ],
    ['a WebP of 1,001 frames', () => webpOfFrames(1_001), /too many frames/],
    ['one that only claims to be huge', () => emptyPng(2_000_000_000, 2_000_000_000), /could not be read|pixels/],
  ])('is rejected with a readable message: %s', async (_what, file, words) => {
    const images = await countImages();
    const { status, body } = await upload(await file());
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ code: 'IMAGE_REFUSED', message: expect.stringMatching(words) }),
    ]);
    expect(await countImages()).toBe(images);
  });

  it('is rejected for another media type or a size above 10 MiB', async () => {
    expect(await upload(gif, 'image/gif')).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const large = Buffer.concat([await plain(9, 9).png().toBuffer(), Buffer.alloc(10 * 1024 * 1024)]);
    expect(await upload(large)).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
  });
});

it.each([
  `${'0'.repeat(64)}.webp`,
  `${'0'.repeat(64)}.png`,
  'x.webp',
  '..%2f..%2fetc%2fpasswd',
  '%00.webp',
  "'%20OR%201=1--.webp",
])('answers 404 for a missing picture, without repeating its path: %s', async (file) => {
  const answer = await fetch(`${shop.url}/images/${file}`);
  const text = await answer.text();
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect(text).not.toContain(decodeURIComponent(file));
});

const firstPart = (file: Buffer, part: number) => file.subarray(0, Math.floor(file.length * part));

/** A JPEG whose EXIF data is one directory of pointers to itself. */
async function jpegWithPointers(pointers: number, order: 'LE' | 'BE'): Promise<Buffer> {
  const at = 8;
  const exif = Buffer.alloc(at + 2 + pointers * 12 + 4);
  const [short, long] =
    order === 'LE'
      ? [exif.writeUInt16LE.bind(exif), exif.writeUInt32LE.bind(exif)]
      : [exif.writeUInt16BE.bind(exif), exif.writeUInt32BE.bind(exif)];
  exif.write(order === 'LE' ? 'II' : 'MM');
  short(42, 2);
  long(at, 4);
  short(pointers, at);
  for (let entry = at + 2; entry < exif.length - 4; entry += 12) {
    // The tag, the type, the number of values and the offset.
    short(0x8769, entry);
    short(4, entry + 2);
    long(1, entry + 4);
    long(at, entry + 8);
  }
  const data = Buffer.concat([Buffer.from('Exif\0\0'), exif]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  const jpeg = await plain(20, 30).jpeg().toBuffer();
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** A grey JPEG of one scan for the average of its only block, and a scan for each further of its frequencies. */
function jpegOfScans(scans: number): Buffer {
  const segment = (marker: number, data: number[]) => Buffer.from([0xff, marker, 0, data.length + 2, ...data]);
  // One symbol of one bit: no difference, and the end of the block.
  const table = (id: number) => segment(0xc4, [id, 1, ...Array<number>(15).fill(0), 0]);
  const scan = (frequency: number, bits: number) =>
    Buffer.concat([segment(0xda, [1, 1, 0, frequency, frequency, bits]), Buffer.from([0x7f])]);
  const refinements = Array.from({ length: scans - 1 }, (_, at) => {
    const low = 13 - Math.floor(at / 63);
    return scan(1 + (at % 63), (low === 13 ? 0 : (low + 1) << 4) | low);
  });
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc2, [8, 0, 8, 0, 8, 1, 1, 0x11, 0]),
    table(0x00),
    table(0x10),
    scan(0, 0),
    ...refinements,
    Buffer.from([0xff, 0xd9]),
  ]);
}

async function webpOfFrames(frames: number): Promise<Buffer> {
  const [width, height] = [16, 12];
  const part = (name: string, data: Buffer) => {
    const head = Buffer.from(`${name}1234`);
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data]);
  };
  const still = await plain(width, height).webp().toBuffer();
  const pixels = still.subarray(still.indexOf('VP8 '));
  const [canvas, position] = [Buffer.alloc(10), Buffer.alloc(16)];
  // It has an animation.
  canvas.writeUInt8(2);
  for (const [place, at] of [
    [canvas, 4],
    [position, 6],
  ] as const) {
    place.writeUIntLE(width - 1, at, 3);
    place.writeUIntLE(height - 1, at + 3, 3);
  }
  const frame = part('ANMF', Buffer.concat([position, pixels]));
  const all = [part('VP8X', canvas), part('ANIM', Buffer.alloc(6)), ...Array<Buffer>(frames).fill(frame)];
  return part('RIFF', Buffer.concat([Buffer.from('WEBP'), ...all]));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG of one colour whose pixels are only described, as decompression bombs are. */
function emptyPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const pixels = deflateSync(Buffer.alloc(100_000));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

it('requests for pictures leave connections to the database to others', async () => {
  const { db } = shop.deps;
  const { body } = await upload(await plain(40, 30).png().toBuffer());
  const { answers } = await db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE images`.execute(trx);
    const answers = Array.from({ length: 40 }, () => fetch(`${shop.url}${body.data.url}`));
    await vi.waitFor(async () => expect(await countWaiting(db)).toBeGreaterThan(0), { timeout: 10_000, interval: 20 });
    expect((await fetch(`${shop.url}/api/digital-products?q=anything`)).status).toBe(200);
    return { answers };
  });
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
});
