import type { Flow } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { Answer, Finish, Step, Thought } from '../mind/answer.ts';
import { annotationsOf } from './annotations.ts';
import { finishReasons } from './finish.ts';
import { headOf } from './head.ts';
import { chatLogprobs } from './logprobs.ts';
import type { ChatAsked } from './parse.ts';
import { chatUsage } from './usage.ts';

/** An answer as `chat.completion.chunk` events, the choices in turn, up to `[DONE]`. */
export function stream(asked: ChatAsked, answer: Answer): Flow {
  const head = JSON.stringify(headOf(asked, answer, 'chat.completion.chunk')).slice(0, -1);
  const choices = answer.thoughts.map((thought, index) => new Choice(asked, head, thought, index));
  const usage = `data: ${head},"choices":[],"usage":${JSON.stringify(chatUsage(answer.usage))}}\n\n`;
  return {
    opening: choices.map(choice => choice.opening()),
    beats: beats(choices),
    closing: [
      ...choices.map(choice => choice.closing()),
      ...(asked.includeUsage ? [usage] : []),
      'data: [DONE]\n\n',
    ],
  };
}

function* beats(choices: Choice[]): Generator<string[]> {
  const longest = Math.max(...choices.map(choice => choice.length));
  for (let at = 0; at < longest; at++)
    yield choices.filter(choice => at < choice.length).map(choice => choice.chunk(at));
}

/** Writes the chunks of one choice. What they have in common is made once: this runs for every token of a benchmark. */
class Choice {
  readonly #thought: Thought;
  readonly #searches: boolean;
  readonly #topLogprobs: number | null;
  readonly #before: string;
  readonly #after: string;

  constructor(asked: ChatAsked, head: string, thought: Thought, index: number) {
    this.#thought = thought;
    this.#searches = asked.searches;
    this.#topLogprobs = asked.topLogprobs;
    this.#before = `data: ${head},"choices":[{"index":${index},"delta":`;
    this.#after = `}]${asked.includeUsage ? ',"usage":null' : ''}}\n\n`;
  }

  get length(): number {
    return this.#thought.steps.length;
  }

  opening(): string {
    const silent = this.#thought.steps.some(({ kind }) => kind === 'call' || kind === 'refusal');
    return this.#write(`{"role":"assistant","content":${silent ? 'null' : '""'},"refusal":null}`);
  }

  chunk(at: number): string {
    const step = this.#thought.steps[at] as Step;
    if (step.kind !== 'text') return this.#write(jsonText(deltaOf(step)));
    const logprobs = this.#topLogprobs === null ? null : chatLogprobs([step.text], at, this.#topLogprobs);
    return this.#write(`{"content":${jsonText(step.text)}}`, logprobs ? jsonText(logprobs) : 'null');
  }

  closing(): string {
    const annotations = annotationsOf(this.#thought, this.#searches);
    const found = annotations.length > 0 ? this.#write(jsonText({ annotations })) : '';
    return found + this.#write('{}', 'null', this.#thought.finish);
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
