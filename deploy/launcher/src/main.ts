import './exit-with-parent.ts';
import { umask } from 'node:process';
import { ConfigError, readConfig, readSettings, releaseMemory } from '@model-gateway/service/configuration';
import { passedOn } from './environment.ts';
import { Gateway, type Welcome } from './gateway.ts';
import { Problem } from './problem.ts';
import { useBatchScheduling } from './scheduling.ts';
import { settings } from './settings.ts';
import { pathFrom, startupBanner } from './startup-banner.ts';

// Files that the gateway and its processes write are readable by this user only.
umask(0o077);

try {
  const own = readConfig(settings);
  // The services read them, and a mistake is reported before any of them runs.
  readSettings(passedOn);
  const gateway = new Gateway(own, process.env);
  if (own.GATEWAY_SCHEDULING === 'batch') useBatchScheduling();
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    await gateway.stop();
    process.exit(code);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));
  gateway.start().then(
    welcome => {
      console.error(`Gateway: started in ${(performance.now() / 1000).toFixed(1)} s`);
      console.log(greet(welcome));
      releaseMemory();
    },
    error => {
      if (!stopping) console.error(explain(error));
      void stop(1);
    },
  );
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

function greet({ baseUrl, consoleUrl, token, tokenFile, isNew, adminPasswordFile, models }: Welcome): string {
  // npm runs scripts in the project's folder. INIT_CWD is the folder from which npm was called.
  const shellFolder = process.env.INIT_CWD ?? process.cwd();
  const address = {
    baseUrl,
    consoleUrl,
    token: isNew ? token : null,
    tokenFile: pathFrom(shellFolder, tokenFile),
    adminPassword: adminPasswordFile && pathFrom(shellFolder, adminPasswordFile),
  };
  return startupBanner(address, models);
}

function explain(error: unknown): string {
  if (error instanceof Problem || error instanceof ConfigError) return `npm start: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
