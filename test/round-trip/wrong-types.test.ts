import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { folded } from '@model-gateway/canonical/testing/events';
import type { AnswerRenderer } from '@model-gateway/formats/client';
import { describe, expect, test } from 'vitest';
import { CheckedAnswer } from '../../services/worker/src/checked-answer.ts';
import { chatDialect } from '../../shared/formats/src/chat/dialect.ts';
import { chatRenderer } from '../../shared/formats/src/chat/render.ts';
import { completionRenderer } from '../../shared/formats/src/completions/render.ts';
import { generateContentDialect } from '../../shared/formats/src/generate-content/dialect.ts';
import { generateContentRenderer } from '../../shared/formats/src/generate-content/render.ts';
import { messagesDialect } from '../../shared/formats/src/messages/dialect.ts';
import { messagesRenderer } from '../../shared/formats/src/messages/render.ts';
import { responsesDialect } from '../../shared/formats/src/responses/dialect.ts';
import { ToolNames } from '../../shared/formats/src/responses/parse-tools.ts';
import { rendererOf } from '../../shared/formats/src/responses/render.ts';
import { encodeInput } from '../../shared/formats/src/testing/encode-input.ts';
import { example, examplesOf } from '../../shared/formats/src/testing/examples.ts';
import type { Dialect } from '../../shared/formats/src/upstream/dialect.ts';

const context = { requestId: 'req_1', created: 1, now: () => 1 };
const input = encodeInput({ model: 'm', request: { messages: [], n: 2 } });

const renderers: Record<string, AnswerRenderer> = {
  chat: chatRenderer({ model: 'm', usage: true, legacy: false }),
  completions: completionRenderer({ model: 'm', usage: true, echo: [], n: 1 }),
  messages: messagesRenderer({ model: 'm' }),
  'generate-content': generateContentRenderer({ model: 'm', showThoughts: true }),
  responses: rendererOf({ request: { model: 'm' }, names: new ToolNames(), summary: false }),
};

/** Values of every type that a field may wrongly have. */
const values: unknown[] = [null, 7, -1, 'text', '', true, {}, [], [{}]];

type Path = (string | number)[];

/** The places in a value, with `*` for any index. */
function* placesOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* placesOf(item, [...path, i]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* placesOf(item, [...path, key]);
}

function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = replaced(copy[first], rest, by);
  return copy;
}

interface Mutation {
  place: string;
  stream: string;
}

/** A value with its types in place of its texts and numbers: events of one shape are changed once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

/** The example streams of a format, each with one field of another type. */
function* mutationsOf(format: string): Generator<Mutation> {
  const seen = new Set<string>();
  for (const name of examplesOf(format)) {
    const blocks = example(format, name).split('\n\n');
    for (const [i, block] of blocks.entries()) {
      const [, before = '', data = ''] = /^([\s\S]*?data: ?)(\{.*\})$/.exec(block) ?? [];
      if (data === '') continue;
      const event = JSON.parse(data);
      const shape = JSON.stringify([event.type, shapeOf(event)]);
      if (seen.has(shape)) continue;
      seen.add(shape);
      const at = `${name} ${i} ${event.type ?? ''}`;
      yield { place: `${at} twice`, stream: blocks.toSpliced(i, 0, block).join('\n\n') };
      yield {
        place: `${at} after a second start`,
        stream: blocks.toSpliced(i, 0, blocks[0] as string).join('\n\n'),
      };
      for (const path of placesOf(event))
        for (const value of values) {
          const mutated = `${before}${JSON.stringify(replaced(event, path, value))}`;
          yield {
            place: `${at} ${path.join('.')} = ${JSON.stringify(value)}`,
            stream: blocks.with(i, mutated).join('\n\n'),
          };
        }
    }
  }
}

/** Returns what is not an error that a client gets. */
function thrownBy(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown instanceof GatewayError ? undefined : thrown;
  }
}

function decoded(dialect: Dialect, stream: string): GenerateEvent[] {
  const checked = new CheckedAnswer();
  const decoder = dialect.decodeStream(input);
  const events = [...decoder.read(Buffer.from(stream)), ...decoder.end()];
  return [...checked.check(events)];
}

describe.each([chatDialect, messagesDialect, generateContentDialect, responsesDialect])(
  'an upstream of $format',
  dialect => {
    test('that sends a field of another type fails its own answer at most', () => {
      const faults: string[] = [];
      let tried = 0;
      for (const { place, stream } of mutationsOf(dialect.format)) {
        tried++;
        let events: GenerateEvent[] = [];
        const thrown = thrownBy(() => {
          events = decoded(dialect, stream);
        });
        if (thrown) faults.push(`${place}: ${thrown}`);
        for (const [format, renderer] of Object.entries(renderers)) {
          const ofStream = thrownBy(() => {
            const writer = renderer.stream?.(context);
            for (const event of events)
              if (event.type !== 'finish' && event.type !== 'error') writer?.add(event);
          });
          const ofWhole = thrownBy(() => {
            if (events.at(-1)?.type === 'finish') JSON.stringify(renderer.whole(folded(events), context));
          });
          for (const fault of [ofStream, ofWhole]) if (fault) faults.push(`${place} for ${format}: ${fault}`);
        }
      }
      expect(tried).toBeGreaterThan(500);
      expect(faults).toEqual([]);
    });
  },
);
