import { until } from '../until.ts';

/** The fields of a response that the tests check. */
export interface Answer {
  id: string;
  status: string;
  error: unknown;
  incomplete_details: unknown;
  output: { content?: { text?: string }[] }[];
}

/** A client of `/v1/responses` that retries while the gateway is unavailable. */
export class ResponsesClient {
  readonly #url: () => string;
  readonly #token: string;

  /** `url` returns the address for each request. */
  constructor(url: () => string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** One request: a GET without a body, otherwise a POST. */
  ask(path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.#url()}/v1/responses${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(90_000),
    });
  }

  /**
   * Retries failures of the gateway.
   * @throws Error if the request was refused
   */
  async create(body: unknown): Promise<Answer> {
    const response = await until('a response is created', async () => {
      const response = await this.ask('', body);
      if (response.status >= 500) throw new Error(await response.text());
      return response;
    });
    if (!response.ok) throw new Error(`refused: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  retrieve(id: string): Promise<Answer> {
    return until(`the response ${id} is there`, async () => {
      const response = await this.ask(`/${id}`);
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as Answer;
    });
  }

  untilOver(id: string): Promise<Answer> {
    return until(`the response ${id} is over`, async () => {
      const answer = await this.retrieve(id);
      return answer.status !== 'queued' && answer.status !== 'in_progress' && answer;
    });
  }

  /** The events after those of a text, up to the end, in as many requests as needed. */
  async resume(id: string, text: string): Promise<string> {
    let all = text;
    return until(`the stream of ${id} ends`, async () => {
      if (/\[DONE\]|event: response\.failed/.test(all)) return all;
      const after = all === '' ? '' : `&starting_after=${lastNumber(all)}`;
      all += await readStream(await this.ask(`/${id}?stream=true${after}`));
      return undefined;
    });
  }
}

export const textOf = ({ output }: Answer): string =>
  output.map(({ content = [] }) => content.map(({ text = '' }) => text).join('')).join('');

/** The text of a stream until it has this number of events, its end, or the end of the connection. */
export async function readStream(response: Response, events = Number.POSITIVE_INFINITY): Promise<string> {
  if (!response.ok || !response.body) throw new Error(`status ${response.status}: ${await response.text()}`);
  let text = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      if (text.split('\n\n').length > events) {
        await reader.cancel();
        break;
      }
    }
  } catch {
    // The connection was cut.
  }
  // An incomplete event does not count, as for a client.
  return text.slice(0, text.lastIndexOf('\n\n') + 2).replaceAll(': ping\n\n', '');
}

/** The id of the response in a stream. */
export const idOf = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] as string;

export const numbersOf = (text: string): number[] =>
  [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));

export const lastNumber = (text: string): number => numbersOf(text).at(-1) ?? -1;

/** The text in a stream's events. */
export const deltas = (text: string): string =>
  [...text.matchAll(/^data: (\{"type":"response\.output_text\.delta".*)$/gm)]
    .map(([, data]) => JSON.parse(data ?? '{}').delta)
    .join('');
