import { answerWindow, heartbeatMs, lostMs, maxLosses, silentMs } from '@model-gateway/bus';
import { AnswerBudget, answerParts } from '../../../../services/worker/src/answer-budget.ts';
import { maxKeptAttempts } from '../../../../shared/bus/src/call-attempts.ts';
import {
  answerDamaged,
  busUnavailable,
  noRoom,
  noWorker,
  overShare,
  queueTooLong,
  tooLargeHead,
  workerLost,
} from '../../../../shared/bus/src/call-failure.ts';
import { connectionWindow, leastWindow, maxBatch } from '../../../../shared/bus/src/frame.ts';
import { maxMessage } from '../../../../shared/bus/src/incoming-body.ts';
import { stuckMs } from '../../../../shared/bus/src/liveness.ts';
import { headRoom } from '../../../../shared/bus/src/outbox.ts';
import { acceptMs, bodyWindow } from '../../../../shared/bus/src/protocol.ts';
import { openSlots } from '../../../../shared/bus/src/slots.ts';
import { maxWaiting } from '../../../../shared/bus/src/waiting-calls.ts';
import { maxEndedCalls } from '../../../../shared/bus/src/workers.ts';
import { MemoryBudget, TokenCount } from '../../../../shared/ingress/src/memory/budgets.ts';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, part, size, time } from '../written.ts';

export async function capacity(settings: Settings): Promise<Section> {
  return {
    title: 'Capacity and queue',
    intro:
      'The [bus](bus.md) carries requests to workers, and answers back. Each direction waits for its reader.',
    bounds: [...(await room(settings)), ...bus(), ...lifeSigns()],
  };
}

async function room(settings: Settings): Promise<Bound[]> {
  const queueMs = settings.value('GATEWAY_QUEUE_MS');
  const budget = settings.value('GATEWAY_BODY_BUDGET');
  const answers = settings.value('GATEWAY_ANSWER_BUDGET');
  const tooLong = told(queueTooLong({ waitMs: 2 * queueMs, overShare: undefined }));
  return [
    {
      what: 'Calls that a worker serves at once; each realtime session is one',
      limit: count(settings.value('GATEWAY_CAPACITY')),
      setting: settings.name('GATEWAY_CAPACITY'),
      told: 'another worker is tried, or the call waits',
    },
    ...waits(settings),
    {
      what: 'Slots of a worker for a [project](routing.md#fair-share), while others ask for them',
      limit: `its part of ${count(openSlots(settings.value('GATEWAY_CAPACITY')))} by weight`,
      setting: settings.name('GATEWAY_CAPACITY'),
      told: `the call waits as long, then ${told(overShare(queueMs, 'project'))}`,
    },
    {
      what: 'Expected time until a call that must wait finds a worker with room',
      limit: time(queueMs),
      setting: `${settings.name('GATEWAY_QUEUE_MS')}, in ms`,
      told: `at once 429 for a project with its share, or ${tooLong}`,
    },
    {
      what: 'Calls of one project that wait for a worker in a process',
      limit: count(maxWaiting.project),
      told: 'the same',
    },
    {
      what: 'Calls of all projects that wait for a worker in a process',
      limit: count(maxWaiting.all),
      told: 'the same',
    },
    {
      what: 'Request bodies in the memory of an ingress process, in total',
      limit: size(budget),
      setting: settings.name('GATEWAY_BODY_BUDGET'),
      told: await refusal(() =>
        new MemoryBudget(budget, new TokenCount(Number.POSITIVE_INFINITY, '')).share('a').take(budget + 1),
      ),
    },
    {
      what: 'Request bodies in the memory of a worker, in total',
      limit: size(budget),
      setting: settings.name('GATEWAY_BODY_BUDGET'),
      told: 'another worker is tried, or the call waits',
    },
    {
      what: 'Answers of upstreams that a worker holds until they can be passed on: whole ones, and events that are not complete',
      limit: size(answers),
      setting: settings.name('GATEWAY_ANSWER_BUDGET'),
      told: await held(answers, answers, { provider: 'q', token: 'b' }),
    },
    {
      what: 'The same of one provider',
      limit: `${part(1 / answerParts.provider)}: ${size(answers / answerParts.provider)}`,
      setting: settings.name('GATEWAY_ANSWER_BUDGET'),
      told: await held(answers, answers / answerParts.provider, { provider: 'p', token: 'b' }),
    },
    {
      what: 'The same for one token',
      limit: `${part(1 / answerParts.token)}: ${size(answers / answerParts.token)}`,
      setting: settings.name('GATEWAY_ANSWER_BUDGET'),
      told: await held(answers, answers / answerParts.token, { provider: 'q', token: 'a' }),
    },
  ];
}

