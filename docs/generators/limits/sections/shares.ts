import { ingressSettings } from '@model-gateway/ingress';
import { readSettings } from '@model-gateway/service';
import { overShare } from '../../../../shared/bus/src/call-failure.ts';
import { bodyPart, openSlots } from '../../../../shared/bus/src/slots.ts';
import type { TokenCount } from '../../../../shared/ingress/src/memory/budgets.ts';
import { bodyShare, spoolShare, tokenShares } from '../../../../shared/ingress/src/memory/token-shares.ts';
import type { Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, part, size } from '../written.ts';

export async function shares(settings: Settings): Promise<Section> {
  const defaults = readSettings(ingressSettings, {});
  const all = tokenShares(defaults);
  const full = (one: TokenCount, amount: number) =>
    refusal(() => {
      one.take('a', amount);
      one.take('a', 1);
    });
  const capacity = settings.value('GATEWAY_CAPACITY');
  const bodies = bodyShare(defaults);
  const uploads = spoolShare(defaults);
  const ofBudget = (share: number, budget: string) =>
    `${size(share)}: ${part(share / settings.value(budget))} of ${settings.name(budget)}`;
  return {
    title: "Tokens' shares",
    intro:
      'The most that one token may have at a process. Other tokens do not notice. A single body that is larger than the share gets 413 instead of 429. Stored data is shared [by project](#stored-responses).',
    bounds: [
      {
        what: 'Open requests of any kind, also background responses that run there',
        limit: count(settings.value('GATEWAY_TOKEN_REQUESTS')),
        setting: settings.name('GATEWAY_TOKEN_REQUESTS'),
        told: await full(all.requests, defaults.GATEWAY_TOKEN_REQUESTS),
      },
      {
        what: 'Open WebSockets, of realtime and of responses together',
        limit: count(settings.value('GATEWAY_TOKEN_SOCKETS')),
        setting: settings.name('GATEWAY_TOKEN_SOCKETS'),
        told: await full(all.sockets, defaults.GATEWAY_TOKEN_SOCKETS),
      },
      {
        what: 'Bytes of request bodies in memory, and of data made from them. A single large request may take more, because the data made from one body is bounded by its size',
        limit: ofBudget(bodies, 'GATEWAY_BODY_BUDGET'),
        setting: settings.name('GATEWAY_TOKEN_BODY_BUDGET'),
        told: await full(all.bodies, bodies),
      },
      {
        what: 'Bytes of uploads on disk',
        limit: ofBudget(uploads, 'GATEWAY_SPOOL_BUDGET'),
        setting: settings.name('GATEWAY_TOKEN_SPOOL_BUDGET'),
        told: await full(all.uploads, uploads),
      },
      {
        what: "A worker's places for a token that holds half of the places in use or more; the rest is for others",
        limit: `${count(openSlots(capacity))}: ${part(openSlots(capacity) / capacity)} of ${settings.name('GATEWAY_CAPACITY')}`,
        setting: settings.name('GATEWAY_CAPACITY'),
        told: `the call waits for ${settings.name('GATEWAY_QUEUE_MS')}, then ${told(overShare(settings.value('GATEWAY_QUEUE_MS')))}`,
      },
      {
        what: "A worker's room for the bodies of one token",
        limit: `${part(1 / bodyPart)} of ${settings.name('GATEWAY_BODY_BUDGET')}`,
        setting: settings.name('GATEWAY_BODY_BUDGET'),
        told: `the same, then ${told(overShare(settings.value('GATEWAY_QUEUE_MS'), 'bodies'))}`,
      },
    ],
  };
}
