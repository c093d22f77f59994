import { SimpleGrid, Table, Text } from '@mantine/core';
import type { LoggingSettings, ProjectInfo } from '@model-gateway/admin-api';
import { Facts } from '../layout/facts.tsx';
import { formatCount, formatShare } from '../layout/format.ts';
import { Section } from '../layout/section.tsx';
import { WideTable } from '../layout/wide-table.tsx';
import { BudgetBar } from '../spending/budget-bar.tsx';
import { useSpent } from '../spending/use-spent.ts';
import { type Limits, limitNames, limitWords } from './limits-text.ts';
import { OwnPrices } from './own-prices.tsx';
import { UsedModels } from './used-models.tsx';

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
          <Text size="sm">No budget: its tokens may spend any amount, up to budgets of their own.</Text>
        )}
      </Section>
      <Section title="Limits">
        <LimitsTable limits={limits} />
      </Section>
      <Section title="Handling of requests">
        <Facts facts={handling(project)} />
      </Section>
      <Section title="Models used this month">
        <UsedModels project={name} />
      </Section>
      {prices && (
        <Section title="Own prices">
          <OwnPrices prices={prices} />
        </Section>
      )}
    </SimpleGrid>
  );
}

function LimitsTable({ limits }: { limits: Limits | null }) {
  const models = Object.entries(limits?.models ?? {});
  const rows: [string, Omit<Limits, 'models'>][] = [['all models', limits ?? {}], ...models];
  if (!limits) return <Text size="sm">No limits.</Text>;
  return (
    <WideTable label="Limits" minWidth={300}>
      <Table aria-label="Limits" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Of</Table.Th>
            {limitNames.map(limit => (
              <Table.Th key={limit} ta="right">
                {limitWords[limit]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([of, given]) => (
            <Table.Tr key={of}>
              <Table.Td>{of}</Table.Td>
              {limitNames.map(limit => (
                <Table.Td key={limit} ta="right">
                  {given[limit] === undefined ? '–' : formatCount(given[limit])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function handling({ logging, storeResponses, storeErrors, weight, allowUnpriced }: ProjectInfo) {
  return [
    [
      'Request logging',
      logging ? loggingInWords(logging) : 'off: no text of a request or an answer is stored',
    ],
    ['Stored responses', storeResponses === false ? 'none is stored' : 'stored if the client asks for it'],
    ['Error messages', storeErrors === false ? 'none is stored' : 'stored with failed attempts'],
    ['Models without a price', allowUnpriced ? 'may be used' : 'may not be used where there is a budget'],
    ['Share of busy workers', `${weight ?? 1}, relative to other projects`],
  ] as const;
}

/** Describes request logging in a sentence. The defaults are those of docs/request-logging.md. */
function loggingInWords({ sample, redact = [], retentionDays = 30, maxBytes = 65_536 }: LoggingSettings) {
  const redacted = redact.map(entry => (typeof entry === 'string' ? entry : entry.name));
  return [
    `the texts of ${formatShare(sample)} of the requests are stored for ${retentionDays} days`,
    `at most ${maxBytes.toLocaleString('en-US')} bytes of each`,
    redacted.length > 0 ? `redacted: secrets, ${redacted.join(', ')}` : 'redacted: secrets alone',
  ].join('; ');
}
