import { z } from 'zod';
import { modelName } from '../values/model-name.ts';
import { invalidRequest } from './invalid.ts';

const named = z.object({ model: modelName });

/** Checks a model's name from a path or a query. @throws GatewayError if the name is not valid */
export function checkModelName(model: string): string {
  const { success, error } = named.safeParse({ model });
  if (!success) throw invalidRequest(error, { model });
  return model;
}
