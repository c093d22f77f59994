import type { AssistantPart, GenerateFormat, GenerateRequest } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { finish, folded } from '@model-gateway/canonical/testing/events';
import { interleaved } from '@model-gateway/canonical/testing/interleave';
import {
  call,
  opaque,
  redacted,
  text as textOf,
  thought as thoughtPart,
} from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import { readParts } from '../testing/chunk-reader.ts';
import { parseWhole } from './parse.ts';
import { generateContentRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const words = ['a', ' "b"', '\n', 'ü', '数', '🚀', '\u2028', '\\', '{}'] as const;
const text = (random: Random) => random.list(1, 6, () => random.pick(words)).join('');
const args = (random: Random) =>
  Object.fromEntries(
    random.list(0, 3, () => [text(random), random.pick([1, null, [true], { deep_er: ['x'] }])]),
  );

function parsed(body: Record<string, unknown>) {
  const request = parseWhole(body, {}, Buffer.from(JSON.stringify(body)), '/v1/models/m:generateContent');
  if (!('canonical' in request)) throw new Error('not to be translated');
  // Serialized as for the bus.
  return JSON.parse(JSON.stringify(request.canonical())) as GenerateRequest;
}

type Maker = (random: Random, id: number) => AssistantPart;
const common: Maker[] = [
  random => textOf(text(random)),
  (random, id) => call(`c${id}`, JSON.stringify(args(random))),
];
const value = 'Q2lR+/=';

/** Makes the parts that the vendor of a format returns, with its signatures. */
function makersOf(format: GenerateFormat): Maker[] {
  const signature = { format, value };
  const thought: Maker = random => thoughtPart(text(random), { signature });
  if (format !== 'generate-content')
    return [...common, thought, () => thoughtPart('', { signature }), () => redacted(value, format)];
  return [
    ...[...common, thought, (random: Random) => textOf(text(random), { signature })],
    (_, id) => call(`c${id}`, '{}', { signature }),
    () => opaque({ executableCode: { code: '1' } }, format),
  ];
}

/** Drops a text after an unsigned text: a stream cannot separate the two. */
function distinct(parts: AssistantPart[]): AssistantPart[] {
  const kept: AssistantPart[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    if (part.type !== 'text' || last?.type !== 'text' || last.signature) kept.push(part);
  }
  return kept;
}

test('a streamed response equals the complete response and survives a round trip', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = new Random(seed);
    let id = 0;
    const makers = makersOf(random.pick(['messages', 'generate-content', 'responses']));
    const parts = distinct(random.list(0, 7, () => random.pick(makers)(random, id++)));
    const end = finish(random.pick(['stop', 'length', 'tool-calls']));
    const events = [
      { type: 'start', id: 'x', model: 'm' } as const,
      ...interleaved(parts, random, true),
      end,
    ];
    const renderer = generateContentRenderer({ model: 'm', showThoughts: true });
    const whole = JSON.parse(JSON.stringify(renderer.whole(folded(events), context)));
    const { content } = whole.candidates[0];
    expect(readParts(events.map(renderer.stream(context).add).join('')), `seed ${seed}`).toEqual(
      content.parts,
    );

    const question = { role: 'user', parts: [{ text: 'x' }] };
    const [, message] = parsed({ contents: [question, content] }).messages;
    expect(message?.content ?? [], `seed ${seed}`).toEqual(parts);
  }
});
