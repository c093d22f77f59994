import { catalogCommands } from './catalog-commands.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor/command.ts';
import { endpointCommands } from './endpoint-commands.ts';
import { followCommand } from './follow-command.ts';
import { importCommands } from './import-commands.ts';
import { loginCommands } from './login-commands.ts';

/** Every command, in the order of help. */
export const commands: readonly Command[] = [
  ...loginCommands,
  ...endpointCommands(),
  followCommand,
  ...catalogCommands,
  ...importCommands,
  doctorCommand,
  completionCommand,
];
