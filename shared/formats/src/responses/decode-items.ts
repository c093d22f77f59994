import type { GenerateEvent, Message, PartStart } from '@model-gateway/canonical';
import { AnswerIds } from '../upstream/call-ids.ts';
import { malformed } from '../upstream/malformed.ts';
import { CallItem } from './decode-call.ts';
import { MessageItem } from './decode-message.ts';
import { ReasoningItem } from './decode-reasoning.ts';
import type { NextPart } from './flow.ts';
import { type ResponsesUpstreamItem, responsesUpstreamImage } from './upstream-answer.ts';
import type { ResponsesStreamEvent } from './upstream-events.ts';

export interface ItemsOptions {
  /** Returns the client's name of a tool. */
  toolName(wire: string): string;
  /** A string unique to the request, from which missing call ids are generated. */
  seed: string;
  /** The conversation before the answer. */
  history?: readonly Message[];
  /** True if the client has the same format. All items except messages then stay unchanged. */
  sameFormat: boolean;
}

type OpenItem = MessageItem | ReasoningItem | CallItem | WholeItem;

/** Turns items into parts, by output index: some upstreams change an item's id between events. */
export class Items implements OutputFlags {
  readonly #options: ItemsOptions;
  readonly #open = new Map<number, OpenItem>();
  readonly #ended = new Set<number | string>();
  readonly #callIds: AnswerIds;
  #parts = 0;
  #called = false;
  #refused = false;

  constructor(options: ItemsOptions) {
    this.#options = options;
    this.#callIds = new AnswerIds(options);
  }

  get called(): boolean {
    return this.#called;
  }

  get refused(): boolean {
    return this.#refused;
  }

  /** Decodes an event of an item; other events are ignored. @throws GatewayError for a malformed event */
  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.output_item.added':
        return this.#added(event.output_index, event.item);
      case 'response.output_item.done':
        return this.#done(event.output_index, event.item);
      default: {
        const type = itemOf(event);
        return type && typeof event.output_index === 'number'
          ? this.#more(event.output_index, type, event)
          : [];
      }
    }
  }

  /** Ends every item. Items that had no event of their own are taken from the whole output. */
  end(output: readonly ResponsesUpstreamItem[]): GenerateEvent[] {
    const rest = output.flatMap((item, at) => {
      const ended = this.#ended.has(at) || (item.id && this.#ended.has(item.id));
      return ended ? [] : this.#done(at, item);
    });
    return [...rest, ...[...this.#open.keys()].flatMap(at => this.#stop(at))];
  }

  #added(at: number, item: ResponsesUpstreamItem): GenerateEvent[] {
    // Some upstreams use one output index for all items, so an open item ends here.
    const before = this.#stop(at);
    const open = this.#begin(at, item.type);
    return open instanceof CallItem ? [...before, ...open.added(item)] : before;
  }

  #done(at: number, item: ResponsesUpstreamItem): GenerateEvent[] {
    if (this.#isOver(at, item)) return [];
    const open = this.#open.get(at) ?? this.#begin(at, item.type);
    const events = open.done(item);
    this.#close(at, open);
    if (item.id) this.#ended.add(item.id);
    return events;
  }

  /** True if an item has ended. Some upstreams end items twice; others end distinct items at one index. */
  #isOver(at: number, { id }: ResponsesUpstreamItem): boolean {
    return !this.#open.has(at) && this.#ended.has(at) && Boolean(id) && this.#ended.has(id as string);
  }

  #stop(at: number): GenerateEvent[] {
    const open = this.#open.get(at);
    if (!open) return [];
    const events = open.stop();
    this.#close(at, open);
    return events;
  }

  #close(at: number, open: OpenItem): void {
    if (open instanceof MessageItem) this.#refused ||= open.refused;
    this.#open.delete(at);
    this.#ended.add(at);
  }

  /** Continues an item, which begins here if the upstream sent no event for its start. */
  #more(at: number, type: string, event: ResponsesStreamEvent): GenerateEvent[] {
    const open = this.#open.get(at);
    const isOwn = open && (isOf(open, type) || !('delta' in event));
    if (isOwn) return open.take(event);
    // Some upstreams use one output index for all items, and do not say where they begin.
    if (open) return [...this.#stop(at), ...this.#begin(at, type).take(event)];
    if (!this.#ended.has(at)) return this.#begin(at, type).take(event);
    // A repeated end of a part adds nothing; a delta would.
    if ('delta' in event) throw malformed('event', `${event.type}: its item has ended`);
    return [];
  }

  #begin(at: number, type: string): OpenItem {
    this.#called ||= isCall({ type });
    const open = this.#make(type);
    this.#open.set(at, open);
    return open;
  }

  #make(type: string): OpenItem {
    const { sameFormat, toolName } = this.#options;
    const nextPart = () => this.#parts++;
    if (type === 'message') return new MessageItem(nextPart);
    if (sameFormat) return new WholeItem(nextPart, sameFormat);
    if (type === 'reasoning') return new ReasoningItem(nextPart);
    const idOf = (upstreamId: string | null | undefined) => this.#callIds.of(upstreamId);
    return isCall({ type })
      ? new CallItem({ nextPart, toolName, idOf })
      : new WholeItem(nextPart, sameFormat);
  }
}

/** True if an item takes the events of a type of item. */
function isOf(open: OpenItem, type: string): boolean {
  if (open instanceof WholeItem) return true;
  if (open instanceof MessageItem) return type === 'message';
  return open instanceof ReasoningItem ? type === 'reasoning' : isCall({ type });
}

/** Returns the type of the item that an event belongs to; undefined for other events. */
function itemOf(event: ResponsesStreamEvent): string | undefined {
  switch (event.type) {
    case 'response.content_part.added':
    case 'response.content_part.done':
      return event.part.type === 'reasoning_text' ? 'reasoning' : 'message';
    case 'response.output_text.delta':
    case 'response.output_text.done':
    case 'response.output_text.annotation.added':
    case 'response.refusal.delta':
    case 'response.refusal.done':
      return 'message';
    case 'response.reasoning_summary_part.added':
    case 'response.reasoning_summary_part.done':
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_summary_text.done':
    case 'response.reasoning_text.delta':
    case 'response.reasoning_text.done':
      return 'reasoning';
    case 'response.function_call_arguments.delta':
    case 'response.function_call_arguments.done':
      return 'function_call';
    case 'response.custom_tool_call_input.delta':
    case 'response.custom_tool_call_input.done':
      return 'custom_tool_call';
    default:
      return undefined;
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

/** Properties of an output that its finish reason depends on. */
export interface OutputFlags {
  /** True if a client tool was called. */
  readonly called: boolean;
  /** True if the model refused to answer. */
  readonly refused: boolean;
}

export function isCall({ type }: Pick<ResponsesUpstreamItem, 'type'>): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}
