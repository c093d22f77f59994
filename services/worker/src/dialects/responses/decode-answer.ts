import {
  type Ending,
  type GenerateEvent,
  noUsage,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import {
  type ResponsesStreamEvent,
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  type ResponsesUpstreamUsage,
  responsesUpstreamMessage,
} from '@model-gateway/wire';
import { inputIn, outputIn } from '../any-usage.ts';
import { cutOff } from '../malformed.ts';
import { responseFailure } from './decode-failure.ts';
import { Items, type ItemsOptions, isCall, type OutputFlags } from './decode-items.ts';

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

/** Returns the final status of a non-streamed response. @throws GatewayError if it failed or has not ended */
export function endStatus(answer: ResponsesUpstreamAnswer): EndStatus {
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
  status: EndStatus,
  { incomplete_details: details }: Partial<ResponsesUpstreamAnswer>,
  { called, refused }: OutputFlags,
): Ending {
  if (status === 'completed')
    return { reason: called ? 'tool-calls' : refused ? 'refusal' : 'stop', raw: status };
  const raw = details?.reason ?? status;
  switch (raw) {
    case 'max_output_tokens':
      return { reason: 'length', raw };
    case 'content_filter':
      return { reason: 'content-filter', raw };
    default:
      return { reason: 'other', raw };
  }
}

/** Returns the flags of an output that passes verbatim. */
export function outputFlags(output: readonly ResponsesUpstreamItem[]): OutputFlags {
  return { called: output.some(isCall), refused: output.some(isRefusal) };
}

function isRefusal(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ type }) => type === 'refusal') ?? false;
}

/** Reads the usage of a response, with the searches of the web among its output. */
export function readUsage(
  raw: ResponsesUpstreamUsage,
  { output: items, service_tier: tier }: Partial<ResponsesUpstreamAnswer>,
): Usage {
  const searches = (items ?? []).filter(isSearch).length;
  const { input_tokens_details: input, output_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: inputIn(raw),
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    output: outputIn(raw),
    reasoning: output?.reasoning_tokens ?? 0,
    ...(searches > 0 && { units: { webSearches: searches } }),
    ...(typeof tier === 'string' && { tier }),
    raw,
  };
}

/** True for a search; pages that the tool opens are not billed. */
function isSearch({ type, action }: ResponsesUpstreamItem): boolean {
  return (
    type === 'web_search_call' &&
    (!isJsonObject(action) || action.type === undefined || action.type === 'search')
  );
}
