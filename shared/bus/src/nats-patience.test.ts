import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { natsPatience } from './authorization.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Returns the values of settings in a configuration of NATS. */
function settings(text: string): Record<string, string | undefined> {
  const value = (name: string) => new RegExp(`^ *${name}: *(.*)$`, 'm').exec(text)?.[1];
  return { write_deadline: value('write_deadline'), max_pending: value('max_pending') };
}

test.each(['deploy/nats.conf', 'deploy/kubernetes/model-gateway.yaml'])(
  'the servers of %s wait for a process that is paused as long as those of npm start',
  path => {
    expect(settings(natsPatience)).toEqual({ write_deadline: '"30s"', max_pending: '256MB' });
    expect(settings(read(path))).toEqual(settings(natsPatience));
  },
);
