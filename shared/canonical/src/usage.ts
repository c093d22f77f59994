import {
  type BilledExtras,
  billedExtras,
  type Envelope,
  type Operation,
  type Route,
  type Units,
} from './envelope.ts';
import type { ErrorKind } from './errors.ts';
import type { FinishReason } from './generate.ts';
import type { WireFormat } from './wire-format.ts';

/** Token counts of an attempt. `input` counts every input token, including cache reads and writes. */
export interface Usage {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  /** Every output token, including reasoning. */
  output: number;
  reasoning: number;
  /** The part of the reasoning that a stream did not show, as far as its worker knows. */
  hidden?: number;
  audioOutput: number;
  /** Quantities counted besides tokens or instead of them. */
  units?: Units;
  /** The service tier that the upstream says it served. */
  tier?: string;
  /** The upstream's usage object, unchanged. */
  raw?: unknown;
}

/** Adds up the usage of several upstream calls; `raw` lists the usage object of each. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum: Usage = { ...noUsage };
  for (const usage of usages) for (const count of counts) sum[count] += usage[count];
  const units = usages.reduce<Units | undefined>((all, { units }) => addUnits(all, units), undefined);
  const tier = usages.find(usage => usage.tier !== undefined)?.tier;
  return {
    ...sum,
    ...(units && { units }),
    ...(tier !== undefined && { tier }),
    raw: usages.map(({ raw }) => raw),
  };
}

function addUnits(one: Units | undefined, other: Units | undefined): Units | undefined {
  if (!one || !other) return one ?? other;
  const sum: Units = { ...one };
  for (const [unit, count] of Object.entries(other) as [keyof Units, number][])
    sum[unit] = (sum[unit] ?? 0) + count;
  return sum;
}

export const noUsage: Usage = Object.freeze({
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
});

const counts = Object.keys(noUsage) as (keyof Omit<Usage, 'hidden' | 'raw' | 'tier' | 'units'>)[];

/** Outcome of an attempt. `lost`: the worker was lost, so that its usage is an estimate. */
export type AttemptOutcome = 'answered' | 'failed' | 'cancelled' | 'lost';

/** One entry of the ledger: an attempt and its usage. */
export interface UsageRecord extends BilledExtras {
  /** The attempt's UUIDv7. */
  id: string;
  requestId: string;
  /** Start of the attempt, in milliseconds since 1970. */
  at: number;
  /** Duration of the attempt, in milliseconds. */
  ms: number;
  /** Time from the start to the first part of the answer, in milliseconds; absent if there was none. */
  firstMs?: number;
  operation: Operation;
  /** The client's format. */
  format: WireFormat;
  stream: boolean;
  /** The model name that the client sent. */
  model: string;
  /** The model that took the request over from `model`. */
  fallback?: string;
  provider: string;
  /** The model's name at the provider. */
  upstreamModel: string;
  tokenId: string;
  project: string;
  /** The user who owned the token. */
  owner?: string;
  /** That of the envelope. */
  proof?: string;
  /** The token's tags. */
  tags?: Record<string, string>;
  outcome: AttemptOutcome;
  /** Kind of the failure. */
  error?: ErrorKind;
  /** The HTTP status of the upstream's answer to an attempt that failed. */
  upstreamStatus?: number;
  /** The beginning of its message, without secrets and without texts of the request. */
  upstreamMessage?: string;
  /** False if the request did not end with this attempt: another one followed, or it was one of several calls for one answer. */
  final?: boolean;
  /** The administrator who ended the request. */
  endedBy?: string;
  /** Reason why the model stopped; absent unless it generated an answer to its end. */
  finishReason?: FinishReason;
  /**
   * True if the client is charged: it got the answer or a part of it, or it left. False for an attempt that the gateway itself gave
   * up: it failed before the client got any of it, another one answered first, or another one followed the loss of its worker.
   */
  charged: boolean;
  /** Null if the usage is unknown. */
  usage: Usage | null;
  /** True if the upstream reported no usage, or only a part: these counts are the gateway's estimate. */
  estimated?: boolean;
  /** True if the caller wrote the record for a lost worker. A record by the worker takes precedence. */
  byCaller?: boolean;
}

/** The part of an envelope that usage records repeat. */
export interface RecordedEnvelope
  extends Pick<
    Envelope,
    'requestId' | 'operation' | 'format' | 'stream' | 'model' | 'token' | 'session' | 'estimate' | 'extras'
  > {
  route?: Pick<Route, 'fallback' | 'body' | 'format' | 'drop'>;
}

/** Returns the part of an envelope that usage records repeat, to be kept when the call has ended. */
export function recordedEnvelope(envelope: Envelope): RecordedEnvelope {
  const { requestId, operation, format, stream, model, token, session, estimate, extras, route } = envelope;
  return {
    requestId,
    operation,
    format,
    stream,
    model,
    token,
    ...(session && { session }),
    ...(estimate && { estimate }),
    ...(extras && { extras }),
    ...(route && (extras || route.fallback) && { route }),
  };
}

/** Returns the fields that are known when the attempt begins. `model` is the name at the provider. */
export function recordHead(
  { requestId, operation, format, stream, model, route, token, session = false, extras }: RecordedEnvelope,
  attempt: { id: string; provider: string; model: string },
) {
  return {
    id: attempt.id,
    requestId,
    operation: session && operation === 'generate' ? 'realtime' : operation,
    format: session ? 'realtime' : format,
    stream,
    model,
    ...(route?.fallback && { fallback: route.fallback }),
    provider: attempt.provider,
    upstreamModel: attempt.model,
    tokenId: token.id,
    project: token.project,
    ...(token.owner && { owner: token.owner }),
    ...(token.tags && { tags: token.tags }),
    ...(token.proof && { proof: token.proof }),
    ...(extras && route && billedExtras(extras, route)),
  } satisfies Partial<UsageRecord>;
}
