import { listen } from '@model-gateway/service';
import type { Format } from '../../stack/formats.ts';
import type { Json } from './json.ts';

/** An upstream of every format that returns the same few words, with token counts as the vendors count. */
export interface Counting {
  url: string;
  requests: { path: string; body: string }[];
  close(): Promise<void>;
}

export async function startCounting(): Promise<Counting> {
  const requests: Counting['requests'] = [];
  const { url, close } = await listen(
    async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const path = request.url ?? '/';
      requests.push({ path, body });
      const answer = answers[formatOf(path)];
      const streams = path.includes(':stream') || JSON.parse(body).stream === true;
      response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
      response.end(streams ? answer.stream : JSON.stringify(answer.whole));
    },
    '127.0.0.1',
    0,
  );
  return { url, requests, close };
}

function formatOf(path: string): Format {
  if (path.startsWith('/v1/chat/')) return 'chat';
  if (path.startsWith('/v1/messages')) return 'messages';
  return path.startsWith('/v1/responses') ? 'responses' : 'generate-content';
}

interface Written {
  whole: Json;
  stream: string;
}

/** The usage of one answer: 950 input tokens, 800 of them cached; 70 output tokens, 40 of them reasoning. */
const answers: Record<Format, Written> = {
  chat: ofChat(),
  messages: ofMessages(),
  'generate-content': ofGenerateContent(),
  responses: ofResponses(),
};

function data(value: Json): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function named(value: Json): string {
  return `event: ${value.type}\n${data(value)}`;
}

function ofChat(): Written {
  const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
  const usage = {
    prompt_tokens: 950,
    completion_tokens: 70,
    total_tokens: 1020,
    prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 40 },
  };
  const choice = (fields: object, finish_reason: string | null) => ({
    index: 0,
    ...fields,
    finish_reason,
    logprobs: null,
  });
  const message = { role: 'assistant', content: 'Hi', refusal: null };
  const chunk = (choices: object[], more = {}) =>
    data({ ...head, object: 'chat.completion.chunk', choices, ...more });
  return {
    whole: { ...head, object: 'chat.completion', choices: [choice({ message }, 'stop')], usage },
    stream: [
      chunk([choice({ delta: { role: 'assistant', content: 'Hi' } }, null)]),
      chunk([choice({ delta: {} }, 'stop')]),
      chunk([], { usage }),
      'data: [DONE]\n\n',
    ].join(''),
  };
}

function ofMessages(): Written {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
  const read = { input_tokens: 100, cache_read_input_tokens: 800, cache_creation_input_tokens: 50 };
  const usage = { ...read, output_tokens: 70, output_tokens_details: { thinking_tokens: 40 } };
  const stop = { stop_reason: 'end_turn', stop_sequence: null };
  const block = { type: 'text', text: 'Hi', citations: null };
  const start = { ...head, content: [], stop_reason: null, usage: { ...read, output_tokens: 1 } };
  return {
    whole: { ...head, content: [block], ...stop, usage },
    stream: [
      { type: 'message_start', message: start },
      { type: 'content_block_start', index: 0, content_block: { ...block, text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: stop, usage },
      { type: 'message_stop' },
    ]
      .map(named)
      .join(''),
  };
}

function ofGenerateContent(): Written {
  const usageMetadata = {
    promptTokenCount: 950,
    cachedContentTokenCount: 800,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 40,
    totalTokenCount: 1020,
  };
  const content = { role: 'model', parts: [{ text: 'Hi' }] };
  const head = { modelVersion: 'm', responseId: 'r1' };
  const whole = { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata, ...head };
  return {
    whole,
    stream:
      data({ candidates: [{ content, index: 0 }], usageMetadata: { promptTokenCount: 950 }, ...head }) +
      data({
        ...whole,
        candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
      }),
  };
}

function ofResponses(): Written {
  const usage = {
    input_tokens: 950,
    input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    output_tokens: 70,
    output_tokens_details: { reasoning_tokens: 40 },
    total_tokens: 1020,
  };
  const part = { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', error: null };
  const open = { ...head, status: 'in_progress', output: [], usage: null, incomplete_details: null };
  const whole = { ...open, status: 'completed', output: [item], usage };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const events: Json[] = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'Hi', logprobs: [] },
    { type: 'response.output_text.done', ...place, text: 'Hi', logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  return { whole, stream: events.map((event, at) => named({ ...event, sequence_number: at })).join('') };
}
