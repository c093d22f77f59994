import type { GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { answerBounds, requestBounds } from '@model-gateway/json';
import { describe, expect, test } from 'vitest';
import { list, refusedOrDone } from './cost.ts';
import { type Body, type Growable, generating, read } from './endpoints.ts';
import { upstreams } from './upstreams.ts';

/** A list of a body has as many items as it may. */
const items = requestBounds.items - 1;
/** The number of lists that a body may have if each item has `values`. */
const lists = (values: number) => Math.floor(requestBounds.values / items / values) - 1;

/** Requests of which each value is wrong. */
const wrong: [keyof typeof generating, Body][] = [
  ['chat', { messages: list(lists(1), () => ({ role: 'user', content: list(items, () => ({})) })) }],
  ['chat', { tools: list(items, () => ({})), messages: list(items, () => ({})) }],
  ['messages', { messages: list(lists(1), () => ({ role: 'user', content: list(items, () => ({})) })) }],
  ['responses', { input: list(lists(1), () => ({ role: 'user', content: list(items, () => ({})) })) }],
  [
    'responses',
    { tools: list(lists(1), () => ({ type: 'namespace', name: 'x', tools: list(items, () => ({})) })) },
  ],
  [
    'generate-content',
    { contents: list(lists(2), () => ({ parts: list(items, () => ({ inlineData: {} })) })) },
  ],
  ['generate-content', { tools: list(lists(1), () => ({ functionDeclarations: list(items, () => ({})) })) }],
];

test.each(wrong)('a request in the format %s whose every value is wrong is refused', (format, fields) => {
  const growable = generating[format] as Growable;
  const body = { ...growable.base, ...fields };
  expect(refusedOrDone(() => read(growable, body).canonical())).toBeUndefined();
});

const asked: GenerateRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };

/** Returns the events of a stream of one event. */
function decoded(name: string, event: unknown): GenerateEvent[] {
  const { dialect, facts } = upstreams[name] as NonNullable<(typeof upstreams)[string]>;
  const envelope = testEnvelope({ format: 'messages' });
  const decoder = dialect.decodeStream({
    envelope,
    model: 'm',
    drop: [],
    limits: {},
    ...facts,
    body: 'canonical',
    request: asked,
  });
  return [...decoder.read(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)), ...decoder.end()];
}

describe('an event with as many values as it may have', () => {
  const most = (values: number) => Math.floor(answerBounds.values / values) - 10;

  test('is decoded', () => {
    const parts = list(most(2), i => (i % 2 ? { text: 'a' } : { text: 'b', thought: true }));
    const google = { candidates: [{ content: { parts: parts.slice(0, most(3)) }, finishReason: 'STOP' }] };
    expect(decoded('generate-content', google).at(-1)?.type).toBe('finish');
    const content = list(most(3), () => ({ type: 'text', text: 'a' }));
    const chat = { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    expect(decoded('chat', chat).at(-1)?.type).toBe('finish');
  });

  test('is an error of the upstream if each is wrong', () => {
    const parts = list(most(2), () => ({ text: 1 }));
    expect(decoded('generate-content', { candidates: [{ content: { parts } }] }).at(-1)).toMatchObject({
      ...{ type: 'error', kind: 'upstream' },
    });
    const content = list(most(2), () => ({ type: 1 }));
    expect(
      decoded('responses', {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'message', content },
      }).at(-1),
    ).toMatchObject({
      ...{ type: 'error', kind: 'upstream' },
    });
  });
});
