import type { GenerateEvent, GenerateRequest, Usage } from '@model-gateway/canonical';
import type { ItemAudio } from './item.ts';

/** An answer in progress. */
export interface Answering {
  /** Resolves after the last event; rejects if the answer fails. */
  done: Promise<void>;
  /** Returns the usage, as far as it is known; also right after its signal has aborted. */
  usage(): Usage | null;
}

export interface TranscriptQuery {
  language?: string | null | undefined;
  prompt?: string | null | undefined;
}

export interface SpeechQuery {
  text: string;
  voice: string | { id: string };
  speed: number;
}

/** Models that a session calls. A call stops when its signal aborts, and sends nothing afterwards. */
export interface Models {
  generate(
    request: GenerateRequest,
    signal: AbortSignal,
    onEvents: (events: readonly GenerateEvent[]) => void,
  ): Answering;
  /** Transcribes a recording; absent without a transcription model. */
  transcribe?(recording: ItemAudio, query: TranscriptQuery, signal: AbortSignal): Promise<Transcript>;
  /** Speaks a text as 16-bit PCM at 24 kHz, in pieces cut anywhere; absent without a speech model. */
  speak?(query: SpeechQuery, signal: AbortSignal, onAudio: (audio: Buffer) => void): Promise<void>;
}

export interface Transcript {
  text: string;
  usage: Usage | null;
}
