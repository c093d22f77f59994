import { dataJson } from '@model-gateway/sse';
import type { Flow } from '../format.ts';
import type { Answer, Finish, Reply, Step, Usage } from '../responder/answer.ts';
import type { ParsedChat } from './parse.ts';
import { annotationsOf, chatLogprobs, chatUsage, finishReasons, headOf } from './whole.ts';

/** An answer as `chat.completion.chunk` events. */
export function stream(parsed: ParsedChat, answer: Answer): Flow {
  const head = headOf(parsed, answer, 'chat.completion.chunk');
  const usage = parsed.includeUsage ? answer.usage : null;
  return choicesFlow(head, usage, answer.replies, (reply, write) => choiceOf(parsed, reply, write));
}

/** The events of one choice, of which each tick has one chunk. */
export interface ChoiceEvents {
  opening: string[];
  chunks: number;
  chunk(at: number): string;
  closing: string[];
}

/** Writes a chunk with the fields of its choice, which are JSON without braces. */
export type WriteChoice = (fields: string, finish?: string) => string;

/** Writes choices in turn. The common part of chunks is made once, since benchmarks run this for every token. */
export function choicesFlow<T>(
  headFields: object,
  usage: Usage | null,
  choices: readonly T[],
  eventsOf: (choice: T, write: WriteChoice) => ChoiceEvents,
): Flow {
  const head = `data: ${JSON.stringify(headFields).slice(0, -1)}`;
  const after = `}]${usage ? ',"usage":null' : ''}}\n\n`;
  const all = choices.map((choice, index) =>
    eventsOf(choice, (fields, finish) => {
      const reason = finish ? `"${finish}"` : 'null';
      return `${head},"choices":[{"index":${index},${fields},"finish_reason":${reason}${after}`;
    }),
  );
  const last = usage ? [`${head},"choices":[],"usage":${JSON.stringify(chatUsage(usage))}}\n\n`] : [];
  function* ticks(): Generator<string[]> {
    const longest = Math.max(...all.map(({ chunks }) => chunks));
    for (let at = 0; at < longest; at++)
      yield all.filter(({ chunks }) => at < chunks).map(choice => choice.chunk(at));
  }
  return {
    opening: all.flatMap(({ opening }) => opening),
    ticks: ticks(),
    closing: [...all.flatMap(({ closing }) => closing), ...last, 'data: [DONE]\n\n'],
  };
}

function choiceOf(
  { searches, topLogprobs: top }: ParsedChat,
  reply: Reply,
  write: WriteChoice,
): ChoiceEvents {
  const { steps } = reply;
  const hasText = !steps.some(({ kind }) => kind === 'call' || kind === 'refusal');
  const annotations = annotationsOf(reply, searches);
  const delta = (fields: string, logprobs = 'null', finish?: Finish) =>
    write(`"delta":${fields},"logprobs":${logprobs}`, finish && finishReasons[finish]);
  return {
    opening: [delta(`{"role":"assistant","content":${hasText ? '""' : 'null'},"refusal":null}`)],
    chunks: steps.length,
    chunk(at) {
      const step = steps[at] as Step;
      if (step.kind !== 'text') return delta(dataJson(deltaOf(step)));
      const logprobs = top === null ? 'null' : dataJson(chatLogprobs([step.text], at, top));
      return delta(`{"content":${dataJson(step.text)}}`, logprobs);
    },
    closing: [
      ...(annotations.length > 0 ? [delta(dataJson({ annotations }))] : []),
      delta('{}', 'null', reply.finish),
    ],
  };
}

function deltaOf(step: Exclude<Step, { kind: 'text' }>) {
  if (step.kind === 'reasoning') return { reasoning_content: step.text };
  if (step.kind === 'refusal') return { refusal: step.text };
  const { index, id, tool, name } = step.call;
  const input = tool === 'function' ? 'arguments' : 'input';
  if (step.kind === 'input') return { tool_calls: [{ index, [tool]: { [input]: step.text } }] };
  return { tool_calls: [{ index, id: `call_${id}`, type: tool, [tool]: { name, [input]: '' } }] };
}
