import type { GenerateEvent, Operation, Usage, WireFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { RenderedPieces, RenderedText } from '@model-gateway/formats/client';
import { describe, expect, test } from 'vitest';
import { type AnyDialect, findDialect } from '../../shared/formats/src/dialects.ts';
import { transcriptRenderer } from '../../shared/formats/src/transcriptions/endpoint.ts';
import type { EncodeInput } from '../../shared/formats/src/upstream/dialect.ts';
import { type Asked, type Result, results } from './answers/results.ts';
import { faultOf, list, many, onceFor, refusedOrDone } from './cost.ts';
import { type Growable, others, read } from './endpoints.ts';

/** Large answers are decoded in a thread, and streams arrive in pieces. */
const inSteps = { ...many, atAStretch: false };
type Renderer = ReturnType<Growable['endpoint']['render']>;
const context = { requestId: 'req_1', created: 1 };

function inputOf(operation: Operation, body: EncodeInput['body'], asked: Asked): EncodeInput | undefined {
  const { verbatim, canonical, form } = asked;
  const count = Array.isArray(verbatim?.input) ? verbatim.input.length : 1;
  const envelope = { ...testEnvelope({ operation }), inputs: count };
  const facts = { envelope, model: 'm', drop: [], limits: {} };
  if (body === 'verbatim') return verbatim && { ...facts, body, text: Buffer.from(JSON.stringify(verbatim)) };
  if (body === 'canonical') return canonical && ({ ...facts, body, request: canonical } as EncodeInput);
  return form && { ...facts, body, form: { fields: form, files: [], bytes: (async function* () {})() } };
}

/** Decodes an answer as a worker does, and reads the decoder's figures between its pieces. */
function decoded(dialect: AnyDialect, input: EncodeInput, { mediaType, streamed }: Result, pieces: Buffer[]) {
  const decoder = streamed ? dialect.decodeStream(input) : dialect.decodeWhole(input, mediaType);
  const events: GenerateEvent[] = [];
  for (const piece of pieces) {
    for (const event of decoder.read(piece)) events.push(event);
    void [decoder.complete, decoder.characters, decoder.held];
  }
  for (const event of decoder.end()) events.push(event);
  return events;
}

const readBytes = 64 * 1024;
function piecesOf(answer: string | Buffer[]): Buffer[] {
  if (typeof answer !== 'string') return answer;
  const bytes = Buffer.from(answer);
  return list(Math.ceil(bytes.length / readBytes), i => bytes.subarray(i * readBytes, (i + 1) * readBytes));
}

/** The renderers of each operation, for each way in which its answer is asked for. */
const renderers: [name: string, renderer: Renderer][] = [
  ...Object.entries<Growable>(others).flatMap(([name, growable]): [string, Renderer][] =>
    [{}, { encoding_format: 'base64' }, { return_documents: true }, { response_format: 'url' }].flatMap(
      (more): [string, Renderer][] => {
        const asked = refusedOrDone(() => read(growable, { ...growable.base, ...more }));
        return asked ? [[name, growable.endpoint.render(asked.rendering)]] : [];
      },
    ),
  ),
  ...(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const).map(
    (format): [string, Renderer] => [format, transcriptRenderer({ format, task: 'transcribe' }) as Renderer],
  ),
];

/** The kinds of results that each renderer takes. */
const rendered: Record<string, readonly string[]> = {
  embeddings: ['embeddings', 'embed-content', 'batch-embed-contents'],
  ranking: ['rerank'],
  moderation: ['moderations'],
  images: ['images', 'edits'],
  transcript: ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'],
  audio: ['speech'],
};

function written(renderer: Renderer, events: readonly GenerateEvent[]): void {
  let usage: Usage | null = null;
  for (const event of events) if (event.type === 'finish') usage = event.usage;
  const stream = 'stream' in renderer ? renderer.stream?.(context) : undefined;
  for (const event of events) {
    if (event.type === 'result' && renderer.type === 'result') {
      const body = renderer.result(event.result, usage, context);
      if (body instanceof RenderedPieces) for (const _piece of body);
      else if (!(body instanceof RenderedText)) JSON.stringify(body);
    }
    if (event.type !== 'error') stream?.add(event);
  }
}

function renderFaults(eventsOf: (n: number) => GenerateEvent[]): string[] {
  const types = new Set<string>(
    eventsOf(2).map(event => (event.type === 'result' ? event.result.type : event.type)),
  );
  const names = Object.entries(rendered).flatMap(([type, all]) => (types.has(type) ? all : []));
  return renderers
    .filter(([name]) => names.includes(name))
    .flatMap(([name, renderer]) => {
      // Vectors are written in pieces.
      const fault = faultOf(
        n => {
          const events = eventsOf(n);
          return () => written(renderer, events);
        },
        types.has('embeddings') || types.has('audio') ? inSteps : many,
      );
      return fault ? [`rendered in ${name}: ${fault}`] : [];
    });
}

const cases = Object.entries(results).flatMap(([operation, formats]) =>
  Object.entries(formats).flatMap(([format, answers]) =>
    Object.entries(answers).map(([what, answer]) => [operation, format, what, answer] as const),
  ),
);

describe.each(cases)('%s in the format %s', (operation, format, what, result) => {
  test(`an answer takes no longer for each item of more ${what}`, () => {
    const faults = (['verbatim', 'canonical', 'form'] as const).flatMap(body => {
      const dialect = findDialect(operation as Operation, format as WireFormat, body);
      if (!dialect || !inputOf(operation as Operation, body, result.asked(2))) return [];
      const given = onceFor(n => ({
        input: inputOf(operation as Operation, body, result.asked(n)) as EncodeInput,
        pieces: piecesOf(result.answer(n)),
      }));
      const decode = (n: number) => {
        const { input, pieces } = given(n);
        return () => decoded(dialect, input, result, pieces);
      };
      expect(decode(2)().at(-1)).toMatchObject({ type: result.wrong ? 'error' : 'finish' });
      const inPlaceOfStream = (n: number) => {
        const { input, pieces } = given(n);
        const whole = Buffer.concat(pieces);
        return () => dialect.decodeBody(whole, input);
      };
      const own = [
        faultOf(decode, inSteps),
        result.streamed ? undefined : faultOf(inPlaceOfStream, inSteps),
      ].flatMap(fault => (fault ? [`${body}: ${fault}`] : []));
      return [...own, ...renderFaults(onceFor(n => decode(n)()))];
    });
    expect(faults).toEqual([]);
  });
});
