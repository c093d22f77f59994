import { hash } from 'node:crypto';
import type { Answer, Reply, Step } from './answer.ts';
import { valueFor } from './json-value.ts';
import { type Pace, paceOf } from './pace.ts';
import { lastUserText, type Prompt } from './prompt.ts';
import { reasoningText, refusal, resultsText, textReply } from './reply-text.ts';
import { SeededRandom } from './seeded-random.ts';
import { firstStop, stretched, tokensOf, upTo } from './tokens.ts';
import { subjectsOf, toolCalls } from './tool-calls.ts';
import { PrefixCache, usageOf } from './usage.ts';

const maxChoices = 128;

/** Answers prompts of all formats. The same prompt and model always get the same text. */
export class Responder {
  readonly #cache = new PrefixCache();
  #answers = 0;

  answer(prompt: Prompt): Answer {
    const digest = hash('sha256', `${prompt.model}\n${prompt.context}`);
    const seed = Number.parseInt(digest.slice(0, 8), 16);
    const pace = paceOf(prompt.model);
    const choices = Math.min(Math.max(prompt.choices, 1), maxChoices);
    const questions = [prompt.question, ...(prompt.others ?? [])];
    const replies = questions.flatMap(question =>
      Array.from({ length: choices }, (_, choice) => {
        const callId = (index: number) => `${digest.slice(8, 24)}${choice * maxChoices + index}`;
        return replyTo({ ...prompt, question }, pace, choice, callId, new SeededRandom(seed + choice));
      }),
    );
    return {
      id: `${digest.slice(0, 16)}${(++this.#answers).toString(16).padStart(8, '0')}`,
      created: Math.floor(Date.now() / 1_000),
      replies,
      usage: usageOf(prompt, replies, this.#cache),
      pace,
    };
  }
}

/** Makes one reply to a prompt. It depends only on its arguments. */
function replyTo(
  prompt: Prompt,
  pace: Pace,
  choice: number,
  callId: (index: number) => string,
  random: SeededRandom,
): Reply {
  if (/\bforbidden\b/i.test(lastUserText(prompt))) return { steps: [], finish: 'blocked', stopped: null };
  const reasoning = prompt.effort ? tokensOf(reasoningText(prompt, prompt.effort)) : [];
  const reply = refused(prompt) ?? called(prompt, callId, random) ?? textOf(prompt, pace, choice, random);
  const steps = reasoning.map((text): Step => ({ kind: 'reasoning', text })).concat(reply.steps);
  if (prompt.maxTokens === null || steps.length <= prompt.maxTokens) return { ...reply, steps };
  return { steps: steps.slice(0, Math.max(prompt.maxTokens, 0)), finish: 'length', stopped: null };
}

function refused(prompt: Prompt): Reply | null {
  if (prompt.results.length > 0 || !/\brefuse\b/i.test(lastUserText(prompt))) return null;
  const steps = tokensOf(refusal).map((text): Step => ({ kind: 'refusal', text }));
  return { steps, finish: 'refusal', stopped: null };
}

function called(prompt: Prompt, callId: (index: number) => string, random: SeededRandom): Reply | null {
  const steps = toolCalls(prompt, callId, random);
  return steps.length > 0 ? { steps, finish: 'calls', stopped: null } : null;
}

function textOf(prompt: Prompt, pace: Pace, choice: number, random: SeededRandom): Reply {
  const tokens = tokensOf(written(prompt, choice, random));
  // JSON is not cut, since it would be invalid.
  const paced =
    pace.tokens === null || prompt.output.kind !== 'text' ? tokens : stretched(tokens, pace.tokens);
  const stop = firstStop(paced.join(''), prompt.stop);
  const kept = stop ? upTo(paced, stop.at) : paced;
  const steps = kept.map((text): Step => ({ kind: 'text', text }));
  return { steps, finish: 'stop', stopped: stop?.string ?? null };
}

function written(prompt: Prompt, choice: number, random: SeededRandom): string {
  const plain = prompt.results.length > 0 ? resultsText(prompt.results) : textReply(prompt, choice);
  if (prompt.output.kind === 'text') return plain;
  const question = lastUserText(prompt);
  if (prompt.output.kind === 'json') return JSON.stringify({ answer: plain, question });
  const hints = { ...subjectsOf(question), question, sentence: plain };
  const value = valueFor(prompt.output.schema, hints, random) ?? null;
  return prompt.output.bare && typeof value === 'string' ? value : JSON.stringify(value);
}
