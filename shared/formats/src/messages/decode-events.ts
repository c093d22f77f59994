import {
  type FinishEvent,
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  type Usage,
} from '@model-gateway/canonical';
import type { Translation } from '../upstream/event-stream.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { laterTotals } from '../upstream/loose-events.ts';
import { twoAnswers, wellFormed } from '../upstream/malformed.ts';
import { eventObject, isBlank, type StreamEvent } from '../upstream/read-json.ts';
import {
  type MessagesStreamEvent,
  type MessagesUpstreamDelta,
  type MessagesUpstreamStop,
  type MessagesUpstreamUsage,
  messagesStreamEvent,
} from './answer.ts';
import { Blocks, type BlocksOptions } from './decode-blocks.ts';
import { answerFailure } from './decode-failure.ts';
import { readUsage } from './usage.ts';

/** Returns the translation of the events that `events` reads. */
export function translation(options: BlocksOptions, events: Events): Translation<MessagesStreamEvent> {
  const blocks = new Blocks(options);
  return {
    add: event => translate(event, blocks),
    end: () => [...blocks.stopAll(), events.finish(blocks)],
  };
}

/** Reads the usage, the errors and the end of a stream. */
export class Events {
  readonly hasHeartbeats = true;
  /** Some relays end every stream as chat does. */
  readonly endMark = 'ends-valid';
  readonly ignoresRest = true;
  #id: string | undefined;
  #hasBlocks = false;
  /** True if content followed the stop reason. */
  #goesOn = false;
  #usage: MessagesUpstreamUsage | undefined;
  #stop: MessagesUpstreamStop = {};
  characters = 0;
  ended = false;

  /** True after the stop reason. One that content followed is no sign of the end. */
  get complete(): boolean {
    return this.valid && !this.#goesOn;
  }

  get valid(): boolean {
    return Boolean(this.#stop.stop_reason);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage) : null;
  }

  /** Counts text that was not parsed; returns false if there is none. */
  protected addText(characters: number | undefined): boolean {
    if (characters === undefined) return false;
    this.characters += characters;
    this.#goesOn ||= this.valid;
    return true;
  }

  read(source: StreamEvent, _whole: Buffer): MessagesStreamEvent | undefined {
    return this.note(source);
  }

  /** Parses and records an event; undefined for an unknown type. @throws GatewayError for a malformed event or one that holds an error */
  note(source: StreamEvent): MessagesStreamEvent | undefined {
    const event = parseEvent(source);
    if (event) this.record(event);
    return event;
  }

  /** Returns `again` for a start that the upstream repeats. */
  protected record(event: MessagesStreamEvent): 'again' | undefined {
    switch (event.type) {
      case 'message_start':
        if (event.message.usage) this.#usage = laterTotals(this.#usage, event.message.usage);
        return this.#isAgain(event.message.id ?? '') ? 'again' : undefined;
      case 'content_block_start':
        this.#hasBlocks = true;
        this.#goesOn ||= this.valid;
        break;
      case 'content_block_delta':
        this.#goesOn ||= this.valid;
        this.characters += charactersOf(event.delta);
        break;
      case 'message_delta':
        if (event.usage) this.#usage = laterTotals(this.#usage, event.usage);
        throwIfFailed(event.delta.stop_reason);
        if (event.delta.stop_reason) {
          this.#stop = event.delta;
          this.#goesOn = false;
        }
        break;
      case 'message_stop':
        if (!this.valid) throw withoutStopReason();
        this.ended = true;
        break;
      case 'error':
        throw answerFailure(event.error);
    }
    return undefined;
  }

  finish(blocks?: Blocks): FinishEvent {
    return finish(this.#stop, this.#usage, blocks);
  }

  /** True for the start of the response that has begun already. @throws GatewayError for that of another one */
  #isAgain(id: string): boolean {
    const first = this.#id === undefined;
    this.#id ??= id;
    if (id !== this.#id || (id === '' && this.#hasBlocks)) throw twoAnswers();
    return !first;
  }
}

/** Returns the parts in an event. */
function translate(event: MessagesStreamEvent, blocks: Blocks): GenerateEvent[] {
  switch (event.type) {
    case 'message_start': {
      const { id, model, usage } = event.message;
      return [{ type: 'start', id: id ?? '', model: model ?? '', ...(usage && { usage: readUsage(usage) }) }];
    }
    case 'content_block_start':
      return blocks.start(event.index, event.content_block);
    case 'content_block_delta':
      return blocks.delta(event.index, event.delta);
    case 'content_block_stop':
      return blocks.stop(event.index);
    default:
      return [];
  }
}

const known = new Set<unknown>(messagesStreamEvent.options.map(option => option.shape.type.value));

/** Parses an event; undefined for an unknown type. @throws GatewayError for a malformed event */
export function parseEvent(event: StreamEvent): MessagesStreamEvent | undefined {
  const value = eventObject(event);
  if (value && value.type === undefined && known.has(event.event)) value.type = event.event;
  const isKnown = known.has(value?.type);
  if (value && typeof value.type === 'string' && !isKnown) return undefined;
  // Some upstreams send a bare error object without a type.
  if (value?.error && value.type !== 'error' && (!isKnown || !isBlank(value.error)))
    throw answerFailure(value.error);
  return wellFormed(messagesStreamEvent, value);
}

export function withoutStopReason(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer without a stop reason.');
}

export function finish(
  { stop_reason: raw, stop_sequence: sequence, stop_details: details }: MessagesUpstreamStop,
  usage: MessagesUpstreamUsage | undefined,
  blocks?: Blocks,
): FinishEvent {
  return {
    type: 'finish',
    reason: reasonOf(raw, blocks),
    raw: raw ?? null,
    usage: usage ? readUsage(usage) : null,
    ...(sequence && { stopSequence: sequence }),
    ...(details?.explanation && { explanation: details.explanation }),
  };
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf({ text, thinking, partial_json: json }: MessagesUpstreamDelta): number {
  return (text?.length ?? 0) + (thinking?.length ?? 0) + (json?.length ?? 0);
}

function reasonOf(raw: string | null | undefined, blocks: Blocks | undefined): FinishReason {
  const reason = finishReason(raw);
  // If no tool of the client was called, the call was of the answer tool.
  if (reason === 'tool-calls') return blocks && !blocks.called ? 'stop' : reason;
  return reason === 'stop' && blocks?.called ? 'tool-calls' : reason;
}
