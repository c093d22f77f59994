import { isDeepStrictEqual } from 'node:util';

type Fields = Record<string, unknown>;
type Item = Fields & { type: string; id: string; content: Fields[]; summary: Fields[] };

export type Frame = Fields & { type: string; sequence_number: number };

const ofItem = ['item_id', 'output_index'];
const ofPart = [...ofItem, 'content_index'];
const ofSummary = [...ofItem, 'summary_index'];

/** The required fields of each event besides its type and sequence number. */
const required: Record<string, string[]> = {
  'response.created': ['response'],
  'response.in_progress': ['response'],
  'response.completed': ['response'],
  'response.incomplete': ['response'],
  'response.failed': ['response'],
  'response.output_item.added': ['output_index', 'item'],
  'response.output_item.done': ['output_index', 'item'],
  'response.content_part.added': [...ofPart, 'part'],
  'response.content_part.done': [...ofPart, 'part'],
  'response.output_text.delta': [...ofPart, 'delta', 'logprobs'],
  'response.output_text.done': [...ofPart, 'text', 'logprobs'],
  'response.output_text.annotation.added': [...ofPart, 'annotation_index', 'annotation'],
  'response.refusal.delta': [...ofPart, 'delta'],
  'response.refusal.done': [...ofPart, 'refusal'],
  'response.function_call_arguments.delta': [...ofItem, 'delta'],
  'response.function_call_arguments.done': [...ofItem, 'name', 'arguments'],
  'response.custom_tool_call_input.delta': [...ofItem, 'delta'],
  'response.custom_tool_call_input.done': [...ofItem, 'input'],
  'response.reasoning_summary_part.added': [...ofSummary, 'part'],
  'response.reasoning_summary_part.done': [...ofSummary, 'part'],
  'response.reasoning_summary_text.delta': [...ofSummary, 'delta'],
  'response.reasoning_summary_text.done': [...ofSummary, 'text'],
  error: ['code', 'message', 'param', 'error'],
};

/** The required fields of every response object. */
const responseFields = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'error', 'incomplete_details', 'instructions'],
  ...[
    'model',
    'previous_response_id',
    'output',
    'parallel_tool_calls',
    'tools',
    'tool_choice',
    'temperature',
  ],
  ...['top_p', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'truncation', 'text', 'reasoning'],
  ...['max_output_tokens', 'max_tool_calls', 'store', 'background', 'service_tier', 'metadata', 'user'],
  ...['safety_identifier', 'prompt_cache_key', 'usage'],
];

/**
 * Parses a stream's events.
 * @throws if one is not a named frame with all required fields, or is out of order
 */
export function readFrames(stream: string): Frame[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .filter(text => text !== 'data: [DONE]')
    .map((text, i) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text) ?? [];
      if (!name || !data) throw new Error(`not a frame: ${text}`);
      const frame = JSON.parse(data) as Frame;
      if (frame.type !== name) throw new Error(`event ${name} holds ${frame.type}`);
      if (frame.sequence_number !== i) throw new Error(`event ${i} has the number ${frame.sequence_number}`);
      for (const field of required[name] ?? fail(`unknown event ${name}`))
        if (frame[field] === undefined) fail(`${name} has no ${field}`);
      if (frame.response)
        for (const field of responseFields)
          if ((frame.response as Fields)[field] === undefined)
            fail(`the response of ${name} has no ${field}`);
      return frame;
    });
}

/**
 * Accumulates a stream as clients do and returns its final response.
 * @throws if clients would misread the stream
 */
export function readResponse(stream: string): Fields {
  const frames = readFrames(stream);
  const [created, progress, ...rest] = frames;
  if (created?.type !== 'response.created' || progress?.type !== 'response.in_progress')
    return fail('does not begin with response.created and response.in_progress');
  const last = rest.pop() as Frame;
  const response = last?.response as Fields;
  if (!/^response\.(completed|incomplete|failed)$/.test(last?.type)) fail(`ends with ${last?.type}`);
  const failed = last.type === 'response.failed';
  if (failed !== (rest.at(-1)?.type === 'error'))
    fail('an error without response.failed, or the other way round');
  if (failed) rest.pop();
  if (!failed !== stream.endsWith('\n\ndata: [DONE]\n\n')) fail('[DONE] is not at the end of a good answer');
  if (`response.${response.status}` !== last.type)
    fail(`${last.type} of a response that is ${response.status}`);
  if ((created.response as Fields).id !== response.id) fail('another id at the end');
  const items = readItems(rest, failed);
  equal(response.output, items, 'output');
  return response;
}

