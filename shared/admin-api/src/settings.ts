/** The shapes of what gateway.yaml states, without the endpoints. */
export type { budgetSettings } from './budget.ts';
export { isConnectionHeader } from './connection-headers.ts';
export { loggingSettings, type redactedKinds } from './logging.ts';
export { type FallbackCause, statedModel } from './model.ts';
export type { priceSettings } from './price.ts';
export { statedProject, statedUser } from './projects.ts';
export { statedProvider } from './provider.ts';
