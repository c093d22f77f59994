import { z } from 'zod';
import { keyText } from './master-key.ts';

/** The settings of the keys that seal secrets. */
export const keySettings = {
  GATEWAY_MASTER_KEY: keyText.optional().meta({
    description:
      '32 bytes in base64 or hex, of which control makes its keys: for stored secrets, sign-ins, and calls',
    defaultInWords: 'the file `master-key` in `GATEWAY_DATA`, made when first needed',
  }),
  GATEWAY_POOL_KEYS: z.string().optional().meta({
    description:
      "Folder with the key of each pool in a file of the pool's name, by which control seals secrets of providers for its workers",
    defaultInWords: 'the folder `pool-keys` in `GATEWAY_DATA`, whose files are made when first needed',
  }),
  GATEWAY_POOL_KEY: keyText.optional().meta({
    description: '32 bytes in base64 or hex, which open the secrets of the providers of `GATEWAY_POOL`',
    defaultInWords: "the pool's file in `pool-keys` in `GATEWAY_DATA`, made when first needed",
  }),
};
