import { maxHeaderSize } from 'node:http';
import { Access, hashSecret, tokenKey } from '@model-gateway/access';
import { checkContentType, requestHeadersMs, slowHeadersLookMs } from '@model-gateway/service';
import { streamPingMs } from '../../../../shared/ingress/src/answer/answer.ts';
import { clientStuckMs } from '../../../../shared/ingress/src/answer/response-sink.ts';
import { shuttingDown } from '../../../../shared/ingress/src/serve/app.ts';
import type { Section } from '../bound.ts';
import { statusLineOf } from '../raw-request.ts';
import type { Settings } from '../settings.ts';
import { refusal, told } from '../told.ts';
import { size, time } from '../written.ts';

export async function requests(settings: Settings): Promise<Section> {
  const tooLong = await statusLineOf(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(maxHeaderSize)}\r\n\r\n`);
  return {
    title: 'Requests as a whole',
    bounds: [
      {
        what: 'Time to send the headers, counted from the connection or from the first byte of a later request',
        limit: time(requestHeadersMs),
        told: `408 without a body, at most ${time(slowHeadersLookMs)} later; the connection is closed`,
      },
      {
        what: 'The first line and all headers of a request',
        limit: size(maxHeaderSize),
        told: `${tooLong.replace('HTTP/1.1 ', '')}, without a body; the connection is closed`,
      },
      {
        what: 'Types of a body, if an endpoint takes JSON',
        limit: '`application/json`, `application/*+json`, or none',
        told: await refusal(() =>
          checkContentType({ 'content-type': 'application/x-www-form-urlencoded' }, ['application/json']),
        ),
      },
      {
        what: 'Silence of a stream',
        limit: time(streamPingMs),
        told: 'a comment or a ping event, so that no proxy takes the stream for dead',
      },
      {
        what: 'Time in which a client takes none of the bytes that wait for it',
        limit: time(clientStuckMs),
        told: 'the connection is closed, and so is the upstream',
      },
      {
        what: 'Time that requests are accepted while tokens may be out of date, because NATS does not answer',
        limit: time(settings.value('GATEWAY_STALE_LIMIT')),
        setting: settings.name('GATEWAY_STALE_LIMIT'),
        told: await refusal(outOfDate),
      },
      {
        what: 'Time that running requests may go on once their process stops',
        limit: time(settings.value('GATEWAY_DRAIN')),
        setting: settings.name('GATEWAY_DRAIN'),
        told: told(shuttingDown()),
      },
    ],
  };
}

/** Checks a good token when nobody can tell any more that it is one. */
function outOfDate(): void {
  const access = new Access();
  const secret = 'sk-example';
  access.put(tokenKey(hashSecret(secret)), { id: 'a', project: 'a', revoked: false, expiresAt: null });
  access.outOfDate = () => true;
  access.check(secret, Date.now());
}
