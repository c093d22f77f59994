import { dataJson } from '@model-gateway/sse';
import { tokenLogprobs } from '../chat/whole.ts';
import type { Flow } from '../format.ts';
import type { Answer } from '../responder/answer.ts';
import { type BuiltItem, begun, itemsOf, partOf, type Run, searchOf, textOf, whole } from './output.ts';
import type { ParsedResponses } from './parse.ts';

/** An answer as events, one item after another, from `response.created` to the event that says how it ended. */
export function stream(parsed: ParsedResponses, answer: Answer): Flow {
  const opening = openingOf(parsed, answer);
  const items: ItemEvents[] = [];
  const searched = searchOf(parsed, answer) ? 1 : 0;
  let sequence = opening.length;
  for (const [at, made] of itemsOf(parsed, answer).entries()) {
    const item = new ItemEvents(parsed, made, { index: at + searched, sequence });
    items.push(item);
    sequence = item.end;
  }
  const response = whole(parsed, answer);
  return {
    opening,
    ticks: ticks(items),
    closing: [
      ...(items.at(-1)?.closing() ?? []),
      event(`response.${response.status}`, sequence, { response }),
    ],
  };
}

/** The events before the first item, with those of a web search. */
function openingOf(parsed: ParsedResponses, answer: Answer): string[] {
  const response = begun(parsed, answer);
  const search = searchOf(parsed, answer);
  const at = { output_index: 0, item_id: search?.id };
  const running = { ...search, status: 'in_progress' };
  const searched: [string, object][] = search
    ? [
        ['response.output_item.added', { output_index: 0, item: running }],
        ['response.web_search_call.in_progress', at],
        ['response.web_search_call.searching', at],
        ['response.web_search_call.completed', at],
        ['response.output_item.done', { output_index: 0, item: search }],
      ]
    : [];
  const all: [string, object][] = [
    ['response.created', { response }],
    ['response.in_progress', { response }],
    ...searched,
  ];
  return all.map(([type, fields], sequence) => event(type, sequence, fields));
}

/** A tick for each token. An item begins with its first token and ends with the first token of the next item. */
function* ticks(items: ItemEvents[]): Generator<string[]> {
  let before: string[] = [];
  for (const item of items) {
    const opening = [...before, ...item.opening()];
    for (let at = 0; at < item.length; at++) yield at === 0 ? [...opening, ...item.delta(0)] : item.delta(at);
    before = item.closing();
  }
}

/** An event without its sequence number. */
type Pending = [type: string, fields: object];

const noise = 'qx7Lm2Vt9Kc4Zp0R';

/**
 * Writes the events of one item. What its deltas have in common is made once, and all are numbered without writing those
 * before them: this runs for every token of a benchmark.
 */
class ItemEvents {
  readonly #parsed: ParsedResponses;
  readonly #made: BuiltItem;
  readonly #index: number;
  readonly #sequence: number;
  readonly #begin: Pending[];
  readonly #finish: Pending[];
  /** Steps before the first delta. */
  readonly #silent: number;
  readonly #deltas: number;
  readonly #before: string;
  readonly #after: string;
  readonly #obfuscates: boolean;

  /** `sequence` is the number of its first event. */
  constructor(
    parsed: ParsedResponses,
    made: BuiltItem,
    { index, sequence }: { index: number; sequence: number },
  ) {
    this.#parsed = parsed;
    this.#made = made;
    this.#index = index;
    this.#sequence = sequence;
    this.#begin = this.#beginning();
    this.#finish = this.#finishing();
    const { kind } = made.run;
    const hidden = kind === 'reasoning' && !parsed.summarizes;
    this.#silent = hidden ? this.length : kind === 'call' ? 1 : 0;
    this.#deltas = this.length - this.#silent;
    const type = deltaType(made.run);
    this.#before = `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
    this.#after = `,${JSON.stringify(this.#place()).slice(1, -1)},"delta":`;
    this.#obfuscates = parsed.request.stream_options?.include_obfuscation ?? true;
  }

  get length(): number {
    return this.#made.run.steps.length;
  }

  /** The number of the first event after it. */
  get end(): number {
    return this.#sequence + this.#begin.length + this.#deltas + this.#finish.length;
  }

  opening(): string[] {
    return this.#begin.map(([type, fields], at) => event(type, this.#sequence + at, fields));
  }

