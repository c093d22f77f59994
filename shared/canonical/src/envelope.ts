/** The wire formats in which a model is asked to generate. */
export const generateFormats = ['chat', 'messages', 'generate-content', 'responses', 'completions'] as const;
export type GenerateFormat = (typeof generateFormats)[number];

/** The wire formats that clients and upstreams speak; what follows the first ones is for the other operations. */
export const wireFormats = [
  ...generateFormats,
  'embeddings',
  'embed-content',
  'cohere-embed',
  'rerank',
  'cohere-rerank',
  'jina-rerank',
  'tei-rerank',
  'images',
  'speech',
  'transcriptions',
  'realtime',
] as const;
export type WireFormat = (typeof wireFormats)[number];

export const operations = [
  'generate',
  'count-tokens',
  'embed',
  'rerank',
  'image',
  'speech',
  'transcribe',
  'realtime',
] as const;
export type Operation = (typeof operations)[number];

/** What a model does, in the words of an error: `The model cannot …`. */
export const operationLabels: Record<Operation, string> = {
  generate: 'generate',
  'count-tokens': 'count tokens',
  embed: 'embed',
  rerank: 'rerank',
  image: 'make images',
  speech: 'speak',
  transcribe: 'transcribe',
  realtime: 'hold realtime sessions',
};

/** One upstream that may answer: a provider's name and the model's name there. */
export interface TargetRef {
  provider: string;
  model: string;
}

/**
 * What every request carries over the bus beside the client's own body text.
 * It is small, and all a worker needs in order to route; the body is read only by the dialect that speaks its format.
 */
export interface Envelope {
  /** The id in `x-request-id`, for logs on both sides of the bus. */
  requestId: string;
  operation: Operation;
  /** The format of the body text. */
  format: WireFormat;
  /** Which of the format's endpoints was asked, where it has several for the operation: `edits`, `translations`. */
  variant?: string;
  /** The model as the client named it. */
  model: string;
  stream: boolean;
  /** The answer is bytes of no structure, given away as they come. */
  bytes?: boolean;
  /** The text is a {@link Form} as JSON, and the bytes of its files follow it. */
  form?: boolean;
  /** How many inputs it has, where an upstream may take only so many at once. */
  inputs?: number;
  /** How long the audio is that it brings, in seconds, where that can be told. */
  seconds?: number;
  /**
   * How many bytes of the body are the client's own text; what follows is the request in no format, as JSON.
   * The text is there if a target speaks the client's format, the other if one does not.
   * Of a session: the length of its first message where that is what the session is to begin with, else 0.
   */
  textLength: number;
  /** The upstreams to try, in order. */
  targets: TargetRef[];
  /**
   * The text's history holds what another vendor made, such as signatures, and what the one of its format refuses:
   * the dialect that sends the text on takes it out.
   */
  foreign?: boolean;
  /** When a session ends at the latest, in milliseconds since 1970. */
  endsAt?: number;
  /** Who asks, for usage records. */
  token: { id: string; project: string };
  /** Client headers that travel to an upstream of the same format. */
  headers: Record<string, string>;
}
