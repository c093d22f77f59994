import type { Envelope, Operation, Route } from './envelope.ts';
import type { ErrorKind } from './errors.ts';
import type { FinishReason } from './generate/finish-reason.ts';
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
  audioOutput: number;
  /** Quantities counted besides tokens or instead of them. */
  units?: Units;
  /** The upstream's usage object, unchanged. */
  raw?: unknown;
}

/** Quantities other than tokens that some models are billed by. */
interface Units {
  /** Images generated. */
  images?: number;
  /** Seconds of audio. */
  seconds?: number;
  /** Characters spoken. */
  characters?: number;
  /** Rerank queries, of up to 100 documents each. */
  searches?: number;
}

/** Adds up the usage of several upstream calls; `raw` lists the usage object of each. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum: Usage = { ...noUsage };
  for (const usage of usages) for (const count of counts) sum[count] += usage[count];
  const units = usages.reduce<Units | undefined>((all, { units }) => addUnits(all, units), undefined);
  return { ...sum, ...(units && { units }), raw: usages.map(({ raw }) => raw) };
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

const counts = Object.keys(noUsage) as (keyof Omit<Usage, 'raw' | 'units'>)[];

/** Outcome of an attempt. `lost`: the worker was lost, so its usage is unknown. */
export type AttemptOutcome = 'answered' | 'failed' | 'cancelled' | 'lost';

/** One entry of the ledger: an attempt and its usage. */
export interface UsageRecord {
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
  /** The administrator who ended the request. */
  endedBy?: string;
  /** Reason why the model stopped; absent unless it generated an answer to its end. */
  finishReason?: FinishReason;
  /** True if any of the answer reached the client, which is then charged. */
  charged: boolean;
  /** Null if the usage is unknown. */
  usage: Usage | null;
  /** True if the upstream reported no usage: these counts are the gateway's estimate. */
  estimated?: boolean;
  /** True if the caller wrote the record for a lost worker. A record by the worker takes precedence. */
  byCaller?: boolean;
}

/** The part of an envelope that usage records repeat. */
export interface RecordedEnvelope
  extends Pick<Envelope, 'requestId' | 'operation' | 'format' | 'stream' | 'model' | 'token' | 'session'> {
  route?: Pick<Route, 'fallback'>;
}

/** Returns the part of an envelope that usage records repeat, to be kept when the call has ended. */
export function recordedEnvelope(envelope: Envelope): RecordedEnvelope {
  const { requestId, operation, format, stream, model, token, session, route } = envelope;
  const fallback = route?.fallback;
  return {
    requestId,
    operation,
    format,
    stream,
    model,
    token,
    ...(session && { session }),
    ...(fallback && { route: { fallback } }),
  };
}

/** Returns the fields that are known when the attempt begins. `model` is the name at the provider. */
export function recordHead(
  { requestId, operation, format, stream, model, route, token, session = false }: RecordedEnvelope,
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
  } satisfies Partial<UsageRecord>;
}
