import type {
  Ending,
  PartDeltaEvent,
  PartEndEvent,
  PartStart,
  PartStartEvent,
  Signature,
} from '@model-gateway/canonical';
import { dataJson } from '@model-gateway/sse';
import { lateRefusal, renderReason, type Shown } from './render-finish.ts';
import { renderAnnotations, renderImages, renderProof, renderThinking } from './render-parts.ts';

/** A part of the answer, as far as it was written. */
interface OpenPart {
  part: PartStart;
  /** What comes before and after the text of a fragment in a delta. */
  before: string;
  after: string;
  /** All of a reasoning part's text, which its block repeats. */
  text: string;
  empty: boolean;
  /** Of a text: where in the message it begins. */
  start: number;
  /** Of a call: the fields that say which one a delta belongs to. */
  call?: { index: number; legacy: boolean };
  custom?: boolean | undefined;
}

export interface ChoiceOptions {
  /** The client knows functions in their old form only. */
  legacy: boolean;
  /** One chunk: `delta` is JSON, `reason` why the choice ended. */
  chunk(delta: string, reason?: string): string;
}

/** Writes one choice's events as chunks. */
export class ChatChoice {
  readonly #chunk: ChoiceOptions['chunk'];
  readonly #parts: OpenPart[] = [];
  readonly #shown: Shown;
  #calls = 0;
  /** Characters of the message's content so far. */
  #length = 0;
  #begun = false;

  constructor({ chunk, legacy }: ChoiceOptions) {
    this.#chunk = chunk;
    this.#shown = { calls: false, refusal: false, legacy };
  }

  open({ index, part }: PartStartEvent): string {
    const begin = this.#begin(part.type !== 'tool-call');
    if (part.type === 'tool-call') return begin + this.#openCall(index, part);
    const [before, after] = textDelta(part);
    this.#parts[index] = { part, before, after, text: '', empty: true, start: this.#length };
    if (part.type === 'refusal') this.#shown.refusal = true;
    const images = part.type === 'media' ? renderImages(part) : [];
    return images.length > 0 ? begin + this.#chunk(dataJson({ images })) : begin;
  }

  more({ index, text }: Pick<PartDeltaEvent, 'index' | 'text'>): string {
    const open = this.#parts[index];
    if (!open || text === '' || open.before === '') return '';
    open.empty = false;
    if (open.part.type === 'text') this.#length += text.length;
    if (open.part.type === 'reasoning') open.text += text;
    return this.#chunk(open.before + dataJson(text) + open.after);
  }

  close({ index, signature, citations }: PartEndEvent): string {
    const open = this.#parts[index];
    if (!open) return '';
    if (open.call) return this.#closeCall(index, open.call, signature);
    if (citations?.length) {
      const annotations = renderAnnotations(citations, { start: open.start, end: this.#length });
      return this.#chunk(dataJson({ annotations }));
    }
    if (open.part.type !== 'reasoning' || !signature) return '';
    const block = {
      type: 'reasoning',
      text: open.text,
      signature,
      redacted: 'redacted' in open.part,
    } as const;
    return this.#chunk(dataJson({ thinking_blocks: [renderThinking(block)] }));
  }

  end(ending: Ending): string {
    const begin = this.#begin(!this.#shown.calls);
    const refusal = lateRefusal(ending, this.#shown);
    const late = refusal ? this.#chunk(dataJson({ refusal })) : '';
    return begin + late + this.#chunk('{}', renderReason(ending, this.#shown));
  }

  /** The first chunk of the choice; without text it says so, as clients that join texts expect. */
  #begin(text: boolean): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#chunk(`{"role":"assistant","content":${text ? '""' : 'null'},"refusal":null}`);
  }

  #openCall(index: number, part: Extract<PartStart, { type: 'tool-call' }>): string {
    // The old form holds one call, without an index; what comes after it has the new form.
    const number = this.#calls++ - (this.#shown.legacy ? 1 : 0);
    const call = { index: number, legacy: number < 0 };
    this.#shown.calls = true;
    const [before, after] = callDelta(call, part.custom);
    const { id, name, custom } = part;
    this.#parts[index] = { part, before, after, text: '', empty: true, start: 0, call, custom };
    if (call.legacy) return this.#chunk(dataJson({ function_call: { name, arguments: '' } }));
    const kind = custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    return this.#chunk(dataJson({ tool_calls: [{ index: call.index, id, ...kind }] }));
  }

  /** A call without arguments has an empty object. */
  #closeCall(index: number, call: NonNullable<OpenPart['call']>, signature?: Signature): string {
    const { empty, custom } = this.#parts[index] as OpenPart;
    const rest = empty && !custom ? this.more({ index, text: '{}' }) : '';
    const proof = renderProof(signature);
    if (call.legacy || !proof.extra_content) return rest;
    // OpenAI's Python client fails at a piece of a call without its function.
    const kind = custom ? { custom: { input: '' } } : { function: { arguments: '' } };
    return rest + this.#chunk(dataJson({ tool_calls: [{ index: call.index, ...kind, ...proof }] }));
  }
}

/** What comes around a fragment of a part's text; empty for parts that have none. */
function textDelta({ type }: PartStart): [before: string, after: string] {
  switch (type) {
    case 'text':
      return ['{"content":', '}'];
    case 'refusal':
      return ['{"refusal":', '}'];
    case 'reasoning':
      return ['{"reasoning_content":', '}'];
    default:
      return ['', ''];
  }
}

function callDelta({ index, legacy }: NonNullable<OpenPart['call']>, custom = false): [string, string] {
  if (legacy) return ['{"function_call":{"arguments":', '}}'];
  const field = custom ? '"custom":{"input":' : '"function":{"arguments":';
  return [`{"tool_calls":[{"index":${index},${field}`, '}}]}'];
}
