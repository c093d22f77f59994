import { largestPage, nameCharacters } from '@model-gateway/admin-api';
import type { NextFunction, Request, Response } from 'express';
import { handleErrors, maxBodyBytes } from '../../../services/control/src/api/errors.ts';
import { parseNewToken } from '../../../services/control/src/api/token-request.ts';
import { usageHandlers } from '../../../services/control/src/api/usage.ts';
import type { Section } from '../bound.ts';
import { refusal, toldAs } from '../told.ts';
import { count, size } from '../written.ts';

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
        told: await refusal(() => parseNewToken({ name: 'x'.repeat(nameCharacters + 1) }, new Date())),
      },
      {
        what: '`limit` of `/api/v1/usage` and `/api/v1/usage/rejected`',
        limit: `1 to ${count(largestPage)}`,
        told: await refusal(() => listUsage({ query } as never, {} as Response, () => {})),
      },
    ],
  };
}

/** The response for an error of a route. */
function answered(thrown: unknown): string {
  let told = '';
  const response = {
    locals: {},
    set: () => response,
    status: (status: number) => ({ json: (body: unknown) => (told = toldAs({ status, body })) }),
  };
  const handle = handleErrors({ error: () => {} } as never);
  handle(thrown, {} as Request, response as unknown as Response, (() => {}) as NextFunction);
  return told;
}
