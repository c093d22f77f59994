import { readFileSync } from 'node:fs';
import { untilReady } from '../launcher/src/ready.ts';
import { startupBanner } from '../launcher/src/startup-banner.ts';

// Runs after all other containers: waits until the edge serves clients, then prints the startup banner.
const baseUrl = process.env.PUBLIC_URL as string;
const token = readFileSync('/gateway/control/token', 'utf8').trim();
const edge = { baseUrl: 'http://edge:8080', token, readiness: {} };
const models = await untilReady(edge, new AbortController().signal);
const adminPassword = '/gateway/control/admin-password of the container control, until it is changed';
const consoleUrl = `${baseUrl}/console/playground`;
process.stdout.write(startupBanner({ baseUrl, consoleUrl, token, tokenFile: null, adminPassword }, models));
