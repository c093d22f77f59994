import { z } from 'zod/mini';

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** A tool that the user defines; `schema` is the JSON schema of its arguments as text. */
const toolDefinition = z.object({ name: z.string(), description: z.string(), schema: z.string() });
export type ToolDefinition = z.infer<typeof toolDefinition>;

const number = z.optional(z.number());

/** What is sent with every question. A setting without a value is not sent, so that the model's default applies. */
export const settings = z.object({
  system: z.string(),
  temperature: number,
  topP: number,
  topK: number,
  /** The most output tokens, reasoning included. */
  maxTokens: number,
  stop: z.array(z.string()),
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  effort: z.optional(z.enum(efforts)),
  /** The most tokens for reasoning. */
  reasoningBudget: number,
  tools: z.array(toolDefinition),
  /** `auto`, `none`, `required`, or `tool:` and the name of the tool to call. */
  toolChoice: z.optional(z.string()),
  parallelToolCalls: z.optional(z.boolean()),
  output: z.enum(['text', 'json', 'schema']),
  /** The JSON schema of the answer as text, and its name. */
  outputSchema: z.string(),
  outputName: z.string(),
});
export type Settings = z.infer<typeof settings>;

export const noSettings: Settings = {
  system: '',
  stop: [],
  tools: [],
  output: 'text',
  outputSchema: '',
  outputName: 'answer',
};

/** Settings that not every format has. */
export const parameterNames = [
  'temperature',
  'topP',
  'topK',
  'maxTokens',
  'stop',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'effort',
  'reasoningBudget',
  'parallelToolCalls',
] as const;
export type ParameterName = (typeof parameterNames)[number];

/** Parses a JSON schema that was typed; undefined if it is not an object. */
export function parsedSchema(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
