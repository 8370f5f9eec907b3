import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';
import { createLineWriter, type Sink } from './log.ts';

const lossNotice = (lines: number) => `lost ${lines}\n`;

/** A disk with room for so many bytes, until `makeRoom` is called. */
function disk(room: number) {
  let free = room;
  let text = '';
  const sink: Sink = (bytes, done) => {
    const written = Math.min(free, bytes.length);
    free -= written;
    text += bytes.subarray(0, written);
    queueMicrotask(() => done(written < bytes.length ? new Error('ENOSPC') : null, written));
  };
  return {
    sink,
    text: () => text,
    makeRoom: () => {
      free = Number.POSITIVE_INFINITY;
    },
  };
}

test('the writer counts the lines lost on a full disk and reports them once when there is room', async () => {
  const { sink, text, makeRoom } = disk(12);
  const writer = createLineWriter(sink, { lossNotice, retryMs: 1 });
  writer.write('first\n');
  writer.write('second\n');
  writer.write('third\n');
  await writer.flush(1_000);
  makeRoom();
  await vi.waitFor(() => expect(text()).toBe('first\nsecond\nlost 2\n'), { timeout: 15_000 });
  writer.write('fourth\n');
  await writer.flush(1_000);
  // The line that was cut off stays as it was, and the notice begins a new line.
  expect(text()).toBe('first\nsecond\nlost 2\nfourth\n');
});

test('the writer holds a full queue again after a failed write', async () => {
  const half = `${'x'.repeat(512 * 1024)}\n`;
  let fail: () => void = () => undefined;
  let text = '';
  const sink: Sink = (bytes, done) => {
    if (text === '') fail = () => done(new Error('ENOSPC'), 0);
    else queueMicrotask(() => done(null, bytes.length));
    text += bytes;
  };
  const writer = createLineWriter(sink, { lossNotice, retryMs: 1 });
  writer.write('first\n');
  writer.write(half);
  fail();
  text = 'failed\n';
  writer.write('next\n');
  writer.write(half);
  await writer.flush(1_000);
  expect(text).toBe(`failed\nlost 2\nnext\n${half}`);
});

const line = `${'x'.repeat(1_023)}\n`;

/** A writer with more lines than its queue holds, whose sink finishes one write at each `release`. */
function overfilled() {
  let takeWrite: () => void = () => undefined;
  let text = '';
  const sink: Sink = (bytes, done) => {
    takeWrite = () => {
      text += bytes;
      done(null, bytes.length);
    };
  };
  const writer = createLineWriter(sink, { lossNotice });
  for (let n = 0; n < 3_000; n += 1) writer.write(line);
  return { writer, text: () => text, release: () => takeWrite() };
}

test('the writer keeps a bounded number of lines for a stalled reader and counts the lost ones', async () => {
  const { writer, text, release } = overfilled();
  let flushed = false;
  const flush = writer.flush(60_000).then(() => {
    flushed = true;
  });
  while (!flushed) {
    release();
    await Promise.resolve();
  }
  await flush;
  const [, lost = '0'] = /lost (\d+)/.exec(text()) ?? [];
  expect(
    text()
      .split('\n')
      .filter((part) => part.startsWith('x')).length + Number(lost),
  ).toBe(3_000);
  expect(Number(lost)).toBeGreaterThan(1_000);
});

test('the writer writes the queued lines, with one notice, while lines arrive faster than the reader reads', () => {
  const { writer, text, release } = overfilled();
  for (let n = 0; n < 50; n += 1) {
    writer.write(line);
    writer.write(line);
    release();
  }
  const written = text().trimEnd().split('\n');
  expect(written.filter((part) => part.startsWith('lost'))).toHaveLength(1);
  expect(written).toHaveLength(50);
});

test('the writer writes another notice when lines are lost after its queue was empty', async () => {
  const { writer, text, release } = overfilled();
  let isEmpty = false;
  void writer.flush(60_000).then(() => {
    isEmpty = true;
  });
  while (!isEmpty) {
    release();
    await Promise.resolve();
  }
  writer.write('again\n');
  release();
  expect(text()).toContain('again');
  for (let n = 0; n < 3_000; n += 1) writer.write(line);
  release();
  release();
  expect(text().match(/lost/g)).toHaveLength(2);
});

test('the log neither blocks nor grows in memory while its pipe is not read', async () => {
  const script = `
    import { openStandardOutput } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
    const output = openStandardOutput();
    const line = 'x'.repeat(1_000) + '\\n';
    for (let n = 0; n < 50_000; n += 1) output.write(line);
    process.send({ megabytes: process.memoryUsage().rss / 1024 / 1024 });
    process.once('message', async () => {
      await output.flush(60_000);
      process.disconnect();
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // Nobody reads yet: only the first bytes fit into the pipe.
  const [{ megabytes }] = await once(child, 'message');
  expect(megabytes).toBeLessThan(150);
  const lines: string[] = [];
  const read = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  read.on('line', (line) => lines.push(line));
  child.send('read on');
  await once(child, 'close');
  const notices = lines.filter((line) => line.includes('could not be written')).map((line) => JSON.parse(line));
  expect(notices).toHaveLength(1);
  expect(lines.length - 1 + notices[0].lines).toBe(50_000);
  expect(notices[0].msg).toBe(`${notices[0].lines} log lines could not be written`);
});
