import { isDeepStrictEqual } from 'node:util';
import type { Imported } from '../import/result.ts';
import { type GatewayClient, unless } from './admin.ts';
import { CommandError } from './exit-codes.ts';

/** The numbers of tokens that were created, and of those that existed. */
export interface CreatedTokens {
  created: number;
  existing: number;
}

/**
 * Creates the tokens that do not exist yet. Limits and budgets of projects and users must be in force before. @throws CommandError
 * if they are not
 */
export async function createTokens(
  admin: GatewayClient,
  { catalog, tokens }: Imported,
): Promise<CreatedTokens> {
  for (const { name, limits, budget, allowUnpriced } of catalog.projects ?? [])
    assertInForce(
      'project',
      name,
      { limits, budget, allowUnpriced },
      await unless(404, admin.call('showProject', { params: { name } })),
    );
  for (const { name, budget } of catalog.users ?? [])
    assertInForce('user', name, { budget }, await unless(404, admin.call('showUser', { params: { name } })));
  let created = 0;
  for (const [at, { from, wanted }] of tokens.entries()) {
    const token = await unless('token_exists', admin.call('createToken', { body: wanted })).catch(error => {
      const done = `${created} of ${tokens.length} tokens were created, and an import again goes on after them`;
      throw new CommandError(`${from} (token ${at + 1}): ${error.message}; ${done}`, 1, { cause: error });
    });
    if (token) created++;
  }
  return { created, existing: tokens.length - created };
}

type Settings = Readonly<Record<string, unknown>>;

function assertInForce(kind: string, name: string, wanted: Settings, found: object | undefined): void {
  for (const [field, value] of Object.entries(wanted)) {
    if (value === undefined || isDeepStrictEqual((found as Settings | undefined)?.[field], value)) continue;
    throw new CommandError(
      `the ${kind} ${name} does not have the ${field} of the import: apply its gateway.yaml first, then create the tokens`,
      1,
    );
  }
}
