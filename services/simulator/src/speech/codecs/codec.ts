/** What makes notes an audio file, a frame each. */
export interface Codec {
  /** The content type. */
  type: string;
  frameMs: number;
  /** What comes before the first of so many frames. */
  head(frames: number): Buffer;
  /** A note as the frame of a number, from 0. */
  frame(note: number, number: number, last: boolean): Buffer;
}

export const sampleRate = 24_000;
