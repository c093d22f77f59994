import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { Dialect } from './dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';

export const dialectNames = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
] as const;
export type DialectName = (typeof dialectNames)[number];

/** The dialects that can be spoken so far. */
export const dialects: Partial<Record<DialectName, Dialect>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
};
export type { Dialect } from './dialect.ts';
