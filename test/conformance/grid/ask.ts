/** Content of a user, independent of a format. */
export type Content =
  | { text: string }
  | { image: string; mediaType: string }
  | { imageUrl: string }
  | { document: string; mediaType: string; name?: string };

export interface Call {
  name: string;
  args: unknown;
}

/** The tool's result for the call at an index among the calls of the previous turn. */
export interface Result {
  call: number;
  text: string;
  failed?: true;
  /** Its media beside the text. */
  image?: { image: string; mediaType: string };
}

export interface AssistantTurn {
  role: 'assistant';
  reasoning?: string;
  /** True if the turn has a signature of its vendor. */
  signed?: true;
  text?: string;
  calls?: Call[];
}

export type Turn =
  | { role: 'user'; content: Content[] }
  | AssistantTurn
  | { role: 'tool'; results: Result[] }
  /** An answer as the client received it: its entries of the history in the client's format. */
  | { role: 'own'; entries: unknown[]; calls: { id: string; name: string }[] };

export interface Tool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export type Choice = 'auto' | 'required' | 'none' | { tool: string } | { allowed: string[] };

/** A request, independent of a format: stated by a scenario, and read back from the upstream's request. */
export interface Ask {
  system?: string;
  turns: Turn[];
  tools?: Tool[];
  choice?: Choice;
  /** True if the vendor may search the web. */
  search?: true;
  /** True if calls are made one at a time. */
  serial?: true;
  /** The JSON that is required: any, or with a schema. */
  output?: 'json' | Record<string, unknown>;
  effort?: string;
  /** The reasoning budget in tokens. */
  budget?: number;
  maxTokens?: number;
  stop?: string[];
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  logitBias?: Record<string, number>;
  /** The number of likely tokens returned for each token. */
  logprobs?: number;
  /** The number of choices. */
  answers?: number;
  verbosity?: string;
  tier?: string;
  user?: string;
  metadata?: Record<string, string>;
}

/** The id of a call in the history of a client that generates ids. */
export function callId(place: number): string {
  return `call_${place}`;
}

/** The calls that consecutive results answer, with the client's ids. */
export function callsBefore(turns: readonly Turn[], at: number): { id: string; name: string }[] {
  const before = turns[at - 1];
  if (before?.role === 'own') return before.calls;
  const calls = before?.role === 'assistant' ? (before.calls ?? []) : [];
  return calls.map(({ name }, place) => ({ id: callId(place), name }));
}
