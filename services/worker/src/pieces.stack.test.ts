import type { ServerResponse } from 'node:http';
import type {
  EmbedRequest,
  ImageRequest,
  Operation,
  OperationRequest,
  RerankRequest,
} from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { findDialect } from '@model-gateway/formats/dialects';
import { beforeEach, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { batchesOf, runInBatches } from './batches.ts';
import { startUpstream } from './testing/attempts.ts';

/** Answers a request by its body. */
let respond: (response: ServerResponse, body: never) => void | Promise<void>;
let running = 0;
let most = 0;
const { dispatcher, attemptOf } = await startUpstream(
  async (request, response) => {
    most = Math.max(most, ++running);
    response.on('close', () => running--);
    let body = '';
    for await (const chunk of request) body += chunk;
    void respond(response, JSON.parse(body) as never);
  },
  { connections: null },
);
beforeEach(() => {
  most = 0;
  dispatcher.restart();
});

const answer = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const usage = { prompt_tokens: 2, total_tokens: 2 };
/** Answers each input with a vector of its number. */
const vectors = (response: ServerResponse, { input }: { input: string[] }, more: object = { usage }) =>
  answer(response, {
    model: 'up',
    data: input.map((text, index) => ({ index, embedding: [Number(text)] })),
    ...more,
  });

const texts = (count: number) => Array.from({ length: count }, (_, i) => String(i));

async function ask(
  request: OperationRequest,
  {
    signal = new AbortController().signal,
    operation = 'embed' as Operation,
    format = 'embeddings' as 'embeddings' | 'tei-rerank',
  } = {},
) {
  const dialect = findDialect(operation, format, 'canonical');
  if (!dialect) throw new Error('No dialect.');
  const envelope = testEnvelope({ operation, format: 'embed-content', stream: false });
  const { options, ...seen } = attemptOf(envelope, {
    signal,
    upstream: { dialect, original: false, batch: 2 },
    input: { body: 'canonical', request },
  });
  const pieces = batchesOf(options);
  const ended = pieces.length > 1 ? runInBatches(dispatcher, options, pieces) : attempt(dispatcher, options);
  return { ...seen, pieces, error: await ended };
}

describe('the pieces of a request', () => {
  test.each([
    [1, [1]],
    [2, [2]],
    [3, [2, 1]],
    [7, [2, 2, 2, 1]],
  ])('%i inputs are sent at most two per request', async (count, sizes) => {
    respond = vectors;
    const { pieces } = await ask({ inputs: texts(count), title: 'T' });
    expect(pieces.map(({ request }) => (request as EmbedRequest).inputs.length)).toEqual(sizes);
    expect(pieces.map(({ first }) => first)).toEqual(sizes.map((_, i) => 2 * i));
    expect(pieces.every(({ request }) => (request as EmbedRequest).title === 'T')).toBe(true);
  });

  test('documents are sent in one request if the provider has no limit', async () => {
    const request: RerankRequest = { query: 'q', documents: texts(1000) };
    const upstream = { batch: Number.POSITIVE_INFINITY } as never;
    expect(batchesOf({ upstream, input: { body: 'canonical', request } as never })).toEqual([
      { request, first: 0 },
    ]);
  });

  test('images are requested one by one if an upstream returns one per call', () => {
    const request = { prompt: 'p', n: 3 } as ImageRequest;
    const input = { body: 'canonical', request } as never;
    const upstream = (choices: string) => ({ dialect: { choices }, batch: 1 }) as never;
    expect(batchesOf({ upstream: upstream('one'), input })).toHaveLength(3);
    expect(batchesOf({ upstream: upstream('many'), input })).toHaveLength(1);
  });
});

describe('the answers to pieces', () => {
  test('answers to pieces are joined in order, with usage summed and at most four in flight', async () => {
    // Those in flight are answered in reverse, once there are as many as there may be.
    const waiting: (() => void)[] = [];
    respond = (response, body: { input: string[] }) => {
      waiting.unshift(() => vectors(response, body));
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
    };
    const { events, records, announced, error } = await ask({ inputs: texts(15) });
    expect(error).toBeUndefined();
    expect(events).toEqual([
      {
        type: 'result',
        result: { type: 'embeddings', model: 'up', vectors: texts(15).map(text => [Number(text)]) },
      },
      { type: 'finish', reason: 'stop', raw: null, usage: expect.objectContaining({ input: 16 }) },
    ]);
    expect(most).toBe(4);
    expect(records.map(({ id }) => Number(id)).toSorted()).toEqual(announced.map((_, i) => i + 1));
    expect(records).toHaveLength(8);
    expect(records.every(({ charged, outcome }) => charged && outcome === 'answered')).toBe(true);
    expect(records.map(({ usage }) => usage?.input)).toEqual(records.map(() => 2));
  });

  test('answers without usage are recorded with an estimate that is not sent to the client', async () => {
    for (const more of [
      {},
      { usage: {} },
      { usage: { prompt_tokens: 0, total_tokens: 0 } },
      { usage: null },
    ]) {
      respond = (response, body: never) => vectors(response, body, more);
      const { events, records } = await ask({ inputs: ['12345678', '12345678', '12345678'] });
      expect(records.map(record => [record.usage?.input, record.estimated])).toEqual(
        expect.arrayContaining([
          [4, true],
          [2, true],
        ]),
      );
      expect([0, undefined]).toContain((events[1] as { usage: { input: number } | null }).usage?.input);
    }
  });

  test('inputs of token ids are counted by their length', async () => {
    respond = (response, { input }: { input: number[][] }) =>
      answer(response, { data: input.map(() => ({ embedding: [1] })) });
    const { records } = await ask({ inputs: [[1, 2, 3, 4, 5], [6]] });
    expect(records).toMatchObject([{ usage: { input: 6 }, estimated: true }]);
  });

  test('a failed piece fails the request, and no piece is charged', async () => {
    respond = async (response, body: { input: string[] }) => {
      if (body.input[0] !== '6') return vectors(response, body);
      await dispatcher.hasEnded(3);
      response.writeHead(503).end('{}');
    };
    const { events, records, error } = await ask({ inputs: texts(8) });
    expect(error).toMatchObject({ kind: 'overloaded' });
    expect(events).toEqual([]);
    expect(records.map(({ outcome }) => outcome).toSorted()).toEqual([
      'answered',
      'answered',
      'answered',
      'failed',
    ]);
    expect(records.some(({ charged }) => charged)).toBe(false);
    expect(records.some(record => 'firstMs' in record)).toBe(false);
    expect(records.find(({ outcome }) => outcome === 'answered')?.usage).toMatchObject({ input: 2 });
  });

  test('a client that leaves cancels the remaining pieces', async () => {
    const leave = new AbortController();
    respond = (response, body: { input: string[] }) => {
      if (Number(body.input[0]) < 4) return vectors(response, body);
      leave.abort();
    };
    const { events, records, error } = await ask({ inputs: texts(40) }, { signal: leave.signal });
    expect(error).toBeUndefined();
    expect(events).toEqual([]);
    expect(records.length).toBeLessThan(10);
    const left = records.filter(({ outcome }) => outcome === 'cancelled');
    expect(left.length).toBeGreaterThan(0);
    // Those that were answered, and those that had been sent.
    expect(records.some(({ outcome, charged }) => outcome === 'answered' && !charged)).toBe(false);
    expect(left.some(({ charged, estimated }) => charged && estimated)).toBe(true);
  });
});

test('documents ranked in pieces are indexed by their place in the whole request', async () => {
  respond = (response, { texts = [] }: { texts?: string[] }) =>
    answer(
      response,
      texts.map((text, index) => ({ index, score: Number(text) })),
    );
  const request: RerankRequest = { query: 'q', documents: ['1', '5', '3', '9', '7'], top: 3 };
  const { events, records } = await ask(request, { operation: 'rerank', format: 'tei-rerank' });
  const ranked = [
    { index: 3, score: 9 },
    { index: 4, score: 7 },
    { index: 1, score: 5 },
  ];
  expect(events[0]).toMatchObject({ type: 'result', result: { ranked } });
  expect(records).toHaveLength(3);
  expect(records.every(({ estimated }) => estimated)).toBe(true);
});
