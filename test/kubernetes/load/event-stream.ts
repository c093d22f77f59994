/** The wire formats whose streams the load reads. */
export type StreamFormat = 'chat' | 'messages' | 'generate-content' | 'responses';

/**
 * A stream's text and its end: `clean` with the end marker of the format, `error` with an error event, else
 * `none`.
 */
export interface Streamed {
  text: string;
  /** True if a part of the answer was received, even without text. */
  begun: boolean;
  end: 'clean' | 'error' | 'none';
}

/** The fields of the four formats' events that the load reads. */
interface Event {
  type?: string;
  error?: unknown;
  choices?: { delta?: { content?: string } }[];
  delta?: { text?: string } | string;
  candidates?: { content?: { parts?: { text?: string }[] }; finishReason?: string }[];
}

const texts: Record<StreamFormat, (event: Event) => string> = {
  chat: ({ choices }) => choices?.[0]?.delta?.content ?? '',
  messages: ({ delta }) => (typeof delta === 'object' ? (delta.text ?? '') : ''),
  'generate-content': ({ candidates }) =>
    candidates?.[0]?.content?.parts?.map(({ text }) => text ?? '').join('') ?? '',
  responses: ({ type, delta }) =>
    type === 'response.output_text.delta' && typeof delta === 'string' ? delta : '',
};

/** True for the event that ends a complete answer. */
const isEnd: Record<StreamFormat, (event: Event) => boolean> = {
  // The end marker of chat is not an event.
  chat: () => false,
  messages: ({ type }) => type === 'message_stop',
  'generate-content': ({ candidates }) => candidates?.[0]?.finishReason !== undefined,
  responses: ({ type }) => type === 'response.completed',
};

/** Reads all bytes of an event stream; an incomplete event does not count. */
export function readStream(format: StreamFormat, body: string): Streamed {
  const data = body
    .split('\n\n')
    .slice(0, -1)
    .map(block => /^data: (.*)$/m.exec(block)?.[1])
    .filter(line => line !== undefined);
  const done = data.at(-1) === '[DONE]';
  const events: Event[] = (done ? data.slice(0, -1) : data).map(line => JSON.parse(line));
  const last = events.at(-1);
  const ended = (format === 'chat' && done) || (last && isEnd[format](last));
  return {
    text: events.map(texts[format]).join(''),
    begun: events.some(event => !isError(event) && event.type !== 'ping'),
    end: last && isError(last) ? 'error' : ended ? 'clean' : 'none',
  };
}

function isError({ error, type }: Event): boolean {
  return Boolean(error) || type === 'error' || type === 'response.failed';
}
