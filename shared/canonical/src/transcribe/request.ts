/** An audio file sent with a request. */
export interface InputAudio {
  mediaType: string;
  filename: string;
  /** Base64. */
  data: string;
}

/** A request to transcribe audio. */
export interface TranscribeRequest {
  audio: InputAudio;
  /** Language of the audio, as a BCP 47 tag; to be detected if absent. */
  language?: string;
  /** Text that precedes the audio, or an example of its style. */
  prompt?: string;
  /** From 0 to 1. */
  temperature?: number;
  /** Words expected in the audio. */
  keywords?: string[];
  /** True if the times of words are wanted. */
  words?: boolean;
  /** True if the times of segments are wanted. */
  segments?: boolean;
  /** True if the speaker of each segment is wanted. */
  speakers?: boolean;
  /** True if the transcript must be in English. */
  translate?: boolean;
}
