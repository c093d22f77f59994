/** A request to a model, independent of the wire format. */
export interface Prompt {
  model: string;
  /** The text of system and developer messages. */
  instructions: string;
  /** The text of the last user message. */
  question: string;
  /** Further prompts of the same request. */
  others?: string[];
  /** The tool results at the end of the conversation. */
  results: ToolResult[];
  tools: Tool[];
  toolChoice: ToolChoice;
  /** True if one answer may call several tools. */
  parallel: boolean;
  output: Output;
  /** The largest number of tokens of an answer, reasoning included. */
  maxTokens: number | null;
  stop: string[];
  choices: number;
  /** Images in each answer. */
  images?: number;
  /** The effort of reasoning; null turns it off. */
  effort: Effort | null;
  /** The whole prompt as one text, with tools. */
  context: string;
  media: { images: number; audio: number; files: number };
  /** Cache breakpoints of the client; null caches automatically. */
  cachePoints: CachePoint[] | null;
}

export type Tools = Pick<Prompt, 'tools' | 'toolChoice' | 'parallel'>;

/** A call as text, with the beginning of its input. */
export function calledAs(name = 'the tool', input = ''): string {
  return input ? `${name}(${input.slice(0, 200)})` : name;
}

export interface CachePoint {
  /** Ends of blocks, in characters, at which a cached prefix is looked up. The breakpoint's end is first. */
  ends: [number, ...number[]];
  ttl: '5m' | '1h';
}

export interface Tool {
  kind: 'function' | 'custom';
  name: string;
  description: string;
  /** JSON schema of a function's arguments. It is not validated. */
  parameters: unknown;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string };

export interface ToolResult {
  /** The call as text, such as `weather({"city":"Oslo"})`. */
  call: string;
  text: string;
}

export type Output =
  | { kind: 'text' }
  | { kind: 'json' }
  /** `bare` writes a string without quotes. */
  | { kind: 'schema'; schema: unknown; bare?: boolean };

export const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

const maxCharacters = 4_000;

/** The beginning of the question, so that long prompts cost no more than short prompts. */
export function lastUserText(prompt: Pick<Prompt, 'question'>): string {
  return prompt.question.slice(0, maxCharacters).toWellFormed();
}

/** The end of the instructions. */
export function instructions(prompt: Pick<Prompt, 'instructions'>): string {
  return prompt.instructions.slice(-maxCharacters);
}
