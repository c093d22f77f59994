import type { WireFormat } from '@model-gateway/canonical';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import type { Dialect } from './dialect.ts';
import { geminiGenerate } from './gemini-generate/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiCompletions } from './openai-completions/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

/** How each format is spoken to an upstream. */
export const dialects: Record<WireFormat, Dialect> = {
  chat: openaiChat,
  messages: anthropicMessages,
  'generate-content': geminiGenerate,
  responses: openaiResponses,
  completions: openaiCompletions,
};
export type { Dialect } from './dialect.ts';
