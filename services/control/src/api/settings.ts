import { type Env, reportSettings, type SettingName } from '@model-gateway/service';
import type { Handlers } from './routes.ts';

/** Lists settings with their values in force; `env`: the environment that they were read from, if not that of the process. */
export function showSettings(names: readonly SettingName[], env: Env | undefined): Handlers['showSettings'] {
  return (_request, response) => void response.json({ data: reportSettings(names, env) });
}
