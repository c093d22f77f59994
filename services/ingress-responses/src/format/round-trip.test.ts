import {
  AnswerFold,
  type AssistantPart,
  type FinishReason,
  type GenerateEvent,
  noUsage,
  type PartStart,
} from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { readResponse } from '@model-gateway/wire/testing/response-reader';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';
import { rendererOf } from './render.ts';

const seeds = Array.from({ length: 300 }, (_, i) => i);
const context = { requestId: `req_${'0'.repeat(24)}`, created: 0 };
const text = (random: Random) => random.pick(['a', 'Hällo 🌍', 'x'.repeat(30), '\n\u2028"\\', ' ']);
const input = (random: Random) =>
  random.pick(['{}', '{"a":1}', '{"a":{"b":["c",null,true]}}', '{"a":1e400}']);
const tools = [
  { type: 'function', name: 'f', parameters: { type: 'object' } },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'read' }] },
  { type: 'tool_search', execution: 'client' },
];

describe('a response', () => {
  const messages = (value: string) => ({ format: 'messages' as const, value });
  const gemini = (value: string) => ({ format: 'generate-content' as const, value });
  const makers: ((random: Random, id: number) => AssistantPart)[] = [
    random => ({ type: 'text', text: text(random) }),
    random => ({ type: 'refusal', text: text(random) }),
    random => ({ type: 'reasoning', text: text(random) }),
    random => ({ type: 'reasoning', text: text(random), signature: messages('EqQB') }),
    () => ({ type: 'reasoning', text: '', signature: messages('EqQB') }),
    () => ({ type: 'reasoning', text: '', redacted: true, signature: messages('Em') }),
    (random, id) => ({ type: 'tool-call', id: `c${id}`, name: 'f', arguments: input(random) }),
    (random, id) => ({
      type: 'tool-call',
      id: `c${id}`,
      name: 'ns__read',
      arguments: input(random),
      signature: gemini('s'),
    }),
    (random, id) => ({
      type: 'tool-call',
      id: `c${id}`,
      name: 'patch',
      arguments: text(random),
      custom: true,
    }),
    (_, id) => ({ type: 'tool-call', id: `c${id}`, name: 'tool_search', arguments: '{"query":"x"}' }),
    () => ({
      type: 'media',
      kind: 'image',
      source: { type: 'base64', data: 'iVBO' },
      mediaType: 'image/png',
    }),
  ];

  /** The events as an upstream may send them: consecutive calls may interleave, and deltas have any size. */
  function eventsOf(parts: AssistantPart[], random: Random): GenerateEvent[] {
    const events: GenerateEvent[] = [{ type: 'start', id: 'x', model: 'm' }];
    const running: { rest: GenerateEvent[] }[] = [];
    const step = () => {
      const at = random.below(running.length);
      const event = running[at]?.rest.shift();
      if (event) events.push(event);
      else running.splice(at, 1);
    };
    for (const [index, part] of parts.entries()) {
      const parallel = part.type === 'tool-call' && random.below(2) === 0;
      while (running.length > 0 && !parallel) step();
      for (let n = random.below(4); n > 0 && running.length > 0; n--) step();
      const [first, ...rest] = partEvents(part, index, random);
      events.push(first as GenerateEvent);
      running.push({ rest });
    }
    while (running.length > 0) step();
    const reason: FinishReason = random.pick(['stop', 'length', 'tool-calls', 'content-filter']);
    const usage = { ...noUsage, input: random.below(99) };
    return [...events, { type: 'finish', reason, raw: reason, usage }];
  }

  function partEvents(part: AssistantPart, index: number, random: Random): GenerateEvent[] {
    const whole = part.type === 'tool-call' ? part.arguments : 'text' in part ? part.text : '';
    const deltas: GenerateEvent[] = [];
    for (let at = 0; at < whole.length; ) {
      const length = 1 + random.below(5);
      deltas.push({ type: 'part-delta', index, text: whole.slice(at, at + length) });
      at += length;
    }
    const signature = 'signature' in part ? part.signature : undefined;
    const start = {
      ...part,
      text: undefined,
      arguments: undefined,
      signature: undefined,
    } as unknown as PartStart;
    const end: GenerateEvent = { type: 'part-end', index, ...(signature && { signature }) };
    return [{ type: 'part-start', index, part: start }, ...deltas, end];
  }

  test('a streamed response equals the complete response and survives a round trip', () => {
    for (const seed of seeds) roundTrip(seed);
  });

  function roundTrip(seed: number): void {
    const random = new Random(seed);
    let id = 0;
    const parts = random.list(0, 7, () => random.pick(makers)(random, id++));
    const events = eventsOf(parts, random);
    const parsed = parse({ model: 'm', input: 'x', tools });
    parsed.canonical();
    const render = rendererOf(parsed.rendering);
    const fold = new AnswerFold();
    const answer = events.flatMap(event => fold.add(event) ?? [])[0];
    if (!answer) throw new Error('the events have no end');
    const whole = JSON.parse(JSON.stringify(render.whole(answer, context)));
    expect(readResponse(events.map(render.stream(context).add).join('')), `seed ${seed}`).toEqual(whole);

    const results = parts.flatMap(part => (part.type === 'tool-call' ? [resultOf(part)] : []));
    const history = [{ role: 'user', content: 'x' }, ...whole.output, ...results];
    const [, message] = parse({ model: 'm', input: history, tools }).canonical().messages;
    expect(message?.role === 'assistant' ? message.content : [], `seed ${seed}`).toEqual(parts);
  }

  function resultOf({ id, name, custom }: Extract<AssistantPart, { type: 'tool-call' }>): object {
    if (name === 'tool_search')
      return { type: 'tool_search_output', call_id: id, execution: 'client', tools: [] };
    return { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id: id, output: 'x' };
  }
});
