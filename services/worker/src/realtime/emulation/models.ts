import type { GenerateEvent, GenerateRequest, Usage } from '@model-gateway/canonical';

/** An answer under way. */
export interface Answering {
  /** Resolves when the last event was given; rejects with why there is no more of it. */
  done: Promise<void>;
  /** What it used, as far as that is known: at once after its signal has aborted, too. */
  usage(): Usage | null;
}

/** What is wanted of a transcript. */
export interface TranscriptQuery {
  language?: string | null | undefined;
  prompt?: string | null | undefined;
}

export interface SpeechQuery {
  text: string;
  voice: string | { id: string };
  speed: number;
}

/** Whom a session asks. What is asked for stops once its signal aborts, and says nothing after it. */
export interface Models {
  generate(
    request: GenerateRequest,
    signal: AbortSignal,
    onEvents: (events: readonly GenerateEvent[]) => void,
  ): Answering;
  /** Writes down what is said in a WAV file; absent where nobody can. */
  transcribe?(wav: Buffer, asked: TranscriptQuery, signal: AbortSignal): Promise<Transcript>;
  /** Speaks: 16 bits a sample, 24 kHz, in pieces cut anywhere. Absent where nobody can. */
  speak?(asked: SpeechQuery, signal: AbortSignal, onAudio: (audio: Buffer) => void): Promise<void>;
}

export interface Transcript {
  text: string;
  usage: Usage | null;
}
