import { noUsage, type Usage } from '@model-gateway/canonical';
import type { TranscriptionUsage } from '@model-gateway/wire';
import type { EventData, PassedEvent } from './passed-events.ts';

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
export class LastEvent implements PassedEvent {
  readonly marked = true;
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

  note(data: EventData): void {
    this.#complete ||= data.type === this.#type;
    this.#usage = this.#usageIn(data) ?? this.#usage;
  }
}
