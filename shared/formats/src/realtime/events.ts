import { z } from 'zod';
import { jsonObject as object } from '../values/schemas.ts';
import type { RealtimeSessionObject, RealtimeVoice } from './session.ts';

/*
 * Items of a realtime conversation, as in the types of OpenAI's SDK (RealtimeConversationItem… and
 * ConversationItemWithReference).
 */

/** Fields of every item. The server chooses an id if the client does not. */
const text = z.string();

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

/*
 * Events that a client of a realtime session sends, as in the types of OpenAI's SDK (RealtimeClientEvent).
 * Items and the settings of sessions and responses have separate schemas, since their errors have separate
 * paths.
 */

const id = text.min(1);

/** The most base64 characters in one `input_audio_buffer.append`: 15 MiB. */
export const realtimeAppendLimit = 15 * 1024 * 1024;

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.looseObject({ type: z.literal(type), event_id: text.max(512).nullish(), ...shape });
}

const events = [
  event('session.update', { session: object }),
  event('conversation.item.create', {
    item: object,
    /** The item to insert after; `root` for the start, absent for the end. */
    previous_item_id: id.nullish(),
  }),
  event('conversation.item.retrieve', { item_id: id }),
  event('conversation.item.truncate', {
    item_id: id,
    content_index: z.int().min(0),
    audio_end_ms: z.number().min(0),
  }),
  event('conversation.item.delete', { item_id: id }),
  event('input_audio_buffer.append', { audio: text.max(realtimeAppendLimit) }),
  event('input_audio_buffer.commit', {}),
  event('input_audio_buffer.clear', {}),
  event('output_audio_buffer.clear', {}),
  event('response.create', { response: object.nullish() }),
  event('response.cancel', { response_id: text.nullish() }),
] as const;

export const realtimeClientEvent = z.discriminatedUnion('type', events);
export type RealtimeClientEvent = z.infer<typeof realtimeClientEvent>;

/*
 * Events that a realtime session sends, as in the types of OpenAI's SDK (RealtimeServerEvent). Each event
 * also has an `event_id`.
 */

/** An error; `event_id` is that of the client's invalid event. */
export interface RealtimeErrorObject {
  type: string;
  code: string | null;
  message: string;
  param: string | null;
  event_id: string | null;
}

export interface RealtimeUsage {
  total_tokens: number;
  input_tokens: number;
  output_tokens: number;
  input_token_details: {
    text_tokens: number;
    audio_tokens: number;
    image_tokens: number;
    cached_tokens: number;
    cached_tokens_details: { text_tokens: number; audio_tokens: number; image_tokens: number };
  };
  output_token_details: { text_tokens: number; audio_tokens: number };
}

export type RealtimeStatusDetails =
  | { type: 'completed' }
  | { type: 'cancelled'; reason: 'turn_detected' | 'client_cancelled' }
  | { type: 'incomplete'; reason: 'max_output_tokens' | 'content_filter' }
  | { type: 'failed'; error: { type: string; code: string; message: string } };

export interface RealtimeResponseObject {
  id: string;
  object: 'realtime.response';
  /** Null for a response outside the conversation. */
  conversation_id: string | null;
  status: 'in_progress' | RealtimeStatusDetails['type'];
  /** Null until the response ends, and if it is complete. */
  status_details: RealtimeStatusDetails | null;
  output: RealtimeItemObject[];
  output_modalities: ('text' | 'audio')[];
  max_output_tokens: number | 'inf';
  /** Clients expect the voice's name as a string here. */
  audio: { output: { format: RealtimeSessionObject['audio']['output']['format']; voice: string } };
  metadata: Record<string, string> | null;
  usage: RealtimeUsage | null;
}

/** Billed usage of a transcript. */
export type RealtimeTranscriptUsage =
  | {
      type: 'tokens';
      total_tokens: number;
      input_tokens: number;
      input_token_details: { text_tokens: number; audio_tokens: number };
      output_tokens: number;
    }
  | { type: 'duration'; seconds: number };

