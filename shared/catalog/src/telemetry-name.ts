import { profileOf } from '@model-gateway/providers';
import type { ProviderRecord } from './record.ts';

/** Returns the name of a provider's kind in OpenTelemetry's conventions for generative AI: `gen_ai.provider.name`. */
export function telemetryName({ kind }: ProviderRecord): string {
  return profileOf(kind).telemetryName ?? kind;
}
