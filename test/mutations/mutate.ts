import type { Json } from '../conformance/grid/json.ts';
import type { Format } from '../stack/formats.ts';
import type { Stream } from './answers.ts';
import type { Random } from './random.ts';

/** A stream with a fault in it. */
export interface Mutated extends Stream {
  /** The steps that made it, for the report of a failure. */
  steps: string[];
  /** True if nothing of what ends an answer is left. */
  endless: boolean;
  /** True if, before the end, a text or the arguments of a call are a value that holds no text. */
  unusable: boolean;
}

/** Values that take the place of a field. */
const values: Json[] = [null, 0, 7, -1, 1e308, '', 'x', true, false, [], {}, ['x'], { a: 1 }, [[{}]]];
/** A value that no reader can take for content. */
const unusable = [{ unusable: [[1]] }];

/** Fields that alone hold what the model wrote; others repeat it. */
const contents: Record<Format, string[]> = {
  chat: ['content', 'arguments', 'reasoning_content'],
  messages: ['text', 'partial_json', 'thinking'],
  'generate-content': ['text'],
  responses: ['delta'],
};
/** The ends of an answer, by the names and values of all formats. */
const ends =
  /finish_?reason"\s*:\s*"|stop_reason"\s*:\s*"|response\.(completed|incomplete)|message_stop|\[DONE\]/i;

/** Returns the stream with one to three faults. */
export function mutated({ format, events }: Stream, random: Random): Mutated {
  const stream: Mutated = { format, events: [...events], steps: [], endless: false, unusable: false };
  for (let left = 1 + random.below(3); left > 0; left--) random.of(mutations)(stream, random);
  const end = stream.events.findIndex(event => ends.test(event));
  stream.endless = end === -1;
  stream.unusable = stream.events.slice(0, end).some(isUnusable);
  return stream;
}

/** Events and deltas of unknown types in the messages format are extensions, which clients ignore. */
const knownDelta = /"type":"content_block_delta".*"type":"(?:text|thinking|input_json)_delta"/;

function isUnusable(event: string): boolean {
  return (
    event.includes('"unusable"') && (!event.startsWith('event: content_block') || knownDelta.test(event))
  );
}

const mutations: ((stream: Mutated, random: Random) => void)[] = [
  function drop({ events, steps }, random) {
    const at = random.below(events.length);
    steps.push(`drop ${at}`);
    events.splice(at, 1);
  },
  function double({ events, steps }, random) {
    const at = random.below(events.length);
    steps.push(`double ${at}`);
    events.splice(at, 0, ...events.slice(at, at + 1));
  },
  function swap({ events, steps }, random) {
    const at = random.below(Math.max(events.length - 1, 1));
    steps.push(`swap ${at}`);
    events.splice(at, 2, ...events.slice(at, at + 2).reverse());
  },
  function cut({ events, steps }, random) {
    const at = random.below(events.length);
    steps.push(`cut ${at}`);
    events.splice(at);
  },
  function cutWithin({ events, steps }, random) {
    const at = random.below(Math.max(events.length, 1));
    const event = events[at] ?? '';
    const length = random.below(event.length + 1);
    steps.push(`cut ${at} at ${length}`);
    events.splice(at, events.length, event.slice(0, length));
  },
  change,
  change,
  change,
];

/** Gives a field of an event another value, or removes it. */
function change(stream: Mutated, random: Random): void {
  const { events, steps } = stream;
  const at = random.below(Math.max(events.length, 1));
  const [, before = '', data] = /^((?:.*\n)*?)data: (\{.*\})\n\n$/.exec(events[at] ?? '') ?? [];
  if (data === undefined) return;
  const value: Json = JSON.parse(data);
  const places = placesIn(value);
  if (places.length === 0) return;
  const { holder, key } = random.of(places);
  const replaced = holder[key];
  const isContent = contents[stream.format].includes(key) && typeof replaced === 'string' && replaced !== '';
  const isRemoved = random.below(6) === 0;
  const put = isContent && random.below(2) === 0 ? unusable : random.of(values);
  if (isRemoved) delete holder[key];
  else holder[key] = put;
  steps.push(`${at}: ${key} ${isRemoved ? 'removed' : JSON.stringify(put)}`);
  events[at] = `${before}data: ${JSON.stringify(value)}\n\n`;
}

function placesIn(value: Json): { holder: Json; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap(key => [{ holder: value, key }, ...placesIn(value[key])]);
}
