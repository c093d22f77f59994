/** How a model is told how much to think: by a level of those that it has, by a number of tokens, or not at all. */
export type ThinkingTraits =
  | { by: 'level'; levels: readonly Level[] }
  | { by: 'budget'; least: number; most: number; supportsThinkingOff: boolean }
  | { by: 'none' };

export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

/** What the models of one generation take. */
export interface ModelTraits {
  thinking: ThinkingTraits;
  /** Whether it refuses calls of its own that come back without their signature. */
  signed: boolean;
  /** Whether a function's result may hold media. */
  resultMedia: boolean;
  /** Whether it answers with JSON in requests that have functions, too. */
  jsonWithTools: boolean;
}

const old: ModelTraits = {
  thinking: { by: 'none' },
  signed: false,
  resultMedia: false,
  jsonWithTools: false,
};
const newest: ModelTraits = {
  thinking: { by: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] },
  signed: true,
  resultMedia: true,
  jsonWithTools: true,
};

function budget(least: number, most: number, supportsThinkingOff = true): ModelTraits {
  return { ...old, thinking: { by: 'budget', least, most, supportsThinkingOff } };
}

function levels(...named: Level[]): ModelTraits {
  return { ...newest, thinking: { by: 'level', levels: named } };
}

/** By the model's name at the upstream; the first that matches counts. */
const table: [RegExp, ModelTraits][] = [
  [/gemma|learnlm|gemini-(?:1|2\.0|pro(?:-vision)?$)|gemini-2\.5.*-(?:image|tts|audio)/, old],
  [/gemini-2\.5-flash-lite/, budget(512, 24_576)],
  [/gemini-2\.5-pro/, budget(128, 32_768, false)],
  [/gemini-2/, budget(1, 24_576)],
  [/gemini-3-pro/, levels('LOW', 'HIGH')],
  [/gemini-3(?:\.6)?-flash|gemini-3\.5-flash-lite/, levels('MINIMAL', 'LOW', 'MEDIUM', 'HIGH')],
];

/** What a model takes; one whose name tells nothing is asked as the newest are. */
export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? newest;
}
