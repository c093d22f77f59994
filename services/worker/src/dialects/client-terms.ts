import { GatewayError, type GenerateFormat, type WireFormat } from '@model-gateway/canonical';
import { contextLengthCode } from './failure-body.ts';

/** Names of the same field in each format, for fields that the formats name differently. */
const fields: Partial<Record<WireFormat, string>>[] = [
  row(
    'max_completion_tokens',
    'max_tokens',
    'generationConfig.maxOutputTokens',
    'max_output_tokens',
    'max_tokens',
  ),
  row('stop', 'stop_sequences', 'generationConfig.stopSequences', 'stop'),
  row('response_format', 'output_config.format', 'generationConfig.responseJsonSchema', 'text.format'),
  row('reasoning_effort', 'output_config.effort', 'generationConfig.thinkingConfig', 'reasoning.effort'),
  row('messages', 'messages', 'contents', 'input', 'prompt'),
  row('tool_choice', 'tool_choice', 'toolConfig', 'tool_choice'),
  row('n', 'n', 'generationConfig.candidateCount', 'n'),
  row('logprobs', 'logprobs', 'generationConfig.responseLogprobs', 'top_logprobs'),
  row('modalities', 'modalities', 'generationConfig.responseModalities', 'modalities'),
  { embeddings: 'input', 'embed-content': 'requests', 'cohere-embed': 'texts' },
  { embeddings: 'dimensions', 'embed-content': 'outputDimensionality', 'cohere-embed': 'output_dimension' },
  { rerank: 'documents', 'tei-rerank': 'texts' },
];

function row(
  chat: string,
  messages: string,
  generateContent: string,
  responses: string,
  completions = chat,
): Record<GenerateFormat, string> {
  return { chat, messages, 'generate-content': generateContent, responses, completions };
}

/** Rewrites an error about a translated request with the field names of the client's format. */
export function inClientTerms(error: GatewayError, format: WireFormat): GatewayError {
  const { kind, message, details, cause } = error;
  const { param, code } = details;
  const name = param && clientField(param, format);
  const renamed = name ? message.replaceAll(`'${param}'`, `'${name}'`) : message;
  // Errors of this format carry no code, so its clients match these words.
  const tooLong = format === 'messages' && code === contextLengthCode && !/prompt is too long/i.test(renamed);
  const text = tooLong ? `prompt is too long: ${renamed}` : renamed;
  if (text === message && name === param) return error;
  return new GatewayError(kind, text, { ...details, ...(name && { param: name }) }, { cause });
}

/** Returns the client's name for a field path written in another format's names. */
function clientField(path: string, format: WireFormat): string {
  const param = format === 'embed-content' ? path : ofWholeBatch(path);
  for (const names of fields) {
    const target = names[format];
    const found = Object.values(names).find(name => param === name || /^[.[]/.test(after(param, name)));
    if (target && found) return target + param.slice(found.length);
  }
  return param;
}

/** Maps a path inside a Google batch to its field: each request repeats the settings and holds one input. */
function ofWholeBatch(param: string): string {
  const [, request, field] = /^(requests\[\d+\])\.([^.[]+)/.exec(param) ?? [];
  if (!request || !field) return param;
  return field === 'content' ? request : field;
}

function after(param: string, name: string): string {
  return param.startsWith(name) ? param.slice(name.length) : '';
}
