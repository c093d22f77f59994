import { hash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { paceOf } from './pace.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { Prompt } from './prompt.ts';
import { replyTo } from './reply.ts';
import { SeededRandom } from './seeded-random.ts';
import { inputTokens, usageOf } from './usage.ts';

const maxChoices = 128;

/**
 * What answers, in every wire format. The same prompt to the same model gets the same words;
 * only ids, the time and the tokens that count as cached tell two answers apart.
 */
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

  /** The tokens of a prompt. Nothing is generated or cached. */
  count(prompt: Prompt): number {
    return inputTokens(prompt);
  }
}
