import { Anchor, Badge, Group, Text } from '@mantine/core';
import type { ModelInfo } from '@model-gateway/admin-api';
import { Link } from 'react-router';
import { type AttemptFacts, factsBy, recentMinutes, useAttempts } from '../catalog/attempts.ts';
import { HealthBadge, RestReason } from '../catalog/health-badge.tsx';
import { useHealth } from '../catalog/use-health.ts';
import { formatMs, formatShare } from '../layout/format.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';
import { type Cause, type Route, routeOf, type Stop } from './route.ts';
import classes from './route-picture.module.css';

const orders: Record<Route['strategy'], string> = {
  ordered: 'In order, the next one if one fails',
  weighted: 'Weighted, the others if it fails',
  'least-busy': 'Fewest running requests first',
  fastest: 'Lowest recent latency first',
  cheapest: 'Lowest price first',
};

const causeTexts: Record<Cause, string> = {
  rateLimit: 'rate limit or quota exceeded',
  outage: 'all targets fail',
  contextLength: 'context window exceeded',
  contentPolicy: 'refused by content policy',
};

/** The way of a model's requests as a picture: from its name to its targets, and to the models that take over. */
export function RoutePicture({ model }: { model: ModelInfo }) {
  const { report, visible } = useHealth();
  const { attempts } = useAttempts({ model: model.name });
  const facts =
    attempts && factsBy(attempts, ({ provider, upstreamModel }) => `${provider} ${upstreamModel}`);
  const { strategy, stops, fallbacks } = routeOf(model, report);
  return (
    <figure className={classes.route} aria-label={`Route of ${model.name}`}>
      <div className={classes.start}>
        <Text size="xs" c="dimmed">
          Requests for
        </Text>
        <Text fw={650} className={classes.name}>
          {model.name}
        </Text>
        {stops.length > 1 && (
          <Text size="xs" c="dimmed">
            {orders[strategy]}
          </Text>
        )}
      </div>
      <ol className={classes.stops} aria-label="Targets">
        {stops.map((stop, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a model may have the same target twice
          <li key={place} className={classes.stop}>
            <Wire stop={stop} />
            <Target stop={stop} showsHealth={visible} facts={facts?.get(`${stop.provider} ${stop.model}`)} />
          </li>
        ))}
      </ol>
      {fallbacks.length > 0 && <Fallbacks fallbacks={fallbacks} />}
    </figure>
  );
}

/** The line to a target: the thicker, the more requests try it first. */
function Wire({ stop: { turn, share } }: { stop: Stop }) {
  const width = share === null ? 2 : 1 + 5 * share;
  return (
    <span className={classes.wire} data-spare={share === 0 || undefined}>
      <span className={classes.turn}>{turn}</span>
      <span className={classes.line} style={{ borderTopWidth: width }} aria-hidden="true" />
    </span>
  );
}

function Target({
  stop: { provider, model, health, resting },
  showsHealth,
  facts,
}: {
  stop: Stop;
  showsHealth: boolean;
  facts: AttemptFacts | undefined;
}) {
  const { session } = useSession();
  return (
    <div className={classes.target} data-state={health?.state}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={600} className={classes.name}>
          {model}
        </Text>
        {showsHealth && <HealthBadge rest={health} />}
      </Group>
      <Text size="xs" c="dimmed" className={classes.name}>
        at{' '}
        {may(session, 'showProvider') ? (
          <Anchor component={Link} to={`/providers/${encodeURIComponent(provider)}`} size="xs">
            {provider}
          </Anchor>
        ) : (
          provider
        )}
      </Text>
      <RestReason rest={health} />
      {resting.map(rest => (
        <div key={rest.model}>
          <Text size="xs" fw={600} className={classes.name}>
            {rest.model}
          </Text>
          <RestReason rest={rest} />
        </div>
      ))}
      {facts && (
        <Text size="xs" c="dimmed">
          {facts.attempts} in {recentMinutes} min
          {facts.failed > 0 && `, ${formatShare(facts.failed / facts.attempts)} failed`}
          {facts.firstMs && `, first token ${formatMs(facts.firstMs.median)}`}
        </Text>
      )}
    </div>
  );
}

function Fallbacks({ fallbacks }: Pick<Route, 'fallbacks'>) {
  return (
    <ul className={classes.fallbacks} aria-label="Fallbacks">
      {fallbacks.map(({ causes, models }) => (
        <li key={causes.join()} className={classes.fallback}>
          <Text size="xs" c="dimmed">
            If {causes.map(cause => causeTexts[cause]).join(', or ')}
          </Text>
          <Group gap={4}>
            {models.map((name, place) => (
              <Group key={name} gap={4} wrap="nowrap">
                {place > 0 && (
                  <Text size="xs" c="dimmed">
                    then
                  </Text>
                )}
                <Badge
                  component={Link}
                  to={`/models/${encodeURIComponent(name)}`}
                  variant="default"
                  tt="none"
                  className={classes.link}
                >
                  {name}
                </Badge>
              </Group>
            ))}
          </Group>
        </li>
      ))}
    </ul>
  );
}
