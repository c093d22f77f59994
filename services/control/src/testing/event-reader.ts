/** A server-sent event whose data is JSON. */
export interface ReadEvent<Data> {
  name: string;
  data: Data;
}

/** Reads server-sent events with a name, until the response ends or is left. */
export class EventReader<Data> implements AsyncDisposable {
  readonly events: ReadEvent<Data>[] = [];
  readonly response: Response;
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
  readonly #leaving: AbortController;

  private constructor(response: Response, leaving: AbortController) {
    this.response = response;
    this.#leaving = leaving;
    this.ended = this.#read().catch(() => {});
  }

  /** @throws Error if the response is no stream */
  static async open<Data>(url: string, headers: Record<string, string>): Promise<EventReader<Data>> {
    const leaving = new AbortController();
    const response = await fetch(url, { headers, signal: leaving.signal });
    if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
    return new EventReader(response, leaving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.ended;
  }

  async #read(): Promise<void> {
    let rest = '';
    for await (const text of (this.response.body as ReadableStream).pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (name && data) this.events.push({ name, data: JSON.parse(data) });
      }
    }
  }
}
