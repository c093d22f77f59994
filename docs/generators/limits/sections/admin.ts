import {
  largestPage,
  mostAccountProjects,
  nameCharacters,
  newAccount,
  type Problem,
  passwordCharacters,
  passwordReset,
} from '@model-gateway/admin-api';
import type { OverloadReason } from '@model-gateway/canonical';
import type { NextFunction, Request, Response } from 'express';
import { handleErrors, maxBodyBytes } from '../../../../services/control/src/api/errors.ts';
import { parseBody } from '../../../../services/control/src/api/parse-body.ts';
import { parseNewToken } from '../../../../services/control/src/api/token-request.ts';
import { usageHandlers } from '../../../../services/control/src/api/usage.ts';
import { mostRefusals, tooManyRefusals } from '../../../../services/control/src/people/credential-checks.ts';
import { mostWaiting, tooManySignIns } from '../../../../services/control/src/people/passwords.ts';
import { mostSessions } from '../../../../services/control/src/people/sessions.ts';
import { mostAttempts, tooManyAttempts } from '../../../../services/control/src/people/sign-in-attempts.ts';
import {
  mostFollowers,
  mostOfCaller,
  mostQuestions,
  tooMany,
} from '../../../../services/control/src/running/fleet.ts';
import { longestSearchMs, searchMs } from '../../../../services/control/src/usage/read.ts';
import type { Section } from '../bound.ts';
import { failureOf, toldAs } from '../told.ts';
import { count, size, time } from '../written.ts';

const account = { name: 'ci', role: 'viewer', expiresAt: '2100-01-01T00:00:00Z' };

export async function admin(): Promise<Section> {
  const { listUsage } = usageHandlers({} as never);
  const query = { limit: `${largestPage + 1}` };
  return {
    title: 'Admin API',
    bounds: [
      { what: 'Body', limit: size(maxBodyBytes), told: answered({ status: 413 }) },
      {
        what: 'Name of a token or of a project',
        limit: `${count(nameCharacters)} characters`,
        told: await refused(() => parseNewToken({ name: 'x'.repeat(nameCharacters + 1) })),
      },
      {
        what: 'Password',
        limit: `${count(passwordCharacters.least)} to ${count(passwordCharacters.most)} characters`,
        told: await refused(() => parseBody(passwordReset, { password: 'short' })),
      },
      {
        what: 'Failed attempts to sign in, in 15 minutes',
        limit: `${mostAttempts.user} for a user, ${mostAttempts.address} from an address`,
        told: answered(tooManyAttempts(1)),
      },
      {
        what: 'Requests without a valid credential from an address; a credential that was valid since the start is let through',
        limit: `${mostRefusals.atOnce}, and ${mostRefusals.perSecond} more each second`,
        told: answered(tooManyRefusals(1)),
      },
      {
        what: 'Sign-ins that wait for their passwords to be checked, at a control',
        limit: `${mostWaiting}`,
        told: answered(tooManySignIns()),
      },
      {
        what: 'Clients that [follow](running-requests.md) the requests in flight, at a control; of one caller',
        limit: `${mostFollowers}; ${mostOfCaller}`,
        told: answered(
          tooMany(
            'request_followers_full',
            'follow',
            `${mostFollowers}, and ${mostOfCaller} of one caller`,
            10_000,
          ),
        ),
      },
      {
        what: 'Questions for the requests in flight that a control has open',
        limit: `${mostQuestions}`,
        told: answered(tooMany('request_queries_full', 'ask for', `${mostQuestions}`, 1_000)),
      },
      {
        what: 'Sessions of a user',
        limit: `${mostSessions}`,
        told: 'the oldest one ends',
      },
      {
        what: 'Projects of a service account',
        limit: count(mostAccountProjects),
        told: await refused(() =>
          parseBody(newAccount, { ...account, projects: Array(mostAccountProjects + 1).fill('p') }),
        ),
      },
      {
        what: '`limit` of a list',
        limit: `1 to ${count(largestPage)}`,
        told: await refused(() => listUsage({ query } as never, {} as Response, () => {})),
      },
      {
        what: 'Time of a search in the ledger that has found some attempts; that has found none',
        limit: `${time(searchMs)}; ${time(longestSearchMs)}`,
        told: 'the page ends with what was found, and `next` and `searchedTo` say where the search goes on',
      },
    ],
  };
}

/** The response for the error that a function throws. */
async function refused(fail: () => unknown): Promise<string> {
  return answered(await failureOf(fail));
}

/** The response for an error of a route. */
function answered(thrown: unknown): string {
  let told = '';
  const headers: Record<string, string> = {};
  const response = {
    locals: {},
    set: (name: string, value: string) => Object.assign(headers, { [name]: value }) && response,
    status: () => response,
    setHeader: () => response,
    end(body: string) {
      const { status, code, detail } = JSON.parse(body) as Problem;
      const reason = headers['x-gateway-reason'] as OverloadReason | undefined;
      told = toldAs({ status, body: { error: { code, message: detail } }, ...(reason && { reason }) });
    },
  };
  const handle = handleErrors({ error: () => {} } as never);
  handle(thrown, {} as Request, response as unknown as Response, (() => {}) as NextFunction);
  return told;
}
