import type { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

/** Starts the simulator again, at a time that the test moves. */
async function standStill(): Promise<ManualClock> {
  const started = await atStandstill(simulator);
  simulator = started.simulator;
  return started.clock;
}

/** A request to an API that does not generate text. */
interface Case {
  what: string;
  path(model: string): string;
  asks: object;
  /** Sent in the place of JSON. */
  file?: { type: string; bytes: Uint8Array };
  overloaded: number;
  /** The pattern of error bodies. */
  message: RegExp;
  /** True if the answer contains a text that a fault can change. */
  marked: boolean;
  /** Input tokens. */
  input: number;
}

const openaiError = /^\{"error":\{"message":"The model's name/;
const generateContentError = /^\{"error":\{"code":\d+,"message":"The model's name/;
const cohereError = /^\{"id":"req_\w+","message":"The model's name/;
const deepgramError = /^\{"err_code":"[\w ]+","err_msg":"The model's name/;
const teiError = /^\{"error":"The model's name.*","error_type":"\w+"\}$/;
const content = { parts: [{ text: 'A cat' }] };
const query = 'A cat';
const documents = ['A cat', 'A dog'];

const cases: Case[] = [
  {
    what: 'embeddings',
    path: () => '/v1/embeddings',
    asks: { input: 'A cat', dimensions: 8 },
    overloaded: 503,
    message: openaiError,
    marked: true,
    input: 2,
  },
  {
    what: 'embedContent',
    path: model => `/v1beta/models/${model}:embedContent`,
    asks: { content, outputDimensionality: 8 },
    overloaded: 503,
    message: generateContentError,
    marked: false,
    input: 2,
  },
  {
    what: 'embed of Cohere',
    path: () => '/v2/embed',
    asks: { texts: ['A cat'], input_type: 'search_query' },
    overloaded: 503,
    message: cohereError,
    marked: true,
    input: 2,
  },
  {
    what: 'rerank of Cohere',
    path: () => '/v2/rerank',
    asks: { query, documents },
    overloaded: 503,
    message: cohereError,
    marked: true,
    input: 6,
  },
  {
    what: 'rerank',
    path: () => '/v1/rerank',
    asks: { query, documents },
    overloaded: 503,
    message: openaiError,
    marked: true,
    input: 6,
  },
  {
    what: 'embed of TEI',
    path: model => `/tei/${model}/embed`,
    asks: { inputs: 'A cat', dimensions: 8 },
    overloaded: 429,
    message: teiError,
    marked: false,
    input: 2,
  },
  {
    what: 'rerank of TEI',
    path: model => `/tei/${model}/rerank`,
    asks: { query, texts: documents, return_text: true },
    overloaded: 429,
    message: teiError,
    marked: true,
    input: 6,
  },
  {
    what: 'images',
    path: () => '/v1/images/generations',
    asks: { prompt: 'A cat', size: '16x16' },
    overloaded: 503,
    message: openaiError,
    marked: false,
    input: 2,
  },
  {
    what: 'listen of Deepgram',
    path: model => `/v1/listen?model=${model}`,
    asks: {},
    file: { type: 'audio/mpeg', bytes: new Uint8Array(8_000) },
    overloaded: 503,
    message: deepgramError,
    marked: true,
    input: 0,
  },
];

const ask = ({ path, asks, file, what }: Case, model: string, more: object = {}, signal?: AbortSignal) =>
  fetch(simulator.url + path(model), {
    method: 'POST',
    headers: { 'content-type': file?.type ?? 'application/json', authorization: 'Token a-key' },
    body:
      file?.bytes ??
      JSON.stringify({ ...(/embedContent|TEI/.test(what) ? {} : { model }), ...asks, ...more }),
    ...(signal && { signal }),
  });
/** Sends a request, and disconnects half an hour after its answer has fallen silent. */
async function leave(each: Case, model: string, more: object = {}): Promise<void> {
  const clock = await standStill();
  const leaving = new AbortController();
  const reading = ask(each, model, more, leaving.signal).then(response => response.text());
  const left = expect(reading).rejects.toThrow();
  await waiting(clock, 1);
  await clock.advance(1_800_000);
  expect(clock.waiting).toBe(1);
  leaving.abort();
  await left;
}
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();
const isJson = (text: string) => {
  try {
    return Boolean(JSON.parse(text));
  } catch {
    return false;
  }
};

describe.each(cases)('$what', each => {
  test.each([400, 404, 429, 500, 529])('fault-%i is an error with this status', async status => {
    const response = await ask(each, `fault-${status}`);
    expect(response.status).toBe(status === 529 ? each.overloaded : status);
    expect(await response.text()).toMatch(each.message);
  });

  test('fault-200-error is an error with status 200', async () => {
    const response = await ask(each, 'fault-200-error');
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(each.message);
  });

  test.each(['fault-error', 'fault-error-first'])('%s has the status of overload', async model => {
    expect((await ask(each, model)).status).toBe(each.overloaded);
  });

  test('fault-reset and fault-reset-first reset the connection', async () => {
    const response = await ask(each, 'fault-reset');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await expect(ask(each, 'fault-reset-first')).rejects.toThrow();
    expect(await stats()).toMatchObject({ cancelled: 0, usage: { input: 0, output: 0 } });
  });

  test.each(['fault-truncate', 'fault-malformed', 'fault-no-end'])('%s is not JSON', async model => {
    const response = await ask(each, model);
    expect(response.status).toBe(200);
    expect(isJson(await response.text())).toBe(false);
  });

  test.each(['fault-stall', 'fault-hang'])(
    '%s does not answer, and a client that disconnects is counted',
    async model => {
      await leave(each, model);
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ cancelled: 1 }));
    },
  );

  test('fault-slow-100ms and fault-bytes are correct answers, and counted', async () => {
    const clock = await standStill();
    const asking = ask(each, 'fault-slow-100ms');
    await waiting(clock, 1);
    await pass(clock, 100);
    const slow = await (await asking).text();
    const bytes = await (await ask(each, 'fault-bytes')).text();
    expect([slow, bytes].map(isJson)).toEqual([true, true]);
    await vi.waitFor(async () =>
      expect(await stats()).toMatchObject({ requests: 2, usage: { input: 2 * each.input } }),
    );
  });

  test('fault-u2028 is a correct answer with U+2028 in its text, if any', async () => {
    const text = await (await ask(each, 'fault-u2028')).text();
    expect(isJson(text)).toBe(true);
    expect(text.includes('\u2028')).toBe(each.marked);
  });

  test('an unknown fault is a 404, and the request is recorded', async () => {
    const response = await ask(each, 'fault-nonsense');
    expect(response.status).toBe(404);
    await response.text();
    expect(simulator.requests).toMatchObject([{ method: 'POST', path: each.path('fault-nonsense') }]);
  });
});

// Slow, and the same in all APIs.
const long = cases.filter(({ what }) => /^(embeddings|images|rerank of TEI)$/.test(what));
test.each(long)('$what: fault-line is 100 MB', async each => {
  const text = await (await ask(each, 'fault-line')).text();
  expect(text.length).toBeGreaterThan(100 * 1_024 * 1_024);
  expect(text.at(-1)).toMatch(/[}\]]/);
});

describe('streamed images', () => {
  const images = cases.find(({ what }) => what === 'images') as Case;
  const see = (model: string) => ask(images, model, { stream: true, partial_images: 2 });
  const partial = 'image_generation.partial_image"';
  const completed = 'image_generation.completed"';
  const count = (text: string, part: string) => text.split(part).length - 1;

  test.each(['fault-truncate', 'fault-no-end'])('%s leaves out the final image', async model => {
    const text = await (await see(model)).text();
    expect([count(text, partial), count(text, completed)]).toEqual([2, 0]);
  });

  test('fault-reset resets the connection', async () => {
    await expect((await see('fault-reset')).text()).rejects.toThrow();
  });

  test('fault-malformed has one event that is not JSON', async () => {
    const data = (await (await see('fault-malformed')).text()).matchAll(/^data: (.*)$/gm);
    expect([...data].filter(([, json]) => !isJson(json ?? ''))).toHaveLength(1);
  });

  test('fault-error-first is only an error event', async () => {
    const text = await (await see('fault-error-first')).text();
    expect(text).toMatch(/^event: error\ndata: \{"type":"error","error":\{"message":"[^\n]*\n\n$/);
  });

  test('fault-line has one line of 100 MB', async () => {
    const text = await (await see('fault-line')).text();
    expect(text.split('\n').filter(line => line.length > 100 * 1_024 * 1_024)).toHaveLength(1);
    expect(count(text, completed)).toBe(1);
  });

  test('fault-stall stops the stream, and a client that disconnects is counted', async () => {
    await leave(images, 'fault-stall', { stream: true, partial_images: 1 });
    await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
  });

  test('are written at the pace of the model', async () => {
    const clock = await standStill();
    const seen = see('sim-i100ms-f50ms');
    for (const ms of [50, 100, 100]) {
      await waiting(clock, 1);
      await pass(clock, ms);
    }
    expect(count(await (await seen).text(), partial)).toBe(2);
  });
});
