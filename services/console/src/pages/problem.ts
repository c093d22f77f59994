import { z } from 'zod/mini';

export interface ProblemFacts {
  /** As the gateway names it (`model_not_found`), or of our own: `unreachable`, `cut_off`, `not_a_stream`. */
  code?: string | undefined;
  status?: number | undefined;
  requestId?: string | undefined;
  /** Seconds after which another try makes sense. */
  retryAfter?: number | undefined;
}

/** Why the gateway could not be asked, or what it refused; the message is the gateway's own where it gave one. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly facts: ProblemFacts;

  constructor(message: string, facts: ProblemFacts = {}) {
    super(message);
    this.facts = facts;
  }
}

/** An error in the shape of the chat format, as the gateway sends it as a body and within a stream. */
export const errorBody = z.object({
  error: z.object({ message: z.string(), code: z.nullish(z.union([z.string(), z.number()])) }),
});

/** What a refusal says. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  const { message, code } = parseError(text) ?? { message: `The answer has status ${response.status}.` };
  return new Problem(message, {
    code: code?.toString(),
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number(response.headers.get('retry-after')) || undefined,
  });
}

/** What was thrown, as a problem. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem(thrown instanceof Error ? thrown.message : String(thrown));
}

function parseError(text: string) {
  try {
    return errorBody.parse(JSON.parse(text)).error;
  } catch {
    return undefined;
  }
}
