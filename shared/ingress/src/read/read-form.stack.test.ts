import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReceivedForm } from '../form/received.ts';
import { MemoryBudget, TokenCount } from '../memory/budgets.ts';
import { type FormLimits, readForm } from './read-form.ts';

const mb = 1_000_000;
const room = { memory: 64 * mb, disk: 16 * mb };
const boundary = 'xyz';
const type = `multipart/form-data; boundary=${boundary}`;

let folder: string;
let clock: ManualClock;
let limits: FormLimits;
const unbounded = new TokenCount(Number.MAX_SAFE_INTEGER, 'full');
let memory: MemoryBudget;
let disk: MemoryBudget;
let over: AbortController;
let outcomes = Promise.withResolvers<ReceivedForm | GatewayError>();

/** Reads each request's form, and answers with the error's kind or an empty body. */
const server = createServer(async (incoming: IncomingMessage, response) => {
  const share = memory.share('a');
  response.once('close', () => share.release());
  const options = { folder, memory: share, disk: disk.share('a') };
  const outcome = await readForm(incoming, limits, options, over.signal).catch(
    (error: GatewayError) => error,
  );
  outcomes.resolve(outcome);
  response.end(outcome instanceof GatewayError ? outcome.kind : '');
});
// A server that closes idle connections may do so just as the next test sends its form.
server.keepAliveTimeout = 0;
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  clock = new ManualClock();
  folder = mkdtempSync(join(tmpdir(), 'gateway-form-'));
  limits = { upload: { bytes: 8 * mb, bytesPerSecond: 1_000, ms: 60_000, clock }, memoryBytes: mb };
  memory = new MemoryBudget(room.memory, unbounded);
  disk = new MemoryBudget(room.disk, unbounded);
  over = new AbortController();
  outcomes = Promise.withResolvers();
});

/** After each test there must be no file, no open file and no reserved bytes. */
afterEach(async () => {
  const outcome = await outcomes.promise;
  if (!(outcome instanceof GatewayError)) await outcome.close();
  expect(readdirSync(folder)).toEqual([]);
  expect(openIn(folder)).toEqual([]);
  await expect.poll(() => [memory.held, disk.held]).toEqual([0, 0]);
  rmSync(folder, { recursive: true });
});

/** Returns the open files of a folder, including unlinked ones. */
function openIn(path: string): string[] {
  return readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(path) ? [target] : [];
    } catch {
      return [];
    }
  });
}

