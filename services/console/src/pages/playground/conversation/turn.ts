import { z } from 'zod/mini';
import { Problem } from '../../problem.ts';
import { finishReasons, usage } from './answer-event.ts';
import { answerPart, formatNames, questionPart } from './part.ts';

/** The turn before this one; null for the first turn. */
const parent = z.nullable(z.number());

const question = z.object({ role: z.literal('user'), id: z.number(), parent, parts: z.array(questionPart) });

/** The reason why an answer failed, as it can be stored. */
const failure = z.object({
  message: z.string(),
  code: z.optional(z.string()),
  status: z.optional(z.number()),
  requestId: z.optional(z.string()),
  retryAfter: z.optional(z.number()),
});
export type Failure = z.infer<typeof failure>;

const answer = z.object({
  role: z.literal('assistant'),
  id: z.number(),
  parent,
  format: z.enum(formatNames),
  /** The model that was asked for. */
  model: z.string(),
  parts: z.array(answerPart),
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  /** Whether the answer had to be JSON. */
  json: z.optional(z.boolean()),
  finish: z.optional(z.enum(finishReasons)),
  /** The format's own word for the reason. */
  finishRaw: z.optional(z.string()),
  usage: z.optional(usage),
  /** The time in milliseconds from the request to the first text, reasoning or call. */
  firstTokenMs: z.optional(z.number()),
  totalMs: z.optional(z.number()),
  requestId: z.optional(z.string()),
  /** The provider and its model that answered, as `provider/model`. */
  target: z.optional(z.string()),
  /** The model of the gateway that answered: another than was asked for if a fallback took over. */
  servedModel: z.optional(z.string()),
  failure: z.optional(failure),
});

/** One entry of a conversation: a question or an answer. */
export const turn = z.discriminatedUnion('role', [question, answer]);
export type Turn = z.infer<typeof turn>;
export type Question = z.infer<typeof question>;
export type Answer = z.infer<typeof answer>;

/** Converts the failure of an answer to a problem, for its words. */
export function problemOfFailure({ message, ...facts }: Failure): Problem {
  return new Problem(message, facts);
}

export function failureOf({ message, facts }: Problem): Failure {
  const { code, status, requestId, retryAfter } = facts;
  return { message, code, status, requestId, retryAfter };
}

/** The shortest time, in milliseconds, over which a rate says something. */
const shortestMs = 100;

/** Returns the tokens a second after the first one; undefined if they came too fast to tell. */
export function tokensPerSecond({ usage, firstTokenMs, totalMs }: Answer): number | undefined {
  if (!usage || firstTokenMs === undefined || totalMs === undefined) return undefined;
  const ms = totalMs - firstTokenMs;
  return usage.output > 1 && ms >= shortestMs ? ((usage.output - 1) * 1_000) / ms : undefined;
}
