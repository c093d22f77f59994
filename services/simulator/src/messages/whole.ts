import type { Answer, Call, Finish, Reply, Run, Usage } from '../responder/answer.ts';
import { cited, joined, parsedObject, runsOf, source } from '../responder/answer.ts';
import type { ParsedMessages } from './parse.ts';
import { sign, type ThinkingDisplay } from './thinking.ts';

/** An answer as one `message` object. */
export function whole(parsed: ParsedMessages, answer: Answer) {
  const [reply] = answer.replies as [Reply];
  const search = searchOf(parsed, answer);
  const citations = search ? [search.citation] : null;
  const content = runsOf(reply).map(run => contentBlock(run, parsed.thinking, citations));
  return {
    ...headOf(parsed, answer),
    content: [...(search?.blocks ?? []), ...content],
    ...stopOf(reply),
    usage: messagesUsage(answer.usage),
  };
}

function contentBlock(run: Run, display: ThinkingDisplay, citations: object[] | null) {
  const { text } = run;
  if (run.kind === 'call') return { ...toolUse(run.call), input: parsedObject(text) ?? {} };
  if (run.kind !== 'reasoning') return { type: 'text', text, citations };
  if (display === 'redacted') return redacted(text);
  return { type: 'thinking', thinking: display === 'omitted' ? '' : text, signature: sign(text) };
}

export function redacted(thinking: string) {
  return { type: 'redacted_thinking', data: sign(thinking) };
}

export function toolUse({ id, name }: Call) {
  return { type: 'tool_use', id: `toolu_${id}`, name, caller: { type: 'direct' } };
}

export function headOf({ prompt: { model } }: ParsedMessages, { id }: Answer) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, container: null, diagnostics: null };
}

/** The blocks and the citation of a web search, if any. */
export function searchOf({ prompt, searches }: ParsedMessages, { id, replies }: Answer) {
  const [reply] = replies as [Reply];
  if (cited(reply, searches) === null) return undefined;
  // Only the beginning of the id is the same for the same prompt.
  const call = `srvtoolu_${id.slice(0, 16)}`;
  const input = { query: prompt.question.slice(0, 100).toWellFormed() };
  const result = { type: 'web_search_result', ...source, encrypted_content: 'EqQB', page_age: null };
  return {
    blocks: [
      { type: 'server_tool_use', id: call, name: 'web_search', input },
      { type: 'web_search_tool_result', tool_use_id: call, content: [result] },
    ],
    citation: {
      type: 'web_search_result_location',
      ...source,
      cited_text: 'One base URL for every model.',
      encrypted_index: 'Eo8B',
    },
  };
}

const reasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  refusal: 'refusal',
  blocked: 'refusal',
} as const satisfies Record<Finish, string>;

/** The reason for which an answer ended. */
export function stopOf({ finish, stopped, steps }: Reply) {
  const explanation = joined(steps, 'refusal');
  return {
    stop_reason: stopped === null ? reasons[finish] : 'stop_sequence',
    stop_sequence: stopped,
    stop_details: finish === 'refusal' ? { type: 'refusal', category: 'general_harms', explanation } : null,
  };
}

/** Usage of the messages format: input tokens do not include cached ones. */
export function messagesUsage(usage: Usage) {
  const { cacheWrite5m, cacheWrite1h } = usage;
  return {
    ...finalUsage(usage),
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

export function finalUsage({ input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning }: Usage) {
  const written = cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: input - cachedInput - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
  };
}
