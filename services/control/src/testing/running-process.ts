import { randomUUID } from 'node:crypto';
import { type Bus, FleetMember } from '@model-gateway/bus';
import {
  comparePlaces,
  isNamedBy,
  type RunningChange,
  type RunningQuestion,
  type RunningRequest,
} from '@model-gateway/canonical';

/** A process of the fleet that answers questions of control about requests that a test has made up. */
export class RunningProcess {
  readonly requests = new Map<string, RunningRequest>();
  /** The requests that were ended, with the name of the one who did it. */
  readonly ended: [requestId: string, by: string][] = [];
  /** The questions that it was asked. */
  readonly asked: RunningQuestion['type'][] = [];
  /** Number of times that a control asked for changes. */
  follows = 0;
  /** True if it answers that a request has ended before it could be ended. */
  endsNothing = false;
  /** True if it fails to answer. */
  answersNothing = false;
  /** True if it fails to answer when a request is to be ended. */
  endsInSilence = false;
  readonly #member: FleetMember;

  constructor(bus: Bus) {
    this.#member = new FleetMember(bus, {
      answer: question => this.#answer(question as RunningQuestion),
      follow: () => {
        this.follows++;
      },
    });
  }

  get name(): string {
    return this.#member.name;
  }

  /** Adds a request, and returns it. */
  add(fields: Partial<RunningRequest> = {}): RunningRequest {
    const request: RunningRequest = {
      ...{ requestId: `req_${randomUUID().replaceAll('-', '')}`, at: Date.now(), ms: 1, state: 'streaming' },
      ...{ endpoint: '/v1/chat/completions', format: 'chat', operation: 'generate', model: 'fast' },
      ...{ stream: true, tokenId: 't', tokenName: 'one', project: 'default', client: '192.0.2.1' },
      ...{ provider: 'p', upstreamModel: 'm', attempts: 1, failovers: 0, answerBytes: 0 },
      process: this.name,
      ...fields,
    };
    this.requests.set(request.requestId, request);
    return request;
  }

  tell(...changes: RunningChange[]): void {
    this.#member.publish(changes, 0);
  }

  /** Tells that changes were left out. */
  miss(changes: number): void {
    this.#member.publish([], changes);
  }

  close(): void {
    this.#member.close();
  }

  #answer(question: RunningQuestion) {
    this.asked.push(question.type);
    if (this.answersNothing || (question.type === 'end' && this.endsInSilence)) throw new Error('no answer');
    if (question.type === 'end' && this.endsNothing) return { items: [], last: { total: 0 } };
    const items = this.#named(question);
    if (question.type === 'end' && this.requests.delete(question.requestId))
      this.ended.push([question.requestId, question.by]);
    return { items, last: { total: this.#total(question, items) } };
  }

  #total(question: RunningQuestion, items: readonly RunningRequest[]): number {
    if (question.type !== 'list') return items.length;
    return [...this.requests.values()].filter(request => isNamedBy(request, question.filter)).length;
  }

  #named(question: RunningQuestion): RunningRequest[] {
    if (question.type !== 'list') return [this.requests.get(question.requestId) ?? []].flat();
    const { filter, after, limit } = question;
    return [...this.requests.values()]
      .filter(request => isNamedBy(request, filter) && (!after || comparePlaces(request, after) > 0))
      .sort(comparePlaces)
      .slice(0, limit);
  }
}
