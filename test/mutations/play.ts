import { AnswerFold, GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { CheckedAnswer } from '../../services/worker/src/checked-answer.ts';
import type { GenerateInput } from '../../shared/formats/src/upstream/dialect.ts';
import { asked, inputOf, upstreams } from '../linear/upstreams.ts';
import { type Format, formats } from '../stack/formats.ts';
import { rendererOf } from './answers.ts';
import type { Mutated } from './mutate.ts';
import type { Random } from './random.ts';

const context = { requestId: 'req_1', created: 1 };
const renderers = formats.map(format => rendererOf(format));

/** Returns why the answer of a stream is wrong, for a client of any format; undefined if it is not. */
export function faultOf(stream: Mutated, random: Random): string | undefined {
  for (const body of ['canonical', 'verbatim'] as const) {
    try {
      const end = endOf(stream, body, random);
      if (end?.type !== 'finish') continue;
      if (stream.endless) return `${body}: an answer without an end is complete`;
      if (stream.unusable && body === 'canonical')
        return 'an answer with content of the wrong type is complete';
    } catch (thrown) {
      if (!(thrown instanceof GatewayError))
        return `${body}: ${thrown instanceof Error ? thrown.stack : thrown}`;
    }
  }
  return undefined;
}

/** Does what a worker and the callers do with a stream; returns the last event of the answer. */
function endOf(stream: Mutated, body: 'canonical' | 'verbatim', random: Random): GenerateEvent | undefined {
  const checked = new CheckedAnswer();
  const events = checked.check(decoded(stream.format, Buffer.from(stream.events.join('')), body, random));
  if (body === 'verbatim') return events.at(-1);
  const fold = new AnswerFold();
  for (const renderer of renderers) {
    const writer = renderer.stream(context);
    for (const event of events) if (event.type !== 'error') writer.add(event);
  }
  for (const event of events) {
    const answer = fold.add(event);
    if (answer) for (const renderer of renderers) JSON.stringify(renderer.whole(answer, context));
  }
  return events.at(-1);
}

/** Decodes a stream that arrives in pieces of random lengths, up to the end of its answer. */
function decoded(
  format: Format,
  bytes: Buffer,
  body: GenerateInput['body'],
  random: Random,
): GenerateEvent[] {
  const { dialect } = upstreams[format] as NonNullable<(typeof upstreams)[string]>;
  const { body: _, request, ...facts } = inputOf(format, asked) as { body: 'canonical'; request: object };
  const text = Buffer.from('{"model":"m","stream":true}');
  const input = (
    body === 'canonical' ? { ...facts, body, request } : { ...facts, body, text }
  ) as GenerateInput;
  const decoder = dialect.decodeStream(input);
  const events: GenerateEvent[] = [];
  const isOver = () => events.at(-1)?.type === 'finish' || events.at(-1)?.type === 'error';
  for (let at = 0; at < bytes.length && !isOver(); ) {
    const end = at + 1 + random.below(200);
    events.push(...decoder.read(bytes.subarray(at, end)));
    at = end;
  }
  if (!isOver()) events.push(...decoder.end());
  return events;
}