type Part = { head: string; body?: string | Buffer };
const field = (name: string, body = 'value'): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  body,
});
const file = (name: string, body: string | Buffer = 'bytes', filename = 'a.wav'): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: audio/wav`,
  body,
});

function form(parts: Part[], end = `--${boundary}--\r\n`): Buffer {
  const written = parts.flatMap(({ head, body = '' }) => [`--${boundary}\r\n${head}\r\n\r\n`, body, '\r\n']);
  return Buffer.concat([...written, end].map(piece => Buffer.from(piece)));
}

async function post(body: Buffer, headers: Record<string, string | number> = {}): Promise<string> {
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    headers: { 'content-type': type, ...headers },
  });
  const answered = once(sent, 'response');
  sent.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return (await response.setEncoding('utf8').toArray()).join('');
}

async function received(body: Buffer, headers = {}): Promise<ReceivedForm> {
  await post(body, headers);
  const outcome = await outcomes.promise;
  if (outcome instanceof GatewayError) throw outcome;
  return outcome;
}

async function refused(): Promise<GatewayError> {
  const outcome = await outcomes.promise;
  if (outcome instanceof GatewayError) return outcome;
  throw new Error('the form was read');
}

async function digest(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a form is read', () => {
  test('with its fields and files, each in their order', async () => {
    const parts = [
      field('a', '1'),
      file('file', 'one', 'ä %22b%22.wav'),
      field('a', '2'),
      file('more', 'three'),
    ];
    const { fields, files } = await received(form(parts));
    expect(fields).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
    expect(files).toEqual([
      { name: 'file', filename: 'ä %22b%22.wav', mediaType: 'audio/wav', size: 3 },
      { name: 'more', filename: 'a.wav', mediaType: 'audio/wav', size: 5 },
    ]);
  });

  test.each([
    ['few bytes in memory', 100_000, 0],
    ['many bytes on disk', 3 * mb, 1],
  ])('and its bytes can be read again: %s', async (_what, size, open) => {
    const bytes = [randomBytes(size), randomBytes(size)] as const;
    const read = await received(form([file('file', bytes[0]), field('model'), file('file', bytes[1])]));
    expect(openIn(folder)).toHaveLength(open);
    expect(readdirSync(folder)).toEqual([]);
    const whole = sha256(Buffer.concat(bytes));
    expect(await digest(read.bytes())).toBe(whole);
    expect(await digest(read.bytes())).toBe(whole);
    expect(disk.held).toBe(open * 2 * size);
  });

  test('byte by byte', async () => {
    const body = form([field('model', 'm'), file('file', randomBytes(300))]);
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    for (const byte of body) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    const outcome = await outcomes.promise;
    socket.destroy();
    expect(outcome).toMatchObject({ fields: [['model', 'm']], files: [{ size: 300 }] });
  });

  test('when it is compressed', async () => {
    const bytes = randomBytes(mb);
    const body = gzipSync(form([file('file', bytes)]));
    const read = await received(body, { 'content-encoding': 'gzip' });
    expect(await digest(read.bytes())).toBe(sha256(bytes));
  });

  test('with the most parts allowed, and long fields', async () => {
    const fields = Array.from({ length: 199 }, (_, i) => field(`f${i}`));
    const files = Array.from({ length: 32 }, () => file('file[]'));
    const long = field('known_speaker_references[]', 'x'.repeat(3 * mb));
    const read = await received(form([...fields, long, ...files]));
    expect([read.fields.length, read.files.length]).toEqual([200, 32]);
    expect(read.field('known_speaker_references[]')).toHaveLength(3 * mb);
  });
});

const many = (count: number, part: Part) => Array.from({ length: count }, () => part);
const multipartCode = { code: 'invalid_multipart_form_data' };
const longCode = 'string_above_max_length';

describe('an invalid form is refused', () => {
  test.each<[string, Buffer, string | RegExp, object]>([
    ['201 fields', form(many(201, field('f'))), /more than 200 fields/, multipartCode],
    ['33 files', form(many(33, file('f'))), /more than 32 files/, multipartCode],
    [
      'parts without a disposition',
      form(many(300, { head: 'X-Y: z' })),
      /more than 232 parts/,
      multipartCode,
    ],
    [
      'a field without a name',
      form([{ head: 'Content-Disposition: form-data' }]),
      /without a name/,
      multipartCode,
    ],
    [
      'a file without a name',
      form([{ head: 'Content-Disposition: form-data; filename="a"' }]),
      /without a name/,
      multipartCode,
    ],
    ['a long name', form([field('n'.repeat(201))]), /name of a part is longer/, { code: longCode }],
    ['a long name of a file', form([file('n'.repeat(201))]), /name of a part is longer/, { code: longCode }],
    [
      'a long file name',
      form([file('file', 'x', 'n'.repeat(1_001))]),
      /file name of 'file' is longer than 1000/,
      { code: longCode, param: 'file' },
    ],
    [
      'a long field',
      form([field('prompt', 'x'.repeat(4_200_000))]),
      /'prompt' is longer than 4194304 bytes/,
      { code: longCode, param: 'prompt' },
    ],
    [
      'a header without an end',
      form([{ head: `X: ${'y'.repeat(20_000)}` }]),
      /incomplete or malformed/,
      multipartCode,
    ],
    [
      'no end',
      form([field('a'), file('file', 'x'.repeat(100_000))], ''),
      /incomplete or malformed/,
      multipartCode,
    ],
    [
      'an end inside a file',
      form([file('file', randomBytes(mb))]).subarray(0, mb / 2),
      /incomplete or malformed/,
      multipartCode,
    ],
    ['an empty body', Buffer.alloc(0), /incomplete or malformed/, multipartCode],
  ])('%s', async (_what, body, message, details) => {
    expect(await post(body)).toBe('invalid-request');
    const error = await refused();
    expect(error).toMatchObject({ kind: 'invalid-request', details });
    expect(error.message).toMatch(message);
  });

  test.each([
    ['many', 5, 'x'],
    ['small, but large as JSON', 1, '\u0001'],
  ])('for fields that are too large together: %s', async (_what, count, character) => {
    limits.upload.bytes = 32 * mb;
    await post(form(many(count, field('f', character.repeat(4_000_000)))));
    expect(await refused()).toMatchObject({ kind: 'invalid-request', details: multipartCode });
  });

  test('for a missing boundary', async () => {
    await post(form([field('a')]), { 'content-type': 'multipart/form-data' });
    const error = await refused();
    expect(error).toMatchObject({ kind: 'invalid-request', details: multipartCode });
    expect(error.message).toMatch('no boundary');
  });

  test.each([
    ['gzip', Buffer.from('not compressed'), /decompressed/],
    ['gzip', gzipSync(form([file('file', randomBytes(mb))])).subarray(0, 500_000), /decompressed/],
    ['rot13', form([field('a')]), /rot13 is not supported/],
  ])('for a bad encoding: %s', async (encoding, body, message) => {
    await post(body, { 'content-encoding': encoding });
    const error = await refused();
    expect(error.kind).toBe('invalid-request');
    expect(error.message).toMatch(message);
  });

  test('quickly, even with very many parts', async () => {
    const parts = form(many(200_000, { head: 'X: y' }));
    const before = process.cpuUsage();
    await post(parts);
    await refused();
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});

describe('a form over the limit is refused', () => {
  test('before its body arrives, if its Content-Length is too large', async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${9 * mb}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(answer).toMatch(/too-large/);
    expect((await refused()).kind).toBe('too-large');
  });

  test('before its client has finished sending', async () => {
    const headers = { 'content-type': type };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers });
    const answered = once(sent, 'response');
    const head = form([file('file', '')], '').subarray(0, -2);
    sent.write(head);
    for (let i = 0; i < 9; i++) sent.write(Buffer.alloc(mb));
    const [response] = (await answered) as [IncomingMessage];
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('too-large');
    sent.on('error', () => {}).destroy();
  });

  test('by its decompressed size', async () => {
    const body = gzipSync(form([file('file', Buffer.alloc(20 * mb))]));
    expect(body.length).toBeLessThan(100_000);
    expect(await post(body, { 'content-encoding': 'gzip' })).toBe('too-large');
  });
});

describe('a client that sends a form', () => {
  const begin = (bytes: number) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${5 * mb}\r\n\r\n`);
    socket.write(form([file('file', Buffer.alloc(bytes))], '').subarray(0, -2));
    return socket;
  };
  /** Waits until the bytes have arrived: large ones go to the disk. */
  const arrived = (bytes: number) =>
    expect.poll(() => (bytes > mb ? disk.held : memory.held)).toBeGreaterThan(0);

  test.each([
    ['destroy', 1_000],
    ['destroy', 2 * mb],
    ['resetAndDestroy', 1_000],
    ['resetAndDestroy', 2 * mb],
  ] as const)('may end its connection by %s after %i bytes', async (end, bytes) => {
    const socket = begin(bytes);
    await arrived(bytes);
    socket[end]();
    expect((await refused()).kind).toBe('cancelled');
  });

  test.each([1_000, 2 * mb])('gets the error if its token is revoked after %i bytes', async bytes => {
    const socket = begin(bytes).setEncoding('utf8');
    await arrived(bytes);
    over.abort(new GatewayError('unauthenticated', 'This API key was revoked.'));
    expect((await refused()).kind).toBe('unauthenticated');
    expect((await once(socket, 'data'))[0]).toMatch('unauthenticated');
    socket.destroy();
  });

  test('gets a timeout after the total time, even if it sends steadily', async () => {
    limits.upload.ms = 1_500;
    const socket = begin(2 * mb);
    // Time in which the body is not read, while it goes to the disk, does not count.
    await expect.poll(() => disk.held).toBeGreaterThanOrEqual(2 * mb);
    let isOver = false;
    const refusal = refused().finally(() => {
      isOver = true;
    });
    const sendSteadily = () => {
      socket.write(Buffer.alloc(2_000));
      return isOver;
    };
    await clock.advanceUntil(sendSteadily, { stepMs: 1_000, mostMs: 3_600_000 });
    expect(await refusal).toMatchObject({ kind: 'timeout', details: { code: 'request_timeout' } });
    expect(disk.held).toBe(0);
    // The client has some time to read the error.
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // The connection is reset if it still holds bytes of the last write.
    socket.resume().on('error', () => {});
    socket.once('close', () => resolve());
    await clock.advance(60_000);
    await closed;
  });
});

describe('a form is refused for lack of space', () => {
  test('if the disk budget of all uploads is used up', async () => {
    disk = new MemoryBudget(3 * mb, unbounded);
    await post(form([file('file', Buffer.alloc(4 * mb))]));
    expect(await refused()).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 1_000 } });
  });

  test('if the memory budget is used up', async () => {
    memory = new MemoryBudget(100_000, unbounded);
    await post(form([field('a', 'x'.repeat(60_000)), file('file', Buffer.alloc(60_000))]));
    expect((await refused()).kind).toBe('overloaded');
  });

  test('if the folder does not exist', async () => {
    const made = folder;
    folder = join(made, 'gone');
    await post(form([file('file', Buffer.alloc(mb))]));
    folder = made;
    const error = await refused();
    expect(error).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 5_000 } });
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
    expect(error.message).not.toMatch('gateway-');
  });
});
