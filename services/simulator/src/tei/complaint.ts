import type { z } from 'zod';
import { Refusal } from '../refusal.ts';

const mostInputs = 32;

/** What cannot be read at all. */
export function complaint({ issues: [issue] }: z.ZodError): Refusal {
  const path = issue?.path.join('.');
  const message = `Failed to deserialize the JSON body into the target type: ${path ? `${path}: ` : ''}${issue?.message}`;
  return new Refusal(422, message);
}

/** @throws Refusal where nothing or too much is asked at once */
export function checkBatch(name: string, { length }: readonly unknown[]): void {
  if (length === 0) throw new Refusal(400, `\`${name}\` cannot be empty`);
  if (length > mostInputs)
    throw new Refusal(413, `batch size ${length} > maximum allowed batch size ${mostInputs}`);
}

/** @throws Refusal where a text is longer than the model reads, and may not be cut */
export function checkLength(tokens: number, truncate: boolean | null | undefined): void {
  if (tokens <= mostTokens || truncate) return;
  throw new Refusal(
    413,
    `Input validation error: \`inputs\` must have less than ${mostTokens} tokens. Given: ${tokens}`,
  );
}

const mostTokens = 8_192;
