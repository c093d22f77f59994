import { dataJson } from '@model-gateway/sse';
import type { Flow } from '../format.ts';
import type { Answer, Finish, Reply, Step } from '../responder/answer.ts';
import type { ParsedChat } from './parse.ts';
import { annotationsOf, chatLogprobs, chatUsage, finishReasons, headOf } from './whole.ts';

/** An answer as `chat.completion.chunk` events, the choices in turn, up to `[DONE]`. */
export function stream(parsed: ParsedChat, answer: Answer): Flow {
  const head = JSON.stringify(headOf(parsed, answer, 'chat.completion.chunk')).slice(0, -1);
  const choices = answer.replies.map((reply, index) => new Choice(parsed, head, reply, index));
  const usage = `data: ${head},"choices":[],"usage":${JSON.stringify(chatUsage(answer.usage))}}\n\n`;
  return {
    opening: choices.map(choice => choice.opening()),
    ticks: ticks(choices),
    closing: [
      ...choices.map(choice => choice.closing()),
      ...(parsed.includeUsage ? [usage] : []),
      'data: [DONE]\n\n',
    ],
  };
}

function* ticks(choices: Choice[]): Generator<string[]> {
  const longest = Math.max(...choices.map(choice => choice.length));
  for (let at = 0; at < longest; at++)
    yield choices.filter(choice => at < choice.length).map(choice => choice.chunk(at));
}

/** Writes the chunks of one choice. Their common part is made once, since benchmarks run this for every token. */
class Choice {
  readonly #reply: Reply;
  readonly #searches: boolean;
  readonly #topLogprobs: number | null;
  readonly #before: string;
  readonly #after: string;

  constructor(parsed: ParsedChat, head: string, reply: Reply, index: number) {
    this.#reply = reply;
    this.#searches = parsed.searches;
    this.#topLogprobs = parsed.topLogprobs;
    this.#before = `data: ${head},"choices":[{"index":${index},"delta":`;
    this.#after = `}]${parsed.includeUsage ? ',"usage":null' : ''}}\n\n`;
  }

  get length(): number {
    return this.#reply.steps.length;
  }

  opening(): string {
    const silent = this.#reply.steps.some(({ kind }) => kind === 'call' || kind === 'refusal');
    return this.#write(`{"role":"assistant","content":${silent ? 'null' : '""'},"refusal":null}`);
  }

  chunk(at: number): string {
    const step = this.#reply.steps[at] as Step;
    if (step.kind !== 'text') return this.#write(dataJson(deltaOf(step)));
    const logprobs = this.#topLogprobs === null ? null : chatLogprobs([step.text], at, this.#topLogprobs);
    return this.#write(`{"content":${dataJson(step.text)}}`, logprobs ? dataJson(logprobs) : 'null');
  }

  closing(): string {
    const annotations = annotationsOf(this.#reply, this.#searches);
    const found = annotations.length > 0 ? this.#write(dataJson({ annotations })) : '';
    return found + this.#write('{}', 'null', this.#reply.finish);
  }

  #write(delta: string, logprobs = 'null', finish?: Finish): string {
    const reason = finish ? `"${finishReasons[finish]}"` : 'null';
    return `${this.#before}${delta},"logprobs":${logprobs},"finish_reason":${reason}${this.#after}`;
  }
}

function deltaOf(step: Exclude<Step, { kind: 'text' }>) {
  if (step.kind === 'reasoning') return { reasoning_content: step.text };
  if (step.kind === 'refusal') return { refusal: step.text };
  const { index, id, tool, name } = step.call;
  if (step.kind === 'call') {
    const opened =
      tool === 'function' ? { function: { name, arguments: '' } } : { custom: { name, input: '' } };
    return { tool_calls: [{ index, id: `call_${id}`, type: tool, ...opened }] };
  }
  const said =
    tool === 'function' ? { function: { arguments: step.text } } : { custom: { input: step.text } };
  return { tool_calls: [{ index, ...said }] };
}
