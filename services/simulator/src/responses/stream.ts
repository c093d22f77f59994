import type { Flow } from '../format.ts';
import type { Answer } from '../responder/answer.ts';
import { event, ItemEvents } from './item-events.ts';
import { itemsOf, searchOf } from './output.ts';
import type { ParsedResponses } from './parse.ts';
import { begun, whole } from './whole.ts';

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
