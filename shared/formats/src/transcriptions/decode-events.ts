import type { FinishEvent, Usage } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { chatDone } from '../chat/answer.ts';
import { readUsage } from '../upstream/any-usage.ts';
import { eventData } from '../upstream/decode-openai-failure.ts';
import { editEvent, laterTotals } from '../upstream/loose-events.ts';
import type { PassedReader } from '../upstream/passed-events.ts';
import { eventJson, objectIn, type StreamEvent } from '../upstream/read-json.ts';
import {
  type TranscriptDelta,
  type TranscriptDone,
  type TranscriptSegment,
  transcriptionUsage,
} from './answer.ts';
import { ownWords } from './decode-usage.ts';

type Fields = Record<string, unknown>;
type Written = TranscriptDelta | TranscriptSegment | TranscriptDone;

const ownDelta: TranscriptDelta['type'] = 'transcript.text.delta';
const ownDone: TranscriptDone['type'] = 'transcript.text.done';

/*
 * Events of other servers:
 * - chunks as those of chat: vLLM and SGLang
 *   (https://docs.vllm.ai/en/latest/api/vllm/entrypoints/openai/protocol/#vllm.entrypoints.openai.protocol.TranscriptionStreamResponse)
 * - `transcription.text.delta`, `transcription.segment` and `transcription.done`: Mistral
 *   (https://docs.mistral.ai/api/endpoint/audio/transcriptions)
 * - the text of each segment, as `{text}` or bare, without an end mark: Speaches
 *   (https://github.com/speaches-ai/speaches/issues/533)
 */

/** Reads a stream of transcript events and passes it on as OpenAI's, whosoever events they are. */
export class TranscriptEvents implements PassedReader {
  readonly endMark = 'ends';
  #text = '';
  #usage: Fields | undefined;
  #isDone = false;
  /** True if an event of OpenAI's was read. */
  #isOwn = false;
  /** True if a text arrived in events that have no end mark. */
  #isEndless = false;
  /** True if another server's last event was read. */
  #isFinished = false;
  /** The whole text, if the last event has it. */
  #whole = '';

  get complete(): boolean {
    return this.#isDone || this.#isFinished;
  }

  get valid(): boolean {
    return this.complete || (this.#isEndless && !this.#isOwn);
  }

  get usage(): Usage | null {
    return readUsage(this.#usage);
  }

  /** The events that end a stream without OpenAI's last event. */
  get mark(): string | undefined {
    return this.#isDone ? undefined : sseEvent(this.#end()) + sseEvent(chatDone);
  }

  read(event: StreamEvent): void {
    const fields = fieldsOf(event);
    const usage = objectIn(fields.usage);
    if (usage) this.#usage = laterTotals(this.#usage, usage);
    const named = event.event?.startsWith('transcript') ? event.event : '';
    const type = String(fields.type ?? named);
    if (type.startsWith('transcript.')) return this.#readOwn(type, event, fields);
    event.sent = this.#translated(type, fields)
      .map(each => sseEvent(dataJson(each)))
      .join('');
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.usage };
  }

  #readOwn(type: string, event: StreamEvent, { type: named, delta, usage }: Fields): void {
    this.#isOwn = true;
    this.#isDone ||= type === ownDone;
    if (type === ownDelta && typeof delta === 'string') this.#text += delta;
    const edits = new Map<string, string>();
    if (named === undefined) edits.set('type', JSON.stringify(type));
    const words = ownWords(usage);
    if (words) edits.set('usage', JSON.stringify(words));
    if (edits.size > 0) editEvent(event, edits);
  }

  #translated(type: string, fields: Fields): Written[] {
    const { choices } = fields;
    if (Array.isArray(choices)) return this.#chunk(objectIn(choices[0]) ?? {});
    const text = textIn(fields);
    switch (type.split('.').at(-1)) {
      case 'done':
        this.#isFinished = true;
        this.#whole = text;
        return this.#text === '' ? this.#delta(text) : [];
      case 'segment':
        return segmentOf(fields);
      case 'delta':
        return this.#delta(text);
      case '':
        this.#isEndless ||= 'text' in fields || 'delta' in fields;
        return this.#delta(text);
      default:
        return [];
    }
  }

  /** Reads a choice of a chunk; one without a choice has the usage alone. */
  #chunk({ delta, finish_reason: reason }: Fields): Written[] {
    const { content } = objectIn(delta) ?? {};
    const written = typeof content === 'string' ? this.#delta(content) : [];
    if (reason) this.#isFinished = true;
    return written;
  }

  #delta(delta: string): Written[] {
    this.#text += delta;
    return delta === '' ? [] : [{ type: ownDelta, delta }];
  }

  /** Returns the data of the last event. */
  #end(): string {
    const { usage } = this;
    const done: TranscriptDone = {
      type: ownDone,
      text: this.#whole || this.#text,
      ...(usage && { usage: transcriptionUsage(usage) }),
    };
    return dataJson(done);
  }
}

/** Returns the fields of an event, which may be a bare text. @throws GatewayError for a malformed event or one that is an error */
function fieldsOf(event: StreamEvent): Fields {
  const value = eventJson(event);
  if (typeof value === 'string') return { text: value };
  const isBare = event.event !== 'error' && !/^\s*[{[]/.test(event.data);
  if (isBare) return { text: event.data };
  event.ahead ??= { value };
  return eventData(event);
}

function textIn({ text, delta = '' }: Fields): string {
  const written = text ?? delta;
  return typeof written === 'string' ? written : '';
}

/** Returns a segment of a known speaker: its text is in other events, too. */
function segmentOf({ text, start, end, speaker_id: speaker }: Fields): TranscriptSegment[] {
  if (typeof speaker !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
  const type = 'transcript.text.segment';
  return [{ type, id: `seg_${start}`, start, end, text: typeof text === 'string' ? text : '', speaker }];
}
