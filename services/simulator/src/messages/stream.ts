import { dataJson, sseEvent } from '@model-gateway/sse';
import { type Flow, type RunEvents, ticksOf } from '../format.ts';
import { type Answer, type Reply, type Run, runsOf } from '../responder/answer.ts';
import type { ParsedMessages } from './parse.ts';
import { sign } from './thinking.ts';
import { finalUsage, headOf, messagesUsage, redacted, searchOf, stopOf, toolUse } from './whole.ts';

/** An answer as events, one block after another, from `message_start` to `message_stop`. */
export function stream(parsed: ParsedMessages, answer: Answer): Flow {
  const [reply] = answer.replies as [Reply];
  const search = searchOf(parsed, answer);
  const found = search?.blocks ?? [];
  const blocks = runsOf(reply).map((run, at) => eventsOf(run, found.length + at, parsed, search?.citation));
  blocks[0]?.opening.push(event('ping', {}));
  const delta = { ...stopOf(reply), container: null };
  return {
    opening: [messageStart(parsed, answer), ...found.map(wholeBlock)],
    ticks: ticksOf(blocks),
    closing: [
      ...(blocks.at(-1)?.closing ?? []),
      event('message_delta', { delta, usage: finalUsage(answer.usage) }),
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

/** The events of one block. The common part of its deltas is made once, since benchmarks run this for every token. */
function eventsOf(run: Run, index: number, { thinking }: ParsedMessages, citation?: object): RunEvents {
  const [type, field] = deltas[run.kind];
  const before = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;
  const last = lastDelta(run, thinking, citation);
  return {
    run,
    opening: [event('content_block_start', { index, content_block: begun(run, thinking) })],
    delta(step) {
      if (step.kind === 'call' || (step.kind === 'reasoning' && thinking !== 'full')) return [];
      return [`${before}${dataJson(step.text)}}}\n\n`];
    },
    closing: [
      ...(last ? [event('content_block_delta', { index, delta: last })] : []),
      event('content_block_stop', { index }),
    ],
  };
}

/** The delta after the text of a block: a citation or a signature. */
function lastDelta({ kind, text }: Run, thinking: ParsedMessages['thinking'], citation?: object) {
  if (kind === 'text' && citation) return { type: 'citations_delta', citation };
  return kind === 'reasoning' && thinking !== 'redacted'
    ? { type: 'signature_delta', signature: sign(text) }
    : null;
}

/** The block before its deltas. A redacted block has no deltas. */
function begun(run: Run, thinking: ParsedMessages['thinking']) {
  if (run.kind === 'call') return { ...toolUse(run.call), input: {} };
  if (run.kind !== 'reasoning') return { type: 'text', text: '', citations: null };
  return thinking === 'redacted' ? redacted(run.text) : { type: 'thinking', thinking: '', signature: '' };
}

const text = ['text_delta', 'text'] as const;
const deltas = {
  reasoning: ['thinking_delta', 'thinking'],
  text,
  refusal: text,
  call: ['input_json_delta', 'partial_json'],
} as const satisfies Record<Run['kind'], readonly [string, string]>;

export function event(type: string, fields: object): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}
