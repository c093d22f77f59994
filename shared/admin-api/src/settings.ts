/** The shapes of settings that gateway.yaml states, too, without the endpoints. */
export { budgetSettings } from './budget.ts';
export { loggingSettings, type redactedKinds } from './logging.ts';
export { limitSettings } from './token-settings.ts';
