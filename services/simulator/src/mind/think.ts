import type { Finish, Step, Thought } from './answer.ts';
import type { Dice } from './dice.ts';
import { valueFor } from './json/value.ts';
import type { Pace } from './pace.ts';
import { heard, type Prompt } from './prompt.ts';
import { reasoningAbout } from './reasoning.ts';
import { reply, report } from './reply.ts';
import { subjectsOf } from './subjects.ts';
import { stretched, tokensOf, untilStop } from './tokens.ts';
import { toolCalls } from './tool-calls.ts';

/** Makes one of the answers to a prompt; it depends on nothing but its arguments. */
export function think(
  prompt: Prompt,
  pace: Pace,
  choice: number,
  callId: (index: number) => string,
  dice: Dice,
): Thought {
  const reasoning = prompt.effort ? tokensOf(reasoningAbout(prompt, prompt.effort)) : [];
  const calls = toolCalls(prompt, callId, dice);
  const said = calls.length > 0 ? calls : textOf(prompt, pace, choice, dice);
  const steps = reasoning.map((text): Step => ({ kind: 'reasoning', text })).concat(said);
  const finish: Finish = calls.length > 0 ? 'calls' : 'stop';
  if (prompt.maxTokens === null || steps.length <= prompt.maxTokens) return { steps, finish };
  return { steps: steps.slice(0, Math.max(prompt.maxTokens, 0)), finish: 'length' };
}

function textOf(prompt: Prompt, pace: Pace, choice: number, dice: Dice): Step[] {
  const tokens = tokensOf(written(prompt, choice, dice));
  // JSON cut or lengthened to a number of tokens would not be JSON.
  const paced =
    pace.tokens === null || prompt.output.kind !== 'text' ? tokens : stretched(tokens, pace.tokens);
  return untilStop(paced, prompt.stop).map((text): Step => ({ kind: 'text', text }));
}

function written(prompt: Prompt, choice: number, dice: Dice): string {
  const plain = prompt.results.length > 0 ? report(prompt.results) : reply(prompt, choice, dice);
  if (prompt.output.kind === 'text') return plain;
  const question = heard(prompt);
  if (prompt.output.kind === 'json') return JSON.stringify({ answer: plain, question });
  const material = { ...subjectsOf(question), question, sentence: plain };
  return JSON.stringify(valueFor(prompt.output.schema, material, dice) ?? null);
}
