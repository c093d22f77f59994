import { chatUsage } from '../chat/usage.ts';
import type { Flow } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { Answer, Finish } from '../mind/answer.ts';
import { type Choice, choicesOf, finishReasons, logprobsOf, type Place, tokensIn } from './choice.ts';
import { headOf } from './head.ts';
import type { CompletionsAsked } from './parse.ts';

/** An answer as `text_completion` events, the choices in turn, up to `[DONE]`. */
export function stream(asked: CompletionsAsked, answer: Answer): Flow {
  const head = JSON.stringify(headOf(asked, answer)).slice(0, -1);
  const writers = choicesOf(asked, answer.thoughts).map(choice => new Writer(asked, head, choice));
  const usage = `data: ${head},"choices":[],"usage":${JSON.stringify(chatUsage(answer.usage))}}\n\n`;
  return {
    opening: writers.flatMap(writer => writer.opening()),
    beats: beats(writers),
    closing: [
      ...writers.map(writer => writer.closing()),
      ...(asked.includeUsage ? [usage] : []),
      'data: [DONE]\n\n',
    ],
  };
}

function* beats(writers: Writer[]): Generator<string[]> {
  const longest = Math.max(...writers.map(writer => writer.length));
  for (let at = 0; at < longest; at++)
    yield writers.filter(writer => at < writer.length).map(writer => writer.chunk(at));
}

/** Writes the chunks of one choice, in order. What they have in common is made once: this runs for every token of a benchmark. */
class Writer {
  readonly #echoed: string[];
  readonly #tokens: string[];
  readonly #finish: Finish;
  readonly #top: number | null;
  readonly #before: string;
  readonly #after: string;
  readonly #place: Place = { token: 0, offset: 0 };

  constructor(
    { topLogprobs, includeUsage }: CompletionsAsked,
    head: string,
    { index, thought, echoed }: Choice,
  ) {
    this.#echoed = echoed;
    this.#tokens = tokensIn(thought);
    this.#finish = thought.finish;
    this.#top = topLogprobs;
    this.#before = `data: ${head},"choices":[{"index":${index},"text":`;
    this.#after = `}]${includeUsage ? ',"usage":null' : ''}}\n\n`;
  }

  get length(): number {
    return this.#tokens.length;
  }

  opening(): string[] {
    return this.#echoed.length > 0 ? [this.#write(this.#echoed)] : [];
  }

  chunk(at: number): string {
    return this.#write([this.#tokens[at] as string]);
  }

  closing(): string {
    return `${this.#before}"","logprobs":null,"finish_reason":"${finishReasons[this.#finish]}"${this.#after}`;
  }

  #write(tokens: string[]): string {
    const logprobs =
      this.#top === null
        ? 'null'
        : jsonText(logprobsOf(tokens, this.#place, this.#top, this.#echoed.length > 0));
    const text = tokens.join('');
    this.#place.token += tokens.length;
    this.#place.offset += text.length;
    return `${this.#before}${jsonText(text)},"logprobs":${logprobs},"finish_reason":null${this.#after}`;
  }
}
