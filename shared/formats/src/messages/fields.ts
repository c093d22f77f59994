import { type Effort, formatFields, type ToolChoice } from '@model-gateway/canonical';
import type { ValueTable } from '../values/value-table.ts';

/** The fields that requests and errors name, by the canonical ones. */
export const messagesFields = formatFields(
  {
    messages: ['messages', 'system'],
    reasoning: ['output_config.effort', 'thinking'],
    output: 'output_config.format',
    tools: 'tools',
    toolChoice: 'tool_choice',
    parallelToolCalls: 'tool_choice',
    serviceTier: 'service_tier',
    user: 'metadata.user_id',
  },
  {
    maxTokens: 'max_tokens',
    temperature: 'temperature',
    topP: 'top_p',
    topK: 'top_k',
    stop: 'stop_sequences',
  },
);

/** The types of tool choices. */
export const messagesChoices = {
  auto: 'auto',
  required: 'any',
  tool: 'tool',
  none: 'none',
} as const satisfies ValueTable<ToolChoice['type']>;

/** The service tiers: the vendor has priority capacity, if paid for, and the standard tier. */
export const messagesTiers = {
  auto: 'auto',
  default: 'standard_only',
  priority: 'auto',
  flex: 'standard_only',
  standard_only: 'standard_only',
} as const satisfies ValueTable;

/** The levels of effort, the least first. */
export const messagesEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies Effort[];
export type MessagesEffort = (typeof messagesEfforts)[number];
