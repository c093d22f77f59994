import { dataJson } from '@model-gateway/sse';
import type { GenerateContentAnswerPart } from '@model-gateway/wire';
import type { Flow } from '../format.ts';
import type { Answer, Reply } from '../responder/answer.ts';
import { sign } from './checks.ts';
import type { ParsedGenerate } from './parse.ts';
import { blocked, callPart, endOf, generateUsage, hasWords, headOf, imagePart, logprobsOf } from './whole.ts';

/** An answer as server-sent events or as one JSON array, whose first element has only usage. */
export function stream(parsed: ParsedGenerate, answer: Answer): Flow {
  const writer = new Writer(parsed, answer);
  const stopped = answer.replies.every(({ finish }) => finish === 'blocked');
  const last = stopped ? writer.chunk(blocked, answer.usage) : writer.last();
  return {
    opening: parsed.events ? [] : [writer.array()],
    ticks: writer.ticks(),
    closing: parsed.events ? [last] : [last, '\n]'],
  };
}

const nothingYet = { output: 0, reasoning: 0, imageOutput: 0 };

/** Writes the chunks of one answer. Their common part is made once, since benchmarks run this for every token. */
class Writer {
  readonly #parsed: ParsedGenerate;
  readonly #answer: Answer;
  readonly #before: string;
  readonly #after: string;

  constructor(parsed: ParsedGenerate, answer: Answer) {
    this.#parsed = parsed;
    this.#answer = answer;
    this.#before = parsed.events ? 'data: ' : '\n,\n';
    const head = dataJson(headOf(parsed, answer)).slice(1);
    this.#after = parsed.events ? `${head}\n\n` : head;
  }

  array(): string {
    return `[${this.#text({}, { ...this.#answer.usage, ...nothingYet })}${this.#after}`;
  }

  chunk(fields: object, usage: Answer['usage']): string {
    return this.#before + this.#text(fields, usage) + this.#after;
  }

  *ticks(): Generator<string[]> {
    const { replies, usage } = this.#answer;
    const so = { ...usage, ...nothingYet };
    const longest = Math.max(...replies.map(({ steps }) => steps.length));
    for (let at = 0; at < longest; at++)
      yield replies.flatMap((reply, index) => {
        const step = reply.steps[at];
        if (!step) return [];
        so.output++;
        if (step.kind === 'reasoning') so.reasoning++;
        const part = this.#part(reply, at);
        if (!part) return [];
        const more = step.kind === 'text' ? this.#logprobs(step.text, at) : {};
        return [this.chunk(candidates([{ ...content(part), ...indexed(index), ...more }]), so)];
      });
    yield* this.#images();
  }

  /** Images follow the text. */
  *#images(): Generator<string[]> {
    for (const [index, reply] of this.#answer.replies.entries())
      for (const part of imagePart(reply, this.#parsed))
        yield [this.chunk(candidates([{ ...content(part), ...indexed(index) }]), this.#answer.usage)];
  }

  /** The last chunk has the finish reason, and the signature of reasoned text. */
  last(): string {
    const { replies, usage } = this.#answer;
    const ends = replies.map((reply, index) => ({
      ...this.#lastContent(reply),
      ...indexed(index),
      ...endOf(reply, this.#parsed),
    }));
    return this.chunk(candidates(ends), usage);
  }

  #lastContent({ steps, finish }: Reply) {
    if (finish === 'refusal') return {};
    const signed = this.#parsed.prompt.effort && steps.some(({ kind }) => kind === 'text');
    return content({ text: '', ...(signed && { thoughtSignature: sign() }) });
  }

  /** The part for a step. A call is written whole, with the last piece of its input. */
  #part({ steps }: Reply, at: number): GenerateContentAnswerPart | null {
    const step = steps[at];
    switch (step?.kind) {
      case 'reasoning':
        return this.#parsed.showsThoughts ? { text: step.text, thought: true } : null;
      case 'text':
        return hasWords(this.#parsed) ? { text: step.text } : null;
      case 'input': {
        const next = steps[at + 1];
        return next?.kind === 'input' && next.call === step.call ? null : callPart(step.call, steps);
      }
      default:
        return null;
    }
  }

  #logprobs(token: string, place: number): object {
    const { topLogprobs: top } = this.#parsed;
    return top === null ? {} : logprobsOf([token], place, top);
  }

  #text(fields: object, usage: Answer['usage']): string {
    return `${dataJson({ ...fields, usageMetadata: generateUsage(usage) }).slice(0, -1)},`;
  }
}

function candidates(list: object[]) {
  return { candidates: list };
}

function content(part: GenerateContentAnswerPart) {
  return { content: { role: 'model', parts: [part] } };
}

/** Proto JSON leaves a 0 out. */
function indexed(index: number) {
  return index > 0 ? { index } : {};
}
