import type { Ending } from '@model-gateway/canonical';
import {
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  responsesUpstreamMessage,
} from '@model-gateway/wire';
import { responseFailure } from '../failure/decode.ts';
import { cutOff } from '../malformed.ts';

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
