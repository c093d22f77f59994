/** What a user shows, in no format. */
export type Content =
  | { text: string }
  | { image: string; mediaType: string }
  | { imageUrl: string }
  | { document: string; mediaType: string; name?: string };

export interface Call {
  name: string;
  args: unknown;
}

/** What a tool gave for the call at a place among those of the turn before. */
export interface Result {
  call: number;
  text: string;
  failed?: true;
  /** What it shows beside the text. */
  image?: { image: string; mediaType: string };
}

export interface AssistantTurn {
  role: 'assistant';
  reasoning?: string;
  /** The turn holds a proof by which its vendor knows it. */
  signed?: true;
  text?: string;
  calls?: Call[];
}

export type Turn =
  | { role: 'user'; content: Content[] }
  | AssistantTurn
  | { role: 'tool'; results: Result[] }
  /** An answer just as the client got it: its entries in the history, in the client's own format. */
  | { role: 'own'; entries: unknown[]; calls: { id: string; name: string }[] };

export interface Tool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export type Choice = 'auto' | 'required' | 'none' | { tool: string } | { allowed: string[] };

/** A request in no format: as a scenario states it, and as what an upstream got is read back. */
export interface Ask {
  system?: string;
  turns: Turn[];
  tools?: Tool[];
  choice?: Choice;
  /** The vendor may search the web. */
  search?: true;
  /** One call at a time. */
  serial?: true;
  /** JSON of any kind, or to a schema. */
  output?: 'json' | Record<string, unknown>;
  effort?: string;
  /** How much to think, in tokens. */
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
  /** How many likely tokens to tell for each. */
  logprobs?: number;
  /** How many answers. */
  answers?: number;
  verbosity?: string;
  tier?: string;
  user?: string;
  metadata?: Record<string, string>;
}

/** The id of a call in the history of a client that made it up. */
export function callId(place: number): string {
  return `call_${place}`;
}

/** The calls that a run of results answers, with the ids under which the client knows them. */
export function callsBefore(turns: readonly Turn[], at: number): { id: string; name: string }[] {
  const before = turns[at - 1];
  if (before?.role === 'own') return before.calls;
  const calls = before?.role === 'assistant' ? (before.calls ?? []) : [];
  return calls.map(({ name }, place) => ({ id: callId(place), name }));
}
