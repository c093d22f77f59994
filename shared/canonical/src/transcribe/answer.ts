/** A part of the audio. Times are in seconds. */
interface Timed {
  text: string;
  start: number;
  end: number;
}

/** A part of the audio, spoken by one speaker if speakers are known. */
export interface TranscriptPart extends Timed {
  /** Number of the speaker, from 0. */
  speaker?: number;
}

/** The transcript of an audio. */
export interface TranscribeAnswer {
  type: 'transcript';
  text: string;
  /** Language of the audio, as a BCP 47 tag. */
  language?: string;
  /** Length of the audio in seconds. */
  duration?: number;
  words?: Timed[];
  segments?: TranscriptPart[];
}
