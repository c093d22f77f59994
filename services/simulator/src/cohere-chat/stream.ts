import { dataJson, sseEvent } from '@model-gateway/sse';
import { type Flow, type RunEvents, ticksOf } from '../format.ts';
import { type Answer, type Reply, type Run, runsOf } from '../responder/answer.ts';
import type { ParsedCohereChat } from './parse.ts';
import { finishOf, usageOf } from './whole.ts';

/** An answer as events, from `message-start` to `message-end`. */
export function stream(_parsed: ParsedCohereChat, answer: Answer): Flow {
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

export function event(type: string, fields: object): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}
