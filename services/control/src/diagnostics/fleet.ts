import { type AnswerOfOne, type Bus, processSubjects, Questions } from '@model-gateway/bus';
import { type ProcessReport, processReport } from '@model-gateway/service';
import { whenConnected } from '../common/when-connected.ts';
import type { Reading } from './skew.ts';

/** The time in which processes must answer, in milliseconds. */
const answerMs = 1_500;
/** The most processes that are read. */
const mostProcesses = 10_000;

/** A process of the fleet, with the times of control's clock around its report. */
export interface FleetProcess extends ProcessReport {
  reading: Reading;
}

/** Asks all processes about themselves, until the signal aborts. Those that ask at once share one question. */
export class Fleet {
  #bus: Bus | undefined;
  #questions: Questions | undefined;
  #asking: Promise<FleetProcess[]> | undefined;

  constructor(bus: () => Promise<Bus>, signal: AbortSignal) {
    void whenConnected(bus, signal).then(connected => {
      if (!connected || signal.aborted) return;
      this.#bus = connected;
      this.#questions = new Questions(connected, processSubjects);
    });
    signal.addEventListener('abort', () => this.#questions?.close(), { once: true });
  }

  /** The bus; undefined before it is connected for the first time. */
  get bus(): Bus | undefined {
    return this.#bus;
  }

  /** Returns the processes that have answered in time. @throws Error if NATS is not connected */
  processes(): Promise<FleetProcess[]> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<FleetProcess[]> {
    if (!this.#bus || !this.#questions) throw new Error('control is not connected to NATS');
    const askedAt = this.#bus.clock.now();
    const answers = await this.#questions.askAll({}, answerMs, mostProcesses);
    return answers
      .flatMap(answer => readProcess(answer, askedAt))
      .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  }
}

/** The name of a process for people. */
export function nameOf({ service, host, pid }: ProcessReport): string {
  return `${service} on ${host} (${pid})`;
}

function readProcess({ data, at }: AnswerOfOne, askedAt: number): FleetProcess[] {
  const report = processReport.safeParse(data).data;
  return report ? [{ ...report, reading: { askedAt, answeredAt: at } }] : [];
}
