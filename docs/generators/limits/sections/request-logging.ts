import { loggingBounds } from '@model-gateway/admin-api';
import { loggedStreamMs, maxLoggedStreamBytes, maxWaitingLogBytes } from '@model-gateway/bus';
import { usualMaxBytes, usualRetentionDays } from '@model-gateway/catalog';
import { maxCapturedBytes } from '@model-gateway/ingress';
import type { Section } from '../bound.ts';
import { count, size, time } from '../written.ts';

export function requestLogging(): Section {
  return {
    title: 'Request logging',
    intro:
      'No client waits for its [logged request](request-logging.md) or gets an error of one. What is dropped is counted in `gateway_logged_requests_dropped_total`.',
    bounds: [
      {
        what: 'Text of a request, and of its answer',
        limit: `${size(usualMaxBytes)}, at most ${size(loggingBounds.bytes)}`,
        setting: '`logging.maxBytes` of the project',
        told: 'nothing: the end is not stored, and `cut` is true',
      },
      {
        what: 'Time that texts are stored',
        limit: `${usualRetentionDays}d, at most ${loggingBounds.days}d`,
        setting: '`logging.retentionDays` of the project',
        told: 'nothing: they are deleted',
      },
      {
        what: 'Entries of `redact`, and a regular expression among them',
        limit: `${count(loggingBounds.redactions)}, and ${count(loggingBounds.patternLength)} characters`,
        told: 'at the setting: 400 with the path of the field',
      },
      {
        what: 'Texts of running requests in a process',
        limit: size(maxCapturedBytes),
        told: 'nothing: requests beyond that are not logged',
      },
      {
        what: 'Logged requests of a process that wait while NATS does not take them',
        limit: size(maxWaitingLogBytes),
        told: 'nothing: further ones are dropped',
      },
      {
        what: 'Logged requests in NATS that are not in SQL, on each server',
        limit: `${size(maxLoggedStreamBytes)} and ${time(loggedStreamMs)}`,
        told: 'nothing: further ones wait in their processes, older ones are lost',
      },
    ],
  };
}
