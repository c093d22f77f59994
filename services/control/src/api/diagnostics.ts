import { type DiagnoseOptions, diagnose } from '../diagnostics/diagnose.ts';
import type { Handlers } from './routes.ts';

/** Checks the installation. */
export function showDiagnostics(options: DiagnoseOptions): Handlers['showDiagnostics'] {
  return async (_request, response) => {
    response.json(await diagnose(options));
  };
}
