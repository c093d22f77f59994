import { failure } from './faults/failure.ts';
import { type Fault, faultOf } from './faults/fault.ts';
import type { Mark } from './faults/mark.ts';
import type { Flow, Format, Refusing } from './format.ts';
import type { Arrival } from './guarded.ts';
import { type Pace, paceOf } from './mind/pace.ts';
import { pour } from './pour.ts';
import type { Refusal } from './refusal.ts';
import { sendJson } from './send-json.ts';
import type { Stats, Traffic } from './traffic.ts';
import { Waits } from './waits.ts';

/** What is delivered to one request, whatever made it. */
export type Outcome = {
  /** What it cost, for the statistics. */
  usage?: Stats['usage'];
} & (WholeOutcome | StreamedOutcome);

interface WholeOutcome {
  kind: 'whole';
  /** What becomes JSON; a text as it is where a type is given. */
  body: unknown;
  /** The content type of what is not JSON. */
  type?: string;
  /** Milliseconds until it comes. */
  afterMs: number;
}

interface StreamedOutcome {
  kind: 'stream';
  flow: Flow;
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>;
  /** The content type, if the stream is not of events. */
  type?: string;
  /** The event that says no after so many pieces. */
  interrupt(refusal: Refusal, written: number): string;
}

/** A body that comes as soon as the model's name allows. */
export function atOnce(model: string, body: unknown, inputTokens: number): Outcome {
  const usage = { input: inputTokens, output: 0 };
  return { kind: 'whole', body, afterMs: paceOf(model).firstMs, usage };
}

/** What a delivery needs to know of a format. */
export type Delivering = Refusing & Pick<Format<never>, 'overloaded'>;

/** The error that faults show where they have no other. */
const usualStatus = 529;

/** Delivers what `make` makes, with the fault that the model's name asks for; a mark is for the text of what is made. */
export async function deliver(
  format: Delivering,
  traffic: Traffic,
  arrival: Arrival,
  model: string,
  make: (mark?: Mark) => Outcome | Promise<Outcome>,
): Promise<void> {
  const fault = faultOf(model);
  if (fault?.kind === 'error') return fail(format, arrival, fault);
  const { response } = arrival;
  const made = await make(fault?.spoil.mark);
  if (made.usage && (!fault || fault.spoil.good)) traffic.spends(response, made.usage);
  if (made.kind === 'whole') return sendWhole(format, arrival, fault, made);
  traffic.streams(response);
  const interrupt = (written: number) => made.interrupt(failure(format, usualStatus), written);
  await pour(response, fault ? fault.spoil.flow(made.flow, interrupt) : made.flow, made.pace, made.type);
}

function fail(
  format: Delivering,
  { request, response, requestId }: Arrival,
  fault: Fault & { kind: 'error' },
): void {
  const refusal = failure(format, fault.status, fault.retryAfterS);
  if (!fault.disguised) throw refusal;
  sendJson(response, 200, format.refuse(refusal, requestId, request.originalUrl));
}

async function sendWhole(
  format: Delivering,
  { response }: Arrival,
  fault: (Fault & { kind: 'spoil' }) | null,
  { body, type, afterMs }: WholeOutcome,
): Promise<void> {
  if (fault?.spoil.failsWhole) throw failure(format, usualStatus);
  const text = type === undefined ? JSON.stringify(body) : String(body);
  const contentType = type ?? 'application/json';
  if (fault) {
    const spoilt = fault.spoil.flow(halves(text), () => '');
    return pour(response, spoilt, { firstMs: afterMs, intervalMs: 0 }, contentType);
  }
  const waits = new Waits(response);
  await waits.until(performance.now() + afterMs);
  if (waits.left) return;
  // As one string it leaves in one write with its headers.
  response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** A body as a flow, so that what spoils streams spoils it too; the end mark is the last brace. */
function halves(text: string): Flow {
  const middle = Math.floor(text.length / 2);
  return { opening: [text.slice(0, middle)], beats: [], closing: [text.slice(middle, -1), text.slice(-1)] };
}