/** A content part. Its type differs from that of the item's content: `text` for `output_text`. */
export type RealtimePart = { type: 'text'; text: string } | { type: 'audio'; transcript: string };

interface OfItem {
  response_id: string;
  output_index: number;
  item_id: string;
}
interface OfContent extends OfItem {
  content_index: number;
}

/** The events of a session. Base64 audio may be split anywhere. */
export type RealtimeEvent =
  | { type: 'error'; error: RealtimeErrorObject }
  | { type: 'session.created' | 'session.updated'; session: RealtimeSessionObject }
  | {
      type: 'conversation.item.added' | 'conversation.item.done';
      /** Null for the first item. */
      previous_item_id: string | null;
      item: RealtimeItemObject;
    }
  | { type: 'conversation.item.retrieved'; item: RealtimeItemObject }
  | { type: 'conversation.item.truncated'; item_id: string; content_index: number; audio_end_ms: number }
  | { type: 'conversation.item.deleted'; item_id: string }
  | {
      type: 'conversation.item.input_audio_transcription.completed';
      item_id: string;
      content_index: number;
      transcript: string;
      usage: RealtimeTranscriptUsage;
    }
  | {
      type: 'conversation.item.input_audio_transcription.failed';
      item_id: string;
      content_index: number;
      error: { type: string; code: string; message: string };
    }
  | { type: 'input_audio_buffer.committed'; previous_item_id: string | null; item_id: string }
  | { type: 'input_audio_buffer.cleared' }
  | { type: 'input_audio_buffer.speech_started'; audio_start_ms: number; item_id: string }
  | { type: 'input_audio_buffer.speech_stopped'; audio_end_ms: number; item_id: string }
  | { type: 'response.created' | 'response.done'; response: RealtimeResponseObject }
  | {
      type: 'response.output_item.added' | 'response.output_item.done';
      response_id: string;
      output_index: number;
      item: RealtimeItemObject;
    }
  | (OfContent & { type: 'response.content_part.added' | 'response.content_part.done'; part: RealtimePart })
  | (OfContent & {
      type: 'response.output_text.delta' | 'response.output_audio_transcript.delta';
      delta: string;
    })
  | (OfContent & { type: 'response.output_text.done'; text: string })
  | (OfContent & { type: 'response.output_audio_transcript.done'; transcript: string })
  | (OfContent & { type: 'response.output_audio.delta'; delta: string })
  | (OfContent & { type: 'response.output_audio.done' })
  | (OfItem & { type: 'response.function_call_arguments.delta'; call_id: string; delta: string })
  | (OfItem & {
      type: 'response.function_call_arguments.done';
      call_id: string;
      name: string;
      arguments: string;
    });

/** Returns a voice's name or id. */
export function realtimeVoiceName(voice: RealtimeVoice): string {
  return typeof voice === 'string' ? voice : voice.id;
}

/**
 * Types of messages on WebSockets that ask for nothing. Their senders await no answer, and would take an error for that of their
 * next request.
 */
const notices: readonly { type: string; source: string }[] = [
  { type: 'response.processed', source: 'Codex after each response: ResponsesWsRequest in openai/codex' },
  // Keep-alives. Pages send them as messages, since WHATWG's WebSockets standard has no method for ping frames.
  { type: 'ping', source: "WHATWG's WebSockets standard" },
  { type: 'pong', source: "xAI's Voice Agent API, which sends ping to its clients" },
  { type: 'heartbeat', source: "WHATWG's WebSockets standard" },
  { type: 'keepalive', source: "WHATWG's WebSockets standard" },
];

const types: ReadonlySet<unknown> = new Set(notices.map(({ type }) => type));

/** True for a message of a client that asks for nothing, in a session or on the socket of responses. */
export function isClientNotice({ type }: Record<string, unknown>): boolean {
  return types.has(type);
}
