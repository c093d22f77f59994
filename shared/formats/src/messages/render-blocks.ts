import type {
  AssistantPart,
  Citation,
  PartEndEvent,
  PartStart,
  ReasoningPart,
} from '@model-gateway/canonical';
import { answerBounds, argumentsObject, exceededBound, ObjectEnd } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { mediaMarkdown, PartQueue } from '../client/endpoint.ts';
import { writeSignature } from '../values/signatures.ts';
import type { MessagesAnyBlock, MessagesWebCitation } from './request.ts';

/** Renders the blocks of a complete part. An empty text has none: clients would send it back. */
export function renderBlocks(part: AssistantPart, spareId: string): MessagesAnyBlock[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text, part.citations);
    case 'refusal':
      return textBlocks(part.text);
    case 'reasoning':
      return reasoningBlocks(part);
    case 'tool-call':
      return [{ ...toolUseBlock(part.id || spareId, part.name), input: argumentsObject(part.arguments) }];
    case 'media':
      return textBlocks(mediaMarkdown(part));
    case 'opaque':
      // Opaque parts of other vendors, such as a search, have no equivalent.
      return part.format === 'messages' ? [part.value as MessagesAnyBlock] : [];
  }
}

/** Renders a call without its input, which follows in the stream. */
function toolUseBlock(id: string, name: string): MessagesAnyBlock {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
}

function textBlocks(text: string, cited: readonly Citation[] = []): MessagesAnyBlock[] {
  const citations = cited.length > 0 ? cited.map(renderCitation) : null;
  return text === '' ? [] : [{ type: 'text', text, citations }];
}

function reasoningBlocks({ text, signature, redacted }: ReasoningPart): MessagesAnyBlock[] {
  const signed = signature ? writeSignature(signature, 'messages') : '';
  if (redacted) return signed === '' ? [] : [{ type: 'redacted_thinking', data: signed }];
  return text === '' && signed === '' ? [] : [{ type: 'thinking', thinking: text, signature: signed }];
}

/**
 * Renders a citation of a whole block. The cited text and its signature are empty, since other formats lack
 * them.
 */
function renderCitation({ url, title }: Citation): MessagesWebCitation {
  return { type: 'web_search_result_location', url, title, cited_text: '', encrypted_index: '' };
}

/** A part that is not yet completely written. */
interface Waiting {
  part: PartStart;
  /** The part's index, from which a missing id is derived. */
  index: number;
  /** Text that waits until the part's block is open. */
  unwritten: string;
  written: string;
  /** The end of a call's arguments, of which it is known whether they begin as an object once they are not blank. */
  argumentsEnd?: ObjectEnd;
  isObject?: boolean;
  /** True once arguments that end as an object were parsed. */
  isParsed?: boolean;
  /** The index of the part's block, once it is open. */
  block?: number;
  /** The beginning of the block's deltas, once there was one: they are most events of a stream. */
  deltaHead?: string;
  ended: boolean;
  end?: Pick<PartEndEvent, 'signature' | 'citations'>;
}

/**
 * Writes parts as content blocks, one open at a time. Blocks are numbered as they are sent, without gaps:
 * SDKs lose the input of a tool whose index jumps. Parallel calls may interleave: a later part waits until
 * the parts before it end.
 */
export class Blocks {
  readonly #callId: (index: number) => string;
  readonly #hideThinking: boolean;
  /** Only the first can have an open block. */
  readonly #waiting = new PartQueue<Waiting>();
  #next = 0;
  /** The text of refusals. */
  refusal = '';

  constructor(callId: (index: number) => string, hideThinking = false) {
    this.#callId = callId;
    this.#hideThinking = hideThinking;
  }

  start(index: number, part: PartStart): string {
    const { first } = this.#waiting;
    // Nothing can follow the complete arguments of a call, so its end is not awaited.
    if (first && isWholeCall(first)) first.ended = true;
    this.#waiting.add(index, { part, index, unwritten: '', written: '', ended: false });
    return this.#advance();
  }

