import type { WireFormat } from '@model-gateway/canonical';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { Dialect } from './dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompletions } from './openai-completions/dialect.ts';

/** How each format is spoken to an upstream. */
export const dialects: Partial<Record<WireFormat, Dialect>> = {
  chat: openaiChat,
  messages: anthropicMessages,
  completions: openaiCompletions,
};
export type { Dialect } from './dialect.ts';
