import type { ThinkingControl } from './thinking.ts';

/**
 * The ways in which a kind of provider takes a format otherwise than the format's own vendor does. A cloud that hosts a vendor's
 * models has some, too. Each is a fact of one of the
 * kind's sources. A field that the vendor refuses and that changes what an answer says is no entry of `omits`: its refusal
 * reaches the client.
 */
export interface FormatDifferences {
  /** The vendor's names of top-level fields, by the format's. */
  renames?: Readonly<Record<string, string>>;
  /** Top-level fields that the vendor refuses. They are not sent: an answer says the same without them. */
  omits?: readonly string[];
  /** The field of an assistant's turn for its reasoning; null if turns have none; `reasoning_content` if absent. */
  reasoning?: 'reasoning' | null;
  /** The controls of thinking, by model: the first row that fits. The format's own level, passed on as it is, if none does. */
  thinking?: readonly ThinkingControl[];
  /** For chat: true if answers hold `reasoning_details`, which a turn must send back. */
  reasoningDetails?: true;
  /** The form of the ids of tool calls: nine letters and digits. Any form if absent. */
  callIds?: 'nine-characters';
  /** True if turns of the user and the assistant must alternate. */
  alternates?: true;
  /**
   * Top-level fields that the URL says and a body must not have. A count of tokens in generate content, whose `generateContentRequest` is
   * there for the model, then has the request's own fields instead; one in messages keeps its model.
   */
  inUrl?: readonly string[];
  /** For messages: the value of `anthropic_version` in the body that stands for the header `anthropic-version: 2023-06-01`. */
  bodyVersion?: string;
  /** For messages: the place of the client's `anthropic-beta` is the list `anthropic_beta` of the body. Its header if absent. */
  betas?: 'body';
  /** The media type of its streams, if they are not server-sent events but AWS's event stream. */
  streamType?: 'application/vnd.amazon.eventstream';
  /** Fields of the request, or of its last message, that ask for a continuation of a last message of the assistant. */
  continuation?: { request?: Readonly<Record<string, unknown>>; message?: Readonly<Record<string, unknown>> };
}
