import type { MessagesStop } from './finish.ts';
import type { MessagesAnyBlock } from './request.ts';

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

/** The response of `POST /v1/messages`; when streamed, it begins without content and stop reason. */
export interface MessagesAnswer extends MessagesStop {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: MessagesAnyBlock[];
  container: null;
  diagnostics: null;
  usage: MessagesUsage;
}
