import { dataJson } from '@model-gateway/sse';
import { chatUsage } from '../chat/whole.ts';
import type { Flow } from '../format.ts';
import type { Answer, Finish } from '../responder/answer.ts';
import type { ParsedCompletions } from './parse.ts';
import { type Choice, choicesOf, finishReasons, headOf, logprobsOf, type Place, tokensIn } from './whole.ts';

/** An answer as `text_completion` events, the choices in turn, up to `[DONE]`. */
export function stream(parsed: ParsedCompletions, answer: Answer): Flow {
  const head = JSON.stringify(headOf(parsed, answer)).slice(0, -1);
  const writers = choicesOf(parsed, answer.replies).map(choice => new Writer(parsed, head, choice));
  const usage = `data: ${head},"choices":[],"usage":${JSON.stringify(chatUsage(answer.usage))}}\n\n`;
  return {
    opening: writers.flatMap(writer => writer.opening()),
    ticks: ticks(writers),
    closing: [
      ...writers.map(writer => writer.closing()),
      ...(parsed.includeUsage ? [usage] : []),
      'data: [DONE]\n\n',
    ],
  };
}

function* ticks(writers: Writer[]): Generator<string[]> {
  const longest = Math.max(...writers.map(writer => writer.length));
  for (let at = 0; at < longest; at++)
    yield writers.filter(writer => at < writer.length).map(writer => writer.chunk(at));
}

/** Writes the chunks of one choice. Their common part is made once, since benchmarks run this for every token. */
class Writer {
  readonly #echoed: string[];
  readonly #tokens: string[];
  readonly #finish: Finish;
  readonly #top: number | null;
  readonly #before: string;
  readonly #after: string;
  readonly #place: Place = { token: 0, offset: 0 };

  constructor(
    { topLogprobs, includeUsage }: ParsedCompletions,
    head: string,
    { index, reply, echoed }: Choice,
  ) {
    this.#echoed = echoed;
    this.#tokens = tokensIn(reply);
    this.#finish = reply.finish;
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
        : dataJson(logprobsOf(tokens, this.#place, this.#top, this.#echoed.length > 0));
    const text = tokens.join('');
    this.#place.token += tokens.length;
    this.#place.offset += text.length;
    return `${this.#before}${dataJson(text)},"logprobs":${logprobs},"finish_reason":null${this.#after}`;
  }
}
