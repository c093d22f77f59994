import type { GoogleTokenCount } from '@model-gateway/wire';

export function renderCount(tokens: number): GoogleTokenCount {
  return { totalTokens: tokens };
}
