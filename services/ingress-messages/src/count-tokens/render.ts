import type { MessagesTokenCount } from '@model-gateway/wire';

export function renderCount(tokens: number): MessagesTokenCount {
  return { input_tokens: tokens };
}
