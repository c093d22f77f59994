/** The formats of speech. `pcm` has 24,000 samples a second, of 16 bits, little-endian, on one channel. */
export type AudioFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

/** A request to speak a text. */
export interface SpeechRequest {
  text: string;
  /** The name of a voice, or its id. */
  voice: string;
  /** An {@link AudioFormat}, or one that only some servers have; `mp3` if absent. */
  format?: string;
  /** 1 is the voice's usual speed. */
  speed?: number;
  /** The style of the speech. */
  instructions?: string;
}