/** The accumulated state of the open item. */
interface Open {
  item: Item;
  part: Fields | undefined;
  text: string;
  done: boolean;
}

function readItems(frames: readonly Frame[], failed: boolean): Item[] {
  const items: Item[] = [];
  let open: Open | undefined;
  for (const frame of frames) {
    if (frame.output_index !== items.length) fail(`${frame.type} at output_index ${frame.output_index}`);
    if (frame.type === 'response.output_item.added') {
      if (open) fail('a second open item');
      const item = structuredClone(frame.item) as Item;
      if (!item.id || items.some(({ id }) => id === item.id)) fail(`the item id ${item.id}`);
      open = { item, part: undefined, text: '', done: false };
      continue;
    }
    if (!open) return fail(`${frame.type} of no open item`);
    if (frame.type !== 'response.output_item.done') {
      if (frame.item_id !== open.item.id) fail(`${frame.type} of ${frame.item_id}`);
      step(open, frame);
      continue;
    }
    if (open.part) fail('a part is open at the end of its item');
    const done = frame.item as Item;
    const { status: _, encrypted_content: _signature, ...final } = done;
    const { status: _begun, encrypted_content: _encrypted, ...accumulated } = open.item;
    if (done.type !== 'tool_search_call' && done.type !== 'image_generation_call')
      equal(final, accumulated, done.type);
    items.push(done);
    open = undefined;
  }
  if (open && !failed) fail('an item is open at the end');
  return items;
}

/** The item type and the accumulated field, by event name. */
const accumulates: Record<string, [type: string, field: string]> = {
  'response.function_call_arguments': ['function_call', 'arguments'],
  'response.custom_tool_call_input': ['custom_tool_call', 'input'],
};

function step(open: Open, frame: Frame): void {
  const { item } = open;
  const [, name = '', what] = /^(.*)\.(added|delta|done)$/.exec(frame.type) ?? [];
  const call = accumulates[name];
  if (call) {
    const [type, field] = call;
    if (item.type !== type || open.done) fail(`${frame.type} in a ${item.type}`);
    if (what === 'delta') open.text += frame.delta;
    else {
      equal(frame[field], open.text, frame.type);
      item[field] = open.text;
      open.done = true;
    }
    return;
  }
  const list = name.startsWith('response.reasoning_summary') ? item.summary : item.content;
  const index = name.startsWith('response.reasoning_summary') ? frame.summary_index : frame.content_index;
  if (!list || index !== list.length) fail(`${frame.type} at ${index} of a ${item.type}`);
  stepPart(open, frame, list, what);
}

function stepPart(open: Open, frame: Frame, list: Fields[], what: string | undefined): void {
  const isPart = /(content|summary)_part\./.test(frame.type);
  if (isPart && what === 'added') {
    if (open.part) fail('a second open part');
    open.part = structuredClone(frame.part) as Fields;
    open.text = '';
    open.done = false;
    return;
  }
  if (!open.part) return fail(`${frame.type} of no open part`);
  const field = 'refusal' in open.part ? 'refusal' : 'text';
  if (isPart) {
    if (!open.done) fail('a part ends before its text');
    equal(frame.part, open.part, frame.type);
    list.push(open.part);
    open.part = undefined;
    return;
  }
  if (open.done) fail(`${frame.type} after the end of its text`);
  if (frame.type === 'response.output_text.annotation.added') {
    const annotations = open.part.annotations as unknown[];
    if (frame.annotation_index !== annotations.length) fail('an annotation out of order');
    annotations.push(frame.annotation);
  } else if (what === 'delta') open.text += frame.delta;
  else {
    equal(frame[field], open.text, frame.type);
    open.part[field] = open.text;
    open.done = true;
  }
}

function equal(final: unknown, streamed: unknown, what: string): void {
  if (!isDeepStrictEqual(final, streamed))
    fail(`${what} is ${JSON.stringify(final)}, but was streamed as ${JSON.stringify(streamed)}`);
}

function fail(what: string): never {
  throw new Error(what);
}
