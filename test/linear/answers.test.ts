import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import type { AnswerRenderer } from '@model-gateway/formats/client';
import { describe, expect, test } from 'vitest';
import type { GenerateInput } from '../../shared/formats/src/upstream/dialect.ts';
import { converse } from './answers/converse.ts';
import { responses } from './answers/responses.ts';
import type { Answers } from './answers/sse.ts';
import { streams } from './answers/streams.ts';
import { whole } from './answers/whole.ts';
import { cost, faultOf, list, longest, onceFor, refusedOrDone } from './cost.ts';
import { type Body, type Growable, generating, read } from './endpoints.ts';
import { asked, decoded, inputOf, readBytes, upstreams } from './upstreams.ts';

/** Fields of requests on which the way in which an answer is rendered depends. */
const asking: Partial<Record<keyof typeof generating, Body[]>> = {
  chat: [{ stream_options: { include_usage: true } }, { functions: [{ name: 'f' }] }],
  messages: [{}, { thinking: { type: 'adaptive', display: 'omitted' } }],
  responses: [{}],
  'generate-content': [{ generationConfig: { thinkingConfig: { includeThoughts: true } } }],
  completions: [{ stream_options: { include_usage: true } }],
};

const renderers = Object.entries(asking).flatMap(([format, bodies]) => {
  const growable = generating[format as keyof typeof generating] as Growable;
  return bodies.map((body): [string, AnswerRenderer] => {
    const { rendering } = read(growable, { ...growable.base, ...body });
    return [format, growable.endpoint.render(rendering) as AnswerRenderer];
  });
});

const context = { requestId: 'req_1', created: 1 };

/** Streams arrive and leave in many pieces, and large whole answers are decoded in a thread. */
const inSteps = { atAStretch: false };

/** Reads an answer that is passed on, of a stream or whole, if the upstream passes any on. */
function passedOn(name: string, bytes: Buffer, isStream: boolean): void {
  const { dialect } = upstreams[name] as NonNullable<(typeof upstreams)[string]>;
  if (!dialect.bodies.includes('verbatim')) return;
  const text = Buffer.from(`{"model":"m","stream":${isStream}}`);
  const { body: _, request: __, ...facts } = inputOf(name, asked) as { body: 'canonical'; request: object };
  const input = { ...facts, body: 'verbatim', text } as GenerateInput;
  const decoder = isStream ? dialect.decodeStream(input) : dialect.decodeWhole(input, 'application/json');
  for (let at = 0; at < bytes.length; at += readBytes) decoder.read(bytes.subarray(at, at + readBytes));
  decoder.end();
}

/** Returns the CPU time of the longest read of a stream, in milliseconds. */
function longestRead(name: string, bytes: Buffer): number {
  const input = inputOf(name, asked);
  const decoder = upstreams[name]?.dialect.decodeStream(input);
  const reads: number[] = [];
  for (let at = 0; at < bytes.length; at += readBytes)
    reads.push(cost(() => decoder?.read(bytes.subarray(at, at + readBytes)), 1));
  return Math.max(...reads);
}

function folded(events: readonly GenerateEvent[]): GenerateAnswer | undefined {
  const fold = new AnswerFold();
  let answer: GenerateAnswer | undefined;
  for (const event of events) answer = fold.add(event) ?? answer;
  return answer;
}

/** Returns the faults of decoding a whole answer of a format that clients have too, with the content of a stream. */
function wholeFaultsOf(name: string, eventsOf: (n: number) => GenerateEvent[]): string[] {
  const renderer = renderers.find(([format]) => format === name)?.[1];
  const input = inputOf(name, { ...asked, n: 8 });
  const fault =
    renderer &&
    faultOf(n => {
      const answer = folded(eventsOf(n));
      const body = answer && Buffer.from(JSON.stringify(renderer.whole(answer, context)));
      return () => body && upstreams[name]?.dialect.decodeBody(body, input);
    }, inSteps);
  return fault ? [`decoded whole: ${fault}`] : [];
}

