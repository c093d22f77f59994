import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/canonical';
import { systemClock } from '@model-gateway/clock';
import { discardMs } from '@model-gateway/service';
import {
  type BodyLimits,
  BodyWatch,
  decoded,
  inflationCountsFrom,
  mostInflation,
  paceSeconds,
} from '../../../../shared/ingress/src/read/body.ts';
import type { Section } from '../bound.ts';
import { incoming } from '../incoming.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { count, size, time } from '../written.ts';

export async function bodies(settings: Settings): Promise<Section> {
  const limits = {
    bytes: settings.value('GATEWAY_BODY_LIMIT'),
    bytesPerSecond: settings.value('GATEWAY_BODY_RATE'),
    ms: settings.value('GATEWAY_BODY_TIME'),
    clock: systemClock,
  };
  return {
    title: 'Bodies on the wire',
    intro:
      'Time in which the gateway itself does not read does not count. The bytes of a refused body are freed at once.',
    bounds: [
      {
        what: 'Size of a body that is not an upload, decompressed',
        limit: size(limits.bytes),
        setting: settings.name('GATEWAY_BODY_LIMIT'),
        told: await refusal(() => overSize(limits)),
      },
      {
        what: `Lowest rate of a body, over any ${paceSeconds} s`,
        limit: `${size(limits.bytesPerSecond)} a second; 0 means none`,
        setting: settings.name('GATEWAY_BODY_RATE'),
        told: `${told(await tooSlow({ ...limits, ms: Number.POSITIVE_INFINITY }))} The connection is closed.`,
      },
      {
        what: 'Time to send a body that is not an upload',
        limit: time(limits.ms),
        setting: settings.name('GATEWAY_BODY_TIME'),
        told: `${told(await tooSlow({ ...limits, bytesPerSecond: 0 }))} The connection is closed.`,
      },
      {
        what: `Growth of a compressed body, once it is larger than ${size(inflationCountsFrom)} decompressed`,
        limit: `${count(mostInflation)} times`,
        told: await refusal(() => inflated(limits)),
      },
      {
        what: '`content-encoding`',
        limit: '`gzip`, `deflate`, `br`, `zstd` or none',
        told: await refusal(() => decoded(incoming({ 'content-encoding': 'compress' }))),
      },
      {
        what: 'Time in which a refused client may continue to send',
        limit: time(discardMs),
        told: 'the connection is closed; the answer was sent before',
      },
    ],
  };
}

function overSize(limits: BodyLimits): void {
  const watch = watchOf(limits, false, () => {});
  try {
    watch.add(limits.bytes + 1);
  } finally {
    watch.stop();
  }
}

/** The response to a body of which no byte arrives. */
export function tooSlow(limits: BodyLimits): Promise<GatewayError> {
  return new Promise(resolve => {
    let isOver = false;
    const watch = watchOf(limits, false, error => {
      isOver = true;
      resolve(error);
    });
    while (!isOver) watch.look();
  });
}

/** Counts inflated bytes of a compressed body of which no byte has arrived. */
function inflated(limits: BodyLimits): void {
  const watch = watchOf(limits, true, () => {});
  try {
    watch.add(inflationCountsFrom + 1);
  } finally {
    watch.stop();
  }
}

function watchOf(limits: BodyLimits, isCompressed: boolean, end: (error: GatewayError) => void): BodyWatch {
  const request = Object.assign(new EventEmitter(), { isPaused: () => false });
  return new BodyWatch(request as unknown as IncomingMessage, limits, isCompressed, end);
}
