import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type PartEndEvent,
  type PartStart,
} from '@model-gateway/canonical';
import { wellFormed } from '../upstream/malformed.ts';
import {
  type ResponsesUpstreamAnnotation,
  type ResponsesUpstreamCall,
  type ResponsesUpstreamItem,
  type ResponsesUpstreamPart,
  responsesUpstreamCall,
  responsesUpstreamImage,
  responsesUpstreamMessage,
  responsesUpstreamReasoning,
} from './answer.ts';
import type { ResponsesStreamEvent } from './events.ts';
import { writeSignature } from './sanitize-history.ts';

interface Piece {
  flow: Flow;
  citations: Citation[];
}

/** A message item. Each part of its content becomes a part. */
export class MessageItem {
  readonly #nextPart: NextPart;
  readonly #pieces = new Map<number, Piece>();
  #refused = false;

  constructor(nextPart: NextPart) {
    this.#nextPart = nextPart;
  }

  get refused(): boolean {
    return this.#refused;
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#piece(event.content_index, 'text').flow.add(event.delta);
      case 'response.output_text.done':
        return this.#piece(event.content_index, 'text').flow.whole(event.text);
      case 'response.output_text.annotation.added':
        this.#piece(event.content_index, 'text').citations.push(...decodeCitations([event.annotation]));
        return [];
      case 'response.refusal.delta':
        return this.#piece(event.content_index, 'refusal').flow.add(event.delta);
      case 'response.refusal.done':
        return this.#piece(event.content_index, 'refusal').flow.whole(event.refusal);
      case 'response.content_part.done':
        return this.#end(event.content_index, event.part);
      default:
        return [];
    }
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const { content } = wellFormed(responsesUpstreamMessage, item);
    return [...(content ?? []).flatMap((part, i) => this.#end(i, part)), ...this.stop()];
  }

  /** Ends the parts that the upstream left open. */
  stop(): GenerateEvent[] {
    return [...this.#pieces.values()].flatMap(close);
  }

  #piece(index: number, type: 'text' | 'refusal'): Piece {
    if (type === 'refusal') this.#refused = true;
    const found = this.#pieces.get(index);
    if (found) return found;
    const piece = { flow: new Flow({ type }, this.#nextPart), citations: [] };
    this.#pieces.set(index, piece);
    return piece;
  }

  /** Ends a part with its final content. */
  #end(index: number, { type, text, refusal, annotations }: ResponsesUpstreamPart): GenerateEvent[] {
    switch (type) {
      case 'output_text': {
        const piece = this.#piece(index, 'text');
        // The list includes the annotations already received one by one.
        if (annotations?.length) piece.citations = decodeCitations(annotations);
        return [...piece.flow.whole(text ?? ''), ...close(piece)];
      }
      case 'refusal': {
        const piece = this.#piece(index, 'refusal');
        return [...piece.flow.whole(refusal ?? ''), ...close(piece)];
      }
      default:
        return [];
    }
  }
}

function close({ flow, citations }: Piece): GenerateEvent[] {
  return flow.end(citations.length > 0 ? { citations } : {});
}

/** Returns the URL citations of a text. Other formats have no field for file citations. */
export function decodeCitations(annotations: readonly ResponsesUpstreamAnnotation[]): Citation[] {
  return annotations.flatMap(({ type, url, title, start_index: start, end_index: end }) => {
    if (type !== 'url_citation' || !url) return [];
    const place = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}

/** Returns the index of the next part. */
type NextPart = () => number;

/** A part whose text arrives as deltas, whole at its end, or both. It begins with its first text or `begin`. */
export class Flow {
  readonly #part: PartStart;
  readonly #nextPart: NextPart;
  #index: number | undefined;
  #length = 0;
  #ended = false;

  constructor(part: PartStart, nextPart: NextPart) {
    this.#part = part;
    this.#nextPart = nextPart;
  }

  /** The number of characters so far. */
  get length(): number {
    return this.#length;
  }

  begin(): GenerateEvent[] {
    if (this.#index !== undefined) return [];
    this.#index = this.#nextPart();
    return [{ type: 'part-start', index: this.#index, part: this.#part }];
  }

  add(text: string): GenerateEvent[] {
    if (text === '' || this.#ended) return [];
    const begun = this.begin();
    this.#length += text.length;
    return [...begun, { type: 'part-delta', index: this.#index as number, text }];
  }

  /** Adds the rest of the whole text, beyond the deltas received. */
  whole(text: string): GenerateEvent[] {
    return this.add(text.slice(this.#length));
  }

  /** Ends the part if it has begun. */
  end(more: Pick<PartEndEvent, 'signature' | 'citations'> = {}): GenerateEvent[] {
    if (this.#index === undefined || this.#ended) return [];
    this.#ended = true;
    return [{ type: 'part-end', index: this.#index, ...more }];
  }
}

export interface CallOptions {
  nextPart: NextPart;
  /** Returns the client's name of a tool. */
  toolName(wire: string): string;
  /** Returns the upstream's call id, or a generated one if it is missing or taken. */
  idOf(upstreamId: string | null | undefined): string;
}

/** A call of a client tool. It begins once its id and name are known. */
export class CallItem {
  readonly #options: CallOptions;
  #flow: Flow | undefined;
  /** Arguments received before the name. */
  #early = '';

  constructor(options: CallOptions) {
    this.#options = options;
  }

  added(item: ResponsesUpstreamItem): GenerateEvent[] {
    const call = wellFormed(responsesUpstreamCall, item);
    return call.name && call.call_id ? this.#begin(call, call.call_id, call.name) : [];
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#add(event.delta);
      case 'response.function_call_arguments.done':
        return this.#whole(event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#whole(event.input);
      default:
        return [];
    }
  }

  /** @throws GatewayError for a call without a name */
  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const call = wellFormed(responsesUpstreamCall, item);
    const begun = this.#flow ? [] : this.#begin(call, call.call_id || call.id, call.name || nameless());
    const text = call.type === 'function_call' ? call.arguments : call.input;
    return [...begun, ...this.#whole(text ?? ''), ...this.stop()];
  }

  /** @throws GatewayError for a call without a name */
  stop(): GenerateEvent[] {
    return this.#flow ? this.#flow.end() : nameless();
  }

  #begin(
    { type }: ResponsesUpstreamCall,
    upstreamId: string | null | undefined,
    name: string,
  ): GenerateEvent[] {
    const { toolName, nextPart, idOf } = this.#options;
    const custom = type === 'custom_tool_call';
    const called = { id: idOf(upstreamId), name: toolName(name) };
    const part = { type: 'tool-call' as const, ...called, ...(custom && { custom }) };
    this.#flow = new Flow(part, nextPart);
    return [...this.#flow.begin(), ...this.#flow.add(this.#early)];
  }

  #add(text: string): GenerateEvent[] {
    if (this.#flow) return this.#flow.add(text);
    this.#early += text;
    return [];
  }

  #whole(text: string): GenerateEvent[] {
    return this.#add(text.slice(this.#flow?.length ?? this.#early.length));
  }
}

function nameless(): never {
  throw new GatewayError('upstream', 'The upstream called a tool without a name.');
}

/** The separator of summary parts. */
const separator = '\n\n';

/** A reasoning item. It becomes one part, from either its summary or its content. */
export class ReasoningItem {
  readonly #flow: Flow;
  /** The source of the text: the one that arrived first. */
  #source: 'summary' | 'content' | undefined;
  /** Characters received, by part index. */
  readonly #lengths = new Map<number, number>();

  constructor(nextPart: NextPart) {
    this.#flow = new Flow({ type: 'reasoning' }, nextPart);
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.reasoning_summary_text.delta':
        return this.#add('summary', event.summary_index, event.delta);
      case 'response.reasoning_summary_text.done':
        return this.#whole('summary', event.summary_index, event.text);
      case 'response.reasoning_summary_part.done':
        return this.#whole('summary', event.summary_index, event.part.text);
      case 'response.reasoning_text.delta':
        return this.#add('content', event.content_index, event.delta);
      case 'response.reasoning_text.done':
        return this.#whole('content', event.content_index, event.text);
      case 'response.content_part.done':
        return this.#whole('content', event.content_index, event.part.text);
      default:
        return [];
    }
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const read = wellFormed(responsesUpstreamReasoning, item);
    const { id, summary, content, encrypted_content: encrypted } = read;
    const rest = [
      ...(summary ?? []).flatMap(({ text }, i) => this.#whole('summary', i, text)),
      ...(content ?? []).flatMap(({ text }, i) => this.#whole('content', i, text)),
    ];
    if (!encrypted) return [...rest, ...this.#flow.end()];
    const signature = writeSignature({ ...(id && { id }), encrypted });
    return [...rest, ...this.#flow.begin(), ...this.#flow.end({ signature })];
  }

  stop(): GenerateEvent[] {
    return this.#flow.end();
  }

  #add(from: 'summary' | 'content', index: number, text: string): GenerateEvent[] {
    if (text === '') return [];
    this.#source ??= from;
    if (this.#source !== from) return [];
    const before = this.#lengths.get(index) ?? 0;
    this.#lengths.set(index, before + text.length);
    const gap = before === 0 && this.#flow.length > 0 ? separator : '';
    return this.#flow.add(gap + text);
  }

  #whole(from: 'summary' | 'content', index: number, text: string | null | undefined): GenerateEvent[] {
    if (this.#source && this.#source !== from) return [];
    return this.#add(from, index, (text ?? '').slice(this.#lengths.get(index) ?? 0));
  }
}

/** An item that is sent once it is complete: an image, or an item that only this format has. */
export class WholeItem {
  readonly #nextPart: NextPart;
  readonly #sameFormat: boolean;

  /** With `sameFormat`, for clients of this format, the item stays unchanged. */
  constructor(nextPart: NextPart, sameFormat: boolean) {
    this.#nextPart = nextPart;
    this.#sameFormat = sameFormat;
  }

  take(): GenerateEvent[] {
    return [];
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const index = this.#nextPart();
    const part =
      (!this.#sameFormat && imagePart(item)) ||
      ({ type: 'opaque', format: 'responses', value: item } as const);
    return [
      { type: 'part-start', index, part },
      { type: 'part-end', index },
    ];
  }

  stop(): GenerateEvent[] {
    return [];
  }
}

/** Returns a generated image as a part; undefined for other items and failed images. */
function imagePart(item: ResponsesUpstreamItem): PartStart | undefined {
  const { data } = responsesUpstreamImage.safeParse(item);
  if (!data?.result) return undefined;
  const mediaType = `image/${data.output_format ?? 'png'}`;
  return { type: 'media', kind: 'image', source: { type: 'base64', data: data.result }, mediaType };
}
