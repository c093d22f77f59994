/*
 * The part of the formats that pages use: a request in the format's own fields, and the events of a stream that answers it. Nothing here
 * needs Node.
 */
import { textOfBase64 } from '#bytes';
import { Chunks } from './chat/decode-chunks.ts';
import { translation } from './chat/decode-parts.ts';
import * as generateContent from './generate-content/decode-chunks.ts';
import * as messages from './messages/decode-events.ts';
import * as responses from './responses/decode-events.ts';
import { responsesEventTypes } from './responses/events.ts';
import { AnswerEvents } from './upstream/answer-events.ts';

export type {
  AssistantPart,
  GenerateEvent,
  GenerateRequest,
  Message,
  PartStart,
  Signature,
  ToolChoice,
  Usage,
  UserPart,
} from '@model-gateway/canonical';
export type { SseEvent } from '@model-gateway/sse';
export { write as writeChat } from './chat/write.ts';
export { write as writeGenerateContent } from './generate-content/write.ts';
export { write as writeMessages } from './messages/write.ts';
export { write as writeResponses } from './responses/write.ts';
export type { AnswerEvents } from './upstream/answer-events.ts';

export { textOfBase64 };

/** The gateway sends the ids of calls, and the names of tools as they were sent. */
const asSent = { seed: '', toolName: (name: string) => name };

export function chatEvents(): AnswerEvents<unknown> {
  const chunks = new Chunks({ choices: 1, wantsOne: () => true });
  return new AnswerEvents(chunks, translation({ ...asSent, stop: [] }, chunks));
}

/** `invent` makes the id of a call without one, of which only the number counts. */
export function generateContentEvents(
  invent: (seed: string, number: number) => string,
): AnswerEvents<unknown> {
  const chunks = new generateContent.Chunks(1);
  const options = { ...asSent, choices: 1, tools: new Map(), signedBefore: false, invent };
  return new AnswerEvents(chunks, generateContent.translation(options, chunks));
}

export function messagesEvents(): AnswerEvents<unknown> {
  const events = new messages.Events();
  return new AnswerEvents(events, messages.translation({ ...asSent, tools: new Map() }, events));
}

export function responsesEvents(): AnswerEvents<unknown> {
  const events = new responses.Events(responsesEventTypes);
  return new AnswerEvents(events, responses.translation({ ...asSent, sameFormat: false }, events));
}
