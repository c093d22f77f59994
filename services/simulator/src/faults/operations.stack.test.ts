import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { isJson, Seen } from '../testing/see.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

/** A request to an API that does not generate text. */
interface Case {
  path: string;
  asks: object;
  /** The status of 529. */
  overloaded?: number;
  /** How error bodies begin. */
  error: string;
  /** True if the answer contains a text that a fault can change. */
  marked?: boolean;
  /** Input tokens. */
  input: number;
}

const [openai, google] = ['{"error":{"message":"', '{"error":{"code":'];
const cohere = '{"id":"req_';
const tei = { overloaded: 429, error: '{"error":"' };
const [query, documents] = ['A cat', ['A cat', 'A dog']];
const content = { parts: [{ text: 'A cat' }] };
const marked = true;

const cases: Case[] = [
  { path: '/v1/embeddings', asks: { input: 'A cat', dimensions: 8 }, error: openai, marked, input: 2 },
  {
    path: '/v1beta/models/*:embedContent',
    asks: { content, outputDimensionality: 8 },
    error: google,
    input: 2,
  },
  {
    path: '/v2/embed',
    asks: { texts: ['A cat'], input_type: 'search_query' },
    error: cohere,
    marked,
    input: 2,
  },
  { path: '/v2/rerank', asks: { query, documents }, error: cohere, marked, input: 6 },
  { path: '/v1/rerank', asks: { query, documents }, error: openai, marked, input: 6 },
  { path: '/tei/*/embed', asks: { inputs: 'A cat', dimensions: 8 }, ...tei, input: 2 },
  { path: '/tei/*/rerank', asks: { query, texts: documents, return_text: true }, ...tei, marked, input: 6 },
  { path: '/v1/images/generations', asks: { prompt: 'A cat', size: '16x16' }, error: openai, input: 2 },
  { path: '/v1/listen?model=*', asks: new Uint8Array(8_000), error: '{"err_code":"', marked, input: 0 },
];

function begin({ path, asks }: Case, model: string, more: object = {}): Seen {
  const isFile = asks instanceof Uint8Array;
  const body = { ...(path.includes('*') ? {} : { model }), ...asks, ...more };
  const headers = {
    'content-type': isFile ? 'audio/mpeg' : 'application/json',
    authorization: 'Token a-key',
  };
  return new Seen(simulator.url + path.replace('*', model), isFile ? asks : JSON.stringify(body), headers);
}
const see = (...of: Parameters<typeof begin>) => begin(...of).ended;
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

describe.each(cases)('$path', each => {
  const { overloaded = 503, error, input } = each;
  test('a fault of a status, or of a stream, is an error of the API', async () => {
    const faults: [string, number][] = [
      ...[400, 404, 429, 500].map((status): [string, number] => [`${status}`, status]),
      ...['529', 'error', 'error-first'].map((name): [string, number] => [name, overloaded]),
      ...([
        ['200-error', 200],
        ['nonsense', 404],
      ] as [string, number][]),
    ];
    for (const [name, status] of faults) {
      const seen = await see(each, `fault-${name}`);
      expect(seen.text.slice(0, error.length), name).toBe(error);
      expect([seen.status, isJson(seen.text)], name).toEqual([status, true]);
    }
    expect(simulator.requests.at(-1)?.path).toBe(each.path.replace('*', 'fault-nonsense'));
  });

  test('a fault in the writes breaks the answer, which is not counted', async () => {
    for (const name of ['truncate', 'malformed', 'no-end']) {
      const { status, text } = await see(each, `fault-${name}`);
      expect([status, isJson(text)], name).toEqual([200, false]);
    }
    expect(await see(each, 'fault-reset')).toMatchObject({ status: 200, code: 'ECONNRESET' });
    expect(await see(each, 'fault-reset-first')).toMatchObject({ status: 0, code: 'ECONNRESET' });
    const silent = begin(each, 'fault-stall');
    await expect.poll(() => silent.text).not.toBe('');
    silent.leave();
    await expect.poll(stats).toMatchObject({ cancelled: 1, usage: { input: 0, output: 0 } });
  });

  test('unusual writes of a correct answer are counted', async () => {
    const [, , { text }] = [
      ...[await see(each, 'fault-slow-5ms'), await see(each, 'fault-bytes'), await see(each, 'fault-u2028')],
    ].filter(seen => isJson(seen.text)) as [Seen, Seen, Seen];
    expect(text.includes('\u2028')).toBe(each.marked ?? false);
    await expect.poll(stats).toMatchObject({ requests: 3, usage: { input: 3 * input } });
  });
});

test('fault-line is 100 MB', async () => {
  const { text } = await see(cases[0] as Case, 'fault-line');
  expect(text.length).toBeGreaterThan(100 * 1_024 * 1_024);
  expect(text.at(-1)).toBe('}');
});

test.each<[string, RegExp, number, number, number, string]>([
  ['sim-fast', /^/, 2, 1, 0, 'end'],
  ['fault-truncate', /^/, 2, 0, 0, 'end'],
  ['fault-no-end', /^/, 2, 0, 0, 'end'],
  // The broken event begins with its type, too.
  ['fault-malformed', /^/, 3, 1, 1, 'end'],
  [
    'fault-error-first',
    /^event: error\ndata: \{"type":"error","error":\{"message":"[^\n]*\n\n$/,
    0,
    0,
    0,
    'end',
  ],
  ['fault-reset', /^/, 2, 0, 0, 'ECONNRESET'],
])('streamed images of %s', async (model, text, partial, completed, broken, code) => {
  const images = cases.find(({ path }) => path.includes('images')) as Case;
  const seen = await see(images, model, { stream: true, partial_images: 2 });
  expect(seen).toMatchObject({ code, text: expect.stringMatching(text) });
  const count = (what: string) => seen.text.split(`"image_generation.${what}"`).length - 1;
  const data = [...seen.text.matchAll(/^data: (.*)$/gm)].filter(([, json]) => !isJson(json ?? ''));
  expect([count('partial_image'), count('completed'), data.length]).toEqual([partial, completed, broken]);
});
