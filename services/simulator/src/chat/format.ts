import { chatCompletions } from '@model-gateway/formats/chat';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { Format, ParsedRequest } from '../common/format.ts';
import { tokenLogprobs } from '../common/logprobs.ts';
import { badRequest } from '../common/openai-error.ts';
import { rendered } from '../common/rendered.ts';
import { isSchema } from '../responder/json-value.ts';
import { readPrompt } from '../responder/read-prompt.ts';

/** Writes errors as OpenAI does. `types` are those of statuses that have one of their own. */
export function errorBodyWith(types: Record<number, string>) {
  return ({ status, message, code, param }: ApiError) => {
    const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
    return { error: { message, type, param, code } };
  };
}

export const errorBody = errorBodyWith({ 429: 'requests', 503: 'service_unavailable_error' });

/** The parts of a format that OpenAI's APIs have in common. */
export const openai = {
  overloaded: 503,
  headers: (requestId: string) => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  errorBody,
  errorEvent: (error: ApiError) => sseEvent(dataJson(errorBody(error))),
} as const;

interface ParsedChat extends ParsedRequest {
  rendering: Parameters<typeof chatCompletions.render>[0];
  /** Alternatives for each token; null for no logprobs. */
  topLogprobs: number | null;
  searches: boolean;
}

/** @throws ApiError as the vendor would, GatewayError for what clients of the format may not send either */
function parse(body: unknown): ParsedChat {
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

/** OpenAI's chat completions. */
export const chat: Format<ParsedChat> = {
  ...openai,
  parse,
  ...rendered(({ prompt: { model }, rendering, searches, topLogprobs: top }) => ({
    renderer: chatCompletions.render(rendering),
    callPrefix: 'call_',
    model,
    searches,
    ...(top !== null && {
      logprobs: (tokens, at) => ({ content: tokenLogprobs(tokens, at, top), refusal: null }),
    }),
  })),
};

const ids = ['sim-1', 'sim-fast', 'sim-slow', 'sim-t200', 'sim-t200-i10ms-f50ms'];

/** Examples of model names. Any other name is answered, too. */
export const modelList = {
  object: 'list',
  data: ids.map(id => ({
    id,
    object: 'model',
    created: 1_767_225_600,
    owned_by: 'simulator',
    shutdown_date: null,
  })),
};
