import { z } from 'zod';

const list = z.string().transform(text => text.split(',').map(origin => origin.trim()));

/**
 * Origins of pages in apps and extensions, such as `app://obsidian.md`, `capacitor://localhost` and `chrome-extension://…`; pages
 * of files have no host. `URL` knows no origins of their schemes.
 */
const appOrigin = /^(?:file:\/\/|[a-z][a-z0-9+.-]*:\/\/[\w.-]+(?::\d{1,5})?)$/;

/** True for an origin as browsers send it: scheme, host and a port that is not the default. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  return origin === 'null' ? appOrigin.test(text) : origin === text;
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
      'must be * or origins such as https://app.example.com or app://obsidian.md, separated by commas',
    )
    .optional()
    .meta({
      description:
        'Origins of web pages that may send requests to models (CORS), separated by commas; `*` for all',
      defaultInWords: 'none',
    }),
};
