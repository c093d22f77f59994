import type { RequestHandler } from 'express';
import { readJson } from './body.ts';
import { type Delivering, deliver, type Outcome } from './delivery.ts';
import { type Mark, marked } from './faults/mark.ts';
import type { Asked, Format } from './format.ts';
import { guarded } from './guarded.ts';
import type { Answer } from './mind/answer.ts';
import type { Mind } from './mind/mind.ts';
import { paceOf } from './mind/pace.ts';
import type { Prompt } from './mind/prompt.ts';
import type { Traffic } from './traffic.ts';

const longestMs = 3_600_000;

/** Answers requests for generation in a wire format. */
export function exchange<A extends Asked>(format: Format<A>, mind: Mind, traffic: Traffic): RequestHandler {
  return guarded(format, traffic, visit => {
    const { request, body, requestId } = visit;
    const parsed = format.parse(readJson(body), request.headers, request.originalUrl);
    return deliver(format, traffic, visit, parsed.prompt.model, async mark => {
      const asked = format.prepare ? await format.prepare(parsed) : parsed;
      const plain = mind.answer(asked.prompt);
      return outcomeOf(format, asked, mark ? marked(plain, mark) : plain, requestId);
    });
  });
}

function outcomeOf<A extends Asked>(format: Format<A>, asked: A, answer: Answer, requestId: string): Outcome {
  const { usage, pace } = answer;
  if (!asked.stream)
    return { kind: 'whole', usage, body: format.whole(asked, answer), afterMs: wholeMs(answer) };
  return {
    kind: 'stream',
    usage,
    flow: format.stream(asked, answer),
    pace,
    ...(asked.streamType && { type: asked.streamType }),
    interrupt: (refusal, written) => format.interrupt(refusal, requestId, { asked, answer, written }),
  };
}

/** Answers requests that generate nothing; faults work as for whole answers. */
export function inquiry<A extends Asked>(
  format: Format<A>,
  traffic: Traffic,
  parse: (...given: Parameters<Format<A>['parse']>) => Asked,
  answer: (prompt: Prompt) => unknown,
): RequestHandler {
  return errand(
    format,
    traffic,
    (...given) => parse(...given).prompt,
    prompt => ({ kind: 'whole', body: answer(prompt), afterMs: paceOf(prompt.model).firstMs }),
  );
}

/** Answers requests to a model that the mind has no part in, each in its own way. */
export function errand<A extends { model: string }>(
  format: Delivering,
  traffic: Traffic,
  parse: (...given: Parameters<Format<never>['parse']>) => A,
  perform: (asked: A, mark?: Mark) => Outcome | Promise<Outcome>,
): RequestHandler {
  return guarded(format, traffic, visit => {
    const { request, body } = visit;
    const asked = parse(readJson(body), request.headers, request.originalUrl);
    return deliver(format, traffic, visit, asked.model, mark => perform(asked, mark));
  });
}

/** A whole answer comes when its last token would have come. */
function wholeMs({ pace, thoughts }: Answer): number {
  const tokens = Math.max(...thoughts.map(thought => thought.steps.length));
  return Math.min(pace.firstMs + tokens * pace.intervalMs, longestMs);
}
