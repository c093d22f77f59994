import { homedir } from 'node:os';
import { join } from 'node:path';
import { duration } from '@model-gateway/canonical';
import { z } from 'zod';

/** The settings of those who use the admin API. */
export const peopleSettings = {
  GATEWAY_ADMIN_TOKEN: z.string().optional().meta({
    description: 'Bearer token of the admin API',
    defaultInWords: 'the file `admin-token` in `GATEWAY_DATA`, made when first needed',
  }),
  GATEWAY_ADMIN_PASSWORD: z.string().optional().meta({
    description: 'Password of the user `admin`, who is made at the first start; 12 characters or more',
    defaultInWords: 'the file `admin-password` in `GATEWAY_DATA`, made at the first start',
  }),
  GATEWAY_SESSION_IDLE: duration
    .prefault('8h')
    .describe('The time without a request after which a session of the admin API ends'),
  GATEWAY_SESSION_LIFETIME: duration
    .prefault('7d')
    .describe('The time after which a session of the admin API ends in any case'),
  GATEWAY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'URL of the gateway in browsers, if a proxy changes the header `Host`',
      defaultInWords: 'that of each request',
    }),
  GATEWAY_LOGIN_FILE: z
    .string()
    .default(() => join(homedir(), '.config/model-gateway/logins.json'))
    .meta({
      description: 'File in which the command `gateway` keeps sessions',
      defaultInWords: '`.config/model-gateway/logins.json` in the home folder',
    }),
};
