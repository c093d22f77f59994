import { createHash, randomUUID } from 'node:crypto';
import type { Sealer } from '@model-gateway/catalog';
import { z } from 'zod/mini';

/** The time in which the user may confirm in the browser, and in which the command may use its code, in milliseconds. */
const confirmMs = 5 * 60_000;
const codeMs = 60_000;

/** A command that waits for a session: on a port of 127.0.0.1, with a secret of which this is the SHA-256. */
export const waitingCommand = z.object({
  /** SHA-256 of the command's secret, in base64url. */
  challenge: z.string(),
  port: z.number(),
  /** Returned to the command, which knows its own sign-in by it. */
  state: z.string(),
});
export type WaitingCommand = z.infer<typeof waitingCommand>;

const grant = z.object({
  ...waitingCommand.shape,
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  /** In milliseconds since 1970. */
  endsAt: z.number(),
});

/** A user who has signed in at the provider, for a command that waits. */
export type CommandGrant = z.infer<typeof grant>;

/** The stages of a grant: to be confirmed in the browser, and then a code for the command. Neither is taken for the other. */
const owners = { confirm: 'command-confirm', code: 'command-code' } as const;
type Stage = keyof typeof owners;

/** Makes the grant that the user has to confirm, sealed for a cookie. */
export function grantToConfirm(
  sealer: Sealer,
  command: WaitingCommand,
  user: Pick<CommandGrant, 'userId' | 'name'>,
): { sealed: string; endsAt: Date } {
  const endsAt = Date.now() + confirmMs;
  const made: CommandGrant = { ...command, ...user, id: randomUUID(), endsAt };
  return { sealed: sealer.seal(owners.confirm, JSON.stringify(made)).sealed, endsAt: new Date(endsAt) };
}

/** Makes the code of a confirmed grant. It is of use once, for a minute, and with the command's secret alone. */
export function codeOf(sealer: Sealer, confirmed: CommandGrant): string {
  const made: CommandGrant = { ...confirmed, id: randomUUID(), endsAt: Date.now() + codeMs };
  return sealer.seal(owners.code, JSON.stringify(made)).sealed;
}

/** Opens a sealed grant; undefined if it has ended, or is not one of this stage. */
export function openGrant(
  sealer: Sealer,
  stage: Stage,
  sealed: string | undefined,
): CommandGrant | undefined {
  if (sealed === undefined) return undefined;
  try {
    const found = grant.parse(JSON.parse(sealer.unseal(owners[stage], { sealed })));
    return found.endsAt > Date.now() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The characters of a check code: none looks like another. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Returns the text that the terminal and the browser both show, such as `K7QX-2M9P`, so that the user can compare them. */
export function checkCodeOf(challenge: string): string {
  const bytes = createHash('sha256').update(`check ${challenge}`).digest().subarray(0, 8);
  const text = [...bytes].map(byte => letters[byte % letters.length]).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