function waits(settings: Settings): Bound[] {
  const queueMs = settings.value('GATEWAY_QUEUE_MS');
  const setting = `${settings.name('GATEWAY_QUEUE_MS')}, in ms`;
  return [
    {
      what: 'Time that a call waits for a worker with room',
      limit: time(queueMs),
      setting,
      told: told(noRoom(queueMs)),
    },
    {
      what: 'The same, while no worker of the pool runs',
      limit: time(queueMs),
      setting,
      told: `${told(noWorker(queueMs, true))} The request counts for no limit.`,
    },
    {
      what: 'The same, while NATS cannot be reached, or stands still',
      limit: time(queueMs),
      setting,
      told: `${told(busUnavailable(true))} The request counts for no limit.`,
    },
  ];
}

/** Returns the refusal of one more byte for a holder, once one of the provider `p` and the token `a` holds so many. */
function held(budget: number, bytes: number, more: { provider: string; token: string }): Promise<string> {
  return refusal(() => {
    const answers = new AnswerBudget(budget);
    answers.open({ provider: 'p', token: 'a' }).hold(bytes);
    answers.open(more).hold(1);
  });
}

/** Writes the size of a credit window. */
function windowOf(largest: number): string {
  return `${size(largest)}; less with many requests at a process: ${size(connectionWindow)} in all, and at least ${size(leastWindow)} each`;
}

function bus(): Bound[] {
  return [
    {
      what: "A request's route, headers and model name on their way to a worker",
      limit: size(headRoom),
      told: told(tooLargeHead()),
    },
    {
      what: 'Bytes of an answer that the client has not taken',
      limit: windowOf(answerWindow),
      told: 'the worker stops reading from the upstream until the client has caught up',
    },
    {
      what: 'Bytes of a body that the worker has not taken',
      limit: windowOf(bodyWindow),
      told: 'the gateway stops reading from the client until the worker has caught up',
    },
    {
      what: 'Events of an answer that are decoded together',
      limit: size(maxBatch),
      told: told(answerDamaged(undefined)),
    },
    {
      what: 'One message of a session at the worker',
      limit: size(maxMessage),
      told: "never reached: clients' messages are bounded before",
    },
  ];
}

function lifeSigns(): Bound[] {
  return [
    {
      what: 'Time for a worker to accept a call',
      limit: time(acceptMs),
      told: 'another worker is tried',
    },
    {
      what: `Silence of a worker, which sends a heartbeat every ${time(heartbeatMs)}, until it gets no new calls`,
      limit: time(silentMs),
      told: 'others get them',
    },
    {
      what: 'Silence of a worker until it is lost; a closed connection to NATS is noticed within 3 s',
      limit: time(lostMs),
      told: `calls without any answer at the client are started again at another worker; others end in ${told(workerLost())}`,
    },
    {
      what: "Silence of an ingress process until its workers close its requests' upstreams, and its requests free their places in limits and budgets; a closed connection is noticed within 3 s",
      limit: time(lostMs),
      told: 'nothing: its clients have lost their connections, or it stands still',
    },
    {
      what: 'Workers that a request may lose',
      limit: count(maxLosses),
      told: told(workerLost(true)),
    },
    {
      what: "Longest block of a worker's event loop: it falls silent before",
      limit: time(stuckMs + lostMs),
      told: 'the worker is lost',
    },
    {
      what: 'Attempts of one call that a process remembers, in case its worker is lost',
      limit: count(maxKeptAttempts),
      told: 'nothing: older ones are recorded by their worker',
    },
    {
      what: 'Ended calls of one worker that a process remembers until the worker recorded them',
      limit: count(maxEndedCalls),
      told: 'nothing: the record of a further call is lost if its worker is killed just then',
    },
  ];
}
