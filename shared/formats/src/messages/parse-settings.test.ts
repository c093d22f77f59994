import { describe, expect, test } from 'vitest';
import { checkVersion } from './parse-settings.ts';

describe('the version header', () => {
  test.each([
    { 'vendor-version': '2023-06-01' },
    { 'anthropic-version': '2026-10-21' },
    { 'vendor-version': '1999-12-31', 'anthropic-version': 'nonsense' },
    { 'vendor-version': '', 'anthropic-version': '2023-06-01' },
  ])('the version header of %j is accepted', headers => {
    expect(() => checkVersion(headers)).not.toThrow();
  });

  test.each([
    {},
    { 'vendor-version': '' },
    { 'anthropic-version': '' },
    { 'vendor-version': 'latest' },
    { 'vendor-version': '2023-6-1' },
    { 'vendor-version': '2023-02-30' },
    { 'vendor-version': '2023-13-01' },
    { 'vendor-version': '2023-06-01T00:00:00Z' },
    { 'vendor-version': 'latest', 'anthropic-version': '2023-06-01' },
  ])('the version header of %j is rejected', headers => {
    expect(() => checkVersion(headers)).toThrow(/^vendor-version: /);
  });
});
