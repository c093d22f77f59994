import type { GoogleAnswerPart } from '@model-gateway/wire';
import type { Flow } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { Answer, Thought } from '../mind/answer.ts';
import { blocked, endOf, logprobsOf } from './candidate.ts';
import type { GenerateAsked } from './parse.ts';
import { callPart, hasWords, picturePart } from './parts.ts';
import { sign } from './signature.ts';
import { generateUsage } from './usage.ts';
import { headOf } from './whole.ts';

/** An answer as chunks: events, or the elements of an array, which begins with one that has usage alone. */
export function stream(asked: GenerateAsked, answer: Answer): Flow {
  const writer = new Writer(asked, answer);
  const stopped = answer.thoughts.every(({ finish }) => finish === 'blocked');
  const last = stopped ? writer.chunk(blocked, answer.usage) : writer.last();
  return {
    opening: asked.events ? [] : [writer.array()],
    beats: writer.beats(),
    closing: asked.events ? [last] : [last, '\n]'],
  };
}

/** What an answer has cost when it begins. */
const nothingYet = { output: 0, reasoning: 0, imageOutput: 0 };

/** Writes the chunks of one answer. What they have in common is made once: this runs for every token of a benchmark. */
class Writer {
  readonly #asked: GenerateAsked;
  readonly #answer: Answer;
  readonly #before: string;
  readonly #after: string;

  constructor(asked: GenerateAsked, answer: Answer) {
    this.#asked = asked;
    this.#answer = answer;
    this.#before = asked.events ? 'data: ' : '\n,\n';
    const head = jsonText(headOf(asked, answer)).slice(1);
    this.#after = asked.events ? `${head}\n\n` : head;
  }

  array(): string {
    return `[${this.#text({}, { ...this.#answer.usage, ...nothingYet })}${this.#after}`;
  }

  chunk(fields: object, usage: Answer['usage']): string {
    return this.#before + this.#text(fields, usage) + this.#after;
  }

  *beats(): Generator<string[]> {
    const { thoughts, usage } = this.#answer;
    const so = { ...usage, ...nothingYet };
    const longest = Math.max(...thoughts.map(({ steps }) => steps.length));
    for (let at = 0; at < longest; at++)
      yield thoughts.flatMap((thought, index) => {
        const step = thought.steps[at];
        if (!step) return [];
        so.output++;
        if (step.kind === 'reasoning') so.reasoning++;
        const part = this.#part(thought, at);
        if (!part) return [];
        const more = step.kind === 'text' ? this.#logprobs(step.text, at) : {};
        return [this.chunk(candidates([{ ...content(part), ...indexed(index), ...more }]), so)];
      });
    yield* this.#pictures();
  }

  /** Comes when all was said. */
  *#pictures(): Generator<string[]> {
    for (const [index, thought] of this.#answer.thoughts.entries())
      for (const part of picturePart(thought, this.#asked))
        yield [this.chunk(candidates([{ ...content(part), ...indexed(index) }]), this.#answer.usage)];
  }

  /** The last chunk has the reason, and of an answer in text that was thought about the signature. */
  last(): string {
    const { thoughts, usage } = this.#answer;
    const ends = thoughts.map((thought, index) => ({
      ...this.#lastContent(thought),
      ...indexed(index),
      ...endOf(thought, this.#asked),
    }));
    return this.chunk(candidates(ends), usage);
  }

  #lastContent({ steps, finish }: Thought) {
    if (finish === 'refusal') return {};
    const signed = this.#asked.prompt.effort && steps.some(({ kind }) => kind === 'text');
    return content({ text: '', ...(signed && { thoughtSignature: sign() }) });
  }

  /** What a step adds; a call comes whole with the last piece of its input. */
  #part({ steps }: Thought, at: number): GoogleAnswerPart | null {
    const step = steps[at];
    switch (step?.kind) {
      case 'reasoning':
        return this.#asked.showsThoughts ? { text: step.text, thought: true } : null;
      case 'text':
        return hasWords(this.#asked) ? { text: step.text } : null;
      case 'input': {
        const next = steps[at + 1];
        return next?.kind === 'input' && next.call === step.call ? null : callPart(step.call, steps);
      }
      default:
        return null;
    }
  }

  #logprobs(token: string, place: number): object {
    const { topLogprobs: top } = this.#asked;
    return top === null ? {} : logprobsOf([token], place, top);
  }

  /** A chunk up to the fields that all have. */
  #text(fields: object, usage: Answer['usage']): string {
    return `${jsonText({ ...fields, usageMetadata: generateUsage(usage) }).slice(0, -1)},`;
  }
}

function candidates(list: object[]) {
  return { candidates: list };
}

function content(part: GoogleAnswerPart) {
  return { content: { role: 'model', parts: [part] } };
}

/** Proto JSON leaves a 0 out. */
function indexed(index: number) {
  return index > 0 ? { index } : {};
}
