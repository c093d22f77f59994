import { z } from 'zod';

/** Asks for a cached prefix that ends here, as LiteLLM's and OpenRouter's clients do. */
export const cacheControl = z.looseObject({ ttl: z.enum(['5m', '1h']).nullish().catch(null) });
export const cacheMarks = {
  cache_control: cacheControl.nullish(),
  prompt_cache_breakpoint: z.looseObject({}).nullish(),
};
