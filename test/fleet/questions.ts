import { chatText } from '../../bench/chat-text.ts';
import { messagesText } from '../../bench/messages-text.ts';
import { type ClientFormat, paths } from '../../bench/scenarios.ts';
import { until } from '../until.ts';
import { ask, type Question, questionBody, questionHeaders } from './clients.ts';
import type { Fleet, FleetProcess } from './fleet.ts';

/**
 * A request in each format, whole and streamed, to an upstream of the same format and to one of the other.
 */
export function everyQuestion(model: string, streams = [true, false]): Question[] {
  return streams.flatMap(stream =>
    (['chat', 'messages'] as const).flatMap(format =>
      [model, `messages/${model}`].map(name => ({ model: name, format, stream })),
    ),
  );
}

/** A request that has been sent and may be answered. */
export class Asked {
  readonly question: Question;
  readonly response: Promise<Response>;
  /** The whole body; rejects if it was cut off. */
  readonly body: Promise<string>;
  /** The part of the body that has come. */
  received = '';
  /** The `performance.now()` at which the body was complete. */
  endedAt: number | undefined;
  readonly #leaving = new AbortController();

  constructor(origin: string, token: string, question: Question) {
    this.question = question;
    const signal = AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(60_000)]);
    this.response = ask(origin, token, { ...question, signal });
    this.body = this.#read().finally(() => {
      this.endedAt = performance.now();
    });
    this.body.catch(() => {});
  }

  async #read(): Promise<string> {
    const { body } = await this.response;
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) this.received += piece;
    return this.received;
  }

  async requestId(): Promise<string> {
    return (await this.response).headers.get('x-request-id') ?? '';
  }

  /** Returns the text of the answer; throws if it is not complete. */
  async text(): Promise<string> {
    const { status } = await this.response;
    const body = await this.body;
    if (status !== 200) throw new Error(`status ${status}: ${body}`);
    return textOf(body, this.question);
  }

  /** Closes the connection. */
  leave(): void {
    this.#leaving.abort();
  }
}

export function textOf(body: string, { format, stream = false }: Question): string {
  if (format !== 'messages') return chatText(body, stream);
  return stream ? messagesText(body) : JSON.parse(body).content[0].text;
}

/** The simulator's answer to the same request, in the format in which the gateway sends it. */
export async function simulated(fleet: Fleet, { model, ...question }: Question): Promise<string> {
  const format: ClientFormat = model.startsWith('messages/') ? 'messages' : 'chat';
  const direct = { ...question, model: model.replace('messages/', ''), stream: false, format };
  const response = await fetch(fleet.simulator.url + paths[format], {
    method: 'POST',
    headers: questionHeaders('any'),
    body: questionBody(direct),
  });
  return textOf(await response.text(), direct);
}

/** The number of calls that a worker is serving. */
export async function callsOf(worker: FleetProcess): Promise<number> {
  const metrics = await (await fetch(`${worker.opsUrl}/metrics`)).text();
  return Number(/^gateway_calls_running (\d+)/m.exec(metrics)?.[1]);
}

/**
 * Waits until the workers serve this many calls together; returns the busiest one and its number of calls.
 */
export async function busiest(
  workers: readonly FleetProcess[],
  calls: number,
): Promise<{ worker: FleetProcess; serves: number }> {
  return until(`the workers serve ${calls} calls`, async () => {
    const found = await Promise.all(workers.map(async worker => ({ worker, serves: await callsOf(worker) })));
    const sum = found.reduce((total, { serves }) => total + serves, 0);
    if (sum !== calls) throw new Error(`they serve ${sum}`);
    return found.toSorted((one, other) => other.serves - one.serves)[0];
  });
}
