import { GatewayError, type WireFormat } from '@model-gateway/canonical';
import { contextLengthCode } from './context-length.ts';

/** What each format calls a field, where they do not agree. */
const fields: Record<WireFormat, string>[] = [
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
];

function row(chat: string, messages: string, generateContent: string, responses: string, completions = chat) {
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
function clientField(param: string, format: WireFormat): string {
  for (const names of fields) {
    const given = Object.values(names).find(name => param === name || /^[.[]/.test(after(param, name)));
    if (given) return names[format] + param.slice(given.length);
  }
  return param;
}

function after(param: string, name: string): string {
  return param.startsWith(name) ? param.slice(name.length) : '';
}
