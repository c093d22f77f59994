import { mostScopes, mostTagBytes, mostTags } from '@model-gateway/admin-api';
import {
  assertScopeBytes,
  mostEarlierSecrets,
} from '../../../../services/control/src/tokens/token-bounds.ts';
import { tokenPart } from '../../../../shared/access/src/budgets/accounts.ts';
import { overspentError } from '../../../../shared/access/src/budgets/budget.ts';
import { waitMs } from '../../../../shared/access/src/limits/limiter.ts';
import { refusal as refusalOf, uncheckable } from '../../../../shared/access/src/limits/refusal.ts';
import { unknownMost } from '../../../../shared/ingress/src/costs/prices.ts';
import type { Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, part, time } from '../written.ts';

const ofToken = JSON.stringify(['token', 'example']);
const ofProject = JSON.stringify(['project', 'example']);
const ofModel = JSON.stringify(['project', 'example', 'gpt-*']);

const budget = {
  ...{ key: ofToken, amount: 100 },
  ...{ from: Date.UTC(2026, 10), to: Date.UTC(2026, 11) },
};

export async function setLimits(settings: Settings): Promise<Section> {
  const scopeBytes = settings.value('GATEWAY_SCOPE_BYTES');
  return {
    title: 'Limits that you set',
    intro:
      'Limits of a [token](tokens.md#limits) or a [project](configuration.md#projects) hold over all processes together. The examples are those of a token with a limit of 100; the last one is that of a model within a project. A message about a budget or a limit names whose it is; `gateway token change`, `gateway project set` and `gateway user set` raise it.',
    bounds: [
      {
        what: 'Requests that start in any 60 s',
        limit: 'none',
        setting: '`requestsPerMinute`',
        told: told(refusalOf({ key: ofToken, limit: 'requestsPerMinute', value: 100, waitMs: 12_300 }, 0)),
      },
      {
        what: 'Input and output tokens of requests that start in any 60 s',
        limit: 'none',
        setting: '`tokensPerMinute`',
        told: told(refusalOf({ key: ofToken, limit: 'tokensPerMinute', value: 100, waitMs: 12_300 }, 40)),
      },
      {
        what: 'The tokens of one request, by estimate',
        limit: 'none',
        setting: '`tokensPerMinute`',
        told: told(refusalOf({ key: ofToken, limit: 'tokensPerMinute', value: 100 }, 4_000)),
      },
      {
        what: 'Requests that run at once',
        limit: 'none',
        setting: '`concurrency`',
        told: told(refusalOf({ key: ofModel, limit: 'concurrency', value: 100 }, 0)),
      },
      {
        what: 'Money that is [spent](budgets.md) in a period',
        limit: 'none',
        setting: '`budget`',
        told: told(overspentError({ ...budget, spent: 100 })),
      },
      {
        what: 'Money that a request may cost, while running requests have reserved the rest',
        limit: 'none',
        setting: '`budget`',
        told: told(overspentError({ ...budget, spent: 60 })),
      },
      {
        what: 'Money that the requests of one token may cost together, of the budget of a project or an owner, [while others run](budgets.md#how-it-holds)',
        limit: `${part(tokenPart)} of it`,
        told: told(overspentError({ ...budget, key: ofProject, spent: 60, ofOthers: true })),
      },
      {
        what: 'Output tokens that are [reserved](budgets.md#what-is-reserved-of-output) for a whole answer, and for an image, without a maximum',
        limit: `${count(unknownMost.answer)}; ${count(unknownMost.image)}`,
        setting: '`limits.maxOutput` of the model',
        told: 'as the two rows above',
      },
      {
        what: 'Time that a request with limits waits while no process counts for all',
        limit: time(waitMs),
        told: `${told(uncheckable('limits', true))} It counts for nothing. With \`GATEWAY_LIMITS_POLICY\` at \`open\`, it passes instead.`,
      },
      {
        what: 'Entries of `models`, `endpoints`, `allowedAddresses` and `limits.models`; tags',
        limit: `${count(mostScopes)} each; ${count(mostTags)}, of ${count(mostTagBytes)} bytes`,
        told: `400 \`invalid_value\`: models: must hold at most ${mostScopes} entries.`,
      },
      {
        what: '[Tokens](tokens.md#bounds) of a project, unless an admin makes them',
        limit: count(settings.value('GATEWAY_TOKENS_OF_PROJECT')),
        setting: settings.name('GATEWAY_TOKENS_OF_PROJECT'),
        told: "429 `too_many_tokens`: The project 'lab' has 1000 tokens, and a project may have 1000. Revoke some, or ask an admin to create it or to raise GATEWAY_TOKENS_OF_PROJECT.",
      },
      {
        what: '[Tokens](tokens.md#bounds) without an owner that a service account makes, in all projects, unless its role is `admin`',
        limit: count(settings.value('GATEWAY_TOKENS_OF_PROJECT')),
        setting: settings.name('GATEWAY_TOKENS_OF_PROJECT'),
        told: '429 `too_many_tokens`: This service account has made 1000 tokens without an owner, and it may make 1000, as many as a project may have. Revoke some, or ask an admin to create it or to raise GATEWAY_TOKENS_OF_PROJECT.',
      },
      {
        what: '[Tokens](tokens.md#bounds) of an owner, unless an admin makes them',
        limit: count(settings.value('GATEWAY_TOKENS_OF_OWNER')),
        setting: settings.name('GATEWAY_TOKENS_OF_OWNER'),
        told: "429 `too_many_tokens`: 'ada' owns 100 tokens, and an owner may have 100. Revoke some, or ask an admin to create it or to raise GATEWAY_TOKENS_OF_OWNER.",
      },
      {
        what: "A token's models, endpoints, addresses, limits, budget and tags as JSON, unless an admin sets them",
        limit: `${count(scopeBytes)} bytes`,
        setting: settings.name('GATEWAY_SCOPE_BYTES'),
        told: await refusal(async () =>
          assertScopeBytes({ scopeBytes }, { models: Array(50).fill('m'.repeat(200)) }),
        ),
      },
      {
        what: 'Earlier secrets of a token that still work, unless an admin rotates it',
        limit: count(mostEarlierSecrets),
        told: '429 `too_many_secrets` for a rotation with a grace period',
      },
    ],
  };
}
