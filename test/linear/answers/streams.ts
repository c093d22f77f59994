import { chat } from './chat.ts';
import { cohere } from './cohere-chat.ts';
import { completions } from './completions.ts';
import { converse } from './converse.ts';
import { google } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';
import type { Answers } from './sse.ts';

/** The streams of each upstream that generates. */
export const streams: Record<string, Answers> = {
  chat,
  messages,
  responses,
  'generate-content': google,
  'cohere-chat': cohere,
  'converse with stops': converse,
  completions,
};
