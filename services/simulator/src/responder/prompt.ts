/** What a model is asked, whatever wire format it was asked in. */
export interface Prompt {
  model: string;
  /** What system and developer messages say. */
  instructions: string;
  /** What the last user message says. */
  question: string;
  /** Further questions of the same request, each answered on its own. */
  others?: string[];
  /** The tool results that end the conversation; none where it ends otherwise. */
  results: ToolResult[];
  tools: Tool[];
  toolChoice: ToolChoice;
  /** Whether one answer may call several tools. */
  parallel: boolean;
  output: Output;
  /** The most tokens an answer may have, reasoning included. */
  maxTokens: number | null;
  stop: string[];
  /** How many answers are asked for. */
  choices: number;
  /** How many images each answer shows beside its words. */
  pictures?: number;
  /** How hard to think before answering; null is not at all. */
  effort: Effort | null;
  /** All that the model reads, tools included, as one text. */
  context: string;
  media: { images: number; audio: number; files: number };
  /** Where a client asks for the context to be cached; null is a model that caches by itself. */
  cachePoints: CachePoint[] | null;
}

/** A place in the context up to which it is to be cached. */
export interface CachePoint {
  /** The ends of the blocks, in characters of the context, at which a cached prefix is looked for; its own comes first. */
  ends: [number, ...number[]];
  ttl: '5m' | '1h';
}

export interface Tool {
  kind: 'function' | 'custom';
  name: string;
  description: string;
  /** JSON schema of a function's arguments; anything, as a client sent it. */
  parameters: unknown;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

export interface ToolResult {
  /** The tool that was called, with its arguments, as far as the conversation tells. */
  call: string;
  text: string;
}

export type Output =
  | { kind: 'text' }
  | { kind: 'json' }
  /** A value that is text may be wanted as it is, without quotes. */
  | { kind: 'schema'; schema: unknown; bare?: boolean };

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

const attention = 4_000;

/** The question, as far as it is looked at: answering costs the same however long a prompt is. */
export function lastUserText(prompt: Pick<Prompt, 'question'>): string {
  return prompt.question.slice(0, attention).toWellFormed();
}

/** The instructions, as far as they are looked at: the last ones count. */
export function instructions(prompt: Pick<Prompt, 'instructions'>): string {
  return prompt.instructions.slice(-attention);
}
