import { dataJson, sseEvent } from '@model-gateway/sse';
import { type Flow, type Format, type ParsedRequest, type RunEvents, ticksOf } from '../common/format.ts';
import { type Answer, type Finish, type Reply, type Run, runsOf, type Usage } from '../responder/answer.ts';
import { cohereFormat } from '../vectors/small-vendors.ts';
import { parse } from './parse.ts';

/** Cohere's chat API, version 2. */
export const cohereChat: Format<ParsedRequest> = {
  ...cohereFormat,
  parse,
  whole,
  stream,
  errorEvent: ({ message }) => event('message-end', { delta: { finish_reason: 'ERROR', error: message } }),
};

/** An answer as one object. */
function whole(_parsed: ParsedRequest, answer: Answer) {
  const [reply] = answer.replies as [Reply];
  const runs = runsOf(reply);
  const called = runs.some(({ kind }) => kind === 'call');
  const thoughts = runs.filter(({ kind }) => kind === 'reasoning').map(({ text }) => text);
  const content = runs.flatMap(({ kind, text }): object[] => {
    if (kind === 'call') return [];
    if (kind !== 'reasoning') return [{ type: 'text', text }];
    return called ? [] : [{ type: 'thinking', thinking: text }];
  });
  const calls = runs.flatMap(run =>
    run.kind === 'call'
      ? [{ id: run.call.id, type: 'function', function: { name: run.call.name, arguments: run.text } }]
      : [],
  );
  return {
    id: answer.id,
    finish_reason: finishOf(reply),
    message: {
      role: 'assistant',
      ...(called && { tool_plan: thoughts.join('\n'), tool_calls: calls }),
      ...(content.length > 0 && { content }),
    },
    usage: usageOf(answer.usage),
  };
}

const reasons = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  calls: 'TOOL_CALL',
  refusal: 'COMPLETE',
  blocked: 'COMPLETE',
} as const satisfies Record<Finish, string>;

function finishOf({ finish, stopped }: Reply): string {
  return stopped === null ? reasons[finish] : 'STOP_SEQUENCE';
}

/** Usage as Cohere reports it: what is billed, and what the model read with the vendor's own preamble. */
function usageOf({ input, cachedInput, output }: Usage) {
  return {
    billed_units: { input_tokens: input, output_tokens: output },
    tokens: { input_tokens: input + preamble, output_tokens: output + 1 },
    cached_tokens: cachedInput,
  };
}

/** Tokens that the vendor adds to each prompt. */
const preamble = 64;

/** An answer as events, from `message-start` to `message-end`. */
function stream(_parsed: ParsedRequest, answer: Answer): Flow {
  const [reply] = answer.replies as [Reply];
  const runs = runsOf(reply);
  const called = runs.some(({ kind }) => kind === 'call');
  let calls = 0;
  let contents = 0;
  const blocks = runs.map(run => {
    if (run.kind === 'call') return callEvents(run, calls++);
    return called && run.kind === 'reasoning' ? planEvents(run) : contentEvents(run, contents++);
  });
  const head = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  const delta = { finish_reason: finishOf(reply), usage: usageOf(answer.usage) };
  return {
    opening: [event('message-start', { id: answer.id, delta: { message: head } })],
    ticks: ticksOf(blocks),
    closing: [...(blocks.at(-1)?.closing ?? []), event('message-end', { delta })],
  };
}

function contentEvents(run: Run, index: number): RunEvents {
  const [type, field] = run.kind === 'reasoning' ? ['thinking', 'thinking'] : ['text', 'text'];
  const of = (content: object) => ({ index, delta: { message: { content } } });
  return {
    run,
    opening: [event('content-start', of({ type, [field]: '' }))],
    delta: step => ('text' in step ? [event('content-delta', of({ [field]: step.text }))] : []),
    closing: [event('content-end', { index })],
  };
}

/** Reasoning before tool calls. */
function planEvents(run: Run): RunEvents {
  const of = (tool_plan: string) => ({ delta: { message: { tool_plan } } });
  return {
    run,
    opening: [],
    delta: step => ('text' in step ? [event('tool-plan-delta', of(step.text))] : []),
    closing: [],
  };
}

function callEvents(run: Run & { kind: 'call' }, index: number): RunEvents {
  const of = (tool_calls: object) => ({ index, delta: { message: { tool_calls } } });
  const { id, name } = run.call;
  return {
    run,
    opening: [event('tool-call-start', of({ id, type: 'function', function: { name, arguments: '' } }))],
    delta: step =>
      step.kind === 'input' ? [event('tool-call-delta', of({ function: { arguments: step.text } }))] : [],
    closing: [event('tool-call-end', { index })],
  };
}

function event(type: string, fields: object): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}
