import { type Pace, paceOf } from '../responder/pace.ts';
import type { ApiError } from './api-error.ts';
import { sendJson } from './body.ts';
import { failure, faultOf } from './fault.ts';
import type { Chunk, ErrorFormat, Flow } from './format.ts';
import type { IncomingRequest } from './guarded.ts';
import type { Mark, StreamFault } from './stream-faults.ts';
import type { Stats, Traffic } from './traffic.ts';
import { Waits, writePaced } from './write-paced.ts';

/** An answer to one request. */
export type Outcome = {
  /** For `GET /stats`. */
  usage?: Stats['usage'];
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>;
  /** The content type, unless it is JSON or server-sent events. */
  type?: string;
} & (WholeOutcome | StreamedOutcome);

interface WholeOutcome {
  kind: 'whole';
  /** Written as JSON, or unchanged if `type` is set. */
  body: unknown;
  /** The number of intervals before the answer. */
  tokens: number;
}

interface StreamedOutcome {
  kind: 'stream';
  flow: Flow;
  /** The event for an error after a number of chunks. */
  errorEvent(error: ApiError, written: number): Chunk;
}

export function immediate(model: string, body: unknown, input = 0): Outcome {
  return { kind: 'whole', body, pace: paceOf(model), tokens: 0, usage: { input, output: 0 } };
}

/** The status of faults without a status in their name. */
const defaultStatus = 529;
const longestMs = 3_600_000;

/** Sends the answer that `make` returns, with the fault in the name of the model. */
export async function deliver(
  format: ErrorFormat,
  traffic: Traffic,
  incoming: IncomingRequest,
  model: string,
  make: (mark?: Mark) => Outcome,
): Promise<void> {
  const { request, response, requestId } = incoming;
  const answer = traffic.answer(requestId, model);
  const fault = faultOf(model);
  if (fault?.kind === 'error') {
    const error = failure(format, fault.status, fault.retryAfterS);
    if (!fault.disguised) throw error;
    return sendJson(response, 200, format.errorBody(error, requestId, request.originalUrl));
  }
  const effect = fault?.effect;
  const outcome = make(effect?.mark);
  Object.assign(answer, outcome.usage && { input: outcome.usage.input, output: outcome.usage.output });
  if (outcome.usage && (!effect || effect.good)) {
    traffic.addUsage(response, outcome.usage);
    response.once('finish', () => Object.assign(answer, { sent: answer.output, ended: true }));
  }
  if (outcome.kind === 'whole') return sendWhole(format, traffic, incoming, effect, outcome);
  traffic.streams(response);
  const { flow, pace, type } = outcome;
  const errorEvent = (written: number) => outcome.errorEvent(failure(format, defaultStatus), written);
  await writePaced(response, effect ? effect.flow(flow, errorEvent) : flow, pace, {
    type,
    clock: traffic.clock,
    wroteTick: () => answer.sent++,
  });
}

async function sendWhole(
  format: ErrorFormat,
  { clock }: Traffic,
  { response }: IncomingRequest,
  effect: StreamFault | undefined,
  { body, type = 'application/json', pace, tokens }: Outcome & WholeOutcome,
): Promise<void> {
  if (effect?.failsWhole) throw failure(format, defaultStatus);
  const text = type === 'application/json' ? JSON.stringify(body) : String(body);
  const firstMs = Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
  if (effect) {
    const flow = effect.flow(halves(text), () => '');
    return writePaced(response, flow, { firstMs, intervalMs: 0 }, { type, clock });
  }
  const waits = new Waits(response, clock);
  await waits.until(clock.monotonic() + firstMs);
  if (waits.left) return;
  // One string is sent in one write with the headers.
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** A whole body as a flow, so that the faults of streams apply to it. Its last chunk is the last brace. */
function halves(text: string): Flow {
  const middle = Math.floor(text.length / 2);
  return { opening: [text.slice(0, middle)], ticks: [], closing: [text.slice(middle, -1), text.slice(-1)] };
}
