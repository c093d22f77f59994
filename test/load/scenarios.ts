/** A kind of load: so many clients, each asking again as soon as it has been answered. */
export interface Scenario {
  name: string;
  title: string;
  /** A model of the simulator, whose name says how long its answer is and how fast it comes. */
  model: string;
  clients: number;
  /** How many chunks of text a streamed answer has; null for whole answers. */
  chunks: number | null;
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'unary',
    title: 'whole answers of 20 tokens, 32 clients',
    model: 'sim-t20',
    clients: 32,
    chunks: null,
  },
  {
    name: 'stream',
    title: '200 chunks at full speed, 32 clients',
    model: 'sim-t200',
    clients: 32,
    chunks: 200,
  },
  {
    name: 'paced-50',
    title: '200 chunks, one in 10 ms, 50 clients',
    model: 'sim-t200-i10ms',
    clients: 50,
    chunks: 200,
  },
  {
    name: 'paced-200',
    title: '200 chunks, one in 10 ms, 200 clients',
    model: 'sim-t200-i10ms',
    clients: 200,
    chunks: 200,
  },
];

/** What every client asks. */
export function requestBody({ model, chunks }: Scenario): string {
  const messages = [{ role: 'user', content: 'What does a gateway for AI models do?' }];
  return JSON.stringify({ model, messages, ...(chunks !== null && { stream: true }) });
}
