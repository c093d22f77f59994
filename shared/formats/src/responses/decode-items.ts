import {
  type Ending,
  GatewayError,
  type GenerateEvent,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import { AnswerIds, type AnswerIdsOptions } from '../upstream/call-ids.ts';
import { answerFailure as openaiFailure } from '../upstream/decode-openai-failure.ts';
import { readFailure, refusesCredential } from '../upstream/failure-body.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { cutOff, malformed } from '../upstream/malformed.ts';
import {
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  responsesUpstreamMessage,
} from './answer.ts';
import { CallItem, MessageItem, ReasoningItem, WholeItem } from './decode-item.ts';
import type { ResponsesStreamEvent } from './events.ts';

export interface ItemsOptions extends AnswerIdsOptions {
  /** Returns the client's name of a tool. */
  toolName(wire: string): string;
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

/** Properties of an output that its finish reason depends on. */
interface OutputFlags {
  /** True if a client tool was called. */
  readonly called: boolean;
  /** True if the model refused to answer. */
  readonly refused: boolean;
}

export function isCall({ type }: Pick<ResponsesUpstreamItem, 'type'>): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

type Known = Partial<ResponsesUpstreamAnswer>;

/** Turns a response into events: its start, the parts of its items and its end. */
export class Answer {
  readonly #items: Items;
  #begun = false;

  constructor(options: ItemsOptions) {
    this.#items = new Items(options);
  }

  /** Starts the response, once. */
  begin({ id, model }: Known): GenerateEvent[] {
    if (this.#begun) return [];
    this.#begun = true;
    const start: StartEvent = { type: 'start', id: id ?? '', model: model ?? '' };
    return [start];
  }

  add(event: ResponsesStreamEvent): GenerateEvent[] {
    const events = this.#items.take(event);
    return events.length > 0 ? [...this.begin({}), ...events] : events;
  }

  end(status: EndStatus, response: Known, usage: Usage | null): GenerateEvent[] {
    const rest = this.#items.end(response.output ?? []);
    const ending = decodeEnding(status, response, this.#items);
    return [...this.begin(response), ...rest, { type: 'finish', ...ending, usage }];
  }
}

/** The final status of a response that did not fail. */
export type EndStatus = 'completed' | 'incomplete';

/**
 * Returns the final status of a response: its own says more than `told`, that of its last event. Without `told`, the response is not
 * streamed; one with output has then ended without a status, too.
 * @throws GatewayError if it failed or has not ended
 */
export function endStatus(response: Known, told?: EndStatus): EndStatus {
  const { status, error, incomplete_details: details, output } = response;
  if (status === 'failed' || status === 'cancelled' || saysError(error)) throw responseFailure(response);
  if (status === 'incomplete' || (status === 'completed' && details?.reason)) return 'incomplete';
  if (told) return told;
  if (status === 'completed' || (!status && output?.length)) return 'completed';
  throw cutOff();
}

/** True for an error with a message or a code: some servers send an empty one. */
function saysError(error: unknown): boolean {
  const failure = error ? readFailure(error) : undefined;
  return Boolean(failure?.message || failure?.code);
}

/** Returns how a response ended. @throws GatewayError for an incomplete one that failed */
export function decodeEnding(
  status: EndStatus,
  { incomplete_details: details }: Known,
  { called, refused }: OutputFlags,
): Ending {
  if (status === 'completed')
    return { reason: called ? 'tool-calls' : refused ? 'refusal' : 'stop', raw: status };
  const raw = details?.reason ?? status;
  throwIfFailed(raw);
  const reason = finishReason(raw);
  // An incomplete response is never an ordinary end.
  const cut = reason === 'stop' || reason === 'stop-sequence' || reason === 'tool-calls';
  return { reason: cut ? 'length' : reason, raw };
}

/** Returns the flags of an output that passes verbatim. */
export function outputFlags(output: readonly ResponsesUpstreamItem[]): OutputFlags {
  return { called: output.some(isCall), refused: output.some(isRefusal) };
}

function isRefusal(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ type }) => type === 'refusal') ?? false;
}

/** Codes, and a type, of failures caused by an invalid request. Failover to another upstream would not help. */
const invalidRequest = new Set<unknown>([
  'invalid_request_error',
  'invalid_prompt',
  'bio_policy',
  'invalid_image',
  'invalid_image_format',
  'invalid_image_mode',
  'invalid_image_url',
  'invalid_base64_image',
  'image_content_policy_violation',
  'image_file_not_found',
  'image_file_too_large',
  'image_parse_error',
  'image_too_large',
  'image_too_small',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
]);

/** Decodes an error within a response, or in place of one, that has no HTTP status. */
export function answerFailure(body: unknown): GatewayError {
  const error = openaiFailure(body);
  const failure = readFailure(body) ?? {};
  const { code, type, param } = failure;
  if (error.kind !== 'upstream' || refusesCredential(undefined, failure)) return error;
  if (!invalidRequest.has(code) && !invalidRequest.has(type)) return error;
  return new GatewayError('invalid-request', error.message, {
    ...(param && { param }),
    ...(typeof code === 'string' && { code }),
  });
}

/** Returns the error of a failed or cancelled response. */
export function responseFailure({ status, error }: Partial<ResponsesUpstreamAnswer>): GatewayError {
  if (error) return answerFailure(error);
  const cancelled = status === 'cancelled';
  return new GatewayError(
    'upstream',
    cancelled ? 'The upstream cancelled its answer.' : 'The upstream failed.',
  );
}
