import type { RequestHandler } from 'express';
import { readJson } from './body.ts';
import { failure } from './faults/failure.ts';
import { type Fault, faultOf } from './faults/fault.ts';
import { marked } from './faults/mark.ts';
import type { Asked, Flow, Format } from './format.ts';
import { guarded, type Visit } from './guarded.ts';
import type { Answer } from './mind/answer.ts';
import type { Mind } from './mind/mind.ts';
import { paceOf } from './mind/pace.ts';
import type { Prompt } from './mind/prompt.ts';
import { pour } from './pour.ts';
import { sendJson } from './send-json.ts';
import type { Traffic } from './traffic.ts';
import { Waits } from './waits.ts';

const longestMs = 3_600_000;
/** The error that faults show where they have no other. */
const usualStatus = 529;

/** Answers requests for generation in a wire format. */
export function exchange<A extends Asked>(format: Format<A>, mind: Mind, traffic: Traffic): RequestHandler {
  return guarded(format, traffic, async visit => {
    const { request, response, body, requestId } = visit;
    const asked = format.parse(readJson(body), request.headers, request.originalUrl);
    const fault = faultOf(asked.prompt.model);
    if (fault?.kind === 'error') return fail(format, visit, fault);
    const mark = fault?.spoil.mark;
    const plain = mind.answer(asked.prompt);
    const answer = mark ? marked(plain, mark) : plain;
    if (!fault || fault.spoil.good) traffic.spends(response, answer.usage);
    if (!asked.stream) return sendWhole(format, visit, fault, format.whole(asked, answer), wholeMs(answer));
    traffic.streams(response);
    const good = format.stream(asked, answer);
    const interrupt = (written: number) =>
      format.interrupt(failure(format, usualStatus), requestId, { asked, answer, written });
    await pour(response, fault ? fault.spoil.flow(good, interrupt) : good, answer.pace, asked.streamType);
  });
}

/** Answers requests that generate nothing; faults work as for whole answers. */
export function inquiry<A extends Asked>(
  format: Format<A>,
  traffic: Traffic,
  parse: (...given: Parameters<Format<A>['parse']>) => Asked,
  answer: (prompt: Prompt) => unknown,
): RequestHandler {
  return guarded(format, traffic, visit => {
    const { prompt } = parse(readJson(visit.body), visit.request.headers, visit.request.originalUrl);
    const fault = faultOf(prompt.model);
    if (fault?.kind === 'error') return fail(format, visit, fault);
    return sendWhole(format, visit, fault, answer(prompt), paceOf(prompt.model).firstMs);
  });
}

function fail<A extends Asked>(
  format: Format<A>,
  { request, response, requestId }: Visit,
  fault: Fault & { kind: 'error' },
): void {
  const refusal = failure(format, fault.status, fault.retryAfterS);
  if (!fault.disguised) throw refusal;
  sendJson(response, 200, format.refuse(refusal, requestId, request.originalUrl));
}

async function sendWhole<A extends Asked>(
  format: Format<A>,
  { response }: Visit,
  fault: (Fault & { kind: 'spoil' }) | null,
  body: unknown,
  afterMs: number,
): Promise<void> {
  if (fault?.spoil.failsWhole) throw failure(format, usualStatus);
  if (fault) {
    const spoilt = fault.spoil.flow(halves(JSON.stringify(body)), () => '');
    return pour(response, spoilt, { firstMs: afterMs, intervalMs: 0 }, 'application/json');
  }
  const waits = new Waits(response);
  await waits.until(performance.now() + afterMs);
  if (!waits.left) sendJson(response, 200, body);
}

/** A body as a flow, so that what spoils streams spoils it too; the end mark is the last brace. */
function halves(text: string): Flow {
  const middle = Math.floor(text.length / 2);
  return { opening: [text.slice(0, middle)], beats: [], closing: [text.slice(middle, -1), text.slice(-1)] };
}

/** A whole answer comes when its last token would have come. */
function wholeMs({ pace, thoughts }: Answer): number {
  const tokens = Math.max(...thoughts.map(thought => thought.steps.length));
  return Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
}
