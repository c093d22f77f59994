import type { CallKeyRecord, TokenRecord } from '@model-gateway/access';
import type { PublishedBucket } from '@model-gateway/bus';
import type { ModelRecord, ProjectRecord, ProviderRecord, UserRecord } from '@model-gateway/catalog';

/** A change to publish in KV: a key and its value, or null if the key is removed. */
export interface Change {
  bucket: PublishedBucket;
  key: string;
  value: TokenRecord | CallKeyRecord | ProviderRecord | ModelRecord | ProjectRecord | UserRecord | null;
}
