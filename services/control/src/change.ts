import type { TokenRecord } from '@model-gateway/access';
import type { BucketName } from '@model-gateway/bus';
import type { ModelRecord, ProjectRecord, ProviderRecord } from '@model-gateway/catalog';

/** One thing that the fleet must know: what is behind a key now, or null for nothing. */
export interface Change {
  bucket: BucketName;
  key: string;
  value: TokenRecord | ProviderRecord | ModelRecord | ProjectRecord | null;
}
