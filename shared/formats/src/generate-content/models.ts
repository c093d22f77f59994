import type { ThinkingLevel } from './enums.ts';

/** A model's control over reasoning: a level, a token budget, or none. */
export type ThinkingTraits =
  | { by: 'level'; levels: readonly ThinkingLevel[] }
  | { by: 'budget'; least: number; most: number; supportsThinkingOff: boolean }
  | { by: 'none' };

/** The capabilities of one generation of models. */
export interface ModelTraits {
  thinking: ThinkingTraits;
  /** True if the model refuses its calls without their signature. */
  signed: boolean;
  /** True if a function's result may hold media. */
  resultMedia: boolean;
  /** True if the model supports JSON output together with functions. */
  jsonWithTools: boolean;
}

const old: ModelTraits = {
  thinking: { by: 'none' },
  signed: false,
  resultMedia: false,
  jsonWithTools: false,
};
const newest: ModelTraits = {
  thinking: { by: 'level', levels: ['low', 'medium', 'high'] },
  signed: true,
  resultMedia: true,
  jsonWithTools: true,
};

function budget(least: number, most: number, supportsThinkingOff = true): ModelTraits {
  return { ...old, thinking: { by: 'budget', least, most, supportsThinkingOff } };
}

function levels(...named: ThinkingLevel[]): ModelTraits {
  return { ...newest, thinking: { by: 'level', levels: named } };
}

/** Traits by upstream model name. The first match applies. */
const table: [RegExp, ModelTraits][] = [
  [/gemma|learnlm|gemini-(?:1|2\.0|pro(?:-vision)?$)|gemini-2\.5.*-(?:image|tts|audio)/, old],
  [/gemini-2\.5-flash-lite/, budget(512, 24_576)],
  [/gemini-2\.5-pro/, budget(128, 32_768, false)],
  [/gemini-2/, budget(1, 24_576)],
  [/gemini-3-pro/, levels('low', 'high')],
  [/gemini-3(?:\.6)?-flash|gemini-3\.5-flash-lite/, levels('minimal', 'low', 'medium', 'high')],
];

/** Returns the traits of a model. Unknown names get those of the newest models. */
export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? newest;
}
