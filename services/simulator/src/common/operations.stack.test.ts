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
  /** The start of error bodies. */
  error: string;
}

const [openai, google] = ['{"error":{"message":"', '{"error":{"code":'];
const cohere = '{"id":"req_';
const tei = { overloaded: 429, error: '{"error":"' };
const [query, documents] = ['A cat', ['A cat', 'A dog']];
const content = { parts: [{ text: 'A cat' }] };

const cases: Case[] = [
  { path: '/v1/embeddings', asks: { input: 'A cat', dimensions: 8 }, error: openai },
  { path: '/v1beta/models/*:embedContent', asks: { content, outputDimensionality: 8 }, error: google },
  { path: '/v2/embed', asks: { texts: ['A cat'], input_type: 'search_query' }, error: cohere },
  { path: '/v2/rerank', asks: { query, documents }, error: cohere },
  { path: '/v1/rerank', asks: { query, documents }, error: openai },
  { path: '/tei/*/embed', asks: { inputs: 'A cat', dimensions: 8 }, ...tei },
  { path: '/tei/*/rerank', asks: { query, texts: documents, return_text: true }, ...tei },
  { path: '/v1/images/generations', asks: { prompt: 'A cat', size: '16x16' }, error: openai },
  { path: '/v1/listen?model=*', asks: new Uint8Array(8_000), error: '{"err_code":"' },
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
  const { overloaded = 503, error } = each;
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
