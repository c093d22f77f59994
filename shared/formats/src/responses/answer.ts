import type { ResponsesStatus } from './upstream-answer.ts';

/** Token counts that the gateway writes; all are present. */
export interface ResponsesUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export interface ResponsesUrlCitation {
  type: 'url_citation';
  url: string;
  title: string;
  start_index: number;
  end_index: number;
}

export type ResponsesMessagePart =
  | {
      type: 'output_text';
      text: string;
      annotations: ResponsesUrlCitation[];
      logprobs: Record<string, unknown>[];
    }
  | { type: 'refusal'; refusal: string };

export type ResponsesItemStatus = 'in_progress' | 'completed' | 'incomplete';
interface CallItem {
  id: string;
  call_id: string;
  name: string;
  namespace?: string;
  status: ResponsesItemStatus;
}

/** An output item that the gateway creates. */
export type ResponsesOutputItem =
  | {
      type: 'message';
      id: string;
      role: 'assistant';
      status: ResponsesItemStatus;
      content: ResponsesMessagePart[];
    }
  | ({ type: 'function_call'; arguments: string } & CallItem)
  | ({ type: 'custom_tool_call'; input: string } & CallItem)
  | {
      type: 'tool_search_call';
      id: string;
      call_id: string;
      execution: 'client';
      arguments: unknown;
      status: ResponsesItemStatus;
    }
  | { type: 'image_generation_call'; id: string; status: 'completed'; result: string }
  | {
      type: 'reasoning';
      id: string;
      summary: { type: 'summary_text'; text: string }[];
      encrypted_content?: string;
      status?: ResponsesItemStatus;
    };

/**
 * The response of `POST /v1/responses`, complete or in progress. Every field is present and numbers are never
 * null, since some clients require it.
 */
export interface ResponsesAnswer {
  id: string;
  object: 'response';
  /** Seconds since 1970. */
  created_at: number;
  completed_at: number | null;
  status: ResponsesStatus;
  error: { code: string; message: string } | null;
  incomplete_details: { reason: string } | null;
  instructions: string | null;
  model: string;
  previous_response_id: string | null;
  output: (ResponsesOutputItem | { type: string; id?: string })[];
  parallel_tool_calls: boolean;
  tools: Record<string, unknown>[];
  tool_choice: string | Record<string, unknown>;
  temperature: number;
  top_p: number;
  top_logprobs: number;
  presence_penalty: number;
  frequency_penalty: number;
  truncation: 'auto' | 'disabled';
  text: { format: Record<string, unknown>; verbosity?: string };
  reasoning: { effort: string | null; summary: string | null };
  max_output_tokens: number | null;
  max_tool_calls: number | null;
  store: boolean;
  background: boolean;
  service_tier: string;
  metadata: Record<string, string>;
  user: string | null;
  safety_identifier: string | null;
  prompt_cache_key: string | null;
  usage: ResponsesUsage | null;
}
