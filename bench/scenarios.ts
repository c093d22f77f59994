/** The wire formats that a client may speak. */
export type ClientFormat = 'chat' | 'messages';

/** A kind of load: a number of clients that each send the next request after a response. */
export interface Scenario {
  name: string;
  title: string;
  /** The clients' format. */
  client: ClientFormat;
  /**
   * A model of the simulator, called in chat or, for `messages/...`, in messages. Its name sets the length
   * and pace of its response.
   */
  model: string;
  clients: number;
  /** The number of text chunks in a stream; null for non-streamed responses. */
  chunks: number | null;
  /** True if the upstream waits between chunks, so that the gaps between them are measured. */
  paced?: true;
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'unary',
    title: 'whole answers of 20 tokens, 32 clients',
    client: 'chat',
    model: 'sim-t20',
    clients: 32,
    chunks: null,
  },
  {
    name: 'unary-1',
    title: 'whole answers of 20 tokens, 1 client',
    client: 'chat',
    model: 'sim-t20',
    clients: 1,
    chunks: null,
  },
  {
    name: 'stream',
    title: '200 chunks at full speed, 32 clients',
    client: 'chat',
    model: 'sim-t200',
    clients: 32,
    chunks: 200,
  },
  {
    name: 'translated',
    title: 'the same for clients of messages, from an upstream of chat',
    client: 'messages',
    model: 'sim-t200',
    clients: 32,
    chunks: 200,
  },
  {
    name: 'translated-back',
    title: 'the same for clients of chat, from an upstream of messages',
    client: 'chat',
    model: 'messages/sim-t200',
    clients: 32,
    chunks: 200,
  },
  {
    name: 'paced-50',
    title: '200 chunks, one in 10 ms, 50 clients',
    client: 'chat',
    model: 'sim-t200-i10ms',
    clients: 50,
    chunks: 200,
    paced: true,
  },
  {
    name: 'paced-200',
    title: '200 chunks, one in 10 ms, 200 clients',
    client: 'chat',
    model: 'sim-t200-i10ms',
    clients: 200,
    chunks: 200,
    paced: true,
  },
];

/** Further names: the stream at the pace of models is also called so. */
const aliases = new Map([['stream-paced', 'paced-50']]);

/** Returns a scenario. @throws Error if there is none of that name */
export function named(name: string): Scenario {
  const found = scenarios.find(scenario => scenario.name === (aliases.get(name) ?? name));
  if (found) return found;
  const names = scenarios.map(scenario => scenario.name).join(', ');
  throw new Error(`--scenario: there is no '${name}', but there are ${names}`);
}

export const paths: Record<ClientFormat, string> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
};

/** More tokens than any response has. */
const maxTokens = 4_096;

/** The clients' prompt. */
export function requestBody({ client, model, chunks }: Scenario): string {
  const messages = [{ role: 'user', content: 'What does a gateway for AI models do?' }];
  const limit = client === 'messages' && { max_tokens: maxTokens };
  return JSON.stringify({ model, ...limit, messages, ...(chunks !== null && { stream: true }) });
}
