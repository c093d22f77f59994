import { z } from 'zod';

const proxyUrl = z
  .string()
  .refine(text => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http:// or https:// URL');

/** The settings of the way to providers, by the names that other programs have for them. */
export const proxySettings = {
  HTTP_PROXY: proxyUrl.optional().describe('Proxy of requests to providers by `http://`, of workers'),
  HTTPS_PROXY: proxyUrl.optional().describe('Proxy of requests to providers by `https://`, of workers'),
  NO_PROXY: z
    .string()
    .optional()
    .describe('Hosts that workers reach without a proxy, separated by commas; the machine itself always is'),
};
