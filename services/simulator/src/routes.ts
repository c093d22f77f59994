import type { RequestHandler } from 'express';
import { readJson } from './body.ts';
import { type DeliveryFormat, deliver, type Outcome } from './delivery.ts';
import { type Mark, marked } from './faults/stream-faults.ts';
import type { Format, ParsedRequest } from './format.ts';
import { guarded } from './guarded.ts';
import type { Answer } from './responder/answer.ts';
import { paceOf } from './responder/pace.ts';
import type { Prompt } from './responder/prompt.ts';
import type { Responder } from './responder/responder.ts';
import type { Traffic } from './traffic.ts';

const longestMs = 3_600_000;

export function generateRoute<A extends ParsedRequest>(
  format: Format<A>,
  responder: Responder,
  traffic: Traffic,
): RequestHandler {
  return guarded(format, traffic, incoming => {
    const { request, body, requestId } = incoming;
    const parsed = format.parse(readJson(body), request.headers, request.originalUrl);
    return deliver(format, traffic, incoming, parsed.prompt.model, mark => {
      const plain = responder.answer(parsed.prompt);
      return outcomeOf(format, parsed, mark ? marked(plain, mark) : plain, requestId);
    });
  });
}

function outcomeOf<A extends ParsedRequest>(
  format: Format<A>,
  parsed: A,
  answer: Answer,
  requestId: string,
): Outcome {
  const { usage, pace } = answer;
  if (!parsed.stream)
    return { kind: 'whole', usage, body: format.whole(parsed, answer), afterMs: wholeMs(answer) };
  return {
    kind: 'stream',
    usage,
    flow: format.stream(parsed, answer),
    pace,
    ...(parsed.streamType && { type: parsed.streamType }),
    errorEvent: (error, written) => format.errorEvent(error, requestId, { parsed, answer, written }),
  };
}

/** Answers requests to count tokens. */
export function countRoute<A extends ParsedRequest>(
  format: Format<A>,
  traffic: Traffic,
  parse: (...given: Parameters<Format<A>['parse']>) => ParsedRequest,
  answer: (prompt: Prompt) => unknown,
): RequestHandler {
  return postJson(
    format,
    traffic,
    (...request) => parse(...request).prompt,
    prompt => ({ kind: 'whole', body: answer(prompt), afterMs: paceOf(prompt.model).firstMs }),
  );
}

/** Answers requests that do not generate text. */
export function postJson<A extends { model: string }>(
  format: DeliveryFormat,
  traffic: Traffic,
  parse: (...given: Parameters<Format<never>['parse']>) => A,
  perform: (parsed: A, mark?: Mark) => Outcome | Promise<Outcome>,
): RequestHandler {
  return guarded(format, traffic, incoming => {
    const { request, body } = incoming;
    const parsed = parse(readJson(body), request.headers, request.originalUrl);
    return deliver(format, traffic, incoming, parsed.model, mark => perform(parsed, mark));
  });
}

function wholeMs({ pace, replies }: Answer): number {
  const tokens = Math.max(...replies.map(reply => reply.steps.length));
  return Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
}