/** Returns the faults of decoding an answer, and of rendering it in each format of clients. */
function faultsOf(eventsOf: (n: number) => GenerateEvent[]): string[] {
  const stages: [string, (n: number) => () => unknown][] = renderers.flatMap(([format, renderer], at) => [
    [
      `rendered whole in ${format} ${at}`,
      (n: number) => {
        const answer = folded(eventsOf(n));
        return () => answer && JSON.stringify(renderer.whole(answer, context));
      },
    ],
    [
      `streamed in ${format} ${at}`,
      (n: number) => {
        const events = eventsOf(n);
        return () => {
          const stream = renderer.stream(context);
          for (const event of events) if (event.type !== 'error') stream.add(event);
        };
      },
    ],
  ]);
  return stages.flatMap(([stage, growing]) => {
    const fault = faultOf(growing, { atAStretch: stage.startsWith('rendered') });
    return fault ? [`${stage}: ${fault}`] : [];
  });
}

describe.each(Object.entries(streams))('a stream in the format %s', (name, answers) => {
  test.each(Object.entries(answers))('takes no longer for each item of more %s', (_what, answer) => {
    const bytesOf = (n: number) => Buffer.from(answer(n) as string);
    const fault = faultOf(n => {
      const bytes = bytesOf(n);
      const request = { ...asked, stop: list(n, i => `name${i}`) };
      return () => decoded(name, bytes) && refusedOrDone(() => decoded(name, bytes, request));
    }, inSteps);
    expect(fault).toBeUndefined();
    const passing = (n: number) => {
      const bytes = bytesOf(n);
      return () => passedOn(name, bytes, true);
    };
    expect(faultOf(passing, inSteps)).toBeUndefined();
    expect(longestRead(name, bytesOf(4_000))).toBeLessThan(longest);
    const eventsOf = onceFor(n => decoded(name, bytesOf(n)));
    expect([...faultsOf(eventsOf), ...wholeFaultsOf(name, eventsOf)]).toEqual([]);
  });
});

describe.each(Object.entries(whole))('a whole answer in the format %s', (name, answers) => {
  test.each(Object.entries(answers))('takes no longer for each item of more %s', (_what, answer) => {
    const eventsOf = (n: number) => {
      const input = inputOf(name, { ...asked, n: 8 });
      return upstreams[name]?.dialect.decodeBody(Buffer.from(answer(n) as string), input) ?? [];
    };
    expect(eventsOf(2).at(-1)?.type).toBe('finish');
    expect(faultOf(n => () => eventsOf(n), inSteps)).toBeUndefined();
    const passing = (n: number) => {
      const bytes = Buffer.from(answer(n) as string);
      return () => passedOn(name, bytes, false);
    };
    expect(faultOf(passing, inSteps)).toBeUndefined();
    expect(faultsOf(onceFor(eventsOf))).toEqual([]);
  });
});

/** Stop sequences of which each begins as the text goes on, and ends otherwise. */
const nearMisses = (count: number, length: number) => list(count, i => `${'a'.repeat(length - 2)}${i % 10}!`);

test.each(['responses', 'converse without stops'])(
  'the stream of %s is cut in time that does not grow with its text',
  name => {
    const stop = nearMisses(16, 256);
    const answers = name === 'responses' ? responses : converse;
    const fault = faultOf(n => {
      const bytes = Buffer.from((answers.texts as Answers[string])(n) as string);
      return () => decoded(name, bytes, { ...asked, stop });
    }, inSteps);
    expect(fault).toBeUndefined();
  },
);

test.each(['responses', 'converse without stops'])(
  '%s refuses more stop sequences than are searched for',
  name => {
    const { dialect } = upstreams[name] as NonNullable<(typeof upstreams)[string]>;
    const encode = (stop: string[]) => () => dialect.encode(inputOf(name, { ...asked, stop }));
    expect(encode(nearMisses(16, 256))).not.toThrow();
    expect(encode(nearMisses(17, 9))).toThrow('at most 16 stop sequences, but got 17');
    expect(encode(nearMisses(1, 257))).toThrow('at most 256 characters, but got one of 257');
  },
);
