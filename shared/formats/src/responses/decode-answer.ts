import {
  type Ending,
  GatewayError,
  type GenerateEvent,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import { answerFailure as openaiFailure } from '../upstream/decode-openai-failure.ts';
import { readFailure, refusesCredential } from '../upstream/failure-body.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { cutOff } from '../upstream/malformed.ts';
import { Items, type ItemsOptions, isCall, type OutputFlags } from './decode-items.ts';
import {
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  responsesUpstreamMessage,
} from './upstream-answer.ts';
import type { ResponsesStreamEvent } from './upstream-events.ts';

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
