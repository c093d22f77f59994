import type {
  Ending,
  FinishEvent,
  GenerateEvent,
  PartDeltaEvent,
  PartEndEvent,
  PartStart,
  PartStartEvent,
  Signature,
  StartEvent,
} from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { AnswerRenderer } from '../client/endpoint.ts';
import { chatDone } from './answer.ts';
import { type ChoiceContent, lateRefusal, renderReason } from './finish.ts';
import {
  answerId,
  type ChatAnswerOptions,
  renderAnnotations,
  renderImages,
  renderSignature,
  renderThinking,
  renderWhole,
  systemFingerprint,
} from './render-whole.ts';

export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '../client/render-errors.ts';

import { renderUsage } from './usage.ts';

export function chatRenderer(options: ChatAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new ChatStream(context, options);
      return { add: event => stream.write(event) };
    },
  };
}

interface Context {
  requestId: string;
  created: number;
}

/** Writes a response's events as chunks. The JSON that all chunks share is rendered once. */
class ChatStream {
  readonly #context: Context;
  readonly #options: ChatAnswerOptions;
  readonly #choices: ChatChoice[] = [];
  readonly #tail: string;
  /** The upstream's id and model, once it has sent them. */
  #upstream: Pick<StartEvent, 'id' | 'model'> = { id: '', model: '' };
  /** The JSON before the choice of each chunk, once a chunk was rendered. */
  #head: string | undefined;

  constructor(context: Context, options: ChatAnswerOptions) {
    this.#context = context;
    this.#options = options;
    this.#tail = options.usage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  write(event: GenerateEvent): string {
    switch (event.type) {
      case 'start':
        this.#upstream = event;
        this.#head = undefined;
        return '';
      case 'part-start':
        return this.#choice(event.choice).open(event);
      case 'part-delta':
        return this.#choice(event.choice).more(event);
      case 'part-end':
        return this.#choice(event.choice).close(event);
      case 'choice-end':
        return this.#choice(event.choice).end(event);
      case 'finish':
        return this.#choice().end(event) + this.#usage(event) + sseEvent(chatDone);
      case 'verbatim':
      case 'audio':
      case 'result':
      case 'error':
        return '';
    }
  }

  #chunkHead(): string {
    if (this.#head !== undefined) return this.#head;
    const { requestId, created } = this.#context;
    const common = {
      id: answerId(this.#upstream.id, requestId),
      object: 'chat.completion.chunk',
      created,
      model: this.#upstream.model || this.#options.model,
      service_tier: null,
      system_fingerprint: systemFingerprint,
    };
    this.#head = `data: ${dataJson(common).slice(0, -1)},"choices":[`;
    return this.#head;
  }

  #choice(index = 0): ChatChoice {
    this.#choices[index] ??= new ChatChoice({
      legacy: this.#options.legacy,
      chunk: (delta, reason) => {
        const end = reason === undefined ? 'null' : `"${reason}"`;
        return `${this.#chunkHead()}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${end}}${this.#tail}`;
      },
    });
    return this.#choices[index];
  }

  /** Writes the chunk with the usage if the client requested it. */
  #usage({ usage }: FinishEvent): string {
    if (!this.#options.usage || !usage) return '';
    return `${this.#chunkHead()}],"usage":${dataJson(renderUsage(usage))}}\n\n`;
  }
}

/** A part and its state while it is streamed. */
interface OpenPart {
  part: PartStart;
  /** The JSON before and after the text of a delta; empty for parts without text. */
  before: string;
  after: string;
  /** The text of a reasoning part so far, which its block repeats. */
  text: string;
  empty: boolean;
  /** The offset of a text part in the message, in characters. */
  start: number;
  /** For a call, the fields that identify its deltas. */
  call?: { index: number; legacy: boolean };
  custom?: boolean | undefined;
}

interface ChoiceOptions {
  /** True for a client that uses the legacy form of functions. */
  legacy: boolean;
  /** Writes one chunk. `delta` is JSON, `reason` the finish reason. */
  chunk(delta: string, reason?: string): string;
}

/** Writes the events of one choice as chunks. */
class ChatChoice {
  readonly #chunk: ChoiceOptions['chunk'];
  readonly #parts: OpenPart[] = [];
  readonly #content: ChoiceContent;
  #calls = 0;
  /** The length of the message's content so far, in characters. */
  #length = 0;
  #begun = false;

  constructor({ chunk, legacy }: ChoiceOptions) {
    this.#chunk = chunk;
    this.#content = { calls: false, refusal: false, legacy };
  }

  open({ index, part }: PartStartEvent): string {
    const begin = this.#begin(part.type !== 'tool-call');
    if (part.type === 'tool-call') return begin + this.#openCall(index, part);
    const [before, after] = textDelta(part);
    this.#parts[index] = { part, before, after, text: '', empty: true, start: this.#length };
    if (part.type === 'refusal') this.#content.refusal = true;
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
    const begin = this.#begin(!this.#content.calls);
    const refusal = lateRefusal(ending, this.#content);
    const late = refusal ? this.#chunk(dataJson({ refusal })) : '';
    return begin + late + this.#chunk('{}', renderReason(ending, this.#content));
  }

  /** Writes the first chunk. Its content is null if no text follows, as clients that join texts expect. */
  #begin(text: boolean): string {
    if (this.#begun) return '';
    this.#begun = true;
    return this.#chunk(`{"role":"assistant","content":${text ? '""' : 'null'},"refusal":null}`);
  }

  #openCall(index: number, part: Extract<PartStart, { type: 'tool-call' }>): string {
    // The legacy form holds one call, without an index. Further calls have the current form.
    const number = this.#calls++ - (this.#content.legacy ? 1 : 0);
    const call = { index: number, legacy: number < 0 };
    this.#content.calls = true;
    const [before, after] = callDelta(call, part.custom);
    const { id, name, custom } = part;
    this.#parts[index] = { part, before, after, text: '', empty: true, start: 0, call, custom };
    if (call.legacy) return this.#chunk(dataJson({ function_call: { name, arguments: '' } }));
    const kind = custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    return this.#chunk(dataJson({ tool_calls: [{ index: call.index, id, ...kind }] }));
  }

  /** Ends a call. Empty arguments become an empty object. */
  #closeCall(index: number, call: NonNullable<OpenPart['call']>, signature?: Signature): string {
    const { empty, custom } = this.#parts[index] as OpenPart;
    const rest = empty && !custom ? this.more({ index, text: '{}' }) : '';
    const extra = renderSignature(signature);
    if (call.legacy || !extra.extra_content) return rest;
    // OpenAI's Python client fails on a tool call delta without `function`.
    const kind = custom ? { custom: { input: '' } } : { function: { arguments: '' } };
    return rest + this.#chunk(dataJson({ tool_calls: [{ index: call.index, ...kind, ...extra }] }));
  }
}

/** Returns the JSON before and after a delta's text; empty for parts without text. */
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