  add(index: number, text: string): string {
    const waiting = this.#waiting.get(index);
    if (!waiting) return '';
    if (waiting.part.type === 'refusal') this.refusal += text;
    if (waiting.part.type === 'reasoning' && this.#hideThinking) return '';
    waiting.unwritten += text;
    if (waiting.part.type === 'tool-call') waiting.isObject ??= beginsObject(text);
    return this.#advance();
  }

  end(event: Pick<PartEndEvent, 'index' | 'signature' | 'citations'>): string {
    const waiting = this.#waiting.get(event.index);
    if (!waiting) return '';
    waiting.ended = true;
    waiting.end = event;
    return this.#advance();
  }

  endAll(): string {
    for (const waiting of this.#waiting.all()) waiting.ended = true;
    return this.#advance();
  }

  /** Writes the first part's text, and continues with the next part if the first has ended. */
  #advance(): string {
    let out = '';
    for (let part = this.#waiting.first; part; part = this.#waiting.first) {
      out += this.#write(part);
      if (!part.ended) break;
      out += this.#close(part);
      this.#waiting.removeFirst();
    }
    return out;
  }

  /** Opens the part's block if it has content, and writes its text. */
  #write(waiting: Waiting): string {
    const kind = blockKind(waiting.part);
    if (!kind) return '';
    const text = waiting.unwritten;
    const isCall = waiting.part.type === 'tool-call';
    if (text === '' && !isCall) return '';
    const opening = this.#open(waiting);
    if (text === '' || (isCall && !waiting.isObject)) return opening;
    waiting.unwritten = '';
    if (isCall) {
      waiting.written += text;
      waiting.argumentsEnd ??= new ObjectEnd();
      waiting.argumentsEnd.add(text);
    }
    waiting.deltaHead ??= `event: content_block_delta\ndata: {"type":"content_block_delta","index":${waiting.block},"delta":{"type":"${kind.delta}","${kind.field}":`;
    return `${opening}${waiting.deltaHead}${dataJson(text)}}}\n\n`;
  }

  #close(waiting: Waiting): string {
    const { part, written, unwritten, end: { signature, citations = [] } = {} } = waiting;
    if (!blockKind(part)) return this.#wholes(waiting);
    if (part.type === 'tool-call' && written === '') {
      const partial_json = JSON.stringify(argumentsObject(unwritten));
      return this.#delta({ type: 'input_json_delta', partial_json }, waiting.block) + this.#stop(waiting);
    }
    if (part.type === 'reasoning' && signature) {
      const delta = { type: 'signature_delta', signature: writeSignature(signature, 'messages') };
      return this.#open(waiting) + this.#delta(delta, waiting.block) + this.#stop(waiting);
    }
    if (waiting.block === undefined) return '';
    const sources = part.type === 'text' ? citations : [];
    const cited = sources.map(source => {
      const delta = { type: 'citations_delta', citation: renderCitation(source) };
      return this.#delta(delta, waiting.block);
    });
    return cited.join('') + this.#stop(waiting);
  }

  /** Writes a part that arrives complete. A text that replaces it is streamed like any text. */
  #wholes({ part, index, end }: Waiting): string {
    const signature = end?.signature;
    const whole = { ...part, ...(part.type === 'reasoning' && { text: '', signature }) } as AssistantPart;
    return renderBlocks(whole, this.#callId(index))
      .map(block => {
        const index = this.#next++;
        const isText = block.type === 'text';
        const content_block = isText ? { ...block, text: '' } : block;
        return (
          frame('content_block_start', { index, content_block }) +
          (isText ? this.#delta({ type: 'text_delta', text: block.text }, index) : '') +
          frame('content_block_stop', { index })
        );
      })
      .join('');
  }

  #open(waiting: Waiting): string {
    if (waiting.block !== undefined) return '';
    waiting.block = this.#next++;
    const content_block = emptyBlock(waiting.part, this.#callId(waiting.index));
    return frame('content_block_start', { index: waiting.block, content_block });
  }

  #delta(delta: Record<string, unknown>, index: number | undefined): string {
    return frame('content_block_delta', { index, delta });
  }

  #stop({ block }: Waiting): string {
    return frame('content_block_stop', { index: block });
  }
}

/** Returns the delta of a part's text; undefined for a part that arrives complete. */
function blockKind(part: PartStart): { delta: string; field: string } | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { delta: 'text_delta', field: 'text' };
    case 'reasoning':
      return 'redacted' in part ? undefined : { delta: 'thinking_delta', field: 'thinking' };
    case 'tool-call':
      return { delta: 'input_json_delta', field: 'partial_json' };
    case 'media':
    case 'opaque':
      return undefined;
  }
}

function emptyBlock(part: PartStart, spareId: string): MessagesAnyBlock {
  if (part.type === 'tool-call') return toolUseBlock(part.id || spareId, part.name);
  if (part.type === 'reasoning') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'text', text: '', citations: null };
}

/**
 * True if a call's arguments begin as an object; undefined if they are blank. Others wait for their end, when they
 * are wrapped in an object.
 */
function beginsObject(text: string): boolean | undefined {
  const begin = text.trimStart();
  return begin === '' ? undefined : begin.startsWith('{');
}

/** True if the arguments of a call are complete. They are parsed once. */
function isWholeCall(waiting: Waiting): boolean {
  const { argumentsEnd, isParsed, written } = waiting;
  if (isParsed || !argumentsEnd?.reached) return false;
  waiting.isParsed = true;
  try {
    return !exceededBound(written, answerBounds) && typeof JSON.parse(written) === 'object';
  } catch {
    return false;
  }
}

/** Renders one event. Clients need both the event name and the type in its data. */
export function frame(type: string, fields: Record<string, unknown>): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}
