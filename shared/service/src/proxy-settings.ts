import { z } from 'zod';

const proxyUrl = z
  .string()
  .refine(text => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http:// or https:// URL');

/** The settings of the way to providers, by the names that other programs have for them. */
export const proxySettings = {
  GATEWAY_PRIVATE_PROVIDERS: z
    .enum(['allow', 'forbid'])
    .default('allow')
    .describe(
      '`forbid`: workers connect providers of the API to public addresses only; those of `gateway.yaml` may be anywhere',
    ),
  HTTP_PROXY: proxyUrl.optional().describe('Proxy of requests to providers by `http://`, of workers'),
  HTTPS_PROXY: proxyUrl.optional().describe('Proxy of requests to providers by `https://`, of workers'),
  NO_PROXY: z
    .string()
    .optional()
    .describe('Hosts that workers reach without a proxy, separated by commas; the machine itself always is'),
};
