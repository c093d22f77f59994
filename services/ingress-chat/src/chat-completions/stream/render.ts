import type {
  FinishEvent,
  GenerateEvent,
  PartEndEvent,
  PartStart,
  PartStartEvent,
  Signature,
} from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { chatDone } from '@model-gateway/wire';
import { answerId, systemFingerprint } from '../answer-id.ts';
import { renderProof } from '../call/render.ts';
import { lateRefusal, renderReason, type Shown } from '../finish/render.ts';
import { renderImages } from '../image/render.ts';
import type { ChatAnswerOptions } from '../render.ts';
import { renderThinking } from '../thinking/render.ts';
import { renderUsage } from '../usage/render.ts';

/** A part of the answer, as far as it was written. */
interface OpenPart {
  part: PartStart;
  /** What comes before and after the text of a fragment in a delta. */
  before: string;
  after: string;
  /** All of a reasoning part's text, which its block repeats. */
  text: string;
  empty: boolean;
  /** Of a call: the fields that say which one a delta belongs to. */
  call?: { index: number; legacy: boolean };
  custom?: boolean | undefined;
}

interface Context {
  requestId: string;
  created: number;
}

/** Writes an answer's events as chunks. What all chunks have in common is written out once. */
export class ChatStream {
  readonly #context: Context;
  readonly #options: ChatAnswerOptions;
  readonly #parts: OpenPart[] = [];
  readonly #shown: Shown;
  #head = '';
  #tail = '';
  #calls = 0;
  #begun = false;

  constructor(context: Context, options: ChatAnswerOptions) {
    this.#context = context;
    this.#options = options;
    this.#shown = { calls: false, refusal: false, legacy: options.legacy };
    this.#identify('', '');
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        this.#identify(event.id, event.model);
        return '';
      case 'part-start':
        return this.#open(event);
      case 'part-delta':
        return this.#more(event.index, event.text);
      case 'part-end':
        return this.#close(event);
      case 'finish':
        return this.#finish(event);
      case 'verbatim':
      case 'error':
        return '';
    }
  }

  #identify(upstreamId: string, model: string): void {
    const { requestId, created } = this.#context;
    const common = {
      id: answerId(upstreamId, requestId),
      object: 'chat.completion.chunk',
      created,
      model: model || this.#options.model,
      service_tier: null,
      system_fingerprint: systemFingerprint,
    };
    this.#head = `data: ${dataJson(common).slice(0, -1)},"choices":[`;
    this.#tail = this.#options.usage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  /** One chunk; `delta` is JSON. */
  #chunk(delta: string, reason: string | null = null): string {
    const end = reason === null ? 'null' : `"${reason}"`;
    return `${this.#head}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${end}}${this.#tail}`;
  }

  /** The first chunk of the answer; without text it says so, as clients that join texts expect. */
  #begin(text: boolean): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#chunk(`{"role":"assistant","content":${text ? '""' : 'null'},"refusal":null}`);
  }

  #open({ index, part }: PartStartEvent): string {
    const begin = this.#begin(part.type !== 'tool-call');
    if (part.type === 'tool-call') return begin + this.#openCall(index, part);
    const [before, after] = textDelta(part);
    this.#parts[index] = { part, before, after, text: '', empty: true };
    if (part.type === 'refusal') this.#shown.refusal = true;
    const images = part.type === 'media' ? renderImages(part) : [];
    return images.length > 0 ? begin + this.#chunk(dataJson({ images })) : begin;
  }

  #openCall(index: number, part: Extract<PartStart, { type: 'tool-call' }>): string {
    // The old form holds one call, without an index; what comes after it has the new form.
    const number = this.#calls++ - (this.#options.legacy ? 1 : 0);
    const call = { index: number, legacy: number < 0 };
    this.#shown.calls = true;
    const [before, after] = callDelta(call, part.custom);
    this.#parts[index] = { part, before, after, text: '', empty: true, call, custom: part.custom };
    const { id, name } = part;
    if (call.legacy) return this.#chunk(dataJson({ function_call: { name, arguments: '' } }));
    const kind = part.custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    return this.#chunk(dataJson({ tool_calls: [{ index: call.index, id, ...kind }] }));
  }

  #more(index: number, text: string): string {
    const open = this.#parts[index];
    if (!open || text === '' || open.before === '') return '';
    open.empty = false;
    if (open.part.type === 'reasoning') open.text += text;
    return this.#chunk(open.before + dataJson(text) + open.after);
  }

  #close({ index, signature }: PartEndEvent): string {
    const open = this.#parts[index];
    if (!open) return '';
    if (open.call) return this.#closeCall(index, open.call, signature);
    if (open.part.type !== 'reasoning' || !signature) return '';
    const block = {
      type: 'reasoning',
      text: open.text,
      signature,
      redacted: 'redacted' in open.part,
    } as const;
    return this.#chunk(dataJson({ thinking_blocks: [renderThinking(block)] }));
  }

  /** A call without arguments has an empty object. */
  #closeCall(index: number, call: NonNullable<OpenPart['call']>, signature?: Signature): string {
    const { empty, custom } = this.#parts[index] as OpenPart;
    const rest = empty && !custom ? this.#more(index, '{}') : '';
    const proof = renderProof(signature);
    if (call.legacy || !proof.extra_content) return rest;
    return rest + this.#chunk(dataJson({ tool_calls: [{ index: call.index, ...proof }] }));
  }

  #finish(event: FinishEvent): string {
    const begin = this.#begin(!this.#shown.calls);
    const refusal = lateRefusal(event, this.#shown);
    const late = refusal ? this.#chunk(dataJson({ refusal })) : '';
    const last = this.#chunk('{}', renderReason(event, this.#shown));
    return begin + late + last + this.#usage(event) + sseEvent(chatDone);
  }

  /** The chunk that has nothing but the usage, for a client that asked for it. */
  #usage({ usage }: FinishEvent): string {
    if (!this.#options.usage || !usage) return '';
    return `${this.#head}],"usage":${dataJson(renderUsage(usage))}}\n\n`;
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
