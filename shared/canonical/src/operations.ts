import type { EmbedAnswer, EmbedRequest } from './embed.ts';
import type { GenerateRequest } from './generate.ts';

/** A canonical request of an operation. */
export type OperationRequest =
  | GenerateRequest
  | EmbedRequest
  | RerankRequest
  | ImageRequest
  | SpeechRequest
  | TranscribeRequest;

/** The result of an operation other than generate; it is not streamed. */
export type Result = EmbedAnswer | RerankAnswer | ModerateAnswer | ImageAnswer | TranscribeAnswer;

/** A model's verdicts on the inputs of a moderation, in their order. */
export interface ModerateAnswer {
  type: 'moderation';
  /** The upstream's id of the answer; empty if it has none. */
  id: string;
  /** The model's name in the upstream's answer; empty if absent. */
  model: string;
  results: {
    /** True if any category is. */
    flagged: boolean;
    /** Null for a category that the model does not know. */
    categories: Record<string, boolean | null>;
    /** From 0 to 1, by category. */
    scores: Record<string, number | null>;
  }[];
}

/** A request to rank documents by their relevance to a query. */
export interface RerankRequest {
  query: string;
  /** Texts of the documents; for a document with several fields, the text of those to rank. */
  documents: string[];
  /** Number of best documents to return; all if absent. */
  top?: number;
  /** The most tokens read of each document. */
  maxTokens?: number;
}

/** The relevance of a document to the query. */
export interface Ranked {
  /** The document's index in the request. */
  index: number;
  /** Higher is better. */
  score: number;
}

/** A request's documents, best first. */
export interface RerankAnswer {
  type: 'ranking';
  /** The upstream's id of the response; empty if it has none. */
  id: string;
  /** The model's name in the upstream's response; empty if absent. */
  model: string;
  ranked: Ranked[];
}

/** Sorts by descending score, then by index; returns at most `top` documents, or all if it is absent. */
export function bestFirst(ranked: readonly Ranked[], top = ranked.length): Ranked[] {
  return ranked.toSorted((one, other) => other.score - one.score || one.index - other.index).slice(0, top);
}

/** An image sent with a request. */
export interface InputImage {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** A request to generate images from a prompt, or to edit images. */
export interface ImageRequest {
  prompt: string;
  /** Number of images to generate. */
  n?: number;
  /** The images to edit, in order. */
  images?: InputImage[];
  /** An image whose transparent areas mark where the first image is edited. */
  mask?: InputImage;
  /** Width and height in pixels: `1024x1024`. */
  size?: string;
  quality?: string;
  background?: string;
  /** Such as `png`. */
  outputFormat?: string;
  user?: string;
}

/** One image: its bytes as base64, or a temporary URL. */
export interface Image {
  data?: string;
  url?: string;
  mediaType: string;
  /** The prompt as the model rewrote it. */
  revisedPrompt?: string;
}

/** The requested images. */
export interface ImageAnswer {
  type: 'images';
  images: Image[];
  /** Settings of the images, if the upstream reports them; a size is `1024x1024`. */
  size?: string;
  quality?: string;
  background?: string;
}

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

/** The next bytes of an audio file, in pieces of any size. */
export interface AudioEvent {
  type: 'audio';
  bytes: Uint8Array;
  /** Set on the first event of an answer. */
  mediaType?: string;
}

/** An audio file sent with a request. */
interface InputAudio {
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
