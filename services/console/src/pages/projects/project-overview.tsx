import { SimpleGrid, Text } from '@mantine/core';
import type { LoggingSettings, ProjectInfo, ResponseOf } from '@model-gateway/admin-api';
import { Facts } from '../layout/facts.tsx';
import { formatCount, formatMoney, formatShare } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { PlainTable } from '../layout/plain-table.tsx';
import { useResource } from '../layout/reading.ts';
import { Failed, Loading } from '../layout/states.tsx';
import { LimitsTable } from '../settings-form/limits-table.tsx';
import { allPriceKinds, type Price, priceKinds } from '../settings-form/price-kinds.ts';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { periodStart } from '../spending/period.ts';
import { useSpent } from '../spending/use-spent.ts';

/** The settings of a project that are in force, and what it has used. */
export function ProjectOverview({ project }: { project: ProjectInfo }) {
  const { name, budget, limits, prices } = project;
  const spentOf = useSpent('project', [budget], name);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title="Budget">
        {budget ? (
          <BudgetBar label={name} budget={budget} spent={spentOf(name, budget)} resets />
        ) : (
          <Text size="sm">No budget. Budgets of its tokens and their owners still apply.</Text>
        )}
      </Section>
      <Section title="Limits">
        <LimitsTable limits={limits} />
      </Section>
      <Section title="Request handling">
        <Facts facts={handling(project)} />
      </Section>
      <Section title="Models used this month">
        <UsedModels project={name} />
      </Section>
      {prices && (
        <Section title="Custom prices">
          <CustomPrices prices={prices} />
        </Section>
      )}
    </SimpleGrid>
  );
}

function handling({ logging, storeResponses, storeErrors, weight, allowUnpriced }: ProjectInfo) {
  return [
    ['Request logging', logging ? loggingInWords(logging) : 'Off'],
    ['Stored responses', storeResponses === false ? 'Never' : 'If the client asks for it'],
    ['Error messages', storeErrors === false ? 'Not stored' : 'Stored with failed attempts'],
    ['Models without a price', allowUnpriced ? 'Allowed' : 'Not allowed with a budget'],
    ['Scheduling weight', String(weight ?? 1)],
  ] as const;
}

/** Describes request logging in a sentence. The defaults are those of docs/request-logging.md. */
function loggingInWords({ sample, redact = [], retentionDays = 30, maxBytes = 65_536 }: LoggingSettings) {
  const redacted = redact.map(entry => (typeof entry === 'string' ? entry : entry.name));
  return [
    `The texts of ${formatShare(sample)} of the requests are stored for ${retentionDays} days`,
    `at most ${maxBytes.toLocaleString('en-US')} bytes of each`,
    `redacted: ${['secrets', ...redacted].join(', ')}`,
  ].join('; ');
}

/** The prices that a project has in the place of the others, in US dollars. */
function CustomPrices({ prices }: { prices: NonNullable<ProjectInfo['prices']> }) {
  const models = Object.entries(prices);
  const stated = allPriceKinds.filter(kind => models.some(([, price]) => price[kind] !== undefined));
  return (
    <PlainTable
      label="Custom prices"
      rows={models}
      keyOf={([model]) => model}
      columns={[
        { label: 'Model', render: ([model]) => model },
        ...stated.map(kind => ({
          label: `${priceKinds[kind].label}, ${priceKinds[kind].unit}`,
          numeric: true as const,
          render: ([, price]: [string, Price]) => formatMoney(price[kind] ?? null),
        })),
      ]}
    />
  );
}

/** The most models that are listed. */
const mostModels = 8;

type Total = ResponseOf<'totalUsage'>['data'][number];

/** The models that a project has used in this month, with the most expensive first. */
function UsedModels({ project }: { project: string }) {
  const from = periodStart('month', new Date())?.toISOString();
  const { value, error, reload } = useResource('totalUsage', { query: { by: 'model', project, from } });
  if (!value) return error ? <Failed error={error} onRetry={reload} /> : <Loading what="the usage" />;
  if (value.data.length === 0) return <Text size="sm">No usage this month.</Text>;
  const models = value.data.toSorted((one, other) => other.cost - one.cost || other.requests - one.requests);
  return (
    <>
      <PlainTable
        label="Models used this month"
        rows={models.slice(0, mostModels)}
        keyOf={({ key }) => String(key)}
        columns={[
          { label: 'Model', render: ({ key }: Total) => key },
          { label: 'Requests', numeric: true, render: ({ requests }) => formatCount(requests) },
          { label: 'Tokens', numeric: true, render: ({ input, output }) => formatCount(input + output) },
          {
            label: 'Cost',
            numeric: true,
            render: ({ cost, requests, unpriced }) =>
              unpriced === requests ? 'No price' : formatMoney(cost),
          },
        ]}
      />
      {models.length > mostModels && (
        <Text size="xs" c="dimmed">
          And {models.length - mostModels} more on the usage page.
        </Text>
      )}
    </>
  );
}
