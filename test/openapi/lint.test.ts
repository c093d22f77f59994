import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { openApi } from '../../services/control/src/api/openapi/document.ts';

/** Problems that are none, by rule and place, with the reason. */
const accepted: Record<string, string> = {
  'operation-4xx-response #/paths/~1api~1v1~1session~1ways/get/responses':
    'Everyone may ask, and there is nothing to get wrong.',
};

test('the OpenAPI document passes the linter', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(openApi());
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const found = problems.map(({ ruleId, message, location }) => ({
    at: `${ruleId} ${location[0]?.pointer}`,
    message,
  }));
  expect(found.filter(({ at }) => !accepted[at])).toEqual([]);
  expect(found.map(({ at }) => at)).toEqual(expect.arrayContaining(Object.keys(accepted)));
});
