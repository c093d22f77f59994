import type { FinishEvent, GenerateEvent } from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { editEvent, withoutError } from '../upstream/loose-events.ts';
import { cutOff, errorEvents, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { objectIn, readJson, type StreamEvent } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { type GenerateContentUpstreamAnswer, generateContentTokenCount } from './answer.ts';
import {
  Candidates,
  type CandidatesOptions,
  Chunks,
  isFailure,
  parser,
  translation,
} from './decode-chunks.ts';

/**
 * The decoder's output: the upstream's bytes, or translated parts. `wantsOne`: true if one candidate is requested; if absent, it is not
 * known.
 */
export type StreamOutput = { verbatim: true; wantsOne?: () => boolean } | CandidatesOptions;

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new PassedChunks(1, output.wantsOne ?? (() => false)));
  const chunks = new Chunks(output.choices);
  return new TranslatedEvents(chunks, translation(output, chunks));
}

/** Reads a stream that is passed on. */
class PassedChunks extends Chunks implements PassedReader<GenerateContentUpstreamAnswer> {
  readonly mark = '';

  override read(event: StreamEvent, whole: Buffer): GenerateContentUpstreamAnswer {
    const chunk = super.read(event, whole);
    if (chunk.error && event.data.trimStart().startsWith('{')) editEvent(event, withoutError);
    return chunk;
  }

  /** Returns events of one data line each: clients of the format fail on anything else. */
  passed(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    const passed = events.filter(({ sent }) => sent !== '');
    const isPlain = !passed.some(({ data }) => data.includes('\n')) && hasOnlyData(whole);
    return isPlain ? whole : reframed(passed.map(({ data }) => data));
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseJson(bytes.toString('utf8'));
    const end = readEnding(body);
    return [verbatimBody(bytes, objectIn(body)), end];
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: unknown): FinishEvent {
  if (generateContentTokenCount.safeParse(body).success)
    return { type: 'finish', reason: 'stop', raw: null, usage: null };
  if (!isAnswer(body)) throw malformed('answer', 'it is neither an answer nor a token count');
  const chunks = new Chunks(1);
  chunks.record(body);
  if (!chunks.valid && !chunks.hasContent) throw cutOff();
  return chunks.finish();
}

/** Decodes a response or an array of chunks sent in place of a stream. Undefined if the body is neither. */
export function decodeBody(body: Buffer, options: CandidatesOptions): GenerateEvent[] | undefined {
  const value = parseJson(body.toString('utf8'));
  const list = Array.isArray(value) ? value : [value];
  if (!isAnswer(list[0]) || isFailure(list[0])) return undefined;
  const chunks = new Chunks(options.choices);
  const candidates = new Candidates(options);
  const events: GenerateEvent[] = [];
  try {
    for (const value of list) for (const event of candidates.add(chunks.record(value))) events.push(event);
    // A list is a stream, whose last chunk has the reason.
    if (!chunks.valid && !(chunks.hasContent && !Array.isArray(value))) throw cutOff();
    return [...events, ...candidates.end(chunks.endings, chunks.usage)];
  } catch (thrown) {
    return [...events, ...errorEvents(thrown)];
  }
}

/** True if the value has a field of a response, or an error. */
function isAnswer(value: unknown): value is GenerateContentUpstreamAnswer {
  if (typeof value !== 'object' || value === null) return false;
  return ['candidates', 'promptFeedback', 'usageMetadata', 'error'].some(name => name in value);
}

/** Parses JSON; undefined if it is invalid. */
function parseJson(text: string): unknown {
  return readJson(text, parser(text));
}

/** True if every line that is not empty is a data line. */
function hasOnlyData(whole: Buffer): boolean {
  return !/^(?!data: )[^\r\n]/m.test(whole.toString('latin1'));
}

/** Writes events with one data line each. Line breaks within the JSON become spaces. */
function reframed(passed: readonly string[]): Buffer {
  return Buffer.from(passed.map(data => sseEvent(data.replaceAll('\n', ' '))).join(''));
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return generateContentTokenCount.safeParse(body).data?.totalTokens;
}
