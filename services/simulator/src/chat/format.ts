import { dataJson } from '@model-gateway/sse';
import type { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { Format } from '../format.ts';
import { type ParsedChat, parse } from './parse.ts';
import { stream } from './stream.ts';
import { whole } from './whole.ts';

const types: Record<number, string> = { 429: 'requests', 503: 'service_unavailable_error' };

/** An error object as OpenAI writes it. */
export function errorBody({ status, message, code, param }: ApiError) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code } };
}

export function errorEvent(error: ApiError): string {
  return `data: ${dataJson(errorBody(error))}\n\n`;
}

const ids = ['sim-1', 'sim-fast', 'sim-slow', 'sim-t200', 'sim-t200-i10ms-f50ms'];

/** Examples of names. Any other name is answered, too. */
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

/** OpenAI's chat completions. */
export const chat: Format<ParsedChat> = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  parse,
  whole,
  stream,
  errorBody,
  errorEvent,
};
