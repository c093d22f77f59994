import { readFileSync } from 'node:fs';
import { untilReady } from '../launcher/src/ready.ts';
import { startupBanner } from '../launcher/src/startup-banner.ts';

// Runs after all else: waits until the edge answers a client, and says how to be one.
const baseUrl = process.env.PUBLIC_URL as string;
const token = readFileSync('/gateway/control/token', 'utf8').trim();
const edge = { baseUrl: 'http://edge:8080', token, readiness: {} };
const models = await untilReady(edge, new AbortController().signal);
process.stdout.write(
  startupBanner({ baseUrl, consoleUrl: `${baseUrl}/console/playground`, token, tokenFile: null }, models),
);
