import { auditCommands } from './audit-commands.ts';
import { catalogCommands } from './catalog-commands.ts';
import type { Command } from './command.ts';
import { completionCommands } from './completion/commands.ts';
import { doctorCommands } from './doctor/command.ts';
import { groupCommands } from './group-commands.ts';
import { importCommands } from './import-commands.ts';
import { loginCommands } from './login-commands.ts';
import { modelCommands } from './model-commands.ts';
import { accountCommands, loginOfUserCommands, memberCommands } from './people-commands.ts';
import { providerCommands } from './provider-commands.ts';
import { requestCommands } from './request-commands.ts';
import { runningCommands } from './running-commands.ts';
import { tokenCommands } from './token-commands.ts';
import { usageCommands } from './usage-commands.ts';

const own: readonly Command[] = [
  ...loginCommands,
  ...tokenCommands,
  ...providerCommands,
  ...modelCommands,
  ...catalogCommands,
  ...groupCommands,
  ...loginOfUserCommands,
  ...memberCommands,
  ...accountCommands,
  ...usageCommands,
  ...requestCommands,
  ...runningCommands,
  ...auditCommands,
  ...importCommands,
  ...doctorCommands,
];

/** Every command, in the order of help. */
export const commands: readonly Command[] = [...own, ...completionCommands(own)];
