import {
  type FinishEvent,
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  noUsage,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { memberText, parseExact } from '@model-gateway/json';
import type { SseEvent } from '@model-gateway/sse';
import { AwsEventStream, namedEvent } from '../upstream/aws-event-stream.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { type FormatReader, TranslatedEvents } from '../upstream/event-stream.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { errorEvents, wellFormed } from '../upstream/malformed.ts';
import { eventObject, objectIn, parseObject, type StreamEvent } from '../upstream/read-json.ts';
import { Blocks, type BlocksOptions, deltasOf } from './decode-blocks.ts';
import { explainGuardrail } from './finish.ts';
import {
  type ConverseStreamEvent,
  type ConverseUpstreamUsage,
  converseStreamEvents,
  converseUpstreamAnswer,
} from './types.ts';

/** The upstream has no id of its answers, and does not repeat the model. */
const start: GenerateEvent = { type: 'start', id: '', model: '' };

export function decodeStream(options: BlocksOptions): Decoder {
  const reader = new Reader();
  const blocks = new Blocks(options);
  const events = new TranslatedEvents(reader, {
    add: event => translate(event, blocks),
    end: () => [...blocks.stopAll(), finish(reader.last, blocks)],
  });
  return new AwsEventStream(events, namedEvent);
}

/** The end of an answer. */
interface Ended {
  stopReason?: string | null | undefined;
  usage?: ConverseUpstreamUsage | null | undefined;
  trace?: unknown;
}

/** Reads the usage and the end of a stream. */
class Reader implements FormatReader<ConverseStreamEvent> {
  readonly ignoresRest = true;
  last: Ended = {};
  characters = 0;
  ended = false;

  /** True after the stop reason: only the usage may follow. */
  get complete(): boolean {
    return this.last.stopReason !== undefined;
  }

  /** The usage comes last. */
  get mayGoOn(): boolean {
    return !this.last.usage;
  }

  get usage(): Usage | null {
    return this.last.usage ? readUsage(this.last.usage) : null;
  }

  skips({ event }: SseEvent): boolean {
    return event === undefined || !Object.hasOwn(converseStreamEvents, event);
  }

  read(source: StreamEvent): ConverseStreamEvent {
    const event = parseEvent(source);
    switch (event.type) {
      case 'contentBlockDelta': {
        const { text, toolUse, reasoningContent } = event.value.delta;
        this.characters += (text ?? toolUse?.input ?? reasoningContent?.text ?? '').length;
        break;
      }
      case 'messageStop':
        throwIfFailed(event.value.stopReason);
        this.last = { stopReason: event.value.stopReason ?? '' };
        break;
      case 'metadata':
        if (!this.complete)
          throw new GatewayError('upstream', 'The upstream ended its answer without a stop reason.');
        this.last = { ...this.last, usage: event.value.usage, trace: event.value.trace };
        this.ended = true;
        break;
    }
    return event;
  }
}

/** @throws GatewayError for a malformed event */
function parseEvent(source: StreamEvent): ConverseStreamEvent {
  const type = source.event as ConverseStreamEvent['type'];
  return {
    type,
    value: wellFormed<unknown>(converseStreamEvents[type], eventObject(source)),
  } as ConverseStreamEvent;
}

/** Returns the parts in an event. */
function translate(event: ConverseStreamEvent, blocks: Blocks): GenerateEvent[] {
  switch (event.type) {
    case 'messageStart':
      return [start];
    case 'contentBlockStart':
      return blocks.start(event.value.contentBlockIndex, event.value.start.toolUse);
    case 'contentBlockDelta':
      return blocks.delta(event.value.contentBlockIndex, event.value.delta);
    case 'contentBlockStop':
      return blocks.stop(event.value.contentBlockIndex);
    case 'messageStop':
    case 'metadata':
      return [];
  }
}

/** Decodes a whole answer; undefined if the body is none. */
export function decodeBody(body: Buffer, options: BlocksOptions): GenerateEvent[] | undefined {
  const read = converseUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!read.success) return undefined;
  const { output } = read.data;
  if (!read.data.stopReason && !output.message.content?.length)
    return [
      toErrorEvent(new GatewayError('upstream', 'The upstream ended its answer without a stop reason.')),
    ];
  const blocks = new Blocks(options);
  try {
    throwIfFailed(read.data.stopReason);
    const exact = exactContent(body);
    const parts = (output.message.content ?? []).flatMap((block, at) => [
      ...blocks.start(at, block.toolUse),
      ...deltasOf(block, inputOf(exact[at])).flatMap(delta => blocks.delta(at, delta)),
      ...blocks.stop(at),
    ]);
    const end = finish(read.data, blocks);
    // An answer with content is whole without a stop reason, too.
    if (!read.data.stopReason) end.reason = blocks.called ? 'tool-calls' : 'stop';
    return [start, ...parts, end];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** Returns the blocks with their numbers as written. */
function exactContent(body: Buffer): unknown[] {
  const content = ['output', 'message', 'content'].reduce<string | undefined>(
    (text, key) => (text === undefined ? undefined : memberText(Buffer.from(text), key)),
    body.toString('utf8'),
  );
  const blocks = parseExact(content ?? '[]');
  return Array.isArray(blocks) ? blocks : [];
}

function inputOf(block: unknown): string {
  const input = objectIn(objectIn(block)?.toolUse)?.input;
  return input === undefined ? '' : JSON.stringify(input);
}

function finish({ stopReason: raw, usage, trace }: Ended, blocks: Blocks): FinishEvent {
  const explanation = raw === 'guardrail_intervened' ? explainGuardrail(trace) : undefined;
  return {
    type: 'finish',
    reason: reasonOf(raw, blocks.called),
    // For a client, a call of the answer tool is the end of the turn.
    raw: (raw === 'tool_use' && !blocks.called ? 'end_turn' : raw) || null,
    usage: usage ? readUsage(usage) : null,
    ...(explanation && { explanation }),
  };
}

function reasonOf(raw: string | null | undefined, called: boolean): FinishReason {
  const reason = finishReason(raw);
  // If no tool of the client was called, the call was of the answer tool.
  if (reason === 'tool-calls') return called ? reason : 'stop';
  return reason === 'stop' && called ? 'tool-calls' : reason;
}

/** Reads usage. The gateway's input is the sum of the upstream's input counters, unless its total shows that they overlap. */
export function readUsage(raw: ConverseUpstreamUsage): Usage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = raw;
  const [fresh, total] = [inputTokens ?? 0, raw.totalTokens ?? 0];
  const [read, written] = [cacheReadInputTokens ?? 0, cacheWriteInputTokens ?? 0];
  // Without the output, the total tells it.
  const output = outputTokens || (fresh > 0 ? Math.max(0, total - fresh - read - written) : 0);
  const overlaps = total === fresh + output;
  const details = cacheDetails ?? [];
  const hour = details.reduce(
    (sum, { ttl, inputTokens }) => sum + (ttl === '1h' ? (inputTokens ?? 0) : 0),
    0,
  );
  return {
    ...noUsage,
    input: overlaps ? fresh : fresh + read + written,
    cachedInput: read,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: Math.min(written, hour),
    output,
    raw,
  };
}
