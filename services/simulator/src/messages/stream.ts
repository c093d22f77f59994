import { dataJson } from '@model-gateway/sse';
import type { Flow } from '../format.ts';
import type { Answer, Reply, Step } from '../responder/answer.ts';
import type { ParsedMessages } from './parse.ts';
import { sign, type ThinkingDisplay } from './thinking.ts';
import {
  finalUsage,
  headOf,
  messagesUsage,
  type Run,
  redacted,
  runsOf,
  searchOf,
  stopOf,
  textOf,
  toolUse,
} from './whole.ts';

/** An answer as events, one block after another, from `message_start` to `message_stop`. */
export function stream(parsed: ParsedMessages, answer: Answer): Flow {
  const [reply] = answer.replies as [Reply];
  const search = searchOf(parsed, answer);
  const found = search?.blocks ?? [];
  const blocks = runsOf(reply).map(
    (run, i) => new Block(run, found.length + i, { display: parsed.thinking, citation: search?.citation }),
  );
  return {
    opening: [messageStart(parsed, answer), ...found.map(wholeBlock)],
    ticks: ticks(blocks),
    closing: [
      ...(blocks.at(-1)?.closing() ?? []),
      event('message_delta', {
        delta: { ...stopOf(reply), container: null },
        usage: finalUsage(answer.usage),
      }),
      event('message_stop', {}),
    ],
  };
}

function wholeBlock(content_block: object, index: number): string {
  return event('content_block_start', { index, content_block }) + event('content_block_stop', { index });
}

function messageStart(parsed: ParsedMessages, answer: Answer): string {
  const usage = messagesUsage({ ...answer.usage, output: 1, reasoning: 0 });
  const unknown = { stop_reason: null, stop_sequence: null, stop_details: null };
  return event('message_start', { message: { ...headOf(parsed, answer), content: [], ...unknown, usage } });
}

/** A tick for each token. A block begins with its first token and ends with the first token of the next block. */
function* ticks(blocks: Block[]): Generator<string[]> {
  let before: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const opening = [...before, block.opening(), ...(index === 0 ? [event('ping', {})] : [])];
    for (const [at, step] of block.run.steps.entries())
      yield at === 0 ? [...opening, ...block.delta(step)] : block.delta(step);
    before = block.closing();
  }
}

interface BlockOptions {
  display: ThinkingDisplay;
  citation: object | undefined;
}

/** Writes the events of one block. The common part of its deltas is made once, since benchmarks run this for every token. */
class Block {
  readonly run: Run;
  readonly #index: number;
  readonly #display: ThinkingDisplay;
  readonly #citation: object | undefined;
  readonly #before: string;

  constructor(run: Run, index: number, { display, citation }: BlockOptions) {
    this.run = run;
    this.#index = index;
    this.#display = display;
    this.#citation = citation;
    const [type, field] = deltas[run.kind];
    this.#before = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;
  }

  opening(): string {
    return event('content_block_start', { index: this.#index, content_block: this.#begun() });
  }

  delta(step: Step): string[] {
    if (step.kind === 'call' || (step.kind === 'reasoning' && this.#display !== 'shown')) return [];
    return [`${this.#before}${dataJson(step.text)}}}\n\n`];
  }

  closing(): string[] {
    const index = this.#index;
    const stop = event('content_block_stop', { index });
    if (this.run.kind === 'text' && this.#citation) {
      const delta = { type: 'citations_delta', citation: this.#citation };
      return [event('content_block_delta', { index, delta }), stop];
    }
    if (this.run.kind !== 'thinking' || this.#display === 'redacted') return [stop];
    const delta = { type: 'signature_delta', signature: sign(textOf(this.run)) };
    return [event('content_block_delta', { index, delta }), stop];
  }

  /** The block before its deltas. A redacted block has none. */
  #begun() {
    const { run } = this;
    if (run.kind === 'thinking' && this.#display === 'redacted') return redacted(textOf(run));
    if (run.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
    if (run.kind === 'text') return { type: 'text', text: '', citations: null };
    return { ...toolUse(run), input: {} };
  }
}

const deltas = {
  thinking: ['thinking_delta', 'thinking'],
  text: ['text_delta', 'text'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const satisfies Record<Run['kind'], readonly [string, string]>;

/** An event with its name in both places. */
export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${dataJson({ type, ...fields })}\n\n`;
}
