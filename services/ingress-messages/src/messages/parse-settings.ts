import { type Effort, efforts, type Output, type Reasoning } from '@model-gateway/canonical';
import {
  type MessagesCountRequest,
  messagesJsonFormat,
  messagesOutputConfig,
  messagesThinking,
} from '@model-gateway/wire';
import { check, invalid } from './invalid.ts';

/** How much the model is to think; undefined where the request does not say. */
export function reasoning({ thinking, output_config }: MessagesCountRequest): Reasoning | undefined {
  const effort = effortOf(output_config);
  const asked = thinking ? thinkingOf(thinking) : undefined;
  return asked || effort ? { ...(effort && { effort }), ...asked } : undefined;
}

/** Whether a kind of thinking has no twin in other formats. */
export function isOwnThinking(thinking: MessagesCountRequest['thinking']): boolean {
  return !!thinking && !['enabled', 'adaptive', 'disabled'].includes(thinking.type);
}

/** The form of the answer, in its present place or in the older one. */
export function output({ output_config, output_format }: MessagesCountRequest): Output | undefined {
  const { format } = check(messagesOutputConfig, output_config ?? {}, ['output_config']);
  const path = format ? ['output_config', 'format'] : ['output_format'];
  const given = format ?? output_format;
  if (!given) return undefined;
  return { type: 'schema', schema: check(messagesJsonFormat, given, path).schema };
}

function effortOf(config: MessagesCountRequest['output_config']): Effort | undefined {
  const { effort } = check(messagesOutputConfig, config ?? {}, ['output_config']);
  if (!effort) return undefined;
  const known = efforts.find(name => name === effort);
  if (!known) throw invalid(['output_config', 'effort'], `'${effort}' is not a known effort`);
  return known;
}

function thinkingOf(given: object): Reasoning | undefined {
  const { type, budget_tokens, display } = check(messagesThinking, given, ['thinking']);
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
