import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { authorize, type CloudDouble, set, startCloudDouble, withoutIdentity } from './cloud-double.ts';

// Microsoft's SDK looks once in a process for the service that gives tokens, so that each has a file.
let double: CloudDouble;
beforeAll(async () => {
  double = await startCloudDouble();
});
afterAll(() => double?.close());

beforeEach(() => {
  double.asked.length = 0;
  withoutIdentity('/nowhere');
});
afterEach(() => void vi.unstubAllEnvs());

test.each<Record<string, string>>([{}, { clientId: 'identity-1' }])(
  "Azure's App Service with a managed identity: %j",
  async options => {
    set({ IDENTITY_ENDPOINT: `${double.url}/msi/token`, IDENTITY_HEADER: 'header-1' });
    const authorization = await authorize('azure-openai', options);
    expect(authorization).toBe('Bearer app-service');
    const query = { 'api-version': '2019-08-01', resource: 'https://cognitiveservices.azure.com' };
    const named = options.clientId ? { client_id: options.clientId } : {};
    expect(double.asked).toMatchObject([{ method: 'GET', headers: { 'x-identity-header': 'header-1' } }]);
    expect(double.asked[0]?.query).toEqual({ ...query, ...named });
  },
);
