import type { AssistantPart, GenerateFormat, GenerateRequest, Message, Part } from '@model-gateway/canonical';
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
import { describe, expect, test } from 'vitest';
import { readParts } from '../testing/chunk-reader.ts';
import { parseWhole } from './parse.ts';
import { generateContentRenderer } from './render.ts';

const seeds = Array.from({ length: 200 }, (_, seed) => seed);
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

describe('a response', () => {
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
    for (const seed of seeds) roundTrip(seed);
  });

  function roundTrip(seed: number): void {
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

describe('a request', () => {
  const textPart = (random: Random) => ({ text: text(random) });
  const mediaPart = (random: Random) =>
    random.pick([
      { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBE', displayName: 'a.pdf' } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://i.example/a' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'gs://b/a' } },
    ]);
  const userPart = (random: Random) => random.pick([textPart, mediaPart])(random);
  const turn = (random: Random, round: number) => {
    const calls = random
      .list(1, 3, () => 0)
      .map((_, i) => ({
        functionCall: { id: `c${round}_${i}`, name: random.pick(['f', 'g']), args: args(random) },
        ...(i === 0 && random.maybe(() => ({ thoughtSignature: 'Cgl+' }))),
      }));
    const results = calls.map(({ functionCall: { id, name } }) => {
      const response = random.pick([
        { output: text(random) },
        { error: text(random) },
        { t_x: 1, u: text(random) },
      ]);
      return {
        functionResponse: { id, name, response, ...random.maybe(() => ({ parts: [mediaPart(random)] })) },
      };
    });
    const thought = {
      text: text(random),
      thought: true,
      ...random.maybe(() => ({ thoughtSignature: 'CgQB' })),
    };
    return [
      { role: 'user', parts: random.list(1, 3, () => userPart(random)) },
      { role: 'model', parts: [thought, textPart(random), ...calls] },
      { role: 'user', parts: [...results, ...random.list(0, 2, () => userPart(random))] },
      { role: 'model', parts: [textPart(random), { text: '', thoughtSignature: 'Cgx=' }] },
    ];
  };

  /** Renders messages in this format, independently of the tested code. */
  function written(messages: Message[]): object[] {
    const names = new Map<string, string>();
    const contents: { role: string; parts: object[] }[] = [];
    for (const { role, content } of messages) {
      for (const part of content) if (part.type === 'tool-call') names.set(part.id, part.name);
      const parts = content.map(part => writtenPart(part, names));
      const last = contents.at(-1);
      const side = role === 'assistant' ? 'model' : 'user';
      if (last?.role === side) last.parts.push(...parts);
      else contents.push({ role: side, parts });
    }
    return contents;
  }

  function writtenPart(part: Part, names: Map<string, string>): object {
    const signature = 'signature' in part && part.signature ? { thoughtSignature: part.signature.value } : {};
    switch (part.type) {
      case 'text':
        return { text: part.text, ...signature };
      case 'reasoning':
        return { text: part.text, thought: true, ...signature };
      case 'tool-call':
        return {
          functionCall: { id: part.id, name: part.name, args: JSON.parse(part.arguments) },
          ...signature,
        };
      case 'tool-result': {
        const [first, ...media] = part.content;
        const resultText = first?.type === 'text' ? first.text : '';
        const response = part.error
          ? { error: resultText }
          : resultText.startsWith('{"t_x"')
            ? JSON.parse(resultText)
            : { output: resultText };
        const parts = media.map(inner => writtenPart(inner, names));
        return {
          functionResponse: {
            id: part.callId,
            name: names.get(part.callId),
            response,
            ...(parts.length > 0 && { parts }),
          },
        };
      }
      case 'media': {
        const { source, mediaType: mimeType, name: displayName } = part;
        if (source.type === 'base64')
          return { inlineData: { mimeType, data: source.data, ...(displayName && { displayName }) } };
        return {
          fileData: {
            mimeType,
            fileUri: source.type === 'url' ? source.url : source.type === 'file' ? source.id : '',
          },
        };
      }
      default:
        throw new Error('no request of this test has one');
    }
  }

  test('a request survives translation and back', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const contents = random.list(1, 3, () => 0).flatMap((_, i) => turn(random, i));
      expect(written(parsed({ contents }).messages), `seed ${seed}`).toEqual(contents);
    }
  });
});
