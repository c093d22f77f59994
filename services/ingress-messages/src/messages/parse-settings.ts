import { type Effort, efforts, type Output, type Reasoning } from '@model-gateway/canonical';
import {
  type MessagesCountRequest,
  messagesJsonFormat,
  messagesOutputConfig,
  messagesThinking,
} from '@model-gateway/wire';
import { check, invalid } from './invalid.ts';

/** Parses the reasoning settings. Returns undefined if the request has none. */
export function reasoning({ thinking, output_config }: MessagesCountRequest): Reasoning | undefined {
  const effort = effortOf(output_config);
  const settings = thinking ? thinkingOf(thinking) : undefined;
  return settings || effort ? { ...(effort && { effort }), ...settings } : undefined;
}

/** True if a kind of thinking has no equivalent in other formats. */
export function isOwnThinking(thinking: MessagesCountRequest['thinking']): boolean {
  return !!thinking && !['enabled', 'adaptive', 'disabled'].includes(thinking.type);
}

/** Parses the output format, in `output_config` or the older `output_format`. */
export function output({ output_config, output_format }: MessagesCountRequest): Output | undefined {
  const { format } = check(messagesOutputConfig, output_config ?? {}, ['output_config']);
  const path = format ? ['output_config', 'format'] : ['output_format'];
  const value = format ?? output_format;
  if (!value) return undefined;
  return { type: 'schema', schema: check(messagesJsonFormat, value, path).schema };
}

function effortOf(config: MessagesCountRequest['output_config']): Effort | undefined {
  const { effort } = check(messagesOutputConfig, config ?? {}, ['output_config']);
  if (!effort) return undefined;
  const known = efforts.find(name => name === effort);
  if (!known) throw invalid(['output_config', 'effort'], `'${effort}' is not a known effort`);
  return known;
}

function thinkingOf(thinking: object): Reasoning | undefined {
  const { type, budget_tokens, display } = check(messagesThinking, thinking, ['thinking']);
  const show = display === 'summarized' ? { show: true } : display === 'omitted' ? { show: false } : {};
  switch (type) {
    case 'enabled':
      if (typeof budget_tokens !== 'number') throw invalid(['thinking', 'budget_tokens'], 'Field required');
      return { budget: budget_tokens, ...show };
    case 'adaptive':
      return { adaptive: true, ...show };
    case 'disabled':
      return { effort: 'none' };
    default:
      return undefined;
  }
}
