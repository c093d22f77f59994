import {
  type Ending,
  type GenerateEvent,
  noUsage,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import {
  type ResponsesStreamEvent,
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  type ResponsesUpstreamUsage,
  responsesUpstreamMessage,
} from '@model-gateway/wire';
import { responseFailure } from './decode-failure.ts';
import { Items, type ItemsOptions } from './decode-items.ts';
import { cutOff } from './malformed.ts';

type Known = Partial<ResponsesUpstreamAnswer>;

/** Makes events of an answer: its start, the parts of its items, its end. */
export class Answer {
  readonly #items: Items;
  #begun = false;

  constructor(options: ItemsOptions) {
    this.#items = new Items(options);
  }

  /** What is known of the answer as it begins. */
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

  end(over: Over, response: Known, usage: Usage | null): GenerateEvent[] {
    const left = this.#items.end(response.output ?? []);
    const ending = decodeEnding(over, response, this.#items);
    return [...this.begin(response), ...left, { type: 'finish', ...ending, usage }];
  }
}

/** How an answer is over that did not fail. */
export type Over = 'completed' | 'incomplete';

/** What an answer holds that its reason to end depends on. */
export interface Held {
  /** A tool of the client's was called. */
  readonly called: boolean;
  /** The model said why it will not answer. */
  readonly refused: boolean;
}

/** How a whole answer is over. @throws GatewayError for one that failed, or is not over */
export function overAs(answer: ResponsesUpstreamAnswer): Over {
  switch (answer.status) {
    case 'completed':
    case 'incomplete':
      return answer.status;
    case 'failed':
    case 'cancelled':
      throw responseFailure(answer);
    default:
      throw cutOff();
  }
}

export function decodeEnding(
  over: Over,
  { incomplete_details: details }: Partial<ResponsesUpstreamAnswer>,
  { called, refused }: Held,
): Ending {
  if (over === 'completed')
    return { reason: called ? 'tool-calls' : refused ? 'refusal' : 'stop', raw: over };
  const raw = details?.reason ?? over;
  switch (raw) {
    case 'max_output_tokens':
      return { reason: 'length', raw };
    case 'content_filter':
      return { reason: 'content-filter', raw };
    default:
      return { reason: 'other', raw };
  }
}

/** What the output of an answer holds that is passed on as it is. */
export function heldIn(output: readonly ResponsesUpstreamItem[]): Held {
  return { called: output.some(isCall), refused: output.some(isRefusal) };
}

export function isCall({ type }: Pick<ResponsesUpstreamItem, 'type'>): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function isRefusal(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ type }) => type === 'refusal') ?? false;
}

export function readUsage(raw: ResponsesUpstreamUsage): Usage {
  const { input_tokens_details: input, output_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: raw.input_tokens ?? 0,
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    output: raw.output_tokens ?? 0,
    reasoning: output?.reasoning_tokens ?? 0,
    raw,
  };
}
