import { dataJson, sseEvent } from '@model-gateway/sse';
import { tokenLogprobs } from '../chat/whole.ts';
import { type Flow, type RunEvents, ticksOf } from '../format.ts';
import type { Answer, Run } from '../responder/answer.ts';
import { type BuiltItem, itemsOf, partOf, searchOf, unfinished, whole } from './output.ts';
import type { ParsedResponses } from './parse.ts';

/** An event without its sequence number. */
type Pending = [type: string, fields: object];

/** An answer as events, one item after another, from `response.created` to the event with the final response. */
export function stream(parsed: ParsedResponses, answer: Answer): Flow {
  const opening = openingOf(parsed, answer);
  const offset = searchOf(parsed, answer) ? 1 : 0;
  let sequence = opening.length;
  const items: RunEvents[] = [];
  for (const [at, item] of itemsOf(parsed, answer).entries()) {
    const { count, events } = eventsOf(parsed, item, at + offset, sequence);
    items.push(events);
    sequence += count;
  }
  const response = whole(parsed, answer);
  return {
    opening,
    ticks: ticksOf(items),
    closing: [...(items.at(-1)?.closing ?? []), event(`response.${response.status}`, sequence, { response })],
  };
}

/** The events before the first item, with those of a web search. */
function openingOf(parsed: ParsedResponses, answer: Answer): string[] {
  const response = unfinished(parsed, answer);
  const search = searchOf(parsed, answer);
  const at = { output_index: 0, item_id: search?.id };
  const searched: Pending[] = [
    ['response.output_item.added', { output_index: 0, item: { ...search, status: 'in_progress' } }],
    ['response.web_search_call.in_progress', at],
    ['response.web_search_call.searching', at],
    ['response.web_search_call.completed', at],
    ['response.output_item.done', { output_index: 0, item: search }],
  ];
  return numbered(0, [
    ['response.created', { response }],
    ['response.in_progress', { response }],
    ...(search ? searched : []),
  ]);
}

const padding = 'qx7Lm2Vt9Kc4Zp0R';

/**
 * The events of one item and their count. The common part of deltas is made once, and a delta is numbered without
 * writing those before it, since benchmarks run this for every token.
 */
function eventsOf(parsed: ParsedResponses, item: BuiltItem, output_index: number, sequence: number) {
  const { run } = item;
  const { delta: type, first, last, index } = partEvents(parsed, item);
  const place = { item_id: item.id, output_index, ...index };
  const placed = ([name, fields]: Pending): Pending => [name, { ...place, ...fields }];
  const begin: Pending[] = [
    ['response.output_item.added', { output_index, item: item.begun }],
    ...first.map(placed),
  ];
  const finish: Pending[] = [
    ...last.map(placed),
    ['response.output_item.done', { output_index, item: item.done }],
  ];
  // Steps without a delta: hidden reasoning, and the opening of a call.
  const silent =
    run.kind === 'reasoning' && !parsed.summarizes ? run.steps.length : Number(run.kind === 'call');
  const firstDelta = sequence + begin.length - silent;
  const end = firstDelta + run.steps.length;
  const before = `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
  const after = `,${JSON.stringify(place).slice(1, -1)},"delta":`;
  const { topLogprobs: top } = parsed;
  const obfuscates = parsed.request.stream_options?.include_obfuscation ?? true;
  const events: RunEvents = {
    run,
    opening: numbered(sequence, begin),
    delta(step, at) {
      if (step.kind === 'call' || at < silent) return [];
      const logprobs = top === null ? '[]' : dataJson(tokenLogprobs([step.text], at, top));
      const more = step.kind === 'text' ? `,"logprobs":${logprobs}` : '';
      const noise = obfuscates ? `,"obfuscation":"${padding.slice(step.text.length % padding.length)}"` : '';
      return [`${before}${firstDelta + at}${after}${dataJson(step.text)}${more}${noise}}\n\n`];
    },
    closing: numbered(end, finish),
  };
  return { count: end + finish.length - sequence, events };
}

interface PartEvents {
  /** The type of the deltas. */
  delta: string;
  /** The events before and after the deltas, without the place of the item. */
  first: Pending[];
  last: Pending[];
  /** The place of the part in its item. */
  index: object;
}

function partEvents(parsed: ParsedResponses, { run, done }: BuiltItem): PartEvents {
  const { kind, text } = run;
  if (kind === 'call') return { ...callEvents(run, 'name' in done ? done.name : ''), index: {} };
  if (kind === 'reasoning') {
    const part = { type: 'summary_text', text };
    const name = 'response.reasoning_summary';
    const first: Pending[] = [[`${name}_part.added`, { part: { ...part, text: '' } }]];
    const last: Pending[] = [
      [`${name}_text.done`, { text }],
      [`${name}_part.done`, { part }],
    ];
    const visible = parsed.summarizes ? { first, last } : { first: [], last: [] };
    return { delta: `${name}_text.delta`, ...visible, index: { summary_index: 0 } };
  }
  const part = partOf(parsed, run);
  const empty =
    part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '', annotations: [], logprobs: [] };
  const index = { content_index: 0 };
  const first: Pending[] = [['response.content_part.added', { part: empty }]];
  const partDone: Pending = ['response.content_part.done', { part }];
  if (part.type === 'refusal')
    return {
      delta: 'response.refusal.delta',
      first,
      last: [['response.refusal.done', { refusal: text }], partDone],
      index,
    };
  const annotated = part.annotations.map(
    (annotation, at): Pending => [
      'response.output_text.annotation.added',
      { annotation_index: at, annotation },
    ],
  );
  const textDone: Pending = ['response.output_text.done', { text, logprobs: part.logprobs }];
  return { delta: 'response.output_text.delta', first, last: [...annotated, textDone, partDone], index };
}

function callEvents({ call, text }: Run & { kind: 'call' }, name: string) {
  const isFunction = call.tool === 'function';
  const type = `response.${isFunction ? 'function_call_arguments' : 'custom_tool_call_input'}`;
  const last: Pending[] = [[`${type}.done`, isFunction ? { name, arguments: text } : { input: text }]];
  return { delta: `${type}.delta`, first: [], last };
}

function numbered(first: number, events: Pending[]): string[] {
  return events.map(([type, fields], at) => event(type, first + at, fields));
}

export function event(type: string, sequence: number, fields: object): string {
  return sseEvent(dataJson({ type, sequence_number: sequence, ...fields }), type);
}
