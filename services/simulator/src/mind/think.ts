import type { Step, Thought } from './answer.ts';
import type { Dice } from './dice.ts';
import { valueFor } from './json/value.ts';
import type { Pace } from './pace.ts';
import { heard, type Prompt } from './prompt.ts';
import { reasoningAbout } from './reasoning.ts';
import { refusal, reply, report } from './reply.ts';
import { subjectsOf } from './subjects.ts';
import { firstStop, stretched, tokensOf, upTo } from './tokens.ts';
import { toolCalls } from './tool-calls.ts';

/** Makes one of the answers to a prompt; it depends on nothing but its arguments. */
export function think(
  prompt: Prompt,
  pace: Pace,
  choice: number,
  callId: (index: number) => string,
  dice: Dice,
): Thought {
  if (/\bforbidden\b/i.test(heard(prompt))) return { steps: [], finish: 'blocked', stopped: null };
  const reasoning = prompt.effort ? tokensOf(reasoningAbout(prompt, prompt.effort)) : [];
  const said = refused(prompt) ?? called(prompt, callId, dice) ?? textOf(prompt, pace, choice, dice);
  const steps = reasoning.map((text): Step => ({ kind: 'reasoning', text })).concat(said.steps);
  if (prompt.maxTokens === null || steps.length <= prompt.maxTokens) return { ...said, steps };
  return { steps: steps.slice(0, Math.max(prompt.maxTokens, 0)), finish: 'length', stopped: null };
}

/** A refusal, where the user asks for one. */
function refused(prompt: Prompt): Thought | null {
  if (prompt.results.length > 0 || !/\brefuse\b/i.test(heard(prompt))) return null;
  const steps = tokensOf(refusal).map((text): Step => ({ kind: 'refusal', text }));
  return { steps, finish: 'refusal', stopped: null };
}

function called(prompt: Prompt, callId: (index: number) => string, dice: Dice): Thought | null {
  const steps = toolCalls(prompt, callId, dice);
  return steps.length > 0 ? { steps, finish: 'calls', stopped: null } : null;
}

function textOf(prompt: Prompt, pace: Pace, choice: number, dice: Dice): Thought {
  const tokens = tokensOf(written(prompt, choice, dice));
  // JSON cut or lengthened to a number of tokens would not be JSON.
  const paced =
    pace.tokens === null || prompt.output.kind !== 'text' ? tokens : stretched(tokens, pace.tokens);
  const stop = firstStop(paced.join(''), prompt.stop);
  const kept = stop ? upTo(paced, stop.at) : paced;
  const steps = kept.map((text): Step => ({ kind: 'text', text }));
  return { steps, finish: 'stop', stopped: stop?.string ?? null };
}

function written(prompt: Prompt, choice: number, dice: Dice): string {
  const plain = prompt.results.length > 0 ? report(prompt.results) : reply(prompt, choice, dice);
  if (prompt.output.kind === 'text') return plain;
  const question = heard(prompt);
  if (prompt.output.kind === 'json') return JSON.stringify({ answer: plain, question });
  const material = { ...subjectsOf(question), question, sentence: plain };
  const value = valueFor(prompt.output.schema, material, dice) ?? null;
  return prompt.output.bare && typeof value === 'string' ? value : JSON.stringify(value);
}
