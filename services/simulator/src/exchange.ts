import type { Request, RequestHandler, Response } from 'express';
import { readBody, readJson } from './body.ts';
import type { Asked, Format } from './format.ts';
import type { Answer } from './mind/answer.ts';
import type { Mind } from './mind/mind.ts';
import { pour } from './pour.ts';
import { Refusal, toRefusal } from './refusal.ts';
import type { Traffic } from './traffic.ts';
import { Waits } from './waits.ts';

const longestMs = 3_600_000;

/** Answers requests for generation in a wire format. */
export function exchange<A extends Asked>(format: Format<A>, mind: Mind, traffic: Traffic): RequestHandler {
  return guarded(format, traffic, async (_request, response, body) => {
    const asked = format.parse(readJson(body));
    const answer = mind.answer(asked.prompt);
    if (asked.stream) {
      traffic.streams(response);
      return pour(response, format.stream(asked, answer), answer.pace);
    }
    const waits = new Waits(response);
    await waits.until(performance.now() + wholeMs(answer));
    if (!waits.left) sendJson(response, 200, format.whole(asked, answer));
  });
}

/** Reads and counts a request, checks its key, and shows what is thrown in the format's own shape. */
export function guarded(
  format: Pick<Format<never>, 'key' | 'refuse'>,
  traffic: Traffic,
  handle: (request: Request, response: Response, body: string) => void | Promise<void>,
): RequestHandler {
  return async (request, response) => {
    traffic.arrived(response);
    try {
      const body = await readBody(request);
      traffic.record(request, body);
      checkKey(format.key(request.headers));
      await handle(request, response, body);
    } catch (thrown) {
      const refusal = toRefusal(thrown);
      if (response.headersSent) response.destroy();
      else sendJson(response, refusal.status, format.refuse(refusal));
    }
  };
}

/** Any key will do, and none will too; only the key `invalid` is not valid. */
function checkKey(key: string | undefined): void {
  if (key === 'invalid') throw new Refusal(401, 'Incorrect API key provided: invalid.', 'invalid_api_key');
}

/** A whole answer comes when its last token would have come. */
function wholeMs({ pace, thoughts }: Answer): number {
  const tokens = Math.max(...thoughts.map(thought => thought.steps.length));
  return Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
}

export function sendJson(response: Response, status: number, body: unknown): void {
  // As a string it leaves in one write with its headers.
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
