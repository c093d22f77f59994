/** The formats of speech. `pcm` has 24,000 samples a second, of 16 bits, little-endian, on one channel. */
export type AudioFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

/** A request to speak a text. */
export interface SpeechRequest {
  text: string;
  /** The name of a voice, or its id. */
  voice: string;
  /** `mp3` if absent. */
  format?: AudioFormat;
  /** 1 is the voice's usual speed. */
  speed?: number;
  /** The style of the speech. */
  instructions?: string;
}
