import type { ApiError } from './api-error.ts';
import { sendJson } from './body.ts';
import { type Fault, failure, faultOf } from './faults/fault.ts';
import type { Mark } from './faults/stream-faults.ts';
import type { ErrorFormat, Flow, Format } from './format.ts';
import type { IncomingRequest } from './guarded.ts';
import { type Pace, paceOf } from './responder/pace.ts';
import type { Stats, Traffic } from './traffic.ts';
import { Waits, writePaced } from './write-paced.ts';

/** An answer to one request. */
export type Outcome = {
  /** For `GET /stats`. */
  usage?: Stats['usage'];
} & (WholeOutcome | StreamedOutcome);

interface WholeOutcome {
  kind: 'whole';
  /** Written as JSON, or as it is if `type` is given. */
  body: unknown;
  type?: string;
  /** Milliseconds until it comes. */
  afterMs: number;
}

interface StreamedOutcome {
  kind: 'stream';
  flow: Flow;
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>;
  /** The content type, unless it is server-sent events. */
  type?: string;
  /** The event for an error after a number of chunks. */
  errorEvent(error: ApiError, written: number): string;
}

export function immediate(model: string, body: unknown, inputTokens: number): Outcome {
  const usage = { input: inputTokens, output: 0 };
  return { kind: 'whole', body, afterMs: paceOf(model).firstMs, usage };
}

/** The part of a format that delivery needs. */
export type DeliveryFormat = ErrorFormat & Pick<Format<never>, 'overloaded'>;

/** The status of faults that name none. */
const defaultStatus = 529;

/** Sends the answer that `make` returns, with the fault in the name of the model. */
export async function deliver(
  format: DeliveryFormat,
  traffic: Traffic,
  incoming: IncomingRequest,
  model: string,
  make: (mark?: Mark) => Outcome | Promise<Outcome>,
): Promise<void> {
  const fault = faultOf(model);
  if (fault?.kind === 'error') return fail(format, incoming, fault);
  const { response } = incoming;
  const made = await make(fault?.effect.mark);
  if (made.usage && (!fault || fault.effect.good)) traffic.addUsage(response, made.usage);
  if (made.kind === 'whole') return sendWhole(format, incoming, fault, made);
  traffic.streams(response);
  const errorEvent = (written: number) => made.errorEvent(failure(format, defaultStatus), written);
  await writePaced(
    response,
    fault ? fault.effect.flow(made.flow, errorEvent) : made.flow,
    made.pace,
    made.type,
  );
}

function fail(
  format: DeliveryFormat,
  { request, response, requestId }: IncomingRequest,
  fault: Fault & { kind: 'error' },
): void {
  const error = failure(format, fault.status, fault.retryAfterS);
  if (!fault.disguised) throw error;
  sendJson(response, 200, format.errorBody(error, requestId, request.originalUrl));
}

async function sendWhole(
  format: DeliveryFormat,
  { response }: IncomingRequest,
  fault: (Fault & { kind: 'stream' }) | null,
  { body, type, afterMs }: WholeOutcome,
): Promise<void> {
  if (fault?.effect.failsWhole) throw failure(format, defaultStatus);
  const text = type === undefined ? JSON.stringify(body) : String(body);
  const contentType = type ?? 'application/json';
  if (fault) {
    const faulty = fault.effect.flow(halves(text), () => '');
    return writePaced(response, faulty, { firstMs: afterMs, intervalMs: 0 }, contentType);
  }
  const waits = new Waits(response);
  await waits.until(performance.now() + afterMs);
  if (waits.left) return;
  // One string is sent in one write with the headers.
  response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** A whole body as a flow, so that the faults of streams apply to it. Its last chunk is the last brace. */
function halves(text: string): Flow {
  const middle = Math.floor(text.length / 2);
  return { opening: [text.slice(0, middle)], ticks: [], closing: [text.slice(middle, -1), text.slice(-1)] };
}
