import {
  maxUsageMessageBytes,
  maxUsageMessageRecords,
  maxUsageRecordBytes,
  maxWaitingBytes,
  maxWaitingRecords,
} from '@model-gateway/bus';
import { usageLateMs } from '@model-gateway/service';
import { refusedMinutesMs, refusedRequestsMs } from '../../../../services/control/src/refused/retention.ts';
import { maxLedgerText, maxRawText } from '../../../../services/control/src/usage/fit.ts';
import {
  maxDepth,
  maxReason,
  maxRejectedText,
  mostRejected,
  rejectedMs,
} from '../../../../services/control/src/usage/rejected.ts';
import { maxOpen } from '../../../../services/worker/src/realtime/bridge-usage.ts';
import { maxKept } from '../../../../services/worker/src/upstream-words.ts';
import { keptMs } from '../../../../shared/bus/src/records.ts';
import {
  mostRefusedCounts,
  refusedInAll,
  refusedOfToken,
} from '../../../../shared/ingress/src/process/refusals.ts';
import type { Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { count, size, time } from '../written.ts';

export function usage(settings: Settings): Section {
  return {
    title: 'Usage records',
    intro: 'No client waits for a [usage record](usage.md) or gets an error of one. Operators see them.',
    bounds: [
      {
        what: 'One record, as JSON',
        limit: size(maxUsageRecordBytes),
        told: "nothing: the upstream's own usage object and the ends of texts are removed, counts stay (`gateway_usage_shortened_total`)",
      },
      {
        what: 'One message of records to NATS',
        limit: `${size(maxUsageMessageBytes)} and ${count(maxUsageMessageRecords)} records, and never more than half of the server's \`max_payload\``,
        told: 'nothing: further records go into the next message',
      },
      {
        what: 'Records of a process that wait while NATS does not take them',
        limit: `${count(maxWaitingRecords)}, and ${size(maxWaitingBytes)}`,
        told: 'nothing: further records are dropped, counted in `gateway_usage_dropped_total` and logged',
      },
      {
        what: 'Lateness of records',
        limit: time(usageLateMs),
        told: 'nothing: `/readyz` is `degraded`',
      },
      {
        what: 'Time that NATS stores records that are not in SQL',
        limit: time(keptMs),
        told: 'nothing: older records are lost',
      },
      {
        what: 'Time that an attempt is in the ledger',
        limit: time(settings.value('GATEWAY_USAGE_RETENTION')),
        setting: settings.name('GATEWAY_USAGE_RETENTION'),
        told: 'nothing: the attempts of whole months are removed, their sums stay',
      },
      {
        what: 'Time that sums of usage by hour and day are kept',
        limit: time(settings.value('GATEWAY_ROLLUP_RETENTION')),
        setting: settings.name('GATEWAY_ROLLUP_RETENTION'),
        told: 'nothing: older sums are removed',
      },
      {
        what: 'Responses of one realtime session at a provider that are tracked at once',
        limit: count(maxOpen),
        told: 'nothing: the oldest is recorded without a count',
      },
      {
        what: 'A text in the ledger',
        limit: `${count(maxLedgerText)} characters`,
        told: 'nothing: it ends in `…` (`gateway_ledger_adjusted_total`)',
      },
      {
        what: "An upstream's own usage object in the ledger, as JSON",
        limit: `${count(maxRawText)} characters, ${count(maxDepth)} levels`,
        told: 'nothing: it is left out, or its deeper levels are',
      },
      {
        what: 'A record that the ledger cannot hold, and the reason',
        limit: `${count(maxRejectedText)} and ${count(maxReason)} characters`,
        told: 'nothing: both are truncated (`gateway_ledger_rejected_total`)',
      },
      {
        what: 'Records that the ledger cannot hold, and the time that they are kept',
        limit: `${count(mostRejected)} and ${time(rejectedMs)}`,
        told: 'nothing: older ones are removed',
      },
      {
        what: "An upstream's message about a failed attempt",
        limit: `${count(maxKept)} characters`,
        told: 'nothing: it ends in `…`',
      },
      {
        what: 'Refused requests of a token, and of all, that a process lists in a minute',
        limit: `${count(refusedOfToken)} and ${count(refusedInAll)}`,
        told: 'nothing: further ones are counted alone',
      },
      {
        what: 'Kinds of refused requests that a process counts in a minute, by token, model, status and reason',
        limit: count(mostRefusedCounts),
        told: 'nothing: further ones are counted without their token and model',
      },
      {
        what: 'Time that refused requests are listed, and that they are counted by the minute',
        limit: `${time(refusedRequestsMs)} and ${time(refusedMinutesMs)}`,
        told: 'nothing: later, their numbers by the hour stay as long as attempts',
      },
    ],
  };
}
