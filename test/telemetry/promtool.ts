import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { AlertRule } from './files.ts';

/** Series that cause an alert. */
export interface CausedAlert {
  /** The time at which it must fire, from the beginning of the series; 30 minutes by default. */
  at?: string;
  /** The labels of the firing alert beside its severity. */
  labels?: Record<string, string>;
  /** The values of each series, one a minute, as `promtool` writes them. */
  series: Record<string, string>;
}

/** The programs of Prometheus: PROMETHEUS_BIN is their folder, else they are on PATH. */
export function prometheusProgram(name: 'prometheus' | 'promtool'): string {
  const folder = process.env.PROMETHEUS_BIN;
  return folder ? join(folder, name) : name;
}

export const whyNoPrometheus =
  spawnSync(prometheusProgram('promtool'), ['--version'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'prometheus is not installed';

/** Runs promtool with a file of this text, and returns what it printed if it failed. */
export function promtool(args: readonly string[], text: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-promtool-'));
  try {
    const file = join(folder, 'input.yml');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(prometheusProgram('promtool'), [...args, file], {
      encoding: 'utf8',
    });
    return status === 0 ? undefined : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a file for `promtool test rules` in which each alert has its cause, and fires then but not before. */
export function ruleTests(
  rulesFile: string,
  alerts: readonly AlertRule[],
  causes: Readonly<Record<string, CausedAlert>>,
): string {
  const tests = alerts.map(({ alert, labels, annotations }) => {
    const cause = causes[alert];
    if (!cause) throw new Error(`${alert} has no cause`);
    return {
      interval: '1m',
      name: alert,
      input_series: Object.entries(cause.series).map(([series, values]) => ({ series, values })),
      alert_rule_test: [
        { eval_time: '0m', alertname: alert, exp_alerts: [] },
        {
          eval_time: cause.at ?? '30m',
          alertname: alert,
          exp_alerts: [{ exp_labels: { ...labels, ...cause.labels }, exp_annotations: annotations }],
        },
      ],
    };
  });
  return stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests });
}