  /** The event for a step. */
  delta(at: number): string[] {
    const step = this.#made.run.steps[at];
    if (!step || step.kind === 'call' || at < this.#silent) return [];
    const sequence = this.#sequence + this.#begin.length + at - this.#silent;
    const { topLogprobs: top } = this.#parsed;
    const logprobs = top === null ? '[]' : dataJson(tokenLogprobs([step.text], at, top));
    const more = step.kind === 'text' ? `,"logprobs":${logprobs}` : '';
    const padding = this.#obfuscates
      ? `,"obfuscation":"${noise.slice(step.text.length % noise.length)}"`
      : '';
    return [`${this.#before}${sequence}${this.#after}${dataJson(step.text)}${more}${padding}}\n\n`];
  }

  closing(): string[] {
    const first = this.end - this.#finish.length;
    return this.#finish.map(([type, fields], at) => event(type, first + at, fields));
  }

  #beginning(): Pending[] {
    const added: Pending = [
      'response.output_item.added',
      { output_index: this.#index, item: this.#made.begun },
    ];
    const at = this.#place();
    switch (this.#made.run.kind) {
      case 'call':
        return [added];
      case 'reasoning':
        return this.#parsed.summarizes
          ? [added, ['response.reasoning_summary_part.added', { ...at, part: summary('') }]]
          : [added];
      case 'refusal':
        return [added, ['response.content_part.added', { ...at, part: { type: 'refusal', refusal: '' } }]];
      case 'text': {
        const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
        return [added, ['response.content_part.added', { ...at, part }]];
      }
    }
  }

  #finishing(): Pending[] {
    const done: Pending = ['response.output_item.done', { output_index: this.#index, item: this.#made.done }];
    return [...this.#said(), done];
  }

  /** The events that repeat the whole text of the item. */
  #said(): Pending[] {
    const { run } = this.#made;
    const at = this.#place();
    const text = textOf(run);
    switch (run.kind) {
      case 'call':
        return [this.#inputDone(run.call.tool, text)];
      case 'reasoning':
        return this.#parsed.summarizes
          ? [
              ['response.reasoning_summary_text.done', { ...at, text }],
              ['response.reasoning_summary_part.done', { ...at, part: summary(text) }],
            ]
          : [];
      default:
        return this.#messageDone();
    }
  }

  #inputDone(tool: 'function' | 'custom', text: string): Pending {
    const { done } = this.#made;
    if (tool === 'custom') return ['response.custom_tool_call_input.done', { ...this.#place(), input: text }];
    const name = 'name' in done ? done.name : '';
    return ['response.function_call_arguments.done', { ...this.#place(), name, arguments: text }];
  }

  #messageDone(): Pending[] {
    const part = partOf(this.#parsed, this.#made.run);
    const at = this.#place();
    const partDone: Pending = ['response.content_part.done', { ...at, part }];
    if (part.type === 'refusal')
      return [['response.refusal.done', { ...at, refusal: part.refusal }], partDone];
    const { text, annotations, logprobs } = part;
    return [
      ...annotations.map(
        (annotation, annotation_index): Pending => [
          'response.output_text.annotation.added',
          { ...at, annotation_index, annotation },
        ],
      ),
      ['response.output_text.done', { ...at, text, logprobs }],
      partDone,
    ];
  }

  #place() {
    const { run, id } = this.#made;
    const item = { item_id: id, output_index: this.#index };
    if (run.kind === 'call') return item;
    return run.kind === 'reasoning' ? { ...item, summary_index: 0 } : { ...item, content_index: 0 };
  }
}

function deltaType(run: Run): string {
  switch (run.kind) {
    case 'reasoning':
      return 'response.reasoning_summary_text.delta';
    case 'text':
      return 'response.output_text.delta';
    case 'refusal':
      return 'response.refusal.delta';
    case 'call':
      return run.call.tool === 'function'
        ? 'response.function_call_arguments.delta'
        : 'response.custom_tool_call_input.delta';
  }
}

function summary(text: string) {
  return { type: 'summary_text', text };
}

/** An event with its name in both places, and its place in the stream. */
export function event(type: string, sequence: number, fields: object): string {
  return `event: ${type}\ndata: ${dataJson({ type, sequence_number: sequence, ...fields })}\n\n`;
}
