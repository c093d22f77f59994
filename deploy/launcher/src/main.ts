import './leash.ts';
import { ConfigError, readConfig } from '@model-gateway/service';
import { Gateway } from './gateway.ts';
import { greeting } from './greeting.ts';
import { Problem } from './problem.ts';
import { settings } from './settings.ts';

try {
  const gateway = new Gateway(readConfig(settings), process.env);
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
    ({ models, ...door }) => console.log(greeting(door, models)),
    error => {
      if (!stopping) console.error(explain(error));
      void stop(1);
    },
  );
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof Problem || error instanceof ConfigError) return `npm start: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
