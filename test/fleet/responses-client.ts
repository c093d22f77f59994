import { setTimeout as sleep } from 'node:timers/promises';

/** A response, as far as the tests look at it. */
export interface Answer {
  id: string;
  status: string;
  error: unknown;
  incomplete_details: unknown;
  output: { content?: { text?: string }[] }[];
}

const overMs = 60_000;
const thereMs = 30_000;

/** A client of `/v1/responses` that asks again while the gateway is not there. */
export class ResponsesClient {
  readonly #url: () => string;
  readonly #token: string;

  /** `url` says, for each request, whom to ask. */
  constructor(url: () => string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** One request: a GET where there is no body. */
  ask(path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.#url()}/v1/responses${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(90_000),
    });
  }

  /** Asks again for what failed at the gateway. @throws Error for what was refused */
  async create(body: unknown): Promise<Answer> {
    for (const giveUp = Date.now() + thereMs; ; await sleep(200)) {
      const response = await this.ask('', body).catch(() => undefined);
      if (response?.ok) return (await response.json()) as Answer;
      if ((!response || response.status >= 500) && Date.now() < giveUp) continue;
      throw new Error(`refused: ${response?.status} ${await response?.text()}`);
    }
  }

  async retrieve(id: string): Promise<Answer> {
    for (const giveUp = Date.now() + thereMs; ; await sleep(100)) {
      const response = await this.ask(`/${id}`).catch(() => undefined);
      if (response?.ok) return (await response.json()) as Answer;
      if (Date.now() > giveUp) throw new Error(`not there: ${response?.status} ${await response?.text()}`);
    }
  }

  async untilOver(id: string): Promise<Answer> {
    for (const giveUp = Date.now() + overMs; ; await sleep(100)) {
      const answer = await this.retrieve(id);
      if (answer.status !== 'queued' && answer.status !== 'in_progress') return answer;
      if (Date.now() > giveUp) throw new Error(`still ${answer.status}`);
    }
  }

  /** The events that follow those of a text, to the end, in as many requests as it takes. */
  async resume(id: string, text: string): Promise<string> {
    let all = text;
    for (
      const giveUp = Date.now() + overMs;
      !/\[DONE\]|event: response\.failed/.test(all);
      await sleep(100)
    ) {
      if (Date.now() > giveUp) throw new Error(`no end after ${all.slice(-500)}`);
      const after = all === '' ? '' : `&starting_after=${lastNumber(all)}`;
      all += await this.ask(`/${id}?stream=true${after}`)
        .then(response => readStream(response))
        .catch(() => '');
    }
    return all;
  }
}

export const textOf = ({ output }: Answer): string =>
  output.map(({ content = [] }) => content.map(({ text = '' }) => text).join('')).join('');

/** What came of a stream until it had so many events, its end, or the end of the connection. */
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
  // An event that did not come whole counts for nothing, as it does for a client.
  return text.slice(0, text.lastIndexOf('\n\n') + 2).replaceAll(': ping\n\n', '');
}

/** The id of the response that a stream tells of. */
export const idOf = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] as string;

export const numbersOf = (text: string): number[] =>
  [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));

export const lastNumber = (text: string): number => numbersOf(text).at(-1) ?? -1;

/** The text that a stream's events tell. */
export const deltas = (text: string): string =>
  [...text.matchAll(/^data: (\{"type":"response\.output_text\.delta".*)$/gm)]
    .map(([, data]) => JSON.parse(data ?? '{}').delta)
    .join('');
