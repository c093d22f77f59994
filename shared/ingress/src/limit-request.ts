import { type Counted, countedFor, type Decision, type Left, type Token } from '@model-gateway/access';
import { type ClientFormat, GatewayError, type Usage } from '@model-gateway/canonical';
import type { Admitted } from './admit.ts';
import type { IngressDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { estimateInput } from './estimate-input.ts';
import type { ClientBody, GatewayRequest } from './gateway-request.ts';
import type { ResponseSink } from './response-sink.ts';

type LimitDeps = Pick<IngressDeps, 'catalog' | 'limiter' | 'outputs'>;

/** A request that may be limited, and its response. */
interface Limited {
  admitted: Admitted;
  request: GatewayRequest;
  body: ClientBody;
  endpoint: Pick<Endpoint, 'format'>;
  sink: ResponseSink;
}

/**
 * Takes a request's place in the limits of its token and project, and tells the client what is left of them. Undefined if
 * there are none. Work that is only stored needs no place before it runs.
 * @throws GatewayError of kind `rate-limited` if a limit is reached
 */
export function limitRequest(deps: LimitDeps, limited: Limited): Promise<void> | undefined {
  const counted = countedOf(deps, limited.admitted.token, limited.request.model);
  return counted.length === 0 ? undefined : takePlace(deps, limited, counted);
}

/**
 * Takes a session's place in the limits of its token and project, and returns the function that ends it.
 * @throws GatewayError of kind `rate-limited` if a limit is reached
 */
export async function limitSession(
  { catalog, limiter }: Pick<LimitDeps, 'catalog' | 'limiter'>,
  token: Token,
  model: string,
): Promise<() => void> {
  const counted = countedOf({ catalog }, token, model);
  if (counted.length === 0) return () => {};
  const place = await limiter.take(counted, 0);
  if (place.refusal) throw place.refusal;
  return () => place.end();
}

/** The limits of a session's responses. Each counts as a request, but not among those that run. */
export interface ResponseLimits {
  /** True if there are any. */
  apply(): boolean;
  /** Takes the place of a response. @throws GatewayError of kind `rate-limited` if a limit is reached */
  take(): Promise<EndResponse>;
  /** Counts a response that has begun already, even if a limit is reached. */
  count(): EndResponse;
}

/** Ends a response; `usage` is null if it is unknown. */
export type EndResponse = (usage: Pick<Usage, 'input' | 'output'> | null) => void;

/** Returns the limits of the responses of a token's session. */
export function responseLimits(
  deps: Pick<LimitDeps, 'catalog' | 'limiter'>,
  token: Token,
  model: string,
): ResponseLimits {
  const limits = () =>
    countedOf(deps, token, model)
      .map(({ concurrency: _, ...counted }) => counted)
      .filter(counted => Object.keys(counted).length > 1);
  const ending =
    (end: (used?: number) => void): EndResponse =>
    usage =>
      end(usage ? usage.input + usage.output : undefined);
  return {
    apply: () => limits().length > 0,
    async take() {
      const counted = limits();
      if (counted.length === 0) return () => {};
      const place = await deps.limiter.take(counted, 0);
      if (place.refusal) throw place.refusal;
      return ending(used => place.end(used));
    },
    count() {
      const counted = limits();
      return counted.length === 0 ? () => {} : ending(deps.limiter.count(counted));
    },
  };
}

async function takePlace(
  { limiter, outputs }: LimitDeps,
  { admitted, request, body, endpoint, sink }: Limited,
  counted: readonly Counted[],
): Promise<void> {
  const countsTokens = counted.some(({ tokensPerMinute }) => tokensPerMinute !== undefined);
  const place = await limiter.take(counted, countsTokens ? tokensOf(request, body, outputs) : 0);
  if (!sink.headersSent)
    for (const [name, value] of limitHeaders(endpoint.format, place.decision, Date.now()))
      sink.setHeader(name, value);
  if (place.refusal) throw place.refusal;
  if (admitted.over) {
    place.end(0);
    throw new GatewayError('cancelled', 'The client left.');
  }
  const end: Admitted['endPlace'] = usage => {
    if (usage && usage.output > 0) outputs.add(request.model, usage.output);
    place.end(request.type === 'count-tokens' ? 0 : usage && usage.input + usage.output);
  };
  admitted.endPlace = end;
}

function countedOf({ catalog }: Pick<LimitDeps, 'catalog'>, token: Token, model: string): Counted[] {
  return countedFor(token, { name: token.project, limits: catalog.limitsOf(token.project) }, model);
}

/** Returns an estimate of the tokens that a request will use. */
function tokensOf(request: GatewayRequest, body: ClientBody, outputs: IngressDeps['outputs']): number {
  if (body.type === 'form' || request.type === 'count-tokens') return 0;
  const input = estimateInput(body.text);
  if (request.type !== 'generate') return input;
  return input + (request.maxTokens ?? outputs.usual(request.model));
}

/** Returns the most output tokens of a request; undefined if it sets no maximum. */
export function mostTokens(
  ofChoice: number | null | undefined,
  choices: number | null = 1,
): number | undefined {
  return ofChoice == null || ofChoice < 0 ? undefined : ofChoice * (choices ?? 1);
}

/** Returns the headers by which the SDKs of a format know their limits. `now` is in milliseconds since 1970. */
export function limitHeaders(
  format: ClientFormat,
  { requests, tokens }: Decision,
  now: number,
): [name: string, value: string][] {
  const headersOf = format === 'messages' ? messagesHeaders : chatHeaders;
  return [
    ...(requests ? headersOf('requests', requests, now) : []),
    ...(tokens ? headersOf('tokens', tokens, now) : []),
  ];
}

function messagesHeaders(kind: string, left: Left, now: number): [string, string][] {
  const reset = new Date(now + Math.ceil(left.resetMs / 1_000) * 1_000).toISOString();
  return [
    [`anthropic-ratelimit-${kind}-limit`, String(left.limit)],
    [`anthropic-ratelimit-${kind}-remaining`, String(Math.floor(left.remaining))],
    [`anthropic-ratelimit-${kind}-reset`, reset.replace(/\.\d+Z$/, 'Z')],
  ];
}

function chatHeaders(kind: string, left: Left): [string, string][] {
  return [
    [`x-ratelimit-limit-${kind}`, String(left.limit)],
    [`x-ratelimit-remaining-${kind}`, String(Math.floor(left.remaining))],
    [`x-ratelimit-reset-${kind}`, `${Math.ceil(left.resetMs / 1_000)}s`],
  ];
}
