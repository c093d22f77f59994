import { z } from 'zod';

const list = z.string().transform(text => text.split(',').map(origin => origin.trim()));

/** True for an origin as browsers send it: scheme, host and a port that is not the default. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** The settings for web pages of other origins. */
export const originSettings = {
  GATEWAY_REALTIME_ORIGINS: list.optional().meta({
    description: 'Origins of web pages that may open realtime sessions, separated by commas',
    defaultInWords: 'all',
  }),
  GATEWAY_CORS_ORIGINS: list
    .refine(
      origins => origins.every(origin => origin === '*' || isOrigin(origin)),
      'must be * or origins such as https://app.example.com, separated by commas',
    )
    .optional()
    .meta({
      description:
        'Origins of web pages that may send requests to models (CORS), separated by commas; `*` for all',
      defaultInWords: 'none',
    }),
};
