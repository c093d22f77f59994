import type { GenerateContentAnswerPart } from '@model-gateway/formats';
import { dataJson } from '@model-gateway/sse';
import type { Flow } from '../format.ts';
import { type Answer, callsOf, type Reply, type Step } from '../responder/answer.ts';
import { sign } from './checks.ts';
import type { ParsedGenerate } from './parse.ts';
import {
  blocked,
  callPart,
  endOf,
  generateUsage,
  hasText,
  headOf,
  imagePart,
  indexed,
  isBlocked,
  logprobsOf,
} from './whole.ts';

const noOutput = { output: 0, reasoning: 0, imageOutput: 0 };
type WriteChunk = (fields: object, usage: Answer['usage']) => string;

/** An answer as server-sent events, or as one JSON array whose first element has only usage. */
export function stream(parsed: ParsedGenerate, answer: Answer): Flow {
  const { events } = parsed;
  const before = events ? 'data: ' : '\n,\n';
  // Made once, since benchmarks run this for every token.
  const after = `,${dataJson(headOf(parsed, answer)).slice(1)}${events ? '\n\n' : ''}`;
  const element: WriteChunk = (fields, usage) =>
    dataJson({ ...fields, usageMetadata: generateUsage(usage) }).slice(0, -1) + after;
  const chunk: WriteChunk = (fields, usage) => before + element(fields, usage);
  const last = isBlocked(answer)
    ? blocked
    : { candidates: answer.replies.map((reply, index) => lastCandidate(parsed, reply, index)) };
  return {
    opening: events ? [] : [`[${element({}, { ...answer.usage, ...noOutput })}`],
    ticks: ticks(parsed, answer, chunk),
    closing: [chunk(last, answer.usage), ...(events ? [] : ['\n]'])],
  };
}

function* ticks(parsed: ParsedGenerate, { replies, usage }: Answer, chunk: WriteChunk): Generator<string[]> {
  const soFar = { ...usage, ...noOutput };
  const parts = replies.map(reply => partsOf(parsed, reply));
  const longest = Math.max(...replies.map(({ steps }) => steps.length));
  for (let at = 0; at < longest; at++)
    yield replies.flatMap(({ steps }, index) => {
      const step = steps[at];
      if (!step) return [];
      soFar.output++;
      if (step.kind === 'reasoning') soFar.reasoning++;
      const part = parts[index]?.(step, steps[at + 1]);
      const { topLogprobs: top } = parsed;
      const logprobs = step.kind === 'text' && top !== null ? logprobsOf([step.text], at, top) : {};
      return part
        ? [chunk({ candidates: [{ ...content(part), ...indexed(index), ...logprobs }] }, soFar)]
        : [];
    });
  for (const [index, reply] of replies.entries())
    for (const part of imagePart(reply, parsed))
      yield [chunk({ candidates: [{ ...content(part), ...indexed(index) }] }, usage)];
}

/** Returns a function that makes the part of a step. A call is written whole, with the last token of its input. */
function partsOf(parsed: ParsedGenerate, reply: Reply) {
  const calls = callsOf(reply);
  return (step: Step, next: Step | undefined): GenerateContentAnswerPart | null => {
    if (step.kind === 'reasoning') return parsed.showsThoughts ? { text: step.text, thought: true } : null;
    if (step.kind === 'text') return hasText(parsed) ? { text: step.text } : null;
    if (step.kind !== 'input' || (next?.kind === 'input' && next.call === step.call)) return null;
    const run = calls.find(({ call }) => call === step.call);
    return run ? callPart(run.call, run.text) : null;
  };
}

/** The last chunk has the finish reason, and the signature of text after reasoning. */
function lastCandidate(parsed: ParsedGenerate, reply: Reply, index: number) {
  const signed = parsed.prompt.effort && reply.steps.some(({ kind }) => kind === 'text');
  const last = content({ text: '', ...(signed && { thoughtSignature: sign() }) });
  return { ...(reply.finish !== 'refusal' && last), ...indexed(index), ...endOf(reply, parsed) };
}

function content(part: GenerateContentAnswerPart) {
  return { content: { role: 'model', parts: [part] } };
}
