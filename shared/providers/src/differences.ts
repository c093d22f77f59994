/**
 * The ways in which a kind of provider takes a format otherwise than the format's own vendor does. Each is a fact of one of the
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
  /** The form of the ids of tool calls: nine letters and digits. Any form if absent. */
  callIds?: 'nine-characters';
  /** True if turns of the user and the assistant must alternate. */
  alternates?: true;
  /** Fields of the request, or of its last message, that ask for a continuation of a last message of the assistant. */
  continuation?: { request?: Readonly<Record<string, unknown>>; message?: Readonly<Record<string, unknown>> };
}
