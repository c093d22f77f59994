import { parse as parseRequest, type ResponsesRendering } from '@model-gateway/formats/responses';
import type { ParsedRequest } from '../common/format.ts';
import { badRequest, validated } from '../common/openai-error.ts';
import { readPrompt } from '../responder/read-prompt.ts';
import { checkItems, checkStrict, checkTools } from './checks.ts';
import { readHistory, type Store } from './history.ts';
import type { Item } from './item.ts';
import { type CountRequest, countRequest, responsesRequest } from './request.ts';

export interface ParsedResponses extends ParsedRequest {
  rendering: ResponsesRendering;
  items: Item[];
  summarizes: boolean;
  /** True if the response may be referred to later. */
  stores: boolean;
  /** True if reasoning has `encrypted_content`. */
  encrypts: boolean;
  searches: boolean;
}

/** @throws ApiError as the vendor would */
export function parse(body: unknown, store: Store): ParsedResponses {
  const request = validated(responsesRequest, body);
  if (request.background)
    throw badRequest("'background' is not supported with this model.", 'unsupported_parameter', 'background');
  const { items, prompt, searches, parsed } = read(request, store);
  return {
    prompt,
    stream: parsed.stream,
    rendering: parsed.rendering,
    items,
    summarizes: Boolean(request.reasoning?.summary ?? request.reasoning?.generate_summary),
    stores: request.store !== false,
    encrypts: request.include?.includes('reasoning.encrypted_content') ?? false,
    searches,
  };
}

/** Parses a request to count tokens. @throws ApiError as the vendor would */
export function parseCount(body: unknown, store: Store): ParsedRequest {
  return { prompt: read(validated(countRequest, body), store).prompt, stream: false };
}

function read(request: CountRequest, store: Store) {
  const items = readHistory(request, store);
  checkItems(items);
  checkTools(request, items);
  const { previous_response_id: _, ...rest } = request;
  const read = readPrompt({ parse: parseRequest }, { ...rest, input: items });
  checkOutput(request, read.prompt.context);
  return { ...read, items };
}

function checkOutput({ text }: CountRequest, context: string): void {
  const format = text?.format;
  if (format?.type === 'json_schema' && format.strict)
    checkStrict(
      format.schema,
      `response_format '${format.name}'`,
      'invalid_json_schema',
      'text.format.schema',
    );
  if (format?.type === 'json_object' && !/json/i.test(context))
    throw badRequest("Input must contain the word 'json' to use format type 'json_object'.", null, 'input');
}
