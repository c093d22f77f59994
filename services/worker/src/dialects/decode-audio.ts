import { type FinishEvent, noUsage, type Usage } from '@model-gateway/canonical';
import type { TranscriptionUsage } from '@model-gateway/wire';
import { eventData } from './decode-openai-failure.ts';
import type { PassedReader } from './passed-events.ts';
import type { StreamEvent } from './read-json.ts';

/** The JSON object in an event's data. */
export type EventData = ReturnType<typeof eventData>;

/** Reads the usage of an audio request, in tokens or seconds; null if neither is reported. */
export function readUsage(raw: unknown): Usage | null {
  const { seconds } = (raw ?? {}) as TranscriptionUsage;
  return typeof seconds === 'number' ? readSeconds(seconds, raw) : readTokens(raw);
}

export function readSeconds(seconds: number, raw: unknown): Usage {
  return { ...noUsage, units: { seconds }, raw };
}

export function readTokens(raw: unknown): Usage | null {
  const { input_tokens, input_token_details: details, output_tokens } = (raw ?? {}) as TranscriptionUsage;
  if (typeof input_tokens !== 'number' && typeof output_tokens !== 'number') return null;
  return {
    ...noUsage,
    input: input_tokens ?? 0,
    audioInput: details?.audio_tokens ?? 0,
    output: output_tokens ?? 0,
    raw,
  };
}

/** A stream that is complete at an event of one type, or at `[DONE]` from servers that lack the event. */
export class LastEvent implements PassedReader {
  readonly endMark = 'ends';
  readonly #type: string;
  readonly #usageIn: (data: EventData) => Usage | null;
  #complete = false;
  #usage: Usage | null = null;

  /** `usageIn` returns the usage in an event, or null. */
  constructor(type: string, usageIn: (data: EventData) => Usage | null) {
    this.#type = type;
    this.#usageIn = usageIn;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  read(event: StreamEvent): void {
    const data = eventData(event);
    this.#complete ||= data.type === this.#type;
    this.#usage = this.#usageIn(data) ?? this.#usage;
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.#usage };
  }
}
