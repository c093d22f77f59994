import { GatewayError, type GenerateFormat, type WireFormat } from '@model-gateway/canonical';
import { contextLengthCode } from './failure-body.ts';

/** What each format calls a field, where they do not agree. */
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

/** An error about a request that was translated, in the words of the client's own format. */
export function inClientTerms(error: GatewayError, format: WireFormat): GatewayError {
  const { kind, message, details, cause } = error;
  const { param, code } = details;
  const name = param && clientField(param, format);
  const told = name ? message.replaceAll(`'${param}'`, `'${name}'`) : message;
  // Clients of this format look for these words, having no code to look at.
  const tooLong = format === 'messages' && code === contextLengthCode && !/prompt is too long/i.test(told);
  const text = tooLong ? `prompt is too long: ${told}` : told;
  if (text === message && name === param) return error;
  return new GatewayError(kind, text, { ...details, ...(name && { param: name }) }, { cause });
}

/** The client's name of a field that another format names, with what follows it in a path. */
function clientField(told: string, format: WireFormat): string {
  const param = format === 'embed-content' ? told : ofWholeBatch(told);
  for (const names of fields) {
    const own = names[format];
    const given = Object.values(names).find(name => param === name || /^[.[]/.test(after(param, name)));
    if (own && given) return own + param.slice(given.length);
  }
  return param;
}

/** In a batch of Google's each request says what elsewhere is said once, and has one input. */
function ofWholeBatch(param: string): string {
  const [, request, field] = /^(requests\[\d+\])\.([^.[]+)/.exec(param) ?? [];
  if (!request || !field) return param;
  return field === 'content' ? request : field;
}

function after(param: string, name: string): string {
  return param.startsWith(name) ? param.slice(name.length) : '';
}
