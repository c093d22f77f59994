import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { codecs } from '../speech/codecs/index.ts';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let agent: Agent;
beforeEach(async () => {
  agent = new Agent({ keepAlive: true });
  simulator = await startSimulator();
});
afterEach(() => {
  agent.destroy();
  return simulator.close();
});

/** As long as those of clients: it is what a parser looks for. */
const boundary = '----form-boundary-0123456789abcdef';
const megabyte = Buffer.alloc(1_024 * 1_024);
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

/** Begins an upload: the fields, then a WAV file that says to be as long as is told. */
function begin(model: string, megabytes: number, fields: Record<string, string> = {}): ClientRequest {
  const request = httpRequest(`${simulator.url}/v1/audio/transcriptions`, {
    method: 'POST',
    agent,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  for (const [name, value] of Object.entries({ model, ...fields }))
    request.write(partOf(`name="${name}"`, value));
  const frames = Math.floor((megabytes * megabyte.length) / 960);
  request.write(partOf('name="file"; filename="a.wav"', '').slice(0, -2));
  request.write(codecs.wav.head(frames));
  return request;
}

function partOf(disposition: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
}

async function write(request: ClientRequest, megabytes: number): Promise<void> {
  for (let at = 0; at < megabytes; at++) if (!request.write(megabyte)) await once(request, 'drain');
}

async function answerTo(request: ClientRequest): Promise<{ status: number | undefined; text: string }> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

test('a file of 200 MB is not kept in memory', async () => {
  const request = begin('sim-fast-whisper', 200, { response_format: 'verbose_json' });
  const answer = answerTo(request);
  await write(request, 8);
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  await write(request, 192);
  request.end(`\r\n--${boundary}--\r\n`);
  const { status, text } = await answer;
  clearInterval(watch);
  expect(status).toBe(200);
  expect(JSON.parse(text).duration).toBeCloseTo((200 * megabyte.length) / 48_000, 0);
  expect(most - before).toBeLessThan(100 * megabyte.length);
});

test('a client that leaves in the middle is counted', async () => {
  const request = begin('sim-fast', 10);
  request.on('error', () => {});
  await write(request, 2);
  await vi.waitFor(async () => expect(await stats()).toMatchObject({ requests: 1, cancelled: 0 }));
  request.destroy();
  await vi.waitFor(async () => expect(await stats()).toMatchObject({ requests: 1, cancelled: 1 }));
  expect(JSON.parse(simulator.requests[0]?.body ?? '')).toMatchObject({ files: [{ sha256: '' }] });
});

describe('before the upload is over', () => {
  test.each(['fault-429', 'fault-503'])('%s comes, and the connection stays good', async model => {
    const request = begin(model, 10);
    const { status, text } = await answerTo(request);
    expect(status).toBe(Number(model.slice(6)));
    expect(JSON.parse(text).error.message).toContain('asks for a failure');
    // The client says no more when there is room, once it has its answer.
    for (let at = 0; at < 10; at++) request.write(megabyte);
    request.end(`\r\n--${boundary}--\r\n`);
    await once(request, 'close');
    const next = begin(model, 10);
    await answerTo(next);
    expect(next.reusedSocket).toBe(true);
    expect(await stats()).toMatchObject({ cancelled: 0 });
  });

  test('fault-reset-first comes', async () => {
    const request = begin('fault-reset-first', 10);
    await expect(answerTo(request)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await stats()).toMatchObject({ cancelled: 0 });
  });

  test('a name without a known extension is refused', async () => {
    const request = httpRequest(`${simulator.url}/v1/audio/transcriptions`, {
      method: 'POST',
      agent,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': 1_000_000 },
    });
    request.on('error', () => {}).write(partOf('name="file"; filename="a.txt"', ''));
    expect((await answerTo(request)).status).toBe(400);
    request.destroy();
  });
});

describe('after the upload', () => {
  /** Sends seven seconds, and says what comes of it. */
  async function ask(model: string, stream = true) {
    const form = new FormData();
    form.append('file', new Blob([codecs.wav.head(350), Buffer.alloc(350 * 960)]), 'a.wav');
    form.append('model', model);
    if (stream) form.append('stream', 'true');
    const response = await fetch(`${simulator.url}/v1/audio/transcriptions`, { method: 'POST', body: form });
    return { status: response.status, text: response.text() };
  }

  test('a fault whose model comes last comes all the same', async () => {
    expect((await ask('fault-429')).status).toBe(429);
    expect((await ask('fault-error', false)).status).toBe(503);
  });

  test('fault-truncate and fault-no-end end too early', async () => {
    const some = await (await ask('fault-truncate')).text;
    expect(some.trimEnd().split('\n\n')).toHaveLength(5);
    const most = await (await ask('fault-no-end')).text;
    expect(most).toContain('transcript.text.done');
    expect(most).not.toContain('[DONE]');
    const whole = await (await ask('fault-truncate', false)).text;
    expect(() => JSON.parse(whole)).toThrow(SyntaxError);
  });

  test('fault-reset and fault-error come in the middle', async () => {
    await expect((await ask('fault-reset')).text).rejects.toThrow();
    const events = (await (await ask('fault-error')).text).trimEnd().split('\n\n');
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toMatch(/^data: {"error":/);
    expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
  });

  test('fault-u2028 shows in the text', async () => {
    expect((await (await ask('fault-u2028')).text).split('\u2028')).toHaveLength(3);
  });

  test('the pace is that of the model', async () => {
    const started = performance.now();
    await (await ask('sim-t5-i40ms-f100ms')).text;
    expect(performance.now() - started).toBeGreaterThan(295);
    await (await ask('sim-t5-i40ms-f100ms', false)).text;
    expect(performance.now() - started).toBeGreaterThan(590);
  });
});
