import type { GenerateEvent, PartStart } from '@model-gateway/canonical';
import {
  type ResponsesStreamEvent,
  type ResponsesUpstreamItem,
  responsesUpstreamImage,
} from '@model-gateway/wire';
import { inventedCallId } from '../tool-names.ts';
import { type Held, isCall } from './decode-answer.ts';
import { CallItem } from './decode-call.ts';
import { MessageItem } from './decode-message.ts';
import { ReasoningItem } from './decode-reasoning.ts';
import type { NextPart } from './flow.ts';
import { malformed } from './malformed.ts';

export interface ItemsOptions {
  /** The client's name of a tool. */
  toolName(wire: string): string;
  /** What is unique about the request, for ids that the upstream leaves out. */
  seed: string;
  /** The client speaks this format, too: all but messages is kept for it as it is. */
  own: boolean;
}

type OpenItem = MessageItem | ReasoningItem | CallItem | WholeItem;

/** Makes parts of items. Each is known by its place in the output: some upstreams change its id from event to event. */
export class Items implements Held {
  readonly #options: ItemsOptions;
  readonly #open = new Map<number, OpenItem>();
  readonly #ended = new Set<number | string>();
  /** Of calls, by which their results are told apart. */
  readonly #callIds = new Set<string>();
  #parts = 0;
  #called = false;
  #refused = false;

  constructor(options: ItemsOptions) {
    this.#options = options;
  }

  get called(): boolean {
    return this.#called;
  }

  get refused(): boolean {
    return this.#refused;
  }

  /** Takes an event of an item; nothing comes of others. @throws GatewayError for one that is broken */
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

  /** Ends every item, with what the whole output holds of them and no event told. */
  end(output: readonly ResponsesUpstreamItem[]): GenerateEvent[] {
    const told = output.flatMap((item, at) => {
      const shown = this.#ended.has(at) || (item.id && this.#ended.has(item.id));
      return shown ? [] : this.#done(at, item);
    });
    return [...told, ...[...this.#open.keys()].flatMap(at => this.#stop(at))];
  }

  #added(at: number, item: ResponsesUpstreamItem): GenerateEvent[] {
    // An upstream that gives all items one place begins the next where it ends the one before.
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

  /** Some upstreams end an item twice; others end all of theirs at one place, each with an id of its own. */
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

  /** Takes more of an item, even if the upstream never said that it begins. */
  #more(at: number, type: string, event: ResponsesStreamEvent): GenerateEvent[] {
    const open = this.#open.get(at);
    if (open) return open.take(event);
    if (!this.#ended.has(at)) return this.#begin(at, type).take(event);
    // What ends a part twice adds nothing to it.
    if ('delta' in event) throw malformed('event');
    return [];
  }

  #begin(at: number, type: string): OpenItem {
    this.#called ||= isCall({ type });
    const open = this.#make(type);
    this.#open.set(at, open);
    return open;
  }

  #make(type: string): OpenItem {
    const { own, toolName } = this.#options;
    const nextPart = () => this.#parts++;
    if (type === 'message') return new MessageItem(nextPart);
    if (own) return new WholeItem(nextPart, own);
    if (type === 'reasoning') return new ReasoningItem(nextPart);
    const idOf = (given: string | null | undefined) => this.#callId(given);
    return isCall({ type }) ? new CallItem({ nextPart, toolName, idOf }) : new WholeItem(nextPart, own);
  }

  #callId(given: string | null | undefined): string {
    const id = given && !this.#callIds.has(given) ? given : inventedCallId(this.#options.seed, this.#parts);
    this.#callIds.add(id);
    return id;
  }
}

/** The type of the item that an event is of, even if the upstream never said that it begins; undefined for others. */
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

/** An item that is shown once all of it is here: a picture, or what only this format has. */
export class WholeItem {
  readonly #nextPart: NextPart;
  readonly #own: boolean;

  /** For the format's `own` client everything stays as it is. */
  constructor(nextPart: NextPart, own: boolean) {
    this.#nextPart = nextPart;
    this.#own = own;
  }

  take(): GenerateEvent[] {
    return [];
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const index = this.#nextPart();
    const part =
      (!this.#own && picture(item)) || ({ type: 'opaque', format: 'responses', value: item } as const);
    return [
      { type: 'part-start', index, part },
      { type: 'part-end', index },
    ];
  }

  stop(): GenerateEvent[] {
    return [];
  }
}

/** A picture that the model made; undefined for anything else, and for one that it failed to make. */
function picture(item: ResponsesUpstreamItem): PartStart | undefined {
  const { data } = responsesUpstreamImage.safeParse(item);
  if (!data?.result) return undefined;
  const mediaType = `image/${data.output_format ?? 'png'}`;
  return { type: 'media', kind: 'image', source: { type: 'base64', data: data.result }, mediaType };
}
