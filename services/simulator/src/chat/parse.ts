import { chatCompletions } from '@model-gateway/formats/chat';
import type { ParsedRequest } from '../format.ts';
import { badRequest } from '../openai-error.ts';
import { isSchema } from '../responder/json-value.ts';
import { readPrompt } from '../responder/read-prompt.ts';

export interface ParsedChat extends ParsedRequest {
  rendering: Parameters<typeof chatCompletions.render>[0];
  /** Alternatives for each token; null for no logprobs. */
  topLogprobs: number | null;
  searches: boolean;
}

/** @throws ApiError as the vendor would, GatewayError for what clients of the format may not send either */
export function parse(body: unknown): ParsedChat {
  if (!isSchema(body)) throw badRequest('The request body must be a JSON object.');
  const { prompt, searches, request, parsed } = readPrompt(chatCompletions, body);
  const { logprobs } = request;
  return {
    prompt,
    searches,
    stream: parsed.stream,
    rendering: parsed.rendering,
    topLogprobs: logprobs ? (logprobs.top ?? 0) : null,
  };
}
