import type { ResponsesTokenCount } from '@model-gateway/wire';

export function renderCount(tokens: number): ResponsesTokenCount {
  return { object: 'response.input_tokens', input_tokens: tokens };
}
