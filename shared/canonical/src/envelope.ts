/** The wire formats that clients and upstreams speak. */
export const wireFormats = ['chat', 'messages', 'generate-content', 'responses', 'completions'] as const;
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
  /** The model as the client named it. */
  model: string;
  stream: boolean;
  /**
   * How many bytes of the body are the client's own text; what follows is the request in no format, as JSON.
   * The text is there if a target speaks the client's format, the other if one does not.
   */
  textLength: number;
  /** The upstreams to try, in order. */
  targets: TargetRef[];
  /**
   * The text's history holds what another vendor made, such as signatures, and what the one of its format refuses:
   * the dialect that sends the text on takes it out.
   */
  foreign?: boolean;
  /** Who asks, for usage records. */
  token: { id: string; project: string };
  /** Client headers that travel to an upstream of the same format. */
  headers: Record<string, string>;
}
