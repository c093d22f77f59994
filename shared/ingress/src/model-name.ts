import { modelName } from '@model-gateway/wire';
import { z } from 'zod';
import { invalidRequest } from './invalid.ts';

const named = z.object({ model: modelName });

/** A model's name that stands in a path or a query. @throws GatewayError for one that no model can have */
export function checkModelName(model: string): string {
  const { success, error } = named.safeParse({ model });
  if (!success) throw invalidRequest(error, { model });
  return model;
}
