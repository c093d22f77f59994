import {
  type EmbedRequest,
  type Envelope,
  type GenerateRequest,
  type OperationRequest,
  vectorJson,
} from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { ManualClock } from '@model-gateway/clock/testing';
import type { EncodeInput } from '@model-gateway/formats/upstream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Decoding, decodeTask, runTask } from './decoding.ts';

let decoding: Decoding;
beforeEach(() => {
  decoding = new Decoding(new ManualClock());
});
afterEach(() => decoding.stop());

function inputOf(operation: Envelope['operation'], sent: OperationRequest | Buffer): EncodeInput {
  const envelope = testEnvelope({
    operation,
    format: operation === 'embed' ? 'embeddings' : 'chat',
    stream: false,
  });
  const facts = { envelope, model: 'm', drop: [], limits: {} };
  return Buffer.isBuffer(sent)
    ? { ...facts, body: 'verbatim', text: sent }
    : { ...facts, body: 'canonical', request: sent };
}

const json = { mediaType: 'application/json', length: undefined };
const body = (value: unknown) => Buffer.from(JSON.stringify(value));

test('an answer in the client’s format comes back byte for byte, with its usage', async () => {
  const content = 'é"\\'.repeat(200_000);
  const bytes = body({
    choices: [{ index: 0, message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
  const text = body({ model: 'm', messages: [] });
  const decoded = await decoding.decode('t', () =>
    decodeTask('chat', inputOf('generate', text), bytes, json),
  );
  const [verbatim, finish] = decoded?.events ?? [];
  expect(verbatim).toMatchObject({ type: 'verbatim', whole: { status: 200, length: bytes.length } });
  expect(verbatim?.type === 'verbatim' && Buffer.compare(bytes, Buffer.from(verbatim.bytes))).toBe(0);
  expect(finish).toMatchObject({ type: 'finish', reason: 'stop', usage: { input: 3, output: 2 } });
});

test('a whole answer to a streaming request decodes to the same events as without a thread', async () => {
  const request: GenerateRequest = {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ type: 'function', name: 'a tool', parameters: {} }],
  };
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'a_tool', arguments: '{"a":12345678901234567890}' },
  };
  const bytes = body({
    model: 'up',
    choices: [
      {
        index: 0,
        message: { content: 'x'.repeat(300_000), tool_calls: [call] },
        finish_reason: 'tool_calls',
      },
    ],
  });
  const task = () => decodeTask('chat', inputOf('generate', request), bytes);
  const decoded = await decoding.decode('t', task);
  expect(decoded?.events).toEqual(runTask(task()));
  expect(decoded?.events?.at(-1)).toMatchObject({ type: 'finish' });
});

test('packed vectors keep their values', async () => {
  const vectors = ['[0.1,-0.25,1e-40,3]', '[-0.0,2,0.0023064255,1]'];
  const data = vectors.map(
    (vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  const bytes = Buffer.from(`{"model":"up","data":[${data.join(',')}]}`);
  const request: EmbedRequest = { inputs: ['a', 'b'], encoding: 'float' };
  const task = decodeTask('embeddings', inputOf('embed', request), bytes, json);
  const [event] = (await decoding.decode('t', () => task))?.events ?? [];
  if (event?.type !== 'result' || event.result.type !== 'embeddings')
    throw new Error('no embeddings in the result');
  expect(event.result.vectors.every(vector => typeof vector === 'object' && 'doubles' in vector)).toBe(true);
  const written = event.result.vectors.map(vector => JSON.stringify(vectorJson(vector)));
  expect(written).toEqual(vectors);
});

test.each([
  ['too many values', `{"choices":[${'{},'.repeat(8_000_000)}{}]}`],
  ['invalid JSON', `{"choices":${'[1,'.repeat(300_000)}`],
])('a body with %s is an error and does not block the event loop', async (_, text) => {
  const task = decodeTask('chat', inputOf('generate', body({})), Buffer.from(text), json);
  // Starts the thread.
  await decoding.decode('t', () =>
    decodeTask('chat', inputOf('generate', body({})), Buffer.from('{}'), json),
  );
  const before = process.threadCpuUsage();
  const decoded = await decoding.decode('t', () => task);
  const { user, system } = process.threadCpuUsage(before);
  expect(decoded?.events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  expect(user + system).toBeLessThan(500_000);
});

test('tokens take turns, and a cancelled task is not decoded', async () => {
  const order: string[] = [];
  const input = inputOf('generate', body({}));
  const decode = (token: string, name: string, wanted = true) =>
    decoding
      .decode(token, () => (wanted ? decodeTask('chat', input, Buffer.from('{}'), json) : undefined))
      .then(decoded => order.push(decoded ? name : `${name} not`));
  await Promise.all([
    decode('greedy', 'first'),
    decode('greedy', 'second'),
    decode('greedy', 'third', false),
    decode('other', 'its own'),
  ]);
  expect(order).toEqual(['first', 'its own', 'second', 'third not']);
});
