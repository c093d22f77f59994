import { z } from 'zod/mini';
import { errorBody, Problem } from '../problem.ts';

/** A part of a streamed answer. */
export type Piece =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'finish'; reason: string }
  | { type: 'usage'; usage: Usage };

/** The token usage of an answer, in the chat format. */
const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.nullish(z.object({ cached_tokens: z.nullish(z.number()) })),
  completion_tokens_details: z.nullish(z.object({ reasoning_tokens: z.nullish(z.number()) })),
});

const text = z.nullish(z.string());

const chunk = z.object({
  choices: z.array(
    z.object({
      /** Vendors use two names for reasoning. */
      delta: z.object({ content: text, refusal: text, reasoning_content: text, reasoning: text }),
      finish_reason: text,
    }),
  ),
  usage: z.nullish(usage),
});

/** Parses an event of a chat stream. @throws Problem for an error event, and for an invalid chunk */
export function readChunk(data: string): Piece[] {
  const json = parse(data);
  const failure = errorBody.safeParse(json);
  if (failure.success) {
    const { message, code } = failure.data.error;
    throw new Problem(message, { code: code?.toString() });
  }
  const read = chunk.safeParse(json);
  if (!read.success) throw invalidChunk();
  return piecesOf(read.data);
}

function piecesOf({ choices: [choice], usage }: z.infer<typeof chunk>): Piece[] {
  const { content, refusal, reasoning_content, reasoning } = choice?.delta ?? {};
  const reasoningText = reasoning_content || reasoning;
  const answerText = (content ?? '') + (refusal ?? '');
  return [
    ...(reasoningText ? [{ type: 'reasoning', text: reasoningText } as const] : []),
    ...(answerText ? [{ type: 'text', text: answerText } as const] : []),
    ...(choice?.finish_reason ? [{ type: 'finish', reason: choice.finish_reason } as const] : []),
    ...(usage ? [{ type: 'usage', usage } as const] : []),
  ];
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw invalidChunk();
  }
}

function invalidChunk(): Problem {
  return new Problem('An event of the stream cannot be parsed.', { code: 'not_a_stream' });
}

export type Usage = z.infer<typeof usage>;

/** Formats usage: `12 tokens in (8 cached), 30 out (10 for reasoning)`. */
export function usageText(used: Usage): string {
  const cached = used.prompt_tokens_details?.cached_tokens;
  const reasoning = used.completion_tokens_details?.reasoning_tokens;
  const input = `${used.prompt_tokens} tokens in${cached ? ` (${cached} cached)` : ''}`;
  return `${input}, ${used.completion_tokens} out${reasoning ? ` (${reasoning} for reasoning)` : ''}`;
}
