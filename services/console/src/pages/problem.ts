import { type FieldError, fieldError } from '@model-gateway/admin-api';
import { z } from 'zod/mini';

interface ProblemFacts {
  /** A code of the gateway, such as `model_not_found`, or of the console: `unreachable`, `cut_off`, `not_a_stream`. */
  code?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  /** The seconds to wait before a retry. */
  retryAfter?: number | undefined;
  /** The invalid fields of a request to the admin API. */
  errors?: FieldError[] | undefined;
}

/** A failed request. The message is the gateway's, if it sent one. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly facts: ProblemFacts;

  constructor(message: string, facts: ProblemFacts = {}) {
    super(message);
    this.facts = facts;
  }
}

const word = z.nullish(z.string());
/** An error object of a wire format, as a response body or as an event of a stream. */
export const errorBody = z.object({
  error: z.object({
    message: z.string(),
    code: z.nullish(z.union([z.string(), z.number()])),
    /** The code of messages, which has no other. */
    type: word,
    /** The code of generate-content, whose `code` is the status. */
    status: word,
    details: z.catch(z.nullish(z.array(z.looseObject({ reason: word }))), undefined),
  }),
  type: word,
});

/** Problem details, as the admin API sends them. */
const details = z.object({ detail: z.string(), code: z.string(), errors: z.optional(z.array(fieldError)) });

/** Parses an error response. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  const { message, code, errors } = parseError(text) ?? {
    message: `The gateway responded with status ${response.status}.`,
  };
  return new Problem(message, {
    code: code?.toString(),
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number(response.headers.get('retry-after')) || undefined,
    errors,
  });
}

/** Converts a thrown value to a problem. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem(thrown instanceof Error ? thrown.message : String(thrown));
}

/** Returns the messages of a problem's invalid fields by their paths. */
export function fieldMessages(thrown: unknown): Record<string, string> {
  const { errors = [] } = toProblem(thrown).facts;
  return Object.fromEntries(errors.map(({ path, message }) => [normal(path), asSentence(message)]));
}

/** Returns a path in the one way in which forms look for it: the gateway quotes some names that need no quotes, as in `options["region"]`. */
function normal(path: string): string {
  return path.replaceAll(/\["([A-Za-z_]\w*)"\]/g, '.$1');
}

/** Makes a sentence of a field's message, such as `must be greater than zero`. */
function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** Makes a problem of an event of a stream that reports an error, or cannot be parsed. */
export function problemOfEvent(data: string): Problem {
  const told = parseError(data, ({ error, response, ...event }) => ({
    type: event.type,
    error: error ?? response?.error ?? event,
  }));
  if (!told) return new Problem('An event of the stream cannot be parsed.', { code: 'not_a_stream' });
  return new Problem(told.message, { code: told.code?.toString() });
}

interface ParsedError {
  message: string;
  code?: string | number | null | undefined;
  errors?: FieldError[] | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the value is checked after the step
function parseError(text: string, step = (body: any): unknown => body): ParsedError | undefined {
  try {
    const body = step(JSON.parse(text));
    const problem = details.safeParse(body).data;
    return problem ? { ...problem, message: problem.detail } : inWireFormat(errorBody.parse(body));
  } catch {
    return undefined;
  }
}

function inWireFormat({ error, type }: z.infer<typeof errorBody>): ParsedError {
  const reason = error.details?.find(({ reason }) => reason)?.reason;
  const code = reason ?? error.status ?? error.code ?? (type === 'error' ? error.type : undefined);
  return { message: error.message, code };
}

const byCode: Record<string, string> = {
  unreachable: 'The gateway cannot be reached.',
  cut_off: 'The answer was cut off and is incomplete.',
  not_a_stream: 'The gateway sent an invalid response.',
  invalid_api_key: 'The token is not valid.',
  model_not_found: 'There is no such model.',
  insufficient_quota: 'The quota is used up.',
  too_many_tokens: 'The limit of tokens is reached.',
  too_many_secrets: 'The limit of earlier secrets is reached.',
  context_length_exceeded: 'The conversation is too long for this model.',
  upstream_error: 'The provider of this model failed.',
  server_is_overloaded: 'The service is overloaded at the moment.',
  timeout: 'The model took too long.',
  // Messages and generate-content have words of their own.
  authentication_error: 'The token is not valid.',
  API_KEY_INVALID: 'The token is not valid.',
  billing_error: 'The quota is used up.',
  overloaded_error: 'The service is overloaded at the moment.',
  UNAVAILABLE: 'The service is overloaded at the moment.',
  timeout_error: 'The model took too long.',
  DEADLINE_EXCEEDED: 'The model took too long.',
};

const byStatus: Record<number, string> = {
  401: 'The token is not valid.',
  402: 'The quota is used up.',
  403: 'The token may not do this.',
  404: 'There is no such model.',
  413: 'The conversation is too large.',
  429: 'Too many requests at the moment.',
  503: 'The service is overloaded at the moment.',
  504: 'The model took too long.',
};

const byStatusOfAdmin: Record<number, string> = {
  401: 'You are not signed in.',
  403: 'You may not do this.',
  404: 'This does not exist, or you may not see it.',
  409: 'This is not possible at the moment.',
  412: 'Someone else has changed this.',
  413: 'This is too large.',
  429: 'Too many requests at the moment.',
  503: 'The gateway cannot do this at the moment.',
  504: 'The gateway took too long.',
};

/** Describes a problem in a sentence for users who do not know the codes. */
export function inPlainWords({ facts }: Problem): string {
  // Only problems of the admin API have a list of invalid fields.
  const statuses = facts.errors ? byStatusOfAdmin : byStatus;
  const sentence = byCode[facts.code ?? ''] ?? statuses[facts.status ?? 0] ?? general(facts);
  return facts.retryAfter ? `${sentence} Try again in ${facts.retryAfter} s.` : sentence;
}

function general({ status = 0 }: ProblemFacts): string {
  return status >= 400 && status < 500 ? 'The request was refused.' : 'Something went wrong.';
}
