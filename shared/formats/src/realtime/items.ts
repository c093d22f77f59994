import { z } from 'zod';

/*
 * Items of a realtime conversation, as in the types of OpenAI's SDK (RealtimeConversationItem… and
 * ConversationItemWithReference).
 */

const text = z.string();
/** Fields of every item. The server chooses an id if the client does not. */
const head = {
  id: text.min(1).max(64).nullish(),
  object: text.nullish(),
  status: z.enum(['completed', 'incomplete', 'in_progress']).nullish(),
};

const inputText = z.looseObject({ type: z.literal('input_text'), text });
/** Audio in the session's format as base64, or its transcript. */
const inputAudio = z.looseObject({
  type: z.literal('input_audio'),
  audio: text.nullish(),
  transcript: text.nullish(),
});
/** An image as a data URL or a link. */
const inputImage = z.looseObject({
  type: z.literal('input_image'),
  image_url: text.min(1),
  detail: text.nullish(),
});
const outputText = z.looseObject({ type: z.literal('output_text'), text });
const outputAudio = z.looseObject({
  type: z.literal('output_audio'),
  audio: text.nullish(),
  transcript: text.nullish(),
});

const message = { type: z.literal('message'), ...head };

const messageItem = z.discriminatedUnion('role', [
  z.looseObject({ ...message, role: z.literal('system'), content: z.array(inputText) }),
  z.looseObject({
    ...message,
    role: z.literal('user'),
    content: z.array(z.discriminatedUnion('type', [inputText, inputAudio, inputImage])),
  }),
  z.looseObject({
    ...message,
    role: z.literal('assistant'),
    content: z.array(z.discriminatedUnion('type', [outputText, outputAudio])),
  }),
]);

const functionCall = z.looseObject({
  type: z.literal('function_call'),
  ...head,
  call_id: text.min(1).nullish(),
  name: text.min(1),
  arguments: text,
});
const functionCallOutput = z.looseObject({
  type: z.literal('function_call_output'),
  ...head,
  call_id: text.min(1),
  output: text,
});

/**
 * Items of `conversation.item.create`, except those of the vendor's tools, which no other vendor can read.
 */
export const realtimeItem = z.discriminatedUnion('type', [messageItem, functionCall, functionCallOutput]);
export type RealtimeItem = z.infer<typeof realtimeItem>;

/** A reference to an item, which the `input` of `response.create` may hold besides items. */
export const realtimeItemReference = z.looseObject({ type: z.literal('item_reference'), id: text.min(1) });

type Status = 'in_progress' | 'completed' | 'incomplete';
interface Head {
  id: string;
  object: 'realtime.item';
  status: Status;
}

/** A part of a message as sent to the client. */
export type RealtimeContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_audio'; audio?: string; transcript: string | null }
  | { type: 'input_image'; image_url: string; detail?: string }
  | { type: 'output_text'; text: string }
  | { type: 'output_audio'; transcript?: string };

/** An item as sent to the client. */
export type RealtimeItemObject =
  | (Head & { type: 'message'; role: 'user' | 'assistant' | 'system'; content: RealtimeContent[] })
  | (Head & { type: 'function_call'; call_id: string; name: string; arguments: string })
  | (Head & { type: 'function_call_output'; call_id: string; output: string });
