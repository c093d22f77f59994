import type { RealtimeItemObject } from './items.ts';
import type { RealtimeSessionObject, RealtimeVoice } from './session.ts';

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
