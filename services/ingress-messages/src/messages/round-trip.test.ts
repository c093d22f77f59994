import {
  AnswerFold,
  type AssistantPart,
  type FinishReason,
  type GenerateEvent,
  type Message,
  noUsage,
  type Part,
  type PartStart,
} from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { readMessage } from '@model-gateway/wire/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';
import { messagesRenderer } from './render.ts';

const seeds = Array.from({ length: 200 }, (_, seed) => seed);
const context = { requestId: 'req_1', created: 0 };
const words = ['a', ' "b"', '\n', 'ü', '数', '🚀', '\u2028', '\\', '{}'] as const;
const text = (random: Random) => random.list(1, 6, () => random.pick(words)).join('');
const input = (random: Random) =>
  Object.fromEntries(
    random.list(0, 3, () => [text(random), random.pick([1, null, [true], { deep: ['x'] }])]),
  );

describe('a response', () => {
  const makers: ((random: Random, id: number) => AssistantPart)[] = [
    random => ({ type: 'text', text: text(random) }),
    random => ({
      type: 'reasoning',
      text: text(random),
      signature: { format: random.pick(['messages', 'generate-content', 'responses']), value: 'Q2lR+/=' },
    }),
    () => ({ type: 'reasoning', text: '', signature: { format: 'messages', value: 'EqQB' } }),
    () => ({ type: 'reasoning', text: '', redacted: true, signature: { format: 'messages', value: 'Em' } }),
    (random, id) => ({
      type: 'tool-call',
      id: `c${id}`,
      name: 'f',
      arguments: JSON.stringify(input(random)),
    }),
    () => ({ type: 'opaque', format: 'messages', value: { type: 'server_tool_use', id: 's', input: {} } }),
  ];

  /** The events as an upstream may send them: consecutive calls may interleave, and deltas have any size. */
  function eventsOf(parts: AssistantPart[], random: Random): GenerateEvent[] {
    const events: GenerateEvent[] = [{ type: 'start', id: 'x', model: 'm' }];
    const running: { index: number; rest: GenerateEvent[] }[] = [];
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
      running.push({ index, rest });
    }
    while (running.length > 0) step();
    const reason: FinishReason = random.pick(['stop', 'length', 'tool-calls']);
    return [
      ...events,
      { type: 'finish', reason, raw: reason, usage: { ...noUsage, input: random.below(99) } },
    ];
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
    return [
      { type: 'part-start', index, part: start },
      ...deltas,
      { type: 'part-end', index, ...(signature && { signature }) },
    ];
  }

  test('a streamed response equals the complete response and survives a round trip', () => {
    for (const seed of seeds) roundTrip(seed);
  });

  function roundTrip(seed: number): void {
    const random = new Random(seed);
    let id = 0;
    const parts = random.list(0, 7, () => random.pick(makers)(random, id++));
    const events = eventsOf(parts, random);
    const fold = new AnswerFold();
    const answer = events.flatMap(event => fold.add(event) ?? [])[0];
    if (!answer) throw new Error('the events are no answer');
    const whole = JSON.parse(JSON.stringify(messagesRenderer({ model: 'm' }).whole(answer, context)));
    expect(
      readMessage(events.map(messagesRenderer({ model: 'm' }).stream(context).add).join('')),
      `seed ${seed}`,
    ).toEqual(whole);

    const history = [{ role: 'assistant', content: whole.content }];
    const [message] = parse({ model: 'm', max_tokens: 1, messages: history }, {}).canonical().messages;
    expect(message?.content, `seed ${seed}`).toEqual(parts);
  }
});

describe('a request', () => {
  const cache = (random: Random) =>
    random.maybe(() => ({ cache_control: { type: 'ephemeral', ...random.maybe(() => ({ ttl: '1h' })) } }));
  const image = (random: Random) => ({
    type: 'image',
    source: random.pick([
      { type: 'base64', media_type: 'image/png', data: 'iVBO' },
      { type: 'url', url: 'https://i.example/a' },
      { type: 'file', file_id: 'f1' },
    ]),
    ...cache(random),
  });
  const textBlock = (random: Random) => ({ type: 'text', text: text(random), ...cache(random) });
  const document = (random: Random) => ({
    type: 'document',
    source: random.pick([
      { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      { type: 'text', media_type: 'text/plain', data: 'plain' },
      { type: 'url', url: 'https://x.example/a.pdf' },
    ]),
    ...random.maybe(() => ({ title: 'T' })),
  });
  const other = () => ({ type: 'search_result', source: 'https://kb.example', content: [] });
  const userBlock = (random: Random) => random.pick([textBlock, image, document, other])(random);
  const turn = (random: Random, id: number) => {
    const calls = random.list(1, 3, () => ({
      type: 'tool_use',
      id: `t${id++}`,
      name: 'f',
      input: input(random),
    }));
    const results = calls.map(call => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: random.list(0, 2, () => userBlock(random)),
      ...random.maybe(() => ({ is_error: true })),
    }));
    return [
      { role: 'user', content: random.list(1, 3, () => userBlock(random)) },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: text(random), signature: 'EqQB' },
          textBlock(random),
          ...calls,
        ],
      },
      { role: 'user', content: [...results, ...random.list(0, 2, () => userBlock(random))] },
      { role: 'assistant', content: [textBlock(random)] },
    ];
  };

  /** Renders messages in this format, independently of the tested code. */
  function written(messages: Message[]): object[] {
    const turns: { role: string; content: object[] }[] = [];
    for (const { role, content } of messages) {
      const blocks = content.map(block);
      const last = turns.at(-1);
      if (role === 'user' && last?.role === 'tool') last.content.push(...blocks);
      else turns.push({ role, content: blocks });
    }
    return turns.map(({ role, content }) => ({ role: role === 'tool' ? 'user' : role, content }));
  }

  function block(part: Part): object {
    const marker =
      'cache' in part && part.cache ? { cache_control: { type: 'ephemeral', ...part.cache } } : {};
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text, ...marker };
      case 'reasoning':
        return { type: 'thinking', thinking: part.text, signature: part.signature?.value };
      case 'tool-call':
        return { type: 'tool_use', id: part.id, name: part.name, input: JSON.parse(part.arguments) };
      case 'tool-result': {
        const content = part.content.map(block);
        return {
          type: 'tool_result',
          tool_use_id: part.callId,
          content,
          ...(part.error && { is_error: true }),
        };
      }
      case 'media': {
        const { source, mediaType } = part;
        const sources = {
          base64: { media_type: mediaType, data: source.type === 'base64' ? source.data : '' },
          text: { media_type: mediaType, data: source.type === 'text' ? source.text : '' },
          url: { url: source.type === 'url' ? source.url : '' },
          file: { file_id: source.type === 'file' ? source.id : '' },
        };
        const title = part.name === undefined ? {} : { title: part.name };
        return {
          type: part.kind,
          source: { type: source.type, ...sources[source.type] },
          ...title,
          ...marker,
        };
      }
      case 'opaque':
        return part.value;
      case 'refusal':
        throw new Error('no request of this format has one');
    }
  }

  test('a request survives translation and back', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const messages = random.list(1, 3, () => 0).flatMap((_, i) => turn(random, i * 10));
      const request = parse({ model: 'm', max_tokens: 1, messages }, {}).canonical();
      // Serialized as for the bus.
      expect(written(JSON.parse(JSON.stringify(request.messages))), `seed ${seed}`).toEqual(messages);
    }
  });
});
