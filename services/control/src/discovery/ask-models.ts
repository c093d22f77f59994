import { type Bus, Questions, testSubjects } from '@model-gateway/bus';
import { type ModelsAnswer, type ModelsQuestion, testMs } from '@model-gateway/catalog';
import { z } from 'zod';

/** The longest wait for a worker, which may first have to get access to the provider, in milliseconds. */
const answerMs = testMs + 12_000;
const mostNames = 10_000;

const answer = z.object({
  models: z.array(z.string().max(1_000)).max(mostNames).optional(),
  error: z.object({ kind: z.string(), message: z.string() }).nullable(),
});

/** Asks a worker of a pool for the models that a provider lists. */
export type AskModels = (
  pool: string,
  question: ModelsQuestion,
) => Promise<Pick<ModelsAnswer, 'models'> & { error: { kind: string; message: string } | null }>;

/** Returns the way to ask workers. */
export function askModels(bus: () => Promise<Bus>): AskModels {
  return async (pool, question) => {
    const questions = new Questions(await bus(), testSubjects(pool));
    try {
      return answer.parse(await questions.ask(question, answerMs));
    } catch {
      const message = `No worker of the pool '${pool}' has answered.`;
      return { error: { kind: 'timeout', message } };
    } finally {
      questions.close();
    }
  };
}
