import { dataJson, sseEvent } from '@model-gateway/sse';
import { type Flow, ticksOf } from '../common/format.ts';
import {
  type Answer,
  type Finish,
  parsedObject,
  type Reply,
  type Run,
  runsOf,
  type Usage,
} from '../responder/answer.ts';
import { sealed } from '../responder/seal.ts';
import { type ParsedConverse, signaturePrefix } from './converse-parse.ts';
import { eventFrame, framed } from './frames.ts';

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  refusal: 'content_filtered',
  blocked: 'guardrail_intervened',
} as const satisfies Record<Finish, string>;

function stopReason({ finish, stopped }: Reply): string {
  return stopped === null ? reasons[finish] : 'stop_sequence';
}

/** Usage of Converse: tokens of the cache are counted apart. */
function usageOf({ input, cachedInput, cacheWrite5m, cacheWrite1h, output }: Usage) {
  const written = cacheWrite5m + cacheWrite1h;
  return {
    inputTokens: input - cachedInput - written,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cachedInput,
    cacheWriteInputTokens: written,
    ...(cacheWrite1h > 0 && { cacheDetails: [{ ttl: '1h', inputTokens: cacheWrite1h }] }),
  };
}

/** The trace of a guardrail that denies a topic. */
function traceOf({ traces }: ParsedConverse, { finish }: Reply): object {
  if (!traces || finish !== 'blocked') return {};
  const topics = [{ name: 'Forbidden things', type: 'DENY', action: 'BLOCKED', detected: true }];
  return { trace: { guardrail: { inputAssessment: { gr4dr41l1d: { topicPolicy: { topics } } } } } };
}

const signatureOf = (text: string) => sealed(signaturePrefix, text);

/** An answer as one object. */
export function whole(parsed: ParsedConverse, { replies, usage }: Answer) {
  const [reply] = replies as [Reply];
  const content = runsOf(reply).map(run => blockOf(run, parsed.redacts));
  return {
    metrics: { latencyMs: 1 },
    output: { message: { role: 'assistant', content } },
    stopReason: stopReason(reply),
    usage: usageOf(usage),
    ...traceOf(parsed, reply),
  };
}

function blockOf(run: Run, redacts: boolean): object {
  const { text } = run;
  if (run.kind === 'call') {
    const { id, name } = run.call;
    return { toolUse: { toolUseId: `tooluse_${id}`, name, input: parsedObject(text) ?? {} } };
  }
  if (run.kind !== 'reasoning') return { text };
  return {
    reasoningContent: redacts
      ? { redactedContent: signatureOf(text) }
      : { reasoningText: { text, signature: signatureOf(text) } },
  };
}

/** An answer as frames, from `messageStart` to `metadata`. */
export function stream(parsed: ParsedConverse, { replies, usage }: Answer): Flow {
  const [reply] = replies as [Reply];
  const runs = runsOf(reply).map((run, at) => eventsOf(run, at, parsed.redacts));
  const flow: Flow = {
    opening: [event('messageStart', { role: 'assistant' })],
    ticks: ticksOf(runs),
    closing: [
      ...(runs.at(-1)?.closing ?? []),
      event('messageStop', { stopReason: stopReason(reply) }),
      event('metadata', { metrics: { latencyMs: 1 }, usage: usageOf(usage), ...traceOf(parsed, reply) }),
    ],
  };
  return framed(flow, eventFrame);
}

function eventsOf(run: Run, contentBlockIndex: number, redacts: boolean) {
  const delta = (fields: object) => event('contentBlockDelta', { contentBlockIndex, delta: fields });
  const reasoning = (fields: object) => delta({ reasoningContent: fields });
  const signed = signatureOf(run.text);
  const last =
    run.kind !== 'reasoning'
      ? []
      : [reasoning(redacts ? { redactedContent: signed } : { signature: signed })];
  return {
    run,
    opening:
      run.kind === 'call'
        ? [event('contentBlockStart', { contentBlockIndex, start: startOf(run.call) })]
        : [],
    delta(step: Run['steps'][number]): string[] {
      switch (step.kind) {
        case 'call':
          return [];
        case 'input':
          return [delta({ toolUse: { input: step.text } })];
        case 'reasoning':
          return redacts ? [] : [reasoning({ text: step.text })];
        default:
          return [delta({ text: step.text })];
      }
    },
    closing: [...last, event('contentBlockStop', { contentBlockIndex })],
  };
}

function startOf({ id, name }: { id: string; name: string }) {
  return { toolUse: { toolUseId: `tooluse_${id}`, name } };
}

function event(type: string, fields: object): string {
  return sseEvent(dataJson({ ...fields, p: 'abcdefghijklm' }), type);
}
