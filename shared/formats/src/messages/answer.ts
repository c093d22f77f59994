import type { MessagesAnyBlock } from './request.ts';

/** Reasons why a model stopped. */
export const messagesStopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'compaction',
] as const;
export type MessagesStopReason = (typeof messagesStopReasons)[number];

/** Token counts. The three input counters are disjoint: the total input is their sum. */
export interface MessagesUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  /** Includes reasoning. */
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
  server_tool_use: null;
  service_tier: null;
  inference_geo: null;
  speed: null;
}

export interface MessagesStopDetails {
  type: 'refusal';
  category: string | null;
  explanation: string | null;
}

/** The response of `POST /v1/messages`; when streamed, it begins without content and stop reason. */
export interface MessagesAnswer {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: MessagesAnyBlock[];
  stop_reason: MessagesStopReason | null;
  stop_sequence: string | null;
  stop_details: MessagesStopDetails | null;
  container: null;
  diagnostics: null;
  usage: MessagesUsage;
}

/** The body of every error. */
export interface MessagesErrorBody {
  type: 'error';
  error: { type: string; message: string; details?: Record<string, unknown> };
  request_id: string;
}
